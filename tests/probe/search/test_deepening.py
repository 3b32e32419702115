"""Faults on one way: a repair with which a test gets further is gone on from."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clew.probe.search.deepening import TWO, Base, Deeper, likeliest
from clew.probe.search.engine import ONWARD, Search
from clew.probe.search.joining import together
from clew.probe.search.naturalness import Naturalness
from clew.probe.search.ranking import MAKESHIFT, Survivor
from clew.probe.search.session import Session
from clew.probe.search.source import Patch, Source, Splice, apply_changes
from searchplay import DebugRun


@pytest.mark.slow
def test_a_crash_hides_a_wrong_value(shop: DebugRun) -> None:
    """Neither repair turns the test green alone."""
    shop.write(
        {
            "bill.py": "def bill(prices, count):\n"
            "    total = 0\n"
            "    for price in prices:\n"
            "        total += price * cuont\n"
            "    rest = total % 9\n"
            "    return total, rest\n",
            "test_bill.py": "from bill import bill\n\n"
            "def test_bill():\n    assert bill([3, 4], 2) == (14, 4)\n"
            "    assert bill([5], 3) == (15, 5)\n",
        }
    )

    answer = shop.search("test_bill.py::test_bill")

    assert answer.first["complete"]
    text = shop.repaired(answer.first)["bill.py"]
    assert "total += price * count" in text
    assert "total % 10" in text


def test_a_crash_is_gone_on_from_by_its_likeliest_repair() -> None:
    """One that is far less likely comes behind, though it turns two tests green."""

    def base(weight: float, *greens: str) -> Base:
        return Base(Patch("a.py", 1, "name fixer", weight, "", ()), greens, False, True)

    far, near, top = base(1.2, "test_a", "test_b"), base(1.9, "test_a"), base(2.0)

    assert [top, near, far] == likeliest([far, top, near])


@pytest.mark.slow
def test_a_loop_without_end_hides_a_wrong_value(shop: DebugRun) -> None:
    """A test that ends again is further than one that hangs, though it stays red."""
    shop.write(
        {
            "digits.py": "def digits(number):\n"
            "    found = []\n"
            "    while number > 0:\n"
            "        found.append(number % 8)\n"
            "        number = number // 1\n"
            "    return found\n",
            "test_digits.py": "from digits import digits\n\n"
            "def test_two():\n    assert digits(42) == [2, 4]\n\n"
            "def test_three():\n    assert digits(987) == [7, 8, 9]\n",
        }
    )

    answer = shop.search("test_digits.py::test_two", "test_digits.py::test_three", seconds=60)

    assert answer.first["complete"]
    text = shop.repaired(answer.first)["digits.py"]
    assert "number % 10" in text
    assert "number // 10" in text


@pytest.mark.slow
def test_a_loop_without_end_is_not_mended_by_raising_what_a_test_expects(shop: DebugRun) -> None:
    """With a set that is no set all is a cycle, and the test of cycles is green."""
    shop.write(
        {
            "graph.py": "class CycleError(Exception):\n    pass\n\n\n"
            "def order(needs):\n"
            "    left = {name: set(deps) for name, deps in needs.items()}\n"
            "    done = []\n"
            "    while left:\n"
            "        ready = sorted(name for name, deps in left.items() if not deps)\n"
            "        if not ready:\n"
            "            raise CycleError(', '.join(sorted(left)))\n"
            "        first = ready[0]\n"
            "        done.append(first)\n"
            "        for deps in left.values():\n"
            "            deps.discard(first)\n"
            "    return done\n",
            "test_graph.py": "import pytest\n\nfrom graph import CycleError, order\n\n\n"
            "def test_order():\n    assert order({'b': ['a'], 'a': []}) == ['a', 'b']\n\n\n"
            "def test_cycle():\n    with pytest.raises(CycleError, match='a, b'):\n"
            "        order({'a': ['b'], 'b': ['a'], 'c': []})\n",
        }
    )

    answer = shop.search("test_graph.py::test_order", "test_graph.py::test_cycle", seconds=40)

    assert all(each["complete"] for each in answer.candidates)
    repaired = shop.repaired(answer.first)["graph.py"]
    assert "del left[first]" in repaired or "left.pop(first)" in repaired


@pytest.mark.slow
def test_a_crash_hides_a_fault_in_lines_that_nothing_ran(shop: DebugRun) -> None:
    """What lies behind the crash was never run: it is a suspect once the crash is mended."""
    shop.write(
        {
            "level.py": "def level(values):\n"
            "    ordered = values.sorted()\n"
            "    middle = len(ordered) // 2\n"
            "    if len(ordered) % 2 == 0:\n"
            "        return ordered[middle]\n"
            "    return (ordered[middle - 1] + ordered[middle]) / 2\n",
            "test_level.py": "from level import level\n\n"
            "def test_odd():\n    assert level([3, 1, 2]) == 2\n\n"
            "def test_even():\n    assert level([4, 1, 2, 3]) == 2.5\n",
        }
    )

    answer = shop.search("test_level.py::test_odd", "test_level.py::test_even")

    assert answer.first["complete"]
    assert "sorted(values)" in shop.repaired(answer.first)["level.py"]


def test_a_crash_hides_a_fault_in_another_file(shop: DebugRun) -> None:
    """No test ran the other file before: another search goes on from where the crash is gone."""
    shop.write(
        {
            "tax.py": "def taxed(price):\n    return price + 19\n",
            "bill.py": "from tax import taxed\n\n"
            "def bill(prices):\n    total = sum(pricse)\n    return taxed(total)\n",
            "test_bill.py": "from bill import bill\n\n"
            "def test_one():\n    assert bill([2]) == 38\n\n"
            "def test_two():\n    assert bill([2, 3]) == 95\n",
        }
    )

    answer = shop.search("test_bill.py::test_one", "test_bill.py::test_two")

    assert answer.first["complete"]
    repaired = shop.repaired(answer.first)
    assert "sum(prices)" in repaired["bill.py"]
    assert "price * 19" in repaired["tax.py"]
    assert ["bill.py", "tax.py"] == [part["path"] for part in answer.first["parts"]]
    assert all(part["turns_green"] for part in answer.first["parts"])


@pytest.mark.slow
def test_two_wrong_bounds_in_two_functions_that_one_test_shows(shop: DebugRun) -> None:
    """Neither of them turns it green; a value bent in the first function is no fix."""
    shop.write(
        {
            "shipping.py": "RATES = [(2000, 499), (5000, 699)]\n\n\n"
            "def parcel(grams):\n"
            "    for limit, price in RATES:\n"
            "        if grams < limit:\n"
            "            return price\n"
            "    raise ValueError(grams)\n\n\n"
            "def cost(value, grams, express=False):\n"
            "    price = parcel(grams)\n"
            "    if express:\n"
            "        return price * 2\n"
            "    return 0 if value > 5000 else price\n",
            "test_shipping.py": "from shipping import cost\n\n\n"
            "def test_small():\n    assert cost(1500, 600) == 499\n\n\n"
            "def test_large():\n    assert cost(7000, 3000, express=True) == 1398\n\n\n"
            "def test_bounds():\n    assert cost(5000, 2000) == 0\n"
            "    assert cost(5000, 2000, express=True) == 998\n",
        }
    )

    answer = shop.search("test_shipping.py::test_bounds", seconds=60)

    text = shop.repaired(answer.first)["shipping.py"]
    assert "grams <= limit" in text
    assert "value >= 5000" in text
    asked = [part["turns_green"] for part in answer.first["parts"]]
    assert [["test_shipping.py::test_bounds"]] * 2 == asked


@pytest.mark.slow
def test_two_faults_in_two_functions_are_mended_though_other_iterations_may_follow(
    shop: DebugRun,
) -> None:
    """No single edit turns a test green, so that nothing would be kept for the next one."""
    shop.write(
        {
            "span.py": "class Clash(Exception):\n    pass\n\n\n"
            "class Span:\n    def __init__(self, start, end):\n"
            "        self.start = start\n        self.end = end\n\n"
            "    def overlaps(self, other):\n"
            "        return self.start <= other.end and other.start < self.end\n\n"
            "    def contains(self, hour):\n        return self.start <= hour <= self.end\n",
            "room.py": "from span import Clash, Span\n\n\n"
            "class Room:\n    def __init__(self):\n        self.spans = []\n\n"
            "    def book(self, start, end):\n        span = Span(start, end)\n"
            "        for other in self.spans:\n            if span.overlaps(other):\n"
            "                raise Clash(other.start)\n        self.spans.append(span)\n\n"
            "    def at(self, hour):\n"
            "        return [s.start for s in self.spans if s.contains(hour)]\n",
            "test_room.py": "import pytest\nfrom room import Room\nfrom span import Clash\n\n\n"
            "def test_clash():\n    room = Room()\n    room.book(9, 11)\n"
            "    assert room.at(10) == [9]\n"
            "    for span in ((10, 12), (8, 10), (8, 12)):\n"
            "        with pytest.raises(Clash):\n            room.book(*span)\n\n\n"
            "def test_after():\n    room = Room()\n    room.book(9, 10)\n"
            "    room.book(10, 11)\n    assert room.at(10) == [10]\n",
        }
    )

    answer = shop.search("test_room.py::test_after", seconds=60)

    text = shop.repaired(answer.first)["span.py"]
    assert "self.start < other.end" in text
    assert "<= hour < self.end" in text


@pytest.mark.slow
def test_a_fault_that_runs_only_after_the_first_edit_is_mended_where_it_stands(
    shop: DebugRun,
) -> None:
    """The function that holds it was not run before; what bends its argument is no fix."""
    shop.write(
        {
            "ledger.py": "def balance(orders):\n"
            "    total = 0\n"
            "    for order in orders:\n"
            "        if order.state == 'paid':\n            total += order.total\n"
            "        if order.state == 'returned':\n            total -= order.total\n"
            "    return total\n\n\n"
            "def report(orders):\n"
            "    left = [order for order in orders if not order.is_closed]\n"
            "    return len(left), balance(orders)\n",
            "states.py": "LAST = ('refunded', 'cancelled')\n\n\n"
            "class Order:\n    def __init__(self, state, total):\n"
            "        self.state = state\n        self.total = total\n"
            "        self.closed = state in LAST\n",
            "test_ledger.py": "from ledger import report\nfrom states import Order\n\n\n"
            "def test_report():\n"
            "    orders = [Order('paid', 400), Order('refunded', 300), Order('paid', 50)]\n"
            "    assert report(orders) == (2, 150)\n",
        }
    )

    answer = shop.search("test_ledger.py::test_report", seconds=60)

    text = shop.repaired(answer.first)["ledger.py"]
    assert "order.closed" in text
    assert "== 'refunded'" in text


@pytest.mark.slow
def test_each_crash_shows_the_next(shop: DebugRun) -> None:
    """Three crashes in three functions."""
    shop.write(
        {
            "words.py": "def split(text):\n    return text.spilt()\n\n"
            "def longest(words):\n    return max(words, key=length)\n\n"
            "def shout(text):\n    return longest(split(text)).uper()\n",
            "test_words.py": "from words import shout\n\n"
            "def test_shout():\n    assert shout('a bee sees') == 'SEES'\n\n"
            "def test_other():\n    assert shout('one three two') == 'THREE'\n",
        }
    )

    answer = shop.search("test_words.py::test_shout", "test_words.py::test_other")

    assert answer.first["complete"]
    text = shop.repaired(answer.first)["words.py"]
    assert all(each in text for each in ("text.split()", "key=len)", ".upper()"))


@pytest.mark.slow
def test_in_a_loop_the_next_crash_may_lie_above(shop: DebugRun) -> None:
    """What raised as soon as it ran is mended: whatever the test ends in now comes later."""
    shop.write(
        {
            "edits.py": "class Edits:\n    def count(self, one, other):\n"
            "        table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]\n"
            "        for i in range(len(one) + 1):\n            table[i][0] = i\n"
            "        for j in range(len(other) + 1):\n            table[0][j] = j\n"
            "        for i in range(1, len(one) + 1):\n"
            "            for j in range(1, len(other) + 1):\n"
            "                if one[i] == other[j]:\n"
            "                    table[i][j] = table[i - 1][j - 1]\n"
            "                else:\n"
            "                    table[i][j] = self.min(table[i][j - 1], table[i - 1][j]) + 1\n"
            "        return table[-1][-1]\n",
            "test_edits.py": "import pytest\n\nfrom edits import Edits\n\n"
            "@pytest.mark.parametrize(('one', 'other', 'count'), [\n"
            "    ('sea', 'eat', 2), ('leet', 'etco', 4), ('a', 'a', 0), ('', 'ab', 2)])\n"
            "def test_count(one, other, count):\n    assert Edits().count(one, other) == count\n",
        }
    )
    names = ("sea-eat-2", "leet-etco-4", "a-a-0")

    answer = shop.search(*(f"test_edits.py::test_count[{name}]" for name in names), seconds=60)

    assert answer.first["complete"]
    text = shop.repaired(answer.first)["edits.py"]
    assert "one[i - 1] == other[j - 1]" in text
    assert "= min(" in text


@pytest.mark.slow
def test_two_crashes_hide_a_wrong_value_in_a_third_place(shop: DebugRun) -> None:
    """What changes the value where it is kept turns a test green too, and leaves the other red."""
    shop.write(
        {
            "reading.py": "class ReadError(Exception):\n"
            "    def __init__(self, number, line):\n"
            "        super().__init__(f'line {number}: {line}')\n"
            "        self.number = num\n\n\n"
            "def read(text):\n    found = {}\n"
            "    for number, line in enumerate(text.splitlines()):\n"
            "        key, sep, value = line.partition('=')\n"
            "        if not sep:\n            raise ReadError(number, line)\n"
            "        found[key.strip()] = value.strip()\n    return found\n",
            "settings.py": "from reading import ReadError, read\n\n\n"
            "def load(text, problems):\n    try:\n        return read(text)\n"
            "    except ReadingError as error:\n        problems.append(str(error))\n"
            "        return None\n",
            "test_settings.py": "import pytest\n\nfrom reading import ReadError, read\n"
            "from settings import load\n\n\n"
            "def test_number():\n    with pytest.raises(ReadError) as caught:\n"
            "        read('a = 1\\nb')\n    assert caught.value.number == 2\n\n\n"
            "def test_problem():\n    problems = []\n"
            "    assert load('b', problems) is None\n    assert problems == ['line 1: b']\n\n\n"
            "def test_read():\n    assert read('a = 1') == load('a=1', []) == {'a': '1'}\n",
        }
    )

    failing = "test_settings.py::test_number", "test_settings.py::test_problem"
    answer = shop.search(*failing, seconds=70)

    repaired = shop.repaired(answer.first)
    assert answer.first["complete"]
    assert "self.number = number\n" in repaired["reading.py"]
    assert "except ReadError as error" in repaired["settings.py"]


def test_the_search_beside_ends_where_another_one_goes_on(tmp_path: Path) -> None:
    """Else it takes the time that the next search needs."""
    fields = {"root": str(tmp_path), "results": str(tmp_path / "results"), "seconds": 0}
    session = Session({**fields, "failing": ["test_a.py::test_a"]})

    assert not session.enough()
    session.flags[ONWARD] = 1
    assert session.enough()


def _tried(found: list[Survivor], _chunk: object, *, learn: object) -> list[Survivor]:
    assert learn is None
    return found


def test_two_edits_that_mend_as_much_as_others_did_are_kept() -> None:
    """Only what mends more than one edit alone is worth two; the other pairs are its rivals."""
    patch = Patch("code.py", 1, TWO, 1.0, "two edits", ())
    pair = Survivor(patch, ("a", "b"), (), 1.0, 1)
    alone = pair._replace(patch=patch._replace(family="constant"), greens=("a",), reds=("b",))
    search: Any = Search.__new__(Search)
    search.survivors, search.naturalness = [alone, pair], None
    search.attempt = partial(_tried, [pair._replace(key=2), alone])
    place: Any = SimpleNamespace(
        put_in=nullcontext, frontier=SimpleNamespace(learn=list), whole=lambda found, _: found,
        tried=list, base=Base(patch, ("a",), breaks=False, further=False),
    )  # fmt: skip

    assert [pair._replace(key=2)] == search.beside(place, [])
    place.base = place.base._replace(greens=("a", "b"))  # it was refused before
    assert [] == search.beside(place, [])


TEXT = "def add(old, n):\n    return old.get(n, 0) + n\n"


def _pair(base: Base, family: str, greens: tuple[str, ...]) -> Survivor:
    """Return what a first edit and a second one, of `0`, are together."""
    before = Source("code.py", TEXT)
    after = Source("code.py", apply_changes(TEXT, base.patch.changes))
    at = after.text.index("0")
    second = Patch("code.py", 2, family, 0.8, "replace `0` by `n`", (Splice(at, at + 1, "n"),))
    project: Any = SimpleNamespace(sources={"code.py": before})
    frontier: Any = None
    place = Deeper(project, base, after, frontier)
    return place.whole(Survivor(second, greens, (), 1.0, 1), Naturalness({}))


def _first(family: str, text: str, *, greens: tuple[str, ...] = ("a",), breaks: bool) -> Base:
    at = TEXT.rindex("n")
    patch = Patch("code.py", 2, family, 0.4, f"by `{text}`", (Splice(at, at + 1, text),))
    return Base(patch, greens, breaks, further=not greens)


def test_an_odd_edit_that_another_one_makes_up_for_is_makeshift() -> None:
    """The second edit turns nothing green: it mends what the first one broke."""
    base = _first("wrap", "bool(n)", breaks=True)
    assert MAKESHIFT == _pair(base, "variable", ("a",)).patch.family
    assert MAKESHIFT == _pair(_first("offset", "n - 1", breaks=True), "cut", ("a",)).patch.family


def test_two_edits_that_each_have_a_reason_are_not_makeshift() -> None:
    """Each is plain by itself, turns one more test green, or lets a test go on."""
    plain = _first("offset", "n - 1", breaks=True)
    assert TWO == _pair(plain, "variable", ("a",)).patch.family
    broken = _first("wrap", "bool(n)", breaks=True)
    assert TWO == _pair(broken, "variable", ("a", "b")).patch.family
    onward = _first("wrap", "bool(n)", greens=(), breaks=False)
    assert TWO == _pair(onward, "variable", ("a",)).patch.family


def test_what_is_joined_with_a_makeshift_part_is_makeshift() -> None:
    part = Patch("code.py", 1, "constant", 1.0, "a", ())
    assert MAKESHIFT == together([part, part._replace(family=MAKESHIFT)]).family
    assert "joined" == together([part, part]).family


@pytest.mark.slow
def test_a_search_goes_on_from_a_makeshift_pair(shop: DebugRun) -> None:
    """What is right was refused: nothing is put beside it that it does not need."""
    shop.write(
        {
            "keep.py": "class Keep:\n    def __init__(self, levels):\n"
            "        self.levels, self.taken = levels\n\n"
            "    def receive(self, sku, count):\n"
            "        self.levels[sku] = self.levels.get(sku, 0) + count\n\n"
            "    def take(self, sku, count):\n"
            "        self.taken[sku] = self.taken.get(sku, 0) + count\n\n"
            "    def left(self, sku):\n"
            "        return self.levels.get(sku, 0) - self.taken.get(sku, 0)\n\n"
            "    def state(self):\n        return self.levels, self.taken\n\n"
            "    def restore(self, state):\n        self.levels, self.taken = state\n",
            "test_keep.py": "from keep import Keep\n\n\n"
            "def test_receive():\n    keep = Keep(({}, {}))\n    keep.receive('a', 5)\n"
            "    keep.receive('a', 2)\n    assert keep.left('a') == 7\n\n\n"
            "def test_take():\n    keep = Keep(({'a': 5}, {}))\n    keep.take('a', 3)\n"
            "    assert keep.left('a') == 2\n\n\n"
            "def test_restore():\n    keep = Keep(({'a': 5}, {}))\n    state = keep.state()\n"
            "    keep.receive('a', 4)\n    keep.take('a', 1)\n    keep.restore(state)\n"
            "    assert keep.left('a') == 5\n",
        }
    )

    right = shop.search("test_keep.py::test_restore").first
    other = shop.search("test_keep.py::test_restore", forbidden=[right["hash"]])

    assert "return dict(self.levels), dict(self.taken)" in shop.repaired(right)["keep.py"]
    families = [each["family"] for each in other.candidates]
    assert {MAKESHIFT} == set(families)
