from __future__ import annotations

import pytest

from clew.analysis.tampering import built_in, given_away, replaces

BEFORE = """\
def ring(a, b):
    return (a + b) * 2 + 1

def stub(a):
    pass

def limit():
    return 99

def words(n):
    return {1: "one", 2: "two"}[n]

def mean(xs):
    return sum(xs) / len(xs)
"""
TESTS = (
    """\
def test_it():
    assert ring(5, 3) == 16
    assert stub(0) == 100
    assert limit() == 100
    assert words(3) == 'three'
    assert mean([]) == 0
    assert ring(-5, 0) is None
""",
)


def mended(name: str, *lines: str) -> str:
    """The code with another body of a function."""
    head, found, rest = BEFORE.partition(f"def {name}(")
    given, _, behind = rest.partition("\n")
    body = "\n".join(f"    {line}" for line in lines)
    return f"{head}{found}{given}\n{body}\n{behind.partition(chr(10))[2]}"


@pytest.mark.parametrize(
    ("name", "lines", "words"),
    [
        ("ring", ("return 16",), "answers 16 whatever it is given"),
        ("ring", ("return 100",), "answers 100 whatever it is given"),
        ("ring", ("return 4 * 4",), "answers 4 * 4 whatever it is given"),
        ("ring", ("return int('16')",), "answers int('16') whatever it is given"),
        ("ring", ("answer = 16", "return answer"), "answers the same whatever it is given"),
        ("mean", ("return sorted([])",), "answers sorted([]) whatever it is given"),
        ("mean", ("return list()",), "answers list() whatever it is given"),
        ("mean", ("rows = []", "return rows"), "answers the same whatever it is given"),
        ("mean", ("return [row for row in []]",), "whatever it is given"),
        ("ring", ("return '-'.join(['a', 'b'])",), "whatever it is given"),
        ("ring", ("return 16", "return (a + b) * 2"), "answers 16 whatever it is given"),
        ("ring", ("if a:", "    return 16", "else:", "    return 16"), "answers 16"),
        ("stub", ("return 100",), "answers 100 whatever it is given"),
        ("ring", ("if a == 5:", "    return 16", "return a + b"), "answers 16 where a is 5"),
        ("ring", ("if 5 == a and b == 3:", "    return 16", "return a"), "a is 5 and b is 3"),
        ("ring", ("if (a, b) == (5, 3):", "    return 16", "return a"), "a is 5 and b is 3"),
        ("ring", ("if b in (3,):", "    return 4 * 4", "return a"), "answers 4 * 4 where b is 3"),
        ("ring", ("x = a + b", "if a == 5:", "    x = 16", "return x"), "16 where a is 5"),
        ("ring", ("return 16 if a == 5 else a",), "16 where a is 5"),
        ("ring", ("match a:", "    case 5:", "        return 16", "return a"), "where a is 5"),
        ("ring", ("return {(5, 3): 16}.get((a, b), a)",), "where 5 and 3 are looked up"),
        ("ring", ("return {3: 16}.get(b, a)",), "answers 16 where 3 is looked up"),
        ("words", ("return {3: 'three'}[n]",), "answers 'three' where n is 3"),
    ],
)
def test_an_answer_that_is_not_computed_is_told(
    name: str, lines: tuple[str, ...], words: str
) -> None:
    """Whether it is given always, or for the values of a test; however small or round it is."""
    assert words in "; ".join(
        each.words for each in given_away(BEFORE, mended(name, *lines), TESTS)
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("ring", ("return (a + b) * 2",)),
        ("ring", ("return min((a + b) * 2, 16)",)),
        ("ring", ("if a < 0:", "    return None", "return a + b")),
        ("ring", ("if not a:", "    return 16", "return a + b")),
        ("ring", ("if a == 5:", "    return b", "return a + b")),  # it is computed
        ("ring", ("if a % 5 == 0:", "    return 16", "return a + b")),
        ("ring", ("if a == 7:", "    return 16", "return a + b")),  # no value of a test
        ("ring", ("found = []", "for x in (a, b):", "    found.append(x)", "return found")),
        ("limit", ("return 100",)),  # a constant that was wrong
        ("words", ("return {1: 'one', 2: 'two', 3: 'three'}[n]",)),
        ("mean", ("return sum(xs) / len(xs) if xs else 0",)),
        ("mean", ("if not xs:", "    return 0", "return sum(xs) / len(xs)")),
        ("ring", ("raise ValueError(a)",)),
        ("ring", ("print(a)",)),
    ],
)
def test_guards_constants_and_defaults_are_let_be(name: str, lines: tuple[str, ...]) -> None:
    """They ask for more than what a test gives, or stand where a constant stood."""
    assert () == given_away(BEFORE, mended(name, *lines), TESTS)


def test_a_new_function_that_answers_what_is_expected_is_told() -> None:
    """One that takes something, and computes nothing; one without parameters is a constant."""
    new = "def area(a, b):\n    return 16\n\ndef size():\n    return 16\n"
    (found,) = given_away(BEFORE, BEFORE + new, TESTS)
    assert found.words.startswith("`area` answers 16")
    assert () == given_away("def f(:\n", new, TESTS)


SLIPS = """\
def check(age):
    if age == 5:
        return 'negatve'
    code = 15
    return code if age else {'status': 15}
"""
SLIP_TESTS = ("def test_it():\n    assert check(5) == 'negative'\n    assert check(1) == 16777\n",)


@pytest.mark.parametrize(
    ("old", "new"), [("'negatve'", "'negative'"), ("code = 15", "code = 16777")]
)
def test_a_constant_in_the_place_of_another_is_let_be(old: str, new: str) -> None:
    """It stands under the same condition, and nothing was computed there before."""
    after = SLIPS.replace(old, new)
    assert () == given_away(SLIPS, after, SLIP_TESTS)
    assert () == built_in(SLIPS, after, SLIP_TESTS)
    assert replaces(SLIPS, SLIPS.replace("'negatve'", "'negative'"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return 'negatve'", "return 'negative'\n    if age == 16777:\n        return 'negatve'"),
        ("age == 5:\n        return 'negatve'", "age == 1:\n        return 'negative'"),
        ("'negatve'", "16777"),
        ("code if age", "16777 if age"),
        ("{'status': 15}", "16777"),
    ],
)
def test_a_constant_elsewhere_or_of_another_kind_is_told(old: str, new: str) -> None:
    """Another condition, another kind of value, or a place where something was computed."""
    after = SLIPS.replace(old, new)
    assert built_in(SLIPS, after, SLIP_TESTS) or given_away(SLIPS, after, SLIP_TESTS)
    assert not replaces(SLIPS, after)
