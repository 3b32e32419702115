"""The search as a session asks for it: confined, without a trace, decoded to facts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from clew.agents.repair import search
from clew.agents.repair.records import Suspicion
from clew.agents.repair.searching import _suspect
from clew.sandbox.confinement import Level, detect
from clew.words.edits import apply, patch_hash
from clew.words.errors import AgentFailed
from clew.words.facts import EarlierText, Findings, Runner, TestCommand, Tick
from projectplay import PYTEST, Play

FILES = {
    "pkg/__init__.py": "",
    "pkg/dates.py": "def later(one, other):\n    return one if one < other else other\n",
    "tests/test_dates.py": "import pytest\nfrom pkg.dates import later\n\n\n"
    "@pytest.mark.parametrize('one, other', [(1, 2), (5, 3), (4, 4)])\n"
    "def test_later(one, other):\n    assert later(one, other) == max(one, other)\n",
}
RED = ("tests/test_dates.py::test_later[1-2]", "tests/test_dates.py::test_later[5-3]")
LEVELS = [Level.NAMESPACE, Level.LANDLOCK, Level.NONE]


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def find(play: Play, *, flag: str = PYTEST, failing: tuple[str, ...] = RED,
         level: Level | None = None, ticks: list[Tick] | None = None) -> Findings:  # fmt: skip
    command = play.detect(flag)
    heard = [] if ticks is None else ticks
    return search(
        play.site(command), command, failing, seconds=20, scratch=play.scratch,
        tick=heard.append, level=level, workers=1,
    )  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_the_fix_is_found_at_every_level_and_nothing_changes(play: Play, level: Level) -> None:
    """Candidates apply to the worktree as it is; signs of life come on the way."""
    if level is not Level.NONE and LEVELS.index(level) < LEVELS.index(detect().level):
        pytest.skip(f"this machine has no {level.value}")
    play.write(FILES)
    site = play.site(play.detect(PYTEST))
    before = tree(site.worktree)
    ticks: list[Tick] = []

    findings = find(play, level=level, ticks=ticks)

    first = findings.candidates[0]
    sources = {"pkg/dates.py": FILES["pkg/dates.py"]}
    assert "one >" in apply(sources, first.edits)["pkg/dates.py"]
    assert ("pkg/dates.py", 2, "later", True) == (
        first.path,
        first.line,
        first.function,
        first.complete,
    )
    assert set(RED) == set(first.turns_green)
    assert 2 == findings.suspects[0].line
    assert findings.tried
    assert "searching" in {tick.phase for tick in ticks}
    assert before == tree(site.worktree)


def test_a_patch_that_was_tried_is_not_found_again(play: Play) -> None:
    """Hashes of earlier patches are handed in; what remains are other ways."""
    play.write(FILES)
    command = play.detect(PYTEST)
    site = play.site(command)

    one = search(site, command, RED, seconds=20, scratch=play.scratch, workers=1)
    known = patch_hash(one.candidates[0].edits)
    two = search(site, command, RED, seconds=20, scratch=play.scratch, workers=1, forbidden=[known])

    assert known not in {patch_hash(candidate.edits) for candidate in two.candidates}


PAGES = {
    "pages.py": "def last_page(count, size):\n    return count // size\n",
    "test_pages.py": "from pages import last_page\n\n\n"
    "def test_full():\n    assert last_page(10, 5) == 1\n\n\n"
    "def test_partly():\n    assert last_page(11, 5) == 2\n",
}


@pytest.mark.slow
def test_what_was_tried_does_not_come_in_other_words(play: Play) -> None:
    """A change that does on all inputs what a refused one does is that one."""
    play.write(PAGES)
    command, red = play.detect(PYTEST), ("test_pages.py::test_full",)
    refused = [("pages.py", PAGES["pages.py"].replace("count //", "(count - 1) //"))]

    found = search(
        play.site(command), command, red, seconds=20, scratch=play.scratch, workers=1,
        refused=[refused],
    )  # fmt: skip

    assert any("do what a refused change does" in note for note in found.notes)
    assert found.candidates
    for candidate in found.candidates:
        names: dict[str, Any] = {}
        exec(apply(PAGES, candidate.edits)["pages.py"], names)  # noqa: S102 - as was found here
        last_page = names["last_page"]
        halves = [each / 2 for each in range(25)]
        assert any(last_page(each, 5) != (each - 1) // 5 for each in halves), candidate.edits


def test_a_line_of_the_first_bad_commit_says_so(play: Play) -> None:
    """It is suspected for what the tests run, and for that."""
    play.write(FILES)
    command, text = play.detect(PYTEST), FILES["pkg/dates.py"].replace("<", ">")
    was = EarlierText(path="pkg/dates.py", commit="1a2b3c4d5e", text=text)

    found = search(
        play.site(command), command, RED, seconds=20, scratch=play.scratch, workers=1,
        earlier=[was], first_bad="1a2b3c4d5e" * 4,
    )  # fmt: skip

    assert "the first bad commit brought it" in found.suspects[0].reasons


@pytest.mark.parametrize("level", LEVELS[:2])
def test_tests_may_write_where_they_run(play: Play, level: Level) -> None:
    """They do so in a copy: a fix is found, and the worktree stays as it is."""
    if LEVELS.index(level) < LEVELS.index(detect().level):
        pytest.skip(f"this machine has no {level.value}")
    play.write(
        {
            "code_under.py": "def f(n):\n    return n - 1\n",
            "test_write.py": "import pathlib\nfrom code_under import f\n\n\n"
            "def test_write():\n    here = pathlib.Path(__file__).parent\n"
            "    with open(here / 'log', 'a') as file:\n        file.write('x')\n"
            "    pathlib.Path('made').mkdir(exist_ok=True)\n    assert f(1) == 2\n",
        }
    )
    site = play.site(play.detect(PYTEST))
    before = tree(site.worktree)

    findings = find(play, failing=("test_write.py::test_write",), level=level)

    assert "replace `-` by `+`" == findings.candidates[0].description
    assert before == tree(site.worktree)


def test_the_code_cannot_be_written_from_inside_a_candidate(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is too big to be copied, a test that writes into the project fails in the search."""
    monkeypatch.setattr("clew.runners.site.ROOM", 0)
    if detect().level is Level.NONE:
        pytest.skip("this machine confines nothing")
    play.write(
        {
            "code.py": "def f(n):\n    return n - 1\n",
            "test_write.py": "import pathlib\n\n\n"
            "def test_write():\n    here = pathlib.Path(__file__).parent\n"
            "    with open(here / 'left_behind', 'w') as file:\n        file.write('x')\n"
            "    assert False\n",
        }
    )
    site = play.site(play.detect(PYTEST))

    find(play, failing=("test_write.py::test_write",))

    assert not (site.worktree / "left_behind").exists()


def test_unittest_is_searched_in_the_sandbox_too(play: Play) -> None:
    """Ids are those of the runs: `module.Class.method`."""
    play.write(
        {
            "sums.py": "def total(values):\n    return max(values)\n",
            "test_sums.py": "import unittest\nimport sums\n\n\n"
            "class Sums(unittest.TestCase):\n    def test_total(self):\n"
            "        self.assertEqual(sums.total([1, 2]), 3)\n",
        }
    )

    findings = find(
        play, flag=f"{sys.executable} -m unittest", failing=("test_sums.Sums.test_total",)
    )

    assert "replace `max` by `sum`" == findings.candidates[0].description


def test_what_made_a_test_pass_and_cannot_be_kept_is_told_so(play: Play) -> None:
    """Where no candidate is left, each such change broke another test, or does not hold."""
    test = "from sums import more\n\n\ndef test_{}():\n    assert more(1) == {}\n"
    play.write(
        {
            "sums.py": "def more(n):\n    return n - 1\n",
            "test_more.py": test.format("more", 2) + test.format("less", 0).partition("\n")[2],
        }
    )

    found = find(play, failing=("test_more.py::test_more",))

    assert not found.candidates
    (told,) = (r for r in found.suspects[0].reasons if "made a failing test pass" in r)
    assert told.endswith(" here made a failing test pass, and cannot be kept")


COUNTED = "made a failing test pass, counting alike ones and those that cannot be kept"


@pytest.mark.parametrize(
    ("flips", "said"),
    [(120, f"120 changes here {COUNTED}"), (1, "one change here made a failing test pass")],
)
def test_changes_that_made_a_test_pass_are_not_told_as_fixes(flips: int, said: str) -> None:
    """Those that broke another test are counted as well."""
    line = Suspicion(path="a.py", line=1, function="f", score=0.5, flips=flips)
    assert (said,) == _suspect(line, kept=True).reasons


@pytest.mark.slow
def test_a_search_goes_on_where_the_one_before_ended(play: Play) -> None:
    """What turned no test green is not tried again on the same commit."""
    play.write({**FILES, "pkg/dates.py": "def later(one, other):\n    return one * 3 - 4711\n"})
    command = play.detect(PYTEST)
    site = play.site(command)

    one, two, three, four = (
        search(site, command, RED, seconds=90, scratch=play.scratch, workers=1, ground=ground)
        for ground in ("a", "a", "b", "")
    )

    assert two.tried < one.tried
    told = [any("tried in vain" in n for n in each.notes) for each in (one, two, three, four)]
    assert [False, True, False, False] == told


def test_what_failed_where_tests_may_not_write_is_tried_again_where_they_may(play: Play) -> None:
    """In the copy, on the same commit: the right change is among it."""
    play.write(
        {
            "code_under.py": "def f(n):\n    return n - 1\n",
            "test_write.py": "import pathlib\nfrom code_under import f\n\n\n"
            "def test_write():\n    found = f(1)\n"
            "    pathlib.Path(__file__).with_name('log').write_text('x')\n    assert found == 2\n",
        }
    )
    command = play.detect(PYTEST)
    site, red = play.site(command), ("test_write.py::test_write",)

    findings = search(site, command, red, seconds=20, scratch=play.scratch, workers=1, ground="a")

    assert "replace `-` by `+`" == findings.candidates[0].description


def test_a_command_of_unknown_kind_is_not_searched(play: Play) -> None:
    """One fact a run is nothing to search by, and that is said."""
    play.write(FILES)
    site = play.site(play.detect(PYTEST))
    command = TestCommand(runner=Runner.COMMAND, argv=("make", "test"))

    findings = search(site, command, ("make test",), seconds=5, scratch=play.scratch)

    assert ("no search: the tests are one fact a run",) == findings.notes


def test_an_interpreter_that_does_not_start_is_the_agents_failure(play: Play) -> None:
    """The error names what the search said last."""
    play.write(FILES)
    command = play.detect(PYTEST)
    site = play.site(command)
    broken = TestCommand(runner=Runner.PYTEST, argv=command.argv, interpreter="/bin/false")

    with pytest.raises(AgentFailed, match="ended early: exit code 1"):
        search(site, broken, RED, seconds=5, scratch=play.scratch)


def test_a_search_tells_which_tests_run_which_lines(play: Play) -> None:
    """Of the files that failing tests run; lines that the same tests run stand together."""
    play.write(FILES)
    (reach,) = [reach for reach in find(play).reach if reach.path == "pkg/dates.py"]
    green = "tests/test_dates.py::test_later[4-4]"
    assert {*RED, green} == set(reach.tests)
    assert [((2,), (0, 1, 2))] == list(reach.groups)


def test_an_answer_that_is_computed_from_nothing_is_not_proposed(play: Play) -> None:
    """The proof refuses it, in each of its spellings: a round for one is a round wasted."""
    play.write(
        {
            "rows.py": "def rows():\n    return open('rows.txt').read()\n",
            "test_rows.py": "from rows import rows\n\n\n"
            "def test_rows():\n    assert rows() == []\n",
        }
    )
    found = find(play, failing=("test_rows.py::test_rows",))

    assert () == found.candidates
    assert any("answers [] whatever it is given" in note for note in found.notes)
