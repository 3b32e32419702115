from functools import partial

import pytest
from slugify import slugify as public

slugify = partial(public, algorithm="modern")
CASES = [
    ("the quick fox and the hound", ["the", "and"], "quick-fox-hound"),
    ("the quick fox and the hound", ["and", "the"], "quick-fox-hound"),
    ("the the the", ["the"], ""), ("a b a b a", ["a"], "b-b"), ("a b a b a", ["b", "a"], ""),
    ("one two three", ["three", "two", "one"], ""), ("one two three", ["three"], "one-two"), ("one two three", ["one"], "two-three"),
    ("one two three", [], "one-two-three"), ("one two three", ["x", "y"], "one-two-three"), ("One TWO three", ["TWO"], "one-three"),
    ("thematic the", ["the"], "thematic"), ("x y z x y z", ["x", "z"], "y-y"), ("", ["x"], ""), ("a-b a-b", ["a"], "b-b"),
]


@pytest.mark.parametrize(("text", "stopwords", "wanted"), CASES)
@pytest.mark.parametrize("make", [list, tuple, set, iter, lambda words: (word for word in words)])
def test_stopwords(text, stopwords, wanted, make):
    assert slugify(text, stopwords=make(stopwords)) == wanted


@pytest.mark.parametrize(("lowercase", "wanted"), [(True, "quick-fox"), (False, "THE-quick-fox-The")])
def test_case(lowercase, wanted):
    assert slugify("THE the quick the fox The", stopwords=["the"], lowercase=lowercase) == wanted


def test_with_separator_and_limit():
    assert slugify("the a the b the c", stopwords=["the"], separator="_") == "a_b_c"
    assert slugify("the aa the bb the cc", stopwords=["the"], max_length=5, word_boundary=True) == "aa-bb"


def test_unicode():
    assert slugify("\u5f71 \u5e08 \u5f71", stopwords=["\u5f71"], allow_unicode=True) == "\u5e08"
