"""What a line had is put back beside what came since, token by token."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.search.fixers.mixing import mixed, without
from clew.probe.search.source import Source, apply_changes
from searchplay import DebugRun


@pytest.mark.parametrize(
    ("was", "now", "becomes"),
    [
        ('F = ("%Y-%m-%d", "%d.%m.%Y")', 'F = ("%Y-%m-%d", "%m/%d")', '"%m/%d", "%d.%m.%Y")'),
        ("F = x in (200, 404)", "F = x in (200, 301)", "(200, 301, 404)"),
        ("F = g(day, closed)", "F = g(day, late)", "g(day, closed, late)"),
        ('F = ["jpg", "jpeg", "png"]', 'F = ["jpg", "png", "webp"]', '"jpeg", "png", "webp"]'),
        ('def f(a, by=",;"):\n    pass', 'def f(a, by=",|"):\n    pass', 'by=",|;"'),
        (
            'F = f"{a.name} <{a.mail}>"',
            'F = f"{a.name} {a.mail}" + (f", {a.unit}" if a.unit else "")',
            'f"{a.name} <{a.mail}>" + (f", {a.unit}" if a.unit else "")',
        ),
        (
            r'F = r"(?:\+?(\d{1,3})[ -])?(\d{3})-(\d{4})"',
            r'F = r"(?:\+(\d{1,3}) )?(\d{3})-(\d{4})(?: x(\d+))?"',
            r'r"(?:\+?(\d{1,3})[ -])?(\d{3})-(\d{4})(?: x(\d+))?"',
        ),
    ],
)
def test_what_a_line_lost_stands_beside_what_came_since(was: str, now: str, becomes: str) -> None:
    """An element of a table, a part of a text or of a pattern."""
    found = [apply_changes(now, each) for *_, each in mixed(Source("a", now), Source("a", was))]

    assert any(becomes in text for text in found), found
    for text in found:
        compile(text, "a.py", "exec")
        assert text not in (was, now)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('F = ("GET", "HEAD")', 'F = ("GET", "HAED")'),  # misspelt: nobody wants both
        ("F = first(1)", "F = second() or [third]"),  # written anew
        ("F = 1", "F = 1"),
    ],
)
def test_what_only_took_the_place_of_another_does_not_stand_beside_it(was: str, now: str) -> None:
    found = [apply_changes(now, each) for *_, each in mixed(Source("a", now), Source("a", was))]
    assert not [text for text in found if '"HAED", "HEAD"' in text or "first" in text]


def test_what_came_with_a_new_line_is_taken_out_alone() -> None:
    """A call around a value, a step, a condition; not what both texts have."""
    was = "def f(a, b):\n    a.sum += (b - a.last) * 2\n    return a.sum < b.most - 1\n"
    new = "    a.sum = min(a.cap, a.sum + int((b - a.last) * 2))\n"
    now = was.replace("    a.sum += (b - a.last) * 2\n", new)
    now = now.replace("return a.sum", "return a.on and a.sum").replace("most - 1", "most - 1 + 1")

    found = {
        what: apply_changes(now, changes)
        for what, _, changes in without(Source("a.py", now), Source("a.py", was))
    }

    assert 4 == len(found), found
    assert now.replace("a.on and a.sum", "a.sum") in found.values()
    assert now.replace("int((b - a.last) * 2)", "(b - a.last) * 2") in found.values()
    assert now.replace(" + 1", "") in found.values()
    assert "`int((b - a.last) * 2)` without `int(` as it was" in found


def test_older_code_beside_todays_is_taken_before_what_undoes_that(tmp_path: Path) -> None:
    """The newer commit's element stays; what takes it away comes second, as behaving otherwise."""
    now = "def kept(method, status):\n    return method == 'GET' and status in (200, 301)\n"
    shop = DebugRun(tmp_path)
    test = "from web import kept\n\n\ndef test_missing():\n    assert kept('GET', 404)\n"
    test += "    assert not kept('POST', 404)\n    assert not kept('GET', 500)\n"
    shop.write({"web.py": now, "test_web.py": test})
    earlier = [("web.py", "1a2b3c4d5e", now.replace("301", "404"))]

    answer = shop.search("test_web.py::test_missing", earlier=earlier, last=True)

    assert now.replace("301", "301, 404") == shop.repaired(answer.first)["web.py"]
    assert answer.first["description"].startswith("put back beside today's what `return")
    assert "301" in str(answer.candidates[1]["parting"])
