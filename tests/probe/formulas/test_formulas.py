from __future__ import annotations

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.probe.formulas import alike, ochiai, patch_hash, same_value

TEXTS = st.text(st.characters(codec="utf-8"))


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_ochiai_lies_between_none_and_one(failing: int, passing: int, more: int) -> None:
    """1 only for what all failing tests run and no other; never less for one more failing test."""
    score = ochiai(failing, passing, failing + more)

    assert 0.0 <= score <= 1.0
    assert (score == 1.0) == (failing > 0 and passing == 0 and more == 0)
    assert ochiai(failing + 1, passing, failing + more + 1) >= score


@given(TEXTS, TEXTS)
def test_a_patch_keeps_the_hash_that_journals_have(current: str, should_be: str) -> None:
    """It is of the JSON of its edits, in order, without the space around their texts."""
    edits = [("b.py", f"  {current}", should_be), ("a.py", current, f"{should_be}\n")]

    parts = [
        ["a.py", current.strip(), should_be.strip()],
        ["b.py", current.strip(), should_be.strip()],
    ]
    known = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]
    assert known == patch_hash(edits)


def test_lines_that_the_same_tests_run_are_one_group() -> None:
    """Tests are told by their place."""
    tests: list[dict[str, tuple[int, ...]]] = [{"a.py": (1, 2, 3)}, {"a.py": (1, 3), "b.py": (9,)}]

    assert (((1, 3), (0, 1)), ((2,), (0,))) == alike(tests, "a.py")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0", "0.0", True),
        ("True", "1", True),
        ("[1, {'a': 2}]", "[True, {'a': 2.0}]", True),
        ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", True),
        ("0.3", "0.30000000000000004", True),
        ("20", "20.1", False),
        ("(1,)", "[1]", False),
        ("'1'", "1", False),
        ("raises KeyError", "raises KeyError", False),
        ("Money(1)", "Money(1)", False),
        ("1" + "0" * 400, "1.5", False),
        ("{[]: 1}", "1", False),
    ],
)
def test_values_are_the_same_that_a_test_by_value_does_not_tell_apart(
    one: str, other: str, *, same: bool
) -> None:
    assert (same, same) == (same_value(one, other), same_value(other, one))
