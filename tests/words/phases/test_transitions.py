"""Which status of a phase follows which."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.words.errors import TransitionRefused
from clew.words.phases import (
    ErrorKind,
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
    SessionRecord,
    TokenCount,
    amended,
    ended,
    erred,
    moved,
    settled,
    spent,
    unmet,
)
from phasekit import RECORD, T0, minutes

S = PhaseStatus
ADMITTED = {
    (S.PENDING, S.IN_PROGRESS),
    (S.IN_PROGRESS, S.COMPLETED),
    (S.IN_PROGRESS, S.FAILED),
    (S.FAILED, S.IN_PROGRESS),
    (S.PENDING, S.SKIPPED),
    (S.FAILED, S.SKIPPED),
}


def session(*phases: PhaseRecord) -> SessionRecord:
    return SessionRecord(session_id="2026-03-14-a", created=T0, updated=T0, phases=phases)


def one(status: PhaseStatus) -> SessionRecord:
    return session(PhaseRecord(id=1, name="a", status=status))


@pytest.mark.parametrize(("before", "to"), list(product(PhaseStatus, PhaseStatus)))
def test_the_transitions_of_a_phase_are_these_six(before: PhaseStatus, to: PhaseStatus) -> None:
    """Any other is refused with both states named."""
    if (before, to) in ADMITTED:
        assert to is moved(one(before), 1, to, minutes(1), by_person=True).phases[0].status
        return
    with pytest.raises(TransitionRefused) as caught:
        moved(one(before), 1, to, minutes(1), by_person=True)
    assert f"phase 1 is {before} and cannot become {to}" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("before", [S.PENDING, S.FAILED])
def test_only_a_person_skips(before: PhaseStatus) -> None:
    """An engine or a supervisor that tries is refused."""
    with pytest.raises(TransitionRefused, match="only a person"):
        moved(one(before), 1, S.SKIPPED, minutes(1))


@pytest.mark.parametrize("blocker", PhaseStatus)
@pytest.mark.parametrize("before", [S.PENDING, S.FAILED])
def test_a_phase_starts_once_its_blockers_are_done(
    before: PhaseStatus, blocker: PhaseStatus
) -> None:
    """Completed or skipped; the first start and a retry alike."""
    blocked = session(
        PhaseRecord(id="1", name="a", status=blocker),
        PhaseRecord(id=1, name="b", status=before, blocked_by=("1",)),
    )
    if blocker in (S.COMPLETED, S.SKIPPED):
        assert S.IN_PROGRESS is moved(blocked, 1, S.IN_PROGRESS, minutes(1)).phases[1].status
        return
    with pytest.raises(TransitionRefused, match='depends on phases that are not done: "1"'):
        moved(blocked, 1, S.IN_PROGRESS, minutes(1))


def test_a_blocker_that_is_no_phase_blocks() -> None:
    """1 and "1" are two."""
    phase = PhaseRecord(id="1", name="a", blocked_by=(1,))

    assert (1,) == unmet(session(phase), phase)


def test_a_phase_that_is_not_there_is_refused() -> None:
    """With the ones that are."""
    with pytest.raises(TransitionRefused, match='no phase "1"') as caught:
        moved(one(S.PENDING), "1", S.IN_PROGRESS, minutes(1))
    assert "It has 1." == caught.value.hint


def test_a_life_of_a_phase_is_on_record() -> None:
    """Its times, its retry, and when the session was last changed."""
    first = moved(one(S.PENDING), 1, S.IN_PROGRESS, minutes(1))
    failed = moved(first, 1, S.FAILED, minutes(2))
    again = moved(failed, 1, S.IN_PROGRESS, minutes(3))
    done = moved(again, 1, S.COMPLETED, minutes(4))

    assert (minutes(1), None, 0) == _times(first)
    assert (minutes(1), None, 0) == _times(failed)
    assert (minutes(1), None, 1) == _times(again)
    assert (minutes(1), minutes(4), 1) == _times(done)
    assert [minutes(n) for n in (1, 2, 3, 4)] == [s.updated for s in (first, failed, again, done)]


def _times(session: SessionRecord) -> tuple[object, ...]:
    return (session.phases[0].started, session.phases[0].completed, session.phases[0].retry_count)


def test_a_clock_that_is_set_back_does_not_go_into_the_record() -> None:
    """What was updated last is updated at that time or later."""
    late = moved(one(S.PENDING), 1, S.IN_PROGRESS, minutes(9))

    assert minutes(9) == moved(late, 1, S.FAILED, T0 - timedelta(days=1)).updated


def test_the_current_phase_follows_the_one_that_runs() -> None:
    """Of several the lowest, and the batch names the rest; between them the next to do."""
    many = session(*(PhaseRecord(id=n, name="x") for n in (10, 9, 2, "z")))

    def after(*steps: tuple[int | str, PhaseStatus]) -> tuple[object, object]:
        state = many
        for phase, to in steps:
            state = moved(state, phase, to, minutes(1), by_person=True)
        return state.current_phase, state.current_batch

    assert (10, None) == after((10, S.IN_PROGRESS))
    assert (9, "10") == after((10, S.IN_PROGRESS), (9, S.IN_PROGRESS))
    assert (2, "10, z") == after((10, S.IN_PROGRESS), (2, S.IN_PROGRESS), ("z", S.IN_PROGRESS))
    assert (9, None) == after((10, S.SKIPPED))
    assert (10, None) == after((10, S.IN_PROGRESS), (10, S.FAILED), (9, S.SKIPPED))
    assert ("z", None) == after((10, S.SKIPPED), (9, S.SKIPPED), (2, S.SKIPPED), ("z", S.SKIPPED))


@pytest.mark.parametrize(("before", "to"), list(product(OverallStatus, OverallStatus)))
def test_a_session_ends_and_may_go_on(before: OverallStatus, to: OverallStatus) -> None:
    """Unless it is completed: that status is final."""
    whole = replace(one(S.COMPLETED), status=before)
    in_progress = OverallStatus.IN_PROGRESS
    admitted = {
        *((in_progress, each) for each in OverallStatus if each is not in_progress),
        (OverallStatus.FAILED, in_progress),
        (OverallStatus.FAILED, OverallStatus.ABORTED),
        (OverallStatus.ABORTED, in_progress),
    }
    if (before, to) in admitted:
        assert (to, minutes(1)) == (
            ended(whole, to, minutes(1)).status,
            ended(whole, to, minutes(1)).updated,
        )
        return
    with pytest.raises(TransitionRefused, match=f"is {before} and cannot become {to}"):
        ended(whole, to, minutes(1))


def test_unfinished_work_is_never_called_completed() -> None:
    """What is left is named."""
    with pytest.raises(TransitionRefused, match="phase 4 is failed, phase docs is pending"):
        ended(RECORD, OverallStatus.COMPLETED, minutes(50))


def test_errors_are_recorded_and_settled() -> None:
    """One that was resolved before keeps its own words."""
    error = PhaseError(agent="coder", timestamp=minutes(1), type=ErrorKind.RUNTIME, message="died")
    twice = erred(settled(erred(one(S.FAILED), 1, error, T0), 1, "retried", T0), 1, error, T0)

    assert [("retried", True), ("pending", False)] == _errors(twice)
    assert [("retried", True), ("skipped", True)] == _errors(settled(twice, 1, "skipped", T0))
    assert (error,) == twice.phases[0].open_errors


def _errors(session: SessionRecord) -> list[tuple[str, bool]]:
    return [(error.resolution, error.resolved) for error in session.phases[0].errors]


def test_a_phase_is_amended_in_all_but_its_status() -> None:
    """There is one way to another status."""
    phase = replace(RECORD.phases[1], validation="fail: 1 of 9")

    assert phase == amended(RECORD, phase, minutes(50)).phases[1]
    assert minutes(50) == amended(RECORD, phase, minutes(50)).updated
    with pytest.raises(TransitionRefused, match="phase 2 is in_progress and cannot become failed"):
        amended(RECORD, replace(phase, status=S.FAILED), minutes(50))


counts = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=9)


@given(counts, counts)
def test_totals_are_always_the_sums_of_the_agents(
    before: list[tuple[str, int]], calls: list[tuple[str, int]]
) -> None:
    """There is nothing that could differ."""
    record = one(S.IN_PROGRESS)
    for agent, count in (*before, *calls):
        record = spent(record, agent, TokenCount(input=count, output=1, cached=2 * count), T0)
    used = sum(count for _, count in (*before, *calls))
    total = TokenCount(input=used, output=len(before) + len(calls), cached=2 * used)

    assert total == record.token_usage.total
    assert total == sum(record.token_usage.by_agent.values(), TokenCount())
