"""One prompt a role."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from clew.context import (
    ANALYSIS,
    SHARES,
    Form,
    Part,
    Spent,
    TokenCounter,
    account_lines,
    fit_parts,
    truncated,
)
from clew.context import counter as counter_named
from clew.documents.knowledge import Match
from clew.documents.templating import Safe, fill
from clew.documents.views import IterationView
from clew.facts import Frame, TestResult
from clew.prompts.brief import Brief, FileExcerpt
from clew.prompts.wrapping import clip, nonce_of, wrap_data

__all__ = ["FRAME", "diagnose_prompt", "fix_prompt", "spent_on"]

MOST_TESTS = 8
MOST_SUSPECTS = 15
DETAILS = 3_000
OUTPUT = 2_000
REPORT = 24_000
GUIDANCE = 8_000
ENTRY = 4_000
FRAME = 64  # tokens of the two lines around a text, at most

Wrap = Callable[[str, str], Safe]


def diagnose_prompt(brief: Brief) -> str:
    """Return the prompt that asks for a diagnosis, as JSON; earlier attempts are all told."""
    return _filled("diagnose", brief)


def fix_prompt(brief: Brief) -> str:
    """Return the prompt that asks to carry out the report's recommendation and run no tests."""
    return _filled("fix", brief)


def spent_on(brief: Brief, counter: TokenCounter, budget: int) -> tuple[Spent, ...]:
    """Return what each section of the longer prompt takes, and the room that is left for code."""
    return _fitted("fix" if brief.report else "diagnose", brief, counter, budget)[1]


def _filled(role: str, brief: Brief) -> str:
    nonce = nonce_of(brief)
    wrap: Wrap = partial(_wrapped, nonce)
    texts, _ = _fitted(role, brief, counter_named(brief.counter), brief.share or brief.budget)
    kept = iter(texts)
    shown = {
        name: [wrap(part.label, text) for part in parts if (text := next(kept))]
        for name, parts in _parts(brief).items()
    }
    return fill(
        "clew.prompts",
        role,
        brief=brief,
        nonce=nonce,
        more_tests=max(0, len(brief.failing) - MOST_TESTS),
        files=[wrap(_file_label(f), f.text) for f in brief.files],
        analysis=_analysis(brief, wrap),
        **{n: found if n in LISTS else Safe("".join(found)) for n, found in shown.items()},
    )


def _fitted(
    role: str, brief: Brief, counter: TokenCounter, budget: int
) -> tuple[tuple[str, ...], tuple[Spent, ...]]:
    parts = [part for group in _parts(brief).values() for part in group]
    return fit_parts(parts, budget, counter, fixed=_instructions(role, counter.name), frame=FRAME)


@cache
def _instructions(role: str, counter: str) -> int:
    """Count what a prompt says that has nothing to tell."""
    nonce = "0" * 16
    nothing: dict[str, object] = {name: [] for name in _parts(Brief(iteration=0))}
    return counter_named(counter).count(
        fill(
            "clew.prompts",
            role,
            **nothing,
            brief=Brief(iteration=0),
            nonce=nonce,
            files=[],
            analysis="",
        )
    )


LISTS = frozenset({"tests", "history", "guidance", "known"})


def _parts(brief: Brief) -> dict[str, list[Part]]:
    """Return the texts of every section, by the name that the template has for them."""
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
        "doubt": parts("task", ("last diagnosis", clip(brief.doubt, ENTRY))),
        "complaint": parts("task", ("complaint", clip(brief.complaint, OUTPUT))),
    }


def _analysis(brief: Brief, wrap: Wrap) -> str:
    """Return the account of what is shown, within its share of the budget."""
    if brief.account is None or brief.account.plain:
        return ""
    text = "\n".join(account_lines(brief.account))
    room = int((brief.share or brief.budget) * SHARES[ANALYSIS])
    counter = counter_named(brief.counter)
    short = truncated(text, "context budget", max(0, room - FRAME), counter)
    return wrap("context budget", short) if short else ""


def _wrapped(nonce: str, label: str, text: str) -> Safe:
    """Wrap a text; what a template is given otherwise comes out on one line, as an item of ours."""
    return Safe(wrap_data(label, text, nonce))


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


def _pattern(match: Match) -> str:
    rows = (
        ("what failed", match.title),
        ("words in common", ", ".join(match.shared)),
        ("cause then", match.cause),
        ("fix then", match.fix),
        ("guard", match.guard),
    )
    return clip("\n".join(f"{name}: {value}" for name, value in rows if value), ENTRY)


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
    match file.form:
        case Form.FULL:
            return f"file {file.path} from line {file.first_line}"
        case Form.SKELETON:
            return f"skeleton of {file.path}, bodies left out"
        case _:
            return f"parts of {file.path}"
