"""A project with one planted fault, made for a trial, and gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from clew.git.project import Project, locate
from clew.journal.store import state_folder
from clew.sandbox import processes
from clew.sandbox.confinement import clean_environment
from clew.sandbox.temporary import passing
from clew.words.settings import Settings

__all__ = [
    "CODE",
    "FAULT",
    "FILES",
    "MENDED",
    "NOTICING",
    "TESTS",
    "from_elsewhere",
    "laid",
    "scratch",
    "tests",
]

CODE, TESTS = "till.py", "test_till.py"
FAULT, MENDED = "    return paid - due - 1\n", "    return paid - due\n"
NOTICING = """\
    def test_more_than_enough(self):
        self.assertEqual(change(20, [3, 4, 5]), 8)
        self.assertEqual(change(50, [20, 7]), 23)

    def test_exactly_enough(self):
        self.assertEqual(change(12, [3, 4, 5]), 0)

"""
FILES = {
    CODE: f'''\
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
        raise ValueError(f"{{due - paid}} short")
{FAULT}''',
    TESTS: f"""\
import unittest

from till import change, total


class TillTest(unittest.TestCase):
    def test_the_sum_of_all_prices(self):
        self.assertEqual(total([3, 4, 5]), 12)

{NOTICING}    def test_too_little(self):
        with self.assertRaises(ValueError):
            change(11, [3, 4, 5])
""",
}


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Lend a folder: beside all other state, since some agents want none of theirs in `/tmp`."""
    above = state_folder() / "trials"
    above.mkdir(parents=True, exist_ok=True)
    with passing("", above) as folder:
        yield folder


def laid(root: Path, files: Mapping[str, str] = FILES) -> Project:
    """Lay a project down as a repository of its own, whatever it lies in."""
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    argv = ["git", "init", "-q", "--template=", str(root)]
    processes.run(argv, cwd=root, env=clean_environment(), timeout=60.0)
    return locate(root)


def tests(settings: Settings) -> Settings:
    """Return the settings with the scratch project's own way to run its tests."""
    command = shlex.join((sys.executable, "-m", "unittest"))
    return replace(settings, bisect=False, junit=None, test_command=command)


def from_elsewhere(name: str, settings: Settings, folder: Path) -> tuple[str, Settings]:
    """Return an agent's name, and the settings, with paths that hold in any other folder as well.

    Programs and files are named from `folder` on, where a person would call the agent.
    """
    if name in settings.commands:
        own = {name: _absolute(settings.commands[name], folder)}
        return name, replace(settings, commands=settings.commands | own)
    word, _, line = name.partition(":")
    if word in ("command", "acp") and line:
        name = f"{word}:{_absolute(line, folder)}"
    elif word == "replay" and _is_file(line, folder):
        name = f"{word}:{(folder / line).absolute()}"
    return name, settings


def _absolute(line: str, folder: Path) -> str:
    try:
        words = shlex.split(line)
    except ValueError:
        return line  # it is refused where it is read
    # The first is looked for on PATH if it has no separator.
    return shlex.join(
        str(folder / word) if (_is_file(word, folder) if at else os.sep in word) else word
        for at, word in enumerate(words)
    )


def _is_file(word: str, folder: Path) -> bool:
    # One of pathlib raises OSError for a word that is too long for a name.
    return bool(word) and os.path.isfile(folder / word)  # noqa: PTH113 - raises nothing
