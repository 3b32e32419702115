"""One role alone: a small task in a scratch project, judged by what Clew itself finds there.

The agent is called once (to review or challenge, twice), as a session would call it, and not again
if it fails. What it says of its work counts for nothing: tests are run, and git is asked what was
changed.
"""

from __future__ import annotations

import dataclasses
import difflib
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from clew import agents
from clew.agents.filing import carry_out
from clew.agents.prompts import ReportText
from clew.agents.roles import (
    CHALLENGE,
    DIAGNOSE,
    DOCUMENT,
    FIX,
    REVIEW,
    ROLES,
    WRITE_TEST,
    R,
    Role,
    wished,
)
from clew.analysis.counterexamples import speaks_of_the_code
from clew.analysis.spending import Tally, priced, tally, total
from clew.documents import report
from clew.documents.views import ReportMeta
from clew.evaluation.agent_trials.scratch import (
    CODE,
    FAULT,
    FILES,
    MENDED,
    NOTICING,
    TESTS,
    from_elsewhere,
    laid,
    scratch,
    tests,
)
from clew.flows.debugging.collect import of_look
from clew.flows.debugging.diagnosing import call_for
from clew.flows.debugging.driver import first_brief, surrounded
from clew.flows.debugging.snapshot_run import SnapshotRun, look
from clew.journal.store import Store
from clew.sandbox.temporary import remove
from clew.sessions import ProjectSessions, Watcher
from clew.words.errors import AgentFailed
from clew.words.events import Opinion
from clew.words.facts import (
    CaseOutcome,
    Category,
    Diagnosis,
    Edit,
    Fact,
    Option,
    TestResult,
    TestRun,
    Usage,
    Verdict,
)
from clew.words.settings import Settings

__all__ = ["RoleCheck", "RoleTrial", "attempt_role"]

T = TypeVar("T")
NAME = "trial"
LINES = FILES[CODE].splitlines(keepends=True)
FAULTY = LINES.index(FAULT) + 1
FUNCTION = range(LINES.index("def change(paid, prices):\n") + 1, FAULTY + 1)
# It satisfies the tests that there are, and nobody else.
BY_HEART = "    return {20: 8, 50: 23, 12: 0}[paid]\n"
# The test that notices the fault is for the agent to write.
UNTESTED = FILES | {TESTS: FILES[TESTS].replace(NOTICING, "")}


class RoleCheck(Fact, frozen=True, kw_only=True):
    """One thing that Clew looked at."""

    claim: str
    holds: bool


class RoleTrial(Fact, frozen=True, kw_only=True):
    """What came of a trial of one role."""

    agent: str
    role: str
    passed: bool
    end: str
    checks: tuple[RoleCheck, ...] = ()
    model: str = ""
    seconds: float = 0.0  # of all of it
    agent_seconds: float = 0.0
    calls: int = 0
    tally: Tally = Tally()
    failures: tuple[str, ...] = ()  # of calls, in their words
    sandbox: str = ""

    @property
    def good(self) -> bool:
        """Whether the agent did well."""
        return self.passed


@dataclasses.dataclass(kw_only=True)
class _Bench:
    """A scratch project, and the agent that is called in it."""

    sessions: ProjectSessions
    here: SnapshotRun
    run: TestRun
    agent: agents.Agent
    model: str
    watcher: Watcher
    usages: list[Usage] = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    def call(
        self, role: Role[R], told: Mapping[str, object], diagnosis: Diagnosis | None = None
    ) -> agents.Call[R]:
        """Return the next call, its brief with what is told beside."""
        brief = first_brief(
            self.run, of_look(self.sessions, self.here, self.run), self.here.settings
        )
        brief = replace(brief, **told)
        repository, commit = self.sessions.repository, self.here.commit
        if self.agent.reads_files:
            brief = surrounded(brief, repository, commit, self.sessions.store.folder)
        files = repository.files(commit)
        number = len(self.usages) + 1
        return call_for(
            role,
            self.here,
            brief,
            self.run,
            files,
            model=self.model,
            number=number,
            diagnosis=diagnosis,
        )

    def asked(self, ask: Callable[[], T], usage: Callable[[T], Usage]) -> T:
        """Return what came of a call; its time and tokens count also if it fails."""
        began, took = time.monotonic(), Usage()
        try:
            done = ask()
            took = usage(done)
        except AgentFailed as error:
            took = error.usage or Usage()
            raise
        finally:
            self.seconds += time.monotonic() - began
            self.usages.append(took)
        return done

    def done(self, role: Role[R], **told: object) -> R:
        """Return the answer in a role that is asked for by its form."""
        call = self.call(role, told)
        made = self.asked(lambda: self.agent.do(call, self.watcher.tick), lambda d: d.usage)
        return made.reply

    def put(self, text: str) -> None:
        """Put other code into the worktree, whatever an agent or its test has made of that file."""
        code = self.here.site.worktree / CODE
        remove(code)
        with code.open("x", encoding="utf-8") as file:  # it follows no link
            file.write(text)

    def changed(self) -> tuple[str, ...]:
        """Return the files that are not as they were, as git says it."""
        repository, base = self.sessions.repository, self.here.commit
        if repository.is_clean(NAME):
            return ()
        commit = repository.commit(NAME, "A trial", onto=base)
        return tuple(each.path for each in repository.changed(base, commit.id)) if commit else ()


def attempt_role(name: str, role: str, settings: Settings, watcher: Watcher, at: Path) -> RoleTrial:
    """Have one agent do the task of a role, with a person's settings but for the ladder.

    The agent is named as in the folder `at`. Raises UsageError for one that is not there.
    """
    files, judge = _TASKS[role]
    asked, settings = from_elsewhere(name, settings, at)
    settings = replace(
        tests(settings), agent=(asked,), review="", challenge="", document="", ladder={}
    )
    asked, model = agents.with_model(
        asked, wished(role, settings.profile, settings.models, 0, asked), settings
    )
    began = time.monotonic()
    with scratch() as folder:
        sessions = ProjectSessions(laid(folder / "till", files), Store(folder / "state"))
        agents.check(settings, sessions.project)
        agent = agents.make(asked, settings, sessions.project)
        with look(sessions, settings, NAME, branch=True) as here:
            bench = _Bench(
                sessions=sessions,
                here=here,
                run=here.run().run,
                agent=agent,
                model=model,
                watcher=watcher,
            )
            checks, failures = list[RoleCheck](), list[str]()
            try:
                for check in judge(bench):
                    checks.append(check)
                    if not check.holds:  # what comes next builds on it
                        break
            except AgentFailed as error:
                failures.append(f"{role}: {error.kind}: {error.message}")
    taken = [
        Tally(calls=1) if asked == agents.BUILT_IN else tally(priced(usage, asked, settings.prices))
        for usage in bench.usages
    ]
    wrong = [check.claim for check in checks if not check.holds]
    bad = "the agent failed" if failures else f"not so: {wrong[0]}" if wrong else ""
    return RoleTrial(
        agent=name,
        role=role,
        passed=not bad,
        end=f"{role}: {bad or 'as it should be'}",
        checks=tuple(checks),
        model=model,
        seconds=time.monotonic() - began,
        agent_seconds=bench.seconds,
        calls=len(taken),
        tally=total(taken),
        failures=tuple(failures),
        sandbox=bench.run.sandbox,
    )


def _kept(bench: _Bench, role: str, put: tuple[str, ...] = ()) -> RoleCheck:
    """Hold an agent to what its role may change; the files that were `put` there are not its."""
    beyond = ROLES[role].beyond(path for path in bench.changed() if path not in put)
    return RoleCheck(claim="it changed nothing that it may not", holds=not beyond)


# --- the tasks ------------------------------------------------------------------------------------


def _diagnose(bench: _Bench) -> Iterator[RoleCheck]:
    call = bench.call(DIAGNOSE, {})
    answer = bench.asked(
        lambda: bench.agent.diagnose(call, bench.watcher.tick), lambda each: each.usage
    )
    yield _kept(bench, "diagnose")
    found = answer.diagnosis
    place = f"{found.path}:{found.line}"
    yield RoleCheck(
        claim=f"the cause lies in change() of {CODE}, and it names {place}",
        holds=found.path == CODE and found.line in FUNCTION,
    )
    if found.edits:
        carry_out(bench.here.site.worktree, found.edits)
        yield _green(bench, "the change that it recommends turns the tests green")
        bench.sessions.repository.reset(NAME, bench.here.commit)


def _fix(bench: _Bench) -> Iterator[RoleCheck]:
    call = bench.call(FIX, {"report": _report(MENDED)}, _diagnosis(MENDED))
    bench.asked(lambda: bench.agent.fix(call, bench.watcher.tick), lambda work: work.usage)
    yield _green(bench, "the tests are green")
    yield RoleCheck(claim=f"it changed {CODE} and nothing else", holds=bench.changed() == (CODE,))


def _review(bench: _Bench) -> Iterator[RoleCheck]:
    for kind, code, right in (
        ("right", MENDED, Opinion.LOOKS_GOOD),
        ("wrong", BY_HEART, Opinion.SUGGEST_CHANGE),
    ):
        said = bench.done(REVIEW, report=_report(code))
        yield _kept(bench, "review")
        yield RoleCheck(
            claim=f"{right} of a {kind} fix: {said.verdict}", holds=said.verdict is right
        )


def _write_test(bench: _Bench) -> Iterator[RoleCheck]:
    before = {result.id for result in bench.run.results}
    said = bench.done(WRITE_TEST, report=_report(MENDED))
    yield _kept(bench, "write-test")
    bench.put(FILES[CODE])
    red = new_tests(bench.here.run().run, before, said.test_name)
    yield RoleCheck(claim=f"there is a new test {said.test_name}", holds=bool(red))
    yield RoleCheck(claim="it is red on the fault, by an assertion", holds=all(map(_asserted, red)))
    bench.put(_mended())
    mended = bench.here.run().run
    green = new_tests(mended, before, said.test_name)
    yield RoleCheck(
        claim="it is green on the right code",
        holds=all(result.outcome is CaseOutcome.PASSED for result in green),
    )
    yield RoleCheck(
        claim="all other tests are green as well", holds=mended.verdict is Verdict.PASSED
    )


def _challenge(bench: _Bench) -> Iterator[RoleCheck]:
    for kind, code in (("right", MENDED), ("wrong", BY_HEART)):
        mended = _mended(code)
        bench.put(mended)
        said = bench.done(CHALLENGE, diff=_diff(mended))
        yield _kept(bench, "challenge", (CODE,))
        red = sum(_fails(bench, each.test) for each in said.counterexamples)
        told = f"{red} of {len(said.counterexamples)} tests that it names fail on a {kind} fix"
        yield RoleCheck(claim=told, holds=bool(red) is (kind == "wrong"))


def _fails(bench: _Bench, test: str) -> bool:
    """Tell whether a test that was named is red by what the code does."""
    name = "test_counterexample.py"
    file = bench.here.site.worktree / name
    remove(file)
    with file.open("x", encoding="utf-8") as written:  # it follows no link
        written.write(test)
    results = bench.here.run().run.results
    remove(file)
    own = [each for each in results if each.id.startswith(file.stem)]
    return any(speaks_of_the_code(each, name) for each in own)


def _document(bench: _Bench) -> Iterator[RoleCheck]:
    said = bench.done(DOCUMENT, report=_report(MENDED), diff=_diff(_mended()))
    yield _kept(bench, "document")
    yield RoleCheck(claim=f"it names {CODE}, which was changed", holds=said.names((CODE,)))


_Judge = Callable[[_Bench], Iterator[RoleCheck]]


def _mended(code: str = MENDED) -> str:
    return FILES[CODE].replace(FAULT, code)


def _diff(text: str) -> str:
    after = text.splitlines(keepends=True)
    return "".join(difflib.unified_diff(LINES, after, f"a/{CODE}", f"b/{CODE}"))


_TASKS: dict[str, tuple[dict[str, str], _Judge]] = {
    "diagnose": (FILES, _diagnose),
    "fix": (FILES, _fix),
    "review": (FILES, _review),
    "write-test": (UNTESTED, _write_test),
    "challenge": (FILES, _challenge),
    "document": (FILES | {CODE: _mended()}, _document),
}


def new_tests(run: TestRun, before: set[str], name: str) -> list[TestResult]:
    """Return the results that were not there before, of tests with that name of their own."""
    own = _own_name(name)
    return [each for each in run.results if each.id not in before and _own_name(each.id) == own]


def _own_name(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2]


def _asserted(result: TestResult) -> bool:
    return result.crash is not None and result.crash.type == "AssertionError"


def _green(bench: _Bench, claim: str) -> RoleCheck:
    return RoleCheck(claim=claim, holds=bench.here.run().run.verdict is Verdict.PASSED)


def _diagnosis(code: str) -> Diagnosis:
    edit = Edit(path=CODE, line=FAULTY, current=FAULT, should_be=code)
    return Diagnosis(
        title="too little comes back",
        category=Category.TEST_FAILURE,
        root_cause=f"`change` takes one away too many: `{FAULT.strip()}`.",
        path=CODE,
        line=FAULTY,
        context=FAULT.strip(),
        evidence=("change(20, [3, 4, 5]) is 7, and 8 is due.",),
        options=(
            Option(
                title=f"Return `{code.strip().removeprefix('return ')}`",
                approach=f"In {CODE}, line {FAULTY}: `{code.strip()}`.",
                pros=("One line.",),
                cons=("None is known.",),
                steps=(f"Replace `{FAULT.strip()}` by `{code.strip()}`.",),
                edits=(edit,),
            ),
            Option(title="Mend it by hand", approach="Change the code yourself."),
        ),
        confidence="high",
        confidence_reason="Each wrong sum is one too small.",
    )


def _report(code: str) -> ReportText:
    meta = ReportMeta(
        date=datetime.now(UTC),
        number=1,
        topic="till",
        created_by="clew",
        workflow="make the tests pass",
    )
    path = f"{report.folder('till')}/{report.file_name(1, _diagnosis(code).title)}"
    return ReportText(path=path, text=report.render(_diagnosis(code), meta))
