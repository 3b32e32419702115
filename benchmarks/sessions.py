"""A session to measure with: the demo, carried out once, and copies of it."""

from __future__ import annotations

import sqlite3
import subprocess
from functools import cache
from pathlib import Path

import msgspec

from benchmarks.measuring import ROOT, clean
from benchmarks.subjects import harbour
from clew.flows.debugging.states import State, fold
from clew.words import events as ev

__all__ = ["CLEW", "Demo", "demo", "environment"]

CLEW = ROOT / ".venv" / "bin" / "clew"


def environment(state: Path) -> dict[str, str]:
    """Return what `clew` runs with: state of its own, the pytest of this checkout."""
    venv = ROOT / ".venv"
    found = clean(CLEW_STATE_HOME=str(state), VIRTUAL_ENV=str(venv))
    return found | {"PATH": f"{venv / 'bin'}:{found['PATH']}"}


class Demo(msgspec.Struct, frozen=True, kw_only=True):
    """The demo's project, mended, with the state of its session."""

    project: Path
    state: Path
    records: tuple[ev.Recorded, ...]

    @property
    def env(self) -> dict[str, str]:
        return environment(self.state)

    @property
    def journal(self) -> Path:
        return next(self.state.glob("projects/*/journal.db"))

    def states(self) -> list[State]:
        """Return the state after each event."""
        found = [State()]
        for recorded in self.records:
            found.append(fold(found[-1], recorded))
        return found[1:]

    def multiply(self, count: int) -> None:
        """Add copies of the session to its journal, each older than the one before."""
        with sqlite3.connect(self.journal) as journal:
            for number in range(count):
                name = f"2020-01-01-copy-{number:05}"
                added = journal.execute("INSERT INTO names (session) VALUES (?)", (name,)).lastrowid
                journal.execute(
                    "INSERT INTO events SELECT ? << 32 | seq, ?, seq, at, type, version, writer,"
                    " body FROM events WHERE session = ?",
                    (added, name, self.records[0].session),
                )
                journal.execute(
                    "INSERT INTO sessions SELECT ?, '2020-01-01T00:00:00+00:00', updated, status,"
                    " goal FROM sessions WHERE session = ?",
                    (name, self.records[0].session),
                )
        journal.close()


@cache
def demo(folder: Path) -> Demo:
    """Carry out the demo in a folder; once for each."""
    folder.mkdir(parents=True)
    project, state = harbour(folder / "harbour"), folder / "state"
    env = environment(state)
    subprocess.run([CLEW, "fix"], cwd=project, env=env, capture_output=True, check=True)
    log = subprocess.run(
        [CLEW, "log", "--json"], cwd=project, env=env, capture_output=True, check=True
    )
    records = tuple(msgspec.json.decode(line, type=ev.Recorded) for line in log.stdout.splitlines())
    return Demo(project=project, state=state, records=records)
