"""Sessions looked at by a program: listed, followed, read."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew import api
from clew.words import events as ev
from clew.words.errors import UsageError
from projects import write
from sessionplay import START, opened


def test_importing_it_loads_nothing() -> None:
    """A name is loaded when it is asked for."""
    code = "import sys; from clew import api; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("clew")}
    assert {"clew", "clew.api"} == loaded


@pytest.mark.slow
def test_a_session_is_listed_as_it_stands(mended: api.ProjectSessions) -> None:
    """Nobody works on it, it is proven, and its fix was not applied."""
    (row,) = api.list_sessions(mended)
    stands = api.status(mended)
    assert ("green", "green", 0) == (row.stands, stands.status, stands.exit_code)
    assert row.listed.session == stands.session


def test_the_diff_is_the_change(mended: api.ProjectSessions) -> None:
    found = api.diff(mended)
    assert ["-    return a - b", "+    return a + b"] == found.diff.splitlines()[-2:]
    assert found.session_id == api.summary_of(api.load_state(mended, found.session_id)).session_id


def test_the_diff_of_an_iteration_is_what_it_changed(mended: api.ProjectSessions) -> None:
    """Kept or not; one that there was not is named with those that there were."""
    assert api.diff(mended).diff == api.diff(mended, iteration=1).diff
    with pytest.raises(UsageError, match="no change of an iteration 7"):
        api.diff(mended, iteration=7)


def test_a_proof_and_a_report_are_read(mended: api.ProjectSessions) -> None:
    proof = api.proof(mended)
    assert proof is not None
    assert proof.accepted
    assert "sums.py" in api.report(mended, number=1)
    with pytest.raises(UsageError, match="has no report 7"):
        api.report(mended, number=7)


def test_a_name_that_is_none_is_refused(mended: api.ProjectSessions) -> None:
    with pytest.raises(UsageError, match="there is no session"):
        api.status(mended, "nobody")


def test_events_begin_after_the_one_that_is_known(mended: api.ProjectSessions) -> None:
    whole = list(api.events(mended))
    assert whole[3:] == list(api.events(mended, after=3))


def test_following_an_ended_session_comes_to_an_end(mended: api.ProjectSessions) -> None:
    assert list(api.events(mended)) == list(api.follow(mended))


def test_followed_events_come_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread, or process, writes them; whoever follows has no part in it."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    place = write(tmp_path / "sums", {"sums.py": ""})
    name = opened().session_id

    def write_down(seq: int, event: ev.AnyEvent) -> None:
        journal = api.sessions_at(place).journal(ev.CODEC)
        journal.append(ev.Recorded(session=name, seq=seq, at=START, event=event))

    write_down(1, opened())
    heard = api.follow(api.sessions_at(place), name, seconds=60)
    first = next(heard)
    over = ev.SessionEnded(status=ev.Status.TERMINATED)
    writer = threading.Thread(target=write_down, args=(2, over))
    writer.start()
    rest = list(heard)
    writer.join()
    assert ((1, opened()), [(2, over)]) == (
        (first.seq, first.event),
        [(each.seq, each.event) for each in rest],
    )


def test_following_is_over_when_the_time_is(mended: api.ProjectSessions, tmp_path: Path) -> None:
    """What is there is told even when no time is given at all."""
    assert list(api.events(mended)) == list(api.follow(mended, seconds=0))
    with pytest.raises(UsageError, match="there is no session"):
        list(api.follow(api.sessions_at(tmp_path), seconds=0))
