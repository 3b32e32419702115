"""Edits applied to text, and shown as a diff."""

from __future__ import annotations

import pytest

from clew.words.edits import EditMisfit, apply, between, diff, left, patch_hash
from clew.words.facts import Edit

TEXT = "a = 1\nb = 1\nc = 2\n"


def edit(current: str, should_be: str, line: int | None = None, path: str = "x.py") -> Edit:
    return Edit(path=path, line=line, current=current, should_be=should_be)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\ne\n"),
        ("a\n" * 9, "a\n" * 4 + "b\n" + "a\n" * 4),
        ("a\r\nb", "a\r\nc"),
        ("same\n", "same\n"),
    ],
)
def test_edits_between_two_texts_make_one_the_other(before: str, after: str) -> None:
    edits = between({"x.py": before, "gone.py": "a"}, {"x.py": after, "new.py": "a"})
    assert {"x.py": after} == {"x.py": before} | apply({"x.py": before}, edits)
    assert () == between({"x.py": ""}, {"x.py": after})


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ((edit("c = 2", "c = 3"),), "a = 1\nb = 1\nc = 3\n"),
        ((edit("1", "9", 2),), "a = 1\nb = 9\nc = 2\n"),
        ((edit("1", "7", 1), edit("1", "8\nz = 0", 2)), "a = 7\nb = 8\nz = 0\nc = 2\n"),
        ((edit("a = 1\nb = 1\n", "", 1),), "c = 2\n"),
        ((edit("c = 2", "c = 3", 9),), "a = 1\nb = 1\nc = 3\n"),
    ],
)
def test_edits_speak_of_the_text_before_any_of_them(edits: tuple[Edit, ...], after: str) -> None:
    """At their line, else where the text is alone; in any order."""
    assert apply({"x.py": TEXT}, edits) == {"x.py": after}
    assert apply({"x.py": TEXT}, edits[::-1]) == {"x.py": after}


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ((edit("= 1", "= 2"),), "occurs more than once"),
        ((edit("d = 4", ""),), "does not occur"),
        ((edit("", "x", 1),), "empty"),
        ((edit("a", "b", path="y.py"),), "no such file"),
        ((edit("a = 1", "x"), edit("= 1\nb", "y")), "overlap"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(edits: tuple[Edit, ...], words: str) -> None:
    """Never applied to a place that merely looks like it."""
    with pytest.raises(EditMisfit, match=words):
        apply({"x.py": TEXT}, edits)


def test_a_diff_is_unified_and_whole() -> None:
    """Changed files, new files, and a last line without an end."""
    edits = (edit("b = 1", "b = 2"), edit("", "new\n", path="y.py"), edit("z", "w", path="z.py"))

    assert diff({"x.py": TEXT, "z.py": "z"}, edits) == (
        "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 1\n+b = 2\n c = 2\n"
        "--- /dev/null\n+++ b/y.py\n@@ -0,0 +1 @@\n+new\n"
        "--- a/z.py\n+++ b/z.py\n@@ -1 +1 @@\n-z\n\\ No newline at end of file\n"
        "+w\n\\ No newline at end of file\n"
    )


def test_a_change_is_known_again_wherever_its_lines_have_moved() -> None:
    """The hash looks at what is replaced by what, not at where; order does not count."""
    one = Edit(path="a.py", line=3, current="x < 1\n", should_be="x <= 1\n")
    two = Edit(path="b.py", line=None, current="y", should_be="z")
    moved = Edit(path="a.py", line=9, current="  x < 1\n", should_be="  x <= 1\n")
    assert patch_hash([one, two]) == patch_hash([two, moved])
    assert patch_hash([one]) != patch_hash([two])


@pytest.mark.parametrize(
    ("now", "edits", "still"),
    [
        ("a = 1\nb = 1\nc = 3\n", (edit("c = 2", "c = 3"),), ()),
        ("a = 1\nb = 1\nc = 2 + 1\n", (edit("c = 2", "c = 2 + 1"),), ()),
        ("a = 1\nb = 1\n# why\nc = 3\n", (edit("c = 2", "c = 3"),), ()),
        ("a = 1\nb = 1\n", (edit("c = 2\n", ""),), ()),
        ("a = 7\nb = 1\nc = 3\n", (edit("a = 1", "a = 7"), edit("c = 2", "c = 3")), ()),
        ("a = 1\nb = 1\nc = 2\n", (edit("c = 2", "c = 3"),), (0,)),
        ("a = 7\nb = 1\nc = 2\n", (edit("a = 1", "a = 7"), edit("c = 2", "c = 3")), (1,)),
        ("a = 1\nb = 1\nc = 5\n", (edit("c = 2", "c = 3"),), (0,)),
    ],
)
def test_what_is_there_already_is_there(
    now: str, edits: tuple[Edit, ...], still: tuple[int, ...]
) -> None:
    """An edit that somebody has made meanwhile is left out; any other is still to be made."""
    assert tuple(edits[n] for n in still) == left({"x.py": TEXT}, {"x.py": now}, edits)


def test_a_new_file_that_is_there_already_is_there() -> None:
    """Nobody is told that the text to replace is empty."""
    assert () == left({}, {"y.py": "new\n"}, (edit("", "new\n", path="y.py"),))
