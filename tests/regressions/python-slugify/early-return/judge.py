from functools import partial

import pytest
from slugify import slugify as public

slugify = partial(public, algorithm="modern")


@pytest.mark.parametrize("separator", ["_", ".", "-", "--", "::", "", " ", "~~~"])
@pytest.mark.parametrize("limit", [0, -1, 11, 12, 13, 30, 100])
@pytest.mark.parametrize("word_boundary", [True, False])
def test_fits(separator, limit, word_boundary):
    wanted = separator.join(["one", "two", "six"])
    if 0 < limit < len(wanted):
        return
    assert slugify("one two six", separator=separator, max_length=limit, word_boundary=word_boundary) == wanted


@pytest.mark.parametrize(("separator", "limit", "wanted"), [
    ("_", 7, "one_two"), ("_", 8, "one_two"), ("_", 10, "one_two_si"), ("::", 8, "one::two"), ("_", 4, "one"), ("", 7, "onetwos"),
])
def test_cut(separator, limit, wanted):
    assert slugify("one two six", separator=separator, max_length=limit) == wanted


@pytest.mark.parametrize(("separator", "limit", "wanted"), [
    ("_", 7, "one_two"), ("_", 10, "one_two"), ("::", 9, "one::two"), ("_", 3, "one"), ("", 8, "onetwo"),
])
def test_cut_at_words(separator, limit, wanted):
    assert slugify("one two six", separator=separator, max_length=limit, word_boundary=True, save_order=True) == wanted


def test_default():
    assert slugify("one two") == "one-two"
    assert slugify("one", separator="_") == "one"
    assert slugify("", separator="_") == ""
    assert slugify("one_two", separator="_") == "one_two"
    assert slugify("x", replacements=[("x", "a-b")], separator="_") == "a_b"
