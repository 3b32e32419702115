"""A diagnosis on its own: the cause of what fails, without any attempt to mend it."""

from __future__ import annotations

import itertools
import time

from msgspec.structs import replace

from clew import agents
from clew.agents.prompts import Brief
from clew.agents.roles import DIAGNOSE, R, Role, wished
from clew.analysis.suspects import traced
from clew.analysis.testfiles import is_test_path
from clew.evidence import FIRST_BAD, UNSOUGHT, Evidence, facts
from clew.evidence.explain import modules_of
from clew.flows.debugging.collect import called_flaky, classified, of_look
from clew.flows.debugging.driver import first_brief, surrounded
from clew.flows.debugging.snapshot_run import SnapshotRun, demand_run, look
from clew.flows.debugging.states import State, fold
from clew.sandbox import limits
from clew.sessions import ProjectSessions
from clew.sessions.earlier import earlier_texts, newest_demand
from clew.words import events as ev
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import (
    Category,
    Cause,
    Demand,
    Diagnosis,
    EarlierText,
    Fact,
    TestRun,
    Tick,
    Traced,
    Verdict,
)
from clew.words.retry_policy import Reaction, follow, is_hopeless, wait
from clew.words.settings import Settings

__all__ = [
    "CalledFlaky",
    "FailureDiagnosis",
    "call_for",
    "diagnose",
    "last_diagnosis",
    "only_agent",
]


class FailureDiagnosis(Fact, frozen=True, kw_only=True):
    """A failing run, what was computed from it, and what an agent says of it."""

    run: TestRun
    category: Category
    cause: Cause
    diagnosis: Diagnosis
    agent: str
    bisectable: bool = True  # `clew bisect` may tell more: there is a history, not yet searched


class CalledFlaky(Fact, frozen=True, kw_only=True):
    """A failing run in which nothing is red but tests that were called flaky on the same code."""

    run: TestRun
    flaky: tuple[str, ...]


def _unheard(_: Tick) -> None:
    pass


def only_agent(settings: Settings, agent: str) -> Settings:
    """Return the settings of a call of one agent, and of no other."""
    return replace(settings, agent=(agent,), review="", challenge="", document="", ladder={})


def diagnose(
    sessions: ProjectSessions,
    settings: Settings,
    agent: str,
    runner_args: tuple[str, ...] = (),
    hear: agents.Report = _unheard,
) -> TestRun | CalledFlaky | FailureDiagnosis:
    """Run the tests on a snapshot of the project as it is now, and have an agent find the cause.

    A run that passed is answered with itself. Tests that a session has called flaky on the very
    same code are left out; where no other one is red, that is the answer. An agent that fails is
    asked again as in a session, `agent_retries` times; then AgentFailed is raised, and so it is for
    one that changes files. Raises TestsDidNotRun, and UsageError for an agent that cannot be asked
    here, or for words that the runner does not take.
    """
    agents.check(only_agent(settings, agent), sessions.project)
    wish = wished("diagnose", settings.profile, settings.models, 0, agent)
    name, model = agents.with_model(agent, wish, settings)
    doctor = agents.make(name, settings, sessions.project)
    with look(sessions, settings, "diagnose", runner_args, branch=True) as here:
        report = here.run(trace=doctor.reads_files)
        run = report.run
        demand_run(run)
        if run.verdict is not Verdict.FAILED:
            return run
        flaky = called_flaky(sessions, here.commit) & {result.id for result in run.red}
        whole, run = run, run.without(flaky)
        if flaky and not run.red:
            return CalledFlaky(run=whole, flaky=tuple(sorted(flaky)))
        known = traced(run, report.coverage, is_test=is_test_path)
        evidence = of_look(sessions, here, run, known.suspects)
        diagnosis = _asked(
            sessions, doctor, here, run, known, evidence=evidence, model=model, hear=hear
        )
        if agent != agents.BUILT_IN and not _untouched(sessions, here):
            told = f"{agent} changed files, but was asked for a diagnosis only"
            raise AgentFailed(told, kind="error", hint="Your own files are untouched.")
    left_out = (f"{test} is red as well, and called flaky: left out" for test in sorted(flaky))
    diagnosis = replace(diagnosis, evidence=(*diagnosis.evidence, *left_out))
    bisectable = UNSOUGHT in evidence.notes
    return _told(sessions, agent, diagnosis, run, here.commit, bisectable=bisectable)


def _untouched(sessions: ProjectSessions, here: SnapshotRun) -> bool:
    """Whether the worktree is the snapshot still; a commit of the agent's own hides no change."""
    clean = sessions.repository.is_clean(here.name)
    return clean and sessions.repository.head(here.name) == here.commit


def _asked(
    sessions: ProjectSessions,
    doctor: agents.Agent,
    here: SnapshotRun,
    run: TestRun,
    known: Traced,
    *,
    evidence: Evidence,
    model: str,
    hear: agents.Report,
) -> Diagnosis:
    files = sessions.repository.files(here.commit)
    plain = first_brief(run, evidence, here.settings, sessions.project.subdir)
    past = (sessions.repository, here.commit, here.head)
    red = tuple(result.id for result in run.red)
    demand = None if doctor.reads_files else newest_demand(*past, red)
    earlier = () if doctor.reads_files else earlier_texts(*past)
    kinds: list[str] = []
    draft: Diagnosis | None = None
    for number in itertools.count(1):
        brief = plain
        if doctor.reads_files:
            brief = surrounded(
                plain,
                sessions.repository,
                here.commit,
                sessions.store.folder,
                sessions.project.subdir,
                ran=known.ran([result.id for result in run.red]),
            )
        try:
            second = "lone_option" not in kinds and number <= here.settings.agent_retries
            call = call_for(
                DIAGNOSE,
                here,
                brief,
                run,
                files,
                model=model,
                number=number,
                earlier=earlier,
                demand=demand,
                second=second,
            )
            found = doctor.diagnose(call, hear).diagnosis
            return replace(found, evidence=(*found.evidence, *facts(evidence)))
        except AgentFailed as error:
            if isinstance(error.answer, agents.Answer):
                draft = error.answer.diagnosis
            hopeless = is_hopeless(error.kind, kinds) or error.after > here.settings.longest_wait
            if number > here.settings.agent_retries or hopeless:
                if draft is None:
                    raise
                return replace(draft, evidence=(*draft.evidence, *facts(evidence)))
            if follow(error.kind) is Reaction.LATER:
                seconds = wait(here.settings.retry_wait, number, error.after)
                text = f"{doctor.name} ({error.kind}) for {seconds:g} s"
                hear(Tick(phase="waiting", text=text))
                time.sleep(seconds)
            plain = replace(plain, complaint=error.message)
            kinds.append(error.kind)
    raise AssertionError("there is no largest size")


def _told(
    sessions: ProjectSessions,
    agent: str,
    diagnosis: Diagnosis,
    run: TestRun,
    commit: str,
    *,
    bisectable: bool,
) -> FailureDiagnosis:
    known = classified(sessions.repository, commit, run)
    return FailureDiagnosis(
        run=run,
        category=known.category,
        cause=known.cause,
        diagnosis=diagnosis,
        agent=agent,
        bisectable=bisectable,
    )


def last_diagnosis(sessions: ProjectSessions, session: str) -> FailureDiagnosis:
    """Return the newest diagnosis of a session, and what was known then; nothing is run.

    Raises UsageError if it has none.
    """
    state, found = State(), None
    for recorded in sessions.journal(ev.CODEC).read(session):
        known, state = len(state.diagnoses), fold(state, recorded)
        if len(state.diagnoses) > known and state.kept:
            found = state.diagnoses[-1], state.kept, state.head
    if found is None:
        raise UsageError(
            f"session {session} has no diagnosis", hint="`clew show` shows how far it got."
        )
    diagnosed, kept, head = found
    run = sessions.store.get_record(kept.run, TestRun)
    told = diagnosed.diagnosis
    has_history = state.snapshot is not None and state.snapshot.head is not None
    found_already = any(line.startswith(FIRST_BAD) for line in told.evidence)
    bisectable = has_history and not found_already
    return _told(sessions, diagnosed.agent, told, run, head, bisectable=bisectable)


def call_for(
    role: Role[R],
    here: SnapshotRun,
    brief: Brief,
    run: TestRun,
    files: tuple[str, ...],
    *,
    model: str,
    number: int,
    diagnosis: Diagnosis | None = None,
    earlier: tuple[EarlierText, ...] = (),
    demand: Demand | None = None,
    second: bool = False,
) -> agents.Call[R]:
    """Return a call of an agent on a snapshot that is looked at, with more time each time."""
    return agents.Call(
        number=number,
        role=role,
        brief=brief,
        failing=agents.Failing(
            run=run,
            command=here.command,
            search_seconds=here.settings.search_seconds,
            extra=here.runner_args,
            modules=modules_of(files),
            files=files,
            diagnosis=diagnosis,
            earlier=earlier,
            demand=demand,
            second=second,
        ),
        site=here.site,
        limits=limits.for_agents(here.settings),
        scratch=here.scratch,
        seconds=here.settings.agent_timeout * number,
        idle_seconds=here.settings.agent_idle_timeout * number,
        model=model,
    )
