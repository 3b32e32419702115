"""What tests and agents lock in a worktree keeps nobody from working on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import ordinary


@pytest.fixture
def place() -> Iterator[Path]:
    with ordinary.place() as folder:
        yield folder


BEGIN = """
from clew.processes import run
from clew.project import locate
from clew.worktrees import PrivateRepository
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
