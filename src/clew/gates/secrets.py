"""Secrets in the lines that a change adds: known forms of keys, and what detect-secrets knows.

The library runs confined, as a program of its own, so that no text from outside meets its patterns
in this process, and nothing that it finds comes back but the kind and the place.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from clew.analysis.diffs import added, parts
from clew.analysis.testfiles import is_test_path
from clew.sandbox import limits, processes
from clew.sandbox.confinement import Policy, clean_environment, confine
from clew.sandbox.temporary import passing
from clew.words.errors import ClewError
from clew.words.gates import GateFinding, GateKind, GateResult, GateStatus
from clew.words.redaction import REDACTED, redacted
from clew.words.settings import Settings

__all__ = ["added_lines", "judged", "known_forms", "scan"]

Added = Mapping[str, Mapping[int, str]]

LIBRARY = "detect_secrets"
SCRIPT = Path(__file__).with_name("secret_scan.py")
FORM = "a known form of key"
# In code a password in an address is as often a gap to be filled in: the library tells them apart.
ADDRESS = re.compile(rf"://[^\s/]*{re.escape(REDACTED)}(?=@)")
NOBODYS = frozenset({"Public IP (ipv4)"})
# What looks like chance, and is a hash as often; what a test may well make up.
DOUBTFUL = frozenset({"Base64 High Entropy String", "Hex High Entropy String"})
MADE_UP = frozenset({"Basic Auth Credentials", "Secret Keyword"})
INSTALL = (
    "detect-secrets is not installed, so Clew looked only for known forms of keys; pip install"
    ' "clew[secrets]" beside Clew'
)
HINT = "take it out, or name it as no secret with the comment `pragma: allowlist secret`"


def added_lines(diff: str) -> dict[str, dict[int, str]]:
    """Return the lines that a diff adds, by file and number."""
    found = {path: dict(added(part)) for path, part in parts(diff)}
    return {path: lines for path, lines in found.items() if lines}


def known_forms(lines: Added) -> Iterator[GateFinding]:
    """Yield the lines that Clew itself would keep out of its records."""
    for path, numbered in lines.items():
        for number, text in numbered.items():
            if REDACTED in ADDRESS.sub("", redacted(text)).replace(
                REDACTED, "", text.count(REDACTED)
            ):
                yield GateFinding(path=path, line=number, text=FORM)


def scan(lines: Added, settings: Settings, scratch: Path) -> tuple[GateFinding, ...] | None:
    """Ask the library for secrets in added lines; None where it is not installed.

    Raises ClewError where it gives no answer.
    """
    spec = importlib.util.find_spec(LIBRARY)
    if spec is None or spec.origin is None:
        return None
    with passing("secrets-", scratch) as folder:
        names = {str(number): path for number, path in enumerate(lines)}
        for number, path in names.items():
            _write(folder / number / PurePosixPath(path).name, lines[path])
        python = Path(sys.executable)
        policy = Policy(
            worktree=folder,
            target=folder,
            writable=False,
            visible=(
                *(python, python.resolve(), Path(sys.base_prefix), Path(sys.prefix)),
                *(SCRIPT, Path(spec.origin).parents[1]),
            ),
            limits=limits.for_tests(settings),
        )
        confined = confine([str(python), "-P", str(SCRIPT), str(folder)], policy)
        done = processes.run(
            confined.argv,
            cwd=confined.cwd,
            env=clean_environment() | confined.env,
            timeout=settings.gate_timeout,
            cap=16_000_000,
            bounds=confined.bounds,
        )
    if done.timed_out or done.exit_code != 0:
        why = done.over_limit or done.stderr.strip()[-500:] or f"exit code {done.exit_code}"
        why = "time was up" if done.timed_out else why
        raise ClewError(f"detect-secrets gave no answer: {why}")
    return tuple(_read(done.stdout, names))


def judged(
    lines: Added, forms: Iterable[GateFinding], found: tuple[GateFinding, ...] | None
) -> GateResult:
    """Return what comes of the findings: none shows what it found.

    What looks like chance is a warning, and so is in a test what tests make up; all else fails.
    """
    told = found or ()
    doubtful = (each for each in told if not _certain(each))
    candidates = (*doubtful, *forms, *filter(_certain, told))  # of one line the last has the say
    known = {(each.path, each.line): each for each in candidates}
    findings = tuple(known[place] for place in sorted(known))
    certain = list(filter(_certain, findings))
    if findings:
        status = GateStatus.FAIL if certain else GateStatus.WARN
        first = (certain or findings)[0]
        more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        summary = f"{first.text} in {first.place}{more}; {HINT}"
    elif found is None:
        status, summary = GateStatus.DID_NOT_RUN, INSTALL
    else:
        count = sum(map(len, lines.values()))
        status, summary = GateStatus.PASS, f"none in {count} added line{'s' * (count != 1)}"
    return GateResult(
        name=GateKind.SECRETS.value,
        kind=GateKind.SECRETS,
        status=status,
        summary=summary,
        findings=findings,
        required=False,
    )


def _certain(finding: GateFinding) -> bool:
    """Whether a finding is certain enough to fail a change."""
    doubtful = finding.text in DOUBTFUL
    return not doubtful and not (finding.text in MADE_UP and is_test_path(finding.path))


def _write(path: Path, lines: Mapping[int, str]) -> None:
    """Write added lines at their own numbers, so that what is found is found there."""
    path.parent.mkdir()
    text = "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))
    path.write_text(text + "\n", encoding="utf-8", errors="replace", newline="")


def _read(said: str, names: Mapping[str, str]) -> Iterator[GateFinding]:
    for line in said.splitlines():
        name, number, kind = msgspec.convert(json.loads(line), tuple[str, int, str])
        if kind not in NOBODYS:
            yield GateFinding(path=names[name.partition("/")[0]], line=number, text=kind)
