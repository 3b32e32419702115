"""Named points at which a test may stop the process dead.

`CLEW_CRASH_AT=Diagnose.effect` kills the process (SIGKILL, nothing is cleaned up) the first time it
gets there, `CLEW_CRASH_AT=RunTests.intent#2` the second time. Around every side effect there are:

    before    nothing of it is journalled
    intent    the intent is journalled, nothing is done
    effect    it is done, the outcome is not journalled
    outcome   the outcome is journalled

Without the variable a point costs one dictionary look-up.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

__all__ = ["POINTS", "reach"]

POINTS = ("before", "intent", "effect", "outcome")

_reached: Counter[str] = Counter()


def reach(action: str, point: str) -> None:
    """Die here if `CLEW_CRASH_AT` says so."""
    wanted = os.environ.get("CLEW_CRASH_AT")
    if wanted is None:
        return
    name = f"{action}.{point}"
    _reached[name] += 1
    if wanted in (f"{name}#{_reached[name]}", name):
        os.kill(os.getpid(), signal.SIGKILL)
