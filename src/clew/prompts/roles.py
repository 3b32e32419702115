"""One prompt a role."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from clew.documents.templating import fill
from clew.documents.views import IterationView
from clew.facts import Frame, TestResult
from clew.prompts.brief import Brief, FileExcerpt
from clew.prompts.wrapping import clip, nonce_of, wrap_data

__all__ = ["diagnose_prompt", "fix_prompt"]

MOST_TESTS = 8
MOST_SUSPECTS = 15
DETAILS = 3_000
OUTPUT = 2_000
FILE = 16_000
REPORT = 24_000
GUIDANCE = 8_000
ENTRY = 4_000

Wrap = Callable[[str, str], str]


def diagnose_prompt(brief: Brief) -> str:
    """Return the prompt that asks for a diagnosis, as JSON; earlier attempts are all told."""
    return _filled("diagnose", brief)


def fix_prompt(brief: Brief) -> str:
    """Return the prompt that asks to carry out the report's recommendation and run no tests."""
    return _filled("fix", brief)


def _filled(role: str, brief: Brief) -> str:
    nonce = nonce_of(brief)
    wrap: Wrap = partial(_wrapped, nonce)
    return fill(
        "clew.prompts",
        role,
        brief=brief,
        nonce=nonce,
        wrap=wrap,
        clip=clip,
        situation=wrap("situation", _situation(brief)),
        tests=[wrap(f"test {r.id}", _result(r)) for r in brief.failing[:MOST_TESTS]],
        more_tests=max(0, len(brief.failing) - MOST_TESTS),
        errors=wrap("errors", "\n".join(brief.errors)) if brief.errors else "",
        suspects=wrap("suspects", _suspects(brief)) if brief.suspects else "",
        history=[wrap(f"attempt {e.number}", _attempt(e)) for e in brief.history],
        dead=wrap("refuted hypotheses", "\n".join(f"- {h}" for h in brief.dead)),
        guidance=[wrap("guidance", clip(text, GUIDANCE)) for text in brief.guidance],
        files=[wrap(_file_label(f), _file(f)) for f in brief.files],
        report=wrap(f"report {brief.report.path}", clip(brief.report.text, REPORT))
        if brief.report
        else "",
        doubt=wrap("last diagnosis", clip(brief.doubt, ENTRY)) if brief.doubt else "",
        complaint=wrap("complaint", clip(brief.complaint, OUTPUT)) if brief.complaint else "",
    )


def _wrapped(nonce: str, label: str, text: str) -> str:
    return wrap_data(label, text, nonce)


def _situation(brief: Brief) -> str:
    cause = brief.cause
    rows = (
        ("goal", brief.goal),
        ("topic", brief.topic),
        ("test command", brief.command_line),
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


def _attempt(entry: IterationView) -> str:
    edits = [f"  {e.path}:{e.line or '?'}: {e.current!r} -> {e.should_be!r}" for e in entry.edits]
    lines = [
        f"report: {entry.report_path or 'none'}",
        f"root cause: {entry.root_cause or 'not found'}",
        f"fix attempted: {entry.fix_attempted or 'none'}",
        *edits,
        f"result: {entry.result}{' (with progress)' if entry.progress else ''}",
        f"new errors: {'; '.join(entry.new_errors) or 'none'}",
        *([f"note: {entry.note}"] if entry.note else []),
    ]
    return clip("\n".join(lines), ENTRY)


def _file_label(file: FileExcerpt) -> str:
    return f"file {file.path} from line {file.first_line}"


def _file(file: FileExcerpt) -> str:
    return clip(file.text, FILE)
