"""What documents show of a session: its errors, each once, and its retries."""

from __future__ import annotations

from clew.flows.debugging.driver.viewing import session_view
from sessionplay import Play, Script, opened


def test_an_iteration_that_did_not_help_is_an_error_of_the_phase() -> None:
    """Edited tests, a regression, no effect: each with its time; what came after them counts."""
    state = Play(
        Script(fix=["tampers", "done", "done"], verify=["regression", "same_errors"])
    ).run()

    (phase,) = session_view(state).phases

    assert [
        ("validation", "Tests were edited, rolled back", "another iteration"),
        ("validation", "Regression, rolled back", "another iteration"),
        ("validation", "Still failing", "a person is asked"),
    ] == [(e.type, e.message.partition(":")[0], e.resolution) for e in phase.errors]
    assert list(state.judged_at) == [e.timestamp for e in phase.errors]
    assert not any(e.resolved for e in phase.errors)
    assert 2 == phase.retry_count


def test_what_helped_is_no_error_and_its_successor_no_retry() -> None:
    """A cascade of faults is mended without one; failed calls are errors that were mended."""
    script = Script(
        diagnose=["fails timeout", "fails busy", "proposes"], verify=["fewer_errors+", "passing"]
    )
    play = Play(script, opened(retries=2))

    (phase,) = session_view(play.run()).phases

    assert [("timeout", True), ("runtime", True)] == [(e.type, e.resolved) for e in phase.errors]
    assert list(play.state.erred_at) == [e.timestamp for e in phase.errors]
    assert 0 == phase.retry_count


def test_each_round_has_its_own_retries() -> None:
    """As many calls as failed are no measure of them."""
    script = Script(diagnose=["fails"], verify=["same_errors"], answers=["guidance", "terminate"])

    (phase,) = session_view(Play(script, opened(cap=3)).run()).phases

    assert 18 == len(phase.errors)
    assert 2 == phase.retry_count
