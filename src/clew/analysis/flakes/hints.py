"""Reasons to look closer at a test that was red twice. They are no evidence of anything."""

from __future__ import annotations

import re

from clew.analysis.failures import fingerprint_of
from clew.words.facts import TestResult

__all__ = ["doubtful", "own_text"]

CHANCE = re.compile(
    r"\brandom\b|\brandint\b|\bshuffle\(|\bsecrets\b|\buuid[14]\b|\burandom\b|\bdefault_rng\b"
)
CLOCK = re.compile(
    r"\btime\.(?:time|localtime|gmtime|monotonic|perf_counter)|\bdatetime\b|\bdate\.today\b"
    r"|\butcnow\b|\.now\(|\.today\("
)
THREADS = re.compile(r"\bthreading\b|\bThread\(|(?<!asyncio\.)\bsleep\(")
HINTS = (CHANCE, CLOCK, THREADS)


def doubtful(before: TestResult, again: TestResult, text: str) -> bool:
    """Tell whether a test that was red twice may still be a flake.

    It failed in another way the second time, or its own text (`text`) and the lines of its
    traceback speak of chance, of the clock or of threads.
    """
    if fingerprint_of(before) != fingerprint_of(again):
        return True
    crash = before.crash
    lines = [frame.code for frame in crash.frames] if crash else []
    return any(hint.search("\n".join([text, *lines])) for hint in HINTS)


def own_text(source: str, test: str) -> str:
    """Return the lines of a test function in the text of its file; nothing if it is not found."""
    name = re.split(r"::|\.", test.partition("[")[0])[-1]
    found = re.search(rf"(?m)^([ \t]*)(?:async )?def {re.escape(name)}\b.*$", source)
    if not found:
        return ""
    indent = len(found[1].expandtabs())
    lines = [found[0]]
    for line in source[found.end() :].splitlines()[1:]:
        bare = line.expandtabs()
        within = len(bare) - len(bare.lstrip()) > indent or bare.lstrip().startswith(")")
        if bare.strip() and not within:
            break
        lines.append(line)
    return "\n".join(lines)
