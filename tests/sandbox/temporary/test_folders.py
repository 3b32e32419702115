"""Folders that Clew lends are gone afterwards, whatever was done to them."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.sandbox.temporary import passing, remove, tame, walk
from sandbox.confinement import ordinary


@pytest.fixture
def place() -> Iterator[Path]:
    with ordinary.place() as folder:
        yield folder


def test_a_locked_folder_goes_and_what_it_links_to_stays(place: Path) -> None:
    """Without a change to anything outside."""
    code = """
from clew.sandbox.temporary import remove
top = Path(sys.argv[1], "top")
top.mkdir()
mess(top)
remove(top)
remove(top)
(Path(sys.argv[1]) / "link").symlink_to(top.parent / "outside")
remove(top.parent / "link")
print(top.exists(), (top.parent / "link").is_symlink(), outside(top))
"""
    assert "False False 555 theirs" == ordinary.python(place, code)


@pytest.mark.slow
def test_a_folder_goes_however_deep_it_is(tmp_path: Path) -> None:
    """Python's own way to remove a tree gives up at a thousand steps."""
    (tmp_path / "top").mkdir()
    at = os.open(tmp_path / "top", os.O_RDONLY)
    for _ in range(1_050):
        os.mkdir("deep", dir_fd=at)
        below = os.open("deep", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    remove(tmp_path / "top")

    assert [] == list(tmp_path.iterdir())


def test_a_lent_folder_is_gone_afterwards_whatever_is_in_it(place: Path) -> None:
    """By an exception as well."""
    code = """
from clew.sandbox.temporary import passing, remove, walk
try:
    with passing("lent-", Path(sys.argv[1])) as folder:
        mess(folder)
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print(folder.exists(), outside(folder))
"""
    assert "False 555 theirs" == ordinary.python(place, code)


def test_a_folder_of_one_that_was_killed_goes_with_the_next(tmp_path: Path) -> None:
    """One that is held stays, and so does one of another purpose."""
    code = f"""
import os, pathlib
from clew.sandbox.temporary import passing, remove, walk
held = passing("lent-", pathlib.Path({str(tmp_path)!r}))
held.__enter__()
os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    (tmp_path / "other-x").mkdir()
    left = len(list(tmp_path.glob("lent-*")))
    with passing("lent-", tmp_path) as one, passing("lent-", tmp_path) as two:
        there = sorted(tmp_path.iterdir())

    assert (-signal.SIGKILL, 1) == (killed.returncode, left)
    assert sorted([one, two, tmp_path / "other-x"]) == there
    assert [tmp_path / "other-x"] == list(tmp_path.iterdir())


OWN = f"clew-{os.geteuid()}"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("where", [".", OWN, "linked"])
def test_what_clew_has_not_made_stays(temporary: Path, where: str) -> None:
    """Whatever its name is, and the name of what it lies in."""
    work = temporary / where / "clew-try-mine" / "work.py"
    work.parent.mkdir(parents=True)
    work.touch()
    if where == "linked":
        (temporary / OWN).symlink_to(where)
    with passing("clew-try-") as folder:
        assert [] == list(folder.iterdir())

    assert work.exists()
    assert not folder.exists()


def test_a_temporary_folder_of_one_that_was_killed_goes_with_the_next(temporary: Path) -> None:
    """It lies in one that is Clew's alone, and nobody else's to look into."""
    code = """
import os
from clew.sandbox.temporary import passing
held = passing("clew-try-")
held.__enter__()
os.kill(os.getpid(), 9)
"""
    variables = {**os.environ, "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", code], check=False, env=variables)
    left = len(list((temporary / OWN).iterdir()))
    with passing("clew-try-") as one:
        there = list((temporary / OWN).iterdir())

    assert (1, [one]) == (left, there)
    assert [temporary / OWN] == list(temporary.iterdir())
    assert 0o1700 == (temporary / OWN).stat().st_mode & 0o7777


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EBADF, errno.EAGAIN])
def test_where_nothing_can_be_locked_no_folder_is_left(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Below a folder that is told none is lent; among temporary files one is that nobody sweeps."""
    asked = iter(range(1_000))

    def refuse(*_: int) -> None:
        assert next(asked, None) is not None, "asked without end"
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    below = temporary / "below"
    below.mkdir()
    with pytest.raises(OSError, match=str(below)) as raised, passing("lent-", below):
        pass
    with passing("clew-try-") as one, passing("clew-try-") as two:
        lent = [one.exists(), two.exists(), one.parent]

    assert number == raised.value.errno
    assert [True, True, temporary] == lent
    assert [] == [*below.iterdir(), *(temporary / OWN).iterdir()]
    assert {below, temporary / OWN} == set(temporary.iterdir())


def test_whatever_is_left_in_a_folder_the_next_call_begins_afresh(place: Path) -> None:
    """In each that agents, tests and candidates may write to."""
    code = """
from clew.agents import login_copy
from clew.agents.claude import CONVERSATIONS, Claude
from clew.agents.opencode import Opencode
from clew.runners import toolchains
from clew.journal.store import Store
top = Path(sys.argv[1])
store, own = Store(top / "state"), top / "agents" / "own"
scratch = store.scratch("s")

def lend():
    with login_copy.lent(top / "script.py", own, "home/login", lambda _: False) as loan:
        assert loan.path.read_text() == (top / "script.py").read_text()

def left(folder, clear):
    folder.mkdir(parents=True, exist_ok=True)
    mess(folder)
    own.chmod(0o555)
    clear()
    own.chmod(0o755)
    return sorted(os.listdir(folder)) if folder.exists() else []

own.mkdir(parents=True)
lent = left(own / "home", lend)
own.chmod(0o755)
print(
    "login" in lent,
    left(own / "config", lambda: login_copy.fresh(own / "config")),
    left(own / CONVERSATIONS, lambda: Claude.forget(None, own)),
    left(own / "data", lambda: Opencode.forget(None, own)),
    left(toolchains._builds(scratch, top), lambda: toolchains.forget(scratch, top)),
    left(scratch, lambda: store.clear_scratch("s")),
)
"""
    assert "False [] [] [] [] []" == ordinary.python(place, code)


def test_walking_goes_as_deep_as_folders_do(tmp_path: Path) -> None:
    """It names what `os.walk` names, follows no link, and leaves out what its reader takes away."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "file").touch()
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert sorted(os.walk(tmp_path)) == sorted(walk(tmp_path))
    for _, below, _ in (kept := walk(tmp_path)):
        below[:] = []
    assert [] == list(kept)
    deep = tmp_path
    for _ in range(1100):
        deep = deep / "d"
    for place in (*reversed(deep.parents[:1100]), deep):
        place.mkdir(exist_ok=True)
    assert 1105 > sum(1 for _ in walk(tmp_path)) > 1100
    remove(tmp_path / "d")  # it is too deep for what clears temporary folders


def test_files_that_nobody_may_read_can_be_read_again(tmp_path: Path) -> None:
    """A commit has no such mode: the tests of the fix are run on what it holds."""
    shut, read_only = tmp_path / "shut", tmp_path / "folder" / "read-only"
    read_only.parent.mkdir()
    for path, mode in ((shut, 0o000), (read_only, 0o444)):
        path.write_text("x")
        path.chmod(mode)
    (tmp_path / "link").symlink_to(shut)
    tame(tmp_path)
    assert [0o600, 0o444] == [path.stat().st_mode & 0o777 for path in (shut, read_only)]
