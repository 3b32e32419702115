"""When two failures are the same failure, and the topic that names a round of debugging."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from operator import attrgetter

from clew.analysis.failures.noise import legible, normalise
from clew.analysis.unparsed import unparsed
from clew.words.facts import Crash, Frame, TestResult, TestRun

__all__ = ["error_of", "errors", "fingerprint", "fingerprint_of", "stand_of", "topic_slug"]

LONGEST = 240
COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})  # inlined since Python 3.12
TAIL = 30


def fingerprint(run: TestRun) -> str:
    """Return what the run's failures have in common with those of an equal run: 16 hex digits.

    It depends on the verdict and on the set of the red tests' fingerprints alone.
    """
    red = sorted(fingerprint_of(result) for result in run.red)
    rest = [] if red else [normalise(run.reason), *_tail(run.output)]
    return _digest(run.verdict.value, *red, *rest)


def fingerprint_of(result: TestResult) -> str:
    """Return the same 16 hex digits for the same failure of the same test.

    It holds across line shifts, other values of addresses, times, temporary paths, ports and
    process numbers, and across Python versions as far as their messages can be mapped.
    """
    crash = result.crash
    if crash is None:
        said = [] if result.outcome.red is False else _tail(result.output)
        return _digest(normalise(result.id), result.outcome.value, result.phase.value, *said)
    message = "" if unparsed(crash) else _gist(crash.message)
    return _digest(normalise(result.id), result.phase.value, crash.type, message, *_place(crash))


def stand_of(result: TestResult) -> str:
    """Return the same 16 hex digits while a red test stands where it stood.

    An assertion that fails with another value fails as before: only another assertion, or another
    exception, shows that the test came further.
    """
    crash = result.crash
    if crash is None or _kind(crash) != "AssertionError" or not crash.frames:
        return fingerprint_of(result)
    where = next((f for f in reversed(crash.frames) if f.project), crash.frames[-1])
    code = " ".join(where.code.split())
    return _digest(normalise(result.id), result.phase.value, crash.type, where.path, code)


def errors(run: TestRun) -> tuple[str, ...]:
    """Return one line a red test, `test id: Type: message`, to show, in the order of the run.

    What differs from run to run is in them as it was: `normalise` before they are compared.
    """
    found = tuple(dict.fromkeys(error_of(result) for result in run.red))
    if found or not run.reason:
        return found
    return (_clipped(legible(run.reason)),)


def error_of(result: TestResult) -> str:
    """Return `test id: Type: message` of one red test on one line, to show."""
    crash = result.crash
    if crash is None:
        last = next(iter(_tail(result.output, legible)[-1:]), "")
        return _clipped(f"{result.id}: {last or result.outcome.value}")
    kind = crash.type.rpartition(".")[2]
    message = " ".join(_gist(crash.message, legible).split())
    if message.endswith(":"):  # as Node puts the values below
        message = " ".join(legible(crash.message).split())
    message = message.removeprefix(f"{kind}: ")
    return _clipped(f"{result.id}: {kind}: {message}" if message else f"{result.id}: {kind}")


def topic_slug(run: TestRun, phase: str = "") -> str:
    """Return the topic of a round of debugging, in lower_snake.

    What the exceptions are speaks first, then what they say; of several kinds, the first of
    time-out, configuration, integration, dependency, syntax. None of them: `phase{N}_failures`.
    """
    red = run.red
    for slug, of_fact, _ in TOPICS:
        if any(map(of_fact, red)) or (slug == "test_timeout" and run.timed_out):
            return slug
    texts = [normalise(result.crash.message) for result in red if result.crash]
    texts += [] if texts else [normalise(run.reason), *_tail(run.output)]
    for slug, _, words in TOPICS:
        if any(words.search(text) for text in texts):
            return slug
    slug = re.sub(r"[^a-z0-9]+", "_", phase.lower()).strip("_")
    return f"phase{slug or 1}_failures"


def _is_config(result: TestResult) -> bool:
    kind = _kind(result.crash)
    return "Config" in kind or kind == "ImproperlyConfigured" or "configparser." in _type(result)


def _is_integration(result: TestResult) -> bool:
    parts = re.split(r"[/.:_\[\]]+", result.id)
    return "integration" in parts or _kind(result.crash) in (
        "ConnectionError",
        "ConnectionRefusedError",
        "ConnectionResetError",
        "ConnectError",
        "gaierror",
    )


def _is_dependency(result: TestResult) -> bool:
    return _kind(result.crash) in ("ModuleNotFoundError", "PackageNotFoundError")


def _is_syntax(result: TestResult) -> bool:
    return result.crash is not None and unparsed(result.crash)


Topic = tuple[str, Callable[[TestResult], bool], re.Pattern[str]]
TOPICS: tuple[Topic, ...] = (
    ("test_timeout", attrgetter("hung"), re.compile(r"\btime(?:d?[ -])?out\b", re.IGNORECASE)),
    ("config_errors", _is_config, re.compile(r"\bconfig(?:uration)?\b", re.IGNORECASE)),
    ("integration_issues", _is_integration, re.compile(r"\bintegration\b", re.IGNORECASE)),
    (
        "dependency_missing",
        _is_dependency,
        re.compile(
            r"\bdependenc(?:y|ies)\b|\bmodule not found\b|\bno module named\b", re.IGNORECASE
        ),
    ),
    (
        "syntax_errors",
        _is_syntax,
        re.compile(
            r"\bsyntax ?error\b|\binvalid syntax\b|\bcompilation (?:failed|error)", re.IGNORECASE
        ),
    ),
)


def _type(result: TestResult) -> str:
    return result.crash.type if result.crash else ""


def _kind(crash: Crash | None) -> str:
    return crash.type.rpartition(".")[2] if crash else ""


def _gist(message: str, clean: Callable[[str], str] = normalise) -> str:
    """Return the first paragraph of a message without the runner's explanation of it.

    The explanation (diffs, `where` lines) depends on verbosity and on the runner's version.
    """
    lines: list[str] = []
    for line in clean(message).split("\n"):
        if not line.strip():
            break
        if not line[0].isspace():
            lines.append(line)
    return "\n".join(lines[:5])


def _place(crash: Crash) -> tuple[str, str]:
    """Return path and function of the innermost frame in the project, without its line."""
    ours: list[Frame] = [frame for frame in crash.frames if frame.project]
    for frame in reversed(ours):
        function = frame.function.rpartition(".")[2]
        if function not in COMPREHENSIONS:
            return frame.path, function
    return "", ""


def _tail(output: str, clean: Callable[[str], str] = normalise) -> list[str]:
    return [line for line in clean(output).split("\n") if line.strip()][-TAIL:]


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
