"""Sessions worked on by a program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew import api
from clew.words import events as ev
from clew.words.errors import UsageError
from projects import two_faults, two_fixes


class Hearing(api.Unwatched):
    """Whoever looks on, and keeps what was seen."""

    def __init__(self) -> None:
        self.seen: list[type[ev.Event]] = []

    def saw(self, recorded: ev.Recorded, _: object) -> None:
        self.seen.append(type(recorded.event))


def test_a_question_is_answered_by_whoever_reads_it(state: Path) -> None:
    """A round of one iteration mends one of two faults; the program goes back, then ends it."""
    sessions = api.sessions_at(two_faults(state / "two"))
    chosen = {
        "agent": two_fixes(state / "r.jsonl"),
        "max_iterations": 1,
        "test_command": f"{sys.executable} -m pytest",
    }
    watcher = Hearing()
    stands = api.fix(sessions, api.settings_for(sessions, chosen), watcher)
    name = stands.session
    assert [type(each.event) for each in api.events(sessions)] == watcher.seen
    assert stands.question is not None
    assert (1, "waiting", name) == (stands.exit_code, stands.status, api.status(sessions).session)

    with pytest.raises(UsageError, match="is not an answer"):
        api.answer(sessions, name, "perhaps")
    with pytest.raises(UsageError, match="nobody works on"):
        api.pause(sessions, name)
    with pytest.raises(UsageError, match="no guidance, and no other agent, while"):
        api.resume(sessions, name, guidance="x", settings={"test_command": "y"})
    assert not api.apply(sessions, name).complete

    assert "terminated" == api.answer(sessions, name, "terminate").status
    assert "terminated" == api.resume(sessions, name).status
    with pytest.raises(UsageError, match="has ended"):
        api.terminate(sessions, name)
