"""What a fix that was made by another session came to."""

from __future__ import annotations

from clew.flows.investigation.driver.fixing import doubts_of, edits_of, fix_of, weak_of
from clew.words import events as ev


def ended(number: int, fix: str, result: ev.Result, *, progress: bool = False) -> ev.IterationEnded:
    return ev.IterationEnded(
        iteration=number, result=result, fix_attempted=fix, commit=f"c{number}", progress=progress
    )


def test_only_what_helped_is_the_fix() -> None:
    """An attempt that was rolled back is none of it, unless a person accepted it."""
    told = [
        ended(1, "`-` by `*`", ev.Result.UNPROVEN),
        ended(2, "`a` by `b`", ev.Result.FEWER, progress=True),
        ended(3, "`1` by `0`", ev.Result.PASSING),
    ]
    assert "`a` by `b`; `1` by `0`" == fix_of(told)
    accepted = ev.QuestionAnswered(id="q1", option="accept-1")
    assert "`-` by `*`; `a` by `b`; `1` by `0`" == fix_of([*told, accepted])


def test_the_edits_of_a_fix_are_known_where_it_is_one_change_alone() -> None:
    """Of several each may be right, though together they are not."""

    def fix(number: int, commit: str | None = "c") -> ev.FixApplied:
        return ev.FixApplied(
            agent="repair",
            iteration=number,
            summary="mended it",
            commit=commit,
            edits=f"hash {number}",
        )

    assert "hash 2" == edits_of([fix(1, None), fix(2)])
    assert "" == edits_of([fix(1), fix(2)]) == edits_of([])


def test_what_a_person_settled_of_a_proof_is_known() -> None:
    """Of the last one: it is that of the fix."""

    def proved(*, vouched: bool) -> ev.Proved:
        row = ev.ProofRow(claim="a", measured="b", holds=False, doubt=True, vouched=vouched)
        return ev.Proved(commit="c", accepted=vouched, rows=(row,))

    assert [] == doubts_of([]) == doubts_of([proved(vouched=False)])
    assert ['"a" does not hold: b'] == doubts_of([proved(vouched=False), proved(vouched=True)])


def test_what_the_tests_leave_open_of_a_fix_is_known() -> None:
    """Of the last proof, in its words."""
    weak = ev.ProofRow(
        claim="a test notices a small change of the fixed lines",
        measured="weakly tested: no test notices a.py:3",
        holds=False,
        decides=False,
    )
    sure = ev.ProofRow(claim="b", measured="c", holds=True)
    proofs = [ev.Proved(commit="c", accepted=True, rows=rows) for rows in ((sure,), (sure, weak))]
    assert [] == weak_of([]) == weak_of(proofs[:1])
    assert ["no test notices a.py:3"] == weak_of(proofs)
