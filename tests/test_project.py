"""What holds for the repository as a whole."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew

ROOT = Path(__file__).parents[1]
PYPROJECT = ROOT / "pyproject.toml"

# Written in pieces, so that this file does not hold what it forbids.
STRANGERS = {
    "a path of somebody's machine": r"(?<![\w.<])/" + r"work/",
    "a file beside the repository": r"(?<![\w/-])shared" + r"/",
    "a package index": r"\b(?:pypi|pythonhosted|npmjs|crates)" + r"\.(?:org|io|com)\b",
    "an archive of packages": r"\b(?:deb|security|archive)" + r"\.(?:debian|ubuntu)\.",
    "a number of a tracker": r"\bissue" + r" #?\d",
}


def files() -> list[Path]:
    """Every file that is, or would be, part of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def lines(path: Path, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Each line of a text file that has a pattern, with its place; nothing for a binary one."""
    content = path.read_bytes()
    text = content.decode(errors="replace")
    if b"\0" in content or not pattern.search(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.search(line):
            yield f"{path.relative_to(ROOT)}:{number}", line


def pyproject() -> dict[str, Any]:
    return tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("stranger", STRANGERS)
def test_the_repository_speaks_of_itself_alone(stranger: str) -> None:
    """No line names a machine, an index or a tracker that a reader does not have."""
    pattern = re.compile(STRANGERS[stranger], re.IGNORECASE)
    found = [place for path in files() for place, _ in lines(path, pattern)]
    assert found == []


def test_the_version_stands_in_one_place() -> None:
    """The package says its version; the project file and the installation take it from there."""
    assert pyproject()["project"]["dynamic"] == ["version"]
    assert importlib.metadata.version("clew") == clew.__version__


def test_every_rule_that_is_off_says_why() -> None:
    """In the project file each code that ruff ignores carries a comment."""
    text = PYPROJECT.read_text(encoding="utf-8")
    section = text[text.index("[tool.ruff.lint]") :]
    codes = re.findall(r'^\s*"([A-Z]+\d*)",(.*)$', section, re.MULTILINE)
    assert len(codes) > 5
    assert [code for code, rest in codes if not re.search(r"#.*\w{2}", rest)] == []


def test_every_exemption_in_the_code_says_why() -> None:
    """Behind a `noqa` with its code stand words; one reason in a file holds for all of its kind."""
    exemption = re.compile(
        r"# noqa: (?P<code>[A-Z]+\d+)(?:, ?[A-Z]+\d+)*(?P<reason>[^\"\n]*)$", re.MULTILINE
    )
    bare: dict[tuple[str, str], str] = {}
    said = set()
    for path in files():
        for place, line in lines(path, exemption) if path.suffix == ".py" else ():
            if found := exemption.search(line):
                kind = (str(path), found["code"])
                if re.search(r"\w{2}", found["reason"]):
                    said.add(kind)
                else:
                    bare.setdefault(kind, place)
    assert [place for kind, place in bare.items() if kind not in said] == []


PINNED = re.compile(r"^[a-z][\w.-]*(?:\[[\w, -]+\])?==\S+.*\\\n    --hash=sha256:", re.MULTILINE)


def test_locked_requirements_name_versions_and_hashes_only() -> None:
    """A lock file pins each package by hash and says nothing of where it comes from."""
    for lock in sorted((ROOT / "requirements").glob("*.txt")):
        text = lock.read_text(encoding="utf-8")
        pinned = PINNED.findall(text)
        named = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
        assert len(named) == len(pinned), lock.name
        assert not re.search(r"://|--index|--find-links", text), lock.name


def test_the_environments_agree() -> None:
    """What `.venv` is made of has the same versions in whichever lock file it stands.

    What is measured against, and what is tested with, lives in environments of its own. One lock
    may name a version for each of several Pythons.
    """
    locked: dict[str, set[frozenset[str]]] = {}
    for lock in (ROOT / "requirements" / f"{name}.txt" for name in ("build", "demo", "dev", "run")):
        versions: dict[str, set[str]] = {}
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock.read_text(), re.MULTILINE):
            versions.setdefault(name, set()).add(version)
        for name, found in versions.items():
            locked.setdefault(name, set()).add(frozenset(found))
    assert {name: found for name, found in locked.items() if len(found) > 1} == {}
