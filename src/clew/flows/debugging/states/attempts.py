"""What was attempted: proposed, carried out or not, and what came of it.

Only a change that was applied, and that a run, a proof or a person has spoken against, is refused
when it comes again; so is a proven one that a person took back. A proposal that nobody carried out
is as good as new.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from clew.analysis.failures import normalise
from clew.flows.debugging.states.record import Departure, Ground, State
from clew.words import events as ev
from clew.words.declared import CONFIDENCES
from clew.words.edits import patch_hash
from clew.words.events import Opinion, Result
from clew.words.facts import BUILT_IN, Diagnosis, Edit, Unsettled

__all__ = [
    "THIRD",
    "Attempt",
    "acceptable",
    "attempts",
    "forbidden",
    "guesses",
    "made",
    "objected",
    "on_this",
    "refused",
    "repeated",
    "taken_back_at",
    "tried",
    "undecided",
    "undone",
    "vouched",
]

# The rules since which a fix tells which edits it leaves out, one that a person took back is not
# made again, and the last iteration of a round tries what was recommended.
THIRD = 3
_AGAINST = (Result.FAILING, Result.REGRESSION, Result.BROKEN, Result.UNPROVEN)


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the history, with what was proposed and what was applied."""

    entry: ev.IterationEnded
    diagnosed: ev.Diagnosed | None = None
    fix: ev.FixApplied | None = None  # None where nothing was changed
    made: tuple[Edit, ...] = ()  # of the recommended edits
    fixer_failed: bool = False
    objected: bool = False  # a reviewer wanted another change
    ground: Ground
    left: Departure | None = None  # that took the code away on which it was made
    unwanted: bool = False  # a person took it back, though it was proven
    proof: ev.Proved | None = None  # of what was applied, if it was put to one

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What was diagnosed, if anything was."""
        return self.diagnosed.diagnosis if self.diagnosed else None

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that were recommended."""
        return self.diagnosis.edits if self.diagnosis else ()

    @property
    def left_out(self) -> tuple[Edit, ...]:
        """The recommended edits that were not made, where some were."""
        return tuple(e for e in self.edits if e not in self.made) if self.made else ()

    @property
    def carried_out(self) -> bool:
        """Whether what was recommended was applied; of one without edits, whether anything was."""
        return self.fix is not None and not (self.edits and self.fix.diff)

    @property
    def doubted(self) -> bool:
        """Whether it helped, and only a doubt speaks against it, which a person may settle."""
        return self.entry.doubtful and self.fix is not None

    @property
    def open_claim(self) -> ev.ProofRow | None:
        """The claim that the tests decide, where it alone speaks against what was applied."""
        against = [row for row in self.proof.rows if row.against] if self.proof else []
        return against[0] if [row.claim for row in against] == [ev.SETTLED] else None

    @property
    def unsettled(self) -> Unsettled | None:
        """What a person may settle: another change is as good, as far as tests tell."""
        told = self.diagnosis.unsettled if self.diagnosis else None
        known = told if told and told.call else None
        return known or (self.proof.unsettled if self.proof else None) or told

    @property
    def failed(self) -> bool:
        """Whether what was applied was judged, and did not help or was not wanted."""
        entry, fix = self.entry, self.fix
        if fix is None or entry.progress:
            return False
        return entry.result in _AGAINST or (entry.result is Result.TAMPERING and fix.consult)


def attempts(state: State) -> tuple[Attempt, ...]:
    """Return all of them, oldest first."""
    told = {event.iteration: event for event in state.diagnoses}
    fixes = {event.iteration: event for event in state.fixes if event.commit is not None}
    idle = {event.iteration for event in state.fixes if event.commit is None}
    erred = {event.iteration for event in state.agent_errors if event.role == "fix"}
    against = {e.iteration for e in state.reviews if e.opinion is Opinion.SUGGEST_CHANGE}
    proofs = {proof.commit: proof for proof in state.proofs}
    return tuple(
        Attempt(
            entry=entry,
            diagnosed=told.get(entry.iteration),
            fix=fixes.get(entry.iteration),
            made=_made(state, told.get(entry.iteration), fixes.get(entry.iteration)),
            fixer_failed=entry.iteration in erred | idle,
            objected=entry.iteration in against,
            ground=ground,
            unwanted=entry.result is Result.PASSING and entry.iteration not in state.helped,
            left=_left(state, entry.iteration, ground),
            proof=proofs.get(entry.commit or ""),
        )
        for entry, ground in zip(state.history, state.grounds, strict=True)
    )


def _made(state: State, told: ev.Diagnosed | None, fix: ev.FixApplied | None) -> tuple[Edit, ...]:
    """Return the recommended edits that a fix made; the first rules did not ask which."""
    if told is None or fix is None or (fix.diff and state.session.rules < THIRD):
        return ()
    return tuple(edit for edit in told.diagnosis.edits if edit not in fix.left_out)


def _left(state: State, iteration: int, ground: Ground) -> Departure | None:
    if ground.edition == state.edition and ground.helped <= state.helped:
        return None
    known = (left for left in state.departures if left.after >= iteration and not left.undone)
    return next(known, None)


def tried(state: State) -> tuple[Attempt, ...]:
    """Return the attempts at the failures that stand; of one that was halted nothing is known.

    What was tried on code that a person has changed since was not tried on this.
    """
    known, now = zip(attempts(state), state.signatures, strict=True), state.signature
    here = (a for a, at in known if at == now and a.left is None)
    return tuple(a for a in here if a.entry.result is not Result.HALTED)


def acceptable(state: State) -> tuple[Attempt, ...]:
    """Return the attempts that only a doubt refused, and that a person may accept.

    They were made on this very code, or on what it was before other progress was kept; the newest
    of several that make the same change stands for them all.
    """
    known = tried(state)
    offered = {
        a.entry.patch or a.entry.iteration: a
        for a in attempts(state)
        if a.doubted and a.left is None and (_waits(state, a) or (a in known and on_this(state, a)))
    }
    return tuple(sorted(offered.values(), key=lambda attempt: attempt.entry.iteration))


def undecided(state: State) -> Attempt | None:
    """Return the newest fix that a person may accept, where nothing but its rivals are against it.

    These are changes of this very code.
    """
    newest = next(iter(acceptable(state)[-1:]), None)
    if newest is None or newest.open_claim is None or not on_this(state, newest):
        return None
    return newest


def taken_back_at(state: State) -> str:
    """Name the checkpoint at which a person chose between changes, where that led to nothing."""
    return "" if undecided(state) else state.chose_at


def on_this(state: State, attempt: Attempt) -> bool:
    """Tell whether an attempt was made on the very code that counts."""
    return (attempt.ground.edition, attempt.ground.helped) == (state.edition, state.helped)


def _waits(state: State, attempt: Attempt) -> bool:
    """Tell whether other progress was kept since, and what the attempt mends is red still."""
    ground, entry = attempt.ground, attempt.entry
    since = ground.edition == state.edition and ground.helped < state.helped
    if not since or entry.iteration in state.helped:
        return False
    known = {normalise(error) for error in entry.new_errors}
    return any(normalise(red.error) not in known for red in state.red)


def vouched(state: State, refusal: str) -> bool:
    """Tell whether a person kept progress that was refused in these words, among others."""
    kept = (e for e in state.helpful if e.doubtful)
    return any(f"{refusal}; " in f"{entry.note}; " for entry in kept)


def forbidden(state: State) -> frozenset[str]:
    """Return the hashes of edits that a search leaves out.

    They were tried, or turned down by a reviewer or by a value that a person gave; or the session's
    parent does not want them.
    """
    unwanted = (*state.session.refused, *state.refuted)
    return frozenset((*unwanted, *map(patch_hash, refused(state))))


def refused(state: State) -> tuple[tuple[Edit, ...], ...]:
    """Return the changes that were tried, or turned down by a reviewer, the oldest first."""
    out = (a for a in tried(state) if a.edits and a.fix and (a.carried_out or a.objected))
    return tuple(attempt.edits for attempt in out)


def repeated(state: State, event: ev.Diagnosed | ev.FixApplied) -> Attempt | None:
    """Return the attempt that a diagnosis recommends, or a fix makes, again, and that failed."""
    again = _hashed_again if state.session.rules == 1 else _again
    return next((attempt for attempt in tried(state) if again(state, attempt, event)), None)


def _again(state: State, attempt: Attempt, event: ev.Diagnosed | ev.FixApplied) -> bool:
    unwanted = attempt.unwanted and state.session.rules >= THIRD
    if not (attempt.failed or unwanted) or attempt.fix is None:
        return False
    if isinstance(event, ev.FixApplied):
        return bool(event.patch) and event.patch == attempt.fix.patch
    return attempt.carried_out and _same(event.diagnosis.edits, attempt.edits)


def _hashed_again(state: State, attempt: Attempt, event: ev.Diagnosed | ev.FixApplied) -> bool:
    """Tell by the first rules: whatever made no progress, whether or not it was carried out."""
    entry = attempt.entry
    if entry.progress:
        return False
    if isinstance(event, ev.FixApplied):
        return bool(event.patch) and event.patch == entry.patch
    edits = event.diagnosis.edits
    recommended = {fix.edits for fix in state.fixes if fix.iteration == entry.iteration}
    return bool(edits) and patch_hash(edits) in recommended


def guesses(state: State) -> dict[int, Diagnosis]:
    """Map iterations to what was kept of them, though the built-in repairer only guessed it.

    That is less sure than `accept` asks; a doubt that a person was asked about is none.
    """
    kept = {entry.iteration for entry in state.helpful if not entry.doubtful}
    last = {told.iteration: told for told in state.diagnoses}
    least = CONFIDENCES.index(state.settings.accept)
    return {
        told.iteration: told.diagnosis
        for told in last.values()
        if told.iteration in kept and told.agent == BUILT_IN
        and CONFIDENCES.index(told.diagnosis.confidence) < least
    }  # fmt: skip


def made(state: State) -> tuple[Edit, ...]:
    """Return the recommended edits that are part of the code, as the attempts made them."""
    kept = (a for a in attempts(state) if a.entry.iteration in state.helped)
    return tuple(edit for attempt in kept for edit in attempt.made)


def undone(state: State) -> bool:
    """Tell whether these exact edits were to be made before, and their fixer did not make them.

    They may be the rest of a proposal of which a part was made, and is kept.

    A reviewer's objection is for a fixer to weigh: one that made another change has, and the
    proposal goes to one again; one that made none has not, and nobody is asked to any more.
    """
    told = state.diagnosed
    if told is None or not told.diagnosis.edits:
        return False
    left = (a for a in tried(state) if not a.carried_out and (a.fix or a.fixer_failed))
    if objected(state):
        left = (attempt for attempt in left if attempt.fix is None)
    elif any(_same(told.diagnosis.edits, rest) for rest in _rests(state)):
        return True
    return any(_same(told.diagnosis.edits, attempt.edits) for attempt in left)


def _rests(state: State) -> Iterator[tuple[Edit, ...]]:
    """Yield what was left out of each proposal whose fixer's work is kept: some of it, or all."""
    kept = (a for a in attempts(state) if a.entry.iteration in state.helped)
    return (a.left_out or a.edits for a in kept if a.edits and not a.carried_out)


def objected(state: State) -> bool:
    """Tell whether a reviewer wants another change than the one at hand."""
    return state.reviewed is not None and state.reviewed.opinion is Opinion.SUGGEST_CHANGE


def _same(some: tuple[Edit, ...], others: tuple[Edit, ...]) -> bool:
    """Tell whether two lists of edits change the same places, as far as they name them."""
    if not some or patch_hash(some) != patch_hash(others):
        return False
    lines = zip(_in_order(some), _in_order(others), strict=True)
    return all(None in (a.line, b.line) or a.line == b.line for a, b in lines)


def _in_order(edits: tuple[Edit, ...]) -> Iterator[Edit]:
    stripped = (replace(e, current=e.current.strip(), should_be=e.should_be.strip()) for e in edits)
    return iter(sorted(stripped, key=lambda e: (e.path, e.current, e.should_be, e.line or 0)))
