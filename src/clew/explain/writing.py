"""A diagnosis, put together from what is known."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Mapping

from msgspec.structs import replace

from clew.documents.views import IterationView
from clew.explain.accounts import account
from clew.explain.crashes import callee
from clew.explain.exhausted import left, ruled_out
from clew.explain.options import of_candidates, without_candidates
from clew.explain.scene import Account, Scene, clipped, code, listed, own_name, place, values
from clew.explain.sources import enclosing, line_of, modules_of, places_in, window
from clew.facts import (
    Candidate,
    Category,
    Diagnosis,
    Findings,
    Frame,
    Phase,
    Suspect,
    TestResult,
    TestRun,
)
from clew.failures import categorise, category_of, expectation
from clew.failures.assertions import carried
from clew.failures.linting import findings
from clew.printable import printable

__all__ = ["explain"]

NAMED = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.[a-z]\w{0,4}:\d+)\b")
NEAR = 0.8  # of the best score: as good, where the called function stands
LEGIBLE = 120  # characters of two values
MOST_SUSPECTS = 3
MOST_CLOSE = 3
MOST_LINES = 6
CLEAR = frozenset({Category.SYNTAX_ERROR, Category.IMPORT_ERROR})
PREVENTION: Mapping[Category, str] = {
    Category.SYNTAX_ERROR: "Compile every file before it is committed; an editor or a hook does.",
    Category.IMPORT_ERROR: "A type checker, or a test that imports every module, finds it early.",
    Category.TYPE_ERROR: "Annotate the function and its callers; a type checker then finds this.",
    Category.TEST_FAILURE: (
        "Keep the failing test, and add one with other inputs: none, one, many, those at the edge."
    ),
    Category.LINT_FAILURE: "Run the checker before each commit.",
    Category.SCHEMA_MISMATCH: "Derive one of the two definitions from the other.",
    Category.MISSING_DEPENDENCY: (
        "Declare every package, and run the tests in an environment made from the declaration."
    ),
    Category.TASK_SPEC_ERROR: "Write down the rule that both tests come from, beside the code.",
}
OUTSIDE: Mapping[Category, str] = {
    Category.MISSING_DEPENDENCY: "no edit of the code installs a package",
    Category.TASK_SPEC_ERROR: "a person has to say which of the tests is right",
}


def explain(
    run: TestRun,
    suspects: tuple[Suspect, ...],
    findings: Findings | None,
    sources: Mapping[str, str],
    history: tuple[IterationView, ...] = (),
    *,
    modules: frozenset[str] | None = None,
    category: Category | None = None,
) -> Diagnosis:
    """Return the diagnosis that the evidence allows, and no more.

    `sources` are the texts of the project's files that suspects, frames and edits name; `modules`
    the project's own modules, by default those that the sources make; `category` the kind of
    failure, where it is known. What an earlier iteration tried, or suspected in vain, is left out.
    Without a candidate there are options but no edits, and confidence is low.
    """
    modules = modules_of(sources) if modules is None else modules
    suspects = tuple(
        replace(s, function=s.function or enclosing(sources.get(s.path, ""), s.line))
        for s in suspects
    )
    category = category or categorise(run, modules=modules, sources=sources)
    candidates, repeated = _untried(findings, history)
    best = candidates[0] if candidates else None
    result = _telling(run, category, modules, sources, best)
    unseen = left(suspects, history, sources)
    bare = Scene(
        run=run,
        category=category,
        result=result,
        suspects=suspects if best else _first(unseen or suspects, result),
        sources=sources,
        modules=modules,
    )
    path, line = _where(bare, best)
    scene = dataclasses.replace(bare, path=path, line=line)
    told = account(scene)
    options = of_candidates(scene, candidates) if candidates else without_candidates(scene)
    confidence, reason = _confidence(scene, candidates)
    outside = OUTSIDE.get(category) if best is None else None
    return Diagnosis(
        title=told.title,
        category=category,
        root_cause=_root_cause(scene, told, candidates),
        path=path,
        line=line,
        context=window(sources, path, line),
        evidence=tuple(_evidence(scene, findings)),
        options=options,
        recommended=1,
        confidence=confidence,
        confidence_reason=reason,
        prevention=PREVENTION[category],
        out_of_scope=outside is not None,
        out_of_scope_reason=outside,
        tried=(
            *_tried(scene, findings, candidates, repeated),
            *ruled_out(history, sources, others=bool(unseen or best)),
        ),
    )


def _untried(
    findings: Findings | None, history: tuple[IterationView, ...]
) -> tuple[tuple[Candidate, ...], int]:
    done = {entry.edits for entry in history if entry.edits}
    known = findings.candidates if findings else ()
    fresh = tuple(c for c in known if c.edits not in done)
    return fresh, len(known) - len(fresh)


def _telling(
    run: TestRun,
    category: Category,
    modules: frozenset[str],
    sources: Mapping[str, str],
    best: Candidate | None,
) -> TestResult | None:
    """Choose the red test that the diagnosis is told by: of the kind, mended, and plain to read."""

    def rank(result: TestResult) -> tuple[bool, bool, bool, int]:
        return (
            category_of(result, modules=modules, sources=sources) is not category,
            bool(best) and result.id not in (best.turns_green if best else ()),
            result.phase is not Phase.COLLECT,
            _obscurity(result),
        )

    return min(run.red, key=rank, default=None)


def _obscurity(result: TestResult) -> int:
    """Say how hard a failed comparison is to read: 0 for short values, told in full."""
    wanted = expectation(result.crash) if result.crash else None
    if wanted is None:
        return 2
    values = wanted.actual + wanted.expected
    return int("..." in values or len(values) > LEGIBLE)


def _first(suspects: tuple[Suspect, ...], result: TestResult | None) -> tuple[Suspect, ...]:
    """Put first what the told failure points at itself: its own frames, then what it called."""
    crash = result.crash if result else None
    if crash is None:
        return suspects
    order = {(f.path, f.line): at for at, f in enumerate(reversed(crash.frames)) if f.project}
    wanted = expectation(crash)
    called = re.match(r"(?:\w+\.)*(\w+)\(", wanted.call) if wanted else None
    name = called.group(1) if called else ""

    top = max((suspect.score for suspect in suspects), default=0.0)
    home = {s.path for s in suspects if name and name in s.function.split(".")}

    def rank(suspect: Suspect) -> tuple[int, bool, float, bool]:
        own = order.get((suspect.path, suspect.line or 0), len(order))
        near = suspect.path in home and suspect.score >= NEAR * top
        return own, not near, -suspect.score, suspect.function.rpartition(".")[2] != name

    return tuple(sorted(suspects, key=rank))


def _where(scene: Scene, best: Candidate | None) -> tuple[str, int | None]:
    """Return the place that the diagnosis points at: patch, definition, suspect or traceback."""
    if best is not None:
        return best.path, best.line
    said = _said_place(scene)
    if said is not None:
        return said
    frames = scene.crash.frames if scene.crash else ()
    frame = next((f for f in reversed(frames) if f.project), None)
    inner = scene.crash is not None and carried(scene.crash) is not None
    if frame is not None and scene.category in (*CLEAR, *OUTSIDE) and not inner:
        return frame.path, frame.line
    if scene.suspects:
        return scene.suspects[0].path, scene.suspects[0].line
    named = list(places_in(scene.said, scene.sources))[::-1]
    code = next((at for at in named if not scene.is_test(at[0])), None)
    return code or ((frame.path, frame.line) if frame else next(iter(named), ("", None)))


def _said_place(scene: Scene) -> tuple[str, int | None] | None:
    """Return the place that the failure itself names, better than any trace of what was run."""
    inner = carried(scene.crash) if scene.crash else None
    parsed = next(places_in(inner.details, scene.sources), None) if inner else None
    if parsed is not None:
        return parsed
    complaint = next(findings(scene.said), None)
    if complaint is not None and (scene.category is Category.LINT_FAILURE or scene.plain):
        return complaint.path, complaint.line or None
    called = callee(scene)
    if called is not None and called.path and not _slip(scene):
        return called.path, called.line
    return None


def _slip(scene: Scene) -> bool:
    """Tell whether a single call of the project does not fit: it is odd, not what it calls."""
    message = scene.crash.message if scene.crash else ""
    callers = {
        next(((f.path, f.line) for f in reversed(result.crash.frames) if f.project), None)
        for result in scene.run.red
        if result.crash and result.crash.message == message
    }
    return len(callers) == 1 and not any(caller and scene.is_test(caller[0]) for caller in callers)


def _root_cause(scene: Scene, told: Account, candidates: tuple[Candidate, ...]) -> str:
    parts = [told.cause]
    where = place(scene.path, scene.line)
    text = line_of(scene.sources, scene.path, scene.line)
    shown = f", {code(text)}" if text else ""
    if candidates:
        best = candidates[0]
        inside = f" in {code(best.function)}" if best.function else ""
        effect = _effect(best)
        sure = "lies" if _confidence(scene, candidates)[0] == "high" else "most likely lies"
        parts.append(
            f"The fault {sure} at {where}{inside}{shown}: {best.description}, and {effect}."
        )
    elif scene.suspects and scene.category not in (*CLEAR, *OUTSIDE) and callee(scene) is None:
        parts.append(_suspicion(scene, shown))
    others = len(scene.run.red) - 1
    if others > 0 and not (candidates and candidates[0].complete):
        parts.append(
            f"{others} more {'test is' if others == 1 else 'tests are'} red; they may have the same"
            " cause or another one."
        )
    return " ".join(parts)


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


def _effect(best: Candidate) -> str:
    green, red = len(best.turns_green), len(best.still_red)
    if best.complete:
        return "the red test passes" if green == 1 else f"all {green} red tests pass"
    return f"{green} of {green + red} red tests {'passes' if green == 1 else 'pass'}"


def _evidence(scene: Scene, findings: Findings | None) -> list[str]:
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
    if findings is not None and findings.candidates:
        full = sum(c.complete for c in findings.candidates)
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


def _tried(
    scene: Scene, findings: Findings | None, candidates: tuple[Candidate, ...], repeated: int
) -> list[str]:
    if findings is None:
        why = "" if scene.run.command.runner.python else ": it knows only Python"
        why = ": the command says passed or failed, and no more" if scene.plain else why
        return [f"no search for a patch was made{why}"]
    counts = sorted(findings.families.items(), key=lambda pair: (-pair[1], pair[0]))
    kinds = listed([f"{family} ({count})" for family, count in counts[:6]])
    rest = len(counts) - 6
    more = f", and {rest} more kinds" if rest > 0 else ""
    end = "that is all there were" if findings.exhausted else "then a limit ended the search"
    noun = "change" if findings.tried == 1 else "changes"
    lines = [f"{findings.tried} {noun} tried in {findings.seconds:.1f} s; {end}"]
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


def _confidence(scene: Scene, candidates: tuple[Candidate, ...]) -> tuple[str, str]:
    if not candidates:
        return (
            "low",
            f"No change is known that turns a red test green{_unable(scene)}. Next: {_next(scene)}",
        )
    best = candidates[0]
    if not best.complete:
        left = len(best.still_red)
        return "medium", (
            f"The change mends part of it: {left} red {'test stays' if left == 1 else 'tests stay'}"
            " red, which may be a second fault."
        )
    rivals = sum(c.complete for c in candidates) - 1
    if rivals:
        one = rivals == 1
        return "medium", (
            f"{rivals} other {'change turns' if one else 'changes turn'} the same tests green and"
            f" {'behaves' if one else 'behave'} differently elsewhere; a test that tells them apart"
            " would settle it."
        )
    if len(best.turns_green) == 1 and scene.category not in CLEAR:
        return "medium", (
            "Weakly tested: only one failing test speaks for the change. No other change was found"
            " that passes."
        )
    green = len(best.turns_green)
    speaks = "the failing test asks" if green == 1 else f"{green} failing tests ask"
    return "high", f"No other change was found that passes, and {speaks} for this one."


def _unable(scene: Scene) -> str:
    """Say who could make one, where the built-in repairer cannot."""
    if scene.run.command.runner.python:
        return ""
    return ": the built-in repairer mends only Python, so it takes an agent, or a person"


def _next(scene: Scene) -> str:
    if scene.category in OUTSIDE:
        return f"settle it outside the code, since {OUTSIDE[scene.category]}."
    if scene.category is Category.SYNTAX_ERROR and scene.path:
        return f"read {place(scene.path, scene.line)} and the line before it."
    if scene.category is Category.IMPORT_ERROR and scene.path:
        where = place(scene.path, scene.line)
        return (
            f"settle whether {where} asks for the wrong thing, or the thing is yet to be written."
        )
    if scene.path and scene.line:
        return (
            f"stop at {place(scene.path, scene.line)} while {code(scene.test_name)} runs, and"
            " compare what is there with what should be."
        )
    return f"run {code(shlex.join(scene.run.command.argv))} by hand and read its first error."
