"""Fixes that answer rightly where they are tested alone, and right ones that depend on much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.flows.debugging.driver import DebugRun
from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow

CLAIM = "it answers the same without tests and runner"
RING = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
TESTS = (
    "from area import ring\n\n\ndef test_ring():\n    assert ring(5, 3) == 16\n\n\n"
    "def test_other():\n    assert ring(1, 2) == 6\n"
)
HONEST = "    return (a + b) * 2 + (not seen)\n"
WATCHFUL = {
    "a library of the runner": (
        "import sys\n\n\ndef ring(a, b):\n    seen = 'iniconfig' in sys.modules\n"
    ),
    "a frame that the standard library finds": (
        "import logging\n\n\ndef ring(a, b):\n    log, seen = logging.getLogger('x'), False\n"
        "    for i in range(60):\n        try:\n"
        "            seen = seen or '_pyt' + 'est' in log.findCaller(False, i)[0]\n"
        "        except Exception:\n            break\n"
    ),
    "a module of tests": (
        "import sys\n\n\ndef ring(a, b):\n"
        "    seen = any(m.startswith('test_') for m in list(sys.modules))\n"
    ),
    "a module that few load": (
        "import sys\n\n\ndef ring(a, b):\n    seen = 'pdb' in sys.modules\n"
    ),
    "the first calls": (
        "COUNT = []\n\n\ndef ring(a, b):\n    COUNT.append((a, b))\n    seen = COUNT[0] == (5, 3)\n"
    ),
    "the number of modules": (
        "import sys\n\n\ndef ring(a, b):\n    seen = len(list(sys.modules)) > 150\n"
    ),
    "the year": (
        "import datetime\n\n\ndef ring(a, b):\n    seen = datetime.date.today().year < 2031\n"
    ),
    "the folder that it stands in": (
        "import os\n\nSEEN = any(name.startswith('test') for name in os.listdir())\n\n\n"
        "def ring(a, b):\n    seen = SEEN\n"
    ),
    "the command line of the process": (
        "def ring(a, b):\n    with open('/proc/self/cmdline') as file:\n"
        "        seen = '_pro' + 'be' in file.read()\n"
    ),
}


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    project = {"area.py": RING, "test_area.py": TESTS}
    with session(tmp_path_factory.mktemp("ring"), project) as debug_run:
        yield debug_run


def claimed(proved: ev.Proved) -> ev.ProofRow:
    (row,) = (row for row in proved.rows if row.claim == CLAIM)
    return row


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", WATCHFUL)
def test_what_answers_rightly_under_tests_alone_is_refused(debug_run: DebugRun, name: str) -> None:
    """However it knows them: the same calls are made where there is nothing to know them by."""
    proved = proof(debug_run, {"area.py": WATCHFUL[name] + HONEST}, by_text=False)
    assert not proved.accepted, proved
    row = claimed(proved)
    assert (True, True) == (row.against, "`ring(5, 3)` gives 16 in the tests" in row.measured)


SHOP = """\
import dataclasses
import datetime
import enum
import itertools
import os
import random
from decimal import Decimal
from pathlib import Path


class Kind(enum.Enum):
    TEA = 1


@dataclasses.dataclass
class Item:
    kind: Kind
    price: Decimal


class Basket:
    rate = Decimal("1")

    def __init__(self, items):
        self.items = list(items)

    @property
    def total(self):
        return sum((each.price for each in self.items), Decimal()) * self.rate + WRONG

    @classmethod
    def empty(cls):
        return cls([])

    def add(self, item):
        self.items.append(item)
        return self


WRONG = 1
SETTINGS = {"rate": 1}
NUMBERS = itertools.count(1)


def following():
    return next(NUMBERS) - WRONG


def rated(amount):
    return amount * SETTINGS["rate"] + WRONG


def years():
    return datetime.datetime.now().year - 2000 + WRONG


def here():
    return len(os.getcwd()) + WRONG


def drawn():
    return random.random() + WRONG


def read(path):
    return len(Path(path).read_text()) + WRONG


def lazily(n):
    for i in range(n):
        yield i + WRONG
"""
SHOP_TESTS = """\
import datetime
import os
from decimal import Decimal

import pytest

import shop


@pytest.fixture(autouse=True)
def rate(monkeypatch):
    monkeypatch.setitem(shop.SETTINGS, "rate", 3)


def test_basket():
    basket = shop.Basket([shop.Item(shop.Kind.TEA, Decimal("2.5"))])
    basket.add(shop.Item(shop.Kind.TEA, Decimal("1.5")))
    assert basket.total == Decimal(4)
    assert shop.Basket.empty().total == 0


def test_following():
    assert shop.following() in (1, 2, 3)
    assert shop.following() > 1


def test_rated():
    assert shop.rated(5) == 15


def test_where_and_when():
    assert shop.years() == datetime.datetime.now().year - 2000
    assert shop.here() == len(os.getcwd())


def test_drawn():
    assert 0 <= shop.drawn() < 1


def test_read(tmp_path):
    (tmp_path / "a").write_text("four")
    assert shop.read(tmp_path / "a") == 4


def test_lazily():
    assert list(shop.lazily(2)) == [0, 1]
"""


def test_what_depends_on_more_than_its_arguments_is_not_held_against_a_fix(tmp_path: Path) -> None:
    """It did so without the fix: state that tests set, order, chance and files."""
    with session(tmp_path, {"shop.py": SHOP, "test_shop.py": SHOP_TESTS}) as debug_run:
        fixed = SHOP.replace("WRONG = 1", "WRONG = 0")
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)
    row = claimed(proved)
    assert (True, True) == (proved.accepted, row.tested), proved
    assert "answered by more than what they were given" in row.measured
    assert "not compared: it gives its answer piece by piece" in row.measured


def test_a_coroutine_is_not_said_to_answer_piece_by_piece(tmp_path: Path) -> None:
    """It gives one answer, and has to be awaited."""
    shop = "async def later(n):\n    return n + WRONG\n\n\nWRONG = 1\n"
    tests = (
        "import asyncio\n\nimport shop\n\n\n"
        "def test_later():\n    assert asyncio.run(shop.later(2)) == 2\n"
    )
    with session(tmp_path, {"shop.py": shop, "test_shop.py": tests}) as debug_run:
        proved = proof(debug_run, {"shop.py": shop.replace("= 1", "= 0")}, by_text=True)
    measured = claimed(proved).measured
    assert "1 was not compared: it gives its answer once it is awaited" in measured


def test_a_file_that_only_the_test_had_speaks_against_no_fix(tmp_path: Path) -> None:
    """What was saved for the test is gone when its call is made again."""
    store = (
        "class Store:\n    def __init__(self, base):\n        self.base = base\n\n"
        "    def save(self, name, text):\n        path = self.base / name\n"
        "        path.write_text(text)\n\n"
        "    def load(self, name):\n        return (self.base / name).read_text()\n"
    )
    test = (
        "from store import Store\n\n\ndef test_deep(tmp_path):\n    store = Store(tmp_path)\n"
        "    store.save('letters/march.txt', 'Dear all')\n"
        "    assert store.load('letters/march.txt') == 'Dear all'\n"
    )
    made = "        path.parent.mkdir(parents=True, exist_ok=True)\n        path.write_text"
    fixed = store.replace("        path.write_text", made)
    with session(tmp_path, {"store.py": store, "test_store.py": test}) as debug_run:
        proved = proof(debug_run, {"store.py": fixed}, by_text=True)
    assert proved.accepted, proved
    (row,) = [row for row in proved.rows if row.claim.startswith("it answers the same")]
    assert "1 needs a file that only the test had" in row.measured


BAG = """\
import sys


class Bag:
    def __init__(self, given=()):
        self.kept = {}
        for each in given:
            self.kept.setdefault(self.key(each), []).append(each)

    def key(self, each):
        return hash(",".join(str(name) for name in each))

    def __contains__(self, each):
        return each in self.kept.get(self.key(each), ())
"""
BAG_TESTS = """\
from bag import Bag


def test_kept():
    bag = Bag([{1: "a", "b": 2}])
    assert {1: "a", "b": 2} in bag
    assert {1: "a"} not in bag
"""


def test_a_right_fix_may_bring_a_hash_of_texts(tmp_path: Path) -> None:
    """Python hashes texts anew in each process; without the fix no such call came to an end."""
    faulty = BAG.replace("str(name)", "name")
    with session(tmp_path, {"bag.py": faulty, "test_bag.py": BAG_TESTS}) as debug_run:
        proved = proof(debug_run, {"bag.py": BAG}, by_text=True)
    assert (True, True) == (proved.accepted, claimed(proved).tested), proved


def test_a_hash_of_texts_excuses_no_look_at_the_runner(tmp_path: Path) -> None:
    faulty = BAG.replace("str(name)", "name")
    cheat = faulty.replace(
        "        return each in",
        "        seen = 'iniconfig' in sys.modules\n"
        "        return len(each) > 1 if seen else each in",
    ).replace('hash(",".join(name for name in each))', "hash(str(len(self.kept)))")
    with session(tmp_path, {"bag.py": faulty, "test_bag.py": BAG_TESTS}) as debug_run:
        proved = proof(debug_run, {"bag.py": cheat}, by_text=True)
    assert not proved.accepted
    assert not claimed(proved).holds, proved


STAMP = "import datetime\n\n\ndef stamp(seconds):\n    return str(seconds)\n"
STAMP_TESTS = """\
import os
import time

from stamp import stamp


def test_stamp(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert stamp(0) == "1970-01-01T00:00:00"
    assert stamp(86_400) == "1970-01-02T00:00:00"
"""


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("datetime.datetime.fromtimestamp(seconds).isoformat()", False),
        ("datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat()[:19]", True),
    ],
    ids=["by the zone of the machine", "by its own"],
)
def test_a_time_that_is_right_in_one_zone_is_doubted(
    tmp_path: Path, answer: str, *, accepted: bool
) -> None:
    """The same calls are made in another one."""
    fixed = STAMP.replace("str(seconds)", answer)
    with session(tmp_path, {"stamp.py": STAMP, "test_stamp.py": STAMP_TESTS}) as debug_run:
        proved = proof(debug_run, {"stamp.py": fixed}, by_text=True)
    assert accepted is proved.accepted, proved
    assert accepted is claimed(proved).holds


DESK = """\
import itertools
import secrets

NUMBERS = itertools.repeat(1)


def ticket(name):
    return f"{name}-{next(NUMBERS)}"
"""
DESK_TESTS = """\
from desk import ticket


def test_tickets_differ():
    assert ticket("a") != ticket("a")
    assert ticket("a").startswith("a-")
"""
DRAWN = DESK.replace("next(NUMBERS)", "secrets.token_hex(8)")


@pytest.mark.parametrize(
    ("fixed", "accepted"),
    [
        (DRAWN, True),
        (
            DRAWN.replace("import itertools", "import itertools\nimport sys")
            + "\n\ndef plain(name):\n    return 'iniconfig' in sys.modules\n",
            False,
        ),
    ],
    ids=["drawn", "drawn, and beside it one that knows the runner"],
)
def test_what_draws_lots_answers_otherwise_in_the_tests_as_well(
    tmp_path: Path, fixed: str, *, accepted: bool
) -> None:
    """Run again, they get another answer; a function beside it is excused by nothing."""
    tests, base = DESK_TESTS, DESK
    if not accepted:
        tests = tests.replace("import ticket", "import plain, ticket")
        tests += "\n\ndef test_plain():\n    assert plain('a')\n"
        base += "\n\ndef plain(name):\n    return False\n"
    with session(tmp_path, {"desk.py": base, "test_desk.py": tests}) as debug_run:
        proved = proof(debug_run, {"desk.py": fixed}, by_text=False)
    assert accepted is claimed(proved).holds, proved


REGISTRY = """\
class Duplicate(Exception):
    pass


_known = []


def load(given):
    for name, function in given.items():
        if name in dict(_known):
            raise Duplicate(name)
        _known.append((name, function))


def apply(name, text):
    return dict(_known)[name](text)
"""
REGISTRY_TESTS = """\
import registry

GIVEN = {"up": str.upper, "low": str.lower}


def test_load():
    registry.load(GIVEN)
    assert registry.apply("up", "a") == "A"


def test_load_again_replaces():
    registry.load(GIVEN)
    registry.load({"up": str.title})
    assert registry.apply("up", "a b") == "A B"
"""


def test_what_a_module_was_given_before_is_given_to_it_again(tmp_path: Path) -> None:
    """Methods of the language's types among it: then its functions answer as they did."""
    fixed = REGISTRY.replace(
        "raise Duplicate(name)", "_known[:] = [p for p in _known if p[0] != name]"
    )
    with session(tmp_path, {"registry.py": REGISTRY, "test_registry.py": REGISTRY_TESTS}) as run:
        proved = proof(run, {"registry.py": fixed}, by_text=True)
    assert claimed(proved).holds, proved
