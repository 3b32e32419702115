"""What a proof comes to: one line of verdict, and its claims in a few parts that a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from clew.words.events.parts import CHALLENGED, ELSEWHERE, SETTLED, ProofRow

__all__ = ["BUT_SETTLED", "VOUCHED", "ProofPart", "parts", "verdict"]

NAMED = 2  # claims that a verdict names
EXCEPT, SETTLED_BY = "except that ", "a person settled the doubt"
BUT_SETTLED = f"{EXCEPT}{SETTLED_BY}"
VOUCHED = "a person vouched for it, the proof doubts: "

# Each part with its claims; of those in brackets it shows what was measured.
_PARTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "all tests are there and pass",
        (
            "tests of the baseline are collected again",
            "of them pass in a pristine checkout",
            "the tests of files that could not be loaded exist",
            "no failing test was removed",
        ),
        (
            "no test of the whole suite is red",
            "no selected test is red",
            "the test that your answer became passes",
        ),
    ),
    (
        "it is the fix that makes them pass",
        ("the failing tests failed before",),
        ("and fail again with the fix reverted",),
    ),
    (
        "what judges is as it was, and can fail",
        (
            "test files and test configuration are the baseline's",
            "the fix does not mention the test runner",
            "the runner, and what tests compare with, are whole after each test",
            "no failure of a test is caught by the fix",
            "what it gives is compared by its contents",
            "deliberately broken copies of them fail",
            "deliberately broken copies of the tests fail",
        ),
        ("tests and assertions are no fewer, skips and expected failures no more",),
    ),
    (
        "its diff shows all that runs",
        (
            "the diff shows all of the fix",
            "the code that runs is written in the files of the project",
        ),
        (),
    ),
    (
        "it does more than to answer these tests",
        (
            SETTLED,
            ELSEWHERE,
            CHALLENGED,
            "no value of the failing tests is built into the fix",
            "the fix reads no data that only the tests read before",
            "they pass where the fix cannot recognise the test runner",
            "what it is given is changed by it no more than before",
            "no answer newly depends on an earlier call",
            "a call that it newly refuses changes nothing",
            "they pass without a runner",
        ),
        (
            "it answers the same without tests and runner",
            "it changes more than what the failing tests give and expect",
        ),
    ),
    (
        "the tests look at it closely",
        ("no check is lost, and no error of any kind kept quiet",),
        ("a test notices a small change of the fixed lines",),
    ),
)


class ProofPart(msgspec.Struct, frozen=True, kw_only=True):
    """Claims that say one thing together, and those of them that are not simply so."""

    title: str
    measured: str
    rows: tuple[ProofRow, ...]

    @property
    def open(self) -> tuple[ProofRow, ...]:
        """The claims that a person reads one by one."""
        return tuple(
            row for row in self.rows if not (row.holds and row.tested) or row.claim == ELSEWHERE
        )


def parts(rows: Sequence[ProofRow]) -> tuple[ProofPart, ...]:
    """Return the parts of a proof in their order; a claim of an earlier version stands alone."""
    return tuple(_parts(rows))


def _parts(rows: Sequence[ProofRow]) -> Iterator[ProofPart]:
    left = list(rows)
    for title, claims, shown in _PARTS:
        found = tuple(row for row in rows if row.claim in claims or row.claim in shown)
        told = [row.measured for row in found if row.claim in shown and row.holds and row.tested]
        if found:
            yield ProofPart(title=title, measured="; ".join(told), rows=found)
        left = [row for row in left if row not in found]
    for row in left:
        said = row.measured if row.tested else f"not measured, {row.measured}"
        yield ProofPart(title=row.claim, measured=said, rows=(row,))


def verdict(rows: Sequence[ProofRow], *, accepted: bool, unsure: bool = False) -> str:
    """Say in one line what a proof comes to: `proven, except that it is weakly tested`.

    Of a diagnosis that is unsure, what it leaves open has to stand below that line.
    """
    against = [row for row in rows if row.against]
    if not accepted:
        if not against:
            return "not proven: the tests did not run"
        named = " and ".join(f'"{row.claim}"' for row in against[:NAMED])
        more = f" and {len(against) - NAMED} more" if len(against) > NAMED else ""
        verb = "does" if len(against) == 1 else "do"
        look = "a person must look" if all(row.doubt for row in against) else "not proven"
        return f"{look}: {named}{more} {verb} not hold"
    unknown = sum(not row.tested for row in rows)
    but = [
        "it is weakly tested" if any(not row.holds and not row.decides for row in rows) else "",
        f"{unknown} {'claim was' if unknown == 1 else 'claims were'} not measured" * bool(unknown),
        SETTLED_BY if any(row.vouched for row in rows) else "",
    ]
    said = [each for each in but if each]
    proven = f"proven, {EXCEPT}" + " and ".join(said) if said else "proven"
    return f"{proven}, but unsure, see below" if unsure else proven
