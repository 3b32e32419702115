import pytest
from schema import And, Length, Schema, SchemaError

CASES = [
    (Length(), 0, True), (Length(), 50, True), (Length(1), 0, False), (Length(1), 1, True), (Length(0), 0, True), (Length(3), 2, False),
    (Length(3), 9, True), (Length(max=0), 0, True), (Length(max=0), 1, False), (Length(max=0), 5, False), (Length(0, 0), 0, True),
    (Length(0, 0), 1, False), (Length(max=1), 1, True), (Length(max=1), 2, False), (Length(2, 4), 1, False), (Length(2, 4), 2, True),
    (Length(2, 4), 4, True), (Length(2, 4), 5, False), (Length(3, 3), 3, True), (Length(3, 3), 2, False), (Length(3, 3), 4, False),
]


@pytest.mark.parametrize(("length", "many", "good"), CASES)
@pytest.mark.parametrize("make", [lambda n: "x" * n, lambda n: [1] * n, lambda n: dict.fromkeys(range(n)), lambda n: b"x" * n])
def test_lengths(length, many, good, make):
    data = make(many)
    if good:
        assert Schema(length).validate(data) is data
    else:
        with pytest.raises(SchemaError):
            Schema(length).validate(data)


@pytest.mark.parametrize("data", [1, None, 1.5, object()])
def test_no_length(data):
    with pytest.raises(SchemaError):
        Schema(Length(max=0)).validate(data)


def test_message():
    with pytest.raises(SchemaError, match="'ab' is longer than 0"):
        Length(max=0).validate("ab")
    with pytest.raises(SchemaError, match="bad ab"):
        Length(max=0, error="bad {}").validate("ab")


def test_combined():
    schema = Schema({"tags": And(list, Length(max=0)), "name": And(str, Length(1))})
    assert schema.is_valid({"tags": [], "name": "x"})
    assert not schema.is_valid({"tags": ["x"], "name": "x"})
    assert not schema.is_valid({"tags": [], "name": ""})
