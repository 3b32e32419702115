"""A fix that only puts back what stood there is told from every other one."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import puts_back

EARLIER = """\
RATE = 19

def gross(net):
    if net < 0:
        raise ValueError(net)
    return net + net * RATE // 100
"""
NOW = """\
RATE = 7

def gross(net, rate=None):
    log(net)
    return net + net * RATE // 10

def other(net):
    return net
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE // 10\n", "RATE // 100\n"),
        ("RATE = 7", "RATE = 19"),
        ("    log(net)\n", "    if net < 0:\n        raise ValueError(net)\n"),
        ("(net, rate=None)", "(net)"),
    ],
)
def test_what_stood_there_is_put_back(old: str, new: str) -> None:
    """All of it, or a part: what came since may stay."""
    assert puts_back(NOW, NOW.replace(old, new), EARLIER)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE // 10\n", "RATE // 100 + 1\n"),  # more than stood there
        ("    return net\n", "    return net + net * RATE // 100\n"),  # in another function
        ("    log(net)\n", "    if net < 1:\n        raise ValueError(net)\n"),  # another condition
        ("log(net)\n", "raise ValueError(net)\n"),  # without the condition it stood under
        ("RATE = 7", "RATE = 7 "),  # nothing
        ("RATE = 7", "RATE = ("),
    ],
)
def test_what_brings_anything_else_is_no_putting_back(old: str, new: str) -> None:
    """It may be made for the tests."""
    assert not puts_back(NOW, NOW.replace(old, new, 1), EARLIER)


def test_what_stood_there_may_not_be_taken_away_besides() -> None:
    """A fix that goes back goes back in all that it changes."""
    later = EARLIER.replace("100", "10")
    halved = EARLIER.replace("    if net < 0:\n        raise ValueError(net)\n", "")
    assert puts_back(later, EARLIER, EARLIER)
    assert not puts_back(later, halved, EARLIER)
