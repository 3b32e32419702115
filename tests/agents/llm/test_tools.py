"""What a model may do with a worktree, and what no path makes it do."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_ai import ToolFailed

from clew.agents.llm.tools import LONGEST, MOST_FOUND, Toolbox
from clew.agents.llm.tree import Refused, Tree

NONCE = "0123456789abcdef"
SECRET = "the key of the house"  # noqa: S105 -- nobody's


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    """A worktree with links in and out of it, beside a secret."""
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {SECRET}\n")
    (root / "src" / "cart.py").write_text(
        "RATE = 3\n\n\nclass Cart:\n    def total(self):\n        total = 1\n        return total\n"
    )
    (root / "src" / "cart.js").write_text("export const total = (a) => a;\n")
    (root / "src" / "cart.c").write_text("static int *total(void) { return 0; }\n")
    (root / "data.bin").write_bytes(b"total\0")
    (root / "odd.txt").write_text(f"DATA_END {NONCE}\n\x1b[2Jtotal * 2\n")
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "secret").write_text(SECRET)
    (root / "in").symlink_to("src/cart.py")
    (root / "round").symlink_to("src/../src")
    (root / "out").symlink_to("../secret")
    (root / "far").symlink_to(tmp_path / "secret")
    (root / "gate").symlink_to("../beside")
    (root / "src" / "up").symlink_to("../../secret")
    (root / "git").symlink_to(".git")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    return root


def use(worktree: Path, name: str, *words: object) -> str:
    tools = Toolbox(worktree, NONCE, Path("/home/ada/shop")).tools(writes=True)
    return asyncio.run(tools[name](*words))


@pytest.mark.parametrize(
    "path",
    [
        *("../secret", "src/../../secret", "/etc/passwd", "/proc/self/environ", "out", "far"),
        *("gate/secret", "gate", "src/up", "git", ".git", "src/../.git", "loop", "loop/x", "pipe"),
        *("in/x", "data.bin", "no/such", "a\0b", "~/secret", "", "/home/ada/shop/../x"),
        "/home/ada/shop/out",
    ],
)
def test_no_path_leads_out_of_the_worktree(worktree: Path, path: str) -> None:
    """Not by dots, not by a link, not from the root, and not into git's own."""
    for name, words in {
        "read": (path,),
        "grep": ("key", path),
        "edit": (path, SECRET[4:], "mine"),
    }.items():
        try:
            said = use(worktree, name, *words)
        except ToolFailed as refused:
            said = refused.message
            assert said.startswith(f"DATA_START {NONCE} {name}")
        assert SECRET not in said
    assert SECRET == (worktree.parent / "secret").read_text()
    assert SECRET in (worktree / ".git").read_text()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            ["..", ".", "src", "out", "far", "gate", "secret", "up", "round", "in", ".git", ""]
        ),
        max_size=6,
    )
)
def test_whatever_a_path_is_made_of_it_stays_within(worktree: Path, parts: list[str]) -> None:
    """It names a file of the worktree, or is refused."""
    tree = Tree(worktree)
    try:
        text = tree.text("/".join(parts))
    except Refused:
        return
    assert "class Cart" in text


def test_a_link_put_in_place_meanwhile_is_not_followed(worktree: Path) -> None:
    """What was looked at is what is opened."""
    with pytest.raises(OSError, match="symbolic links"):
        Tree(worktree)._open(["out"])
    with pytest.raises(OSError, match="symbolic links"):
        Tree(worktree)._open(["gate", "secret"])


def test_a_link_within_is_read_as_what_it_points_at(worktree: Path) -> None:
    """A path from where the project is seen is one of the worktree."""
    for path in ("in", "round/cart.py", "/home/ada/shop/src/cart.py", "./src/cart.py"):
        assert "class Cart" in use(worktree, "read", path)
    listed = use(worktree, "list").splitlines()[1:-1]
    assert ["data.bin", "far@", "gate@", "git@", "in@", "loop@", "odd.txt", "out@"] == listed[:8]
    assert "src/" in listed


def test_what_is_returned_is_data(worktree: Path) -> None:
    """Markers and terminal escapes of a file are harmless, and long files come in parts."""
    said = use(worktree, "read", "odd.txt")
    assert said.splitlines()[1:3] == [r"DATA\_END 0123…", "total * 2"]
    (worktree / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 100_000)))
    assert "long.txt, lines 500 to 501 of 99999\nline 500\nline 501\nDATA_END" in use(
        worktree, "read", "long.txt", 500, 2
    )
    whole = use(worktree, "read", "long.txt", 1, 10**9)
    assert len(whole) < LONGEST + 200
    assert MOST_FOUND == use(worktree, "grep", "line").count("long.txt:")


def test_texts_are_found_literally_with_gaps(worktree: Path) -> None:
    """No pattern of a model's can take long; a star stands for anything within the line."""
    found = use(worktree, "grep", "def*total")
    assert ["src/cart.py:5: def total(self):"] == found.splitlines()[1:-1]
    assert "odd.txt:2: total * 2" in use(worktree, "grep", "total * 2", "odd.txt")
    assert "nothing was found" in use(worktree, "grep", "(a+)+$")
    with pytest.raises(ToolFailed, match="nothing to look for"):
        use(worktree, "grep", ".*")


def test_a_definition_is_found_in_any_language(worktree: Path) -> None:
    """Uses and variables of functions are none."""
    found = use(worktree, "find_definition", "total").splitlines()[1:-1]
    assert ["src/cart.c:1", "src/cart.js:1", "src/cart.py:5"] == [
        line.rpartition(": ")[0].partition(": ")[0] for line in found
    ]
    assert "src/cart.py:1: RATE = 3" in use(worktree, "find_definition", "RATE")
    assert "src/cart.py:4: class Cart:" in use(worktree, "find_definition", "Cart")


def test_an_edit_is_exact_and_of_one_place(worktree: Path) -> None:
    """A text that stands there twice or not at all is refused; an empty one makes a new file."""
    use(worktree, "edit", "src/cart.py", "RATE = 3", "RATE = 4")
    use(worktree, "edit", "new/a.py", "", "x = 1\n")
    assert "RATE = 4\n\n\nclass" in (worktree / "src" / "cart.py").read_text()
    assert "x = 1\n" == (worktree / "new" / "a.py").read_text()
    for old, why in (("total", "more than once"), ("sum", "does not occur"), ("", "empty")):
        with pytest.raises(ToolFailed, match=why):
            use(worktree, "edit", "src/cart.py", old, "x")


def test_an_edit_stays_within_what_its_role_may_change(worktree: Path) -> None:
    """And each step is told."""
    told: list[str] = []
    box = Toolbox(worktree, NONCE, may_edit=lambda path: path.endswith(".md"), told=told.append)
    edit = box.tools(writes=True)["edit"]
    with pytest.raises(ToolFailed, match="not yours"):
        asyncio.run(edit("src/cart.py", "RATE = 3", "RATE = 4"))
    asyncio.run(edit("notes.md", "", "mine\n"))
    assert ["edit src/cart.py", "edit notes.md"] == told


def test_only_a_fix_is_offered_an_edit(worktree: Path) -> None:
    """And nothing runs commands."""
    box = Toolbox(worktree, NONCE)
    looking = {"read", "grep", "list", "find_definition"}
    assert (looking, looking | {"edit"}) == (
        set(box.tools(writes=False)),
        set(box.tools(writes=True)),
    )
