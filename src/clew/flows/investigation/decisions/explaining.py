"""What the built-in investigator says of what it saw: entries that are true, and how far they go.

It sees tests, a reproduction and a pasted traceback, and searches for a repair. It reads no words:
whether a failing test is the symptom that somebody described, a person has to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from clew.analysis.failures import error_of
from clew.analysis.mentioned import NamedFunction
from clew.documents.debug_sessions.fields import tidy
from clew.flows.investigation.decisions.instrumenting import not_reproduced
from clew.flows.investigation.decisions.symptom_test import SymptomTest
from clew.flows.investigation.states import DebugState
from clew.words.debug_sessions import CurrentFocus, EvidenceEntry, Reasoning
from clew.words.facts import Diagnosis, Suspect, TestRun, Verdict
from clew.words.investigations import (
    FileIssue,
    Inconclusive,
    Investigation,
    Returned,
    RootCause,
    SpecialistHint,
)

__all__ = ["beside_red", "explained", "unexplained"]

_DOUBT = {
    False: "the tests may expect what nobody meant",
    True: "what was expected may not be what was meant",
}
SOME = 3  # failing tests, and suspected lines, that are named
LOG = "have it logged where it happens, and wait until it comes again"
ASK = "name an agent that reads code and words, by `clew debug continue` with `--agent NAME`"


def explained(
    run: TestRun,
    diagnosis: Diagnosis,
    suspects: Sequence[Suspect],
    *,
    proposes: bool,
    test: SymptomTest | None = None,
    meant: Sequence[NamedFunction] = (),
    refused: int = 0,
) -> Investigation:
    """Return what follows from failing tests: a root cause where a repair was found.

    `test` is the reproduction as a test, which is not one of the project's yet; `meant` are
    functions that it runs, and that the person's words may mean; so many repairs were `refused`.
    """
    place = f"{diagnosis.path}:{diagnosis.line}" if diagnosis.line else diagnosis.path
    evidence = (*_of_tests(run), *_of_suspects(suspects))
    if not proposes or diagnosis.out_of_scope:
        why = _nothing_else(refused) or diagnosis.exhausted or diagnosis.confidence_reason
        return _open(
            diagnosis.root_cause,
            evidence,
            checked=(*_checked(run), "a search for a repair that turns them green"),
            remaining=(*map(_place, suspects[:SOME]), *map(str, meant[:SOME])),
            recommendation=f"{why.rstrip('. ')}; {ASK}",
        )
    chosen = diagnosis.chosen
    approach = tidy(chosen.approach or chosen.title) if chosen else ""
    cause = RootCause(
        root_cause=diagnosis.root_cause,
        files=tuple(dict.fromkeys(FileIssue(file=e.path, issue=approach) for e in diagnosis.edits)),
        fix_direction=approach or "as the repair that was found",
        specialist_hint=SpecialistHint.PYTHON,
        failing_tests=() if test else tuple(result.id for result in run.red),
        reasoning=Reasoning(
            hypothesis=diagnosis.root_cause,
            confirming_evidence=(
                *diagnosis.evidence[:SOME],
                "with that repair, and nothing else changed, the failing tests pass",
            ),
            falsification_test="were the cause elsewhere, the repair would leave them red",
            fix_rationale=approach or "it changes the line that the failure depends on",
            blind_spots="words are not read: that these tests fail for the symptom that was"
            " described is for a person to say",
            candidate_causes=(f"code: {place}", f"data: {_DOUBT[test is not None]}"),
        ),
    )
    focus = CurrentFocus(
        hypothesis=diagnosis.root_cause,
        test="a repair at that place",
        expecting="the failing tests pass",
        next_action=f"have the repair at {place} made and proven",
    )
    return Investigation(
        returned=Returned.ROOT_CAUSE_FOUND, focus=focus, evidence=evidence, root_cause=cause
    )


def beside_red(
    told: Investigation, same: Collection[str], aside: Collection[str], *, repaired: bool
) -> Investigation:
    """Return what is told of a command's symptom, with what became of tests that are red as well.

    With the repair of it these are green: the `same` matter. Those `aside` stay red.
    """
    alone = "not known to be of this matter: what the command shows was looked into alone"
    apart = "another matter: the fix may leave it as it is" if repaired else alone
    entries = (
        EvidenceEntry(
            checked=f"ran {_some(tests)} with that repair" if repaired else _some(tests),
            found=how,
            implication=means,
        )
        for tests, how, means in (
            (same, "green", "of the same matter: the fix has to turn it green as well"),
            (aside, "red", apart),
        )
        if tests
    )
    return replace(told, evidence=(*told.evidence, *entries))


def _some(tests: Collection[str]) -> str:
    more = f" and {len(tests) - SOME} more" if len(tests) > SOME else ""
    return f"{', '.join([*tests][:SOME])}{more}"


def _nothing_else(refused: int) -> str:
    if not refused:
        return ""
    which = f"the {refused} fixes that were" if refused > 1 else "the fix that was"
    return f"nothing else was found than {which} refused"


def unexplained(
    state: DebugState,
    run: TestRun | None,
    why: str = "",
    meant: Collection[NamedFunction] = (),
) -> Investigation:
    """Return what is left to say where no test fails: what was seen, and what remains.

    Where nothing here shows it, a person is asked to log it; `meant` are functions that their words
    may mean.
    """
    frame = state.mapped.frames[-1] if state.mapped and state.mapped.frames else None
    place = frame.place if frame else ""
    hypothesis = f"the fault is at or before {place}" if place else "no test shows the symptom"
    seen = state.reproduced
    evidence = tuple(_of_tests(run)) if run is not None else ()
    checked = (*(_checked(run) if run is not None else ()), *((why,) if why else ()))
    if seen is not None:
        ran = f"{seen.failed} of {seen.runs} runs show it"
        told = ran if seen.exit_code is not None else f"it could not be run: {seen.why_not}"
        checked = (*checked, f"`{seen.command}`: {told}")
    if seen is None or not seen.failed:
        return Investigation(
            returned=Returned.CHECKPOINT_REACHED,
            focus=CurrentFocus(hypothesis=hypothesis, next_action=LOG),
            evidence=evidence,
            checkpoint=not_reproduced(state, checked, meant),
        )
    like = f"as `{state.command}` does"
    return _open(
        hypothesis,
        evidence,
        checked=checked,
        remaining=(place,) if place else (),
        recommendation=f"write a test that fails {like}, or log what it depends on; or {ASK}",
    )


def _open(
    hypothesis: str,
    evidence: tuple[EvidenceEntry, ...],
    *,
    checked: tuple[str, ...],
    remaining: tuple[str, ...],
    recommendation: str,
) -> Investigation:
    return Investigation(
        returned=Returned.INCONCLUSIVE,
        focus=CurrentFocus(hypothesis=hypothesis, next_action=recommendation),
        evidence=evidence,
        inconclusive=Inconclusive(
            checked=checked, remaining=remaining, recommendation=recommendation
        ),
    )


def _checked(run: TestRun) -> tuple[str, ...]:
    if run.verdict is Verdict.DID_NOT_RUN:
        return (f"the tests, which did not run: {run.reason}",)
    return (f"{len(run.results)} tests, {len(run.red)} of them red",)


def _of_tests(run: TestRun) -> Iterator[EvidenceEntry]:
    """Yield an entry of the run, and one for each of a few failing tests."""
    command = " ".join(run.command.argv)
    if run.verdict is Verdict.DID_NOT_RUN:
        yield EvidenceEntry(
            checked=f"ran `{command}`",
            found=f"the tests did not run: {run.reason}",
            implication="they say nothing of the symptom",
        )
        return
    red = len(run.red)
    yield EvidenceEntry(
        checked=f"ran `{command}`",
        found=f"{red} red, {len(run.passed)} passed",
        implication="the symptom may be what fails" if red else "no test shows the symptom",
    )
    for result in run.red[:SOME]:
        yield EvidenceEntry(
            checked=f"the failing test {result.id}",
            found=error_of(result),
            implication="it fails on this version, without any change",
        )


def _of_suspects(suspects: Sequence[Suspect]) -> Iterator[EvidenceEntry]:
    for suspect in suspects[:SOME]:
        yield EvidenceEntry(
            checked=_place(suspect),
            found="; ".join(suspect.reasons) or "failing tests run it",
            implication=f"suspected, {suspect.score:.2f} of 1",
        )


def _place(suspect: Suspect) -> str:
    function = f" in {suspect.function}" if suspect.function else ""
    return f"{suspect.path}:{suspect.line or '?'}{function}"
