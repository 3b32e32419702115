"""Any tree of files, links and modes comes through unchanged."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sweeps
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from clew.git.worktrees.listing import CACHES
from person import Person, contents

Node = tuple[str, bytes]
Tree = dict[bytes, Node]

PARTS = st.one_of(
    st.sampled_from([b"a", b"b", b"a.py", b"lib", b"x y", b"-", b"\xc3\xbc", b"\xff", b"\n", b"~"]),
    st.binary(min_size=1, max_size=6).filter(
        lambda name: not set(name) & set(b"/\0") and name not in (b".", b"..")
    ),
)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(b"/".join)
CONTENTS = st.one_of(st.sampled_from([b"", b"x\n", b"a\r\nb\n", b"$Id$\n"]), st.binary(max_size=40))
TARGETS = st.binary(min_size=1, max_size=20).filter(lambda target: b"\0" not in target)
NODES = st.one_of(
    st.tuples(st.sampled_from(["file", "executable"]), CONTENTS),
    st.tuples(st.just("link"), TARGETS),
)


def trees() -> st.SearchStrategy[Tree]:
    """Trees in which no path is a folder and a file at once, and nothing is left out by rule."""
    special = {b".git", b"pyvenv.cfg", b"conda-meta", b"debug", *CACHES}

    def sound(tree: Tree) -> Tree:
        kept: Tree = {}
        for path, node in sorted(tree.items()):
            parts = path.split(b"/")
            above = {b"/".join(parts[:depth]) for depth in range(1, len(parts))}
            if not above & kept.keys() and not {part.lower() for part in parts} & special:
                kept[path] = node
        return kept

    return st.dictionaries(PATHS, NODES, max_size=8).map(sound)


def plant(root: Path, tree: Tree) -> None:
    """Make a folder hold exactly this tree."""
    for entry in list(root.iterdir()):
        if entry.name == ".git":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for path, (kind, content) in tree.items():
        full = os.fsencode(root) + b"/" + path
        file = Path(os.fsdecode(full))
        file.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            os.symlink(content, full)  # noqa: PTH211 - as bytes
        else:
            file.write_bytes(content)
            file.chmod(0o755 if kind == "executable" else 0o644)


def round_trip(first: Tree, second: Tree, *, repository: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        someone = Person(Path(folder) / "project")
        if repository:
            someone.git("init", "-q")
        plant(someone.root, first)
        private = PrivateRepository.open(locate(someone.root), Path(folder) / "state")
        base = private.snapshot("s").commit
        worktree = private.add_worktree("s", base)
        assert first == contents(worktree)
        plant(worktree, second)
        made = private.commit("s", "fix")
        assert (made is None) == (first == second)
        private.apply("s", base, private.head("s"))
        assert second == contents(someone.root)
        assert second == contents(private.pristine("s", "copy", private.head("s")))
        private.reset("s", base)
        assert first == contents(worktree)
        private.apply("s", base, base)
        assert first == contents(someone.root)


@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(first=trees(), second=trees())
def test_trees_come_and_go_unchanged(first: Tree, second: Tree) -> None:
    """Snapshot, worktree, commit, apply, pristine copy, reset and undo keep every byte and mode."""
    round_trip(first, second, repository=True)


@pytest.mark.slow
@settings(
    max_examples=sweeps.rounds(20, of=60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(first=trees(), second=trees(), repository=st.booleans())
def test_many_trees_come_and_go_unchanged(first: Tree, second: Tree, repository: bool) -> None:  # noqa: FBT001 - drawn
    """The same, over and over, with git and without."""
    round_trip(first, second, repository=repository)
