from __future__ import annotations

import hashlib

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from clew.probe.formulas import alike, ochiai, patch_hash

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
