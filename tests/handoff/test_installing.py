"""Hooks in an agent's settings: merged, once, and out again without a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.handoff.agents import AGENTS
from clew.hooks.installing import (
    SettingsUnreadable,
    command,
    install,
    installed,
    merged,
    uninstall,
    without,
)

CLAUDE = AGENTS["claude"]
EVENTS = ("SessionStart", "Stop", "SessionEnd")
FOREIGN = {
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "notify-send done"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}],
    },
    "model": "opus",
}


def own(path: Path) -> dict[str, list[str]]:
    return installed(path)


def test_a_new_file_holds_the_three_hooks(tmp_path: Path) -> None:
    """Each event once, with a time-out in the agent's unit."""
    path = tmp_path / ".claude" / "settings.json"
    assert install(path, CLAUDE)
    assert {event: [command(CLAUDE)] for event in EVENTS} == own(path)
    entry = json.loads(path.read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert {"type": "command", "command": command(CLAUDE), "timeout": 10} == entry


def test_what_was_there_stays_in_its_order(tmp_path: Path) -> None:
    """Keys, foreign hooks, indentation; a second time changes no byte; taking out restores."""
    path = tmp_path / "settings.json"
    path.write_text(before := json.dumps(FOREIGN, indent=4) + "\n")
    path.chmod(0o600)
    assert install(path, CLAUDE)
    after = json.loads(path.read_text())
    assert list(FOREIGN) == list(after)
    assert FOREIGN["hooks"]["Stop"][0] == after["hooks"]["Stop"][0]  # type: ignore[index]
    assert FOREIGN["hooks"]["PreToolUse"] == after["hooks"]["PreToolUse"]  # type: ignore[index]
    first = path.read_bytes()
    assert not install(path, CLAUDE)
    assert first == path.read_bytes()
    assert 0o600 == path.stat().st_mode & 0o777
    assert uninstall(path)
    assert before == path.read_text()


def test_hooks_of_an_earlier_place_are_replaced(tmp_path: Path) -> None:
    """Clew has moved to another environment: one hook an event, and it is the new one."""
    path = tmp_path / "settings.json"
    old = {"type": "command", "command": "/old/python -I -S /old/clew/hooks/__main__.py claude"}
    mixed = {"hooks": [{"type": "command", "command": "mine"}, old]}
    path.write_text(json.dumps({"hooks": {"Stop": [mixed, {"hooks": [old]}]}}))
    assert install(path, CLAUDE)
    stops = json.loads(path.read_text())["hooks"]["Stop"]
    assert ["mine", command(CLAUDE)] == [h["command"] for group in stops for h in group["hooks"]]


@pytest.mark.parametrize(
    "content",
    ["{nonsense", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1, // why\n}', "\x00"],
)
def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path: Path, content: str) -> None:
    """It is never reset: what somebody keeps there is theirs."""
    path = tmp_path / "settings.json"
    path.write_text(content)
    with pytest.raises(SettingsUnreadable, match=r"settings\.json"):
        install(path, CLAUDE)
    with pytest.raises(SettingsUnreadable, match=r"settings\.json"):
        uninstall(path)
    assert content == path.read_text()


def test_a_link_to_the_settings_stays_a_link(tmp_path: Path) -> None:
    """Who keeps settings in another repository finds the change there."""
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to(real)
    install(link, CLAUDE)
    assert link.is_symlink()
    assert EVENTS == tuple(own(real))


def test_nothing_to_take_out_makes_no_file(tmp_path: Path) -> None:
    """An agent without settings has none afterwards."""
    assert not uninstall(tmp_path / "settings.json")
    assert [] == list(tmp_path.iterdir())


hooks = st.lists(
    st.fixed_dictionaries(
        {
            "hooks": st.lists(
                st.fixed_dictionaries({"type": st.just("command"), "command": st.text()})
            )
        },
        optional={"matcher": st.text()},
    ),
    min_size=1,
)
settings = st.dictionaries(st.text(), st.integers(), max_size=3) | st.fixed_dictionaries(
    {
        "hooks": st.dictionaries(
            st.sampled_from(["Stop", "SessionStart", "Other"]), hooks, min_size=1
        )
    }
)


@given(settings, st.sampled_from(sorted(AGENTS)))
def test_out_is_the_opposite_of_in(before: dict[str, Any], name: str) -> None:
    """Whatever the settings hold, and twice in is once in."""
    agent = AGENTS[name]
    once = merged(before, agent)
    assert once == merged(once, agent)
    assert before == without(once)
    assert set(agent.events) <= set(once["hooks"])
