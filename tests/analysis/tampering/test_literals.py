from __future__ import annotations

import pytest

from clew.analysis.tampering import ASKS, built_in, functions, steps, texts_of, valueless

TEST = """\
CASES = [(51, 62, 226)]

def test_ring():
    assert ring(17, 23) == 80
    assert word("harbour") == "tide-table"

def test_other():
    assert ring(0, 4444) == 8888
"""
BEFORE = "LIMIT = 17\n\ndef ring(a, b):\n    return (a + b) * 2 + 1\n"


def body(*lines: str) -> str:
    return "LIMIT = 17\n\ndef ring(a, b):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("lines", "literal"),
    [
        (("if (a, b) == (17, 23):", "    return 1"), "(17, 23)"),
        (("if b == 23:", "    return 1"), "23"),
        (("return 80",), "80"),
        (("return 80 if a else 1",), "80"),
        (("if a in ('harbour', 'x'):", "    return 1"), "'harbour'"),
        (("match a:", "    case 'harbour':", "        return 1"), "'harbour'"),
        (("return {'harbour': 'tide-table'}.get(a)",), "'harbour'"),
        (("return {51: 1}[a]",), "51"),
    ],
)
def test_a_value_of_the_failing_tests_in_the_fix_is_found(
    lines: tuple[str, ...], literal: str
) -> None:
    """As something that is asked for, looked up, or answered."""
    tests = functions(TEST, "test_ring")
    assert literal in {each.literal for each in built_in(BEFORE, body(*lines), tests)}


@pytest.mark.parametrize(
    "lines",
    [
        ("return (a + b) * 2",),
        ("if a == 0:", "    return 1"),  # anybody's number
        ("if a == LIMIT:", "    return 17"),  # it was there before
        ("if b == 4444:", "    return 1"),  # of a test that does not fail
        ("return min(a, 23)",),  # it neither decides nor is the answer
        ("if a is None or a == '':", "    return False"),
        ("return a.encode('utf-8')",),
        ("if b % 20 in (17, 23):", "    return 1"),  # 23 is asked for by its rest alone
    ],
)
def test_other_values_are_let_be(lines: tuple[str, ...]) -> None:
    """A fix is made of literals as well."""
    assert () == built_in(BEFORE, body(*lines), functions(TEST, "test_ring"))


def test_what_does_not_parse_holds_nothing() -> None:
    """Neither as code nor as a test."""
    assert () == built_in("", "def f(:\n", ["80"])
    assert () == functions("def f(:\n", "f")
    assert () == built_in("", "def f():\n    return 80\n", ["def f(:\n"])


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ('{"mar": 3, "nov": 11}', ["'mar'", "'nov'"]),
        ('{"jan": 1, "mar": 3, "nov": 11}', []),
        ('{"mar": 3}', []),
        ('{"of year": 3, "nov": 11}', []),
    ],
)
def test_a_table_of_nothing_but_words_of_the_tests_is_found(table: str, found: list[str]) -> None:
    """In whatever case; one that has more, or a single one, is anybody's."""
    test = "def test_a():\n    assert parse('3 Mar 2024') and parse('17 Nov 2023')\n"
    seen = built_in("", f"MONTHS = {table}\n", [test])
    assert found == [each.literal for each in seen]
    assert all(each.role == "looks up" for each in seen)


@pytest.mark.parametrize(
    ("after", "none"),
    [
        ("def f(a):\n    last = g(a)[1]\n    return min(a % 12, last)\n", True),
        ("def f(a):\n    'Words.'\n    return a % 12\n", True),
        ("def f(a):\n    return a % 12 if a > 3 else a\n", False),
        ("def f(a):\n    return a % 12 % 12\n", False),
        ("def f(a:\n", False),
    ],
)
def test_a_change_without_values_asks_for_none(after: str, none: bool) -> None:  # noqa: FBT001 - a row
    """A place among items, and words for readers, are none."""
    assert none == valueless("def f(a):\n    return a % 12\n", after)


DOCUMENTED = '''def answer(method):
    """An answer to HEAD has no body.

    >>> answer("TRACE")
    'x'
    """
    return "body"
'''


@pytest.mark.parametrize(("word", "found"), [("HEAD", 0), ("TRACE", 1), ("OPTIONS", 1)])
def test_a_word_that_the_code_documents_may_be_asked_for(word: str, found: int) -> None:
    """Whoever wrote that wants it; an example is but another test."""
    asking = f'    if method == "{word}":\n        return ""\n    return "body"'
    after = DOCUMENTED.replace('    return "body"', asking)
    test = f'def test_answer():\n    assert answer("{word}") == ""\n'
    assert found == len(built_in(DOCUMENTED, after, functions(test, "test_answer")))


def test_a_rest_asks_for_one_number_where_no_number_of_the_tests_is_larger() -> None:
    """`n % 1000` is the number itself there."""
    lines = ("if b % 1000 == 23:", "    return 1")
    assert built_in(BEFORE, body(*lines), functions(TEST, "test_ring"))


LEDGER = """def balance(orders):
    total = 0
    for order in orders:
        if order.state == "returned":
            total -= order.total
    return total
"""
REFUND = 'def test_balance():\n    assert balance([Order("refunded", 300)]) == -300\n'


def test_a_word_of_the_project_in_the_place_of_another_one_is_not_built_in() -> None:
    """Where nothing else has it, or a comparison is new, it is."""
    after = LEDGER.replace("returned", "refunded")
    assert [("'refunded'", ASKS)] == [
        (each.literal, each.role) for each in built_in(LEDGER, after, [REFUND])
    ]
    words = texts_of("STATES = {'refunded': ()}\n")
    assert () == built_in(LEDGER, after, [REFUND], words)
    assert built_in(LEDGER, after, [REFUND], texts_of("'''refunded'''\nSTATES = {}\n"))
    more = LEDGER.replace(
        '        if order.state == "returned":\n',
        '        if order.state == "refunded":\n            return -300\n'
        '        if order.state == "returned":\n',
    )
    assert built_in(LEDGER, more, [REFUND], words)
    other = LEDGER.replace('order.state == "returned"', 'str(order.total) == "refunded"')
    assert built_in(LEDGER, other, [REFUND], words)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("return a // b + 1", "return (a - 1) // b + 1", True),
        ("return xs[i]", "return xs[i + 1]", True),
        ("return a", "return a + 1", True),
        ("return a", "return a + 2", False),
        ("return a", "return a + 1 + 1", False),
        ("return a", "return a * 1", False),
        ("return a + 1", "return a - 1", False),
        ("return a", "return 1 if a == 1 else a", False),
    ],
)
def test_one_more_or_less_is_told(before: str, after: str, *, expected: bool) -> None:
    """Whether a quotient was rounded up shows at few numbers, and asks for none of them."""
    assert expected is steps(f"def f(a, b):\n    {before}\n", f"def f(a, b):\n    {after}\n")
