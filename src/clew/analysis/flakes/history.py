"""How tests ended over all sessions of a project: which of them are flaky, and since when.

Nothing is kept beside the journal: the runs are there, and their outcomes in the blobs they name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

import msgspec

from clew.words import events as ev
from clew.words.facts import CaseOutcome

__all__ = ["FlakeHistory", "history", "outcomes_in"]


class FlakeHistory(msgspec.Struct, frozen=True, kw_only=True):
    """One test that was red at least once; `kind` is empty while it was never seen to be flaky."""

    test: str
    runs: int
    red: int
    flaky: bool
    kind: str = ""
    evidence: str = ""
    last_seen: datetime  # red, or named flaky


class _Ended(msgspec.Struct, frozen=True):
    id: str
    outcome: CaseOutcome


class _Run(msgspec.Struct, frozen=True):
    results: tuple[_Ended, ...] = ()


_decoder = msgspec.json.Decoder(_Run)


def outcomes_in(run: bytes) -> dict[str, bool]:
    """Return which tests of a stored run were red, and which passed. Raises msgspec.DecodeError."""
    ended = _decoder.decode(run).results
    return {e.id: e.outcome.red for e in ended if e.outcome.red or e.outcome is CaseOutcome.PASSED}


class _Tally:
    def __init__(self) -> None:
        self.runs = 0
        self.red = 0
        self.kind = ""
        self.evidence = ""
        self.last: datetime | None = None
        self.ends: dict[str, set[bool]] = defaultdict(set)  # by the tree that was run

    @property
    def flaky(self) -> bool:
        return bool(self.kind) or any(len(ends) > 1 for ends in self.ends.values())


def history(
    records: Iterable[ev.Recorded], outcomes: Callable[[str], Mapping[str, bool]]
) -> tuple[FlakeHistory, ...]:
    """Return the tests that were ever red, flaky ones first, then the most recent.

    `outcomes` gives the ends of the tests of a stored run, by its key; none for one that is gone.
    A test is flaky when it was named so, or seen red and green on the same code.
    """
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    trees: dict[str, str] = {}
    for recorded in records:
        match recorded.event:
            case ev.SnapshotTaken() as taken if taken.tree:
                trees[taken.base] = taken.tree
            case ev.TestsRan() as ran:
                code = trees.get(ran.commit, ran.commit)
                _add(tallies, ran, outcomes(ran.run) if ran.run else {}, code, recorded.at)
            case ev.Proved() as proved:
                _named(tallies, proved.flaky, recorded.at)
            case _:
                pass
    found = [_past(test, tally) for test, tally in tallies.items() if tally.last]
    found.sort(key=lambda past: past.test)
    found.sort(key=lambda past: (past.flaky, past.last_seen), reverse=True)
    return tuple(found)


def _add(
    tallies: defaultdict[str, _Tally],
    ran: ev.TestsRan,
    ends: Mapping[str, bool],
    code: str,
    at: datetime,
) -> None:
    ends = {r.id: True for r in ran.red} | dict(ends)
    for test, red in ends.items():
        tally = tallies[test]
        tally.runs += 1
        tally.red += red
        tally.ends[code].add(red)
        if red:
            tally.last = at
    perhaps = {flake.test for flake in ran.flakes if flake.kind is ev.FlakeKind.PERHAPS}
    _named(tallies, (test for test in ran.flaky if test not in perhaps), at)
    for flake in ran.flakes:
        tally = tallies[flake.test]
        tally.runs += flake.runs
        tally.red += flake.red
        if flake.test not in perhaps:
            _name(tally, flake.kind, flake.evidence, at)


def _named(tallies: defaultdict[str, _Tally], tests: Iterable[str], at: datetime) -> None:
    """Note tests that turned; of which kind they are stays as it was found out."""
    for test in tests:
        _name(tallies[test], tallies[test].kind or ev.FlakeKind.UNKNOWN, "", at)


def _name(tally: _Tally, kind: str, evidence: str, at: datetime) -> None:
    tally.kind, tally.last = kind, at
    tally.evidence = evidence or tally.evidence


def _past(test: str, tally: _Tally) -> FlakeHistory:
    if tally.last is None:
        raise ValueError(f"{test} was never red")
    return FlakeHistory(
        test=test,
        runs=tally.runs,
        red=tally.red,
        flaky=tally.flaky,
        kind=tally.kind or (ev.FlakeKind.UNKNOWN if tally.flaky else ""),
        evidence=tally.evidence,
        last_seen=tally.last,
    )
