import pytest
from schema import Optional, Or, Schema, SchemaError, SchemaOnlyOneAllowedError

GOOD = [{"a": 1}, {"b": 2}, {"a": 1, "c": "x"}, {"b": 2, "c": "y"}]
BAD = [{}, {"c": "x"}, {"a": 1, "b": 2}, {"a": "x"}, {"d": 1}]


def make():
    return Schema({Or("a", "b", only_one=True): int, Optional("c"): str})


@pytest.mark.parametrize("first", GOOD)
@pytest.mark.parametrize("second", GOOD)
def test_good_after_good(first, second):
    schema = make()
    for data in (first, second, second, first):
        assert schema.validate(data) == data


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("good", GOOD)
def test_good_after_bad(bad, good):
    schema = make()
    for _ in range(2):
        assert not schema.is_valid(bad)
        assert schema.validate(good) == good


def test_two_at_once():
    schema = make()
    for _ in range(3):
        with pytest.raises(SchemaOnlyOneAllowedError):
            schema.validate({"a": 1, "b": 2})
    assert schema.validate({"a": 1}) == {"a": 1}


def test_optional_or():
    schema = Schema({Optional(Or("a", "b", only_one=True)): int})
    for data in ({"a": 1}, {}, {"b": 1}, {"a": 2}, {}):
        assert schema.validate(data) == data
    assert not schema.is_valid({"a": 1, "b": 1})
    assert schema.is_valid({"a": 1})


def test_in_a_list():
    schema = Schema([{Or("a", "b", only_one=True): int}])
    assert schema.validate([{"a": 1}, {"b": 2}, {"a": 3}]) == [{"a": 1}, {"b": 2}, {"a": 3}]
    with pytest.raises(SchemaError):
        schema.validate([{"a": 1}, {"a": 1, "b": 2}])


def test_by_hand():
    condition = Or(int, str, only_one=True)
    assert condition.validate(1) == 1
    condition.reset()
    assert condition.validate("x") == "x"
    condition.reset()
    assert condition.match_count == 0


def test_without_only_one():
    schema = Schema({Or("a", "b"): int})
    for data in ({"a": 1}, {"a": 1, "b": 2}, {"b": 2}):
        assert schema.validate(data) == data
