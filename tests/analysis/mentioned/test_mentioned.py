"""Functions that words may mean share words with them, and rare words weigh more."""

from __future__ import annotations

from clew.analysis.mentioned import mentioned

TEXTS = {
    "shop/cart.py": "def add(x):\n    pass\n\n\ndef rounded_total(x):\n    pass\n",
    "shop/tax.py": (
        "def total(x):\n    pass\n\n\nclass A:\n    async def getRate(self):\n        pass\n"
    ),
}


def test_the_one_that_shares_most_is_first() -> None:
    """Endings and spelling of names make no difference."""
    first, *rest = mentioned("the totals are not rounding right", TEXTS)
    assert ("shop/cart.py", 5, "rounded_total") == first[:3]
    assert ("round", "total") == first.shared
    assert ["total"] == [each.name for each in rest]
    assert ["getRate"] == [each.name for each in mentioned("wrong rates", TEXTS)]


def test_the_path_counts_and_common_words_do_not() -> None:
    assert ["add", "rounded_total"] == [each.name for each in mentioned("an empty cart", TEXTS)]
    assert () == mentioned("it is the one with no get", TEXTS)
