"""The projects that are measured on: a small program, click with a seeded fault, the demo."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

import msgspec

from benchmarks.measuring import BENCH, ROOT, NotInstalled, clean

__all__ = ["Subject", "click", "harbour", "small", "under_git"]

LEDGER = '''"""A ledger of amounts in cents."""


def parse(text):
    """Return (name, cents) of a line such as `rent 12.50`."""
    name, _, amount = text.partition(" ")
    whole, _, rest = amount.partition(".")
    return name, int(whole) * 100 + int((rest + "00")[:2])


def total(lines):
    return sum(cents for _, cents in map(parse, lines))


def by_name(lines):
    found = {}
    for name, cents in map(parse, lines):
        found[name] = found.get(name, 0) + cents
    return found


def largest(lines, count):
    """Return the names with the largest sums, largest first."""
    sums = by_name(lines)
    return sorted(sums, key=lambda name: (-sums[name], name))[: count - 1]


def shown(cents):
    sign = "-" if cents < 0 else ""
    return "{}{}.{:02}".format(sign, abs(cents) // 100, abs(cents) % 100)
'''
TESTS = """from ledger import by_name, largest, parse, shown, total

LINES = ["rent 800", "food 12.50", "food 7.5", "tram 2.80"]


def test_parse():
    assert parse("rent 800") == ("rent", 80000)
    assert parse("tram 2.8") == ("tram", 280)


def test_total():
    assert total(LINES) == 82280


def test_by_name():
    assert by_name(LINES) == {"rent": 80000, "food": 2000, "tram": 280}


def test_largest():
    assert largest(LINES, 2) == ["rent", "food"]


def test_all_of_them():
    assert largest(LINES, 3) == ["rent", "food", "tram"]


def test_none_of_them():
    assert largest([], 3) == []


def test_shown():
    assert shown(82280) == "822.80"
    assert shown(-5) == "-0.05"
"""
CLICK_FAULT = (
    "src/click/types.py",
    "operator.le if self.min_open else operator.lt",
    "operator.le if self.min_open else operator.le",
)


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A failing project: where it is, its sources, its one faulty line, how its tests run."""

    name: str
    folder: Path
    source: str  # the folder of its code, relative
    tests: str  # the file or folder of its tests, relative
    fault: tuple[str, int]
    environment: dict[str, str] = {}  # that its tests need
    options: tuple[str, ...] = ()  # of pytest, where warnings of a measuring tool are errors

    def copied(self, to: Path) -> Subject:
        """Return the same project in another folder."""
        shutil.copytree(self.folder, to, symlinks=True)
        return msgspec.structs.replace(self, folder=to)


def small(folder: Path) -> Subject:
    """Write a small program of one module, with one fault."""
    folder.mkdir(parents=True)
    (folder / "ledger.py").write_text(LEDGER)
    (folder / "test_ledger.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    line = 1 + LEDGER[: LEDGER.index("count - 1")].count("\n")
    return Subject(
        name="a small program",
        folder=folder,
        source=".",
        tests="test_ledger.py",
        fault=("ledger.py", line),
    )


def click(folder: Path, *, faulty: bool = True) -> Subject:
    """Unpack click with its tests, and seed one fault. Raises NotInstalled."""
    archive = next((BENCH / "sources").glob("click-*.tar.gz"), None)
    if archive is None:
        raise NotInstalled("the sources of click are not there: scripts/setup bench")
    with tarfile.open(archive) as opened:
        opened.extractall(folder.parent, filter="data")
    (folder.parent / archive.name.removesuffix(".tar.gz")).rename(folder)
    path, right, wrong = CLICK_FAULT
    text = (folder / path).read_text()
    line = 1 + text[: text.index(right)].count("\n")
    if faulty:
        (folder / path).write_text(text.replace(right, wrong, 1))
    return Subject(
        name="click",
        folder=folder,
        source="src/click",
        tests="tests",
        fault=(path, line),
        environment={"PYTHONPATH": "src"},
        options=("-o", "filterwarnings=default"),
    )


def harbour(folder: Path) -> Path:
    """Copy the demo's project."""
    shutil.copytree(
        ROOT / "examples" / "harbour",
        folder,
        ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"),
    )
    under_git(folder)
    return folder


def under_git(folder: Path) -> None:
    """Make a folder a repository of one commit."""
    person = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "As it is")):
        subprocess.run(["git", *person, *words], cwd=folder, env=clean(), check=True)
