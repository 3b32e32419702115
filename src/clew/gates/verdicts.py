"""Whether a result counts, from what its gates say. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from clew.words.gates import GateResult, GateStatus

__all__ = ["verdict"]


def verdict(results: Iterable[GateResult]) -> GateStatus:
    """Return what gates say together: a failure first, then what has to run and did not.

    A gate that did not run and need not makes it a warning, for not all was looked at. Without any
    gate nothing is known: they did not run.
    """
    found = tuple(results)
    said = {each.status for each in found}
    missing = [each for each in found if each.status is GateStatus.DID_NOT_RUN]
    if GateStatus.FAIL in said:
        return GateStatus.FAIL
    if not found or any(each.required for each in missing):
        return GateStatus.DID_NOT_RUN
    return GateStatus.WARN if missing or GateStatus.WARN in said else GateStatus.PASS
