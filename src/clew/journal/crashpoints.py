"""Named points at which a test may stop the process dead.

`CLEW_CRASH_AT=Prove.effect` kills the process (SIGKILL, nothing is cleaned up) the first time it
gets there, `CLEW_CRASH_AT=CallAgent.fix.intent#2` the second time. Around every side effect there
are:

    before    nothing of it is journalled
    intent    the intent is journalled, nothing is done
    effect    it is done, the outcome is not journalled
    outcome   the outcome is journalled

The last three are also around each commit that a search for the first bad one tries: `TryCommit`.

Without the variable a point costs one dictionary look-up.
"""

from __future__ import annotations

import difflib
import os
import re
import signal
from collections import Counter

from clew.words.errors import UsageError
from clew.words.events import INTENTS, CallAgent
from clew.words.models import AgentRole

__all__ = ["POINTS", "TRY", "check", "reach"]

VARIABLE = "CLEW_CRASH_AT"
POINTS = ("before", "intent", "effect", "outcome")
TRY = "TryCommit"

_reached: Counter[str] = Counter()


def check() -> None:
    """Raise UsageError if `CLEW_CRASH_AT` names a point that is never reached."""
    wanted = os.environ.get(VARIABLE, "")
    point = re.sub("#[1-9][0-9]*$", "", wanted)
    actions = [intent.__name__ for intent in INTENTS if not issubclass(intent, CallAgent)]
    actions += [f"{CallAgent.__name__}.{role}" for role in AgentRole]
    known = [f"{action}.{each}" for action in actions for each in POINTS]
    known += [f"{TRY}.{each}" for each in POINTS[1:]]
    if wanted and point not in known:
        close = difflib.get_close_matches(point, known, 1)
        raise UsageError(
            f"{VARIABLE}={wanted}: no such point",
            hint=(f"Did you mean {close[0]}? " if close else "")
            + f"Unset it, or name one of {', '.join((*actions, TRY))}, with one of"
            f" {', '.join(POINTS)}: {known[0]}, or {known[0]}#2 for the second time.",
        )


def reach(action: str, point: str) -> None:
    """Die here if `CLEW_CRASH_AT` says so."""
    wanted = os.environ.get(VARIABLE)
    if wanted is None:
        return
    name = f"{action}.{point}"
    _reached[name] += 1
    if wanted in (f"{name}#{_reached[name]}", name):
        os.kill(os.getpid(), signal.SIGKILL)
