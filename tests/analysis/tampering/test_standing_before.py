"""A fix that only puts back what stood there is told from every other one."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import puts_back

EARLIER = """\
RATE = 19

def gross(net):
    if net < 0:
        raise ValueError(net)
    net -= RATE
    return net + net * RATE // 100
"""
NOW = """\
RATE = 7

def gross(net, rate=None):
    log(net)
    net -= RATE
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
        ("    log(net)\n", "    log(net)\n    net += RATE\n"),
    ],
)
def test_what_brings_anything_else_is_no_putting_back(old: str, new: str) -> None:
    """It may be made for the tests."""
    assert not puts_back(NOW, NOW.replace(old, new, 1), EARLIER)


MIXED = """\
def kept(method, status, name):
    if not name:
        return method in ("GET", "HEAD") and status in (200, 301)
    return f"{name.first} {name.last}" + (f", {name.title}" if name.title else "")
"""
UNMIXED = """\
def kept(method, status, name):
    if not name:
        return method in ("GET", "HEAD") and status in (200, 404)
    return f"{name.first} <{name.last}>"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("301)", "301, 404)"),
        ("301)", "404)"),
        ("{name.last}", "<{name.last}>"),
    ],
)
def test_what_stood_in_a_statement_is_put_back_beside_what_came_since(old: str, new: str) -> None:
    """An element of a table, or a part of a text."""
    assert puts_back(MIXED, MIXED.replace(old, new, 1), UNMIXED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("301)", "301, 405)"),
        ("200, 301)", "404, 200, 301)"),  # elsewhere than it stood
        ('("GET", "HEAD")', '("GET", "HEAD", 404)'),
        ("{name.last}", "<{name.last}> or 404"),
        ("301)", "301, 404) or status == 404"),
    ],
)
def test_what_never_stood_there_in_a_statement_is_not_put_back(old: str, new: str) -> None:
    assert not puts_back(MIXED, MIXED.replace(old, new, 1), UNMIXED)


def test_what_stood_there_may_not_be_taken_away_besides() -> None:
    """A fix that goes back goes back in all that it changes."""
    later = EARLIER.replace("100", "10")
    halved = EARLIER.replace("    if net < 0:\n        raise ValueError(net)\n", "")
    assert puts_back(later, EARLIER, EARLIER)
    assert not puts_back(later, halved, EARLIER)
