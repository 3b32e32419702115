"""The evidence on a failure, put together from a run and from what was known before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from clew.analysis import failures
from clew.analysis.bisecting import FirstBad
from clew.analysis.flakes import FlakeHistory
from clew.documents.knowledge import Match
from clew.documents.templating import moment
from clew.words.facts import Category, Cause, Fact, Suspect, TestResult, TestRun, Verdict

__all__ = [
    "DIFF",
    "Classified",
    "Evidence",
    "FlakeHistory",
    "SinceGreen",
    "assemble",
    "ends",
    "facts",
    "first_bad",
    "told_before",
]

DIFF = 20_000  # characters of a diff
FIRST_BAD = "first bad commit: "
UNSOUGHT = "the first bad commit is not known: `clew bisect` finds it"
MOST_TESTS = 10
MOST_SUSPECTS = 20
MOST_FILES = 5


class SinceGreen(Fact, frozen=True, kw_only=True):
    """What was changed since the tests were green, as far as that is known."""

    commit: str
    source: str  # how that commit is known, in words
    at: datetime | None = None  # when it was seen green
    files: tuple[str, ...] = ()
    diff: str = ""
    cut: int = 0  # characters of the diff that are left out


class Classified(Fact, frozen=True, kw_only=True):
    """What kind of failure it is, on both axes."""

    category: Category
    cause: Cause


class Evidence(Fact, frozen=True, kw_only=True):
    """All that is known; every text in it is data."""

    session: str = ""
    commit: str = ""
    command: tuple[str, ...] = ()
    verdict: Verdict = Verdict.FAILED
    red: int = 0
    passed: int = 0
    category: Category | None = None
    cause: Cause | None = None
    tests: tuple[TestResult, ...] = ()  # with stack trace and values
    more_tests: int = 0
    suspects: tuple[Suspect, ...] = ()
    definitions: tuple[Suspect, ...] = ()  # that disagree, with what they say, where that is it
    flaky: tuple[str, ...] = ()
    since_green: SinceGreen | None = None
    first_bad: FirstBad | None = None
    known: tuple[Match, ...] = ()  # candidates to test first
    past: tuple[FlakeHistory, ...] = ()
    notes: tuple[str, ...] = ()  # what is not known, and why


def assemble(
    run: TestRun,
    *,
    classified: Classified | None,
    suspects: tuple[Suspect, ...],
    definitions: tuple[Suspect, ...] = (),
    session: str = "",
    commit: str = "",
    flaky: Iterable[str] = (),
    since_green: SinceGreen | None = None,
    first_bad: FirstBad | None = None,
    known: tuple[Match, ...] = (),
    past: tuple[FlakeHistory, ...] = (),
    unfound: str = UNSOUGHT,
) -> Evidence:
    """Put the evidence together; flaky tests have no say in it.

    `unfound` says why the first bad commit is not told, where it is not.
    """
    left_out = frozenset(flaky)
    red = tuple(result for result in run.red if result.id not in left_out)
    failed = run.verdict is Verdict.FAILED
    return Evidence(
        session=session,
        commit=commit,
        command=run.command.argv,
        verdict=run.verdict,
        red=len(red),
        passed=len(run.passed),
        category=classified.category if classified else None,
        cause=classified.cause if classified else None,
        tests=red[:MOST_TESTS],
        more_tests=max(0, len(red) - MOST_TESTS),
        suspects=(*definitions, *suspects)[:MOST_SUSPECTS],
        definitions=definitions,
        flaky=tuple(sorted(left_out)),
        since_green=since_green,
        first_bad=first_bad,
        known=known,
        past=past,
        notes=tuple(_notes(since_green, first_bad, unfound)) if failed else (run.reason,),
    )


def _notes(
    since_green: SinceGreen | None, first_bad: FirstBad | None, unfound: str
) -> Iterator[str]:
    if since_green is None:
        yield "no commit is known on which these tests passed"
    elif since_green.cut:
        yield f"{since_green.cut} characters of the diff are left out"
    if first_bad is None and unfound:
        yield unfound


def first_bad(first: FirstBad) -> str:
    """Tell the first bad commit on one line; its subject is anybody's words."""
    files = ", ".join(file.path for file in first.files[:MOST_FILES])
    more = f" and {len(first.files) - MOST_FILES} more" if len(first.files) > MOST_FILES else ""
    subject = " ".join(failures.printable(first.subject).split())[:120]
    return (
        f"{FIRST_BAD}{first.commit[:12]} of {moment(first.date)}, {subject!r},"
        f" which changed {files or 'nothing'}{more}"
    )


def facts(evidence: Evidence) -> tuple[str, ...]:
    """Tell in one line each what was known beside the failing run itself."""
    return (*_since(evidence), *told_before(evidence), *_alike(evidence))


def told_before(evidence: Evidence) -> tuple[str, ...]:
    """Tell the first bad commit, and which of the failing tests were flaky, one a line."""
    first = evidence.first_bad
    return (*((first_bad(first),) if first else ()), *_flaky_before(evidence))


def _since(evidence: Evidence) -> Iterator[str]:
    since = evidence.since_green
    if since is not None:
        files = ", ".join(since.files[:MOST_FILES])
        more = f" and {len(since.files) - MOST_FILES} more" if len(since.files) > MOST_FILES else ""
        yield f"changed since {since.commit[:12]} ({since.source}): {files or 'nothing'}{more}"


def _alike(evidence: Evidence) -> Iterator[str]:
    for match in evidence.known:
        cause = " ".join(match.cause.split())[:200]
        yield (
            f"seen before, to be tested first: {match.slug} ({', '.join(match.shared)})"
            + (f": {cause}" if cause else "")
        )


def _flaky_before(evidence: Evidence) -> Iterator[str]:
    for past in evidence.past:
        if past.flaky:
            kind = f" ({past.kind})" if past.kind else ""
            yield f"{past.test} was flaky before{kind}: {ends(past)}"


def ends(past: FlakeHistory) -> str:
    """Say how often a test was red; what a session changed is none of its own past."""
    told = [f"red in {past.red} of {past.runs} runs"] if past.runs or not past.changed_runs else []
    green = past.changed_runs - past.changed_red
    if past.changed_runs:
        told.append(f"with the changes of a session, green in {green} of {past.changed_runs} runs")
    return "; ".join(told)
