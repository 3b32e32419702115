"""Ids of tests, as runners spell them: read here, and by the dialect of a runner, only.

A result says by itself which file it is in; these are for where only an id is at hand.
"""

from __future__ import annotations

__all__ = ["bare_name", "home_of", "is_example", "parted"]

FAILED_EXAMPLE = "Failed doctest test for "  # what doctest itself says where unittest runs it


def home_of(test: str) -> str:
    """Return the file that an id begins with; an id without one is its own home."""
    return test.partition("::")[0]


def bare_name(test: str) -> str:
    """Return the name of a test without its file and class; its parameters stay."""
    return test.rpartition("::")[2]


def is_example(test: str, error: str) -> bool:
    """Tell an example in a docstring or a text, by its id and its error.

    pytest names it by the module, or by the file. unittest names it as any other test.
    """
    return ("." in bare_name(test.partition("[")[0]) and "::" in test) or FAILED_EXAMPLE in error


def parted(test: str) -> tuple[str, str]:
    """Return what a test stands in and its name there, without parameters.

    Of `tests/test_a.py::TestB::test_c[1]` that is the file and `TestB.test_c`, of
    `tests.test_a.TestB.test_c` the module and the same.
    """
    home, inside, name = test.partition("::")
    if inside:
        return home, name.partition("[")[0].replace("::", ".")
    home, *rest = test.rsplit(".", 2)
    return home, ".".join(rest)
