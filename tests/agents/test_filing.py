from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.agents.filing import carry_out, try_out
from clew.words.errors import AgentFailed
from clew.words.facts import Edit


def new(path: str) -> Edit:
    return Edit(path=path, line=None, current="", should_be="x\n")


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "/etc/motd",
        "../a",
        "a/../../b",
        ".git/config",
        "a\0b",
        "folder",
        "link/a",
        "own",
        "own/config",
        "circle",
        "pipe",
        "n" * 300,
    ],
)
def test_a_path_that_is_no_file_of_the_project_is_refused(tmp_path: Path, path: str) -> None:
    """Outside, git's own, a folder, or no path at all: the agent is told, nothing is written."""
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path)
    (root / ".git").mkdir()
    (root / "own").symlink_to(".git")
    (root / "circle").symlink_to("circle")
    os.mkfifo(root / "pipe")
    with pytest.raises(AgentFailed) as raised:
        try_out(root, [new(path)])
    assert "invalid_output" == raised.value.kind


def test_a_link_inside_the_project_is_followed(tmp_path: Path) -> None:
    """The file it leads to is edited; the link stays a link."""
    (tmp_path / "real.py").write_text("one\n")
    (tmp_path / "link.py").symlink_to("real.py")
    carry_out(tmp_path, [Edit(path="link.py", line=1, current="one", should_be="two")])
    assert "two\n" == (tmp_path / "real.py").read_text()
    assert (tmp_path / "link.py").is_symlink()


def test_all_edits_are_made_or_none(tmp_path: Path) -> None:
    """One that does not fit keeps the others from being made."""
    (tmp_path / "a.py").write_text("one\n")
    edits = [
        Edit(path="a.py", line=1, current="one", should_be="two"),
        Edit(path="b.py", line=1, current="no such file", should_be=""),
    ]
    with pytest.raises(AgentFailed, match="no such file"):
        carry_out(tmp_path, edits)
    assert "one\n" == (tmp_path / "a.py").read_text()


def test_an_edit_that_the_agent_made_itself_is_not_made_twice(tmp_path: Path) -> None:
    """Nor is one through a link taken for made, since nobody knows what stood there before."""
    (tmp_path / "a.py").write_text("one and two\n")
    (tmp_path / "link.py").symlink_to("a.py")
    edit = Edit(path="a.py", line=1, current="one", should_be="one and two")
    carry_out(tmp_path, [edit], {"a.py": "one\n"}.get)
    assert "one and two\n" == (tmp_path / "a.py").read_text()
    linked = Edit(path="link.py", line=1, current="one", should_be="two")
    carry_out(tmp_path, [linked], {"link.py": "a.py"}.get)
    assert "two and two\n" == (tmp_path / "a.py").read_text()
