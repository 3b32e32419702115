"""An agent tried out: the whole loop on one planted fault, beside every project and every session.

The project is made for the purpose, with state of its own, and both are gone afterwards.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from clew import events as ev
from clew import processes, working
from clew.debugging import Watcher
from clew.facts import Fact
from clew.folders import passing
from clew.project import Project, locate
from clew.sandbox import clean_environment
from clew.sessions import Desk
from clew.settings import Settings
from clew.spending import Tally, by_agent, total
from clew.states import State
from clew.store import Store, state_folder

__all__ = ["Tried", "attempt"]

ITERATIONS = 2
FILES = {
    "till.py": '''\
"""A till: what is to be paid, and what comes back."""


def total(prices):
    """Return the sum of the prices."""
    due = 0
    for price in prices:
        due += price
    return due


def change(paid, prices):
    """Return what comes back of the money that was paid; ValueError if it does not do."""
    due = total(prices)
    if paid < due:
        raise ValueError(f"{due - paid} short")
    return paid - due - 1
''',
    "test_till.py": """\
import unittest

from till import change, total


class TillTest(unittest.TestCase):
    def test_the_sum_of_all_prices(self):
        self.assertEqual(total([3, 4, 5]), 12)

    def test_more_than_enough(self):
        self.assertEqual(change(20, [3, 4, 5]), 8)
        self.assertEqual(change(50, [20, 7]), 23)

    def test_exactly_enough(self):
        self.assertEqual(change(12, [3, 4, 5]), 0)

    def test_too_little(self):
        with self.assertRaises(ValueError):
            change(11, [3, 4, 5])
""",
}


class Tried(Fact, frozen=True, kw_only=True):
    """What came of a trial."""

    agent: str
    mended: bool  # and proven
    end: str  # in a word or a sentence
    solved_by: tuple[str, ...] = ()
    iterations: int = 0
    seconds: float = 0.0  # of all of it
    agent_seconds: float = 0.0  # of the agent's calls
    calls: int = 0
    tally: Tally = Tally()
    failures: tuple[str, ...] = ()  # of calls, in their words
    sandbox: str = ""


def attempt(name: str, settings: Settings, watcher: Watcher) -> Tried:
    """Have one agent mend the fault, with a person's settings but for the ladder and the tests.

    Raises UsageError for an agent that is not there.
    """
    settings = replace(
        settings,
        agent=(name,),
        review="",
        ladder={},
        bisect=False,
        junit=None,
        test_command=shlex.join((sys.executable, "-m", "unittest")),
        max_iterations=ITERATIONS,
    )
    began = time.monotonic()
    with _scratch() as folder:
        desk = Desk(_laid(folder / "till"), Store(folder / "state"))
        working.check(settings, desk.project)
        state = working.start(desk, settings, watcher, ())
    return _told(name, state, time.monotonic() - began)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Lend a folder: beside all other state, since some agents want none of theirs in `/tmp`."""
    above = state_folder() / "trials"
    above.mkdir(parents=True, exist_ok=True)
    with passing("", above) as folder:
        yield folder


def _laid(root: Path) -> Project:
    """Lay the project down as a repository of its own, whatever it lies in."""
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    argv = ["git", "init", "-q", "--template=", str(root)]
    processes.run(argv, cwd=root, env=clean_environment(), timeout=60.0)
    return locate(root)


def _told(name: str, state: State, seconds: float) -> Tried:
    mended = state.status is ev.Status.GREEN
    last = state.history[-1] if state.history else None
    end = f"{last.result}{f': {last.note}' if last.note else ''}" if last else str(state.status)
    return Tried(
        agent=name,
        mended=mended,
        end="mended, and proven" if mended else end,
        solved_by=state.solvers,
        iterations=state.overall,
        seconds=seconds,
        agent_seconds=sum(call.seconds for call in state.settled),
        calls=len(state.settled),
        tally=total(by_agent(state).values()),
        failures=tuple(f"{e.role}: {e.kind}: {e.message}" for e in state.agent_errors),
        sandbox=state.baseline.sandbox if state.baseline else "",
    )
