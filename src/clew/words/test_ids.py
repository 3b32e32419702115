"""Ids of tests, as runners spell them: where only an id is at hand, and no result with its file."""

from __future__ import annotations

__all__ = ["parted"]


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
