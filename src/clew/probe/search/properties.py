"""Property-based tests, made quick by Hypothesis's own settings.

A search asks thousands of times whether a test is red. Nobody reads its counterexamples, so that
none is made small; and one that refuted a candidate is tried first on the next.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any

__all__ = ["LEAST", "hasten"]

LEAST = 3.0  # seconds of processor time: who passes tries a hundred examples, who fails a few


def hasten(function: Any, scratch: str) -> bool:
    """Let a test end at its first counterexample; returns whether it is one of Hypothesis's.

    Known counterexamples are kept below `scratch`, where forks find them as well.
    """
    test = getattr(function, "__func__", function)
    before = getattr(test, "_hypothesis_internal_use_settings", None)
    if before is None or not getattr(test, "is_hypothesis_test", False):
        return False
    # A patch with the counterexample costs an import of seconds, in every fork anew.
    sys.modules.setdefault("hypothesis.extra._patching", None)  # type: ignore[arg-type]
    with contextlib.suppress(Exception):  # another version may refuse, and is only slower then
        test._hypothesis_internal_use_settings = quick(before, scratch)  # noqa: SLF001 - as its own plug-in does
    return True


def quick(before: Any, scratch: str) -> Any:
    hypothesis = importlib.import_module("hypothesis")
    folder = os.path.join(scratch, "examples")
    kinds = hypothesis.Phase
    phases = [p for p in (kinds.explicit, kinds.reuse, kinds.generate) if p in before.phases]
    return hypothesis.settings(
        before,
        phases=phases,
        database=None if before.derandomize else remembering(folder),
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )


def remembering(folder: str) -> Any:
    """Return a database that keeps an example which a candidate passes: it refutes others."""
    database: Any = importlib.import_module("hypothesis.database")

    class Remembering(database.DirectoryBasedExampleDatabase):  # type: ignore[misc]
        def delete(self, key: bytes, value: bytes) -> None:
            del key, value

    return Remembering(folder)
