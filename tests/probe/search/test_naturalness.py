"""What a patch brings is weighed by how often people write such code at such a place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from clew.probe.search.deadstores import blocks, dead_stores
from clew.probe.search.forms import forms, kind
from clew.probe.search.naturalness import UNKNOWN, Naturalness
from clew.probe.search.source import Source, difference
from searchplay import DebugRun

MEAN = "def mean(xs):\n    return sum(xs) / (len(xs) + 1)\n"
EVEN = "def even(n):\n    if n % 2:\n        return False\n    return n\n"
PAIRS = [
    (MEAN, "sum(xs) / len(xs)", "sum(xs) / (len(xs) | 1)", "sum(xs) / (len(xs) + 1)"),
    (EVEN, "return True", "return 0", "return n"),
    ("def last(xs):\n    return len(xs) + 1\n", "len(xs) - 1", "len(xs) ** 1", "len(xs) + 1"),
]


def natural(before: str, after: str) -> float:
    source = Source("a.py", before)
    return Naturalness({"a.py": source}).of(source, difference(before, after))


@pytest.mark.parametrize(("before", "usual", "odd", "old"), PAIRS)
def test_what_people_write_is_more_natural(before: str, usual: str, odd: str, old: str) -> None:
    assert natural(before, before.replace(old, odd)) < natural(before, before.replace(old, usual))


GIVEN = "def first(xs, default=None):\n    return xs[0] if xs else None\n"
READ = GIVEN.replace("else None", "else default")


def test_a_parameter_is_given_to_be_read() -> None:
    """What reads one that nothing read is before all else, and odd is what leaves one unread."""
    other = natural(GIVEN, GIVEN.replace("else None", "else 0"))
    assert other <= UNKNOWN < natural(GIVEN, READ)
    assert 0.0 == natural(READ, READ.replace("else default", "else xs"))
    assert UNKNOWN == natural(GIVEN, GIVEN.replace("xs[0]", "xs[1]"))


@pytest.mark.parametrize(("count", "odd"), [("n", True), ("2", False)])
def test_the_last_ones_are_not_counted_from_the_end_by_a_variable(count: str, *, odd: bool) -> None:
    """Of none it gives all; by a number it is what everybody writes."""
    text = f"def last(rows, n):\n    return rows[:{count}]\n"
    last = natural(text, text.replace(f"[:{count}]", f"[-{count}:]"))
    assert (last < natural(text, text.replace(f"[:{count}]", f"[{count}:]"))) is odd


def test_a_text_is_cleaned_where_it_is_taken_rather_than_at_one_of_its_uses() -> None:
    """Clew wrote small letters for the words that hide a title, and not for those that show it."""
    text = (
        "def shows(entry, muted, wanted):\n    title = entry.title\n"
        "    if any(word in title for word in muted):\n        return False\n"
        "    return any(word in title for word in wanted)\n"
    )
    at_once = natural(text, text.replace("entry.title", "entry.title.lower()"))
    assert (
        natural(
            text, text.replace("in title for word in muted", "in title.lower() for word in muted")
        )
        < at_once
    )


DESK = """
class Shelf:
    def fine(self, loan, today, grace=0):
        return fine_for(loan, today, grace) + self.fee(loan)


def fine_for(loan, today, grace=0):
    return max(0, today - loan.due - grace)


def late(book, today, grace):
    return fine_for(book.loan, today, {}) > grace
"""


@pytest.mark.parametrize(
    ("given", "odd"), [("grace", "-today"), ("grace=grace", "grace=0"), ("grace", "")]
)
def test_what_bears_the_name_of_the_parameter_is_given_for_it(given: str, odd: str) -> None:
    """Clew gave `-today` for `grace`, in the place of `grace`, and a test let it pass."""
    right, wrong = DESK.replace("{}", given), DESK.replace("{}", odd)
    assert natural(right, wrong) == 0.0
    assert natural(wrong, right) > UNKNOWN
    assert natural(wrong, wrong.replace("book.loan", "book")) <= UNKNOWN


@pytest.mark.parametrize(
    ("pages", "likely"),
    [
        ("(count - 1) // size + 1", True),
        ("(count + size - 1) // size", True),
        ("-(-count // size)", True),
        ("count // (size + 1) + 1", False),
        ("(count - 2) // size + 1", False),
        ("(count + 1 - 1) // size", False),
    ],
)
def test_quotients_are_rounded_up_as_people_do(pages: str, likely: bool) -> None:  # noqa: FBT001 - a case
    text = "def pages(count, size):\n    return max(1, {})\n"
    found = natural(text.format("count // size + 1"), text.format(pages))
    assert (found > UNKNOWN) is likely


def test_a_function_that_calls_itself_gives_other_values() -> None:
    text = "def gcd(a, b):\n    return a if not b else gcd({}, a % b)\n"
    assert natural(text.format("a"), text.format("b")) >= UNKNOWN


def test_a_name_of_functions_that_ask_for_different_things_says_nothing() -> None:
    """Nor does a call that is gone."""
    other = DESK + "\n\nclass Rules:\n    def fine_for(self, today):\n        return today\n"
    assert natural(other.replace("{}", "grace"), other.replace("{}", "-today")) == UNKNOWN
    right = DESK.replace("{}", "grace")
    assert (
        natural(right, right.replace("fine_for(book.loan, today, grace)", "(book.due - today)"))
        == 1.0
    )


def test_what_values_are_compared_by_is_changed_last() -> None:
    text = "class A:\n    def {}(self, other):\n        return self.n == other.n\n"
    for name in ("__eq__", "same"):
        before = text.format(name)
        assert (natural(before, before.replace("==", "<=")) == 0.0) is (name == "__eq__")


@pytest.mark.parametrize(
    "odd",
    [
        "a - a",
        "a < a",
        "a and a",
        "a % a + 1",
        "a == 1 or a != 1",
        "a and not a",
        "a < 1 and a >= 1",
        "a in set(a)",
        "a not in (1, a)",
    ],
)
def test_nobody_takes_a_value_from_itself(odd: str) -> None:
    """It is a constant in more words; `a + a` and `a * a` are none."""
    plain = "def f(a, b):\n    return b - a\n"
    assert 0.0 == natural(plain, plain.replace("b - a", f"({odd}) - b"))
    assert 0.0 < natural(plain, plain.replace("b - a", "a + a - b"))


BEST = """\
def best(xs):
    kept = xs[0]
    for x in xs:
        if x < kept:
            kept = x
    return kept
"""


def test_who_keeps_the_largest_asks_for_a_larger_one() -> None:
    """Its equal gives the same, or the last of those that tie, which is rarely meant."""
    larger, equal = BEST.replace("x < kept", "x > kept"), BEST.replace("x < kept", "x >= kept")
    assert natural(BEST, equal) < natural(BEST, larger)
    plain = BEST.replace("kept = x\n", "kept = 0\n")
    assert UNKNOWN == natural(plain, plain.replace("x < kept", "x >= kept"))


PARTS = """\
def ratio(x):
    a, b = x.split("/")
    a = int(b)
    return int(a) / int(b)
"""


def test_a_value_is_there_to_be_read() -> None:
    """What leaves the second assignment out, or reads the first before it, stands before others."""
    without = PARTS.replace("    a = int(b)\n", "")
    read = PARTS.replace("a = int(b)", "a = int(a)")
    assert natural(PARTS, PARTS.replace("a = int(b)", "a = int(x)")) < natural(PARTS, without)
    assert natural(PARTS, without) == natural(PARTS, read)
    assert 0.0 == natural(without, PARTS)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n  try:\n    a = 1\n    a = x[0]\n  except KeyError:\n    return a\n",
        "def f(x):\n    a = 1\n    g = lambda: a\n    a = 2\n    return g()\n",
        "def f(x):\n    a = 1\n    if x:\n        a = 2\n    return a\n",
        "def f(x):\n    a = 1\n    a += x\n    return a\n",
        "def f(x):\n    global a\n    a = 1\n    a = x()\n    return a\n",
        "def f(x):\n    _, a = x\n    _, b = x\n    return a + b\n",
    ],
)
def test_what_may_be_read_otherwise_is_no_dead_store(text: str) -> None:
    assert [] == [found for block in blocks(ast.parse(text)) for found in dead_stores(block)]


def test_nobody_asks_for_elements_as_they_are() -> None:
    """`all(x for x in xs)` has lost what it asks; `all(x in a for x in xs)` asks it."""
    text = "def f(a, xs):\n    return len(xs) <= len(a) and all(x for x in xs)\n"
    other = natural(text, text.replace("len(xs)", "sum(xs)"))
    assert other < natural(text, text.replace("(x for", "(x in a for"))


def test_a_place_that_nobody_met_says_nothing() -> None:
    """Neither does a change outside of functions, or one that brings nothing new."""
    assert UNKNOWN == natural("X = 1\n", "X = 2\n")
    assert UNKNOWN == natural(MEAN, MEAN.replace("xs", "ys"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1", "int:-1"),
        ("7", "int"),
        ("''", "str:"),
        ("None", "None"),
        ("len(x)", "Call:len"),
        ("f(x)", "Call"),
        ("x.f()", "Call.method"),
        ("a + b", "BinOp:Add"),
    ],
)
def test_the_kind_of_an_expression(text: str, expected: str) -> None:
    assert expected == kind(ast.parse(text, mode="eval").body)


def test_what_a_function_returns_is_seen_beside_what_else_it_returns() -> None:
    found = dict(forms(ast.parse("def f(n):\n    if n:\n        return True\n    return 0\n")))
    assert "int:0" == found["Return True"]


def test_an_odd_operator_stands_behind_the_plain_one(tmp_path: Path) -> None:
    """On lists of one and of three, `len(xs) | 1` is `len(xs)`: nobody would write it."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "stats.py": MEAN,
            "test_stats.py": "from stats import mean\n\n\ndef test_one():\n"
            "    assert mean([4]) == 4\n\n\ndef test_three():\n    assert mean([1, 2, 6]) == 3\n",
        }
    )

    answer = shop.search("test_stats.py::test_one", "test_stats.py::test_three")

    assert "drop `1`" == answer.first["description"]


def test_cents_are_rounded(tmp_path: Path) -> None:
    """Of what passes, the usual mend of a truncation stands first: no name counts by its length."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "cents.py": "def cents(price):\n    return int(price * 100) / 100\n",
            "test_cents.py": "from cents import cents\n\n\n"
            "def test_cents():\n    assert cents(19.99) == 19.99\n",
        }
    )

    answer = shop.search("test_cents.py::test_cents")

    assert "replace `int` by `round`" == answer.first["description"]


def test_a_change_that_leaves_a_parameter_unread_stands_behind(tmp_path: Path) -> None:
    """Whoever gives a percentage wants it to count."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "money.py": "def discount(amount, percent):\n"
            "    return amount - amount * percent / 10\n",
            "test_money.py": "from money import discount\n\n\n"
            "def test_discount():\n    assert discount(200, 10) == 180\n",
        }
    )

    answer = shop.search("test_money.py::test_discount")

    assert "replace `10` by `100`" == answer.first["description"]


def test_of_methods_that_fit_as_well_the_usual_one_stands_first(tmp_path: Path) -> None:
    """Nobody means `swapcase` where all letters are small."""
    run = DebugRun(tmp_path)
    run.write(
        {
            "words.py": "def initials(name):\n"
            '    return "".join(part[0] for part in name.split()).lower()\n',
            "test_words.py": "from words import initials\n\n\n"
            'def test_initials():\n    assert initials("ada lovelace") == "AL"\n',
        }
    )
    found = run.search("test_words.py::test_initials", keep=20)
    assert "replace `.lower` by `.upper`" == found.first["description"]
