"""Older code put back beside what came since."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.search.fixers.earlier import beside
from clew.probe.search.fixers.expressions import expressions
from clew.probe.search.fixers.merging import (
    additions,
    aligned,
    extracted,
    kept_beside,
    removals,
    reverted,
)
from clew.probe.search.source import Source, apply_changes
from searchplay import DebugRun

THEN = '''\
from copy import deepcopy

EMPTY = {"rows": []}


def pages(items, size):
    """Pages."""
    return max(1, -(-len(items) // size))


def split(cents, weights):
    """Cents."""
    parts = [cents * weight // sum(weights) for weight in weights]
    parts[0] += cents - sum(parts)
    return parts


def sheet(name):
    found = deepcopy(EMPTY)
    found["name"] = name
    return found


class Step:
    def __init__(self):
        self.errors = []

    def run(self):
        return self.errors


class Number(Step):
    def __init__(self, field):
        super().__init__()
        self.field = field

    def told(self):
        return self.field
'''
NOW = '''\
EMPTY = {"rows": []}


def pages(items, size, orphans=0):
    """Pages; orphans are joined."""
    return max(1, (len(items) - orphans) // size)


def split(amount, weights):
    """Units."""
    return [round(amount * weight / sum(weights)) for weight in weights]


def sheet(name, **fields):
    return {**EMPTY, **fields, "name": name}


class Step:
    errors = []

    def run(self):
        return self.errors


class Number(Step):
    def __init__(self, field, strict=False):
        self.field = field
        self.strict = strict

    def told(self):
        return self.field
'''
PAIR = Source("a.py", NOW), Source("a.py", THEN)


def test_functions_are_put_under_todays_signatures_names_and_docstrings() -> None:
    source, old = PAIR
    text = aligned(old, source).text

    assert 'def split(amount, weights):\n    """Units."""\n    parts = [amount *' in text
    assert "amount - sum(parts)" in text
    assert "cents" not in text
    assert "def pages(items, size, orphans=0):" in text
    assert aligned(source, source) is source


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("max(1, (len(items) - orphans) // size)", "max(1, -(-(len(items) - orphans) // size))"),
        ("{**EMPTY, **fields", "{**deepcopy(EMPTY), **fields"),
        ("(len(items) - orphans)", "-len(items)"),
    ],
)
def test_a_part_that_came_since_stays_in_an_older_expression(was: str, becomes: str) -> None:
    """And what it needs is imported again."""
    source, old = PAIR
    merged = [apply_changes(NOW, changes) for *_, changes in expressions(source, old)]
    wanted = NOW.replace(was, becomes)
    if "deepcopy" in becomes:
        wanted = "from copy import deepcopy\n" + wanted

    assert wanted in merged


def test_nothing_is_put_together_that_has_a_word_more_often_than_both() -> None:
    """Nor what is no Python, or asks for a name that is nowhere."""
    source, old = PAIR
    for words, _, changes in expressions(source, old):
        text = apply_changes(NOW, changes)
        compile(text, "a.py", "exec")
        assert "len(len(" not in text, words
        assert "found" not in text


def test_what_has_no_name_in_common_did_not_become_the_other() -> None:
    """`self._clock()` was never in the place of `self.capacity`, though each begins with `self`."""
    old = "class Store:\n    def put(self, key):\n        self.kept[key] = self._clock()\n"
    new = "class Store:\n    def put(self, key):\n        if len(self.kept) >= self.capacity:\n"
    new += "            self.kept.clear()\n"
    found = [words for words, *_ in expressions(Source("a.py", new), Source("a.py", old))]
    assert not [each for each in found if each.startswith("`self._clock()`")]
    renamed = old.replace("_clock()", "_now()")  # in the same line it may have been
    found = [words for words, *_ in expressions(Source("a.py", renamed), Source("a.py", old))]
    assert "`self._clock()` for `self._now()` as it was" in found


def test_of_a_text_that_was_written_anew_no_expression_is_put_together() -> None:
    """There are too many pairs, and none says anything."""
    old = "".join(f"def f{n}(a):\n    return a.b{n} + a.c{n} * {n}\n\n\n" for n in range(60))
    new = old.replace("a.b", "a.d").replace("+", "-")
    assert [] == list(expressions(Source("a.py", new), Source("a.py", old)))


def test_no_line_is_put_beside_another_that_it_makes_vain() -> None:
    """`base` would be set twice, and the first time for nothing."""
    now, then = (
        f"def cost(a):\n    base = {made}\n    return base\n" for made in ("f(a)", "a - 2")
    )
    assert [] == list(kept_beside(Source("a.py", now), Source("a.py", then)))
    added = [each.replace("base =", "base +=") for each in (now, then)]
    found = list(kept_beside(*(Source("a.py", each) for each in added)))
    assert ["above", "below"] == [words.split()[0] for words, *_ in found]
    changed = (now.replace("base = f(a)", "base = base + f(a)"), added[1])
    assert [] == list(kept_beside(*(Source("a.py", each) for each in changed)))


def test_lines_and_methods_that_are_gone_stand_beside_what_is_there() -> None:
    source, old = PAIR
    found = additions(source, aligned(old, source))
    assert found is not None
    words, _, changes = found
    text = apply_changes(NOW, changes)

    assert "`Step.__init__`" in words
    assert (
        "    errors = []\n\n    def __init__(self):\n        self.errors = []\n\n    def run"
        in text
    )
    assert "strict=False):\n        super().__init__()\n        self.field = field\n" in text
    assert "self.strict = strict" in text
    assert additions(source, source) is None


def test_of_texts_that_are_alike_nothing_is_put_beside() -> None:
    source, _ = PAIR
    assert [] == list(beside(source, source, parts=True))


PAGER = """\
def paginate(items, number, size=10, orphans=0):
    pages = max(1, (len(items) - orphans) // size)
    if not 1 <= number <= pages:
        raise IndexError(number)
    end = len(items) if number == pages and orphans else number * size
    return items[(number - 1) * size : end]
"""
EARLIER = """\
def paginate(items, number, size=10):
    pages = max(1, -(-len(items) // size))
    if not 1 <= number <= pages:
        raise IndexError(number)
    return items[(number - 1) * size : number * size]
"""
TESTS = """\
from pager import paginate


def test_first():
    assert paginate("abcdefg", 1, 3) == "abc"


def test_last():
    assert paginate("abcdefg", 3, 3) == "g"
"""


def test_a_fault_of_a_commit_is_mended_and_what_else_it_brought_stays(tmp_path: Path) -> None:
    """Both were green in the older code, which had no orphans."""
    shop = DebugRun(tmp_path)
    shop.write({"pager.py": PAGER, "test_pager.py": TESTS})
    earlier = [("pager.py", "1a2b3c4d5e", EARLIER)]

    answer = shop.search("test_pager.py::test_last", earlier=earlier)

    wanted = PAGER.replace("(len(items) - orphans) // size", "-(-(len(items) - orphans) // size)")
    assert wanted == shop.repaired(answer.first)["pager.py"]
    assert not any("orphans" not in text["pager.py"] for text in [shop.repaired(answer.first)])


def test_where_only_older_code_passes_it_is_told_what_goes_with_it(tmp_path: Path) -> None:
    shop = DebugRun(tmp_path)
    now = "def key(name, deep=False):\n    return hash(name) if deep else 0\n"
    then = 'def key(name):\n    return "-".join(sorted(name.lower().split()[::-2]))\n'
    test = "from keys import key\n\n\ndef test_key():\n    assert key('B x A') == 'a-b'\n"
    shop.write({"keys.py": now, "test_keys.py": test})

    answer = shop.search("test_keys.py::test_key", earlier=[("keys.py", "1a2b3c4d5e", then)])

    assert "older code" == answer.first["family"]
    said = "put back `key` as it was before 1a2b3c4d5e, which takes the parameter `deep` of `key`"
    assert answer.first["description"].startswith(said)


def test_a_change_with_an_import_is_tried_without_importing_anew(tmp_path: Path) -> None:
    """What it imports is known to that change alone."""
    shop = DebugRun(tmp_path)
    text = (
        "class Kept:\n    def __init__(self):\n        self.found = {}\n\n"
        "    def add(self, name, rows):\n        self.found[name] = rows\n\n"
        "    def of(self, name):\n        return self.found[name]\n"
    )
    test = (
        "from kept import Kept\n\n\ndef test_of():\n    kept = Kept()\n"
        "    kept.add('a', [{'x': [1]}])\n    kept.of('a')[0]['x'].append(2)\n"
        "    kept.of('a')[0]['y'] = 3\n    assert kept.of('a') == [{'x': [1]}]\n"
    )
    shop.write({"kept.py": text, "test_kept.py": test})

    answer = shop.search("test_kept.py::test_of")

    wanted = text.replace("return self.found[name]", "return deepcopy(self.found[name])")
    assert "from copy import deepcopy\n" + wanted == shop.repaired(answer.first)["kept.py"]


STEPS = ["a = 1", "b = 2", "c = 3", "d = 4", "e = 5", "f = 6"]


def test_what_one_commit_changed_is_undone_and_later_changes_stay(tmp_path: Path) -> None:
    """The newest older text has neither; where lines moved, they are found."""
    before = "\n".join(["def one():", *(f"    {s}" for s in STEPS), "    return a + c", ""])
    bad = before.replace("c = 3", "c = 4")
    now = "LIMIT = 9\n\n\n" + bad.replace("f = 6", "f = a * 6").replace("a + c", "a + c + f - 6")
    found = list(reverted(Source("a.py", now), bad, before))

    assert [now.replace("c = 4", "c = 3")] == [apply_changes(now, c) for _, _, c in found]
    assert [] == list(reverted(Source("a.py", now.replace("d = 4", "d = 5")), bad, before))

    shop = DebugRun(tmp_path)
    test = "from one import one\n\n\ndef test_one():\n    assert one() == 4\n"
    shop.write({"one.py": now, "test_one.py": test})
    earlier = [("one.py", "1a2b3c4d5e", bad), ("one.py", "2a2b3c4d5e", before)]
    answer = shop.search("test_one.py::test_one", earlier=earlier)
    assert now.replace("c = 4", "c = 3") == shop.repaired(answer.first)["one.py"]


DESK = """\
def take_back(shelf, title, today, grace=0):
    loan = shelf.lent[title]
    del shelf.lent[title]
    if not days_late(loan, today, grace):
        return 0
    fine = fine_for(loan, today, grace)
    shelf.history.append((title, loan.member, fine))
    return fine


def days_late(loan, today, grace=0):
    return max(0, today - loan.due - grace)


def fine_for(loan, today, grace=0):
    return min(500, 20 * days_late(loan, today, grace))
"""


def test_a_statement_that_a_commit_brought_is_taken_out_and_the_rest_of_it_stays() -> None:
    guard = "    if not days_late(loan, today, grace):\n        return 0\n"
    before = DESK.replace(guard, "").replace(", grace=0", "").replace(", grace", "")
    before = before.replace(" - grace", "")
    found = {
        what: apply_changes(DESK, c)
        for what, _, c in removals(Source("d.py", DESK), Source("d.py", before))
    }

    words = "`take_back` without `if not days_late(loan, today, grace)` as it was"
    assert DESK.replace(guard, "") == found[words]
    assert all("return 0" not in what for what in found), "it is alone in its block"
    now = DESK.replace("    shelf.history", "    if fine:\n        shelf.history")
    pair = Source("d.py", now), Source("d.py", DESK)
    assert [] == list(removals(*pair)), "what it holds was there before"


def test_a_line_that_others_took_the_place_of_is_put_back_beside_them(tmp_path: Path) -> None:
    """What came in its place stays: neither alone is right."""
    shop = DebugRun(tmp_path)
    then = (
        "class Pass:\n    def __init__(self, blocked, days):\n"
        "        self.blocked, self.days = blocked, days\n\n"
        "    def refuse_blocked(self, number):\n        if self.blocked:\n"
        "            raise ValueError('blocked', number)\n\n"
        "    def check(self, day):\n        self.refuse_blocked(7)\n"
        "        if len(self.days) > 9:\n"
        "            raise ValueError(day)\n"
    )
    now = then.replace(
        "        self.refuse_blocked(7)\n",
        "        if day in self.days:\n            return\n",
    )
    test = (
        "import pytest\nfrom passes import Pass\n\n\ndef test_blocked():\n"
        "    with pytest.raises(ValueError):\n        Pass(True, [1]).check(2)\n\n\n"
        "def test_again():\n    Pass(False, list(range(12))).check(3)\n"
    )
    shop.write({"passes.py": now, "test_passes.py": test})

    answer = shop.search("test_passes.py::test_blocked", earlier=[("passes.py", "1a2b3c", then)])

    assert "self.refuse_blocked(7)\n        if day in" in shop.repaired(answer.first)["passes.py"]
    assert answer.first["description"].startswith(
        "put back above `if day in self.days:` the line `self.refuse_blocked(7)` that"
        " `Pass.check` had"
    )


@pytest.mark.parametrize("call", ["within(at, self.start, self.end)", "self.within(at, self.end)"])
def test_what_moved_into_a_new_function_has_its_names_there(call: str) -> None:
    """It lost a part on the way, which is put back in that function."""
    before = (
        "class Shift:\n    def covers(self, at):\n"
        "        return at >= self.start or at < self.end\n"
    )
    gives = "        return {}\n"
    now = (
        f"class Shift:\n    def covers(self, at):\n        return {call}\n\n"
        f"    def within(self, at, end):\n{gives.format('at >= self.start')}"
    )
    if not call.startswith("self"):
        now = now.replace("self, at, end", "at, start, end").replace("at >= self", "at >= ")
        now = now.replace(">= .", ">= ")
    source = Source("a.py", now)

    under = extracted(Source("a.py", before), source)

    start = "self.start" if call.startswith("self") else "start"
    assert gives.format(f"at >= {start} or at < end") in under.text
    found = [apply_changes(now, changes) for *_, changes in expressions(source, under)]
    assert now.replace(f"at >= {start}", f"at >= {start} or at < end") in found
    assert under is extracted(under, under)


def test_what_a_handler_did_comes_back_in_that_handler() -> None:
    """A second one for the same error would never be reached."""
    before = (
        "def read(sensor, tries):\n    try:\n        return sensor.read()\n"
        "    except ValueError:\n        if tries > 2:\n            raise\n"
    )
    now = before.partition("    except")[0] + (
        "    except ValueError as error:\n        log(error)\n        pause(tries)\n"
    )
    source, old = Source("a.py", now), Source("a.py", before)

    found = {what: apply_changes(now, c) for what, _, c in kept_beside(source, old)}

    words = "above `log(error)` the 2 lines from `if tries > 2:` on that `read` had"
    lines = "        if tries > 2:\n            raise\n"
    assert now.replace("        log", lines + "        log") == found[words]
    assert all(made.count("except") == 1 for made in found.values())


def test_a_check_that_others_took_the_place_of_comes_back_without_what_they_do() -> None:
    """A commit moved what follows it to a method, and a later one changed the lines beside it."""
    check = "        if self.sum < amount:\n            raise Refused('limit')\n"
    moves = "        self.sum -= amount\n        self.log.append(amount)\n"
    head = "class Account:\n    def take(self, amount{}):\n"
    then = head.format("") + check + moves
    books = "        self.book(-amount)\n        if fee:\n            self.book(-fee)\n"
    now = head.format(", fee=0") + books
    source = Source("a.py", now)

    found = {
        what: apply_changes(now, changes)
        for what, _, changes in kept_beside(source, aligned(Source("a.py", then), source))
    }

    words = (
        "above `self.book(-amount)` the 2 lines from `if self.sum < amount:` on that `Account.take`"
        " had"
    )
    assert head.format(", fee=0") + check + books == found[words]
    last = "above `self.book(-amount)` the line `self.log.append(amount)` that `Account.take` had"
    assert last in found


@pytest.mark.slow
def test_what_came_between_is_read_where_an_older_expression_is_put_back(tmp_path: Path) -> None:
    """A commit chose some of the elements, and sorted otherwise: the choice stays."""
    shop = DebugRun(tmp_path)
    then = (
        "class Board:\n    def __init__(self, rows):\n        self.rows = rows\n\n"
        "    def ranking(self):\n        return sorted(self.rows, key=lambda row: -row[0])\n"
    )
    now = then.replace("ranking(self)", "ranking(self, least=0)").replace(
        "        return sorted(self.rows, key=lambda row: -row[0])\n",
        "        rows = [row for row in self.rows if row[0] >= least]\n"
        "        return list(reversed(sorted(rows, key=lambda row: row[0])))\n",
    )
    test = (
        "from board import Board\n\n\ndef test_equals():\n"
        "    rows = [(3, 'a'), (3, 'b'), (8, 'c')]\n"
        "    assert Board(rows).ranking() == [(8, 'c'), (3, 'a'), (3, 'b')]\n\n\n"
        "def test_first():\n    assert Board([(1, 'a'), (2, 'b')]).ranking()[0] == (2, 'b')\n"
    )
    shop.write({"board.py": now, "test_board.py": test})

    answer = shop.search("test_board.py::test_equals", earlier=[("board.py", "1a2b3c", then)])

    made = shop.repaired(answer.first)["board.py"]
    assert "return sorted(rows, key=lambda row: -row[0])" in made
