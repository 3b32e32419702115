"""The record of a session: what the events so far come to."""

from __future__ import annotations

import hashlib
import itertools
from datetime import datetime
from typing import TypeVar

import msgspec

from clew.flows.debugging.states.spent import Spent
from clew.flows.debugging.states.table import Stage
from clew.words import events as ev
from clew.words.errors import TransitionRefused
from clew.words.events import Result, Status
from clew.words.facts import BUILT_IN, Unsettled, Usage, Verdict
from clew.words.models import AUTO, NO_MODELS, NOBODY, SAME
from clew.words.settings import Settings

__all__ = [
    "Aside",
    "ChosenChange",
    "Departure",
    "Deviation",
    "Ground",
    "RestorePoint",
    "State",
    "refusal",
    "require",
]

T = TypeVar("T")


class RestorePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A place that one may go back to: a checkpoint, and what counted there."""

    name: str
    commit: str
    kept: ev.TestsRan
    snapshot: ev.SnapshotTaken
    baseline: ev.TestsRan
    rechecked: ev.TestsRan | None
    origin: ev.SnapshotTaken | None = None
    helped: frozenset[int] = frozenset()
    edition: int = 1
    rejected: bool = False


class Aside(msgspec.Struct, frozen=True, kw_only=True):
    """Kept progress that waits while a change is tried without it."""

    head: str
    kept: ev.TestsRan
    helped: frozenset[int]
    mark: str  # the checkpoint that the change is tried from


class Deviation(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a fixer's own way, while the recommended edits are tried in its place."""

    fix: ev.FixApplied | None  # None where it failed
    verified: ev.TestsRan | None
    verdict: Result
    note: str


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """The code that an iteration began on."""

    round: int
    edition: int  # the snapshot with which a person's files became what they were then
    helped: frozenset[int]  # iterations whose changes were part of it
    fresh: tuple[str, ...] = ()  # errors after the iteration that were not there before it


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """The code became another one, and not by an iteration."""

    after: int  # iterations of the session
    checkpoint: str = ""  # that was gone back to; none where a person changed the files
    files: tuple[str, ...] = ()  # that they changed
    diff: str = ""  # the beginning of that change
    answer: str = ""  # that made it: the word for another change, or for a value
    was: tuple[ev.FailingTest, ...] = ()  # red before it
    now: tuple[ev.FailingTest, ...] | None = None  # red with it; None where no run has told
    edition: int = 0  # that a person's files had before they changed them
    undone: bool = False  # the code became again what it was before


class ChosenChange(msgspec.Struct, frozen=True, kw_only=True):
    """A person took the other of two changes that Clew knows; the next snapshot has it."""

    told: Unsettled
    iteration: int  # in the place of whose change it was made
    generation: int


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of a session."""

    stage: Stage = Stage.NEW
    seq: int = 0
    created: datetime | None = None
    updated: datetime | None = None
    opened: ev.SessionOpened | None = None
    in_flight: dict[int, ev.AnyIntent] = {}  # by the event that started it
    begun: datetime | None = None  # when what is in flight, or was last, began
    conversation: str = ""  # of the last call, if it has a name
    interrupted: str = ""

    generation: int = 1
    snapshot: ev.SnapshotTaken | None = None
    baseline: ev.TestsRan | None = None
    origin: ev.SnapshotTaken | None = None  # the snapshot that the baseline ran on
    rechecked: ev.TestsRan | None = None
    kept: ev.TestsRan | None = None  # the run on `head`
    before: ev.TestsRan | None = None  # the kept run when the iteration began
    head: str = ""  # the commit that counts
    edition: int = 1  # the snapshot with which a person's files became what they are
    departures: tuple[Departure, ...] = ()
    helped: frozenset[int] = frozenset()  # iterations whose changes are part of it
    aside: Aside | None = None
    deviation: Deviation | None = None
    rejected: bool = False  # a person's edits of tests: they are put back in the work
    turned_down: tuple[tuple[str, ...], str] = ((), "")  # files and diff of the last rejected ones
    carrying: str = ""  # the commit with a person's work that is still to be judged
    spare: str = ""  # that commit with kept progress, while the person's work alone is not judged
    flaky: frozenset[str] = frozenset()
    flakes: tuple[ev.Flake, ...] = ()  # the last word on each test that was examined
    topic: str = ""
    bisected: ev.Bisected | None = None

    round: int = 0
    round_cap: int = 0  # iterations that it may have; 0 before the first round
    granted: ev.Budget | None = None  # what a person said the next round may take
    round_budget: ev.Budget | None = None  # what they said of this one
    counter: int = 0  # iterations of this round
    overall: int = 0  # iterations of the session
    calls: int = 0  # that were settled, with the edits that Clew made by itself
    rung: int = 0  # place on the ladder of agents
    failures: int = 0  # of the present agent at the present step
    diagnosed: ev.Diagnosed | None = None
    report: ev.ReportWritten | None = None
    reviewed: ev.Reviewed | None = None
    fixer: str = ""  # that carries the fix out, where it is not who proposed it
    fix: ev.FixApplied | None = None
    verified: ev.TestsRan | None = None
    verdict: Result | None = None
    note: str = ""
    halted: ev.Halted | None = None
    spent: Spent = Spent()
    spent_by: dict[str, Spent] = {}  # by agent, in this round
    spent_before_round: Spent = Spent()
    spent_before_iteration: Spent = Spent()

    history: tuple[ev.IterationEnded, ...] = ()
    judged_at: tuple[datetime, ...] = ()  # when each of them ended
    signatures: tuple[str, ...] = ()  # of the failures that each of them began with
    ground: Ground | None = None  # of the iteration that began last
    grounds: tuple[Ground, ...] = ()  # of each of them
    reports: tuple[ev.ReportWritten, ...] = ()
    agent_errors: tuple[ev.AgentErred, ...] = ()
    cut_off: tuple[str, ...] = ()  # the agents of calls that never came to an end
    erred_at: tuple[datetime, ...] = ()  # when each of them happened
    unfit: frozenset[str] = frozenset()  # agents that no call mends before a person has acted
    diagnoses: tuple[ev.Diagnosed, ...] = ()
    drafts: tuple[ev.Diagnosed, ...] = ()  # those of them that came with a failure
    reviews: tuple[ev.Reviewed, ...] = ()
    fixes: tuple[ev.FixApplied, ...] = ()
    challenges: tuple[ev.Challenged, ...] = ()
    proof: ev.Proved | None = None
    proofs: tuple[ev.Proved, ...] = ()
    checkpoints: tuple[ev.CheckpointSaved, ...] = ()
    marks: tuple[RestorePoint, ...] = ()
    documents: tuple[ev.DocumentWritten, ...] = ()
    learned: str = ""  # the proven commit that the knowledge base tells of
    narrations: tuple[ev.Narrated, ...] = ()
    told: str = ""  # the proven commit that an agent has told of, or need not
    question: ev.QuestionAsked | None = None
    asked: int = 0
    asked_last: ev.QuestionKind | None = None
    ask_again: bool = False  # a person took back what they chose: it is asked once more
    answered_at: int = (
        0  # the generation that an answer began: edits in the worktree are part of it
    )
    reopened: bool = False  # by a person's answer: another round may begin
    answers: tuple[ev.QuestionAnswered, ...] = ()
    answers_before: int = 0  # how many of them a person went back behind, or may have
    approved: tuple[ev.Approval, ...] = ()  # files of the tests, the newest approval last
    accepted: tuple[str, ...] = ()  # commits that a person says are right, whatever a proof doubts
    taken_instead: ChosenChange | None = None  # the last one; see `choice`
    refuted: tuple[str, ...] = ()  # hashes of edits with which a person's value does not come
    answer_files: tuple[str, ...] = ()  # that the last answer changed; see `by_answer`
    guidance: tuple[str, ...] = ()
    decided: bool = False  # a person was asked what the tests are to ask for
    closing: Status | None = None
    ended: ev.SessionEnded | None = None

    @property
    def session(self) -> ev.SessionOpened:
        """The opening event. Raises TransitionRefused before there is one."""
        if self.opened is None:
            raise TransitionRefused("the session has not been opened")
        return self.opened

    @property
    def settings(self) -> Settings:
        """What the session runs with. Raises TransitionRefused before it was opened."""
        return self.session.settings

    @property
    def doing(self) -> ev.AnyIntent | None:
        """What is in flight: this flow does one thing at a time."""
        return next(iter(self.in_flight.values()), None)

    @property
    def status(self) -> Status:
        """How the session stands, in one word."""
        if self.ended:
            return self.ended.status
        return Status.WAITING if self.question else Status.RUNNING

    @property
    def settled(self) -> tuple[ev.CallOutcome, ...]:
        """What came of the calls of agents, by its kind."""
        return (
            *(told for told in self.diagnoses if told not in self.drafts),
            *self.reviews,
            *(fix for fix in self.fixes if not fix.exact),
            *self.challenges,
            *self.narrations,
            *(erred for erred in self.agent_errors if not erred.exact),
        )

    @property
    def usages(self) -> tuple[tuple[str, Usage], ...]:
        """What each call of an agent took, by the agent's name.

        Calls that failed are included, and so are those that were cut off, of which nothing is
        known.
        """
        told = ((call.agent, call.usage) for call in self.settled)
        return (*told, *((agent, Usage()) for agent in self.cut_off))

    @property
    def usage(self) -> Usage:
        """What all calls of outside agents took together."""
        return Usage.total([usage for agent, usage in self.usages if agent != BUILT_IN])

    @property
    def cap(self) -> int:
        """How many iterations the present round may have."""
        return self.round_cap or self.settings.max_iterations

    @property
    def budget(self) -> ev.Budget:
        """What the present round may take."""
        return self.round_budget or self.settings.budget

    @property
    def next_call(self) -> int:
        """The number of the next call: no other has it, not even one that was cut off."""
        return self.calls + 1 + (len(self.cut_off) if self.session.rules > 1 else 0)

    @property
    def agent(self) -> str:
        """The agent on the present rung of the ladder."""
        return self.settings.agent[self.rung]

    @property
    def fixing_agent(self) -> str:
        """The agent that is to carry out what was proposed."""
        return self.fixer or require(self.diagnosed).agent

    @property
    def challenger(self) -> str:
        """The agent that looks for what the fix gets wrong; empty for nobody."""
        asked = self.settings.challenge
        if asked not in (AUTO, SAME) or self.diagnosed is None:
            return "" if asked in (AUTO, SAME, NOBODY) else asked
        author = self.fixing_agent
        if asked == SAME:
            return "" if author == BUILT_IN else author
        known = author not in self.settings.commands and author.partition(":")[0] not in NO_MODELS
        return author if known else ""

    @property
    def red(self) -> tuple[ev.FailingTest, ...]:
        """The red tests of the kept run, without the flaky ones."""
        run = self.kept
        return tuple(r for r in run.red if r.id not in self.flaky) if run else ()

    @property
    def issues(self) -> tuple[str, ...]:
        """What the kept run leaves open, a line each: what is red, and what was taken away."""
        if self.kept is None:
            return ()
        agreed = ", as a person approved" if self.approved else ""
        gone = f"a failing test was removed, not fixed{agreed}"
        taken = (f"{each}: {gone}" for each in self.kept.taken)
        return (*(red.error for red in self.kept.red), *taken)

    @property
    def perhaps(self) -> frozenset[str]:
        """The tests that may be flaky or faults, which a person has to say; they count as flaky."""
        kinds = {flake.test: flake.kind for flake in self.flakes}
        return frozenset(t for t in self.flaky if kinds.get(t) is ev.FlakeKind.PERHAPS)

    @property
    def mended(self) -> frozenset[str]:
        """The tests that were perhaps flaky, red each time, and pass with the proven fix."""
        if self.closing is not ev.Status.GREEN or self.kept is None or self.proof is None:
            return frozenset()
        return self.perhaps - {red.id for red in self.kept.red} - frozenset(self.proof.flaky)

    @property
    def still_flaky(self) -> frozenset[str]:
        """The tests that a person is told to be flaky."""
        return self.flaky - self.mended

    @property
    def still_flakes(self) -> tuple[ev.Flake, ...]:
        """What they are told of what was examined."""
        return tuple(flake for flake in self.flakes if flake.test not in self.mended)

    @property
    def chained(self) -> dict[str, str]:
        """The flaky tests that are red after another one each time, by that one.

        A person may say that they are faults: what the other test leaves behind is the code's own.
        """
        return {flake.test: flake.after for flake in self.flakes if flake.after}

    @property
    def arguable(self) -> frozenset[str]:
        """The flaky tests that a person may call faults."""
        return self.perhaps | (self.flaky & self.chained.keys())

    @property
    def left_over(self) -> tuple[ev.Flake, ...]:
        """Those that are red in the kept run still: nobody has said that they are no faults."""
        red = {each.id for each in self.kept.red} if self.kept else set()
        known = {each.test: each for each in self.flakes}
        return tuple(known[test] for test in sorted(self.arguable & red & known.keys()))

    @property
    def measure(self) -> ev.SnapshotTaken | None:
        """The snapshot whose tests any work is held against; None until they are known to fail."""
        run = self.baseline
        if run is None or run.verdict is Verdict.DID_NOT_RUN:
            return None
        return self.origin if any(red.id not in self.flaky for red in run.red) else None

    @property
    def start(self) -> ev.SnapshotTaken:
        """The snapshot that the session's changes are counted from."""
        return require(self.origin or self.snapshot)

    @property
    def by_hand(self) -> bool:
        """Whether what is being judged is a person's work, held against the baseline."""
        return bool(self.carrying and self.snapshot and self.snapshot.tip)

    @property
    def alone(self) -> bool:
        """Whether that is a person's work alone, and kept progress waits to be tried with it."""
        return bool(self.spare) and self.carrying != self.spare

    @property
    def set_aside(self) -> tuple[ev.IterationEnded, ...]:
        """The iterations that helped, and whose changes are no part of the code any more."""
        return tuple(e for e in self.history if e.progress and e.iteration not in self.helped)

    @property
    def in_place(self) -> bool:
        """Whether the person's own files hold all that the session came to."""
        return self.snapshot is not None and self.head == self.snapshot.base

    @property
    def held(self) -> tuple[int, ...]:
        """The iterations whose changes the person's tree had, where that is what was proven."""
        taken = self.snapshot
        return taken.held if taken and self.head == taken.tip else ()

    @property
    def held_of(self) -> str:
        """The other session whose fix it had, where that is what was proven."""
        taken = self.snapshot
        return taken.held_of if taken and self.head == taken.tip else ""

    @property
    def put_back(self) -> tuple[str, ...]:
        """Tests that a person edited, and that are as they were again in what there is to apply."""
        return self.snapshot.touched if self.rejected and self.snapshot else ()

    @property
    def helpful(self) -> tuple[ev.IterationEnded, ...]:
        """The iterations that helped, without those that going back took away."""
        return tuple(entry for entry in self.history if entry.iteration in self.helped)

    @property
    def choice(self) -> ChosenChange | None:
        """The change that a person took in another's place, while it is part of the code.

        Where they have edited files since, nothing is known of it.
        """
        taken = self.taken_instead
        return taken if taken and taken.generation == self.edition else None

    @property
    def decision(self) -> str:
        """The word of the last answer, if it says which of two changes is right."""
        word = self.answers[-1].option if self.answers else ""
        return word if word in (ev.OTHER, ev.VALUE) else ""

    def by_answer(self, taken: ev.SnapshotTaken) -> frozenset[str]:
        """Return the files that an answer changed in a snapshot; a person may have others."""
        return frozenset(self.answer_files if self.answered_at == taken.generation else ())

    @property
    def chose_at(self) -> str:
        """The checkpoint at which a person said which of two changes is right.

        Empty where their files, or what they answered, have become something else since.
        """
        if not self.decision or self.answered_at != self.edition:
            return ""
        return next((m.name for m in reversed(self.marks) if m.edition != self.edition), "")

    @property
    def beyond(self) -> tuple[str, ...]:
        """The files that what helped changed, though the recommendation names them not."""
        made = (fix for fix in self.fixes if fix.iteration in self.helped)
        return tuple(sorted({path for fix in made for path in fix.beyond}))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the diagnoses of what helped leave open; a green session has mended all parts.

        Where it is told of several iterations, each says of which one: what holds of one change
        need not hold of the next.
        """
        green = Status.GREEN in (self.closing, self.status)
        last = {told.iteration: told.diagnosis for told in self.diagnoses}
        proof, found = self.proof, list[tuple[int, str]]()
        once = {e.iteration for e in self.history if (e.red_before or 0) - (e.red_after or 0) == 1}
        words = dict(itertools.zip_longest(proof.undecided, proof.undecided_told)) if proof else {}
        settled = any(r.vouched and r.claim == ev.SETTLED for r in proof.rows) if proof else False
        for iteration, told in sorted(last.items()):
            if iteration not in self.helped or (settled and iteration == max(self.helped)):
                continue
            if told.confidence != "high" and not (green and told.partial):
                found.append((iteration, told.confidence_reason))
            if green and iteration in words:
                found.append((iteration, words[iteration] or told.undecided))
            elif green and told.partial and iteration in once:
                one = f"Only one failing test asks for the change of iteration {iteration}."
                found.append((iteration, one))
        found = [(iteration, text) for iteration, text in found if text]
        several = len({iteration for iteration, _ in found}) > 1
        return tuple(
            f"iteration {at}: {text}"
            if several and not text.endswith(f" of iteration {at}.")
            else text
            for at, text in found
        )

    @property
    def guesses(self) -> tuple[str, ...]:
        """Why changes that are kept, while tests are still red, may fit theirs alone."""
        last = {told.iteration: told.diagnosis for told in self.diagnoses}
        kept = [each for number, each in sorted(last.items()) if number in self.helped]
        return tuple(each.confidence_reason for each in kept if each.confidence == "low")

    @property
    def solvers(self) -> tuple[str, ...]:
        """Who made the changes that helped and still stand, each once, in their order."""
        return tuple(dict.fromkeys(e.worker for e in self.helpful if e.agent))

    @property
    def contributors(self) -> frozenset[str]:
        """The agents that had a part in what helped and still stands, or that are at work."""
        over = {entry.iteration for entry in self.history}
        counted = self.helped | ({self.overall} - over)
        told = {e.agent for e in self.diagnoses if e.iteration in counted}
        return frozenset(told | {e.agent for e in self.fixes if e.iteration in counted})

    def mark(self, name: str) -> RestorePoint | None:
        """Return the newest place of that name that one may go back to."""
        return next((m for m in reversed(self.marks) if m.name == name), None)

    @property
    def signature(self) -> str:
        """A name for the failures that stand now: the same tests with the same errors."""
        parts = sorted(f"{red.id} {red.fingerprint}" for red in self.red)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def require(value: T | None) -> T:
    """Return what the stage promises to be there. Raises TransitionRefused if it is not."""
    if value is None:
        raise TransitionRefused("the session's state contradicts its stage")
    return value


def refusal(state: State, event: ev.Event, why: str = "") -> TransitionRefused:
    reason = f": {why}" if why else ""
    return TransitionRefused(
        f"a session in stage {state.stage} does not admit {ev.type_of(event)}{reason}"
    )
