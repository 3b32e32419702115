"""Changes that a search may have found, for tests of what is said of them."""

from __future__ import annotations

from types import SimpleNamespace

from clew.words.facts import Candidate, Edit, Parting

__all__ = ["BEST", "MEAN", "bare_scene", "change"]


def bare_scene(**known: object) -> SimpleNamespace:
    """Return as much of a failure as a test of one sentence needs."""
    return SimpleNamespace(**{"demand": None, "earlier": (), **known})


def change(description: str, parting: Parting | None = None, *, complete: bool = True) -> Candidate:
    return Candidate(
        description=description,
        family="arithmetic",
        path="stats.py",
        line=2,
        edits=(Edit(path="stats.py", line=2, current="a", should_be="b"),),
        complete=complete,
        inputs=39,
        parting=parting,
    )


BEST = change("drop `1`")
MEAN = change(
    "replace `+` by `|`", Parting(call="mean([1, 2])", best="1.5", this="1.0", module="stats")
)
