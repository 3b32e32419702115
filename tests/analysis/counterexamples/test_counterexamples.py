"""What a counterexample rests on, and what its failure speaks of."""

from __future__ import annotations

import pytest

from clew.analysis.counterexamples import (
    asks_the_code,
    imported,
    quoted,
    says_the_same,
    speaks_of_the_code,
)
from clew.words.facts import CaseOutcome, Crash, Frame, Phase, TestResult

TEXT = '''def by_price(lines):
    """Lines, the cheapest first.

    Lines that cost the same
    keep their order.
    """
    # Nothing is changed
    # in place.
'''
TEST = "tests/test_new.py"


@pytest.mark.parametrize(
    "words",
    ["the cheapest first", "Lines that cost the same keep their order.", "changed in place"],
)
def test_words_are_found_over_lines_and_comments(words: str) -> None:
    assert quoted(words, TEXT)


@pytest.mark.parametrize("words", ["", " - ", "the cheap", "the dearest first", "order keep"])
def test_words_that_do_not_stand_there_are_not(words: str) -> None:
    """Neither are parts of words, nor none at all."""
    assert not quoted(words, TEXT)


def red(kind: str, *paths: str, phase: Phase = Phase.CALL) -> TestResult:
    frames = tuple(Frame(path=path, line=1, function="f", project=True) for path in paths)
    crash = Crash(type=kind, message="", frames=frames)
    return TestResult(id=f"{TEST}::test_a", outcome=CaseOutcome.FAILED, phase=phase, crash=crash)


@pytest.mark.parametrize(
    ("result", "counts"),
    [
        (red("AssertionError", TEST), True),
        (red("Failed", TEST), True),
        (red("KeyError", TEST, "shop/cart.py"), True),
        (red("TypeError", TEST), False),
        (red("AssertionError", TEST, phase=Phase.SETUP), False),
        (red("ModuleNotFoundError", TEST, phase=Phase.COLLECT), False),
        (red("KeyError"), False),
        (TestResult(id="a", outcome=CaseOutcome.PASSED), False),
        (TestResult(id="a", outcome=CaseOutcome.FAILED), False),
    ],
)
def test_a_failure_speaks_of_the_code_or_of_the_test(result: TestResult, *, counts: bool) -> None:
    assert counts is speaks_of_the_code(result, TEST)


@pytest.mark.parametrize("words", ["a", "the cheapest", "in place."])
def test_one_or_two_words_ask_for_nothing(words: str) -> None:
    assert not quoted(words, TEXT)


HEAD = "import os, random, time\n\nimport pytest\nfrom cents import tax\n\n\ndef test_a(till):\n"


def failing(*body: str) -> tuple[TestResult, str]:
    """Return a test that fails in its last line, and its text."""
    text = HEAD + "".join(f"    {line}\n" for line in body)
    frame = Frame(path=TEST, line=text.count("\n"), function="test_a", project=True)
    crash = Crash(type="AssertionError", message="", frames=(frame,))
    return TestResult(id="a", outcome=CaseOutcome.FAILED, phase=Phase.CALL, crash=crash), text


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        (("tax(1, 1)", "assert False"), False),
        (("tax(1, 1)", "assert 1 == 2"), False),
        (("tax(1, 1)", "pytest.fail('because')"), False),
        (("tax(1, 1)", "assert random.random() < 0.5"), False),
        (("now = time.time()", "tax(1, 1)", "assert str(now) == ''"), False),
        (("seen = []", "tax(1, seen.append)", "assert seen == [2]"), True),
        (("seen = list()", "tax(1, seen.append)", "assert seen == [2]"), True),
        (("a = b = 2", "tax(1, 1)", "assert a == b + 1"), False),
        (("assert tax(1, 1) == 2",), True),
        (("paid = tax(1, 1)", "rest = 5 - paid", "assert rest == 2"), True),
        (("for n in range(2):", "    m = tax(n, 1)", "    assert m == 2"), True),
        (("with pytest.raises(ValueError):", "    tax(1, 1)"), True),
        (("try:", "    tax(1, 1)", "except ValueError:", "    return", "pytest.fail('no')"), True),
        (("if tax(1, 1) != 2:", "    pytest.fail('no')"), True),
        (("tax(1, 1)", "assert os.path.exists('receipt')"), True),
        (("tax(1, 1)", "assert open('receipt').read() == ''"), True),
        (("tax(1, 1)", "assert till.empty"), True),
    ],
)
def test_a_test_asks_the_code_only_by_what_it_reads(body: tuple[str, ...], *, asks: bool) -> None:
    result, text = failing(*body)
    assert asks is asks_the_code(result, TEST, text, ())


def test_a_module_of_the_project_is_its_own_whatever_its_name() -> None:
    result, text = failing("assert time.now() == 2")
    assert asks_the_code(result, TEST, text, ("time",))
    assert not asks_the_code(result, TEST, text, ())


def test_the_modules_that_a_test_imports_are_told_part_by_part() -> None:
    text = "import shop.cart as c\nfrom shop import line\nfrom .till import Till\n"
    assert {"shop", "cart", "line", "till", "Till"} == imported(text)
    assert not imported("def")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("assert 1 == 2", "assert 1 == 2", True),
        ("assert {'a', 'b'} == 1", "assert {'b', 'a'} == 1", True),
        ("<T at 0x7f1> in /tmp/a-1/b", "<T at 0x8f2> in /tmp/a-2/b", True),
        ("assert -4181932711512 == 18", "assert 5516781624310 == 18", True),
        ("assert 1 == 1764388.1", "assert 1 == 1764389.7", False),
    ],
)
def test_what_fails_otherwise_each_time_does_not_say_the_same(
    one: str, other: str, *, same: bool
) -> None:
    results = [
        TestResult(
            id="a", outcome=CaseOutcome.FAILED, crash=Crash(type="AssertionError", message=message)
        )
        for message in (one, other)
    ]
    assert same is says_the_same(*results)
