from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.agents.filing import carry_out, checked, proposes, try_out
from clew.words.errors import AgentFailed
from clew.words.facts import Category, Diagnosis, Edit, Option

ONE = Edit(path="a.py", line=None, current="y = 2", should_be="y = 5")
OTHER = Edit(path="a.py", line=3, current="x = 1", should_be="x = 3")


def told(*edits: Edit) -> Diagnosis:
    option = Option(title="change it", approach="x", edits=edits)
    return Diagnosis(
        title="a fault", category=Category.TEST_FAILURE, root_cause="x", options=(option,)
    )


@pytest.mark.parametrize("line", [None, 1, 2, 90])
def test_an_edit_is_told_with_the_line_it_changes(tmp_path: Path, line: int | None) -> None:
    """Without a number, or with a wrong one, where its text stands in one place alone."""
    (tmp_path / "a.py").write_text("x = 1\ny = 2\nx = 1\n")
    (found, other) = checked(tmp_path, told(replace(ONE, line=line), OTHER)).edits
    assert (2, 3) == (found.line, other.line)


def test_what_an_earlier_attempt_made_is_left_out_of_a_diagnosis(tmp_path: Path) -> None:
    """As long as something is left of it; else it is refused, as it does not fit."""
    (tmp_path / "a.py").write_text("x = 1\ny = 5\nx = 1\n")
    assert (OTHER,) == checked(tmp_path, told(ONE, OTHER), [ONE]).edits
    for made, edits in (([], (ONE, OTHER)), ([ONE], (ONE,))):
        with pytest.raises(AgentFailed, match="does not occur"):
            checked(tmp_path, told(*edits), made)


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
    with pytest.raises(AgentFailed, match="no such file: paths count from the project's root"):
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


@pytest.mark.parametrize(
    ("files", "made"), [(("test_a.py",), True), (("test_a.py", "a.py"), True), (("a.py",), False)]
)
def test_a_change_of_tests_is_made_to_be_asked_about(files: tuple[str, ...], made: object) -> None:
    """With what it does to the code; of code alone that is out of scope, nothing is made."""
    edits = (replace(ONE, path=path) for path in files)

    assert made is proposes(replace(told(*edits), out_of_scope=True))


CRLF = b"def f(x):\r\n    y = x\r\n    return y + 2\r\n"
TWO_LINES = Edit(
    path="a.py",
    line=None,
    current="    y = x\n    return y + 2\n",
    should_be="    return (\n        x + 1\n    )\n",
)


def test_an_edit_takes_on_the_line_ends_of_its_file(tmp_path: Path) -> None:
    """An agent is shown plain ones; those of the new lines are the file's own."""
    (tmp_path / "a.py").write_bytes(CRLF)

    (found,) = checked(tmp_path, told(TWO_LINES)).edits
    carry_out(tmp_path, [found])

    assert 2 == found.line
    assert (
        b"def f(x):\r\n    return (\r\n        x + 1\r\n    )\r\n"
        == (tmp_path / "a.py").read_bytes()
    )


def test_one_new_line_ends_as_the_others_of_its_file(tmp_path: Path) -> None:
    """What is replaced need not end a line."""
    (tmp_path / "a.py").write_bytes(CRLF)
    carry_out(tmp_path, [Edit(path="a.py", line=None, current="y + 2", should_be="(\n    y)")])
    assert CRLF.replace(b"y + 2", b"(\r\n    y)") == (tmp_path / "a.py").read_bytes()


def test_a_made_edit_is_known_in_a_file_with_other_line_ends(tmp_path: Path) -> None:
    """It is not made twice."""
    after = CRLF.replace(b"y = x", b"y = x\r\n    z = 1")
    (tmp_path / "a.py").write_bytes(after)
    edit = Edit(path="a.py", line=None, current="y = x\n", should_be="y = x\n    z = 1\n")
    carry_out(tmp_path, [edit], {"a.py": CRLF.decode()}.get)
    assert after == (tmp_path / "a.py").read_bytes()


LATIN = b"# coding: latin-1\n# caf\xe9\nx = 2\n"
LESS = Edit(path="a.py", line=None, current="x = 2", should_be="x = 1  # \xe8")


def test_an_edit_is_made_in_the_encoding_that_a_file_of_python_declares(tmp_path: Path) -> None:
    """All other bytes stay."""
    (tmp_path / "a.py").write_bytes(LATIN)
    carry_out(tmp_path, checked(tmp_path, told(LESS)).edits)
    assert LATIN.replace(b"x = 2", b"x = 1  # \xe8") == (tmp_path / "a.py").read_bytes()


@pytest.mark.parametrize("declared", [b"", b"# coding: rot13\n", b"# coding: nonsense\n"])
def test_an_edit_of_bytes_that_no_encoding_explains_is_refused_with_a_way_on(
    tmp_path: Path, declared: bytes
) -> None:
    """That such a file holds the cause can be said, on a line that it has."""
    (tmp_path / "a.py").write_bytes(declared + b"# caf\xe9\nx = 2\n")
    named = replace(told(), path="a.py", line=2)

    assert named == checked(tmp_path, named)
    with pytest.raises(AgentFailed, match="has no line 9"):
        checked(tmp_path, replace(named, line=9))
    with pytest.raises(AgentFailed, match="leave `changes` empty"):
        checked(tmp_path, told(LESS))


def test_a_character_that_the_encoding_of_a_file_lacks_is_refused(tmp_path: Path) -> None:
    """Nothing is written."""
    (tmp_path / "a.py").write_bytes(LATIN)
    with pytest.raises(AgentFailed, match="because of its encoding"):
        checked(tmp_path, told(replace(LESS, should_be="x = '\u20ac'")))
    assert LATIN == (tmp_path / "a.py").read_bytes()


def test_a_cause_inside_a_submodule_can_be_said(tmp_path: Path) -> None:
    """It is out of scope, and an agent that does not say so learns how."""
    (tmp_path / ".gitmodules").write_text('[submodule "dep"]\n\tpath = dep\n\turl = ../dep\n')
    named = replace(told(), path="dep/lib.py", line=2)
    outside = replace(named, out_of_scope=True, out_of_scope_reason="it is in the submodule dep")

    assert outside == checked(tmp_path, outside)
    with pytest.raises(AgentFailed, match="`clew fix dep` mends it there"):
        checked(tmp_path, named)
    with pytest.raises(AgentFailed, match="is no file here: paths count from the project's root"):
        checked(tmp_path, replace(outside, path="deputy/lib.py"))
