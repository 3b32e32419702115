"""Evidence gathered: from the journal, the history, the knowledge base and earlier searches.

Whoever gathers only reads. What cannot be read is passed over: less is known then.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec

from clew.analysis import failures
from clew.analysis.bisecting import FirstBad
from clew.analysis.context import called
from clew.analysis.failures import errors
from clew.analysis.flakes import FlakeHistory, history, outcomes_in
from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.documents import knowledge
from clew.evidence import DIFF, UNSOUGHT, Classified, Evidence, SinceGreen, assemble
from clew.evidence.explain import disagreeing, modules_of, related
from clew.flows.debugging import bisection
from clew.flows.debugging.sessions import load_state
from clew.flows.debugging.snapshot_run import SnapshotRun, demand_run, look
from clew.flows.debugging.states import State
from clew.git.project import Project
from clew.git.worktrees import APPLIED, PrivateRepository, path_text
from clew.journal.store import Store
from clew.journal.streams import Journal, ListedSession
from clew.sessions import ProjectSessions, knowledge_base
from clew.words import events as ev
from clew.words.encodings import readable
from clew.words.errors import GitFailed, JournalDamaged, TransitionRefused, UsageError
from clew.words.facts import Category, Fact, Suspect, TestRun, Verdict
from clew.words.papers import is_paper, without_papers
from clew.words.records import DEBUGGING
from clew.words.settings import Settings

__all__ = [
    "EvidenceSources",
    "Green",
    "Place",
    "called_flaky",
    "classified",
    "disputed",
    "gather",
    "last_green",
    "last_own_green",
    "of_look",
    "of_session",
    "of_tree",
    "reader",
    "sources",
    "tree_of",
]

SESSIONS = 30  # that are looked back
NAMED = 2  # tests
SESSIONS_HEARD = 10  # whose runs are read test by test
UNFOUND = {
    bisection.BisectionEnd.NO_GOOD: "`clew bisect` found no commit in which these tests pass",
    bisection.BisectionEnd.UNCOMMITTED: "the fault is in no commit, by `clew bisect`",
    bisection.BisectionEnd.AMONG: "`clew bisect` names the commits that may be the first bad one",
}
_NAME = "evidence"
_AT_ONCE = 1_000  # files of code that are read together
_FILE = frozenset({"100644", "100755"})


class EvidenceSources(Protocol):
    """Where things are found: the sessions of a project, or a debug run."""

    @property
    def project(self) -> Project: ...
    @property
    def store(self) -> Store: ...
    @property
    def journal(self) -> Journal[ev.AnyEvent]: ...
    @property
    def repository(self) -> PrivateRepository: ...


@dataclass(frozen=True)
class _Sources:
    project: Project
    store: Store
    journal: Journal[ev.AnyEvent]
    repository: PrivateRepository


def sources(sessions: ProjectSessions) -> EvidenceSources:
    """Return where things are found in the sessions of a project."""
    journal = sessions.journal(ev.CODEC)
    return _Sources(sessions.project, sessions.store, journal, sessions.repository)


def _listed(archive: EvidenceSources) -> tuple[ListedSession, ...]:
    """Return the debugging sessions of the project, newest first."""
    return tuple(one for one in archive.journal.sessions() if one.kind == DEBUGGING)


class Place(Fact, frozen=True, kw_only=True):
    """The tree that fails: `base` as it was recorded, on top of the person's `head`."""

    base: str
    head: str | None = None


class Green(Fact, frozen=True, kw_only=True):
    """A tree on which all tests passed."""

    commit: str
    session: str
    at: datetime


def classified(repository: PrivateRepository, commit: str, run: TestRun) -> Classified:
    """Return what kind of failure a run shows, told from the files of the commit it ran on.

    Whatever speaks of a failing run takes its words from here, so that a prompt, a report and the
    evidence cannot name two kinds of one failure.
    """
    files = repository.files(commit)
    sources = related(run, (), files, reader(repository, commit))
    modules = modules_of(files)
    return Classified(
        category=failures.categorise(run, modules=modules, sources=sources),
        cause=failures.cause(run, modules=modules, sources=sources),
    )


def disputed(repository: PrivateRepository, commit: str, run: TestRun) -> str:
    """Say how red tests contradict each other, or, if all of them do, what else is asked."""
    red = {result.id for result in run.red}
    pairs = failures.contradictions(
        run, related(run, (), repository.files(commit), reader(repository, commit))
    )
    beside = {name for pair in pairs for name in (pair.first, pair.second)}
    among = [pair for pair in pairs if {pair.first, pair.second} <= red or red <= beside]
    return among[0].words if among else ""


def reader(repository: PrivateRepository, commit: str) -> Callable[[str], str | None]:
    """Return what gives the text of a commit's file; those of a small project are read at once."""
    names = {p: b.name for p, b in repository.blobs(commit).items() if b.mode in _FILE}
    code = {name for path, name in names.items() if path.endswith(".py")}
    kept = repository.contents(code) if len(code) <= _AT_ONCE else {}

    def read(path: str) -> str | None:
        name = names.get(path)
        if name is None:
            return None
        content = kept.get(name)
        if content is None:
            content = repository.contents([name])[name]
        return readable(path, content)

    return read


def gather(
    archive: EvidenceSources,
    run: TestRun,
    place: Place,
    *,
    commit: str,
    suspects: tuple[Suspect, ...],
    session: str = "",
    flaky: frozenset[str] = frozenset(),
) -> Evidence:
    """Return all that is known of a failing run on a commit; nothing is run for it."""
    run = run.without(flaky)
    failed = run.verdict is Verdict.FAILED
    red = frozenset(result.id for result in run.red)
    found = _first_bad(archive, place, red)
    if failed and not suspects:
        repository = archive.repository
        suspects = called(run, repository.files(commit), reader(repository, commit))
    kind = classified(archive.repository, commit, run) if failed else None
    return assemble(
        run,
        classified=kind,
        suspects=suspects,
        definitions=_definitions(archive.repository, commit, run, suspects, kind),
        session=session,
        commit=place.base,
        flaky=flaky,
        since_green=_since_green(archive, run, place, found, session),
        first_bad=found,
        known=knowledge.matches(
            knowledge_base.entries(archive.project.root),
            errors(run),
            lambda known: _brought_home(archive, known, place.base),
        ),
        past=tuple(past for past in _past(archive, session) if past.test in red),
        unfound=_unfound(archive, place, red),
    )


def _definitions(
    repository: PrivateRepository,
    commit: str,
    run: TestRun,
    suspects: tuple[Suspect, ...],
    kind: Classified | None,
) -> tuple[Suspect, ...]:
    """Return where the two definitions stand that do not fit each other, where that is it."""
    if kind is None or kind.category is not Category.SCHEMA_MISMATCH:
        return ()
    files = repository.files(commit)
    return disagreeing(run, related(run, suspects, files, reader(repository, commit)))


def of_session(sessions: ProjectSessions, session: str) -> Evidence:
    """Return what is known of the failure that a session is about; nothing is run.

    Of one that ended green that is the failure it began with. Raises UsageError if there is none.
    """
    state = load_state(sessions, session)
    ran = state.kept if state.kept and state.red else state.baseline
    if ran is None or state.snapshot is None or ran.verdict is not Verdict.FAILED:
        raise UsageError(
            f"session {session} has no failing tests yet", hint="`clew show` shows how far it got."
        )
    run = sessions.store.get_record(ran.run, TestRun)
    told = _suspects(state, of_kept=ran is state.kept)
    return gather(
        sources(sessions),
        run,
        Place(base=state.snapshot.base, head=state.snapshot.head),
        commit=ran.commit,
        suspects=told or rank(run, None, is_test=is_test_path),
        session=session,
        flaky=state.flaky,
    )


def _suspects(state: State, *, of_kept: bool) -> tuple[Suspect, ...]:
    """Return the suspects of the last diagnosis of the kept run, or else of the first one."""
    helped = state.helped or {0}
    told = [
        diagnosed.suspects
        for diagnosed in state.diagnoses
        if (diagnosed.iteration > max(helped) if of_kept else diagnosed.iteration <= min(helped))
    ]
    return told[-1] if told else ()


def of_look(
    sessions: ProjectSessions, here: SnapshotRun, run: TestRun, suspects: tuple[Suspect, ...] = ()
) -> Evidence:
    """Return what is known of a run on the tree that is looked at."""
    place = Place(base=here.commit, head=here.head)
    return gather(sources(sessions), run, place, commit=here.commit, suspects=suspects)


def of_tree(
    sessions: ProjectSessions, settings: Settings, runner_args: tuple[str, ...] = ()
) -> Evidence:
    """Run the tests traced on a snapshot of the project; return what is known of what fails.

    Raises TestsDidNotRun, and UsageError for words that the runner does not take.
    """
    with look(sessions, settings, _NAME, runner_args) as here:
        report = here.run(trace=True)
        demand_run(report.run)
        suspects = rank(report.run, report.coverage, is_test=is_test_path)
        return of_look(sessions, here, report.run, suspects)


def last_green(
    archive: EvidenceSources, command: tuple[str, ...], now: str, without: str = ""
) -> Green | None:
    """Return the newest tree of the person's on which the whole suite passed.

    It was seen in another session than `without`. A fix that the tree `now` does not have is not
    the person's.
    """
    for listed in itertools.islice(_listed(archive), SESSIONS):
        if listed.session == without:
            continue
        greens = [
            green
            for taken, green in _green_in(archive, listed.session, command)
            if _has(archive, green.session, taken.base, green.commit, now)
        ]
        if greens:
            return greens[-1]
    return None


def last_own_green(
    archive: EvidenceSources, command: tuple[str, ...], without: str = ""
) -> Green | None:
    """Return the newest run in which the whole suite passed on the person's code alone.

    It was seen in another session than `without`. Nothing that a session changed is in that code,
    but what the person has committed: a fix that is only applied may be taken out again.
    """
    found, fixed = list[tuple[str, Green]](), set[str]()
    for listed in itertools.islice(_listed(archive), SESSIONS):
        if listed.session == without:
            continue
        for taken, green in _green_in(archive, listed.session, command):
            tree = tree_of(archive.repository, green.commit)
            if green.commit != taken.ground:
                fixed.add(tree)
            else:
                found.append(("" if taken.head == taken.base else tree, green))
    own = (green for tree, green in found if not tree or tree not in fixed)
    return max(own, key=lambda green: green.at, default=None)


def _green_in(
    archive: EvidenceSources, session: str, command: tuple[str, ...]
) -> Iterator[tuple[ev.SnapshotTaken, Green]]:
    """Yield the runs of a session in which the whole suite passed, each with its snapshot."""
    path, taken = str(archive.project.path), None
    with contextlib.suppress(JournalDamaged):  # it hides no other
        for recorded in archive.journal.read(session):
            match recorded.event:
                case ev.SessionOpened() as opened if opened.path != path or opened.runner_args:
                    return
                case ev.SnapshotTaken():
                    taken = recorded.event
                case ev.TestsRan() as ran if taken and _whole(ran) and ran.command.argv == command:
                    yield taken, Green(commit=ran.commit, session=session, at=recorded.at)
                case _:
                    pass


def _has(archive: EvidenceSources, session: str, base: str, tip: str, now: str) -> bool:
    """Whether the tree `now` has the change of a session: it was applied, or is there anyhow."""
    repository = archive.repository
    if tip == base:
        return True
    try:
        changed = [change.path for change in repository.changed(base, tip)]
        then, applied = repository.blobs(tip), repository.ref(session, APPLIED)
        held = [repository.blobs(each) for each in (applied, now) if each is not None]
    except GitFailed:  # it is gone
        return False
    return any(all(then.get(path) == here.get(path) for path in changed) for here in held)


def _brought_home(archive: EvidenceSources, known: knowledge.ParsedEntry, now: str) -> bool:
    """Whether an entry may be handed on: a fix of a session here has to be in the tree `now`."""
    if known.session not in {listed.session for listed in _listed(archive)}:
        return True
    base = ""
    with contextlib.suppress(JournalDamaged):
        for recorded in archive.journal.read(known.session):
            if isinstance(recorded.event, ev.SnapshotTaken):
                base = recorded.event.base
    return bool(base) and _has(archive, known.session, base, known.commit, now)


def _whole(ran: ev.TestsRan) -> bool:
    """Whether a run says of the whole suite that it passes."""
    return ran.verdict is Verdict.PASSED and ran.purpose is not ev.Purpose.RECHECK


def _since_green(
    archive: EvidenceSources, run: TestRun, place: Place, found: FirstBad | None, session: str
) -> SinceGreen | None:
    for commit, source, at in _greens(archive, run, place, found, session):
        with contextlib.suppress(GitFailed):  # it is gone
            changed = archive.repository.changed(commit, place.base)
            diff = without_papers(archive.repository.diff(commit, place.base))
            return SinceGreen(
                commit=commit,
                source=source,
                at=at,
                files=tuple(path_text(c.path) for c in changed if not is_paper(c.path)),
                diff=diff[:DIFF],
                cut=max(0, len(diff) - DIFF),
            )
    return None


def _greens(
    archive: EvidenceSources, run: TestRun, place: Place, found: FirstBad | None, session: str
) -> Iterator[tuple[str, str, datetime | None]]:
    green = last_green(archive, run.command.argv, place.base, session)
    if green is not None:
        yield green.commit, f"green in session {green.session}", green.at
    if found is not None and found.parents:
        yield found.parents[0], _good_for(found.tests, run), None
    if place.head is not None and place.head != place.base:
        yield place.head, "the last commit, where tests may fail as well", None


def _good_for(tests: Sequence[str], run: TestRun) -> str:
    """Say what passed at the last good commit of a search: it asked for some of the red tests."""
    names = ", ".join(tests[:NAMED]) + (f" and {len(tests) - NAMED} more" * (len(tests) > NAMED))
    others = {red.id for red in run.red} - set(tests)
    may = "; what else is red now may have been red there as well" if others else ""
    return f"the last commit where {names} passed{may}"


def _first_bad(archive: EvidenceSources, place: Place, red: frozenset[str]) -> FirstBad | None:
    """Return what a search found on the same history, for a test that fails now."""
    for search in _searches(archive, place):
        if search.first_bad is not None and red & set(search.first_bad.tests):
            return search.first_bad
    return None


def _searches(archive: EvidenceSources, place: Place) -> Iterator[bisection.Bisection]:
    """Yield the searches on the same history that came to an end, newest first."""
    for search in bisection.known(archive.store.folder):
        if search.path == archive.project.subdir and search.head in (place.head, place.base):
            yield search


def _unfound(archive: EvidenceSources, place: Place, red: frozenset[str]) -> str:
    """Say why no first bad commit is known of tests that fail; nothing without a history."""
    if place.head is None:
        return ""
    ends = (each.end for each in _searches(archive, place) if red <= set(each.tests))
    end = next(ends, None)
    return UNFOUND.get(end, UNSOUGHT) if end else UNSOUGHT


def _past(archive: EvidenceSources, without: str) -> tuple[FlakeHistory, ...]:
    """Return how tests ended in the newest sessions but one."""
    records: list[ev.Recorded] = []
    for listed in reversed(_listed(archive)[:SESSIONS_HEARD]):
        if listed.session != without:
            with contextlib.suppress(JournalDamaged):
                records += archive.journal.read(listed.session)

    def outcomes(run: str) -> dict[str, bool]:
        try:
            return outcomes_in(archive.store.get(run))
        except (JournalDamaged, msgspec.DecodeError):
            return {}

    return history(records, outcomes, lambda commit: tree_of(archive.repository, commit))


def called_flaky(sessions: ProjectSessions, commit: str) -> frozenset[str]:
    """Return the tests that a session has called flaky on the code of a commit, papers aside.

    Those that are only perhaps flaky are not among them.
    """
    found, archive = frozenset[str](), sources(sessions)
    for listed in _listed(archive)[:SESSIONS_HEARD]:
        with contextlib.suppress(GitFailed, JournalDamaged, TransitionRefused):
            state = load_state(sessions, listed.session)
            turned = state.flaky - state.perhaps
            if state.snapshot is None or not turned:
                continue
            since = archive.repository.changed(state.snapshot.base, commit)
            if all(is_paper(change.path) for change in since):
                found |= turned
    return found


def tree_of(repository: PrivateRepository, commit: str) -> str:
    """Return the tree of a commit; nothing for one that is gone."""
    try:
        return repository.tree(commit)
    except GitFailed:
        return ""
