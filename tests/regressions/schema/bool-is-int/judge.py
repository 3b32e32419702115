import datetime as dt
from collections.abc import Mapping, Sequence

import pytest
from schema import And, Or, Schema, SchemaError, SchemaUnexpectedTypeError


class Number(int):
    pass


GOOD = [
    (int, 1), (int, 0), (int, Number(3)), (bool, True), (bool, False), (str, "x"), (float, 1.5), (list, [1]), (dict, {}), (object, True),
    (object, 1), (Number, Number(1)), (dt.date, dt.date(2020, 1, 1)), (dt.date, dt.datetime(2020, 1, 1)), (type(None), None), (bytes, b"x"),
    (Mapping, {}), (Sequence, [True]), (object, None), (complex, 1j),
]
BAD = [
    (int, True), (int, False), (int, "1"), (int, 1.0), (int, None), (bool, 1), (bool, 0), (bool, "True"), (str, 1), (str, True), (str, None),
    (float, 1), (float, True), (list, (1,)), (dict, []), (Number, 1), (Number, True), (dt.datetime, dt.date(2020, 1, 1)), (bytes, "x"),
    (type(None), False), (Mapping, []),
]


@pytest.mark.parametrize(("kind", "value"), GOOD)
def test_good(kind, value):
    assert Schema(kind).validate(value) is value
    assert Schema([kind]).validate([value]) == [value]
    assert Schema({"k": kind}).validate({"k": value}) == {"k": value}


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_bad(kind, value):
    with pytest.raises(SchemaUnexpectedTypeError):
        Schema(kind).validate(value)
    assert not Schema([kind]).is_valid([value])
    assert not Schema({"k": kind}).is_valid({"k": value})


def test_combined():
    assert Schema(Or(int, bool)).validate(True) is True
    assert not Schema(And(int, bool)).is_valid(True)
    assert not Schema(Or(str, float)).is_valid(1)
    with pytest.raises(SchemaError) as caught:
        Schema(str, error="no {}").validate(5)
    assert caught.value.code == "no 5"
