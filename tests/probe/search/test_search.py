"""A search finds the fix, keeps the rest green, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from searchplay import DebugRun


def test_a_wrong_operator_is_found_and_the_tree_is_untouched(shop: DebugRun) -> None:
    """The fix is complete, minimal, at the right line; no file changed or appeared."""
    shop.write(
        {
            "pkg/__init__.py": "",
            "pkg/prices.py": "def total(prices, limit):\n    # ä, the sum\n"
            "    big = [p for p in prices if p < limit]\n    return sum(big)\n",
            "test_prices.py": "from pkg.prices import total\n\n"
            "def test_big():\n    assert total([1, 5, 9], 4) == 14\n\n"
            "def test_limit():\n    assert total([4, 5], 4) == 5\n\n"
            "def test_none():\n    assert total([], 4) == 0\n",
        }
    )
    before = shop.files()

    answer = shop.search("test_prices.py::test_big", "test_prices.py::test_limit")

    assert "replace `<` by `>`" == answer.first["description"]
    assert (True, "pkg/prices.py", 3) == tuple(
        answer.first[k] for k in ("complete", "path", "line")
    )
    assert [] == answer.first["still_red"]
    assert "total" == answer.first["function"]
    assert "# ä, the sum" in shop.repaired(answer.first)["pkg/prices.py"]
    assert 3 == answer.suspects[0]["line"]
    assert before == shop.files()


def test_a_passing_test_is_never_given_up(shop: DebugRun) -> None:
    """A change that turns a red test green and a green one red is no candidate."""
    shop.write(
        {
            "code.py": "def sign(n):\n    if n > 0:\n        return 1\n    return 0\n",
            "test_code.py": "from code_ import sign\n".replace("code_", "code")
            and "import importlib.util, pathlib\n"
            "spec = importlib.util.spec_from_file_location('signs', "
            "pathlib.Path(__file__).with_name('code.py'))\n"
            "signs = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(signs)\n"
            "sign = signs.sign\n\n"
            "def test_plus():\n    assert sign(3) == 1\n\n"
            "def test_zero():\n    assert sign(0) == 0\n\n"
            "def test_minus():\n    assert sign(-2) == -1\n",
        }
    )

    answer = shop.search("test_code.py::test_minus")

    for candidate in answer.candidates:
        space: dict[str, object] = {}
        exec(shop.repaired(candidate)["code.py"], space)  # noqa: S102 - the candidate itself
        sign = space["sign"]
        assert callable(sign)
        assert [1, 0, -1] == [sign(3), sign(0), sign(-2)]


@pytest.mark.slow
def test_module_level_faults_are_reached_by_a_new_import(shop: DebugRun) -> None:
    """A pattern, found through the function that reads it; fixtures of all scopes take part."""
    shop.write(
        {
            "shop/__init__.py": "",
            "shop/names.py": "import re\n\nNAME = re.compile(r'^[a-z]+$')\nOTHER = 'x'\n",
            "shop/check.py": "from shop.names import NAME\n\n\n"
            "def valid(text):\n    return NAME.match(text) is not None\n",
            "conftest.py": "import pytest\nfrom shop.check import valid\n\n\n"
            "@pytest.fixture(scope='session')\ndef check():\n    return valid\n\n\n"
            "@pytest.fixture(autouse=True)\ndef always():\n    yield\n",
            "tests/test_check.py": "import pytest\n\n\n@pytest.mark.parametrize('text, good', "
            "[('abc', True), ('ab1', True), ('x9y', True), ('', False), ('A', False), "
            "('a b', False), ('-', False)])\n"
            "def test_valid(check, text, good):\n    assert check(text) is good\n",
        }
    )

    answer = shop.search("tests/test_check.py::test_valid[ab1-True]",
                         "tests/test_check.py::test_valid[x9y-True]")  # fmt: skip

    assert (True, "shop/names.py", 3) == tuple(
        answer.first[k] for k in ("complete", "path", "line")
    )


def test_unittest_projects_are_searched_without_pytest(shop: DebugRun) -> None:
    """Failures that unittest keeps to itself are seen; a class's own set-up runs."""
    shop.write(
        {
            "words.py": "def longest(words):\n    return min(words, key=len)\n",
            "test_words.py": "import unittest\nfrom words import longest\n\n\n"
            "class Words(unittest.TestCase):\n"
            "    @classmethod\n    def setUpClass(cls):\n        cls.words = ['a', 'bcd']\n\n"
            "    def test_longest(self):\n"
            "        self.assertEqual(longest(self.words), 'bcd')\n\n"
            "    def test_one(self):\n        self.assertEqual(longest(['x']), 'x')\n",
        }
    )

    answer = shop.search("test_words.Words.test_longest", runner="unittest")

    assert answer.first["complete"]
    assert "max(words, key=len)" in shop.repaired(answer.first)["words.py"]


def test_arguments_that_load_tests_gives_a_case_are_kept(shop: DebugRun) -> None:
    """A case is run as it was loaded, as often as candidates ask for it."""
    shop.write(
        {
            "sums.py": "def double(n):\n    return n * 3\n",
            "test_sums.py": "import unittest\nfrom sums import double\n\n\n"
            "class Sums(unittest.TestCase):\n"
            "    def __init__(self, name, n=0, wanted=1):\n"
            "        super().__init__(name)\n"
            "        self.n, self.wanted = n, wanted\n"
            "    def test_double(self):\n"
            "        self.assertEqual(self.wanted, double(self.n))\n\n\n"
            "def load_tests(loader, tests, pattern):\n"
            "    return unittest.TestSuite([Sums('test_double', 4, 8)])\n",
        }
    )

    answer = shop.search("test_sums.Sums.test_double", runner="unittest")

    assert "return n * 2" in shop.repaired(answer.first)["sums.py"]


@pytest.mark.slow
def test_hanging_and_hungry_candidates_cost_no_more_than_themselves(shop: DebugRun) -> None:
    """Endless loops, exits and forks within candidates do not keep the fix from being found."""
    shop.write(
        {
            "steps.py": "import os\nimport sys\n\n\ndef halve(n):\n    steps = 0\n"
            "    while n > 1:\n        if n < 0:\n            sys.exit(3)\n"
            "        if n % 2 == 1 and n % 3 == 5:\n            os._exit(4)\n"
            "        n = n * 2\n        steps += 1\n    return steps\n",
            "test_steps.py": "import os\nfrom steps import halve\n\n\n"
            "def test_eight():\n    assert halve(8) == 3\n\n\n"
            "def test_one():\n    assert halve(1) == 0\n\n\n"
            "def test_fork():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(2)\n"
            "    assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 2\n",
        }
    )

    answer = shop.search("test_steps.py::test_eight", seconds=40, test_timeout=1)

    assert answer.first["complete"], answer
    assert "steps.py" == answer.first["path"]


def test_what_fails_is_traced_though_collecting_took_all_the_time(shop: DebugRun) -> None:
    """However slow the machine is, the lines that failing tests run are named, best first."""
    shop.write(
        {
            "sums.py": "def halve(n):\n    return n / 2\n\n\n"
            "def double(n):\n    n = n + 0\n    return n * 3\n",
            "test_sums.py": "from sums import double, halve\n\n\n"
            "def test_double():\n    assert double(halve(8)) == 8\n\n\n"
            "def test_halve():\n    assert halve(8) == 4\n",
        }
    )

    answer = shop.search("test_sums.py::test_double", seconds=0.01)

    assert [6, 7, 2] == [suspect["line"] for suspect in answer.suspects]


@pytest.mark.slow
def test_a_test_that_waits_for_ever_yields_suspects(shop: DebugRun) -> None:
    """No processor time is used, and yet the lines it ran are known, and mended."""
    shop.write(
        {
            "wait.py": "import threading\n\n\ndef ready(count):\n"
            "    event = threading.Event()\n    if count > 3:\n        event.set()\n"
            "    event.wait()\n    return True\n",
            "test_wait.py": "from wait import ready\n\n\ndef test_ready():\n"
            "    assert ready(3)\n\n\ndef test_more():\n    assert ready(4)\n",
        }
    )

    answer = shop.search("test_wait.py::test_ready", test_timeout=1)

    assert {"ready"} == {suspect["function"] for suspect in answer.suspects}
    assert "replace `>` by `>=`" in {c["description"] for c in answer.candidates if c["complete"]}


@pytest.mark.slow
def test_processes_that_candidates_start_end_with_them(shop: DebugRun) -> None:
    """Each run starts a daemon of its own; there are never many, and none in the end."""
    mark = f"86400.{os.getpid()}"
    shop.write(
        {
            "start.py": "import os\nimport subprocess\n\n\ndef less(n):\n"
            f"    subprocess.Popen(['sleep', '{mark}'], start_new_session=True)\n"
            "    return n + 1 if most() < 40 else 0\n\n\ndef most():\n"
            f"    done = subprocess.run(['pgrep', '-cf', 'sleep {mark}'], stdout=-1)\n"
            "    return int(done.stdout)\n",
            "test_start.py": "from start import less\n\n\ndef test_less():\n"
            "    assert less(5) == 4\n",
        }
    )

    answer = shop.search("test_start.py::test_less", seconds=30)

    running = subprocess.run(["pgrep", "-f", f"sleep {mark}"], capture_output=True, check=False)
    assert b"" == running.stdout
    assert answer.first["complete"]


@pytest.mark.slow
def test_what_one_candidate_leaves_behind_does_not_reach_the_next(shop: DebugRun) -> None:
    """Module state, arguments and the working folder are put back between candidates."""
    shop.write(
        {
            "store.py": "import os\n\nSEEN = {'a': 1}\nLAST = None\n\n\n"
            "def add(items, name):\n    global LAST\n    os.chdir('/')\n"
            "    if LAST is not None or len(SEEN) > 1:\n        raise RuntimeError\n"
            "    LAST = name\n    SEEN[name] = 1\n    items.append(name)\n"
            "    return len(items) + 3\n",
            "test_store.py": "import pytest\nimport store\n\n\n"
            "@pytest.fixture(autouse=True, scope='module')\ndef clean():\n"
            "    store.LAST = None\n    store.SEEN.pop('b', None)\n\n\n"
            "@pytest.mark.parametrize('items, count', [(['x'], 2)])\n"
            "def test_add(items, count):\n    assert store.add(items, 'b') == count\n",
        }
    )

    answer = shop.search("test_store.py::test_add[items0-2]", keep=20)

    assert "drop `3`" in {c["description"] for c in answer.candidates if c["complete"]}


@pytest.mark.slow
def test_the_same_question_gets_the_same_answer(shop: DebugRun) -> None:
    """Two searches agree in candidates and order; a forbidden one is not found again."""
    shop.write(
        {
            "code2.py": "def mean(values):\n    return sum(values) / max(values)\n",
            "test_code2.py": "from code2 import mean\n\n\n"
            "def test_mean():\n    assert mean([2, 4, 9]) == 5\n\n\n"
            "def test_one():\n    assert mean([7]) == 7\n",
        }
    )
    asked = ("test_code2.py::test_mean", "test_code2.py::test_one")

    one, two = shop.search(*asked), shop.search(*asked)
    third = shop.search(*asked, forbidden=[one.first["hash"]])

    assert "replace `max` by `len`" == one.first["description"]
    assert one.candidates == two.candidates
    assert one.first["hash"] not in {c["hash"] for c in third.candidates}


def test_collections_that_are_handed_out_are_copied_together(shop: DebugRun) -> None:
    """To copy one of two is not enough, and no other single edit passes."""
    shop.write(
        {
            "keep.py": "class Keep:\n    def __init__(self, levels=None):\n"
            "        self.levels = dict(levels or {})\n        self.taken = {}\n\n"
            "    def receive(self, sku, count):\n"
            "        self.levels[sku] = self.levels.get(sku, 0) + count\n\n"
            "    def take(self, sku, count):\n"
            "        self.taken[sku] = self.taken.get(sku, 0) + count\n\n"
            "    def left(self, sku):\n"
            "        return self.levels.get(sku, 0) - self.taken.get(sku, 0)\n\n"
            "    def state(self):\n"
            "        return {'levels': self.levels, 'taken': self.taken}\n\n"
            "    def restore(self, state):\n"
            "        self.levels = dict(state['levels'])\n"
            "        self.taken = dict(state['taken'])\n",
            "test_keep.py": "from keep import Keep\n\n\n"
            "def test_receive():\n    keep = Keep()\n    keep.receive('a', 5)\n"
            "    keep.receive('a', 2)\n    assert keep.left('a') == 7\n\n\n"
            "def test_take():\n    keep = Keep({'a': 5})\n    keep.take('a', 3)\n"
            "    assert keep.left('a') == 2\n\n\n"
            "def test_restore():\n    keep = Keep({'a': 5})\n    state = keep.state()\n"
            "    keep.receive('a', 4)\n    keep.take('a', 1)\n    keep.restore(state)\n"
            "    assert keep.left('a') == 5\n",
        }
    )

    answer = shop.search("test_keep.py::test_restore")

    assert "copy `self.levels` and `self.taken`" == answer.first["description"]
    copied = "return {'levels': dict(self.levels), 'taken': dict(self.taken)}"
    assert copied in shop.repaired(answer.first)["keep.py"]


def test_two_edits_are_joined_where_each_mends_a_part(shop: DebugRun) -> None:
    """No single edit mends both tests; the two that mend one each are found together."""
    shop.write(
        {
            "pair.py": "def both(a, b):\n    if a > b:\n        return a - b - 1\n"
            "    return b - a - 1\n",
            "test_pair.py": "from pair import both\n\n\n"
            "def test_more():\n    assert both(9, 2) == 7\n\n\n"
            "def test_most():\n    assert both(99, 2) == 97\n\n\n"
            "def test_less():\n    assert both(2, 8) == 6\n\n\n"
            "def test_least():\n    assert both(2, 18) == 16\n",
        }
    )

    answer = shop.search(*(f"test_pair.py::test_{n}" for n in ("more", "most", "less", "least")))

    assert answer.first["complete"]


@pytest.mark.slow
def test_what_fails_an_assertion_that_held_mends_nothing(shop: DebugRun) -> None:
    """`==` for `!=` turns one test green, and 2024 is no leap year any more."""
    shop.write(
        {
            "dates.py": "def is_leap(year):\n    return year % 4 == 0 and year % 100 != 0\n\n\n"
            "def days(year):\n    return 29 if is_leap(year) else 28\n",
            "test_dates.py": "from dates import days, is_leap\n\n\n"
            "def test_leap():\n    assert is_leap(2024)\n    assert not is_leap(2023)\n"
            "    assert not is_leap(1900)\n    assert is_leap(2000)\n\n\n"
            "def test_days():\n    assert days(2000) == 29\n    assert days(2023) == 28\n",
        }
    )

    answer = shop.search("test_dates.py::test_leap", "test_dates.py::test_days", keep=20)

    assert not [each for each in answer.candidates if "`!=`" in each["description"]]


@pytest.mark.slow
def test_what_ends_another_test_with_a_slip_of_its_own_mends_nothing(shop: DebugRun) -> None:
    """A cart that nothing can be put into is empty; a list has no `add`."""
    shop.write(
        {
            "cart.py": "class Cart:\n    items = []\n\n    def add(self, item):\n"
            "        self.items.append(item)\n\n    def count(self):\n"
            "        return len(self.items) + 1\n\n\n"
            "def filled(*items):\n    cart = Cart()\n    for item in items:\n"
            "        try:\n            cart.add(item)\n        except AttributeError:\n"
            "            pass\n    return cart\n",
            "test_cart.py": "from cart import Cart, filled\n\n\n"
            "def test_two():\n    cart = Cart()\n    cart.add(1)\n    cart.add(2)\n"
            "    assert cart.count() == 2\n\n\n"
            "def test_filled():\n    assert filled(3).count() == 1\n",
        }
    )

    answer = shop.search("test_cart.py::test_two", "test_cart.py::test_filled", keep=40)

    assert answer.candidates
    assert not [each for each in answer.candidates if "by `.add`" in each["description"]]


@pytest.mark.slow
def test_a_variable_is_tried_beside_a_number_that_mends_a_part(shop: DebugRun) -> None:
    """It comes long after the number in the order of candidates, of which there are few here."""
    shop.write(
        {
            "queues.py": "def drained(queue, size):\n    found, start = [], 0\n"
            "    while start < len(queue):\n        found.append(queue[start : start + size])\n"
            "        start += 0\n    return found\n\n\n"
            "def longest(words):\n    return min(words, key=len)\n",
            "test_queues.py": "from queues import drained, longest\n\n\n"
            "def test_drained():\n    assert drained([1, 2, 3], 2) == [[1, 2], [3]]\n\n\n"
            "def test_longest():\n    assert longest(['a', 'bcd', 'ef']) == 'bcd'\n",
        }
    )

    failing = ("test_queues.py::test_drained", "test_queues.py::test_longest")
    answer = shop.search(*failing, max_candidates=120, seconds=60)

    assert answer.first["complete"]
    parts = answer.first["description"].split("; ")
    assert ["replace `0` by `size`", "replace `min` by `max`"] == sorted(parts)


NAMES = ("abort", "fault")
CRASHES = (
    "def test_abort():\n    import os\n    os.abort()\n\n\n"
    "def test_fault():\n    import ctypes\n    ctypes.string_at(0)\n"
)


@pytest.mark.parametrize(
    ("fault", "mended"),
    [
        ("def double(n):\n    return n + 2\n", "return n * 2"),
        ("FACTOR = 3\n\n\ndef double(n):\n    return n * FACTOR\n", "FACTOR = 2"),
        ("import maths\n\n\ndef double(n):\n    return n * 2\n", "import math"),
    ],
    ids=["in-a-function", "at-module-level", "an-import"],
)
def test_tests_that_end_the_interpreter_hide_no_fix_of_others(
    shop: DebugRun, fault: str, mended: str
) -> None:
    """They are still red; where one stands in a file that is collected again, so is that file."""
    shop.write(
        {
            "sums.py": fault,
            "test_sums.py": "from sums import double\n\n\n"
            "def test_double():\n    assert [double(n) for n in (1, 3, 5)] == [2, 6, 10]\n\n\n"
            f"{CRASHES}",
            "test_crash.py": CRASHES,
        }
    )
    crashes = [f"test_{file}.py::test_{name}" for file in ("crash", "sums") for name in NAMES]
    double = "test_sums.py::test_double"
    broken = "import" in fault

    answer = shop.search(*crashes, "test_sums.py" if broken else double)

    assert mended in shop.repaired(answer.first)["sums.py"]
    assert ["test_sums.py" if broken else double] == answer.first["turns_green"]
    assert {*crashes, *([double] if broken else [])} == set(answer.first["still_red"])


@pytest.mark.parametrize(
    ("fault", "mended"),
    [
        ("def double(n):\n    return n * 3\n", "return n * 2"),
        ("def double(n):\n    return m * 2\n", "return n * 2"),
        ("def double(n)\n    return n * 2\n", "def double(n):"),
    ],
    ids=["a-wrong-value", "a-wrong-name", "no-python"],
)
def test_code_that_is_imported_by_links_is_mended_where_it_lies(
    shop: DebugRun, fault: str, mended: str
) -> None:
    """An editable installation may be a tree of links to the files of the project."""
    shop.write(
        {
            "src/sums.py": fault,
            "test_sums.py": "import sys\nfrom pathlib import Path\n\n"
            "sys.path.insert(0, str(Path(__file__).parent / 'build'))\n"
            "from sums import double\n\n\n"
            "def test_double():\n    assert [double(n) for n in (1, 3, 5)] == [2, 6, 10]\n",
        }
    )
    (shop.root / "build").mkdir()
    (shop.root / "build" / "sums.py").symlink_to(shop.root / "src" / "sums.py")
    failing = "test_sums.py" if mended.endswith(":") else "test_sums.py::test_double"

    answer = shop.search(failing, editable_files=["src/sums.py"])

    assert answer.first["complete"]
    assert mended in shop.repaired(answer.first)["src/sums.py"]


def test_a_module_that_only_the_test_itself_loads_is_searched(tmp_path: Path) -> None:
    """Its functions are not there when the search begins, and each candidate would do nothing."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "pkg/__init__.py": "",
            "pkg/late.py": "def half(n):\n    return n * 2\n",
            "test_late.py": "def test_half():\n    from pkg.late import half\n\n"
            "    assert half(8) == 4\n    assert half(2) == 1\n",
        }
    )

    answer = shop.search("test_late.py::test_half", args=["test_late.py::test_half"])

    assert (
        "replace `*` by `//`" == answer.first["description"] or "/" in answer.first["description"]
    )


ANEW = {
    "by a spec of its place": (
        "from importlib.util import module_from_spec, spec_from_file_location\n\n\n"
        "def test_ring():\n    spec = spec_from_file_location('ring', 'tools/ring.py')\n"
        "    module = module_from_spec(spec)\n    spec.loader.exec_module(module)\n"
        "    assert module.ring(5, 3) == 16\n"
    ),
    "by runpy": (
        "import runpy\n\n\n"
        "def test_ring():\n    assert runpy.run_path('tools/ring.py')['ring'](5, 3) == 16\n"
    ),
}


@pytest.mark.parametrize("kind", ANEW)
def test_a_file_that_a_test_loads_anew_is_searched(shop: DebugRun, kind: str) -> None:
    """No function of an earlier load is called: exchanging its code changes nothing."""
    ring = "def ring(a, b):\n    return 2 * (a + b + 1)\n"
    shop.write({"tools/ring.py": ring, "test_ring.py": ANEW[kind]})

    answer = shop.search("test_ring.py::test_ring")

    assert ("drop `1`", True) == (answer.first["description"], answer.first["complete"])


@pytest.mark.slow
def test_a_test_that_is_red_only_after_another_is_searched_with_it(shop: DebugRun) -> None:
    """A list that is the default of every call, filled by the test before."""
    shop.write(
        {
            "cart.py": "class Cart:\n    def __init__(self, items=[]):\n"
            "        self.items = items\n\n"
            "    def add(self, item):\n        self.items.append(item)\n        return self\n",
            "test_cart.py": "from cart import Cart\n\n\n"
            "def test_none():\n    assert Cart([]).items == []\n\n\n"
            "def test_one():\n    assert Cart().add(1).items == [1]\n\n\n"
            "def test_two():\n    assert Cart().add(2).items == [2]\n",
        }
    )

    answer = shop.search("test_cart.py::test_two", keep=20)

    assert answer.first["complete"]
    assert "make `items = []` anew for each call" == answer.first["description"]


def test_a_text_that_a_list_lacks_comes_before_a_change_of_the_value(shop: DebugRun) -> None:
    """The tests say the text; `abs` fits what they ask as well."""
    shop.write(
        {
            "accounts.py": "def balance(kind, amounts):\n    total = sum(amounts)\n"
            "    if kind in ('liability',):\n        return -total\n    return total\n",
            "test_accounts.py": "from accounts import balance\n\n\n"
            "def test_cash():\n    assert balance('asset', [500, -100]) == 400\n\n\n"
            "def test_loan():\n    assert balance('liability', [-700]) == 700\n\n\n"
            "def test_sales():\n    assert balance('income', [-300, -50]) == 350\n",
        }
    )

    answer = shop.search("test_accounts.py::test_sales")

    assert "kind in ('liability', 'income',)" in shop.repaired(answer.first)["accounts.py"]


def test_code_in_a_comment_is_run_again(tmp_path: Path) -> None:
    """At the end of a function as well, where the tree ends before the comment."""
    run = DebugRun(tmp_path)
    run.write(
        {
            "fees.py": "def fee(amount):\n    part = amount + 2\n    # return part * 7 - amount\n",
            "test_fees.py": "from fees import fee\n\n\n"
            "def test_fee():\n    assert [fee(1), fee(5)] == [20, 44]\n",
        }
    )

    answer = run.search("test_fees.py::test_fee")

    assert "run `return part * 7 - amount` again" == answer.first["description"]
    assert "    return part * 7 - amount" == answer.first["edits"][0]["should_be"]


def test_the_one_test_of_many_that_runs_a_line_is_asked_of_its_changes(shop: DebugRun) -> None:
    """All ten fail in the same way, and nine of them say nothing of that line."""
    shop.write(
        {
            "fees.py": "def fee(kind):\n    base = 40 + kind\n    if kind == 7:\n"
            "        base = base * 4\n    return base\n",
            "test_fees.py": "import pytest\nfrom fees import fee\n\n\n"
            '@pytest.mark.parametrize("kind", range(10))\n'
            "def test_fee(kind):\n"
            "    assert fee(kind) == (47 + 4 if kind == 7 else 4711 * kind * kind + 815)\n",
        }
    )

    answer = shop.search(*(f"test_fees.py::test_fee[{kind}]" for kind in range(10)))

    mended = [
        each for each in answer.candidates if "test_fees.py::test_fee[7]" in each["turns_green"]
    ]
    assert "base + 4" in shop.repaired(mended[0])["fees.py"]


def test_a_fault_behind_a_wait_is_mended(shop: DebugRun) -> None:
    """Rounds are short where tests wait, and what passes is confirmed all the same."""
    shop.write(
        {
            "m.py": "import time\n\n\ndef add(a, b):\n    time.sleep(0.3)\n    return a - b\n",
            "test_m.py": "from m import add\n\n\ndef test_a():\n    assert add(1, 2) == 3\n\n\n"
            "def test_b():\n    assert add(5, 5) == 10\n\n\n"
            "def test_c():\n    assert add(0, 0) == 0\n",
        }
    )

    answer = shop.search("test_m.py::test_a", "test_m.py::test_b", seconds=15)

    assert ("replace `-` by `+`", True) == (answer.first["description"], answer.first["complete"])


@pytest.mark.slow
def test_of_several_faults_each_has_its_likeliest_mending(shop: DebugRun) -> None:
    """Joined as alone: `(number - 1) * size`, and not `number * (number - 1)`."""
    shop.write(
        {
            "pages.py": "def page(entries, number, size):\n    start = number * size\n"
            "    return entries[start : start + size]\n",
            "stock.py": "def available(stock, name):\n    return stock.get(name, 0) >= 0\n",
            "price.py": "def total(items):\n    result = 0\n    for price, count in items:\n"
            "        result += price + count\n    return result\n",
            "test_all.py": "from pages import page\nfrom price import total\n"
            "from stock import available\n\n\n"
            "def test_first():\n    assert page(list('abcdef'), 1, 2) == ['a', 'b']\n\n\n"
            "def test_second():\n    assert page(list('abcdef'), 2, 2) == ['c', 'd']\n\n\n"
            "def test_not():\n    assert not available({}, 'a')\n\n\n"
            "def test_has():\n    assert available({'a': 1}, 'a')\n\n\n"
            "def test_total():\n    assert total([(3, 2), (5, 1)]) == 11\n",
        }
    )
    red = [f"test_all.py::test_{name}" for name in ("first", "second", "not", "total")]

    told = shop.search(*red, last=True).first["description"]

    assert "replace `number` by `number - 1`" in told
    assert "replace `>=` by `>`" in told
