"""What the newest commits say is wanted, where the failing tests may not have heard of it."""

from __future__ import annotations

from collections.abc import Sequence

from clew.evidence.explain.pointing import PUT_BACK
from clew.evidence.explain.scene import clipped, code, listed
from clew.words.facts import Candidate, Demand, Suspect
from clew.words.printable import printable
from clew.words.test_ids import bare_name

__all__ = ["NEWER", "WHICH", "concerns", "meant", "wanted"]

MOST_TITLE = 100
WHICH = "settle which is right, the code or what the tests ask of it now."
MEANT = (
    "The code was changed on purpose, with what other tests expect, and the failing ones were left"
    " as they were: they may be what is wrong."
)
VALUE = (
    "The newest change of this code is a value alone, and the failing tests were left as they were:"
    " they may be what is wrong."
)
NEWER = "What changed last is what the tests ask, not the code: they may be what is wrong."


def meant(demand: Demand | None) -> str:
    """Say that the code may be as somebody wants it, and the failing tests not; or nothing."""
    if demand is None or not demand.code:
        return ""
    return VALUE if demand.values else MEANT


def concerns(demand: Demand, suspects: tuple[Suspect, ...], best: Candidate | None) -> bool:
    """Whether the failing tests run the code that was changed with other tests.

    What is put back is what others may have meant, and the tests that they changed pass with it.
    """
    if not demand.code:
        return True
    if demand.values and best is not None:
        return any(edit.path in demand.code for edit in best.edits)
    put_back = best is not None and best.family in PUT_BACK
    return not put_back and any(each.path in demand.code for each in suspects)


def wanted(demand: Demand) -> str:
    """Tell what a commit says is wanted, and that the failing tests may not ask for it."""
    titled = clipped(printable(demand.subject), MOST_TITLE)
    who = f"Commit {code(demand.commit)}, titled {code(titled)}," if titled else ""
    who = who or f"{demand.commit[0].upper()}{demand.commit[1:]}"
    left = "and left the failing tests as they were: they may be what is wrong."
    what, s = _two_of([bare_name(each) for each in demand.tests]), "s" * (len(demand.tests) == 1)
    if demand.values:
        return f"{who} changed nothing of the code but {_two_of(demand.values)}, {left}"
    if demand.code:
        return f"{who} changed code together with what {what} expect{s}, {left}"
    return (
        f"{who} changed what {what} ask{s}, and no code came since: the test may be what is wrong."
    )


def _two_of(names: Sequence[str]) -> str:
    more = [f"{len(names) - 2} more"] if len(names) > 2 else []  # noqa: PLR2004 - two are named
    return listed([*map(code, names[:2]), *more])
