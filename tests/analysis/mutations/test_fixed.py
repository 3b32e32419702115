"""Slips that try a fix."""

from __future__ import annotations

import pytest

from clew.analysis.mutations import of_fix, tried_in, unbuilt

BEFORE = "def f(a):\n    b = a + 1\n    a.clear()\n    return b\n\n\ndef g(a):\n    return a + 9\n"
AFTER = BEFORE.replace("    a.clear()\n", "")


def test_a_fix_is_tried_on_the_lines_that_it_wrote() -> None:
    """Nowhere else, in any language; slips of another kind come first."""
    found = of_fix("a.py", BEFORE, BEFORE.replace("a + 9", "a - 9"))
    other = of_fix("a.go", "package a\n", "package a\n\nfunc f() int {\n\treturn 1 + g()\n}\n")

    assert {(8, False)} == {(slip.line, slip.beside) for slip in found}
    assert ["other constant", "other arithmetic", "no answer"] == [s.operator for s in found[:3]]
    assert {4} == {slip.line for slip in other}


@pytest.mark.parametrize(
    ("before", "after", "first"),
    [
        ("a > 1", "a > 1 or b in c", "`(b not in c)` for `b in c`"),
        ("a > 1", "a > 1 or b", "`(not (a > 1 or b))` for `a > 1 or b`"),
        ("a > 1 and b < 2", "a > 1 and b < 22", "`(22 + 1)` for `22`"),
        (
            "a > 1 and b > 2",
            "a > 1 and b >= 2",
            "`(not (a > 1 and b >= 2))` for `a > 1 and b >= 2`",
        ),
    ],
)
def test_the_changed_part_of_a_line_is_tried_first(before: str, after: str, first: str) -> None:
    """What stood there before says little of the fix; nor does the old code itself."""
    text = "def f(a, b, c):\n    if {}:\n        return 1\n    return 2\n"
    found = of_fix("a.py", text.format(before), text.format(after))
    assert first == found[0].words


def test_the_changed_part_is_tried_first_in_any_language() -> None:
    text = "package a\n\nfunc f(a, b int) bool {\n\treturn a > 1%s\n}\n"
    found = of_fix("a.go", text % "", text % " || b > 7")
    assert {"b > 7", "7", ">"} & {found[0].words.rpartition(" for ")[2].strip("`")}
    assert "a > 1" not in found[0].words


def test_a_fix_that_takes_lines_away_is_tried_beside_them() -> None:
    """On the nearest line on each side, within the function that it is about."""
    inner = of_fix("a.py", BEFORE, AFTER)
    last = of_fix("a.py", AFTER.replace("return b\n", "return b\n    a()\n"), AFTER)
    script = "function f(a) {\n  b = a + 1;\n  return b;\n}\nfunction g(a) {\n  return a + 9;\n}\n"
    other = of_fix("a.js", script.replace("  return b", "  a.clear();\n  return b"), script)

    assert [{2, 3}, {3}, {2, 3}] == [{s.line for s in found} for found in (inner, last, other)]


def test_a_line_that_allows_no_slip_is_tried_beside_it() -> None:
    """A signature is, by what is done with it."""
    found = of_fix("a.py", "def f(b):\n    return a\n", "def f(a):\n    return a\n")

    assert {(2, True)} == {(slip.line, slip.beside) for slip in found}


@pytest.mark.parametrize("path", ["a.js", "a.py"])
def test_what_a_machine_wrote_costs_little(path: str) -> None:
    """A line of a thousand places has some slips, and what is larger than a person writes none."""
    line = f"a = {' + '.join(map(str, range(400)))}\n"
    huge = "a = 1\n" * 100_000

    assert 200 == len(of_fix(path, "", line))
    assert () == of_fix(path, huge, f"{huge}a = 2\n")
    assert () == of_fix("a.py", "", f"a = 1{' + 1' * 20_000}\n")


def test_lines_that_stand_everywhere_are_no_landmarks() -> None:
    """A long file that is the same but for a line is told from the other at once."""
    text = "".join(f"function f{n}() {{\n  return a;\n}}\n" for n in range(8_000))
    found = of_fix("a.js", text, text.replace("f70() {\n  return a", "f70() {\n  return a + 1"))

    assert {212} == {slip.line for slip in found}


@pytest.mark.parametrize("path", ["a.js", "a.py"])
def test_a_form_feed_ends_no_line(path: str) -> None:
    """Slips lie on the line that changed, as everything else counts lines."""
    before = "a = 1\n\x0c\nb = 2\n\x0c\nc = 3\n"

    assert {3} == {slip.line for slip in of_fix(path, before, before.replace("b = 2", "b = 4"))}


@pytest.mark.parametrize("path", ["a.sh", "a.json", "Makefile", "a.pyi"])
def test_what_is_no_code_with_a_grammar_has_none(path: str) -> None:
    """No test can look closely there."""
    assert (False, ()) == (tried_in(path), of_fix(path, "a = 1\n", "a = 2\n"))


REFUSED = {
    "src/a.c": "cc -c a.c\nsrc/a.c:3:5: error: expected ';'\n",
    "src/A.java": "/w/src/A.java:3: error: incompatible types\n",
    "src/a.ts": "src/a.ts(3,5): error TS2322: Type\n",
    "src/a.rs": "error[E0308]: mismatched types\n --> src/a.rs:3:5\n",
    "a.go": "# a\n./a.go:3:2: x declared and not used\nFAIL\ta [build failed]\n",
}


@pytest.mark.parametrize("path", REFUSED)
def test_a_compiler_is_heard_in_what_a_command_prints(path: str) -> None:
    """What it refuses has not been before any test; another file's failure is none of that."""
    assert unbuilt(path, REFUSED[path])
    assert not unbuilt(path, f"{path}:3: got 1, want 2\n1 error\n")
    assert not unbuilt("other.js", REFUSED[path])


def test_an_import_is_left_out_only_where_nothing_else_can_be_tried() -> None:
    """What uses the name fails without it, whatever it does with it."""
    text = "def f(a):\n    return g(a)\n"
    alone = of_fix("a.py", text, f"import g\n{text}")
    beside = of_fix("a.py", text, f"import g\n{text.replace('g(a)', 'g(a) + 7')}")

    assert ["lost import"] == [slip.operator for slip in alone]
    assert beside
    assert "lost import" not in {slip.operator for slip in beside}
