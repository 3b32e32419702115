"""Acceptance criteria: what each asks for, and whether it is met. Pure.

What cannot be told from a test, a file or a linter is left to a person, and never passes by itself.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from clew.analysis.plans.ownership import covers, normalised
from clew.words.facts import CaseOutcome, Runner, TestRun
from clew.words.gates import GateKind, GateResult, GateStatus
from clew.words.plans import Criterion, VerifyBy
from clew.words.printable import shortened
from clew.words.test_ids import parted

__all__ = ["CriterionFacts", "command_of", "decided_by_hand", "judged", "names_in"]

TICKED = re.compile(r"`([^`\n]+)`")
# A path or the id of a test: with a slash, with `::`, or a name that ends as files do.
PLACE = re.compile(
    r"(?<![\w/.-])[\w.*@-]*(?:(?:/|::)[\w.*@\[\]-]+)+|\b[\w-]+\.[a-z]{1,5}\b(?![./])"
)
PERSON = "a person decides"

Said = tuple[GateStatus, str]


def names_in(criterion: Criterion) -> tuple[str, ...]:
    """Return what a criterion is about: its target, else what its text quotes or names."""
    if criterion.target.strip():
        return (criterion.target.strip(),)
    ticked = TICKED.findall(criterion.criterion)
    return tuple(ticked or PLACE.findall(criterion.criterion))


def command_of(criterion: Criterion) -> str:
    """Return the command line that a criterion wants to succeed, where it is one."""
    if criterion.verify_by not in (VerifyBy.TEST, VerifyBy.LINT, VerifyBy.SCHEMA_CHECK):
        return ""
    return next((name for name in names_in(criterion) if len(name.split()) > 1), "")


class CriterionFacts(NamedTuple):
    """What criteria are judged by."""

    results: Sequence[GateResult]  # of the gates before
    tests: TestRun | None  # the run of them all
    files: Collection[str]  # of the commit
    read: Callable[[str], str | None]  # one of them


def judged(criterion: Criterion, name: str, known: CriterionFacts) -> GateResult:
    """Say whether a criterion that is no command is met."""
    status, why = _said(criterion, known)
    return GateResult(
        name=name,
        kind=GateKind.CRITERIA,
        status=status,
        summary=f"{shortened(criterion.criterion)}: {why}",
        awaits_person=why.startswith(PERSON),
    )


def decided_by_hand(result: GateResult) -> str:
    """Return a criterion that a person decides, and why where it could have been told otherwise."""
    return result.summary.removesuffix(f": {PERSON}")


def _said(criterion: Criterion, known: CriterionFacts) -> Said:
    names = names_in(criterion)
    match criterion.verify_by:
        case VerifyBy.TEST:
            return _by_tests(names, known.results, known.tests)
        case VerifyBy.FILE_EXISTS:
            return _by_files(names, known.files)
        case VerifyBy.LINT:
            return _by_gates(GateKind.LINT, known.results)
        case VerifyBy.SCHEMA_CHECK:
            return _by_schema(names, known.read)
        case VerifyBy.MANUAL:
            return GateStatus.DID_NOT_RUN, PERSON


def _by_tests(names: Sequence[str], results: Sequence[GateResult], tests: TestRun | None) -> Said:
    if not names:
        return _by_gates(GateKind.TESTS, results)
    if tests is None or not tests.results:
        return GateStatus.DID_NOT_RUN, "the tests did not run"
    said = [_of_test(name, tests) for name in names]
    order = (GateStatus.FAIL, GateStatus.DID_NOT_RUN, GateStatus.PASS)
    return min(said, key=lambda each: order.index(each[0]))


def _of_test(name: str, tests: TestRun) -> Said:
    """Say how the tests ended that an id, a file or a folder names, or the last part of an id."""
    plain = name.removeprefix("./").rstrip("/")
    chosen = [each for each in tests.results if _names(plain, each.id)]
    if not chosen and tests.command.runner is Runner.COMMAND:
        return GateStatus.DID_NOT_RUN, f"{PERSON}: the test command does not name its tests"
    if not chosen:
        return GateStatus.FAIL, f"no test {name} ran"
    red = [each.id for each in chosen if each.outcome.red]
    if red:
        return GateStatus.FAIL, f"{red[0]} fails"
    passed = [each for each in chosen if each.outcome is CaseOutcome.PASSED]
    if not passed:
        return GateStatus.FAIL, f"{name} was skipped"
    return GateStatus.PASS, f"{name} passes"


def _names(name: str, test: str) -> bool:
    if test == name or test.startswith((f"{name}::", f"{name}[", f"{name}/")):
        return True
    last = parted(test)[1].rpartition(".")[2] if "::" in test else test
    return "::" not in name and "/" not in name and name == last


def _by_files(names: Sequence[str], files: Collection[str]) -> Said:
    wanted = [path for name in names if (path := normalised(name))]
    if not wanted:
        return GateStatus.DID_NOT_RUN, f"{PERSON}: it names no file"
    missing = [path for path in wanted if not any(covers(path, each) for each in files)]
    if missing:
        return GateStatus.FAIL, f"{missing[0]} is not there"
    return GateStatus.PASS, f"{', '.join(wanted)} there"


def _by_gates(kind: GateKind, results: Sequence[GateResult]) -> Said:
    """Take over what gates of a kind say together, the worst of it."""
    said = {each.name: each.status for each in results if each.kind is kind}
    for status in (GateStatus.FAIL, GateStatus.DID_NOT_RUN, GateStatus.WARN, GateStatus.PASS):
        if names := [name for name, each in said.items() if each is status]:
            return status, f"by the gate {', '.join(names)}"
    return GateStatus.DID_NOT_RUN, f"{PERSON}: the project has no gate of that kind ({kind})"


def _by_schema(names: Sequence[str], read: Callable[[str], str | None]) -> Said:
    """Check that a file can be parsed, and that it has what is named after it, as `file:name`."""
    if not names:
        return GateStatus.DID_NOT_RUN, f"{PERSON}: it names no file"
    for target in names:
        name, _, part = target.partition(":")
        path = normalised(name)
        text = read(path) if path else None
        if text is None:
            return GateStatus.FAIL, f"{name} is not there"
        if why := _unparsed(path, text):
            return GateStatus.FAIL, f"{name} cannot be parsed: {why}"
        if part and not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text):
            return GateStatus.FAIL, f"{name} has no {part}"
    return GateStatus.PASS, f"{', '.join(names)} can be read"


def _unparsed(path: str, text: str) -> str:
    """Say why a file of a known form is none; nothing for any other file."""
    try:
        match PurePosixPath(path).suffix:
            case ".json":
                json.loads(text)
            case ".toml":
                import tomllib  # noqa: PLC0415 - seldom needed

                tomllib.loads(text)
            case ".yaml" | ".yml":
                from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import
                from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - as above

                try:
                    list(YAML(typ="safe", pure=True).load_all(text))
                except YAMLError as error:
                    return shortened(str(error))
            case ".py":
                ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return shortened(str(error))
    return ""
