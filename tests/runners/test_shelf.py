"""What is asked of an interpreter once, and the probe that is deployed once."""

from __future__ import annotations

import os
import shutil
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew import runners
from clew.probe import search
from clew.runners import deployment

Left = Callable[[Any, list[str]], set[str]]
COUNTING = '#!/bin/sh\necho asked >> {log}\nexec {python} "$@"\n'
SITE = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"


class Asked:
    """An environment whose interpreter notes each start."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "env", symlinks=True)
        self.site = folder / "env" / SITE
        self.log = folder / "log"
        self.log.touch()
        self.python = folder / "env" / "bin" / "counting"
        inner = folder / "env" / "bin" / "python"
        self.python.write_text(COUNTING.format(log=self.log, python=inner))
        self.python.chmod(0o755)

    def install_pytest(self) -> None:
        (self.site / "pytest.py").touch()

    @property
    def times(self) -> int:
        return self.log.read_text().count("asked")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setenv("CLEW_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Asked(tmp_path)


def test_an_interpreter_is_asked_once_for_all_sessions(asked: Asked, tmp_path: Path) -> None:
    """And again when something is installed, a list of folders is edited, or a variable changes."""
    asked.install_pytest()
    found = [runners.facts(asked.python, tmp_path / name) for name in "ab"]
    assert found[0] == found[1]
    assert ("?", 1) == (found[0].pytest, asked.times)

    more = tmp_path / "more"
    more.mkdir()
    listed = asked.site / "mine.pth"
    listed.write_text("# nothing yet\n")
    assert str(more) not in runners.facts(asked.python, tmp_path / "a").path
    folder = asked.site.stat()
    listed.write_text(f"{more}\n")
    os.utime(asked.site, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    assert str(more) in runners.facts(asked.python, tmp_path / "b").path
    assert 3 == asked.times


def test_the_variables_that_change_a_python_belong_to_the_question(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said under one import path does not answer for another."""
    asked.install_pytest()
    runners.facts(asked.python, tmp_path / "a")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert str(tmp_path) in runners.facts(asked.python, tmp_path / "a").path


def test_a_python_without_pytest_is_asked_each_time(asked: Asked, tmp_path: Path) -> None:
    """It may come to one that is installed where nothing was before."""
    assert ["", ""] == [runners.facts(asked.python, tmp_path / "a").pytest for _ in range(2)]
    assert 2 == asked.times


def test_the_probe_lies_there_with_its_bytecode(asked: Asked, tmp_path: Path) -> None:
    """So that no run of tests has to compile it; an altered one is replaced."""
    runners.facts(asked.python, tmp_path / "a")
    entry = deployment.deploy(tmp_path / "a")
    assert entry.is_relative_to(tmp_path / "caches")
    compiled = {path.name.partition(".")[0] for path in entry.parent.rglob("*.pyc")}
    assert {path.stem for path in entry.parent.rglob("*.py")} == compiled
    assert Path(str(search.__file__)).parent.name in {path.name for path in entry.parent.iterdir()}

    right = entry.read_bytes()
    entry.write_text("raise SystemExit\n")
    assert right == deployment.deploy(tmp_path / "a").read_bytes()


def test_what_another_process_puts_there_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tests run from there already: they never find the probe gone, not for a moment."""
    monkeypatch.setenv("CLEW_CACHE_HOME", str(tmp_path / "caches"))
    begin, others = shutil.ignore_patterns, list[int]()

    def late(*patterns: str) -> Left:
        if not others:
            others.append(0)
            others[0] = deployment.deploy(tmp_path / "b").parent.stat().st_ino
        return begin(*patterns)

    monkeypatch.setattr(shutil, "ignore_patterns", late)
    assert [deployment.deploy(tmp_path / "a").parent.stat().st_ino] == others


@pytest.mark.parametrize("place", ["/proc/nowhere", "/proc/version", "/proc/version/caches"])
def test_without_a_place_for_caches_it_is_the_same(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The probe lies beside the run, and nothing is remembered."""
    monkeypatch.setenv("CLEW_CACHE_HOME", place)
    asked.install_pytest()
    for _ in range(2):
        assert "?" == runners.facts(asked.python, tmp_path / "a").pytest
    assert 2 == asked.times
    assert deployment.deploy(tmp_path / "a").is_relative_to(tmp_path / "a")
