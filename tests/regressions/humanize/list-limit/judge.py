import pytest
from humanize import natural_list

LIMITED = [
    ("abcde", 1, "a and 4 more"), ("abcde", 2, "a, b and 3 more"), ("abcde", 3, "a, b, c and 2 more"),
    ("abcde", 4, "a, b, c, d and 1 more"), ("abcde", 5, "a, b, c, d and e"), ("abcde", 6, "a, b, c, d and e"),
    ("ab", 1, "a and 1 more"), ("ab", 2, "a and b"), ("a", 1, "a"), ("", 1, ""), ("", 3, ""),
    (range(100), 3, "0, 1, 2 and 97 more"), (range(1001), 1, "0 and 1000 more"), ([1, "x", None], 2, "1, x and 1 more"),
]


@pytest.mark.parametrize(("items", "limit", "wanted"), LIMITED)
def test_limit(items, limit, wanted):
    assert natural_list(items, limit=limit) == wanted
    assert natural_list(iter(items), limit) == wanted
    assert natural_list(tuple(items), limit=limit) == wanted


@pytest.mark.parametrize("many", range(1, 12))
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_all_are_counted(many, limit):
    said = natural_list(["x"] * many, limit=limit)
    named = said.replace(" and ", ", ").split(", ")
    rest = [int(word.split()[0]) for word in named if word.endswith("more")]
    assert named.count("x") + sum(rest) == many
    assert named.count("x") == min(many, limit)


@pytest.mark.parametrize(("items", "wanted"), [
    ("", ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b, c and d"),
])
def test_without(items, wanted):
    assert natural_list(items) == wanted
    assert natural_list(items, None) == wanted


@pytest.mark.parametrize("limit", [0, -1, -10])
def test_refused(limit):
    with pytest.raises(ValueError):
        natural_list("abc", limit=limit)
