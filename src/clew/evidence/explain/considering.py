"""What a diagnosis is written about: one failure, what is suspected of it, and what may mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from msgspec import structs

from clew.analysis.failures import category_of, unwrapped
from clew.documents.views import IterationView
from clew.evidence.explain.accounts import account
from clew.evidence.explain.demands import concerns
from clew.evidence.explain.doubles import without_doubles
from clew.evidence.explain.exhausted import left
from clew.evidence.explain.pointing import CLEAR, located, ordered, telling
from clew.evidence.explain.scene import Scene
from clew.evidence.explain.sources import enclosing, entered
from clew.words.facts import Candidate, Category, Demand, Findings, Suspect, TestResult

__all__ = ["ASSERTED", "DiagnosedCase", "considered"]

ASSERTED = ("AssertionError", "DocTestFailure", "Failed")


@dataclass(frozen=True, kw_only=True)
class DiagnosedCase:
    """The failure that a diagnosis is told by, and the changes that count."""

    scene: Scene
    candidates: tuple[Candidate, ...]  # the best first
    repeated: int  # changes that are left out, since an earlier iteration tried them
    unseen: bool  # whether something is suspected that no earlier iteration suspected in vain
    another: str = ""  # a second fault, in a sentence

    @property
    def best(self) -> Candidate | None:
        """The first of the changes."""
        return self.candidates[0] if self.candidates else None


def considered(
    bare: Scene,
    findings: Findings | None,
    history: tuple[IterationView, ...],
    demand: Demand | None,
) -> DiagnosedCase:
    """Choose what is told of a run and its suspects, and point to it."""
    run, category, modules, sources = bare.run, bare.category, bare.modules, bare.sources
    candidates, repeated = _untried(findings, history)
    if any(_asserts(result) for result in run.red):  # then what was given before may be wrong
        candidates = tuple(map(_without_before, candidates))
    best = candidates[0] if candidates else None
    result = telling(run, category, modules, sources, best)
    another = ""
    if best is not None and result is not None:
        best = _at_its_part(best, result)
        candidates = (best, *candidates[1:])
        if result.id in best.turns_green:
            kind = category_of(result, modules=modules, sources=sources)
            if kind is not category and category in CLEAR:
                another = _another(bare)
            category = kind
    suspects = _entered(_run_by(result, _inside(bare), findings), sources, best)
    unseen = left(suspects, history, sources)
    said = _unwrapped(result, category, sources)
    scene = replace(
        bare,
        category=category,
        result=said,
        wrapped=said != result,
        suspects=suspects if best else ordered(unseen or suspects, result),
        reach=findings.reach if findings else (),
        demand=demand if demand and concerns(demand, suspects, best) else None,
    )
    path, line = located(scene, best)
    return DiagnosedCase(
        scene=replace(scene, path=path, line=line),
        candidates=candidates,
        repeated=repeated,
        unseen=bool(unseen),
        another=another,
    )


def _inside(bare: Scene) -> tuple[Suspect, ...]:
    """Name the function of each suspect."""
    texts = bare.sources
    return tuple(
        structs.replace(s, function=s.function or enclosing(texts.get(s.path, ""), s.line))
        for s in bare.suspects
    )


def _another(bare: Scene) -> str:
    """Tell of a file that cannot be loaded, where the change mends another fault first."""
    result = telling(bare.run, bare.category, bare.modules, bare.sources, None)
    scene = replace(bare, result=result, suspects=())
    path, line = located(scene, None)
    cause = account(replace(scene, path=path, line=line)).cause
    return f"Another fault is there as well: {cause}"


def _at_its_part(best: Candidate, result: TestResult) -> Candidate:
    """Place a patch of several parts where it mends the test that the diagnosis is told by."""
    part = next((each for each in best.parts if result.id in each.turns_green), None)
    if part is None:
        return best
    return structs.replace(best, path=part.path, line=part.line, function=part.function)


def _run_by(
    result: TestResult | None, suspects: tuple[Suspect, ...], findings: Findings | None
) -> tuple[Suspect, ...]:
    """Leave out what the told test never ran, where it is known what that test runs.

    A suspect of another red test is no place to look at for this one.
    """
    ran: dict[str, set[int]] = {}
    for reach in findings.reach if findings else ():
        if result is not None and result.id in reach.tests:
            at = reach.tests.index(result.id)
            lines = (line for run, tests in reach.groups if at in tests for line in run)
            ran.setdefault(reach.path, set()).update(lines)
    own = {(f.path, f.line) for f in (result.crash.frames if result and result.crash else ())}
    kept = tuple(
        s
        for s in suspects
        if s.line is None or (s.path, s.line) in own or s.line in ran.get(s.path, ())
    )
    return kept if ran and kept else suspects


def _entered(
    suspects: tuple[Suspect, ...], sources: Mapping[str, str], best: Candidate | None
) -> tuple[Suspect, ...]:
    """Point into a function where only its head is suspected, unless the best change is there."""
    found: dict[tuple[str, int | None], Suspect] = {}
    changed = (best.path, best.line) if best else None
    for each in suspects:
        stays = (each.path, each.line) == changed
        line = each.line if stays else entered(sources.get(each.path, ""), each.line)
        found.setdefault((each.path, line), structs.replace(each, line=line))
    return tuple(found.values())


def _untried(
    findings: Findings | None, history: tuple[IterationView, ...]
) -> tuple[tuple[Candidate, ...], int]:
    over = (entry for entry in history if entry.carried_out and not entry.open)
    done = {entry.edits for entry in over if entry.edits}
    known = findings.candidates if findings else ()
    fresh = tuple(c for c in known if c.edits not in done)
    left_out = len(known) - len(fresh)
    if fresh and fresh[0] is not known[0]:  # what the others part from
        fresh = tuple(structs.replace(c, parting=None) for c in fresh)
    return without_doubles(fresh), left_out


def _asserts(result: TestResult) -> bool:
    """Whether a failing test says what it wants, rather than to end in an error."""
    return result.crash is None or result.crash.type.endswith(ASSERTED)


def _without_before(candidate: Candidate) -> Candidate:
    if candidate.parting is None:
        return candidate
    return structs.replace(candidate, parting=structs.replace(candidate.parting, before=""))


def _unwrapped(
    result: TestResult | None, category: Category, sources: Mapping[str, str]
) -> TestResult | None:
    """Return a failure with the exception that says what does not fit in place of its wrapper."""
    if result is None or result.crash is None or category is not Category.SCHEMA_MISMATCH:
        return result
    return structs.replace(result, crash=unwrapped(result.crash, sources))
