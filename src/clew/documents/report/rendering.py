"""Reports rendered from a diagnosis, their names, and the end of their story."""

from __future__ import annotations

import posixpath
from collections import Counter
from datetime import datetime
from urllib.parse import quote

from clew.documents.markdown import item
from clew.documents.report.reading import NO_SECOND
from clew.documents.templating import fill, moment
from clew.documents.views import ReportMeta
from clew.words.facts import CaseOutcome, Category, Diagnosis, Phase, TestResult, TestRun
from clew.words.slugs import slug

__all__ = ["close", "file_name", "folder", "render", "severity", "what_failed"]

LONGEST_NAME = 40
ASSERTED = ("AssertionError", "DocTestFailure", "Failed")
WEAK = " before the proof; the proof found it weakly tested"
NO_WORD = ("", "test")


def render(diagnosis: Diagnosis, meta: ReportMeta) -> str:
    """Return the report. Whatever agents and tests said stays within its own place in it."""
    known = 1 <= diagnosis.recommended <= len(diagnosis.options)
    recommended = diagnosis.options[diagnosis.recommended - 1] if known else None
    here = f"debug/{meta.topic}"
    return fill(
        "clew.documents",
        "report",
        diagnosis=diagnosis,
        meta=meta,
        number=f"{meta.number:03}",
        recommended=recommended,
        location=f"{diagnosis.path}:{diagnosis.line}" if diagnosis.line else diagnosis.path,
        language="python" if diagnosis.path.endswith((".py", ".pyi")) else "text",
        summary=_summary(diagnosis, meta),
        environment=meta.environment,
        factors=_factors(diagnosis, meta),
        no_second=NO_SECOND,
        links={path: quote(posixpath.relpath(path, here)) for path in meta.related},
    )


def folder(topic: str) -> str:
    """Return the folder of a topic's reports."""
    return f"debug/{topic}"


def file_name(number: int, title: str) -> str:
    """Return `NNN_name.md`, the name in lower_snake, cut at a word's end."""
    return f"{number:03}_{slug(title, '_', LONGEST_NAME) or 'diagnosis'}.md"


def severity(run: TestRun) -> str:
    """Return how much of the suite is lost: Critical, High, Medium or Low."""
    red = len(run.red)
    if not run.passed:
        return "Critical"
    if any(r.phase is Phase.COLLECT and r.outcome is CaseOutcome.ERROR for r in run.red):
        return "High"
    if red * 4 >= len(run.results):
        return "High"
    return "Medium" if red > 1 else "Low"


def what_failed(run: TestRun) -> str:
    """Say how the red tests of a run ended, and how many so: `an assertion in 2 tests`."""
    ends = Counter(map(_end, run.red))
    known = [
        f"{what} {count} {noun if count == 1 else f'{noun}s'}"
        for (what, noun), count in ends.items()
        if what
    ]
    if silent := ends[NO_WORD]:
        known.append(f"{silent} {'test that does' if silent == 1 else 'tests that do'} not say why")
    return " and ".join(filter(None, (", ".join(known[:-1]), *known[-1:])))


def _end(result: TestResult) -> tuple[str, str]:
    if result.phase is Phase.COLLECT:
        return "the loading of", "file"
    if result.crash is None:
        return NO_WORD
    if result.hung:
        return "the time limit in", "test"
    asserted = result.crash.type.endswith(ASSERTED)
    return "an assertion in" if asserted else "an exception in", "test"


def close(
    text: str,
    *,
    path: str,
    status: str,
    resolution: str,
    at: datetime | None,
    summary: str = "",
    weakly_tested: bool = False,
) -> str:
    """Return the report at `path` with its status brought up to date; all else stays as it is.

    Without an instant it is not resolved yet.
    `summary`, the path of the workflow summary, is linked under the related issues. High confidence
    is told as what it was, where the proof found the fix `weakly_tested`.
    """
    for label, value in (
        ("Status", status),
        ("Resolution", item(resolution)),
        ("Date resolved", moment(at) if at else "–"),  # noqa: RUF001 -- as in the template
    ):
        before, found, after = text.partition(f"\n- **{label}**: ")
        if found:
            rest = after.partition("\n")[2]
            text = f"{before}{found}{value}\n{rest}"
    if weakly_tested:
        head, recommended, tail = text.rpartition("\n## Recommendation\n")
        before, sure, after = tail.partition("\nConfidence: high")
        if sure and not after.startswith(WEAK):
            text = f"{head}{recommended}{before}{sure}{WEAK}{after}"
    link = ""
    if summary:
        link = f"[workflow summary]({quote(posixpath.relpath(summary, posixpath.dirname(path)))})"
    heading = "\n## Related Issues\n"
    if link and heading in text and link not in text:
        head, _, tail = text.rpartition(heading)
        rest = tail.strip("\n")
        kept = f"\n{rest}" if rest and rest != "- none" else ""
        text = f"{head}{heading}\n- {link}{kept}\n"
    return text


def _summary(diagnosis: Diagnosis, meta: ReportMeta) -> str:
    parts = []
    if meta.red is not None and meta.total:
        verb = "fails" if meta.red == 1 else "fail"
        parts.append(f"{meta.red} of {meta.total} tests {verb}.")
    parts.append(diagnosis.root_cause.strip().split("\n\n")[0])
    if 1 <= diagnosis.recommended <= len(diagnosis.options):
        title = diagnosis.options[diagnosis.recommended - 1].title
        parts.append(f"\n\nRecommended: option {diagnosis.recommended}, {title}.")
    return " ".join(parts).replace(" \n\n", "\n\n")


def _factors(diagnosis: Diagnosis, meta: ReportMeta) -> list[str]:
    kind = diagnosis.category.value.replace("_", " ")
    plain = diagnosis.category is Category.TEST_FAILURE and meta.failed
    told = ", ".join(filter(None, ("" if plain else kind, meta.failed)))
    return [f"What failed: {told}", *([f"Cause: {meta.cause}"] if meta.cause else [])]
