"""Sessions with agents of every habit: what they leave undone is not held against their proposals.

The world here is a file of three lines with two faults. It keeps a ledger of its own, of what was
proposed, applied and run, and the session's history is compared with that.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import count

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from clew.agents.prompts import Brief
from clew.agents.prompts.sections import parts_of
from clew.flows.debugging.decisions import Record
from clew.flows.debugging.driver.viewing import iteration_views
from clew.flows.debugging.states import Stage, State, attempts, require
from clew.words import events as ev
from clew.words.edits import EditMisfit, apply, left, patch_hash
from clew.words.events import Result
from clew.words.facts import Edit, Option, Verdict
from clew.words.models import AgentRole
from sessionplay import COMMAND, DIAGNOSIS, Play, Script, opened, red

FILE, START = "a.py", "x = 1\ny = 2\nx = 1\n"


def edit(line: int, current: str, should_be: str) -> Edit:
    return Edit(path=FILE, line=line, current=current, should_be=should_be)


PROPOSALS = {
    "both": (edit(2, "y = 2", "y = 5"), edit(3, "x = 1", "x = 3")),
    "one half": (edit(2, "y = 2", "y = 5"),),
    "the other half": (edit(3, "x = 1", "x = 3"),),
    "the same words elsewhere": (edit(1, "x = 1", "x = 3"),),
    "no help": (edit(2, "y", "y  "),),
    "words alone": (),
}
HABITS = ("obedient", "lazy", "deviating", "thorough", "partial", "tampering", "failing")


def reds(text: str) -> set[str]:
    """Return the tests that are red: two faults, and what worked at the start."""
    first, second, third, *_ = text.splitlines()
    wrong = {"c": first != "x = 1", "a": "5" not in second, "b": third != "x = 3"}
    return {name for name, is_wrong in wrong.items() if is_wrong}


def changed(text: str, edits: tuple[Edit, ...]) -> str:
    return apply({FILE: text}, edits).get(FILE, text)


class Done(msgspec.Struct, kw_only=True):
    """What truly happened in an iteration."""

    edits: tuple[Edit, ...]
    base: str
    applied: str | None = None
    ran: bool = False
    calls: int = 0  # of the fixer

    @property
    def proposed(self) -> str | None:
        return changed(self.base, self.edits) if self.edits else None

    @property
    def left_out(self) -> tuple[Edit, ...]:
        if self.applied is None:
            return self.edits
        return left({FILE: self.base}, {FILE: self.applied}, self.edits)

    @property
    def as_proposed(self) -> bool:
        return self.applied is not None and self.proposed in (None, self.applied)


class World(Script, kw_only=True):
    """The hands of a session, for one file; agents act by the habit of the day."""

    texts: dict[str, str] = msgspec.field(default_factory=lambda: {"c0": START})
    numbers: Iterator[int] = msgspec.field(default_factory=lambda: count(1))
    today: Done = msgspec.field(default_factory=lambda: Done(edits=(), base=START))
    title: str = ""
    habit: str = ""

    def perform(self, state: State, intent: ev.AnyIntent) -> ev.AnyEvent:
        match intent:
            case ev.CallAgent(role=AgentRole.DIAGNOSE):
                option = Option(title=self.title, approach="x", edits=self.today.edits)
                return ev.Diagnosed(
                    iteration=intent.iteration,
                    agent=intent.agent,
                    diagnosis=replace(DIAGNOSIS, options=(option,)),
                    proposes=True,
                )
            case ev.CallAgent(role=AgentRole.FIX):
                return self._carried_out(intent)
            case ev.RunTests(purpose=ev.Purpose.VERIFY):
                return self._judged(state, intent)
            case _:
                return super().perform(state, intent)

    def _carried_out(self, intent: ev.CallAgent) -> ev.FixApplied | ev.AgentErred:
        today, about = self.today, {"iteration": intent.iteration, "agent": intent.agent}
        tampering = self.habit == "tampering" and not intent.exact
        if intent.exact:
            today.applied = today.proposed
        else:
            today.calls += 1
            if self.habit == "failing":
                return ev.AgentErred(**about, role="fix", kind="not_ready", message="I cannot")  # type: ignore[arg-type]
            today.applied = self._written()
            if today.applied is None:
                today.applied = today.proposed
        text = today.applied
        commit = None if text is None or text == today.base else f"c{next(self.numbers)}"
        if commit is None or text is None:
            today.applied = None
            return ev.FixApplied(**about, summary="all is done", commit=None)  # type: ignore[arg-type]
        self.texts[commit] = text
        lines = difflib.unified_diff(today.base.splitlines(), text.splitlines(), lineterm="")
        diff = "\n".join(lines) + ("\n+edited a test" if tampering else "")
        return ev.FixApplied(
            **about,  # type: ignore[arg-type]
            summary="all is done",
            commit=commit,
            files=(FILE,),
            patch=diff,
            edits=patch_hash(today.edits) if today.edits else "",
            diff="" if today.as_proposed and today.edits and not tampering else diff,
            left_out=today.left_out,
            tampering=("tests/test_a.py",) if tampering else (),
        )

    def _written(self) -> str | None:
        base, edits = self.today.base, self.today.edits or PROPOSALS["no help"]
        match self.habit:
            case "obedient" | "tampering":
                return changed(base, edits)
            case "thorough":
                return changed(base, edits) + "# why\n"
            case "partial":
                return changed(base, edits[:1])
            case "deviating":
                return base + "z = 0\n"
            case _:
                return None

    def _judged(self, state: State, intent: ev.RunTests) -> ev.TestsRan:
        self.today.ran = True
        before, now = {r.id for r in state.red}, reds(self.texts[intent.commit])
        progress = bool(before - now) and "c" not in now
        outcome = "passing" if not now else "fewer_errors" if progress else "same_errors"
        return ev.TestsRan(
            purpose=intent.purpose,
            commit=intent.commit,
            command=COMMAND,
            run="r",
            verdict=Verdict.FAILED if now else Verdict.PASSED,
            outcome="regression" if "c" in now else outcome,
            progress=progress,
            red=red(*sorted(now)),
            regressions=("c",) if "c" in now else (),
            total=3,
        )


class Sessions(RuleBasedStateMachine):
    """One iteration a step."""

    @initialize(reviewed=st.booleans(), cap=st.sampled_from((1, 3, 20)))
    def open(self, reviewed: bool, cap: int) -> None:  # noqa: FBT001 -- hypothesis passes it by name
        self.world = World()
        self.ledger: list[Done] = []
        self.play = Play(self.world, opened(agents=("a",), cap=cap, review="r" if reviewed else ""))
        self._go_on()

    def _go_on(self) -> None:
        """Work until the next iteration, or to the end."""
        for action in self.play.steps():
            assert len(self.play.records) < 2_000, action
            event = action.event if isinstance(action, Record) else None
            if isinstance(event, ev.IterationBegan) and event.overall > len(self.ledger):
                return

    @rule(
        title=st.sampled_from(sorted(PROPOSALS)),
        habit=st.sampled_from(HABITS),
        objects=st.booleans(),
    )
    def iterate(self, title: str, habit: str, objects: bool) -> None:  # noqa: FBT001 -- as above
        if question := self.play.state.question:
            self.play.append(ev.QuestionAnswered(id=question.id, option="guidance"))
            self._go_on()
        if self.play.state.stage is not Stage.ROUND:
            settings = self.play.state.settings
            self.open(reviewed=bool(settings.review), cap=settings.max_iterations)
        state, world = self.play.state, self.world
        base, edits = world.texts[state.head], PROPOSALS[title]
        try:
            changed(base, edits)
        except EditMisfit:  # such an answer is sent back: see the tests of answers
            return
        known = [done for done in self.ledger if done.base == base and done.edits == edits]
        world.today, world.title, world.habit = Done(edits=edits, base=base), title, habit
        world.review = ["objects" if objects else "agrees"]
        self.ledger.append(world.today)
        self._go_on()
        self._see(known, objected=objects and bool(state.settings.review))

    def _see(self, known: list[Done], *, objected: bool) -> None:
        done, entry = self.ledger[-1], self.play.state.history[-1]
        failed = [d for d in self.ledger[:-1] if d.ran and d.base == done.base]
        contents = {d.applied for d in failed}
        if entry.result is Result.REPEATED:
            assert (done.proposed if done.applied is None else done.applied) in contents
        undone = [d for d in known if not d.as_proposed and (d.calls or d.applied)]
        undone = [d for d in undone if d.applied is None] if objected else undone
        fresh = done.proposed is not None and done.proposed not in contents
        if undone and fresh and not any(d.as_proposed for d in known):
            assert (0, done.proposed) == (done.calls, done.applied)
        if self.play.state.counter == self.play.state.cap and fresh and not objected:
            assert done.proposed == done.applied or entry.progress
        if done.edits in self._rests() and fresh and not objected:
            assert (0, done.proposed) == (done.calls, done.applied)
        if done.ran and not reds(require(done.applied)):
            assert Result.PASSING is entry.result
        if fresh and not reds(require(done.proposed)) and done.as_proposed:
            assert entry.result in (Result.PASSING, Result.TAMPERING)

    def _rests(self) -> list[tuple[Edit, ...]]:
        """Return what is left of each proposal of which a part was made, and is kept."""
        helped = {entry.iteration for entry in self.play.state.helpful}
        kept = [d for n, d in enumerate(self.ledger[:-1], 1) if n in helped]
        return [d.left_out for d in kept if 0 < len(d.left_out) < len(d.edits)]

    @invariant()
    def the_history_is_true(self) -> None:
        """What agents are shown of each attempt is what happened."""
        state = self.play.state
        brief = Brief(iteration=state.overall + 1, history=iteration_views(state))
        shown = [part.text for part in parts_of(brief)["history"]]
        assert len(self.ledger) == len(shown) == len(state.history)
        for done, text, attempt in zip(self.ledger, shown, attempts(state), strict=True):
            tampered = bool(attempt.fix and attempt.fix.tampering)
            exact = done.as_proposed and not (tampered and done.edits)
            made, whole = [e for e in done.edits if e not in done.left_out], not done.left_out
            fates = {
                "proposed, not carried out: ": not exact and not made,
                "carried out in part: ": not exact and bool(made) and not whole,
                "carried out and more, so untried by itself: ": not exact and bool(made) and whole,
                "fix attempted: ": exact,
            }
            told = {line.partition(": ")[0] + ": " for line in text.splitlines()}
            assert {fate for fate, true in fates.items() if true} == told & set(fates), text
            otherwise = done.applied is not None and not (exact and done.edits)
            assert otherwise == ("what was changed:" in text), text
            assert f"result: {attempt.entry.result}" in text
            assert "errors left: " in text
            assert bool(attempt.ground.fresh) == ("new of them: " in text)
            assert not attempt.failed or done.ran


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=60, stateful_step_count=12, deadline=None)
