"""Slips in other languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analysis.context import Language, language_of, parser_of
from clew.analysis.mutations import GRAMMARS, compiled, slips

GO = "package a\n\nfunc f(a, b int) (int, error) {{\n{}\n}}\n"
RUST = "fn f(a: i32, b: i32) -> i32 {{\n{}\n}}\n"
JAVA = "class A {{\n  int f(int a, int b) {{\n{}\n  }}\n}}\n"
C = "int f(int a, int b) {{\n{}\n}}\n"
SCRIPT = "function f(a, b) {{\n{}\n}}\n"
RUBY = "def f(a, b)\n{}\nend\n"
FRAMES = {
    "a.c": C,
    "a.cpp": C,
    "a.go": GO,
    "a.java": JAVA,
    "a.js": SCRIPT,
    "a.rb": RUBY,
    "a.rs": RUST,
    "a.ts": "function f(a: number, b: 1 | 2): number {{\n{}\n}}\n",
    "a.tsx": SCRIPT,
}
SLIPPED = {
    "a.c": {
        "if (a < 1) b = 2;": {"if (a <= 1) b = 2;", "if (!(a < 1)) b = 2;", "if (a < 1) ;"},
        "return a || b;": {"return a && b;", "return 0;"},
    },
    "a.cpp": {"while (a >= b) g(a);": {"while (!(a >= b)) g(a);", "while (a >= b) ;"}},
    "a.go": {
        "if a == 1 && true {\n}": {"if a != 1 && true {\n}", "if !(a == 1 && true) {\n}"}
        | {"if a == 1 || true {\n}", "if a == 1 && false {\n}", "if a == 0 && true {\n}"},
        "return a, g()": {"return *new(int), g()"},
        "return 0, g(a)": {"return 0, *new(error)"},
        "a += 2": {"a -= 2", "a += 1", ""},
        "g(a)": {""},
    },
    "a.java": {"return a + 1;": {"return a - 1;", "return a + 2;", "return 0;"}},
    "a.js": {
        "return a === 1.5;": {"return a !== 1.5;", "return a === 2.5;", "return undefined;"},
        "x = !a ? b : 3;": {"x = a ? b : 3;", "x = !(!a) ? b : 3;", "x = !a ? b : 4;", ";"},
        "g((n) => n + n);": {"g((n) => undefined);", "g((n) => n - n);"},
        "'use strict';": set[str](),
    },
    "a.rb": {
        "return 1 if a and b": {"return 1 if a or b", "return nil if a and b"}
        | {"return 1 if !(a and b)", "return 2 if a and b", "return 0 if a and b"},
        "x = true": {"x = false", "nil"},
    },
    "a.rs": {
        "a * b": {"a + b", "Default::default()"},
        "g(1i32); b": {"g(2i32); b", "(); b"},
        "if let Some(c) = a { return b; } a": {
            "if let Some(c) = a { return b; } Default::default()"
        },
        "#[test]\nfn t() { g(1 + 2); }": set[str](),
    },
    "a.ts": {"let x: 1 = a ?? 7;": {"let x: 1 = a && 7;", "let x: 1 = a ?? 8;"}},
    "a.tsx": {"return <b>{a > 1}</b>;": {"return <b>{a >= 1}</b>;", "return undefined;"}},
}


def language(path: str) -> Language:
    found = language_of(path)
    assert found is not None
    return found


def test_every_language_with_a_grammar_has_its_slips() -> None:
    """Python has a table of its own."""
    assert set(GRAMMARS) == {language(path).name for path in FRAMES}
    assert ["a.js", "a.rb"] == [path for path in FRAMES if not compiled(path)]


@pytest.mark.parametrize(
    ("path", "body"), [(path, body) for path, bodies in SLIPPED.items() for body in bodies]
)
def test_slips_of_a_language(path: str, body: str) -> None:
    """Operators, bounds, conditions, constants, answers and lost lines, as it spells them."""
    frame = FRAMES[path]

    made = {slip.text for slip in slips(frame.format(body), language(path), range(1, 20))}

    wanted = {frame.format(each) for each in SLIPPED[path][body]}
    assert wanted == wanted & made
    assert bool(wanted) == bool(made)


OPERATORS = ("<", "<=", ">", "!=", "+", "-", "*", "/", "&&", "||")
ATOMS = st.sampled_from(("a", "b", "g(a)", "(a)")) | st.integers(0, 300).map(str)
EXPRESSIONS = st.lists(st.tuples(ATOMS, st.sampled_from(OPERATORS)), max_size=4).flatmap(
    lambda parts: ATOMS.map(lambda last: " ".join(word for part in parts for word in part) + last)
)
STATEMENTS = {
    "a.go": ("x = {}", "if {} {{ g(1) }}", "return {}, nil", "// {}"),
    "a.rb": ("x = {}", "g(1) if {}", "return {}", "# {}"),
    "a.rs": ("let x = {};", "if ({}) {{ g(1); }}", "return {};", "// {}"),
}
BRACED = ("x = {};", "if ({}) {{ g(1); }}", "return {};", "/* {} */")


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, str, Sequence[int]]:
    """A file, its text, and some of its lines."""
    path = draw(st.sampled_from(sorted(FRAMES)))
    forms = st.sampled_from(STATEMENTS.get(path, BRACED))
    body = draw(st.lists(st.builds(str.format, forms, EXPRESSIONS), min_size=1, max_size=5))
    text = FRAMES[path].format("\n".join(body))
    return path, text, draw(st.lists(st.integers(1, text.count("\n")), max_size=4))


@given(programs())
def test_slips_parse_differ_and_touch_their_lines_alone(
    program: tuple[str, str, Sequence[int]],
) -> None:
    """Every other line is as it was; each slip says the line, and no two are the same."""
    path, text, lines = program

    found = list(slips(text, language(path), lines))

    assert len(found) + 1 == len({text, *(slip.text for slip in found)})
    before = text.split("\n")
    for slip in found:
        assert not parser_of(language(path)).parse(slip.text.encode()).root_node.has_error
        after = slip.text.split("\n")
        changed = {
            n for n, pair in enumerate(zip(before, after, strict=True), 1) if len({*pair}) > 1
        }
        assert changed == {slip.line}
        assert slip.line in lines


@given(st.sampled_from(sorted(FRAMES)), st.text(max_size=200))
def test_any_text_has_slips_or_none(path: str, text: str) -> None:
    """What the grammar cannot read whole has none; nothing is raised."""
    found = list(slips(text, language(path), range(1, 300)))
    torn = parser_of(language(path)).parse(text.encode("utf-8", "surrogateescape")).root_node
    assert not (torn.has_error and found)
