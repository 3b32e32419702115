import pytest
from schema import Optional, Schema


def validate(default, **kwargs):
    return Schema({Optional("k", default=default): object}).validate({}, **kwargs)["k"]


@pytest.mark.parametrize("kwargs", [{}, {"size": 2}, {"size": 2, "more": 3}])
def test_called_once_with_everything(kwargs):
    calls = []

    def fail(**given):
        calls.append(given)
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        validate(fail, **kwargs)
    assert calls == [kwargs]


def test_called_once_without_anything():
    calls = []

    def fail():
        calls.append(1)
        raise TypeError("mine")

    for kwargs in ({}, {"size": 1}):
        calls.clear()
        with pytest.raises(TypeError, match="mine"):
            validate(fail, **kwargs)
        assert calls == [1]


def test_defaults_of_parameters():
    calls = []

    def sometimes(size=0):
        calls.append(size)
        if size:
            raise TypeError("mine")
        return "silent"

    assert validate(sometimes) == "silent"
    with pytest.raises(TypeError, match="mine"):
        validate(sometimes, size=3)
    assert calls == [0, 3]


@pytest.mark.parametrize("error", [ValueError, KeyError, RuntimeError, AttributeError])
def test_other_errors(error):
    calls = []

    def fail(**kwargs):
        calls.append(kwargs)
        raise error("mine")

    with pytest.raises(error):
        validate(fail, size=1)
    assert len(calls) == 1


@pytest.mark.parametrize(("default", "kwargs", "wanted"), [
    (lambda: 42, {}, 42), (lambda: 42, {"a": 1}, 42), (lambda **kw: kw, {}, {}), (lambda **kw: kw, {"a": 1}, {"a": 1}),
    (lambda a: a * 2, {"a": 2}, 4), (lambda a=5: a, {}, 5), (lambda a=5: a, {"a": 7}, 7), (3, {}, 3), (None, {"a": 1}, None),
    (lambda a, b: (a, b), {"b": 1, "a": 2}, (2, 1)),
])
def test_values(default, kwargs, wanted):
    assert validate(default, **kwargs) == wanted


@pytest.mark.parametrize(("make", "wanted"), [(dict, {}), (list, []), (str, ""), (int, 0), (set, set())])
def test_types(make, wanted):
    assert validate(make) == wanted


def test_missing_argument():
    with pytest.raises(TypeError):
        validate(lambda a: a)


def test_unknown_argument():
    with pytest.raises(TypeError):
        validate(lambda a=1: a, b=2)


def test_present_key():
    schema = Schema({Optional("k", default=lambda: 1 / 0): int})
    assert schema.validate({"k": 3}) == {"k": 3}
