"""The claim that no answer newly depends on what was called before, or on what became of a value.

The calls of the tests are made in other sequences, with the fix and without it: see
`clew.analysis.tampering.sequences`. A cache that keeps what has changed is seen so, a table that
all objects share, and a copy that is none.
"""

from __future__ import annotations

from pathlib import Path

from clew import runners
from clew.analysis.tampering import dependences, keeps_state, sequences, shared
from clew.flows.debugging.driver.proving.case import TESTS, Case
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.flows.debugging.driver.proving.unannounced import hidden_run
from clew.words import events as ev
from clew.words.facts import Crossed

__all__ = ["steady"]

CLAIM = "no answer newly depends on an earlier call"
SECONDS = 15.0  # for all sequences of one interpreter


def steady(
    case: Case, trial: Path, reverted: Path, crossed: tuple[Crossed, ...]
) -> tuple[ev.ProofRow, ...]:
    """Return the claim; nothing where the changed code keeps nothing that calls could depend on."""
    if not any(keeps_state(case.text(case.commit, path)) for path in case.code):
        return ()
    lines, found = sequences((*crossed, *_beside(case, trial)))
    if not found:
        return (untested(CLAIM, "the tests ask nothing that can be asked in another sequence"),)
    now, before = (
        case.answers(place, lines, timeout=SECONDS, in_sequence=True) for place in (trial, reverted)
    )
    against = dependences(found, now, before)
    if against:  # what draws lots gives something else each time
        again = case.answers(trial, lines, timeout=SECONDS, in_sequence=True)
        now = {n: each for n, each in now.items() if again.get(n) == each}
        against = dependences(found, now, before)
    if against:
        return (ev.ProofRow(claim=CLAIM, measured=shown([*against]), holds=False, doubt=True),)
    loose = shared(found, now, before)
    if loose:
        measured = f"weakly tested: {shown([*loose])}"
        return (ev.ProofRow(claim=CLAIM, measured=measured, holds=False, decides=False),)
    measured = f"{len(found)} {'sequence' if len(found) == 1 else 'sequences'} of calls"
    return (ev.ProofRow(claim=CLAIM, measured=measured, holds=True),)


def _beside(case: Case, trial: Path) -> tuple[Crossed, ...]:
    """Return the calls of the tests that were green before, beside those that are no more red."""
    files = {path for path, _ in case.places(case.turned).values()}
    green = sorted(case.green.passed - set(case.turned) - case.flaky)
    near = tuple(test for test, (path, _) in case.places(tuple(green)).items() if path in files)
    if not near:
        return ()
    hidden = runners.Disguise(changed=case.code)
    return hidden_run(case, trial, near[:TESTS], hidden).crossed
