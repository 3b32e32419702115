"""Whether a file could not be parsed, or running code raised what is only named so."""

from __future__ import annotations

import re

from clew.words.facts import Crash

__all__ = ["unparsed"]

KINDS = frozenset({"SyntaxError", "IndentationError", "TabError"})
LOADING = re.compile(r"\b(?:import|import_module|__import__|require|compile)\b")


def unparsed(crash: Crash) -> bool:
    """Tell whether a file could not be parsed: the last frame is its place, without a function.

    A line that runs may raise such an error of its own, or be given a bad text to read; one that
    loads code may be told of a bad file without a place in it.
    """
    if crash.type not in KINDS:
        return False
    last = crash.frames[-1] if crash.frames else None
    if last is None:
        return True
    if last.function:
        return not last.code or LOADING.search(last.code) is not None
    within = next((frame.code for frame in reversed(crash.frames) if frame.function), "")
    return not last.path.startswith("<") and not within.lstrip().startswith("raise ")
