"""A scripted world: outcomes for every intent, without any side effect.

`Script` answers intents from lists of verdicts, so that a whole session runs in microseconds and
the rules can be tested against every story that the hands could tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import cast

import msgspec

from clew.flows.debugging.decisions import Action, Pause, Record, decide
from clew.flows.debugging.states import State, fold
from clew.words import events as ev
from clew.words.edits import patch_hash
from clew.words.facts import (
    ONLY_A_PERSON,
    Category,
    Diagnosis,
    Edit,
    Option,
    Runner,
    TestCommand,
    Unsettled,
    Usage,
    Verdict,
)
from clew.words.models import AgentRole
from clew.words.settings import Cap, Settings

START = datetime(2026, 1, 1, tzinfo=UTC)
COMMAND = TestCommand(runner=Runner.PYTEST, argv=("pytest",))
OUTSIDE = Diagnosis(
    title="a package is missing",
    category=Category.MISSING_DEPENDENCY,
    root_cause="yaml is not installed",
    out_of_scope=True,
    out_of_scope_reason="the package yaml is not installed",
)
DIAGNOSIS = Diagnosis(title="a fault", category=Category.TEST_FAILURE, root_cause="off by one")
UNSURE = msgspec.structs.replace(DIAGNOSIS, confidence="low", confidence_reason="a guess")
SPEC = msgspec.structs.replace(
    DIAGNOSIS,
    category=Category.TASK_SPEC_ERROR,
    options=(
        Option(
            title="bend it",
            approach="x",
            edits=(Edit(path="a.py", line=1, current="1", should_be="2"),),
        ),
    ),
)
NAMED = msgspec.structs.replace(DIAGNOSIS, options=(Option(title="add one", approach="x"),))
EDIT = Edit(path="a.py", line=1, current="1", should_be="2")
EDITED = msgspec.structs.replace(
    DIAGNOSIS, options=(Option(title="change one", approach="x", edits=(EDIT,)),)
)
SPENT = msgspec.structs.replace(DIAGNOSIS, exhausted="all that is known was tried")
PERSONS = msgspec.structs.replace(
    DIAGNOSIS, exhausted=f"the test is to be revised, {ONLY_A_PERSON}"
)
DIAGNOSES = {
    "outside, named": msgspec.structs.replace(OUTSIDE, options=EDITED.options),
    "nothing more": SPENT,
    "left to a person": PERSONS,
    "outside": OUTSIDE,
    "outside, tried": OUTSIDE,
    "unsure": UNSURE,
    "named": NAMED,
    "edited": EDITED,
    "spec": SPEC,
}
NOTHING = ("nothing", "nothing more", "left to a person", "outside", "outside, named")


def opened(
    *,
    cap: int = 3,
    agents: tuple[str, ...] = ("repair",),
    retries: int = 2,
    budget: ev.Budget = ev.Budget(),  # noqa: B008 -- frozen
    iteration_budget: ev.Budget = ev.Budget(),  # noqa: B008 -- frozen
    on_invalid_report: str = "escalate",
    bisect: bool = False,
    review: str = "",
    challenge: str = "",
    document: str = "",
    profile: str = "inherit",
    ladder: dict[str, Cap] | None = None,
) -> ev.SessionOpened:
    return ev.SessionOpened(
        session_id="2026-01-01-fix-it",
        clew_version="0",
        root="/p",
        path="/p",
        goal="make the tests pass",
        settings=Settings(
            agent=agents,
            max_iterations=cap,
            agent_retries=retries,
            on_invalid_report=on_invalid_report,
            bisect=bisect,
            review=review,
            challenge=challenge,
            document=document,
            profile=profile,
            ladder=ladder or {},
            max_seconds=budget.seconds,
            max_tokens=budget.tokens,
            max_usd=budget.usd,
            iteration_max_seconds=iteration_budget.seconds,
            iteration_max_tokens=iteration_budget.tokens,
            iteration_max_usd=iteration_budget.usd,
        ),
        rules=ev.RULES,
    )


def red(*ids: str) -> tuple[ev.FailingTest, ...]:
    return tuple(
        ev.FailingTest(id=i, fingerprint=f"f-{i}", error=f"{i}: AssertionError") for i in ids
    )


# How a fix of tests is asked about, and what it changed there.
CONSULTING = {"consults": "-1\n+2\n", "consults at length": "+\u202e" + "2" * ev.SHOWN_DIFF}


class Script(msgspec.Struct, kw_only=True):
    """What the world does, one entry an event of that kind; the last entry repeats."""

    baseline: Verdict = Verdict.FAILED
    recheck: Verdict = Verdict.FAILED
    flaky: tuple[str, ...] = ()
    flakes: tuple[ev.Flake, ...] = ()
    flaky_after: bool = True  # the flaky tests are red in a run in which all others pass
    verify: list[str] = msgspec.field(default_factory=lambda: ["passing"])
    proof: list[bool] = msgspec.field(default_factory=lambda: [True])
    diagnose: list[str] = msgspec.field(default_factory=lambda: ["proposes"])
    review: list[str] = msgspec.field(default_factory=lambda: ["agrees"])
    challenge: list[str] = msgspec.field(default_factory=lambda: ["finds"])  # or "fails KIND"
    dispute: str = ""  # how the failing tests contradict each other
    narrate: list[str] = msgspec.field(default_factory=lambda: ["tells"])  # or "fails KIND"
    fix: list[str] = msgspec.field(default_factory=lambda: ["done"])
    answers: list[str] = msgspec.field(default_factory=list)  # "back NAME" goes back
    carried: list[str] = msgspec.field(default_factory=lambda: [""])  # as journals once had it
    # How work by hand does, by the generations after the first; "tampers" edits tests, too, and
    # "idle" changes nothing.
    by_hand: list[str] = msgspec.field(default_factory=list)
    together: str = ""  # how that work does with kept progress, if it is tried without it first
    as_before: bool = False  # a person changed nothing but the tests that it tampers with
    claim: str = "all"  # of a proof
    unsettled: Unsettled | None = None  # by it
    refused: str = ""  # why no proof would accept the progress that `verify` tells of
    doubted: bool = False  # that is a doubt
    calls: dict[str, int] = msgspec.field(default_factory=dict)
    made: list[int] = msgspec.field(default_factory=list)  # exact fixes, nobody being asked

    def _next(self, kind: str) -> object:
        entries = getattr(self, kind)
        n = self.calls.get(kind, 0)
        self.calls[kind] = n + 1
        return entries[min(n, len(entries) - 1)]

    def perform(  # noqa: C901, PLR0911, PLR0912 -- one answer an intent
        self, state: State, intent: ev.AnyIntent
    ) -> ev.AnyEvent:
        match intent:
            case ev.TakeSnapshot() if intent.generation > 1 and self.by_hand and state.measure:
                return self._by_hand(intent.generation)
            case ev.TakeSnapshot():
                again = intent.generation > 1 and self.carried != [""]
                return ev.SnapshotTaken(
                    generation=intent.generation,
                    base="c0",
                    branch="clew/x",
                    worktree="/w",
                    carried="hand" if again else None,
                )
            case ev.RunTests():
                return self._run(intent)
            case ev.Bisect():
                return ev.Bisected(commit="c9", runs=5, seconds=10.0)
            case ev.CallAgent(role=AgentRole.DIAGNOSE):
                how = str(self._next("diagnose"))
                if how.startswith(("fails", "garbles")):
                    kind = "invalid_output" if how == "garbles" else "error"
                    return ev.AgentErred(
                        iteration=intent.iteration,
                        role="diagnose",
                        agent=intent.agent,
                        kind=how.partition(" ")[2] or kind,  # "fails KIND"
                        message="no JSON" if how == "garbles" else "crashed",
                    )
                return ev.Diagnosed(
                    iteration=intent.iteration,
                    agent=intent.agent,
                    diagnosis=DIAGNOSES.get(how, DIAGNOSIS),
                    proposes=how not in NOTHING,
                    usage=Usage(input=100, output=10, usd=0.5),
                    seconds=10.0,
                )
            case ev.WriteReport():
                n = len(state.reports) + 1
                return ev.ReportWritten(
                    iteration=intent.iteration,
                    number=n,
                    path=f"debug/x/{n:03}_a.md",
                    dispute=self.dispute,
                )
            case ev.CallAgent(role=AgentRole.REVIEW):
                return self._review(intent)
            case ev.CallAgent(role=AgentRole.CHALLENGE):
                return self._challenge(intent)
            case ev.CallAgent(role=AgentRole.FIX):
                return self._fix(state, intent)
            case ev.RollBack():
                return ev.RolledBack(iteration=intent.iteration, commit=intent.commit)
            case ev.Prove():
                good = bool(self._next("proof"))
                row = ev.ProofRow(
                    claim=self.claim,
                    measured="1 of 1",
                    holds=good,
                    doubt=self.claim == ev.SETTLED,
                )
                return ev.Proved(
                    commit=intent.commit, accepted=good, rows=(row,), unsettled=self.unsettled
                )
            case ev.SaveCheckpoint():
                return ev.CheckpointSaved(name=intent.name, commit=state.head, path="/c")
            case ev.WriteDocument():
                return ev.DocumentWritten(kind=intent.kind, path="/d")
            case ev.CallAgent():
                return self._narrate(intent)

    def _hand(self, generation: int) -> str:
        return self.by_hand[min(generation - 2, len(self.by_hand) - 1)]

    def _by_hand(self, generation: int) -> ev.SnapshotTaken:
        how, tip = self._hand(generation), f"hand-{generation}"
        tampers = how.startswith("tampers")
        return ev.SnapshotTaken(
            generation=generation,
            base=tip,
            branch="clew/x",
            worktree="/w",
            tree=tip,
            tip=tip,
            by_hand=() if how.startswith("idle") else ("a.py",),
            touched=("tests/test_a.py",) if tampers else (),
            test_diff=f"-1\n+{how.partition(' ')[0]}\n" if tampers else "",
            restored=f"{tip}-restored" if tampers else "",
            together=f"both-{generation}" if self.together else "",
            together_restored=f"both-{generation}-restored" if tampers and self.together else "",
            as_before=tampers and self.as_before,
        )

    def _run(self, intent: ev.RunTests) -> ev.TestsRan:
        common = {
            "purpose": intent.purpose,
            "commit": intent.commit,
            "command": COMMAND,
            "run": "r",
        }
        if intent.purpose is ev.Purpose.BASELINE:
            reds = red("a", "b") if self.baseline is Verdict.FAILED else ()
            return ev.TestsRan(
                **common,  # type: ignore[arg-type]
                verdict=self.baseline,
                red=reds,
                reason="why",
                topic="some_failures",
            )
        if intent.purpose is ev.Purpose.RECHECK:
            known = {"flaky": self.flaky, "flakes": self.flakes, "reason": "why"}
            return ev.TestsRan(**common, **known, verdict=self.recheck)  # type: ignore[arg-type]
        kind = "carried" if intent.purpose is ev.Purpose.CARRIED else "verify"
        if intent.commit.startswith("hand-"):
            how = self._hand(int(intent.commit.split("-")[1]))
            outcome = how.partition(" ")[2] if how.startswith("tampers") else how
        elif intent.commit.startswith("both-"):
            outcome = self.together
        else:
            outcome = str(self._next(kind))
        outcome = outcome.replace("idle", "same_errors")
        progress, takes = outcome.endswith(("+", "*")), outcome.endswith("!")  # red tests away
        refused = outcome.endswith("+") and kind == "verify"
        outcome, _, named = outcome.rstrip("+*!").partition(" of ")  # "regression of a b"
        verdict = {"passing": Verdict.PASSED, "did_not_run": Verdict.DID_NOT_RUN}.get(
            outcome, Verdict.FAILED
        )
        return ev.TestsRan(
            **common,  # type: ignore[arg-type]
            verdict=verdict,
            outcome="" if verdict is Verdict.DID_NOT_RUN else outcome,
            reason="why" if verdict is Verdict.DID_NOT_RUN else "",
            progress=progress or outcome == "passing",
            refused=self.refused if refused else "",
            doubted=self.doubted and refused,
            red=red(*self.flaky * self.flaky_after)
            if outcome == "passing"
            else red(*_left(outcome, named)),
            regressions=tuple((named or "c d").split()) if outcome == "regression" else (),
            set_back=tuple(named.split()) if outcome == "different_errors" else (),
            taken=("a is gone",) if takes else (),
            total=3,
            seconds=1.5,
        )

    def _review(self, intent: ev.CallAgent) -> ev.Reviewed | ev.AgentErred:
        how = str(self._next("review"))
        if how == "fails":
            return ev.AgentErred(
                iteration=intent.iteration,
                role="review",
                agent=intent.agent,
                kind="timeout",
                message="too slow",
            )
        objects = how == "objects"
        return ev.Reviewed(
            iteration=intent.iteration,
            agent=intent.agent,
            opinion=ev.Opinion.SUGGEST_CHANGE if objects else ev.Opinion.LOOKS_GOOD,
            reason="callers",
            suggestion="mend them as well" if objects else "",
            usage=Usage(input=10, output=1, usd=0.1),
        )

    def _challenge(self, intent: ev.CallAgent) -> ev.Challenged | ev.AgentErred:
        how, _, kind = str(self._next("challenge")).partition(" ")
        common = {"iteration": intent.iteration, "agent": intent.agent}
        common |= {"usage": Usage(input=10, output=1, usd=0.1), "seconds": 5.0}
        if how == "fails":
            told = {"role": "challenge", "kind": kind or "error", "message": "cannot"}
            return ev.AgentErred(**common, **told)  # type: ignore[arg-type]
        found = ev.Counterexample(file="a.py", words="ties keep their order", test="assert 0")
        return ev.Challenged(commit=intent.base, counterexamples=(found,), **common)  # type: ignore[arg-type]

    def _narrate(self, intent: ev.CallAgent) -> ev.Narrated | ev.AgentErred:
        how, _, kind = str(self._next("narrate")).partition(" ")
        common = {"iteration": intent.iteration, "agent": intent.agent}
        common |= {"usage": Usage(input=10, output=1, usd=0.1), "seconds": 5.0}
        if how == "fails":
            told = {"role": "document", "kind": kind, "message": "cannot"}
            return ev.AgentErred(**common, **told)  # type: ignore[arg-type]
        told = {"commit": intent.base, "what_happened": "a.py was wrong", "why": "off by one"}
        return ev.Narrated(**common, **told)  # type: ignore[arg-type]

    def _fix(self, state: State, intent: ev.CallAgent) -> ev.FixApplied | ev.AgentErred:
        how = "done" if intent.exact else self._next("fix")
        n = self.calls.get("fix", 0) + len(self.made)
        if intent.exact:
            self.made.append(n := n + 1)
        if how == "fails":
            return ev.AgentErred(
                iteration=intent.iteration,
                role="fix",
                agent=intent.agent,
                kind="timeout",
                message="too slow",
            )
        patch = "same" if how == "same" else f"p{n}"
        edits = state.diagnosed.diagnosis.edits if state.diagnosed else ()
        return ev.FixApplied(
            iteration=intent.iteration,
            agent=intent.agent,
            summary="change it",
            commit=None if how == "nothing" else f"c{n}",
            patch=patch,
            edits=patch_hash(edits) if edits else "",
            diff="-1\n+3\n" if how in ("otherwise", "bends") else "",
            tampering=("tests/test_a.py",) if how in ("tampers", "bends", *CONSULTING) else (),
            consult=how in CONSULTING,
            test_diff=CONSULTING.get(str(how), ""),
        )


def _left(outcome: str, named: str) -> list[str]:
    """Return what is red still; of a regression the names say what it broke."""
    return named.split() if named and outcome != "regression" else ["b"]


class Play:
    """A session that is played on a script; `records` is its journal."""

    def __init__(self, script: Script, first: ev.SessionOpened | None = None) -> None:
        self.script = script
        self.records: list[ev.Recorded] = []
        self.state = State()
        self.now = START
        self.pauses: list[float] = []
        self.listen: Callable[[State, Action], None] = lambda _state, _action: None
        self.append(first or opened())

    def append(self, event: ev.AnyEvent) -> None:
        seq = self.state.seq + 1
        at = START + timedelta(seconds=seq)
        recorded = ev.Recorded(session="s", seq=seq, at=at, event=event)
        self.state = fold(self.state, recorded)
        self.records.append(recorded)
        self.now = at

    def steps(self) -> Iterator[Action]:
        while actions := decide(self.state, self.now):
            for action in actions:
                if isinstance(action, Pause):
                    self.pauses.append((action.until - self.now).total_seconds())
                    self.now = action.until
                    continue
                self.listen(self.state, action)
                yield action
                if isinstance(action, Record):
                    self.append(cast("ev.AnyEvent", action.event))
                else:
                    self.append(ev.Started(intent=action))
                    self.append(self.script.perform(self.state, action))

    def run(self, limit: int = 300) -> State:
        for done, _ in enumerate(self.steps()):
            assert done < limit, "the session does not come to an end"
        while self.state.question and self.script.answers:
            word, _, name = self.script.answers.pop(0).partition(" ")
            if word != "back" and word not in (o.word for o in self.state.question.options):
                continue
            if word == "back":
                self.append(ev.WentBack(checkpoint=name))
            else:
                self.append(ev.QuestionAnswered(id=self.state.question.id, option=word))
            return self.run(limit)
        return self.state

    def of(self, kind: type[ev.Event]) -> list[ev.AnyEvent]:
        return [r.event for r in self.records if isinstance(r.event, kind)]
