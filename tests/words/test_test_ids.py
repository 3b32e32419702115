"""What an id alone says of a test."""

from __future__ import annotations

import pytest

from clew.words.test_ids import parted


@pytest.mark.parametrize(
    ("test", "home", "name"),
    [
        ("tests/test_a.py::test_b", "tests/test_a.py", "test_b"),
        ("tests/test_a.py::TestB::test_c[x.y::z]", "tests/test_a.py", "TestB.test_c"),
        ("tests.test_a.TestB.test_c", "tests.test_a", "TestB.test_c"),
        ("example.com/shop/till::TestTotal", "example.com/shop/till", "TestTotal"),
        ("make test", "make test", ""),
    ],
)
def test_an_id_names_what_a_test_stands_in(test: str, home: str, name: str) -> None:
    """A file, a package or a module, and the name there, whatever its parameters."""
    assert (home, name) == parted(test)
