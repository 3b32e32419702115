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
    assert ("rounding", "totals") == first.shared
    assert ["total"] == [each.name for each in rest]
    assert ["getRate"] == [each.name for each in mentioned("wrong rates", TEXTS)]


def test_the_path_counts_and_common_words_do_not() -> None:
    assert ["add", "rounded_total"] == [each.name for each in mentioned("an empty cart", TEXTS)]
    assert () == mentioned("it is the one with no get", TEXTS)


def test_what_a_function_says_and_does_counts_less_than_its_name() -> None:
    """Its docstring and its names; rare words first."""
    texts = {
        "cookies.py": (
            "def dump(key, max_age=None):\n"
            '    """Make a header that sets a cookie.\n\n    It lives for some days.\n    """\n'
            "    return key\n\n\n"
            "def cookie_of(header):\n    return header\n"
        ),
        "days.py": "def today():\n    return 1\n",
    }
    found = mentioned("the cookie lives no days", texts)
    assert ("dump", ("cookie", "days", "lives")) == (found[0].name, tuple(sorted(found[0].shared)))
    assert ["cookie_of", "dump"] == [each.name for each in mentioned("no cookie", texts)]


def test_a_name_as_code_has_it_is_first() -> None:
    """With an underscore, called, or in back-ticks; a word that is a name as well is not."""
    texts = {"a.py": "def update_in(d):\n    pass\n\n\ndef failing_default(d):\n    default\n"}
    for words in ("update_in has a failing default", "a failing default"):
        first, *_ = mentioned(words, texts)
        assert ("update_in" if "_" in words else "failing_default") == first.name


def test_a_function_is_run_where_a_line_of_its_body_is() -> None:
    """Its head is run wherever its file is imported."""
    first, *_ = mentioned("rounding", TEXTS)
    assert "shop/cart.py:5 in rounded_total (shares rounding)" == str(first)
    assert [False, True, False] == [first.is_run(lines) for lines in ((1, 5), (2, 6), ())]
