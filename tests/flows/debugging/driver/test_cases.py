from __future__ import annotations

import pytest

from clew.analysis.tampering import place_of

FILES = ("app/core.py", "pkg/tests/test_a.py", "tests/test_a.py", "unit/test_b.py")


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/test_a.py::test_x[1-a::b]", ("tests/test_a.py", "test_x")),
        ("tests/test_a.py::TestA::test_x", ("tests/test_a.py", "TestA.test_x")),
        ("test_b.py::test_x", ("unit/test_b.py", "test_x")),  # where the runner's root lies deeper
        ("tests.test_a.TestA.test_x", ("tests/test_a.py", "TestA.test_x")),
        ("test_b.TestB.test_x", ("unit/test_b.py", "TestB.test_x")),
        ("test_a.py::test_x", None),  # two files could be meant
        ("cargo test", None),
    ],
)
def test_a_test_is_found_by_its_id(test: str, expected: tuple[str, str] | None) -> None:
    """Pytest's and unittest's, from the root or from below it; what is not sure is left out."""
    assert expected == place_of(test, FILES)
