"""What tests and agents lock in a worktree keeps nobody from working on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.confinement import ordinary


@pytest.fixture
def place() -> Iterator[Path]:
    with ordinary.place() as folder:
        yield folder


BEGIN = """
from clew.sandbox.processes import run
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
top = Path(sys.argv[1])
project = top / "project"
for name in ("a.py", "kept/b.py", "gone/c.py"):
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("theirs")
private = PrivateRepository.open(locate(project), top / "state")
base = private.snapshot("s").commit
tree = private.add_worktree("s", base)

def files():
    return {p.relative_to(tree).as_posix(): p.read_text() for p in tree.rglob("*") if p.is_file()}

def lock():
    (tree / "kept" / "b.py").write_text("changed")
    (tree / "kept" / "new.py").write_text("new")
    (tree / "gone" / "c.py").unlink()
    for name, mode in (("kept", 0o311), ("gone", 0o555), ("", 0o555)):
        (tree / name).chmod(mode)
"""


def test_a_locked_worktree_is_put_back(place: Path) -> None:
    """Changed files, new ones and lost ones, in folders without leave to write or to read."""
    code = """
lock()
private.reset("s", base)
print(sorted(files().items()), private.is_clean("s"))
"""
    there = [("a.py", "theirs"), ("gone/c.py", "theirs"), ("kept/b.py", "theirs")]

    assert f"{there} True" == ordinary.python(place, BEGIN + code)


def test_what_was_changed_in_locked_folders_is_recorded(place: Path) -> None:
    """A new file in a folder that may not be listed, too."""
    code = """
lock()
made = private.commit("s", "fix")
print([os.fsdecode(change.path) for change in made.changes])
"""
    changed = ["gone/c.py", "kept/b.py", "kept/new.py"]

    assert f"{changed}" == ordinary.python(place, BEGIN + code)


def test_a_locked_worktree_is_removed(place: Path) -> None:
    """With all that is in it."""
    code = """
mess(tree)
private.remove(tree, even_dirty=True)
print(tree.exists())
"""
    assert "False" == ordinary.python(place, BEGIN + code)


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_a_fix_replaces_a_file_of_somebody_else_in_a_shared_folder(place: Path) -> None:
    """Only root may give files away: it is one's own then, as when git replaces it."""
    shared = place / "shared.py"
    shared.write_text("theirs")
    shared.chmod(0o664)
    os.chown(shared, 4321, 4321)
    code = (
        "from clew.git.worktrees.replacing import replace\n"
        "from clew.git.worktrees.writing import File, PathChange, look\n"
        "top = Path(sys.argv[1])\n"
        "step = PathChange('shared.py', look(top, 'shared.py'), File('100644', b'mended'))\n"
        "replace(top, [step], mark='s', plan=top / 'plan.json')\n"
    )
    assert "" == ordinary.python(place, code)
    status = shared.stat()
    assert ("mended", 0o664, ordinary.UID) == (
        shared.read_text(),
        status.st_mode & 0o777,
        status.st_uid,
    )
