"""Events of other versions: former ones are led here, and of later ones the rest is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.words import events as ev
from clew.words.errors import JournalDamaged
from clew.words.settings import Budget, Cap, Price, Settings, TestSettings
from sessionplay import START, opened

OPENED_BEFORE: dict[str, object] = {
    "type": "SessionOpened",
    "session_id": "s",
    "goal": "g",
    "clew_version": "0",
    "root": "/p",
    "path": "/p/q",
    "agents": ["claude", "repair"],
    "cap": 5,
    "agent_retries": 1,
    "on_invalid_report": "fail_iteration",
    "test_command": "make test",
    "runner_args": ["-x"],
    "only": True,
    "agent_hosts": ["api.example.com"],
    "budget": {"seconds": 10.0, "usd": 2.5},
    "iteration_budget": {"tokens": 7},
    "prices": {"x": {"input": 1.0, "output": 2.0}},
    "ladder": {"claude": {"calls": 2}},
    "models": {"fix": "strong"},
    "prompts": {"fix": "Mend it."},
    "settings": {"agent": "command line"},
    "unbounded": ["claude"],
    "rules": 2,
}


def read(event: dict[str, object], version: int = ev.SCHEMA_VERSION) -> ev.AnyEvent:
    return ev.decode(json.dumps(event).encode(), version)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_settings_that_stood_one_by_one_are_one_value(version: int) -> None:
    """Whatever was not told has its default."""
    settings = Settings(
        test_command="make test",
        agent=("claude", "repair"),
        max_iterations=5,
        agent_retries=1,
        on_invalid_report="fail_iteration",
        agent_hosts=("api.example.com",),
        max_seconds=10.0,
        max_usd=2.5,
        iteration_max_tokens=7,
        prices={"x": Price(input=1.0, output=2.0)},
        ladder={"claude": Cap(calls=2)},
        models={"fix": "strong"},
        prompts={"fix": "Mend it."},
        sources={"agent": "command line"},
    )
    assert Budget(seconds=10.0, usd=2.5) == settings.budget
    known = ev.SessionOpened(
        session_id="s",
        goal="g",
        clew_version="0",
        root="/p",
        path="/p/q",
        settings=settings,
        runner_args=("-x",),
        only=True,
        unbounded=("claude",),
        rules=2,
    )
    assert known == read(OPENED_BEFORE, version)


def test_settings_of_the_tests_that_stood_one_by_one_are_one_value() -> None:
    """With where they came from."""
    before = {"type": "SetUpRead", "timeout": 9.0, "settings": {"timeout": "clew.toml"}}
    told = TestSettings(timeout=9.0, sources={"timeout": "clew.toml"})
    assert ev.SetUpRead(settings=told) == read(before, 3)


def test_settings_that_are_not_known_here_are_passed_over() -> None:
    """Another Clew of the same schema wrote them, or they were taken away since."""
    settings = {
        "max_iterations": 4,
        "moon_phase": "full",
        "ladder": {"a": {"calls": 1, "moons": 2}},
        "prices": {"a": {"input": 1, "output": 1, "moon": 1}},
        "sources": {"moon_phase": "clew.toml"},
    }
    event = {**OPENED_BEFORE, "settings": settings}
    known = read(event)
    assert isinstance(known, ev.SessionOpened)
    assert (4, {"a": Cap(calls=1)}) == (known.settings.max_iterations, known.settings.ladder)


def test_a_session_keeps_its_settings_where_a_later_clew_has_other_defaults() -> None:
    """So each is written."""
    body = json.loads(ev.encode(opened()))
    assert set(Settings.__struct_fields__) == body["settings"].keys()


@pytest.mark.parametrize("broken", [{"budget": 3}, {"cap": "many"}, {"settings": 1}])
def test_a_former_event_of_another_shape_is_damage(broken: dict[str, object]) -> None:
    """It is said, and the program goes on."""
    with pytest.raises(JournalDamaged, match="cannot be read"):
        read({**OPENED_BEFORE, **broken}, 3)


def test_a_line_of_a_checkpoint_names_its_version() -> None:
    """One that names none was written before lines did."""
    recorded = ev.Recorded(session="s", seq=1, at=START, event=opened())
    assert recorded == ev.from_line(ev.to_line(recorded))
    before = {"session": "s", "seq": 1, "at": START.isoformat(), "event": OPENED_BEFORE}
    assert read(OPENED_BEFORE, 3) == ev.from_line(json.dumps(before).encode()).event
    with pytest.raises(JournalDamaged):
        ev.from_line(b'{"session": "s"}')


def test_a_former_checkpoint_is_read() -> None:
    """Each line of it, as it was exported."""
    journal = Path(__file__).parents[2] / "formats" / "journals" / "v3" / "events.jsonl"
    for line in journal.read_bytes().splitlines():
        former = json.loads(line)
        del former["version"], former["writer"]
        assert ev.from_line(json.dumps(former).encode()) == ev.from_line(line)
