"""What a proof says of a fix that its tests hardly look at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Unseen:
    """A project whose test only sees that nothing is raised, and its fix."""

    files: dict[str, str]
    path: str
    old: str
    new: str
    tried: str


UNSEEN = {
    "go": Unseen(
        files={
            "go.mod": "module example.com/shop\n\ngo 1.18\n",
            "cart.go": "package shop\n\nfunc Last(a []string) string {\n\treturn a[len(a)]\n}\n",
            "cart_test.go": (
                'package shop\n\nimport "testing"\n\n'
                'func TestLast(t *testing.T) {\n\tLast([]string{"a", "b"})\n}\n'
            ),
        },
        path="cart.go",
        old="a[len(a)]",
        new='a[0] + "!"',
        tried="none of 2 was noticed, 1 did not compile",  # no text is less another
    ),
    "lines taken away": Unseen(
        files={
            "cart.py": (
                "def last(a):\n    a.close()\n    return a[-1]\n\n\n"
                "def first(a):\n    return a[0]\n"
            ),
            "test_cart.py": (
                "from cart import first, last\n\n\n"
                "def test_first():\n    assert first([1]) == 1\n\n\n"
                "def test_last():\n    last([1, 2])\n"
            ),
        },
        path="cart.py",
        old="    a.close()\n",
        new="",
        tried="none of 2 was noticed",
    ),
}


def weakly(proved: ev.Proved) -> ev.ProofRow:
    (row,) = (row for row in proved.rows if row.claim.startswith("a test notices"))
    assert proved.accepted, proved
    return row


@pytest.mark.parametrize("name", UNSEEN)
def test_a_fix_that_no_test_looks_at_is_called_weakly_tested(tmp_path: Path, name: str) -> None:
    """It counts, and a person is told; what does not compile is not what tests noticed."""
    unseen = UNSEEN[name]
    fixed = unseen.files[unseen.path].replace(unseen.old, unseen.new)

    with session(tmp_path, unseen.files) as debug_run:
        proved = proof(debug_run, {unseen.path: fixed}, by_text=True)

    assert proved.weak
    assert f"weakly tested: {unseen.tried}" == weakly(proved).measured


def test_each_file_of_a_fix_is_to_be_looked_at(tmp_path: Path) -> None:
    """What tests see of one file says nothing of another."""
    unseen = UNSEEN["lines taken away"]
    tests = "from price import half\n\n\ndef test_half():\n    assert half(8) == 4\n    half(3)\n"
    files = unseen.files | {"price.py": "def half(n):\n    return n / 0\n", "test_price.py": tests}
    fixed = {
        "cart.py": unseen.files["cart.py"].replace(unseen.old, ""),
        "price.py": "def half(n):\n    return n // 2\n",
    }

    with session(tmp_path, files) as debug_run:
        proved = proof(debug_run, fixed, by_text=True)

    assert proved.weak
    assert f"weakly tested: {unseen.tried} in cart.py" == weakly(proved).measured


def test_lines_taken_away_are_seen_by_what_is_beside_them(tmp_path: Path) -> None:
    """A test that looks at these notices a small change there."""
    unseen = UNSEEN["lines taken away"]
    tests = unseen.files["test_cart.py"].replace("    last([1, 2])", "    assert last([1, 2]) == 2")
    fixed = unseen.files["cart.py"].replace(unseen.old, "")

    with session(tmp_path, {**unseen.files, "test_cart.py": tests}) as debug_run:
        proved = proof(debug_run, {"cart.py": fixed}, by_text=True)

    assert not proved.weak
    assert weakly(proved).measured.startswith("cart.py:")


def test_a_question_that_only_a_double_answers_is_called_weakly_tested(tmp_path: Path) -> None:
    """The real thing is treated as before: the fix may be written for the tests alone."""
    shop = (
        "class Sms:\n    def deliver(self, text):\n        print(text)\n\n\n"
        "def notify(channel, text):\n    channel.deliver(text)\n"
    )
    test = (
        "from shop import notify\n\n\nclass Fake:\n    def __init__(self):\n"
        "        self.sent = []\n\n    def deliver(self, text):\n        self.sent.append(text)\n"
        "\n\ndef test_short():\n    fake = Fake()\n    notify(fake, 'abcdefghijkl')\n"
        "    assert fake.sent == ['abcdefghi']\n"
    )
    fixed = shop.replace(
        "    channel.deliver",
        "    if hasattr(channel, 'sent'):\n        text = text[:9]\n    channel.deliver",
    )

    with session(tmp_path, {"shop.py": shop, "test_shop.py": test}) as debug_run:
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)

    told = [row.measured for row in proved.rows if not row.holds]
    assert proved.weak
    assert any("shop.py:7 asks for `sent`, which only a double of the tests has" in t for t in told)


PRICE = "def price(kilos):\n    return 2 + kilos // 2\n"
UNASKED = {
    "no test has any other type": ("isinstance(kilos, int)", "always so, `True`"),
    "a limit that no test stands at": ("kilos > 10", "other number, `(10 + 1)`"),
}


@pytest.mark.parametrize("name", UNASKED)
def test_an_addition_that_no_test_asks_for_is_called_weakly_tested(
    tmp_path: Path, name: str
) -> None:
    """A condition that is true in all tests, a number that could be another."""
    condition, told = UNASKED[name]
    tests = (
        "from shop import price\n\n\ndef test_light():\n    assert price(4) == 4\n\n\n"
        "def test_heavy():\n    assert price(14) == 7\n"
    )
    if "isinstance" in condition:
        tests = tests.replace("price(4) == 4", "price(4) == 2")
    fixed = PRICE.replace(
        "    return", f"    if {condition}:\n        return kilos // 2\n    return"
    )

    with session(tmp_path, {"shop.py": PRICE, "test_shop.py": tests}) as debug_run:
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)

    assert proved.weak
    assert f"weakly tested: no test notices shop.py:2 {told} for" in weakly(proved).measured


def test_an_addition_that_the_tests_ask_for_is_as_it_should_be(tmp_path: Path) -> None:
    """A test that was green before stands on the other side of the condition."""
    shop = "def first(xs):\n    return xs[0]\n"
    tests = (
        "from shop import first\n\n\ndef test_none():\n    assert first([]) is None\n\n\n"
        "def test_one():\n    assert first([7, 8]) == 7\n"
    )
    fixed = shop.replace("    return", "    if not xs:\n        return None\n    return")

    with session(tmp_path, {"shop.py": shop, "test_shop.py": tests}) as debug_run:
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)

    assert not proved.weak
    assert weakly(proved).holds


def test_a_record_changed_under_the_tests_hands_is_called_weakly_tested(tmp_path: Path) -> None:
    """The test compares the record with itself."""
    shop = (
        "def gross(record):\n    found = dict(record)\n"
        "    found['gross'] = round(record['net'] * 1.16, 2)\n    return found\n"
    )
    tests = (
        "from shop import gross\n\n\ndef test_it_is_right():\n"
        "    record = {'net': 200.0, 'gross': 238.0}\n"
        "    assert gross(record)['gross'] == record['gross']\n"
    )
    fixed = shop.replace("dict(record)", "record")

    with session(tmp_path, {"shop.py": shop, "test_shop.py": tests}) as debug_run:
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)

    (row,) = (row for row in proved.rows if row.claim.startswith("what it is given"))
    assert not row.holds
    assert proved.weak
    assert row.measured.startswith("weakly tested: `gross({'net': 200.0")
