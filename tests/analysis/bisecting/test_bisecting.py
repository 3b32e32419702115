"""Which commit to try next."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.bisecting import (
    MOST,
    Among,
    CommitVerdict,
    FoundCommit,
    Good,
    NoGood,
    TryCommit,
    answer,
    halve,
    look_back,
    touched,
    unimported,
)
from clew.words.facts import CaseOutcome, Phase, Suspect, TestResult, TestRun, Verdict
from failurekit import crash, failed, frame, passed, run

Graph = Mapping[str, tuple[str, ...]]


@st.composite
def histories(draw: st.DrawFn) -> tuple[Graph, set[str], str]:
    """A history, newest first; the commits that are bad, and the one that made them so."""
    size = draw(st.integers(1, 24))
    parents: list[tuple[str, ...]] = []
    for at in range(size):
        older = [f"c{n}" for n in range(max(0, at - 4), at)]
        chosen = (
            draw(st.lists(st.sampled_from(older), min_size=1, max_size=2, unique=True))
            if older
            else []
        )
        parents.append(tuple(chosen))
    graph = {f"c{at}": parents[at] for at in reversed(range(size))}
    tip = f"c{size - 1}"
    reached = past(graph, tip)
    graph = {commit: graph[commit] for commit in graph if commit in reached}
    culprit = draw(st.sampled_from(sorted(graph)))
    bad = {commit for commit in graph if culprit in past(graph, commit)}
    return graph, bad, culprit


def past(graph: Mapping[str, tuple[str, ...]], tip: str) -> set[str]:
    found: set[str] = set()
    waiting = [tip]
    while waiting:
        commit = waiting.pop()
        found.add(commit)
        waiting += [parent for parent in graph[commit] if parent in graph and parent not in found]
    return found


def searched(
    graph: Graph, tip: str, truth: Mapping[str, CommitVerdict]
) -> tuple[FoundCommit | Among, list[str]]:
    answers: dict[str, CommitVerdict] = {tip: CommitVerdict.BAD}
    tried: list[str] = []
    while isinstance(step := halve(graph, tip, answers), TryCommit):
        assert step.commit not in answers
        answers[step.commit] = truth[step.commit]
        tried.append(step.commit)
    return step, tried


@given(histories())
def test_the_first_bad_commit_is_found_in_every_history(
    history: tuple[Graph, set[str], str],
) -> None:
    """Through merges as well, and no commit is tried twice."""
    graph, bad, culprit = history
    truth = {c: CommitVerdict.BAD if c in bad else CommitVerdict.GOOD for c in graph}
    found, _ = searched(graph, next(iter(graph)), truth)
    assert FoundCommit(commit=culprit) == found


@given(histories(), st.data())
def test_a_commit_that_says_nothing_is_never_blamed_alone(
    history: tuple[Graph, set[str], str], data: st.DataObject
) -> None:
    """The first bad one is named, or is among those that are named."""
    graph, bad, culprit = history
    tip = next(iter(graph))
    silent = set(data.draw(st.lists(st.sampled_from(sorted(graph)), unique=True))) - {tip}
    truth = {
        c: CommitVerdict.BROKEN
        if c in silent
        else CommitVerdict.BAD
        if c in bad
        else CommitVerdict.GOOD
        for c in graph
    }
    found, tried = searched(graph, tip, truth)
    named = (found.commit,) if isinstance(found, FoundCommit) else found.commits
    assert culprit in named
    assert len(tried) == len(set(tried))
    assert set(named) - {named[0]} <= silent


@pytest.mark.parametrize("size", [1, 2, 3, 64, 1000])
def test_a_straight_history_is_halved(size: int) -> None:
    """A thousand commits take ten tries."""
    graph = {f"c{n}": (f"c{n - 1}",) for n in range(size, 0, -1)}
    for culprit in {1, size // 2 or 1, size}:
        truth = {
            c: CommitVerdict.BAD if int(c[1:]) >= culprit else CommitVerdict.GOOD for c in graph
        }
        found, tried = searched(graph, f"c{size}", truth)
        assert FoundCommit(commit=f"c{culprit}") == found
        assert len(tried) <= size.bit_length()


def test_a_long_history_is_halved_as_well() -> None:
    """Beyond the size up to which every commit is weighed."""
    graph = {f"c{n}": (f"c{n - 1}",) for n in range(9_000, 0, -1)}
    truth = {c: CommitVerdict.BAD if int(c[1:]) >= 77 else CommitVerdict.GOOD for c in graph}
    found, tried = searched(graph, "c9000", truth)
    assert (FoundCommit(commit="c77"), True) == (found, len(tried) <= 14)


def test_a_history_that_cannot_run_is_left_after_a_bound() -> None:
    """Then all that is left is named."""
    graph = {f"c{n}": (f"c{n - 1}",) for n in range(500, 0, -1)}
    found, tried = searched(graph, "c500", dict.fromkeys(graph, CommitVerdict.BROKEN))
    assert isinstance(found, Among)
    assert MOST - 1 == len(tried)


def looked(line: list[str], truth: Mapping[str, CommitVerdict]) -> tuple[Good | NoGood, list[str]]:
    answers = {line[0]: CommitVerdict.BAD}
    tried: list[str] = []
    while isinstance(step := look_back(line, answers), TryCommit):
        assert step.commit not in answers
        answers[step.commit] = truth[step.commit]
        tried.append(step.commit)
    return step, tried


@given(st.integers(1, 200), st.data())
def test_a_good_commit_is_found_in_strides_that_double(size: int, data: st.DataObject) -> None:
    """Whatever is known good comes before whatever is known bad, in few tries."""
    line = [f"c{n}" for n in range(size)]
    first_good = data.draw(st.integers(1, size))
    truth = {
        c: CommitVerdict.GOOD if n >= first_good else CommitVerdict.BAD for n, c in enumerate(line)
    }
    found, tried = looked(line, truth)
    if first_good == size:
        assert NoGood(oldest=line[-1]) == found
    else:
        assert isinstance(found, Good)
        assert line.index(found.bad) < first_good <= line.index(found.good)
    assert len(tried) <= size.bit_length() + 1


@given(st.integers(1, 100), st.integers(0, 100), st.integers(0, 100))
def test_good_commits_between_bad_ones_and_the_first_tests_are_found(
    bad: int, good: int, missing: int
) -> None:
    """A stride that lands before the tests were written turns the search round."""
    kinds = (
        [CommitVerdict.BAD] * bad + [CommitVerdict.GOOD] * good + [CommitVerdict.MISSING] * missing
    )
    line = [f"c{n}" for n in range(len(kinds))]
    found, tried = looked(line, dict(zip(line, kinds, strict=True)))
    assert len(tried) <= 2 * len(line).bit_length()
    if good:
        assert isinstance(found, Good)
        assert CommitVerdict.GOOD is kinds[line.index(found.good)]
        assert CommitVerdict.BAD is kinds[line.index(found.bad)]
    else:
        before = line[bad] if missing else ""
        assert NoGood(oldest=line[bad - 1], before=before) == found


def test_commits_that_cannot_run_are_stepped_over() -> None:
    """The stride goes on behind them."""
    line = [f"c{n}" for n in range(20)]
    truth = dict.fromkeys(line, CommitVerdict.GOOD) | dict.fromkeys(line[1:9], CommitVerdict.BROKEN)
    found, tried = looked(line, truth)
    assert Good(good="c16", bad="c0") == found
    assert ["c1", "c2", "c4", "c8", "c16"] == tried


RED = failed("tests/a.py::x")
NOT_LOADED = TestResult(id="tests/a.py", outcome=CaseOutcome.ERROR, phase=Phase.COLLECT)
NOT_RUN = replace(run(), verdict=Verdict.DID_NOT_RUN)


@pytest.mark.parametrize(
    ("ran", "tests", "present", "told"),
    [
        (run(RED), ["tests/a.py::x"], True, CommitVerdict.BAD),
        (run(*passed("tests/a.py::x")), ["tests/a.py::x"], True, CommitVerdict.GOOD),
        (
            run(*passed("tests/a.py::y"), RED),
            ["tests/a.py::y", "tests/a.py::x"],
            True,
            CommitVerdict.BAD,
        ),
        (
            run(*passed("tests/a.py::x")),
            ["tests/a.py::x", "tests/a.py::y"],
            True,
            CommitVerdict.GOOD,
        ),
        (run(*passed("tests/a.py::x")), ["tests/a.py::y"], True, CommitVerdict.MISSING),
        (run(NOT_LOADED), ["tests/a.py"], True, CommitVerdict.BAD),
        (run(RED), ["tests/a.py"], True, CommitVerdict.GOOD),
        (run(NOT_LOADED), ["tests/a.py::x"], True, CommitVerdict.BROKEN),
        (NOT_RUN, ["tests/a.py::x"], True, CommitVerdict.BROKEN),
        (NOT_RUN, ["tests/a.py::x"], False, CommitVerdict.MISSING),
    ],
)
def test_a_run_speaks_of_the_failing_tests_alone(
    ran: TestRun,
    tests: list[str],
    present: bool,  # noqa: FBT001 -- a column of the table
    told: CommitVerdict,
) -> None:
    """Another red test makes no commit bad; a file that loads again is mended, whatever it says."""
    assert told is answer(ran, tests, present=present)


def test_tests_that_cannot_import_what_they_ask_for_are_known() -> None:
    """By the line that imports: their own; a commit that has none but them tells nothing."""
    gone = "No module named 'load.ranks'"
    own = crash("ModuleNotFoundError", gone, frame("tests/a.py:3", "test_x"))
    product = crash(
        "ModuleNotFoundError",
        gone,
        frame("tests/a.py:9", "y"),
        frame("load/report.py:1", "<module>"),
    )
    ran = run(failed("tests/a.py::x", own), failed("tests/a.py::y", product), RED)
    assert ("tests/a.py::x",) == unimported(ran)
    assert CommitVerdict.BROKEN is answer(ran, (), present=True)


DIFF = (
    "diff --git a/kit/words.py b/kit/words.py\nindex 1..2 100644\n"
    "--- a/kit/words.py\n+++ b/kit/words.py\n"
    "@@ -5,6 +5,5 @@ def first():\n five\n six\n seven\n{change} nine\n ten\n"
)


@pytest.mark.parametrize(
    ("change", "lines", "reason"),
    [
        ("-old\n+new\n", (6, 8), "line 8: run by 1 of 1 failing tests"),
        ("-old\n", (5, 8), "beside line 8: run by 1 of 1 failing tests"),
        ("-old\n+new\n", (6, 9), "the file: run by 1 of 1 failing tests"),
    ],
)
def test_a_line_is_named_only_if_the_commit_changed_it(
    change: str, lines: tuple[int, ...], reason: str
) -> None:
    """What a diff shows around a change is as it was."""
    why = ("run by 1 of 1 failing tests",)
    suspects = [Suspect(path="kit/words.py", line=n, score=0.5, reasons=why) for n in lines]
    (found,) = touched(["kit/words.py"], DIFF.format(change=change), suspects)
    assert reason == found.reason
