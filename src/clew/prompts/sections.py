"""The texts of a prompt's sections: facts in words, each to be wrapped as data."""

from __future__ import annotations

from clew.context import Form, Part
from clew.documents.knowledge import Match
from clew.documents.views import IterationView
from clew.facts import Frame, TestResult
from clew.prompts.brief import Brief, FileExcerpt
from clew.prompts.wrapping import clip

__all__ = ["LISTS", "MOST_TESTS", "file_label", "parts_of"]

MOST_TESTS = 8
MOST_SUSPECTS = 15
DETAILS = 3_000
OUTPUT = 2_000
REPORT = 24_000
GUIDANCE = 8_000
ENTRY = 4_000

LISTS = frozenset({"tests", "history", "guidance", "known"})


def parts_of(brief: Brief) -> dict[str, list[Part]]:
    """Return the texts of every section, by the name that templates have for them."""
    report = brief.report

    def parts(section: str, *found: tuple[str, str]) -> list[Part]:
        return [Part(section=section, label=label, text=text) for label, text in found if text]

    return {
        "situation": parts("task", ("situation", _situation(brief))),
        "tests": parts(
            "output", *((f"test {r.id}", _result(r)) for r in brief.failing[:MOST_TESTS])
        ),
        "errors": parts("output", ("errors", "\n".join(brief.errors))),
        "suspects": parts("task", ("suspects", _suspects(brief))),
        "history": parts("task", *((f"attempt {e.number}", _attempt(e)) for e in brief.history)),
        "dead": parts("task", ("refuted hypotheses", "\n".join(f"- {h}" for h in brief.dead))),
        "guidance": parts("task", *(("guidance", clip(text, GUIDANCE)) for text in brief.guidance)),
        "diff": parts("diff", ("diff", brief.diff)),
        "known": parts("task", *((f"pattern {m.slug}", _pattern(m)) for m in brief.known)),
        "before": parts("task", ("history", clip("\n".join(brief.before), ENTRY))),
        "report": parts("task", (f"report {report.path}", clip(report.text, REPORT)))
        if report
        else [],
        "review": parts("task", ("review", clip(brief.review, ENTRY))),
        "doubt": parts("task", ("last diagnosis", clip(brief.doubt, ENTRY))),
        "complaint": parts("task", ("complaint", clip(brief.complaint, OUTPUT))),
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
        lines += [f"exception: {crash.type}: {clip(crash.message, DETAILS)}", "frames:"]
        lines += [_frame(frame) for frame in crash.frames[-12:]]
        if crash.details:
            lines += ["details:", clip(crash.details, DETAILS)]
    if result.output:
        lines += ["captured output:", clip(result.output, OUTPUT)]
    return "\n".join(lines)


def _frame(frame: Frame) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in frame.values.items())
    code = f": {frame.code.strip()}" if frame.code.strip() else ""
    return f"  {frame.path}:{frame.line} in {frame.function}{code}" + (
        f"\n    with {clip(values, OUTPUT)}" if values else ""
    )


def _suspects(brief: Brief) -> str:
    return "\n".join(
        f"{s.path}:{s.line or '?'} ({s.score:.2f}): {'; '.join(s.reasons)}"
        for s in brief.suspects[:MOST_SUSPECTS]
    )


def _pattern(match: Match) -> str:
    rows = (
        ("what failed", match.title),
        ("words in common", ", ".join(match.shared)),
        ("cause then", match.cause),
        ("fix then", match.fix),
        ("guard", match.guard),
    )
    return clip("\n".join(f"{name}: {value}" for name, value in rows if value), ENTRY)


def _standing(entry: IterationView) -> str:
    if entry.taken_back:
        return " (with progress, and taken back since: the code is without it)"
    return " (with progress)" if entry.progress else ""


def _attempt(entry: IterationView) -> str:
    edits = [f"  {e.path}:{e.line or '?'}: {e.current!r} -> {e.should_be!r}" for e in entry.edits]
    lines = [
        f"report: {entry.report_path or 'none'}",
        f"root cause: {entry.root_cause or 'not found'}",
        f"fix attempted: {entry.fix_attempted or 'none'}",
        *edits,
        f"result: {entry.result}{_standing(entry)}",
        f"new errors: {'; '.join(entry.new_errors) or 'none'}",
        *([f"note: {entry.note}"] if entry.note else []),
    ]
    return clip("\n".join(lines), ENTRY)
