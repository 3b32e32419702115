"""Methods that judge values: the fix's own, or there before."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import doubles, judged_by_the_fix
from clew.words.facts import Compared

MONEY = """\
class Money(int):
    def __eq__(self, other):
        return self.near(other)

    def near(self, other):
        return int(self) == other

    def __len__(self):
        return 2


class Bill(Money):
    pass


class Lent(int):
    __eq__ = int.__ge__
"""
BASE = "class Base:\n    def __eq__(self, other):\n        return True\n"


def slot(name: str = "__eq__", line: int = 2, **more: object) -> Compared:
    known = {"type": "Money", "home": "money.py", "holder": "Money", "held": "money.py"}
    return Compared(**{**known, "slot": name, "path": "money.py", "line": line, **more})  # type: ignore[arg-type]


def judged(fact: Compared, before: str, after: str, tests: str = "") -> str:
    return "; ".join(judged_by_the_fix([fact], {"money.py": (before, after)}, [tests]))


LENT = slot(type="Lent", holder="Lent", path="", line=0, lent="int.__ge__")
WILD = slot(type="_ANY", home="", module="unittest.mock", path="", wild=True)


@pytest.mark.parametrize("fact", [slot(), slot(type="Bill"), LENT, slot("__len__", 8)])
def test_what_was_there_before_is_not_of_the_fix(fact: Compared) -> None:
    """Whatever else of the file changes."""
    assert not judged(fact, MONEY, MONEY + "\n\ndef more():\n    return 1\n")


@pytest.mark.parametrize(
    ("fact", "old", "new", "words"),
    [
        (slot(), "self.near(other)", "True", "`Money.__eq__` is of the fix, money.py:2"),
        (slot(), "int(self) == other", "True", "`Money.__eq__` is of the fix, money.py:2"),
        (slot(type="Bill", line=3), "", "\n", "`Bill.__eq__` is of the fix, money.py:3"),
        (LENT, "__ge__", "__le__", "`Lent.__eq__` is `int.__ge__`"),
        (LENT, "    __eq__ = int.__ge__\n", "    pass\n", "`Lent.__eq__` is `int.__ge__`"),
        (WILD, "", "", "`_ANY` of unittest.mock equals more than itself"),
    ],
)
def test_what_a_fix_makes_changes_or_lends_is_its_own(
    fact: Compared, old: str, new: str, words: str
) -> None:
    """Also by a function that the method calls."""
    after = MONEY.replace(old, new, 1) if old else new + MONEY
    found = judged(fact, "" if new == "\n" else MONEY, after)
    assert words == found


def test_a_new_class_inherits_by_the_fix() -> None:
    """So does one that gets other bases."""
    far = slot(type="Bill", holder="Base", held="base.py", path="base.py")
    words = "`Bill.__eq__` is inherited from `Base`, by the fix"
    assert words == judged(far, "", "class Bill(Base):\n    pass\n")
    assert words == judged(far, "class Bill:\n    pass\n", "class Bill(Base):\n    pass\n")
    assert not judged(far, "class Bill(Base):\n    pass\n", "class Bill(Base):\n    a = 1\n")


def test_truth_and_length_are_asked_about_where_tests_do_not_know_the_class() -> None:
    """A test that names it knows what it gets."""
    length = slot("__len__", 8)
    assert "`Money.__len__` is of the fix, money.py:8" == judged(length, "", MONEY)
    assert not judged(length, "", MONEY, "from money import Money")
    assert not judged(length, MONEY, MONEY.replace("return 2", "return 3"))


def test_a_wild_card_that_the_file_spoke_of_before_is_known() -> None:
    """It may lend it to its users."""
    assert not judged(WILD, "from unittest import mock\n", MONEY)


@pytest.mark.parametrize(
    "text",
    [
        "from unittest.mock import MagicMock\n",
        "from unittest import mock\n",
        "import mock\n",
        "def f():\n    import unittest.mock as m\n",
    ],
)
def test_doubles_that_a_fix_brings_are_named(text: str) -> None:
    """Code that had them before may go on."""
    (said,) = doubles({"shop.py": ("a = 1\n", text)})
    assert said.startswith("shop.py imports `unittest.mock`")
    assert () == doubles({"shop.py": (text, f"a = 1\n{text}")})
    assert () == doubles({"shop.py": ("", "import mocking\nfrom unittest import case\n")})


def test_a_class_that_a_function_of_another_file_makes_is_known_by_that_function() -> None:
    """It calls itself one of the file that called; the fix has nothing to do with it."""
    kind = "make_lacking.<locals>.Lacking"
    made = slot("__eq__", 9, type=kind, holder=kind, path="kinds.py")
    before = "LACKING = make_lacking()\n"
    assert not judged(made, before, before + "MORE = 1\n")
    words = f"`{kind}.__eq__` is inherited from `{kind}`, by the fix"
    assert words == judged(made, "", before)
