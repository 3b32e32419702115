"""The claim that changed code answers the same where nobody tests.

The calls that cross from elsewhere into the changed files are recorded while the fixed tests run
without announcing themselves. They are made again in a new interpreter, and in another one in the
turned order, years later, in another folder and time zone. What answers otherwise is held against
what it does without the fix: some functions answer by more than what they are given, and say
nothing. Nor does what answers the same where texts are hashed as they were in the tests.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from clew import runners
from clew.analysis.tampering import (
    Difference,
    asked,
    by_chance,
    by_order,
    changing,
    differences,
    excuses,
    newly_changing,
    repeatable,
    uncounted,
)
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.words import events as ev
from clew.words.facts import Crossed

__all__ = ["replied", "unspoiled"]

CLAIM = "it answers the same without tests and runner"
UNSPOILED = "what it is given is changed by it no more than before"
ALONE = "without them"
ELSEWHERE = "without them, years later, in another folder and time zone"
LATER = 4_000 * 86_400.0  # seconds
MOST_HASHING = 4_294_967_295
SECONDS = 20.0  # for all answers of one interpreter


def replied(
    case: Case,
    places: tuple[Path, Path],
    crossed: tuple[Crossed, ...],
    alone: Mapping[int, str],
    wanted: tuple[str, ...],
) -> ev.ProofRow:
    """Return the claim, of the fix and of the code before, which are in `places`.

    `alone` are the calls' answers in a new interpreter. `wanted` are the tests that are run without
    the fix, if need be.
    """
    calls = asked(crossed)
    missed = uncounted(crossed)
    if not calls or case.debug_run.command.interpreter is None:
        return untested(CLAIM, missed or "no call into the changed files was seen")
    every = _unlike(case, places[0], crossed, alone=alone)
    unlike = [each for each in every if not each.gone]
    number = len(calls) - len(every) + len(unlike)
    if number < len(calls):
        gone = len(calls) - number
        of_them = f"{gone} {'needs a file' if gone == 1 else 'need files'} that only the test had"
        missed = "; ".join(part for part in (of_them, missed) if part)
    if unlike:
        against = _against(case, places, crossed, wanted, unlike)
        if against:
            words = list(dict.fromkeys(each.words for each in against))
            return ev.ProofRow(claim=CLAIM, measured=shown(words), holds=False, doubt=True)
        more = len({each.words for each in unlike})
        left = f"{more} answered by more than what {'it was' if more == 1 else 'they were'} given"
        missed = "; ".join(part for part in (left, missed) if part)
        number -= more
    if not number:
        return untested(CLAIM, missed)
    measured = f"{number} {'call' if number == 1 else 'calls'} made again, each in two orders"
    return ev.ProofRow(
        claim=CLAIM, measured="; ".join(part for part in (measured, missed) if part), holds=True
    )


def _against(
    case: Case,
    places: tuple[Path, Path],
    crossed: tuple[Crossed, ...],
    wanted: tuple[str, ...],
    unlike: list[Difference],
) -> list[Difference]:
    """Return what is held against the fix, of what answers otherwise.

    Asked one after the other, since each excuse costs a run: functions that do so without the fix
    in tests of their own, or in calls as the fix was given them; and those that chance turns.
    """
    trial, reverted = places
    hidden = runners.Disguise(changed=case.code)
    request = runners.Request(only=wanted, disguise=hidden, crossing=case.code)

    def without_it() -> frozenset[str]:
        before = case.report(reverted, request).crossed
        return excuses(before, _unlike(case, reverted, before), crossed)

    def in_its_calls() -> frozenset[str]:
        return by_order(crossed, *_in_both_orders(case, reverted, asked(crossed)))

    for excused in (without_it, in_its_calls, lambda: _chance(case, trial, wanted, crossed)):
        functions = excused()
        unlike = [each for each in unlike if each.function not in functions]
        if not unlike:
            break
    return unlike


def _chance(
    case: Case, trial: Path, wanted: tuple[str, ...], crossed: tuple[Crossed, ...]
) -> frozenset[str]:
    """Return the functions that answer otherwise by chance, or where texts are hashed otherwise.

    Python hashes them anew in each process: sets have another order, and what keeps a hash differs.
    What draws lots does so in the tests as well: run again, they get another answer.
    """
    hashing = secrets.randbelow(MOST_HASHING) + 1
    request = runners.Request(
        only=wanted,
        disguise=runners.Disguise(changed=case.code),
        crossing=case.code,
        hashing=hashing,
    )
    again = case.report(trial, request).crossed
    unlike = {each.function for each in _unlike(case, trial, again, hashing=hashing)}
    return by_chance(crossed, again) | (repeatable(again) - unlike)


def unspoiled(case: Case, reverted: Path, crossed: tuple[Crossed, ...]) -> ev.ProofRow:
    """Claim that what is given to the changed code is left as it was, as far as it was before.

    A test that looks at a record which the fix changes under its hands compares it with itself.
    """
    calls = asked(crossed)
    if not calls or case.debug_run.command.interpreter is None:
        return untested(UNSPOILED, uncounted(crossed) or "no call into the changed files was seen")
    changed = changing(crossed)
    found: tuple[str, ...] = ()
    if changed:
        before = case.answers(reverted, asked(changed), timeout=SECONDS)
        found = newly_changing(changed, before)
    if not found:
        return ev.ProofRow(claim=UNSPOILED, measured=f"in {len(calls)} of {len(calls)}", holds=True)
    does = "changes its argument in place" if len(found) == 1 else "change their arguments in place"
    measured = f"weakly tested: {shown([*found])} {does}, and did not before"
    return ev.ProofRow(claim=UNSPOILED, measured=measured, holds=False, decides=False)


def _unlike(
    case: Case,
    place: Path,
    crossed: tuple[Crossed, ...],
    *,
    hashing: int | None = None,
    alone: Mapping[int, str] | None = None,
) -> tuple[Difference, ...]:
    """Return what answers otherwise in a new interpreter, then and there or years later.

    `alone` are the answers then and there, where they are known.
    """
    found: tuple[Difference, ...] = ()
    answers = _in_both_orders(case, place, asked(crossed), hashing=hashing, alone=alone)
    for each, where in zip(answers, (ALONE, ELSEWHERE), strict=False):
        found = differences(crossed, each, where)
        if any(not each.gone for each in found):
            break
    return found


def _in_both_orders(
    case: Case,
    place: Path,
    calls: tuple[str, ...],
    *,
    hashing: int | None = None,
    alone: Mapping[int, str] | None = None,
) -> Iterator[Mapping[int, str]]:
    """Make the calls in a new interpreter; then in the turned order, years later and elsewhere."""
    if alone is None:
        alone = case.answers(place, calls, timeout=SECONDS, hashing=hashing)
    yield alone
    moment = case.debug_run.clock().timestamp() + LATER
    yield case.answers(place, calls[::-1], timeout=SECONDS, moment=moment, hashing=hashing)
