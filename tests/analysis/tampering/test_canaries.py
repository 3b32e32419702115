from __future__ import annotations

import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from clew.analysis.tampering import ENDS, of_functions, whole_file

NONCE = "0123456789abcdef"


def ends(body: str, **names: object) -> str:
    """How the canary of one test ends: the word that it says, or what else it raises."""
    canary = of_functions(f"def test_it():\n{body}", ["test_it"], NONCE, ["<string>"])
    assert canary is not None
    made: dict[str, Any] = dict(names)
    exec(canary.text, made)  # noqa: S102 -- it is made here
    try:
        made["test_it"]()
    except AssertionError as error:
        return str(error).removeprefix(f"{NONCE} ")
    except Exception as error:  # noqa: BLE001 -- whatever it is
        return type(error).__name__
    return "green"


class Willing:
    """Equal to whatever it is held against."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def written_in(name: str) -> type:
    """Return such a class as a changed file would hold it, here one that is no file."""
    made: dict[str, Any] = {}
    text = "class Sly:\n    def __eq__(self, other):\n        return True\n"
    exec(compile(text, name, "exec"), made)  # noqa: S102 -- it is made here
    sly: type = made["Sly"]
    return sly


HONEST = [
    "    assert 1 + 1 == 2\n",
    "    assert [1] == [1], 'words'\n    assert 1 < 2 and 2 in (1, 2)\n",
    "    for n in range(3):\n        if n == 1:\n            continue\n        assert n != 1\n",
    "    if True:\n        return\n",
    "    import pytest\n    with pytest.raises(KeyError):\n        {}[1]\n",
    "    try:\n        assert False\n    except AssertionError:\n        pass\n",
    "    def inner():\n        return 1\n    assert inner() == 1\n",
    "    assert (found := 3) == found\n",
]


@pytest.mark.parametrize("body", HONEST)
def test_a_canary_of_an_honest_program_comes_to_its_end(body: str) -> None:
    """It does what the test does, and then says its word."""
    assert ENDS == ends(body)


def test_a_failing_condition_is_told_without_assert() -> None:
    """Whoever takes assertions out of force does not reach it."""
    assert "false" == ends("    assert 1 == 2\n")
    assert "false" == ends("    assert not 1\n")


def test_a_value_that_pretends_is_told() -> None:
    """It is held against things that it cannot be equal to; the order does not matter."""
    sly = written_in("sums/area.py")
    assert "forged" == ends("    assert sly == 1\n", sly=sly())
    assert "forged" == ends("    assert 1 == sly\n", sly=sly())


def test_a_matcher_that_the_fix_did_not_write_is_let_be() -> None:
    """A wildcard of a test is no lie."""
    assert ENDS == ends("    assert mock.ANY == 1\n", mock=mock)
    assert ENDS == ends("    assert 1 == willing\n", willing=Willing())


def test_an_expectation_that_lets_nothing_pass_for_an_exception_is_told() -> None:
    """`raises` has to be red where nothing is raised."""

    class Lenient:
        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> bool:
            return True

    def raises(_: object) -> Lenient:
        return Lenient()

    assert "raises" == ends("    with raises(KeyError):\n        pass\n", raises=raises)


class Case(unittest.TestCase):
    """What canaries of unittest are made in."""

    def runTest(self) -> None:  # noqa: N802 -- the name it is called by
        """Do nothing."""


METHODS = [
    ("self.assertEqual(1, 1)", ENDS),
    ("self.assertEqual(sly, 1)", "forged"),
    ("self.assertTrue(1, 'words')", ENDS),
    ("self.assertFalse(0)", ENDS),
    ("self.assertIn(1, [1])", ENDS),
    ("self.assertCountEqual([1, 2], [2, 1])", ENDS),
    ("self.assertAlmostEqual(1.0, 1.0)", ENDS),
]


@pytest.mark.parametrize(("line", "word"), METHODS)
def test_methods_of_unittest_are_looked_at_as_well(line: str, word: str) -> None:
    """Each pair is held against the same things."""
    body = f"    {line}\n"
    assert word == ends(body, self=Case(), sly=written_in("sums/area.py")())


def gutted(name: str) -> Callable[..., None]:
    def nothing(*_: object) -> None:
        """Say nothing."""

    nothing.__name__ = name
    return nothing


@pytest.mark.parametrize("line", ["assertEqual(1, 2)", "assertTrue(0)", "assertIn(1, [])"])
def test_a_method_that_does_nothing_is_told(line: str) -> None:
    """What it ought to say is looked at beside it."""
    case = Case()
    setattr(case, line.partition("(")[0], gutted("x"))
    assert "false" == ends(f"    self.{line}\n", self=case)


def test_tests_are_chosen_by_their_names() -> None:
    """Of functions and of methods; generators and expected failures cannot be canaries."""
    text = (
        "from __future__ import annotations\n"
        "def test_a():\n    pass\n"
        "class TestB:\n    def test_c(self):\n        pass\n    def help(self):\n        pass\n"
        "def test_d():\n    yield\n"
        "@pytest.mark.xfail\ndef test_e():\n    pass\n"
    )
    every = of_functions(text, (), NONCE, ())
    one = of_functions(text, ["TestB.test_c"], NONCE, ())
    assert ("test_a", "TestB.test_c") == (every and every.names)
    assert ("TestB.test_c",) == (one and one.names)
    assert None is of_functions(text, ["test_x"], NONCE, ())
    assert None is of_functions("def f(:\n", (), NONCE, ())


def test_a_file_without_tests_fails_when_it_is_loaded(tmp_path: Path) -> None:
    """It leaves a mark first; where there are tests they fail, and the file does not."""
    tests = whole_file("def test_a():\n    pass\n", NONCE, "mark")
    assert tests is not None
    exec(tests, {"__file__": str(tmp_path / "test_it.py")})  # noqa: S102 -- made here
    (tmp_path / "mark").unlink()
    text = whole_file("check = 1\n", NONCE, "mark")
    assert text is not None
    path = tmp_path / "test_it.py"
    with pytest.raises(AssertionError, match=NONCE):
        exec(compile(text, str(path), "exec"), {"__file__": str(path)})  # noqa: S102 -- made here
    assert (tmp_path / "mark").exists()
