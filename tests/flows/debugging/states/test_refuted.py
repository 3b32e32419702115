"""Which changes a person's value rules out."""

from __future__ import annotations

import pytest

from clew.flows.debugging.states.persons import _differ


@pytest.mark.parametrize(
    ("gives", "value", "expected"),
    [
        ("1.5", "1.5", False),
        ("1.5", "1.0", True),
        ("<Page>", "1.0", False),
        ("raises ValueError", "1.0", True),
        ("raises ValueError", "raises ValueError", False),
        ("raises ValueError: too small", "raises ValueError", False),
        ("raises KeyError", "raises ValueError", True),
        ("1.5", "raises ValueError", True),
    ],
)
def test_a_value_rules_out_what_gives_another_one(
    gives: str, value: str, *, expected: bool
) -> None:
    assert expected is _differ(gives, value)
