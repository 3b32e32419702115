from merge import merge


def test_the_base_stays():
    base = {"a": {"b": {"c": 1}, "d": [1]}}
    assert merge(base, {"a": {"b": {"c": 2}}}) == {"a": {"b": {"c": 2}, "d": [1]}}
    assert merge(base, {"a": {"d": [2]}}, "append") == {"a": {"b": {"c": 1}, "d": [1, 2]}}
    assert base == {"a": {"b": {"c": 1}, "d": [1]}}
