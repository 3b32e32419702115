"""What a phase tells those that come after it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from clew.words.phases import NO_CONTEXT, DownstreamContext, downstream_context

FIELDS = DownstreamContext.__struct_fields__

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["none", " N/A "]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        (["none", "real warning", "n/a"], ("real warning",)),
        ("  one text \n", ("one text",)),
        ("None", ()),
        ("Not Applicable", ()),
        (["", "  ", " NONE ", "none of it"], ("none of it",)),
        ([1, None, True, ["a"], "b"], ("b",)),
        (None, ()),
        ({"a": "b"}, ()),
    ],
)
def test_an_entry_that_says_nothing_is_left_out(told: object, kept: tuple[str, ...]) -> None:
    """And what is no text."""
    assert kept == downstream_context({"warnings": told}).warnings


def test_unknown_fields_are_left_out() -> None:
    """The five are all there are."""
    told = {name: name for name in (*FIELDS, "surprises")}

    assert {name: (name,) for name in FIELDS} == asdict(downstream_context(told))


@pytest.mark.parametrize("told", [None, [], "none", 3, ["warnings"], {}])
def test_what_is_no_map_tells_nothing(told: object) -> None:
    """It is no error either."""
    assert NO_CONTEXT == downstream_context(told)


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from((*FIELDS, "other")), anything) | anything)
def test_what_is_kept_stays_as_it_is(told: object) -> None:
    """However often it is read again, and in either form."""
    kept = downstream_context(told)

    assert kept == downstream_context(kept)
    assert kept == downstream_context({name: list(getattr(kept, name)) for name in FIELDS})
