"""A proof in one line, and in a few parts."""

from __future__ import annotations

import pytest

from clew.words.events import ELSEWHERE, ProofRow
from clew.words.verdicts import parts, verdict

GREEN = ProofRow(claim="no test of the whole suite is red", measured="2 pass, 0 red", holds=True)
THERE = ProofRow(claim="tests of the baseline are collected again", measured="2 of 2", holds=True)
UNKNOWN = ProofRow(
    claim="it answers the same without tests and runner",
    measured="no call into the changed files was seen",
    holds=True,
    tested=False,
)
WEAK = ProofRow(
    claim="a test notices a small change of the fixed lines",
    measured="weakly tested: none of 2 was noticed",
    holds=False,
    decides=False,
)
DOUBT = ProofRow(
    claim="it changes more than what the failing tests give and expect",
    measured="`ring` answers 16 to 8 others as well",
    holds=False,
    doubt=True,
)
VOUCHED = ProofRow(claim=DOUBT.claim, measured="", holds=False, doubt=True, vouched=True)
RED = ProofRow(claim=GREEN.claim, measured="test_other", holds=False)


@pytest.mark.parametrize(
    ("rows", "accepted", "said"),
    [
        ([GREEN], True, "proven"),
        ([GREEN, WEAK], True, "proven, except that it is weakly tested"),
        (
            [UNKNOWN, WEAK, VOUCHED],
            True,
            (
                "proven, except that it is weakly tested and 1 claim was not measured and a person"
                " settled the doubt"
            ),
        ),
        ([UNKNOWN, UNKNOWN], True, "proven, except that 2 claims were not measured"),
        ([GREEN, DOUBT], False, f'a person must look: "{DOUBT.claim}" does not hold'),
        ([RED, DOUBT], False, f'not proven: "{RED.claim}" and "{DOUBT.claim}" do not hold'),
        ([RED] * 3, False, f'not proven: "{RED.claim}" and "{RED.claim}" and 1 more do not hold'),
        ([], False, "not proven: the tests did not run"),
    ],
)
def test_a_verdict_is_one_line(rows: list[ProofRow], *, accepted: bool, said: str) -> None:
    """Proven, proven but for something, for a person to see, or not proven."""
    assert said == verdict(rows, accepted=accepted)


def test_claims_that_say_one_thing_are_one_part() -> None:
    """With what was measured; one that is not simply so is read by itself."""
    one, other = parts([THERE, GREEN, UNKNOWN, DOUBT])
    assert ("all tests are there and pass", "2 pass, 0 red") == (one.title, one.measured)
    assert ((THERE, GREEN), ()) == (one.rows, one.open)
    assert ("", (UNKNOWN, DOUBT)) == (other.measured, other.open)


def test_a_claim_of_an_earlier_version_is_a_part_of_its_own() -> None:
    """What nobody knows any more is shown as it was told."""
    (part,) = parts([ProofRow(claim="it holds", measured="2 of 2", holds=True)])
    assert ("it holds", "2 of 2", ()) == (part.title, part.measured, part.open)


def test_what_changes_where_no_test_looks_is_read_and_decides_nothing() -> None:
    """It is listed below its part, and the verdict stays as it is."""
    row = ProofRow(claim=ELSEWHERE, measured="`ring(6, 3)` from 18 to 21", holds=True)
    (part,) = parts([row])
    assert ((row,), "") == (part.open, part.measured)
    assert "proven" == verdict([row], accepted=True)
