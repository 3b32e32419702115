"""Random plans with random agents, killed at random: what holds for each of them, by the journal.

One machine for all: plans are run, killed, gone on with, answered and rolled back through the
command line. `CLEW_SWEEP` says which of them a run tries.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import sweeps
from builder import Builder, builds, plan_text, till
from clew.flows.plan.events import CODEC
from clew.flows.plan.states import PlanState, fold
from clew.flows.plan.viewing import session_record
from clew.git.project import locate
from clew.sessions import ProjectSessions
from clew.words.phases import MAY_FOLLOW, PhaseStatus
from clew.words.records import RunSession, Started, WentBack
from commandline import CommandLine
from treestate import fingerprint

ENDLESS = 30  # commands until a plan has to have ended
DONE = (PhaseStatus.COMPLETED, PhaseStatus.SKIPPED)


def turn(habit: str, name: str) -> dict[str, Any]:
    """Return what an agent of some habit does with a phase."""
    test = f"from till.{name} import one\n\n\ndef test_{name}():\n    assert one() == 1\n"
    good = builds(name, "def one():\n    return 1\n", test)
    beyond = {f"src/till/more_{name}_{number}.py": "X = 1\n" for number in range(3)}
    test_of_others = {"tests/test_doc.py": "def test_doc():\n    pass\n"}
    blocked = {"status": "blocked", "summary": "no", "blockers": ["a key is missing"]}
    return {
        "works": good,
        "crashes": good | {"status": 3},
        "hangs": {"sleeps": 60},
        "is blocked": {"says": blocked},
        "lies": {"says": {"summary": "all is done", "files_modified": ["src/none.py"]}},
        "goes beyond": {"writes": good["writes"] | beyond},
        "edits tests": {"writes": good["writes"] | test_of_others},
    }[habit]


HABITS = ("works", "crashes", "hangs", "is blocked", "lies", "goes beyond", "edits tests")
ENDS = ("works", "works", "works", "crashes", "goes beyond", "edits tests", "lies")
habits = st.tuples(st.sampled_from(HABITS), st.sampled_from(HABITS), st.sampled_from(ENDS))
# Nobody is killed, the process that works on the plan, or all of them; after so many events.
kills = st.one_of(st.none(), st.tuples(st.booleans(), st.integers(1, 25)))


class Plans(RuleBasedStateMachine):
    """A person with one plan, whose machine is not to be relied on."""

    @initialize(
        phases=st.lists(st.tuples(st.sets(st.integers(1, 3), max_size=2), habits), min_size=1,
                        max_size=3),
        parallel=st.integers(1, 3),
        kill=kills,
    )  # fmt: skip
    def begin(
        self,
        phases: list[tuple[set[int], tuple[str, ...]]],
        parallel: int,
        kill: tuple[bool, int] | None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="clew-plans-"))
        self.clew = CommandLine(till(self.folder / "till"), self.folder / "state")
        self.clew.env |= {"CLEW_AGENT_TIMEOUT": "1", "CLEW_MAX_ITERATIONS": "1"}
        self.parallel, self.commands = parallel, 0
        names = [f"Part {number}" for number in range(1, len(phases) + 1)]
        script = {
            name: [turn(habit, name.lower().replace(" ", "_")) for habit in habits]
            for name, (_, habits) in zip(names, phases, strict=True)
        }
        builder = Builder(self.folder / "agent", script)
        rows = [
            (name, name.lower().replace(" ", "_"), tuple(sorted(w for w in waits if w < number)))
            for number, (name, (waits, _)) in enumerate(zip(names, phases, strict=True), 1)
        ]
        (self.clew.project / "plan.md").write_text(plan_text(*rows))
        self.before = fingerprint(locate(self.clew.project))
        words = ("run", "plan.md", "--agent", f"repair,{builder.name}")
        self.work(kill, *words, "--parallel", str(parallel))

    @property
    def sessions(self) -> ProjectSessions:
        os.environ["CLEW_STATE_HOME"] = str(self.clew.state)
        return ProjectSessions.at(self.clew.project)

    @property
    def plan(self) -> str:
        """The plan's session; empty where it was killed before it began."""
        return next((each.session for each in self.sessions.listing() if each.kind == "plan"), "")

    @property
    def state(self) -> PlanState:
        state = PlanState()
        for recorded in self.sessions.journal(CODEC).read(self.plan):
            state = fold(state, recorded)
        return state

    def work(self, kill: tuple[bool, int] | None, *words: str) -> None:
        """Type a command; it may be killed."""
        self.commands += 1
        process = self.clew.start(*words)
        if kill is not None:
            everybody, after = kill
            wanted = self.events() + after
            while process.poll() is None and self.events() < wanted:
                time.sleep(0.02)
            process.kill()
            if everybody:
                for pid in self.living():
                    os.kill(pid, signal.SIGKILL)
        _, errors = process.communicate(timeout=240)
        assert "Traceback" not in errors, errors

    def events(self) -> int:
        sessions = self.sessions
        try:
            return sum(sessions.events.standing(each.session)[0] for each in sessions.listing())
        finally:
            sessions.events.close()

    def living(self) -> list[int]:
        """The processes of Clew that work on this plan."""
        mark, found = f"CLEW_STATE_HOME={self.clew.state}".encode(), []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                try:
                    known = (folder / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                found += [int(folder.name)] if mark in known else []
        return found

    @precondition(lambda self: self.plan and not self.state.ended)
    @rule(kill=kills, option=st.sampled_from(("retry", "skip", "accept")))
    def go_on(self, kill: tuple[bool, int] | None, option: str) -> None:
        """Answer what is asked, else go on."""
        if self.below():
            return
        if question := self.state.question:
            words = [each.word for each in question.options]
            self.work(kill, "answer", self.plan, option if option in words else "skip")
        else:
            self.work(kill, "resume", self.plan)

    @precondition(lambda self: self.plan and self.state.merges)
    @rule(kill=kills, last=st.booleans())
    def go_back(self, kill: tuple[bool, int] | None, last: bool) -> None:  # noqa: FBT001 -- by name
        place = f"phase:{self.state.merges[-1][0]}" if last else "start"
        self.work(kill, "rollback", self.plan, place)

    def below(self) -> bool:
        """End the debugging sessions that ask a person; whether there were any."""
        asking = [
            each.session
            for each in self.sessions.listing()
            if each.kind == "debugging" and each.status == "waiting"
        ]
        for session in asking:
            self.work(None, "terminate", session)
        return bool(asking)

    @invariant()
    def the_person_s_files_are_as_they_were(self) -> None:
        """Documents of Clew's own aside."""
        if hasattr(self, "before"):
            assert self.before == fingerprint(locate(self.clew.project))

    @invariant()
    def its_story_is_lawful(self) -> None:
        """Every transition is allowed, nothing begins too early, nobody is in another one's way."""
        if not hasattr(self, "before") or not self.plan:
            return
        state = PlanState()
        for recorded in self.sessions.journal(CODEC).read(self.plan):
            after = fold(state, recorded)
            moved = [
                (state.phases[id_].status, phase.status)
                for id_, phase in after.phases.items()
                if id_ in state.phases and state.phases[id_].status is not phase.status
            ]
            if not isinstance(recorded.event, WentBack):
                assert all(now in MAY_FOLLOW[was] for was, now in moved), recorded
            at_work = [i for i in after.in_flight.values() if isinstance(i, RunSession)]
            assert len({i.child for i in at_work}) == len(at_work)
            assert sum(i.kind == "phase" for i in at_work) <= self.parallel
            if isinstance(recorded.event, Started) and at_work and recorded.event.intent in at_work:
                needed = state.phase(recorded.event.intent.request["phase_id"]).phase.depends_on
                assert all(state.phase(each).status in DONE for each in needed), recorded
            state = after
        record = session_record(state)
        counts = [count.input for count in record.token_usage.by_agent.values()]
        known = [count for count in counts if count is not None]
        whole = sum(known) if len(known) == len(counts) else None
        assert whole == record.token_usage.total.input
        assert {id_ for id_, _ in state.merges} == {
            id_ for id_, phase in state.phases.items() if phase.status is PhaseStatus.COMPLETED
        }

    def teardown(self) -> None:
        """It ends, whatever happened to it, with all that was merged."""
        if not hasattr(self, "before"):
            return
        try:
            if self.plan:
                self.come_to_an_end()
        finally:
            for pid in self.living():
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(self.folder, ignore_errors=True)

    def come_to_an_end(self) -> None:
        for tried in itertools.count():
            state = self.state
            if state.ended:
                break
            assert tried < ENDLESS, state
            if not self.below():
                asks = state.question is not None
                self.work(None, *(("answer", self.plan, "skip") if asks else ("resume", self.plan)))
        self.its_story_is_lawful()
        self.the_person_s_files_are_as_they_were()
        diff = self.clew.run("diff", self.plan).out
        for id_, _ in self.state.merges:
            assert f"+++ b/src/till/part_{id_}.py" in diff
        assert [] == self.living()


@pytest.mark.slow
def test_whatever_agents_do_and_whoever_dies_a_plan_keeps_its_laws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of random plans some each run; the numbers of runs go through others every time."""
    monkeypatch.setenv("CLEW_STATE_HOME", os.environ.get("CLEW_STATE_HOME", ""))
    chosen = sweeps.number()
    number = random.randrange(1 << 30) if chosen is None else chosen  # noqa: S311 -- no secret
    run_state_machine_as_test(
        seed(number)(Plans),
        settings=settings(
            max_examples=sweeps.rounds(2, of=12),
            stateful_step_count=2,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
