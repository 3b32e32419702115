"""Whether work changes what it is measured by: the gates, their settings, their scripts. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from clew.analysis.plans.ownership import covers, normalised
from clew.analysis.tampering import plugins_named
from clew.analysis.testfiles import is_test_config
from clew.gates.phrases import counted, some
from clew.runners.recipes import MAKEFILES
from clew.words.gates import GateCommand, GateFinding, GateKind, GateResult, GateStatus

__all__ = ["judged", "loaded_plugins", "nested_settings", "redefined", "rewritten_scripts"]

MAKERS = frozenset({"gmake", "make"})
INTERPRETERS = ("bash", "node", "perl", "python", "ruby", "sh")


def judged(findings: Sequence[GateFinding], declared: Collection[str] | None) -> GateResult:
    """Fail for a change that is not declared; warn of one that is.

    `declared` is None where no declaration is asked for.
    """
    kind = GateKind.CONFIGURATION
    if not findings:
        said = "the gates are as they were"
        return GateResult(name=kind.value, kind=kind, status=GateStatus.PASS, summary=said)
    silent = declared is not None and any(
        not any(covers(each, finding.path) for each in declared) for finding in findings
    )
    files = some(list(dict.fromkeys(finding.path for finding in findings)))
    return GateResult(
        name=kind.value,
        kind=kind,
        status=GateStatus.FAIL if silent else GateStatus.WARN,
        summary=f"the work changes what it is measured by in {files}:"
        f" {counted(len(findings), 'change')}",
        findings=tuple(findings),
    )


def redefined(before: Iterable[GateCommand], after: Iterable[GateCommand]) -> Iterator[GateFinding]:
    """Yield the gates that are no longer what they were; a new one changes none."""
    now = {gate.name: gate.definition for gate in after}
    for gate in before:
        if now.get(gate.name) != gate.definition:
            how = "changed" if gate.name in now else "taken away"
            yield GateFinding(path=_source(gate), text=f"the gate {gate.name} was {how}")


def nested_settings(
    used: Iterable[GateCommand], before: Iterable[GateCommand], after: Iterable[GateCommand]
) -> Iterator[GateFinding]:
    """Yield settings of a tool that is in use that were made or changed in a folder further down.

    `before` and `after` are what the folders' own files name.
    """
    names = {gate.name for gate in used}
    known = {(_source(gate), gate.name): gate.definition for gate in before}
    for gate in after:
        place = (_source(gate), gate.name)
        if gate.name in names and known.get(place) != gate.definition:
            yield GateFinding(path=place[0], text=f"settings of {gate.name} for a folder")


def rewritten_scripts(
    used: Iterable[GateCommand], changed: Collection[str]
) -> Iterator[GateFinding]:
    """Yield changed files that are what a gate runs."""
    for gate in used:
        for path in _scripts(gate):
            if path in changed:
                yield GateFinding(path=path, text=f"the gate {gate.name} runs it")


def loaded_plugins(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[GateFinding]:
    """Yield plug-ins that changed files of tests newly have pytest load; all tests run under them.

    In settings of tests, such as a `conftest.py`, they are what a declaration of these allows.
    """
    for path, text in after.items():
        if is_test_config(path) or "pytest_plugins" not in text:
            continue
        known = set(plugins_named(before.get(path, "")))
        for module in sorted(set(plugins_named(text)) - known):
            told = f"{path} has pytest load it for all tests; a declared conftest.py may"
            yield GateFinding(path=module, text=told)


def _scripts(gate: GateCommand) -> Iterator[str]:
    """Yield the files of the project that a command runs, as far as its words tell."""
    program, *rest = gate.argv or ("",)
    name = posixpath.basename(program)
    words = [program] if "/" in program else []
    if name in MAKERS:
        words += MAKEFILES
    elif name.rstrip("0123456789.") in INTERPRETERS:
        words += [word for word in rest if not word.startswith("-")][:1]
    for word in words:
        yield normalised(posixpath.join(gate.folder, word))


def _source(gate: GateCommand) -> str:
    return normalised(posixpath.join(gate.folder, gate.source))
