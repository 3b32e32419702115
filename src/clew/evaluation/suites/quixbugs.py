"""QuixBugs (Python): one algorithm a task, tests in pytest or as JSON lines of input and output."""

from __future__ import annotations

from pathlib import Path

from clew.evaluation.tasks import Task, read_tree
from clew.words.errors import UsageError

__all__ = ["QuixBugs"]

BUGGY, FIXED = "python_programs", "correct_python_programs"
TESTS, CASES = "python_testcases", "json_testcases"

# Where a checkout has JSON cases alone; results that are generators are compared as lists.
FROM_CASES = """\
import json
from pathlib import Path

import pytest

from python_programs.{name} import {name}

CASES = Path(__file__).parent.parent / "json_testcases" / "{name}.json"
LINES = [json.loads(line) for line in CASES.read_text().splitlines() if line.strip()]


@pytest.mark.parametrize(("given", "expected"), LINES)
def test_{name}(given, expected):
    result = {name}(*(given if isinstance(given, list) else [given]))
    if hasattr(result, "__next__"):
        result = list(result)
    assert json.loads(json.dumps(result)) == expected
"""
CONFTEST = (
    "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent))\n"
)


class QuixBugs:
    """The programs of one checkout that have a right version and tests."""

    def __init__(self, path: Path) -> None:
        self.name = path.name.lower()
        self._path = path
        self._ids = tuple(
            sorted(
                file.stem
                for file in (path / BUGGY).glob("*.py")
                if (path / FIXED / file.name).exists() and self._tests(file.stem)
            )
        )

    @staticmethod
    def recognises(path: Path) -> bool:
        """Whether both versions of the programs are there."""
        return (path / BUGGY).is_dir() and (path / FIXED).is_dir()

    @property
    def ids(self) -> tuple[str, ...]:
        """All programs, by name."""
        return self._ids

    def task(self, name: str) -> Task:
        """Make a project of one program; all others stay behind."""
        program = f"{BUGGY}/{name}.py"
        return Task(
            id=name,
            buggy={program: _text(self._path / program)},
            fixed={program: _text(self._path / FIXED / f"{name}.py")},
            tests=self._shared() | self._tests(name),
            entry=f"{program}::{name}",
        )

    def _tests(self, name: str) -> dict[str, str]:
        """Return what tests one program; nothing if nothing does."""
        found = {}
        cases = self._path / CASES / f"{name}.json"
        if cases.is_file():
            found[f"{CASES}/{name}.json"] = _text(cases)
        test = self._path / TESTS / f"test_{name}.py"
        if test.is_file():
            found[f"{TESTS}/test_{name}.py"] = _text(test)
        elif found:
            found[f"{TESTS}/test_{name}.py"] = FROM_CASES.format(name=name)
        else:
            return {}
        return found

    def _shared(self) -> dict[str, str]:
        """Return what tests of all programs use: nodes, loaders, the conftest."""
        found = {"conftest.py": CONFTEST}
        for folder in (BUGGY, TESTS):
            if not (self._path / folder).is_dir():
                continue
            for path, text in read_tree(self._path / folder).items():
                program = folder == BUGGY and (self._path / FIXED / path).exists()
                test = path.startswith("test_") or path.endswith("_test.py")
                if path.endswith(".py") and (path == "node.py" or not (program or test)):
                    found[f"{folder}/{path}"] = text
        for name in ("conftest.py", "pytest.ini", "setup.cfg", "tox.ini"):
            if (self._path / name).is_file():
                found[name] = _text(self._path / name)
        return found


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
