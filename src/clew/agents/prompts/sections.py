"""The texts of a prompt's sections: facts in words, each to be wrapped as data."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from clew.agents.prompts.brief import Brief, BriefSection, FileExcerpt
from clew.agents.prompts.wrapping import clip
from clew.analysis import failures
from clew.analysis.context import Form, SectionPart
from clew.documents.knowledge import Match
from clew.documents.views import HandworkView, IterationView
from clew.words.events import Result
from clew.words.facts import Crash, Edit, Frame, Suspect, TestResult
from clew.words.printable import printable

__all__ = ["LISTS", "MOST_TESTS", "file_label", "parts_of"]

PATHS = "{folder}; paths count from the project's root above it, as {folder}/NAME"
MOST_TESTS = 8
MOST_SUSPECTS = 15
DETAILS = 3_000
OUTPUT = 2_000
REPORT = 24_000
GUIDANCE = 8_000
STANDARDS = 6_000
ENTRY = 4_000

LISTS = frozenset({"tests", "history", "changes", "guidance", "known", "standards"}) | frozenset(
    {BriefSection.CRITERIA, BriefSection.HANDED_ON, BriefSection.OTHERS, BriefSection.EARLIER}
    | {BriefSection.LEARNED}
)


def parts_of(brief: Brief) -> dict[str, list[SectionPart]]:
    """Return the texts of every section, by the name that templates have for them."""
    report = brief.report

    def parts(section: str, *found: tuple[str, str]) -> list[SectionPart]:
        return [
            SectionPart(section=section, label=label, text=text) for label, text in found if text
        ]

    return {
        "situation": parts("task", ("situation", _situation(brief))),
        "tests": parts(
            "output",
            *(
                each
                for r in brief.failing[:MOST_TESTS]
                for each in (
                    (f"test {r.id}", _result(r)),
                    (f"output of test {r.id}", printable(r.output).strip("\n")),
                )
            ),
        ),
        "errors": parts("output", ("errors", "\n".join(brief.errors))),
        "suspects": parts("task", ("suspects", _suspects(brief))),
        "history": parts("task", *_history(brief)),
        "kept": parts("task", ("what helped already", "\n".join(map(_kept, _helpful(brief))))),
        "dead": parts("task", ("what did not help", "\n".join(f"- {h}" for h in brief.dead))),
        "unsettled": parts(
            "task",
            (
                "what a person is to settle",
                clip("\n".join(f"- {u}" for u in brief.unsettled), ENTRY),
            ),
        ),
        "changes": parts("task", *(("change " + _place(e), _change(e)) for e in brief.changes)),
        "guidance": parts("task", *(("guidance", clip(text, GUIDANCE)) for text in brief.guidance)),
        "diff": parts("diff", ("diff", brief.diff)),
        "known": parts("task", *((f"pattern {m.slug}", _pattern(m)) for m in brief.known)),
        "before": parts("task", ("history", clip("\n".join(brief.before), ENTRY))),
        "report": parts("task", (f"report {report.path}", clip(report.text, REPORT)))
        if report
        else [],
        "standards": parts(
            "task", *((f"standards {f.path}", clip(f.text, STANDARDS)) for f in brief.standards)
        ),
        "review": parts("task", ("review", clip(brief.review, ENTRY))),
        "doubt": parts("task", ("last diagnosis", clip(brief.doubt, ENTRY))),
        "complaint": parts("task", ("complaint", clip(brief.complaint, OUTPUT))),
        **{
            str(name): parts(
                "task", *((a.label, clip(a.text, REPORT)) for a in brief.asked if a.section is name)
            )
            for name in BriefSection
        },
    }


def file_label(file: FileExcerpt) -> str:
    """Say what of a file is shown."""
    match file.form:
        case Form.FULL:
            return f"file {file.path} from line {file.first_line}"
        case Form.SKELETON:
            return f"skeleton of {file.path}, bodies left out"
        case _:
            return f"parts of {file.path}"


def _situation(brief: Brief) -> str:
    cause = brief.cause
    rows = (
        ("goal", brief.goal),
        ("topic", brief.topic),
        ("test command", brief.command_line),
        ("folder you are in", brief.folder and PATHS.format(folder=brief.folder)),
        ("specialty", brief.specialty),
        ("kind of failure", brief.category.value if brief.category else ""),
        ("cause", f"{cause.cause_class} {cause.subclass}: {cause.evidence}" if cause else ""),
        ("flaky tests, to be left alone", ", ".join(brief.flaky)),
    )
    return "\n".join(f"{name}: {clip(value, ENTRY)}" for name, value in rows if value)


def _result(result: TestResult) -> str:
    lines = [f"outcome: {result.outcome.value} in {result.phase.value}"]
    crash = result.crash
    if crash is not None:
        lines += [f"exception: {crash.type}: {clip(crash.message, DETAILS)}"]
        lines += [clip(reason, DETAILS) for reason in failures.reasons(crash)]
        lines += [*_asserted(crash), "frames:"]
        lines += [_frame(frame) for frame in crash.frames[-12:]]
        if crash.details:
            lines += ["details:", clip(crash.details, DETAILS)]
    return "\n".join(lines)


def _asserted(crash: Crash) -> list[str]:
    """Return what a failed assertion wanted, what came out, and where the two part."""
    told = failures.expectation(crash)
    if told is None:
        return []
    relation = "" if told.relation == "==" else f"{told.relation} "
    rows = (
        ("expected", f"{relation}{told.expected}"),
        ("came out", told.actual + (f", of {told.call}" if told.call else "")),
        ("they part", told.parting),
    )
    return [f"{name}: {clip(value, DETAILS)}" for name, value in rows if value]


def _frame(frame: Frame) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in frame.values.items())
    code = f": {frame.code.strip()}" if frame.code.strip() else ""
    return f"  {frame.path}:{frame.line} in {frame.function}{code}" + (
        f"\n    with {clip(values, OUTPUT)}" if values else ""
    )


def _suspects(brief: Brief) -> str:
    return "\n".join(
        f"{first.path}:{_lines(first, last)} ({first.score:.2f}): {'; '.join(first.reasons)}"
        for first, last in itertools.islice(_spans(brief.suspects), MOST_SUSPECTS)
    )


def _spans(suspects: Iterable[Suspect]) -> Iterator[tuple[Suspect, Suspect]]:
    """Yield the first and last of lines that follow each other and are suspected alike."""
    first: Suspect | None = None
    last: Suspect | None = None
    for one in suspects:
        if last and last.line and replace(last, line=last.line + 1) == one:
            last = one
            continue
        if first and last:
            yield first, last
        first = last = one
    if first and last:
        yield first, last


def _lines(first: Suspect, last: Suspect) -> str:
    named = f" in {first.function}" if first.function else ""
    return f"{first.line or '?'}{f'-{last.line}' if last != first else ''}{named}"


def _pattern(match: Match) -> str:
    rows = (
        ("what failed", match.title),
        ("words in common", ", ".join(match.shared)),
        ("cause then", match.cause),
        ("fix then", match.fix),
        ("guard", match.guard),
    )
    return clip("\n".join(f"{name}: {value}" for name, value in rows if value), ENTRY)


def _history(brief: Brief) -> Iterator[tuple[str, str]]:
    """Yield the attempts, and between them what a person changed, in their order."""
    by_hand = list(brief.by_hand)
    for entry in brief.history:
        while by_hand and by_hand[0].after < entry.number:
            yield _handwork(by_hand.pop(0))
        yield f"attempt {entry.number}", _attempt(entry)
    yield from map(_handwork, by_hand)


def _handwork(made: HandworkView) -> tuple[str, str]:
    lines = [
        f"a person changed {', '.join(made.files)} by hand",
        *([f"red since then: {'; '.join(made.fresh)}"] if made.fresh else []),
        *([f"green since then: {'; '.join(made.green)}"] if made.green else []),
        f"what was changed:\n{made.diff.rstrip()}",
    ]
    return f"by hand, after attempt {made.after}", clip("\n".join(lines), ENTRY)


def _standing(entry: IterationView) -> str:
    if entry.taken_back and entry.result == Result.PASSING:
        return " (proven, and taken back by a person since: the code is without it)"
    if entry.taken_back:
        return " (with progress, and taken back since: the code is without it)"
    return " (with progress)" if entry.progress else ""


def _attempt(entry: IterationView) -> str:
    lines = [
        f"report: {entry.report_path or 'none'}",
        f"root cause: {entry.root_cause or 'not found'}",
        *_deed(entry),
        *([f"made on: {entry.code}"] if entry.code else []),
        f"result: {entry.result}{_standing(entry)}",
        f"errors left: {'; '.join(entry.new_errors) or 'none'}",
        *([f"new of them: {'; '.join(entry.fresh)}"] if entry.fresh else []),
        *([f"note: {entry.note}"] if entry.note else []),
    ]
    return clip("\n".join(lines), ENTRY)


def _deed(entry: IterationView) -> Iterator[str]:
    """Yield what was proposed, what became of it, and what was done instead."""
    edits = [
        f"  {_left_out(entry, e)}{_place(e)}: {e.current!r} -> {e.should_be!r}" for e in entry.edits
    ]
    if entry.made and not entry.carried_out:
        whole = set(entry.edits) == set(entry.made)
        done = "carried out and more, so untried by itself" if whole else "carried out in part"
        yield f"{done}: {entry.proposed}"
        yield from edits
    elif entry.carried_out:
        yield f"fix attempted: {entry.fix_attempted or 'none'}"
        yield from edits
    elif entry.proposed:
        yield f"proposed, not carried out: {entry.proposed}"
        yield from edits
    else:
        yield f"fix attempted: {entry.fix_attempted or 'none'}"
    if entry.diff:
        if not entry.carried_out and not entry.made:
            yield f"done instead: {entry.fix_attempted}"
        yield f"what was changed:\n{entry.diff.rstrip()}"


def _left_out(entry: IterationView, edit: Edit) -> str:
    """Tell an edit that is still untried from those beside it that were made."""
    if not entry.made or set(entry.edits) == set(entry.made):
        return ""
    return "made: " if edit in entry.made else "left out, still untried: "


def _helpful(brief: Brief) -> Iterator[IterationView]:
    """Yield what is to be kept: nothing that was never held against what a proof refuses."""
    return (entry for entry in brief.history if entry.progress and brief.looked_at)


def _kept(entry: IterationView) -> str:
    left = "".join(f"\n  - {error}" for error in entry.new_errors) or " none"
    return f"attempt {entry.number}: {entry.fix_attempted}\n  errors left after it:{left}"


def _place(edit: Edit) -> str:
    return f"{edit.path}:{edit.line or '?'}"


def _change(edit: Edit) -> str:
    """Return an edit whole: nothing of it may be guessed."""
    if not edit.current:
        return f"a new file with this text:\n{edit.should_be}"
    if not edit.should_be:
        return f"remove this text:\n{edit.current}"
    return f"replace this text:\n{edit.current}\nby this text:\n{edit.should_be}"
