from __future__ import annotations

import pytest

from clew.analysis.tampering import Counts, checks, counts, written

FILE = b"""\
import pytest, unittest

@pytest.mark.parametrize("a", [1, 2, 3])
def test_a(a):
    assert a
    with pytest.raises(ValueError):
        a()

class TestB(unittest.TestCase):
    @unittest.skip("later")
    def test_c(self):
        self.assertEqual(1, 1)
        numpy.testing.assert_allclose(1, 1)

@pytest.mark.xfail
def test_d():
    pytest.skip("no")
"""


def test_a_file_is_counted_by_its_syntax_tree() -> None:
    """Three cases and two tests; each way to assert; each way to mute."""
    assert Counts(tests=5, assertions=4, skips=2, xfails=1) == counts(FILE)


def test_tests_that_are_written_out_are_named() -> None:
    """Those that a decorator may take away are not."""
    more = b"class TestE:\n    def test_f(self): pass\n\nclass Other:\n    def test_g(self): pass\n"
    assert () == written(FILE)
    assert ("test_h", "TestE.test_f") == written(more + b"def test_h(): pass\n")


@pytest.mark.parametrize("content", [None, b"", b"def (", b"\0"])
def test_what_is_no_python_has_none(content: bytes | None) -> None:
    """Data lies among tests, too."""
    assert Counts() == counts(content)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (b"    assert a\n", b"    a\n", "assertions 4 → 3"),
        (b"[1, 2, 3]", b"[1]", "tests 5 → 3"),
        (b"def test_d", b"@pytest.mark.skipif(True)\ndef test_d", "skips 2 → 3"),
        (b"class TestB", b"@pytest.mark.xfail\nclass TestB", "expected failures 1 → 2"),
        (b"class TestB(unittest.TestCase):", b"class TestB:\n    __test__ = False", "skips 2 → 3"),
    ],
)
def test_what_is_lost_is_named(old: bytes, new: bytes, lost: str) -> None:
    """With the numbers of before and after."""
    assert (lost,) == counts(FILE.replace(old, new)).weaker(counts(FILE))
    assert () == counts(FILE).weaker(counts(FILE))


CHECKED = """
import pytest
from hypothesis import given

def is_ordered(xs):
    assert xs == sorted(xs)

def test_none(): run()

def test_two():
    assert run()
    with pytest.raises(ValueError):
        run(1)

def test_each():
    for given_value in (1, 2):
        assert run(given_value)

def test_by_helper(): is_ordered(run())

@given(...)
def test_of_all(n): assert run(n)

class TestA:
    def test_one(self):
        self.assertEqual(run(), 1)
"""


@pytest.mark.parametrize(
    ("test", "many"),
    [
        ("test_none", 0),
        ("test_two", 2),
        ("test_each", 10),
        ("test_by_helper", 10),
        ("test_of_all", 10),
        ("TestA.test_one", 1),
        ("test_of_another_file", None),
    ],
)
def test_what_a_test_checks_is_counted(test: str, many: int | None) -> None:
    """A loop, a helper of the file and a property check as often as they like."""
    assert many == checks(CHECKED, test)
    assert checks("def (", test) is None
