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
    runs: int  # of the person's own code
    red: int
    flaky: bool
    kind: str = ""
    evidence: str = ""
    last_seen: datetime  # red, or named flaky
    changed_runs: int = 0  # of code with the changes of a session: a fix, or work in its worktree
    changed_red: int = 0


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
        self.changed_runs = 0
        self.changed_red = 0
        self.kind = ""
        self.evidence = ""
        self.last: datetime | None = None
        self.ends: dict[str, set[bool]] = defaultdict(set)  # by the tree that was run

    def count(self, runs: int, red: int, *, own: bool) -> None:
        if own:
            self.runs, self.red = self.runs + runs, self.red + red
        else:
            self.changed_runs += runs
            self.changed_red += red

    @property
    def flaky(self) -> bool:
        return bool(self.kind) or any(len(ends) > 1 for ends in self.ends.values())


class _Code:
    """Which code a commit is, and whether it is the person's own."""

    def __init__(self, tree: Callable[[str], str]) -> None:
        self.tree = tree
        self.trees: dict[str, str] = {}
        self.grounds: defaultdict[str, set[str]] = defaultdict(set)  # by the session
        self.fixed: set[str] = set()  # trees with a fix that was proven

    def record(self, session: str, taken: ev.SnapshotTaken) -> None:
        self.grounds[session].add(taken.ground)
        if taken.tree:
            self.trees[taken.base] = taken.tree

    def name(self, commit: str) -> str:
        return self.trees.get(commit, commit)

    def is_own(self, session: str, commit: str) -> bool:
        """Tell whether nothing of a session's is in it; a fix that was applied, and no more, is."""
        known = self.grounds.get(session)
        return known is None or (commit in known and self.name(commit) not in self.fixed)


def history(
    records: Iterable[ev.Recorded],
    outcomes: Callable[[str], Mapping[str, bool]],
    tree: Callable[[str], str] = str,
) -> tuple[FlakeHistory, ...]:
    """Return the tests that were ever red, flaky ones first, then the most recent.

    `outcomes` gives the ends of the tests of a stored run, by its key; none for one that is gone.
    `tree` gives the tree of a commit. A test is flaky when it was named so, or seen red and green
    on the same code.
    """
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    code = _Code(tree)
    for recorded in records:
        match recorded.event:
            case ev.SnapshotTaken() as taken:
                code.record(recorded.session, taken)
            case ev.TestsRan() as ran:
                ends = outcomes(ran.run) if ran.run else {}
                own = code.is_own(recorded.session, ran.commit)
                _add(tallies, ran, ends, code.name(ran.commit), recorded.at, own=own)
            case ev.Proved() as proved:
                _named(tallies, proved.flaky, recorded.at)
                if proved.accepted and not code.is_own(recorded.session, proved.commit):
                    code.fixed.add(tree(proved.commit))
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
    *,
    own: bool,
) -> None:
    ends = {r.id: True for r in ran.red} | dict(ends)
    for test, red in ends.items():
        tally = tallies[test]
        tally.count(1, red, own=own)
        tally.ends[code].add(red)
        if red:
            tally.last = at
    perhaps = {flake.test for flake in ran.flakes if flake.kind is ev.FlakeKind.PERHAPS}
    _named(tallies, (test for test in ran.flaky if test not in perhaps), at)
    for flake in ran.flakes:
        tally = tallies[flake.test]
        tally.count(flake.runs, flake.red, own=own)
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
        changed_runs=tally.changed_runs,
        changed_red=tally.changed_red,
    )
