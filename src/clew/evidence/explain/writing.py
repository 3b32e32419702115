"""A diagnosis, put together from what is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clew.analysis.failures import categorise
from clew.documents.views import IterationView
from clew.evidence.explain.accounts import account
from clew.evidence.explain.alike import lost_elsewhere
from clew.evidence.explain.certainty import confidence_of, not_kept
from clew.evidence.explain.considering import ASSERTED, DiagnosedCase, considered
from clew.evidence.explain.crashes import callee
from clew.evidence.explain.demands import wanted
from clew.evidence.explain.exhausted import ruled_out
from clew.evidence.explain.options import of_candidates, without_candidates
from clew.evidence.explain.pointing import CLEAR, OUTSIDE, is_put_back
from clew.evidence.explain.prevention import prevention
from clew.evidence.explain.rivals import rivals, undecided, unsettled
from clew.evidence.explain.scene import (
    Explanation,
    Scene,
    clipped,
    code,
    listed,
    own_name,
    place,
    values,
)
from clew.evidence.explain.sources import line_of, modules_of, window
from clew.evidence.explain.spots import of_candidate, puts_in
from clew.evidence.explain.taken import taken_before
from clew.words.facts import (
    ONLY_A_PERSON,
    REVISE,
    Candidate,
    Category,
    Demand,
    Diagnosis,
    EarlierText,
    Findings,
    Frame,
    Option,
    Suspect,
    TestRun,
)
from clew.words.printable import printable
from clew.words.test_ids import bare_name

__all__ = ["explain"]

NAMED = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.[a-z]\w{0,4}:\d+)\b")
BEFORE = re.compile(r"\bbefore ([0-9a-f]{7,40})\b")  # as a change that puts back is told
MOST_TITLE = 100
MOST_SUSPECTS = 3
MOST_CLOSE = 3
MOST_LINES = 6


def explain(
    run: TestRun,
    suspects: tuple[Suspect, ...],
    findings: Findings | None,
    sources: Mapping[str, str],
    history: tuple[IterationView, ...] = (),
    *,
    modules: frozenset[str] | None = None,
    category: Category | None = None,
    earlier: Sequence[EarlierText] = (),
    demand: Demand | None = None,
) -> Diagnosis:
    """Return the diagnosis that the evidence allows, and no more.

    `sources` are the texts of the project's files that suspects, frames and edits name; `modules`
    the project's own modules, by default those that the sources make; `category` the kind of
    failure, where it is known; `earlier` files as they were before commits, those of the newest
    first; `demand` the newest commit that says what is wanted. What an earlier iteration tried, or
    suspected in vain, is left out.
    Without a candidate there are options but no edits, and confidence is low.
    """
    modules = modules_of(sources) if modules is None else modules
    category = category or categorise(run, modules=modules, sources=sources)
    bare = Scene(
        run=run,
        category=category,
        result=None,
        suspects=suspects,
        sources=sources,
        modules=modules,
        earlier=earlier,
    )
    case = considered(bare, findings, history, demand)
    scene, candidates, best = case.scene, case.candidates, case.best
    told = account(scene)
    causes = (
        _root_cause(scene, told, candidates),
        taken_before(scene, history),
        *(_of_commits(best, earlier, scene) if best else ()),
        case.another,
    )
    besides = not_kept(best, findings, history) if best else ""
    confidence, reason = confidence_of(scene, candidates, besides)
    outside = OUTSIDE.get(scene.category) if best is None else None
    options = of_candidates(scene, candidates) if best else without_candidates(scene)
    return Diagnosis(
        title=told.title,
        category=scene.category,
        root_cause=" ".join(filter(None, causes)),
        path=scene.path,
        line=scene.line,
        context=window(sources, scene.path, scene.line),
        evidence=tuple(_evidence(scene, candidates)),
        options=options,
        recommended=1,
        confidence=confidence,
        confidence_reason=reason,
        partial=best is not None and not best.complete,
        prevention=prevention(scene.category, best),
        out_of_scope=outside is not None,
        out_of_scope_reason=outside,
        exhausted=_left_to_persons(scene, options[0]),
        tried=(*_tried(case, findings), *_ruled_out(case, findings, history)),
        unsettled=unsettled(candidates),
        rivals=(others := rivals(candidates)),
        undecided=undecided(candidates) if others else "",
    )


def _left_to_persons(scene: Scene, first: Option) -> str:
    """Say that a test is to be revised, where code was changed on purpose and left it behind.

    A change of the code that another search may find would be asked about as well.
    """
    if scene.demand is None or not scene.demand.code or not first.title.startswith(REVISE):
        return ""
    return f"the built-in repairer recommends to {first.title}, {ONLY_A_PERSON}"


def _root_cause(scene: Scene, told: Explanation, candidates: tuple[Candidate, ...]) -> str:
    parts = [told.cause]
    where = place(scene.path, scene.line)
    text = line_of(scene.sources, scene.path, scene.line)
    shown = f", {code(text)}" if text else ""
    if candidates:
        best = candidates[0]
        inside = f" in {code(best.function)}" if best.function else ""
        hidden = frozenset(best.turns_green) - {each.id for each in scene.run.red}
        effect = _effect(best, hidden)
        sure = "lies" if confidence_of(scene, candidates)[0] == "high" else "most likely lies"
        does = f"{best.description}, and {effect}."
        if best.parts:
            parts.append(_several(scene, best, effect, hidden, sure=sure == "lies"))
        elif is_put_back(best):
            untold = "Which line of that is at fault, the search does not tell."
            parts += [f"The fault {sure} in what was changed since: {does}", untold]
        else:
            at = "just before" if all(map(puts_in, of_candidate(best))) else "at"
            parts.append(f"The fault {sure} {at} {where}{inside}{shown}: {does}")
    elif scene.suspects and scene.category not in (*CLEAR, *OUTSIDE) and callee(scene) is None:
        parts.append(_suspicion(scene, shown))
    if scene.demand:
        parts.append(wanted(scene.demand))
    others = len(candidates[0].still_red) if candidates else len(scene.run.red) - 1
    if others > 0 and not (candidates and candidates[0].complete):
        red = "1 more test is red; it" if others == 1 else f"{others} more tests are red; they"
        parts.append(f"{red} may have the same cause or another one.")
    return " ".join(parts)


def _of_commits(best: Candidate, earlier: Sequence[EarlierText], scene: Scene) -> Iterator[str]:
    """Tell the title of each commit that a change goes back behind, and what else it took out."""
    told = scene.demand.commit if scene.demand else ""
    subjects = {each.commit: each.subject for each in earlier}
    commits = tuple(dict.fromkeys(BEFORE.findall(best.description)))
    for commit in commits:
        title = clipped(printable(subjects.get(commit, "")), MOST_TITLE)
        if title and commit != told:
            yield f"Commit {code(commit)} is titled {code(title)}."
    yield from lost_elsewhere(best, commits, earlier, scene.sources)


def _several(
    scene: Scene, best: Candidate, effect: str, hidden: frozenset[str], *, sure: bool
) -> str:
    """Tell each of several changes, with the tests that it mends; some may be hidden so far.

    Each mends a fault where the diagnosis is `sure`, or one let tests get on to the next; else one
    change may be missing that mends all.
    """
    told = []
    for number, part in enumerate(best.parts, 1):
        inside = f" in {code(part.function)}" if part.function else ""
        names = [code(bare_name(each)) for each in part.turns_green]
        more = [f"{len(names) - 2} more"] if len(names) > 2 else []  # noqa: PLR2004 - two are named
        red = listed([*names[:2], *more])
        where = f"({number}) {place(part.path, part.line)}{inside}"
        unseen = ", which could not run so far" if hidden.issuperset(part.turns_green) else ""
        told.append(f"{where}: {part.description}, for {red}{unseen}.")
    counts = Counter(test for part in best.parts for test in part.turns_green)
    apart = all(any(counts[test] == 1 for test in part.turns_green) for part in best.parts)
    crashed = scene.crash is not None and not scene.crash.type.endswith(ASSERTED)
    if hidden or sure or (crashed and not apart):
        own = ", each with red tests of its own"
        hides = " on the way of the same tests, and one hides another"
        how = "" if hidden else own if apart else hides
        count, mended = f"There are {len(best.parts)} faults{how}", " mended"
    else:
        how = ", each for red tests of its own" if apart else " on the way of the same tests"
        count, mended = f"{len(best.parts)} changes are combined{how}", ""
    return f"{count}: {' '.join(told)} With all of them{mended}, {effect}."


def _suspicion(scene: Scene, shown: str) -> str:
    """Name the strongest suspect, or all that are equally strong."""
    top = scene.suspects[0]
    alike = (top.path, top.score, top.function, top.reasons)
    equal = [
        s for s in scene.suspects if s.line and (s.path, s.score, s.function, s.reasons) == alike
    ]
    inside = f" in {code(top.function)}" if top.function else ""
    why = f": {'; '.join(top.reasons)}" if top.reasons else ""
    if len(equal) > 1:
        lines = [str(s.line) for s in sorted(equal, key=lambda s: s.line or 0)]
        several = listed(lines) if len(lines) <= MOST_LINES else f"{lines[0]} to {lines[-1]}"
        return f"The strongest suspects are lines {several} of {top.path}{inside}{why}."
    return f"The strongest suspect is {place(top.path, top.line)}{inside}{shown}{why}."


def _effect(best: Candidate, hidden: frozenset[str]) -> str:
    green, red = len(best.turns_green), len(best.still_red)
    if best.complete and hidden:
        return "all tests that are known pass"
    if best.complete:
        return "the red test passes" if green == 1 else f"all {green} red tests pass"
    return f"{green} of {green + red} red tests {'passes' if green == 1 else 'pass'}"


def _evidence(scene: Scene, candidates: tuple[Candidate, ...]) -> list[str]:
    lines = []
    frame = scene.test_frame
    if frame is not None:
        asserts = f": {code(frame.code.strip())}" if frame.code.strip() else ""
        lines.append(f"{place(frame.path, frame.line)} {_in(frame)}{asserts}")
    for inner in scene.frames[:2]:
        seen = values(inner)
        text = f": {code(inner.code.strip())}" if inner.code.strip() else ""
        lines.append(
            f"{place(inner.path, inner.line)} {_in(inner)}{text}"
            + (f", with {seen}" if seen else "")
        )
    for suspect in scene.suspects[:MOST_SUSPECTS]:
        inside = f" in {code(suspect.function)}" if suspect.function else ""
        lines.append(
            f"suspect {place(suspect.path, suspect.line)}{inside}, score {suspect.score:.2f}:"
            f" {'; '.join(suspect.reasons) or 'the failure comes from there'}"
        )
    lines += [f"the output names {where}" for where in _mentioned(scene)]
    red, passing = len(scene.run.red), len(scene.run.passed)
    lines.append(f"this run: {red} red, {passing} passing")
    full = sum(c.complete for c in candidates)
    if full > 1:
        lines.append(f"{full} different changes turn every red test green")
    return lines


def _in(frame: Frame) -> str:
    name = own_name(frame.function)
    return f"in {code(name)}" if name else "at module level"


def _mentioned(scene: Scene) -> list[str]:
    """Return the places that a bare output names, where nothing better is known."""
    if scene.crash is not None:
        return []
    return list(dict.fromkeys(NAMED.findall(printable(scene.text))))[:3]


def _ruled_out(
    case: DiagnosedCase, findings: Findings | None, history: tuple[IterationView, ...]
) -> Iterator[str]:
    searched = findings is not None and case.scene.run.command.runner.python
    others = case.unseen or case.best is not None
    return ruled_out(history, case.scene.sources, others=others, searched=searched)


def _tried(case: DiagnosedCase, findings: Findings | None) -> list[str]:
    scene, candidates, repeated = case.scene, case.candidates, case.repeated
    if findings is None:
        why = "" if scene.run.command.runner.python else ": it knows only Python"
        why = ": the command says passed or failed, and no more" if scene.plain else why
        return [f"no search for a patch was made{why}"]
    counts = sorted(findings.families.items(), key=lambda pair: (-pair[1], pair[0]))
    kinds = listed([f"{family} ({count})" for family, count in counts[:6]])
    rest = len(counts) - 6
    more = f", and {rest} more kinds" if rest > 0 else ""
    noun = "change" if findings.tried == 1 else "changes"
    lines = [f"{findings.tried} {noun} tried in {findings.seconds:.1f} s; {_end(findings)}"]
    if not findings.tried:
        lines = [f"nothing was found to change in {findings.seconds:.1f} s"]
    if kinds:
        lines[0] += f". By kind: {kinds}{more}"
    close = [c for c in candidates if not c.complete]
    lines += [
        f"came close: {c.description} at {place(c.path, c.line)} turns {len(c.turns_green)} of"
        f" {len(c.turns_green) + len(c.still_red)} red tests green"
        for c in close[:MOST_CLOSE]
    ]
    if repeated:
        noun = "1 change" if repeated == 1 else f"{repeated} changes"
        lines.append(f"left out: {noun} that an earlier iteration tried")
    return [*lines, *(clipped(note, 200) for note in findings.notes)]


def _end(findings: Findings) -> str:
    """Say what ended a search, as far as it is known."""
    known = findings.candidates
    if findings.exhausted:
        return "that is all there were"
    if findings.refused or any(each.complete for each in known):
        return "the search ended soon after it found a change that passes"
    if any(note.startswith("the search") for note in findings.notes):
        return "then it ended early"
    mended = {test for each in known for test in each.turns_green}
    if known and mended.issuperset(known[0].still_red):
        return "then a limit ended the search"  # it also ends where each fault has its change
    return "then its time was up"
