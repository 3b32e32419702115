"""JSON without `json`: the same values, and ValueError for everything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.handoff.quick import flag, number, parse, table, text, write

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(values, st.sampled_from([None, 2]), st.booleans())
def test_it_reads_what_json_writes(value: object, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001 -- hypothesis gives it
    """In whatever form."""
    source = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        encoded = source.encode()
    except UnicodeEncodeError:  # a lone surrogate
        encoded = json.dumps(value).encode()
    assert value == parse(encoded)


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text()))
def test_json_reads_what_it_writes(record: dict[str, str | int | bool | None]) -> None:
    """One line each."""
    assert record == json.loads(write(record))
    assert "\n" not in write(record)


@given(st.binary() | st.text().map(str.encode))
def test_what_is_no_json_is_a_value_error(source: bytes) -> None:
    """Whatever comes on standard input, there is one way that it fails."""
    try:
        expected = json.loads(source.decode())
    except ValueError:
        with pytest.raises(ValueError, match="JSON"):
            parse(source)
    else:
        assert expected == parse(source) or expected != expected  # noqa: PLR0124 -- NaN


@pytest.mark.parametrize("source", ["", "{", '{"a": 1', '{"a": "\n"}', "[" * 100_000, '{"a":1} x'])
def test_torn_and_deep_texts_are_value_errors(source: str) -> None:
    """A line that is still being written, for one."""
    with pytest.raises(ValueError, match="JSON"):
        parse(source)


def test_fields_of_another_type_are_not_there() -> None:
    """A payload that changes its mind about a type makes nothing fail."""
    record = table({"a": 1, "b": "x", "c": True})
    assert ["", "x", ""] == [text(record, name) for name in "abc"]
    assert [1, None, None] == [number(record, name) for name in "abc"]
    assert [None, None, True] == [flag(record, name) for name in "abc"]
    assert {} == table([1])
