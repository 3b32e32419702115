"""The claim that changed code answers the same where nobody tests.

The calls that cross from elsewhere into the changed files are recorded while the fixed tests run
without announcing themselves. They are made again in a new interpreter, and in another one in the
turned order, years later and in another folder. What answers otherwise is held against what it does
without the fix: some functions answer by more than what they are given, and say nothing.
"""

from __future__ import annotations

from pathlib import Path

from clew import runners
from clew.analysis.tampering import Difference, asked, differences, excuses, uncounted
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.words import events as ev
from clew.words.facts import Crossed

__all__ = ["replied"]

CLAIM = "it answers the same without tests and runner"
ALONE, ELSEWHERE = "without them", "without them, years later and in another folder"
LATER = 4_000 * 86_400.0  # seconds
SECONDS = 20.0  # for all answers of one interpreter


def replied(
    case: Case, trial: Path, reverted: Path, crossed: tuple[Crossed, ...], wanted: tuple[str, ...]
) -> ev.ProofRow:
    """Return the claim; `wanted` are the tests that are run without the fix, if need be."""
    calls = asked(crossed)
    missed = uncounted(crossed)
    if not calls:
        return untested(CLAIM, missed or "no call into the changed files was seen")
    every = _unlike(case, trial, crossed)
    unlike = [each for each in every if not each.gone]
    number = len(calls) - len(every) + len(unlike)
    if number < len(calls):
        gone = len(calls) - number
        of_them = f"{gone} {'needs a file' if gone == 1 else 'need files'} that only the test had"
        missed = "; ".join(part for part in (of_them, missed) if part)
    if unlike:
        hidden = runners.Disguise(changed=case.code)
        request = runners.Request(only=wanted, disguise=hidden, crossing=case.code)
        before = case.report(reverted, request).crossed
        excused = excuses(before, _unlike(case, reverted, before), crossed)
        against = [each for each in unlike if each.function not in excused]
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


def _unlike(case: Case, place: Path, crossed: tuple[Crossed, ...]) -> tuple[Difference, ...]:
    """Return what answers otherwise in a new interpreter, then and there or years later."""
    debug_run, calls = case.debug_run, asked(crossed)
    python = debug_run.command.interpreter
    found: tuple[Difference, ...] = ()
    if python is None or not calls:
        return ()
    site, scratch = debug_run.site(place), debug_run.scratch
    later = debug_run.clock().timestamp() + LATER
    for order, moment, where in ((calls, None, ALONE), (calls[::-1], later, ELSEWHERE)):
        answers = runners.answered(site, python, order, scratch, timeout=SECONDS, moment=moment)
        found = differences(crossed, answers, where)
        if any(not each.gone for each in found):
            break
    return found
