"""Jest and Vitest: both write the same JSON, and take the same words where it matters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec

from clew.runners.dialects import stacks
from clew.runners.dialects.node import environment, unloaded
from clew.runners.dialects.protocol import (
    CommandOutput,
    DialectRequest,
    DialectResult,
    InstrumentedCommand,
    RunLocation,
    capped,
    distinct,
)
from clew.runners.records import whole
from clew.words.facts import CaseOutcome, Crash, TestResult
from clew.words.printable import printable

__all__ = ["JEST", "VITEST"]

REPORT = "report.json"
OUTCOMES = {
    "passed": CaseOutcome.PASSED,
    "failed": CaseOutcome.FAILED,
}
KIND = re.compile(r"(?P<type>[\w.]*(?:Error|Exception)): (?P<rest>.*)", re.DOTALL)
STACK = re.compile(r"\n\s+at ")
EXPECTATION = re.compile(r"expect\(|expected ")
ENDS = re.compile(r"\n\s*(?:FAIL  |⎯⎯)")
HUNG = re.compile(r"Exceeded timeout of|[Tt]est timed out in|^STACK_TRACE_ERROR$")

Text = Annotated[str, msgspec.Meta(max_length=1_000_000)]


class Assertion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    ancestor_titles: list[Text] = []
    title: Text
    status: str
    duration: float | None = None
    failure_messages: list[Text] = []


class JestFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: Text
    status: str = ""
    message: Text = ""
    assertion_results: list[Assertion] = []


class JestReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    test_results: list[JestFile]


class Reporting:
    """Ids are `path/of/file::suite > test`."""

    about = "each test, with its error and stack; a file that does not load"

    def __init__(self, *options: str) -> None:
        """Take the words that make the runner run everything, once, and write JSON into {}."""
        self.options = options

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Append what makes it speak; wanted tests are named by file and full name."""
        meant, wanted = question.meant, question.request.only
        report = str(question.out / REPORT)
        words = [*question.request.extra, *(word.format(report) for word in self.options)]
        if wanted and all("::" in name for name in wanted):
            titles = sorted({_title(name) for name in wanted})
            words.append(f"--testNamePattern=^({'|'.join(map(_escaped, titles))})$")
        # npm keeps what stands before a lone `--` for itself; others would hand that on as well.
        divider = ["--"] if meant.script and meant.program.rpartition("/")[2] == "npm" else []
        if "--" in meant.arguments:
            divider = []
        return InstrumentedCommand(
            arguments=(*meant.arguments, *divider, *words), environment=environment()
        )

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Read the report it wrote, if it came so far."""
        del question
        try:
            report = msgspec.json.decode(whole(ground.out / REPORT), type=JestReport)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return DialectResult()
        results: list[TestResult] = []
        blamed: set[str] = set()
        for file in report.test_results:
            name = ground.locate(file.name) or file.name
            if file.status == "failed" and not file.assertion_results:
                said = f"{printable(file.message)}\n{_block(name, spoken.output)}"
                result, at_fault = unloaded(name, said, ground)
                results.append(result)
                blamed |= {name} if at_fault else set()
            results += _results(name, file, ground)
        return DialectResult(results=distinct(results), blamed=frozenset(blamed))


def _results(name: str, file: JestFile, ground: RunLocation) -> Iterator[TestResult]:
    for each in file.assertion_results:
        outcome = OUTCOMES.get(each.status, CaseOutcome.SKIPPED)
        said = printable("\n\n".join(each.failure_messages))
        yield TestResult(
            id=f"{name}::{' > '.join(filter(None, (*each.ancestor_titles, each.title)))}",
            outcome=outcome,
            seconds=max(each.duration or 0.0, 0.0) / 1000,
            crash=_crash(said, ground) if outcome.red else None,
            output=capped(said),
        )


def _crash(said: str, ground: RunLocation) -> Crash:
    words = STACK.split(said, maxsplit=1)[0].strip()
    found = KIND.match(words)
    kind, message = (found["type"], found["rest"]) if found else ("Error", words)
    if EXPECTATION.match(message):
        kind = "AssertionError"
    if HUNG.search(message):
        kind = "Timeout"
    frames = stacks.javascript(said, ground)
    return Crash(type=kind, message=message, frames=frames, details=capped(said))


def _title(name: str) -> str:
    """Return the name by which the runner filters: suites and title, joined by blanks."""
    return re.sub(r" \(\d+\)$", "", name.partition("::")[2]).replace(" > ", " ")


def _escaped(text: str) -> str:
    return re.sub(r"[.*+?^${}()|\[\]\\/]", r"\\\g<0>", text)


def _block(name: str, output: str) -> str:
    """Return what was printed of a file that did not load: Vitest writes less into its report."""
    _, found, rest = printable(output).partition(f" FAIL  {name} ")
    return ENDS.split(rest, maxsplit=1)[0] if found else ""


JEST = Reporting("--json", "--ci", "--coverage=false", "--outputFile={}")
VITEST = Reporting(
    "--run",
    "--coverage.enabled=false",
    *("--reporter=default", "--reporter=json", "--outputFile.json={}"),
)
