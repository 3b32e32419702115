"""A regression is mended by what was there before, if a commit still has it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.probe.search.files import ProjectSources
from clew.probe.search.fixers.earlier import brought, pieces, restored
from clew.probe.search.source import Source, apply_changes
from searchplay import Answer, DebugRun

BEFORE = """LIMIT = 100


def grouped(rows):
    totals = {}
    for name, amount in rows:
        if amount < 0:
            continue
        key = name.strip().lower()
        totals[key] = totals.get(key, 0) + amount
    return totals


def first(rows=None):
    return list(rows or ())[:1]
"""
NOW = """LIMIT = 100


def grouped(rows):
    totals = {}
    for name, amount in rows:
        key = name.strip()
        totals.setdefault(key, amount)
    return totals


def first(rows=[]):
    return rows[:1]


def newer(rows):
    return sorted(grouped(rows))
"""
TESTS = """from code_ import grouped, newer


def test_refunds_do_not_count():
    assert grouped([("Ann", 9), ("Bob", 4), ("bob", 4), ("Bob", -9)]) == {"ann": 9, "bob": 8}


def test_newer():
    assert newer([("b", 1), ("a", 2)]) == ["a", "b"]
"""


def test_functions_and_files_are_put_back_whole_and_in_parts() -> None:
    now, before = Source("a.py", NOW), Source("a.py", BEFORE)
    found = {
        what: apply_changes(NOW, changes)
        for what, _, _, changes in pieces(now, before)
        if not what.startswith("a part")
    }
    both = "`grouped` and `first` as they were"
    assert ["`grouped` as it was", "`first` as it was", both, "the file as it was"] == list(found)
    assert BEFORE == found["the file as it was"]
    assert (
        "LIMIT = 100" + BEFORE.partition("100")[2]
        == found[both].partition("\n\n\ndef newer")[0] + "\n"
    )
    assert [] == list(pieces(now, now))


def test_of_many_functions_that_are_put_back_together_three_are_named() -> None:
    now, before = (
        Source("a.py", "\n\n".join(f"def {name}():\n    return {value}\n" for name in "abcde"))
        for value in (1, 2)
    )
    said = [what for what, *_ in pieces(now, before) if " and " in what]
    assert ["`a`, `b`, `c` and 2 more as they were"] == said


@pytest.mark.parametrize("commit", ["1a2b3c4d5e", "your uncommitted changes"])
def test_a_function_of_several_lines_comes_back(tmp_path: Path, commit: str) -> None:
    """What came after it stays; a text that is no Python any more is passed over."""
    shop = DebugRun(tmp_path)
    shop.write({"code_.py": NOW, "test_code.py": TESTS})
    earlier = [("code_.py", "0" * 10, "def ("), ("code_.py", commit, BEFORE)]

    answer = shop.search("test_code.py::test_refunds_do_not_count", earlier=earlier)

    assert f"put back `grouped` as it was before {commit}" == answer.first["description"]
    assert "totals.get(key, 0)" in shop.repaired(answer.first)["code_.py"]
    assert "def newer" in shop.repaired(answer.first)["code_.py"]


@pytest.mark.slow
def test_what_is_outside_of_functions_comes_back_too(tmp_path: Path) -> None:
    """A default and a constant are tried in a new import, and win over what happens to pass."""
    shop = DebugRun(tmp_path)
    before = "LIMIT = 100\n\n\ndef free(items=None):\n    return sum(items or ()) >= LIMIT\n"
    shop.write(
        {
            "cart.py": before.replace("100", "10"),
            "test_cart.py": "from cart import free\n\n\ndef test_free():\n"
            "    assert not free([50])\n\n\ndef test_limit():\n    assert free([100])\n",
        }
    )

    answer = shop.search("test_cart.py::test_free", earlier=[("cart.py", "1a2b3c4d5e", before)])

    assert "put back `LIMIT` as it was before 1a2b3c4d5e" == answer.first["description"]
    assert before == shop.repaired(answer.first)["cart.py"]


LINES = """\
class Line:
    def __init__(self, cents, tax, discount=0):
        self.cents, self.tax, self.discount = cents, tax, discount

    @property
    def net(self):
        return self.cents - percent(self.cents, self.discount)


def percent(cents, rate):
    return round(cents * rate // 100)


def tax_of(line):
    return percent(line.net, line.tax)
"""
INLINE = LINES.replace("percent(line.net, line.tax)", "round(line.net * line.tax / 100)")
FIRST = INLINE.replace("self.cents - percent(self.cents, self.discount)", "self.cents").replace(
    "def percent(cents, rate):\n    return round(cents * rate // 100)\n\n\n", ""
)
LINES_TESTS = """\
from code_ import Line, tax_of


def test_tax():
    assert tax_of(Line(199, 19)) == 38


def test_discount():
    assert Line(100, 19, 20).net == 80
"""


def test_a_new_function_that_others_call_is_mended_rather_than_gone_around(tmp_path: Path) -> None:
    """The tax alone was put back, and the discount, which the function computes too, left wrong."""
    shop = DebugRun(tmp_path)
    shop.write({"code_.py": LINES, "test_code.py": LINES_TESTS})

    answer = shop.search("test_code.py::test_tax", earlier=[("code_.py", "1a2b3c4d5e", FIRST)])

    assert "arithmetic" == answer.first["family"]
    assert "round(cents * rate / 100)" in shop.repaired(answer.first)["code_.py"]
    (around,) = (c for c in answer.candidates if c["family"] == "way around")
    assert around["description"].endswith("before 1a2b3c4d5e, which goes around `percent`")
    assert INLINE == shop.repaired(around)["code_.py"]


PARCELS = """\
RATES = {"home": 4, "abroad": 9}


def cost(kind, kilos):
    base = RATES[kind] + extra(kilos)
    return base * 2


def extra(kilos):
    return kilos - 2
"""
WHOLE = PARCELS.replace("extra(kilos)\n    return", "max(0, kilos - 2)\n    return").partition(
    "\n\ndef extra"
)[0]
PARCELS_TESTS = """\
from code_ import cost


def test_light():
    assert cost("home", 1) == 8
    assert cost("abroad", 0) == 18
"""


def test_a_new_function_is_mended_rather_than_left_without_a_caller(tmp_path: Path) -> None:
    """A person who moved code into a function wants it there, with what was lost on the way."""
    shop = DebugRun(tmp_path)
    shop.write({"code_.py": PARCELS, "test_code.py": PARCELS_TESTS})

    answer = shop.search("test_code.py::test_light", earlier=[("code_.py", "1a2b3c4d5e", WHOLE)])

    mended = PARCELS.replace("return kilos - 2", "return max(0, kilos - 2)")
    assert mended == shop.repaired(answer.first)["code_.py"]
    assert "history" == answer.first["family"]


def test_a_new_function_that_another_file_calls_is_gone_around_as_well(tmp_path: Path) -> None:
    """It stays as wrong as it is for those."""
    (tmp_path / "a.py").write_text(PARCELS)
    bill = tmp_path / "bill.py"
    request = SimpleNamespace(
        root=str(tmp_path),
        earlier=[("a.py", "1a2b3c4d5e", WHOLE)],
        first_bad="",
        project_files=lambda: ["a.py", "bill.py"],
        relative=str,
    )

    def put_back() -> set[str]:
        found = restored(ProjectSources(cast("Any", request)))
        return {p.family for p in found if p.description.startswith("put back `cost` as it was")}

    bill.write_text("def extra(kilos):\n    return my_extra(kilos)\n")
    assert {"history"} == put_back()
    bill.write_text("from a import extra\n\n\ndef more(kilos):\n    return extra(kilos)\n")
    assert {"way around"} == put_back()


STEPS = """\
STEPS = [(500, 10), (200, 5), (100, 2)]


def percent(amount):
    for limit, percent in STEPS:
        if amount >= limit:
            return percent
    return 0


def discount(amount, extra):
    return amount * min(percent(amount) + 3 * extra, 12) // 100
"""
NAMED_STEPS = (
    STEPS.replace("[(500, 10), (200, 5), (100, 2)]", "{100: 2, 200: 5, 500: 10}\nEXTRA = 3")
    .replace("in STEPS:", "in STEPS.items():")
    .replace("3 * extra", "EXTRA * extra")
)
STEPS_TESTS = """\
from steps import discount, percent


def test_percent():
    assert (percent(250), percent(600)) == (5, 10)


def test_discount():
    assert discount(1000, True) == 120
"""


@pytest.mark.slow
def test_a_table_comes_back_with_the_function_that_reads_it(tmp_path: Path) -> None:
    """Neither does alone, and the file as it was takes what came beside it away."""
    shop = DebugRun(tmp_path)
    shop.write({"steps.py": NAMED_STEPS, "test_steps.py": STEPS_TESTS})

    answer = shop.search(
        *("test_steps.py::test_percent", "test_steps.py::test_discount"),
        earlier=[("steps.py", "1a2b3c4d5e", STEPS)],
    )

    told = "put back `STEPS` and `percent` as they were before 1a2b3c4d5e"
    assert told == answer.first["description"]
    mended = shop.repaired(answer.first)["steps.py"]
    assert STEPS.replace("]\n", "]\nEXTRA = 3\n", 1).replace("3 * e", "EXTRA * e") == mended


QUAY = """\
from calendar import monthrange

DAYS = monthrange(2024, 2)


def last(year):
    return monthrange(year, 2)[1] + DAYS[1] - 29
"""
BY_HAND = """\
from datetime import date

LAST = date(2026, 2, 28)


def last(year):
    return LAST.day
"""


@pytest.mark.slow
def test_a_constant_comes_back_in_the_place_of_another(tmp_path: Path) -> None:
    """With what it imports, once; nobody misses the one that takes its place today."""
    shop = DebugRun(tmp_path)
    test = "from quay import last\n\n\ndef test_last():\n    assert last({}) == {}\n"
    tests = {f"test_{year}.py": test.format(year, day) for year, day in ((2026, 28), (2028, 29))}
    shop.write({"quay.py": BY_HAND, **tests})

    answer = shop.search("test_2028.py::test_last", earlier=[("quay.py", "1a2b3c4d5e", QUAY)])

    assert ("history", QUAY) == (answer.first["family"], shop.repaired(answer.first)["quay.py"])


LAYERS = """\
class Settings:
    def __init__(self, layers, env=None):
        self.layers = layers
        self.env = env or {}

    def get(self, key, default=None):
        for layer in reversed(self.layers):
            if key in layer:
                return layer[key]
        return default
"""
OF_ENV = LAYERS.replace(
    "        for layer",
    "        name = key.upper()\n        if name in self.env:\n            return self.env[name]\n"
    "        for layer",
)
EXPANDED = (
    LAYERS.partition("        for layer")[0]
    + """\
        value = self.find(key)
        return default if value is None else value.replace("~", "/home")

    def find(self, key):
        for layer in reversed(self.layers):
            if key in layer:
                return layer[key]
        return None
"""
)
LAYERS_TESTS = """\
from layers import Settings

LAYERS = [{"host": "localhost", "logs": "~/logs"}]


def test_env():
    assert Settings(LAYERS, {"HOST": "mx"}).get("host") == "mx"


def test_expanded():
    assert Settings(LAYERS).get("logs") == "/home/logs"
"""


@pytest.mark.slow
def test_what_a_merge_lost_of_the_other_side_comes_back_beside_its_own(tmp_path: Path) -> None:
    """What a commit replaced twice is a merge's: the fork, and then what the other side had."""
    shop = DebugRun(tmp_path)
    shop.write({"layers.py": EXPANDED, "test_layers.py": LAYERS_TESTS})
    line = [("layers.py", f"c{n}", f"{LAYERS}# {n}\n") for n in range(3)]
    merge = [("layers.py", "1a2b3c4d5e", text) for text in (LAYERS, OF_ENV)]

    answer = shop.search("test_layers.py::test_env", earlier=[*line, *merge])

    assert "Settings.get" in answer.first["description"]
    mended = shop.repaired(answer.first)["layers.py"]
    assert "return self.env[name]\n        value = self.find(key)" in mended


LOADED = """\
def load(lines):
    return [parse(line) for line in lines if line.strip()]


def parse(line):
    station, amount = line.split(";")
    return station, float(amount)
"""
STREAMED = LOADED.replace(
    "    return [parse(line) for line in lines if line.strip()]\n",
    "    for line in lines:\n        if line.strip():\n            yield parse(line)\n",
)
RAIN = """\
from load import load


def mean(lines):
    return summary(load(lines))


def summary(rows):
    total = sum(amount for _, amount in rows)
    count = sum(1 for _ in rows)
    return total / count if count else 0.0
"""
RAIN_TESTS = """\
from rain import mean


def test_mean():
    assert mean(["a;1", "b;3"]) == 2.0
"""


@pytest.mark.slow
def test_a_function_goes_on_to_yield_where_its_values_can_be_kept(tmp_path: Path) -> None:
    """A commit made a generator of it on purpose, and a caller goes through its values twice."""
    rain = DebugRun(tmp_path)
    rain.write({"load.py": STREAMED, "rain.py": RAIN, "test_rain.py": RAIN_TESTS})

    answer = rain.search("test_rain.py::test_mean", earlier=[("load.py", "1a2b3c4d5e", LOADED)])

    assert "keep `rows` in a list, since it is gone through twice" == answer.first["description"]


LEFT = """\
def clean(words):
    return [word.strip() for word in words]


def count(words):
    found = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found


def top(words):
    found = count(clean(words))
    return max(found, key=found.get)
"""
LATER = "NAME = 'words'\n\n\n" + LEFT


def standing(earlier: list[tuple[str, str, str]], first_bad: str, text: str) -> list[str]:
    """Return the lines of the first bad commit, as they stand in a text."""
    request = SimpleNamespace(earlier=earlier, first_bad=first_bad)
    found = brought(cast("Any", SimpleNamespace(request=request)), Source("a.py", text))
    return [text.splitlines()[line - 1].strip() for line in sorted(found)]


def test_lines_of_the_first_bad_commit_are_known_where_they_stand() -> None:
    """Whatever came after it, above them or in their place; other files and commits have none."""
    before = LEFT.replace("    found = count(clean(words))\n", "    found = count(words)\n")
    earlier = [("a.py", "c0ffee", LEFT), ("b.py", "bad1", ""), ("a.py", "bad1bad1ba", before)]
    brought_then = "found = count(clean(words))"

    assert [brought_then] == standing(earlier, "bad1bad1bad1", LATER)
    assert ["NAME = 'words'", "", ""] == standing(earlier, "c0ffee77", LATER)
    assert [] == standing(earlier, "bad1bad1bad1", LATER.replace("count(clean(words))", "0"))
    assert [] == standing(earlier, "", LATER) == standing(earlier, "0123456789", LATER)
    gone = [
        ("a.py", "bad1", LEFT.replace("    return found\n", "    print(1)\n    return found\n"))
    ]
    assert ["return found"] == standing(gone, "bad1", LEFT)


@pytest.mark.slow
def test_lines_that_the_first_bad_commit_brought_are_suspected_before_others(
    tmp_path: Path,
) -> None:
    """The same tests run them all."""
    shop = DebugRun(tmp_path)
    text = LEFT.replace("max(found", "min(found")
    test = "from code_ import top\n\n\ndef test_top():\n    assert top(['a', 'b ', 'b']) == 'b'\n"
    shop.write({"code_.py": text, "test_code.py": test})
    wanted = "test_code.py::test_top"
    earlier = [("code_.py", "1a2b3c4d5e", LEFT)]
    place = text.splitlines().index("    return min(found, key=found.get)") + 1

    plain = shop.search(wanted, earlier=earlier)
    told = shop.search(wanted, earlier=earlier, first_bad="1a2b3c4d5e" * 4)

    def spots(answer: Answer) -> dict[int, tuple[float, bool]]:
        return {each["line"]: (each["score"], each["brought"]) for each in answer.suspects}

    assert [place] == [line for line, (_, known) in spots(told).items() if known]
    assert place == told.suspects[0]["line"]
    others = {line: score for line, (score, _) in spots(told).items() if line != place}
    assert max(others.values()) < 1.0
    assert not any(known for _, known in spots(plain).values())


@pytest.mark.slow
def test_a_function_that_was_moved_comes_back_with_what_it_imports(tmp_path: Path) -> None:
    """The file got another name in the same commit, and lost an import."""
    before = (
        "import math\n\n\ndef rank(rows, p):\n"
        "    return sorted(rows)[math.ceil(p * len(rows) / 100) - 1]\n"
    )
    body = "    return at(sorted(rows), p * len(rows) // 100)\n"
    now = "def at(rows, place):\n    return rows[place]\n\n\ndef rank(rows, p):\n" + body
    shop = DebugRun(tmp_path)
    test = "from ranks import rank\n\n\ndef test_rank():\n    assert rank([3, 1, 2], 50) == 2\n"
    test += "    assert rank([4, 1, 3, 2], 50) == 2\n"
    shop.write({"ranks.py": now, "test_ranks.py": test})

    answer = shop.search("test_ranks.py::test_rank", earlier=[("ranks.py", "1a2b3c4d5e", before)])

    found = {each["description"]: shop.repaired(each)["ranks.py"] for each in answer.candidates}
    fixed = now.replace(body, before.splitlines(keepends=True)[-1])
    assert "import math\n" + fixed == found["put back `rank` as it was before 1a2b3c4d5e"]


STRIPPED = """\
def slug(title):
    return clean(title).strip("-")


def anchor(title, level):
    return level, clean(title).strip("-")
"""


@pytest.mark.parametrize(
    ("lost", "both"), [((".strip(", ".rstrip("), 1), (('.strip("-")', ""), 2), (("title", "t"), 1)]
)
def test_functions_that_lost_the_same_come_back_together(lost: tuple[str, str], both: int) -> None:
    """What a commit did to both is one change, though a test shows it of one alone."""
    now = STRIPPED.replace(*lost, -1 if both == 2 else 1)
    found = {
        what: less for what, _, less, _ in pieces(Source("a.py", now), Source("a.py", STRIPPED))
    }
    joint = found.get("`slug` and `anchor` as they were")
    assert (joint is not None) is (both == 2)
    assert joint is None or joint < found["`slug` as it was"]
