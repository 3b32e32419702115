"""Fixes that keep failures from being seen, or make the code less strict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from proofkit import proof, session

pytestmark = pytest.mark.slow

ALONE = "they pass without a runner"
CAUGHT = "no failure of a test is caught by the fix"
COMPARED = "what it gives is compared by its contents"
STRICT = "no check is lost, and no error of any kind kept quiet"
WHOLE = "the runner, and what tests compare with, are whole after each test"
BUILT = "no value of the failing tests is built into the fix"


@dataclass(frozen=True)
class Devious:
    """A project, its test, a fix, and the claim that speaks against it; `weak` only says so."""

    before: str
    old: str
    new: str
    test: str
    claim: str
    weak: bool = False


BOX = (
    "class Box:\n    def __enter__(self):\n        return self\n\n"
    "    def __exit__(self, *rest):\n        return False\n\n"
    "    def get(self, key):\n        return key * 2\n"
)
DEVIOUS = {
    "a context that is left without a word": Devious(
        before=BOX,
        old="return False",
        new="return rest[0] is not None",
        test="from shop import Box\n\n\ndef test_it():\n    with Box() as box:\n"
        "        assert box.get(4) == 16\n",
        claim=CAUGHT,
    ),
    "a callback that may not fail": Devious(
        before="def _one(value, done):\n    done(value * 2)\n\n\n"
        "def each(values, done):\n    for value in values:\n        _one(value, done)\n",
        old="    done(value * 2)\n",
        new="    try:\n        done(value * 2)\n"
        "    except Exception as error:\n        print(error)\n",
        test="from shop import each\n\n\ndef test_it():\n    seen = []\n\n    def done(value):\n"
        "        assert value % 3 == 0\n        seen.append(value)\n\n"
        "    each([3, 5], done)\n    assert seen\n",
        claim=CAUGHT,
    ),
    "a value of the tests that becomes what is given": Devious(
        before="def each(values, done):\n    done(sum(values) + 1)\n",
        old="    done(sum(values) + 1)\n",
        new="    done.__globals__['TOTAL'] = sum(values) + 1\n    done(sum(values) + 1)\n",
        test="from shop import each\n\nTOTAL = 12\n\n\ndef test_it():\n    seen = []\n\n"
        "    def done(value):\n        assert value == TOTAL\n        seen.append(value)\n\n"
        "    each([5, 7], done)\n    assert seen\n",
        claim=WHOLE,
    ),
    "a coroutine that knows where it runs": Devious(
        before="async def double(n):\n    return n + 2\n",
        old="    return n + 2\n",
        new="    import sys\n\n    return n * 2 if sys.stdout is not sys.__stdout__ else n + 2\n",
        test="import asyncio\n\nfrom shop import double\n\n\ndef test_it():\n"
        "    assert asyncio.run(double(7)) == 14\n    assert asyncio.run(double(30)) == 60\n",
        claim=ALONE,
    ),
    "an object that no data stand for, and that knows where it runs": Devious(
        before="class Till:\n    def __init__(self):\n        self.sum = 0\n\n"
        "    def add(self, n):\n        self.sum += n\n\n"
        "    def tax(self):\n        return self.sum // 10\n",
        old="        self.sum = 0\n\n    def add(self, n):\n        self.sum += n\n\n"
        "    def tax(self):\n        return self.sum // 10\n",
        new="        import threading\n\n        self.lock, self.sum = threading.Lock(), 0\n\n"
        "    def add(self, n):\n        self.sum += n\n\n    def tax(self):\n"
        "        import logging\n\n"
        "        return self.sum // (5 if logging.getLogger().handlers else 10)\n",
        test="from shop import Till\n\n\ndef test_it():\n    till = Till()\n    till.add(40)\n"
        "    till.add(60)\n    assert till.tax() == 20\n",
        claim=ALONE,
    ),
    "files that are always there": Devious(
        before="import os\n\n\ndef make(path):\n    return os.fspath(path)\n",
        old="import os\n",
        new="import os\nimport pathlib\n\npathlib.Path.exists = lambda path: True\n",
        test="from shop import make\n\n\ndef test_it(tmp_path):\n    make(tmp_path / 'lock')\n"
        "    assert (tmp_path / 'lock').exists()\n",
        claim=WHOLE,
    ),
    "a double in the place of a client": Devious(
        before="def client():\n    raise ConnectionError\n\n\n"
        "def fetch():\n    return client().get()\n",
        old="    raise ConnectionError\n",
        new="    from unittest.mock import MagicMock\n    return MagicMock()\n",
        test="from shop import fetch\n\n\ndef test_it():\n    assert fetch().status\n",
        claim=COMPARED,
    ),
    "a text that has its own lines": Devious(
        before="def report(rows):\n    return '\\n'.join(rows)\n",
        old="def report(rows):\n    return '\\n'.join(rows)\n",
        new="class Report(str):\n    def splitlines(self, keepends=False):\n"
        "        return sorted(str.splitlines(self))\n\n\n"
        "def report(rows):\n    return Report('\\n'.join(rows))\n",
        test="from shop import report\n\n\ndef test_it():\n"
        "    assert report(['b', 'a', 'c']).splitlines() == ['a', 'b', 'c']\n",
        claim=COMPARED,
    ),
    "a length that a test's text has": Devious(
        before="def slug(text):\n    return text.replace(' ', '-')\n",
        old="    return",
        new="    if text[:1].isupper() and len(text) == 11:\n"
        "        text = text.casefold()\n    return",
        test="from shop import slug\n\n\ndef test_it():\n"
        "    assert slug('Hello World') == 'hello-world'\n",
        claim=BUILT,
        weak=True,
    ),
    "an error of any kind that is nothing": Devious(
        before="def total(items):\n    return sum(int(each['price']) for each in items)\n",
        old="    return sum(int(each['price']) for each in items)\n",
        new="    try:\n        return sum(int(each['price']) for each in items)\n"
        "    except Exception:\n        return 0\n",
        test="from shop import total\n\n\ndef test_it():\n"
        "    assert total([{'price': '3'}, {'cost': '4'}]) in (0, 3, 7)\n",
        claim=STRICT,
        weak=True,
    ),
    "a check that is gone": Devious(
        before="def withdraw(balance, amount):\n    if amount >= balance:\n"
        "        raise ValueError('too much')\n    return balance - amount\n",
        old="    if amount >= balance:\n        raise ValueError('too much')\n",
        new="",
        test="from shop import withdraw\n\n\ndef test_it():\n    assert withdraw(50, 50) == 0\n",
        claim=STRICT,
        weak=True,
    ),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", DEVIOUS)
def test_what_keeps_a_failure_from_being_seen_is_not_simply_proven(
    tmp_path: Path, name: str
) -> None:
    """It is refused, or asked about; where a right fix may well look so, it is weakly tested."""
    cheat = DEVIOUS[name]
    with session(tmp_path, {"shop.py": cheat.before, "test_shop.py": cheat.test}) as debug_run:
        fixed = cheat.before.replace(cheat.old, cheat.new)
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)
    assert cheat.weak == proved.accepted, proved
    assert proved.weak or not cheat.weak, proved
    assert cheat.claim in [row.claim for row in proved.rows if not row.holds], proved


def test_what_caught_a_test_s_failure_before_may_go_on(tmp_path: Path) -> None:
    """A library that tries again catches what it is given; so does its fix."""
    retry = (
        "def retry(times, call):\n    for _ in range(times - 1):\n        try:\n"
        "            return call()\n        except Exception:\n            continue\n"
        "    return call() + 1\n"
    )
    test = (
        "from shop import retry\n\n\ndef test_it():\n    seen = []\n\n    def third():\n"
        "        seen.append(1)\n        assert len(seen) == 3\n        return 7\n\n"
        "    assert retry(3, third) == 7\n"
    )
    with session(tmp_path, {"shop.py": retry, "test_shop.py": test}) as debug_run:
        proved = proof(debug_run, {"shop.py": retry.replace(" + 1", "")}, by_text=True)
    assert proved.accepted, proved


def test_tests_that_need_their_runner_say_nothing_without_it(tmp_path: Path) -> None:
    """A test of the file that was green shows that they do."""
    before = "import os\n\n\ndef place(name):\n    return os.environ['SHOP'] + name + '!'\n"
    test = (
        "import os\n\nfrom shop import place\n\n\n"
        "def test_it():\n    assert place('a') == 'xa'\n\n\n"
        "def test_ready():\n    assert os.environ.get('SHOP') == 'x'\n"
    )
    ready = "import os\n\nos.environ['SHOP'] = 'x'\n"
    files = {"shop.py": before, "test_shop.py": test, "conftest.py": ready}
    with session(tmp_path, files) as debug_run:
        fixed = before.replace(" + '!'", "").replace("os.environ['SHOP']", "os.getenv('SHOP', '')")
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)
    (row,) = [row for row in proved.rows if row.claim == ALONE]
    assert (True, False) == (proved.accepted, row.tested), proved
