"""Which commit to try next, to find the first one that made tests fail: pure, one step at a time.

What is known is a set of answers, commit by commit, so that a search that was cut off goes on where
it was. First a good commit is looked for, back along the first parents in strides that double; then
the commits between it and the oldest bad one are halved, merges included, until one is left.

Laws:
- no commit is tried twice; a search ends after at most `MOST` tries;
- a commit that says nothing is stepped over, and never taken for good or bad;
- the commit found is bad, and each of its parents that was in question is good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from clew.analysis.diffs import HUNK, parts
from clew.analysis.testfiles import is_test_path
from clew.words.facts import CaseOutcome, Crash, Fact, Suspect, TestRun, Verdict
from clew.words.test_ids import parted

__all__ = [
    "MOST",
    "Among",
    "CommitVerdict",
    "FirstBad",
    "FoundCommit",
    "Good",
    "NoGood",
    "Touched",
    "TryCommit",
    "answer",
    "halve",
    "look_back",
    "touched",
    "unimported",
]

MOST = 100  # tries of one search
EXACT = 4_000  # commits in question up to which every one is weighed


class CommitVerdict(StrEnum):
    """What the failing tests say of one commit."""

    GOOD = "good"
    BAD = "bad"
    MISSING = "missing"  # none of the tests is there yet
    BROKEN = "broken"  # they are, and could not run

    @property
    def silent(self) -> bool:
        """Whether the commit is to be stepped over."""
        return self in (CommitVerdict.MISSING, CommitVerdict.BROKEN)


class TryCommit(Fact, frozen=True, kw_only=True):
    """Run the failing tests on this commit; about `left` tries are to come after it."""

    commit: str
    left: int | None = None


class Good(Fact, frozen=True, kw_only=True):
    """A good commit is known, and the oldest bad one that comes after it."""

    good: str
    bad: str


class NoGood(Fact, frozen=True, kw_only=True):
    """No good commit was found; `oldest` is the oldest that was bad.

    `before` is the nearest commit before it that was tried, and said nothing; without one the bad
    ones reach to the end of the line.
    """

    oldest: str
    before: str = ""


class FoundCommit(Fact, frozen=True, kw_only=True):
    """The first bad commit."""

    commit: str


class Among(Fact, frozen=True, kw_only=True):
    """The first bad commit is one of these: the others than the newest could not run."""

    commits: tuple[str, ...]  # newest first


Answers = Mapping[str, CommitVerdict]


def answer(run: TestRun, tests: Iterable[str], *, present: bool) -> CommitVerdict:
    """Say what a run of the failing tests tells of its commit.

    `tests` may name whole files, which failed to load: such a one is mended once its tests run.
    `present` says whether the commit has any of the files that they are in.
    """
    wanted = frozenset(tests)
    if not wanted:
        return CommitVerdict.BROKEN
    red = {result.id for result in run.red}
    if red & wanted:
        return CommitVerdict.BAD
    if red & {parted(name)[0] for name in wanted}:
        return CommitVerdict.BROKEN  # their file does not load
    met = [r for r in run.results if r.id in wanted or parted(r.id)[0] in wanted]
    loads = any(r.id not in wanted for r in met)  # a file that did not load has loaded
    if loads or any(r.outcome is CaseOutcome.PASSED for r in met):
        return CommitVerdict.GOOD
    if not present or (run.verdict is not Verdict.DID_NOT_RUN and not met):
        return CommitVerdict.MISSING
    return CommitVerdict.BROKEN


def unimported(run: TestRun) -> tuple[str, ...]:
    """Return the red tests whose own lines import what is not there."""
    return tuple(r.id for r in run.red if r.crash and _imports_in_vain(r.crash))


def _imports_in_vain(crash: Crash) -> bool:
    own = next((frame.path for frame in reversed(crash.frames)), "")
    return crash.type in ("ImportError", "ModuleNotFoundError") and is_test_path(own)


def look_back(line: Sequence[str], answers: Answers) -> TryCommit | Good | NoGood:
    """Look for a good commit on a line of first parents, newest first; the first one is bad.

    In strides that double; where the tests are not there yet, the search turns and closes in on
    the commit that brought them.
    """
    told = {at: answers[commit] for at, commit in enumerate(line) if commit in answers}
    good = min((at for at, each in told.items() if each is CommitVerdict.GOOD), default=len(line))
    oldest = max(
        (at for at, each in told.items() if each is CommitVerdict.BAD and at < good), default=0
    )
    if good < len(line):
        return Good(good=line[good], bad=line[oldest])
    furthest, last = max(told, default=0), len(line) - 1
    if furthest < last and CommitVerdict.MISSING not in told.values() and len(answers) < MOST:
        return TryCommit(commit=line[min(max(1, 2 * furthest), last)])
    end = min((at for at, each in told.items() if each.silent and at > oldest), default=len(line))
    between = end - oldest - 1
    if between <= 0 or len(answers) >= MOST:
        return NoGood(oldest=line[oldest], before=line[end] if end <= last else "")
    return TryCommit(commit=line[oldest + 1 + between // 2], left=between.bit_length() - 1)


def halve(
    graph: Mapping[str, tuple[str, ...]], bad: str, answers: Answers
) -> TryCommit | FoundCommit | Among:
    """Choose the commit that parts those in question best, or name the first bad one.

    `graph` holds every commit that is reached from `bad` and from no good one, newest first, with
    its parents.
    """
    question = _in_question(graph, bad, answers)
    rest = question[1:]
    silent = [commit for commit in rest if commit in answers]
    open_ = [commit for commit in rest if commit not in answers]
    if not rest:
        return FoundCommit(commit=question[0])
    if not open_ or len(answers) >= MOST:
        return Among(commits=tuple(question))
    ranked = _balanced(graph, question, open_)
    return TryCommit(
        commit=ranked[int(len(ranked) * _spread(len(silent)))],
        left=max(0, len(question).bit_length() - 2),
    )


def _in_question(graph: Mapping[str, tuple[str, ...]], bad: str, answers: Answers) -> list[str]:
    """Return the bad commit that is oldest, and what of its past no good one accounts for."""
    sound = _past(graph, [c for c in graph if answers.get(c) is CommitVerdict.GOOD])
    while True:
        past = _past(graph, [bad])
        question = [c for c in graph if c in past and c not in sound]
        older = [c for c in question if c != bad and answers.get(c) is CommitVerdict.BAD]
        if not older:
            return [bad, *(c for c in question if c != bad)]
        bad = older[-1]


def _past(graph: Mapping[str, tuple[str, ...]], tips: Iterable[str]) -> set[str]:
    """Return the commits of the graph that are reached from the tips, with these."""
    seen: set[str] = set()
    waiting = [tip for tip in tips if tip in graph]
    while waiting:
        commit = waiting.pop()
        if commit not in seen:
            seen.add(commit)
            waiting += (parent for parent in graph[commit] if parent in graph)
    return seen


def _balanced(
    graph: Mapping[str, tuple[str, ...]], question: list[str], choice: list[str]
) -> list[str]:
    """Order the choice by how evenly a commit parts the question, best first."""
    if len(question) > EXACT:  # any choice is right, and the middle of the line is nearly best
        place = {commit: at for at, commit in enumerate(question)}
        return sorted(choice, key=lambda commit: abs(len(question) - 2 * place[commit]))
    bit = {commit: 1 << at for at, commit in enumerate(question)}
    pasts: dict[str, int] = {}
    for commit in reversed(question):  # parents come before their children
        past = bit[commit]
        for parent in graph[commit]:
            past |= pasts.get(parent, 0)
        pasts[commit] = past
    half = len(question)
    return sorted(choice, key=lambda c: abs(half - 2 * pasts[c].bit_count()))


def _spread(number: int) -> float:
    """Return 0, 1/2, 1/4, 3/4, 1/8 …: after a commit that said nothing, look elsewhere."""
    share, step = 0.0, 0.5
    while number:
        share, number, step = share + step * (number % 2), number // 2, step / 2
    return share


# --- what the first bad commit changed -----------------------------------------------------------

NEAR = 0.5  # weight of a suspect in a file that was changed elsewhere


class Touched(Fact, frozen=True, kw_only=True):
    """A file that a commit changed; `score` says how much speaks for it, 0 to 1."""

    path: str
    added: int = 0
    removed: int = 0
    score: float = 0.0
    reason: str = ""


class FirstBad(Fact, frozen=True, kw_only=True):
    """The commit that made tests fail; author and subject are anybody's words."""

    commit: str
    parents: tuple[str, ...]
    author: str
    date: datetime
    subject: str
    tests: tuple[str, ...]  # that are red from there on
    files: tuple[Touched, ...] = ()  # likeliest first


def touched(paths: Iterable[str], diff: str, suspects: Iterable[Suspect]) -> tuple[Touched, ...]:
    """Rank the files of a commit by what its failing tests point at, likeliest first.

    `diff` is the commit's own, in git's words; `suspects` are of a run on it.
    """
    by_path = dict(parts(diff))
    known = tuple(suspects)
    found = [_touched(path, by_path.get(path, ""), known) for path in paths]
    found.sort(key=lambda f: (-f.score, is_test_path(f.path), -(f.added + f.removed), f.path))
    return tuple(found)


def _touched(path: str, part: str, suspects: tuple[Suspect, ...]) -> Touched:
    lines = part.partition("\n@@")[2].splitlines()
    changed, beside = _changed(part)
    score, reason = 0.0, ""
    for suspect in suspects:
        if suspect.path != path:
            continue
        inside, near = suspect.line in changed, suspect.line in beside
        weight = suspect.score if inside or near else suspect.score * NEAR
        if weight > score:
            named = f"line {suspect.line}" if inside else f"beside line {suspect.line}"
            where = named if inside or near else "the file"
            score, reason = weight, f"{where}: {'; '.join(suspect.reasons)}"
    return Touched(
        path=path,
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        score=round(score, 6),
        reason=reason,
    )


def _changed(part: str) -> tuple[set[int], set[int]]:
    """Return the lines that a commit made, and those beside lines that it took away."""
    changed, beside = set[int](), set[int]()
    for hunk in re.split(r"^(?=@@ )", part, flags=re.MULTILINE)[1:]:
        head = HUNK.match(hunk)
        number = int(head[1]) + (head[2] == "0") if head else 1
        before = ""
        for line in hunk.split("\n")[1:]:
            sign = line[:1]
            if before == "-" and sign not in ("-", "+"):
                beside |= {number - 1, number}
            if sign == "+":
                changed.add(number)
            number += sign in ("+", " ")
            before = sign
    return changed, beside
