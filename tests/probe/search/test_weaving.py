"""Functions put together of lines as they were and lines that came since."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.search.fixers.weaving import changes, woven
from clew.probe.search.source import Source, apply_changes
from searchplay import DebugRun

THEN = """\
def places(finishes):
    out = []
    ordered = sorted(finishes, key=lambda f: f.time)
    for index, f in enumerate(ordered):
        if index and f.time == ordered[index - 1].time:
            place = out[-1][0]
        else:
            place = index + 1
        out.append((place, f))
    return out
"""
NOW = """\
def places(finishes):
    out = []
    place, last = 0, None
    ordered = sorted((f for f in finishes if not f.out), key=lambda f: f.time)
    for f in ordered:
        if f.time != last:
            place += 1
            last = f.time
        out.append((place, f))
    return out + [(len(ordered) + 1, f) for f in finishes if f.out]
"""
WOVEN = """\
def places(finishes):
    out = []
    ordered = sorted((f for f in finishes if not f.out), key=lambda f: f.time)
    for index, f in enumerate(ordered):
        if index and f.time == ordered[index - 1].time:
            place = out[-1][0]
        else:
            place = index + 1
        out.append((place, f))
    return out + [(len(ordered) + 1, f) for f in finishes if f.out]
"""
FINISH = """

class Finish:
    def __init__(self, time, out=False):
        self.time = time
        self.out = out
"""
TESTS = """\
from races import Finish, places


def test_one():
    assert [place for place, _ in places([Finish(2), Finish(1)])] == [1, 2]


def test_ties():
    four = [Finish(1), Finish(2), Finish(2), Finish(4)]
    assert [place for place, _ in places(four)] == [1, 2, 2, 4]
"""


def test_some_lines_come_back_and_others_stay() -> None:
    """Every choice of what a commit changed is a program, and neither text."""
    now = Source("races.py", NOW)
    found = [apply_changes(NOW, each) for *_, each in woven(now, Source("races.py", THEN))]

    assert WOVEN in found
    assert not {NOW, THEN} & set(found)
    for text in found:
        compile(text, "races.py", "exec")


def test_a_branch_that_came_between_stays() -> None:
    """The last line of a function need not end with one."""
    then = "def f(a):\n    n = 0\n    if a == 1:\n        n = 2\n    return n"
    three = "    if a == 3:\n        return 4\n"
    now = f"def f(a):\n{three}    if a == 1:\n        g.n = 2\n    return g.n"
    found = [apply_changes(now, each) for *_, each in woven(Source("f", now), Source("f", then))]
    kept = then.replace("    if a == 1", f"{three}    if a == 1")
    assert {kept, kept.replace("    n = 0\n", "")} & set(found)


def test_all_that_was_changed_makes_the_older_text() -> None:
    lines, others = (text.splitlines(keepends=True) for text in (NOW, THEN))
    made = [*lines]
    for first, last, start, stop in reversed([*changes(lines, others)]):
        made[first:last] = others[start:stop]
    assert others == made


def test_the_head_of_a_block_comes_back_with_the_block() -> None:
    """Else what was done where a condition holds is done where it does not."""
    then = "def f(a):\n    if a:\n        g(a)\n        return 1\n    return 0\n"
    now = "def f(a):\n    if not a:\n        return 0\n    h(a)\n    return 1\n"
    found = [apply_changes(now, each) for *_, each in woven(Source("f", now), Source("f", then))]
    assert not any("if a:\n        return 0" in text for text in found)


@pytest.mark.slow
def test_what_came_with_a_fault_stays_when_old_lines_come_back(tmp_path: Path) -> None:
    """Boats that are out stand last, and ties are as they were."""
    shop = DebugRun(tmp_path)
    shop.write({"races.py": NOW + FINISH, "test_races.py": TESTS})

    answer = shop.search(
        "test_races.py::test_ties", earlier=[("races.py", "1a2b3c4d5e", THEN + FINISH)]
    )

    assert WOVEN + FINISH == shop.repaired(answer.first)["races.py"]
