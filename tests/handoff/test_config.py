"""How a project and a person switch hand-off on, and bound it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.handoff import config
from clew.handoff.config import LIMITS, Config
from clew.handoff.markers import allowed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, with the person's own file in `person`."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "person"))
    (tmp_path / "project" / ".planning").mkdir(parents=True)
    return tmp_path / "project"


def load(folder: Path, project: object = None, person: object = None) -> Config:
    for path, content in (
        (folder / ".planning" / "config.json", project),
        (folder.parent / "person" / "clew" / "hand-off.json", person),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
    return config.load(str(folder))


YOLO = ".planning/config.json: mode is yolo"
MODES = [
    (None, False, "mode is interactive"),
    ({}, False, "mode is interactive"),
    ({"mode": "interactive"}, False, "mode is interactive"),
    ({"mode": "yolo"}, True, YOLO),
    ({"mode": "yolo", "depth": "quick", "gates": {"confirm": True}}, True, YOLO),
    ({"mode": "YOLO"}, False, f"{config.PROJECT}: mode 'YOLO' is neither yolo nor interactive"),
    (
        {"mode": "yolo", "spawn": {"enabled": False}},
        False,
        f"{config.PROJECT}: spawn.enabled is false",
    ),
    ({"spawn": {"enabled": True}}, True, f"{config.PROJECT}: spawn.enabled is true"),
]


@pytest.mark.parametrize(("project", "active", "reason"), MODES)
def test_a_project_is_active_when_it_says_so(
    folder: Path, project: object, reason: str, *, active: bool
) -> None:
    """By its mode, or by `spawn.enabled`; foreign keys do not matter."""
    found = load(folder, project)
    assert (active, reason, ()) == (found.active, found.reason, found.faults)


BROKEN: list[tuple[Any, Any]] = [
    ('{"mode": "yolo",}', None),
    ("[]", None),
    ("", None),
    ({"mode": "yolo", "spawn": "yes"}, None),
    ({"mode": "yolo", "spawn": {"enabled": "false"}}, None),
    ({"mode": "yolo", "spawn": {"dry_run": 1}}, None),
    ({"mode": "yolo"}, {"dry_run": "true"}),
    ({"mode": "yolo", "spawn": {"max_depth": "3"}}, None),
    ({"mode": "yolo", "spawn": {"max_depth": -1}}, None),
    ({"mode": "yolo", "spawn": {"commands": [1]}}, None),
    ({"mode": "yolo", "spawn": {"stop_at": {}}}, None),
    ({"mode": "yolo", "spawn": {"backend": "screen"}}, None),
    ({"mode": "yolo"}, "{nonsense"),
    ({"mode": "yolo"}, {"arguments": "--x --y", "max_tokens": True}),
]


@pytest.mark.parametrize(("project", "person"), BROKEN)
def test_what_cannot_be_understood_makes_it_interactive(
    folder: Path, project: object, person: object
) -> None:
    """With a reason, so that nobody wonders overnight."""
    found = load(folder, project, person)
    assert not found.active
    assert found.faults
    assert found.reason == found.faults[0]


patterns = st.lists(
    st.sampled_from(["/gsd:*", "/gsd:plan*", "/gsd:x", "/*", "*", "/other:x", "/other:*"]),
    max_size=3,
)
limits = st.dictionaries(st.sampled_from(sorted(LIMITS)), st.integers(0, 10**7))
wishes = st.fixed_dictionaries(
    {"commands": patterns},
    optional={
        "program": st.just("evil"),
        "arguments": st.just(["--evil"]),
        "skip_permissions": st.just(True),
        "start_seconds": st.just(1e9),
    },
)


@settings(max_examples=50)
@given(wishes, limits, limits, patterns.filter(bool) | st.none())
def test_a_project_never_widens_what_the_person_allows(
    tmp_path_factory: pytest.TempPathFactory,
    spawn: dict[str, object],
    lower: dict[str, int],
    own: dict[str, int],
    commands: list[str] | None,
) -> None:
    """Whatever a repository asks for: no other program, no more commands, no higher bound."""
    folder = tmp_path_factory.mktemp("p") / "project"
    person = own | ({"commands": commands} if commands else {})
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(folder.parent / "person"))
        alone = load(folder, {"mode": "yolo"}, person)
        found = load(folder, {"mode": "yolo", "spawn": spawn | lower}, person)
    assert (alone.program, alone.arguments) == (found.program, found.arguments)
    assert (alone.skip_permissions, alone.start_seconds) == (False, found.start_seconds)
    assert not found.skip_permissions
    for name in LIMITS:
        assert getattr(found, name) == min(getattr(alone, name), lower.get(name, 10**9))
    for command in ("/gsd:plan-phase", "/gsd:x", "/other:x", "/exit"):
        assert allowed(command, alone.commands) or not allowed(command, found.commands)


def test_the_person_may_lift_a_common_bound(folder: Path) -> None:
    """The defaults are for who says nothing."""
    assert LIMITS["max_depth"] == load(folder, {}).max_depth
    assert 99 == load(folder, {}, {"max_depth": 99}).max_depth
    assert 5 == load(folder, {"spawn": {"max_depth": 5}}, {"max_depth": 99}).max_depth


def test_what_the_person_chose_stands(folder: Path) -> None:
    """A project takes no other back-end, and an empty list of commands allows none."""
    project = {"mode": "yolo", "spawn": {"backend": "process"}}
    found = load(folder, project, {"backend": "tmux", "commands": []})
    assert ("tmux", ()) == (found.backend, found.commands)
