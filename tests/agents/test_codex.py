"""Codex's answers and its command line, without the program."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.agents.codex import Codex
from clew.agents.listening import Notice
from clew.agents.roles import FIX, ROLES
from clew.git.project import Project, locate
from clew.sandbox import confinement
from clew.sandbox.processes import Completed
from clew.sandbox.temporary import remove
from clew.words.errors import AgentFailed
from clew.words.facts import Usage

STARTED = {"type": "thread.started", "thread_id": "t"}
SAID = {"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "{}"}}
ENDED = {
    "type": "turn.completed",
    "usage": {"input_tokens": 140, "cached_input_tokens": 100, "output_tokens": 5},
}

HUGE = {**ENDED, "usage": {"input_tokens": 10**400}}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "project").mkdir()
    return locate(tmp_path / "project")


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is logged in, and no variable is set."""
    for name in Codex.about.variables:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "theirs"))


def printed(*events: object, code: int = 0, err: str = "") -> Completed:
    out = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in events)
    return Completed(exit_code=code, stdout=out, stderr=err, seconds=1.0)


def started(project: Project, role: str = "diagnose") -> tuple[tuple[str, ...], dict[str, str]]:
    own = project.path.parent / "own"
    own.mkdir(exist_ok=True)
    program = Codex("gpt-x", project=project).program(Path("/opt/codex"), ROLES[role], own)
    return program.argv, dict(program.environment)


def settings(argv: tuple[str, ...]) -> dict[str, Any]:
    pairs = (value.partition("=") for flag, value in itertools.pairwise(argv) if flag == "-c")
    return {name: json.loads(value) for name, _, value in pairs}


def test_the_last_that_it_said_is_the_answer(project: Project) -> None:
    """What was said on the way, and lines that are no events, are passed over."""
    on_the_way = {**SAID, "item": {"type": "agent_message", "text": "I look"}}
    said = Codex("", project=project).heard(printed("WARNING", STARTED, on_the_way, SAID, ENDED))
    assert ("{}", Usage(input=140, output=5, cached=100)) == (said.text, said.usage)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("The model `gpt-9` does not exist or you do not have access to it.", "unknown_model"),
        ("unexpected status 401 Unauthorized: Incorrect API key provided", "not_logged_in"),
        ("Missing environment variable: `OPENAI_API_KEY`.", "not_logged_in"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limited"),
        ("Quota exceeded. Check your plan and billing details.", "out_of_credit"),
        ("You've hit your usage limit. Try again later.", "out_of_credit"),
        ("Codex ran out of room in the model's context window.", "context_too_long"),
        ("unexpected status 503 Service Unavailable: busy", "busy"),
        ("something else", "error"),
    ],
)
def test_a_turn_that_failed_is_told_in_its_own_words(
    project: Project, words: str, kind: str
) -> None:
    """Its kind decides what follows."""
    failed = {"type": "turn.failed", "error": {"message": words}}
    with pytest.raises(AgentFailed) as raised:
        Codex("", project=project).heard(printed(STARTED, failed, code=1))
    assert (kind, words) == (raised.value.kind, raised.value.message)


def test_a_refusal_that_comes_through_as_json_is_unwrapped(project: Project) -> None:
    """The words are those of the model's API."""
    told = json.dumps({"error": {"message": "Your input exceeds the context window."}})
    failed = {"type": "turn.failed", "error": {"message": told}}
    with pytest.raises(AgentFailed, match=r"^Your input exceeds") as raised:
        Codex("", project=project).heard(printed(failed, code=1))
    assert "context_too_long" == raised.value.kind


@pytest.mark.parametrize(
    "events", [(), ("no JSON", "[]"), (STARTED, SAID), (STARTED, ENDED), (SAID, HUGE)]
)
def test_an_end_without_an_answer_is_told_with_the_last_words(
    project: Project, events: tuple[object, ...]
) -> None:
    """It may die, or be another program of that name."""
    with pytest.raises(AgentFailed, match="exit code 1, and without a result: segfault"):
        Codex("", project=project).heard(printed(*events, code=1, err="starting\nsegfault"))


@pytest.mark.parametrize(
    ("level", "modes"),
    [
        (confinement.Level.NAMESPACE, ("danger-full-access", "danger-full-access")),
        (confinement.Level.LANDLOCK, ("danger-full-access", "danger-full-access")),
        (confinement.Level.NONE, ("read-only", "workspace-write")),
    ],
)
def test_its_own_sandbox_is_off_only_inside_of_clews(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    level: confinement.Level,
    modes: tuple[str, str],
) -> None:
    """There it cannot be built, and is not needed."""
    monkeypatch.setattr(confinement, "detect", lambda: confinement.Survey(level))
    found = tuple(
        argv[argv.index("--sandbox") + 1]
        for argv, _ in (started(project, role) for role in ("diagnose", "fix"))
    )
    assert modes == found


def test_a_base_url_becomes_a_provider(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where the person sets one; without a key the login speaks for them."""
    assert "model_provider" not in settings(started(project)[0])
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    asked = settings(started(project)[0])
    assert ("clew", "http://127.0.0.1:1/v1", True) == (
        asked["model_provider"],
        asked["model_providers.clew.base_url"],
        asked["model_providers.clew.requires_openai_auth"],
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    asked = settings(started(project)[0])
    assert "OPENAI_API_KEY" == asked["model_providers.clew.env_key"]


def test_a_key_is_given_by_the_name_it_is_read_by(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A login goes before a key that the person has for something else."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert "sk-1" == started(project)[1]["CODEX_API_KEY"]
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "auth.json").write_text("{}")
    assert "CODEX_API_KEY" not in started(project)[1]


def test_nothing_of_an_earlier_call_is_found_by_the_next(project: Project) -> None:
    """Not even where an agent put a link in the place of a folder."""
    own = project.path.parent / "own"
    _, environment = started(project)
    assert {"CODEX_HOME", "TMPDIR"} == set(environment)
    (own / "home" / "config.toml").write_text('model = "another"')
    (own / "tmp").rmdir()
    (own / "tmp").symlink_to(project.path)
    started(project)
    Codex("", project=project).forget(own)
    assert [[], []] == [list((own / name).iterdir()) for name in ("home", "tmp")]
    assert not (own / "tmp").is_symlink()


def test_a_conversation_goes_on_while_it_is_kept(project: Project, tmp_path: Path) -> None:
    """By its name, with all else as it was."""
    agent, own = Codex("", project=project), tmp_path / "codex"
    own.mkdir()
    program = agent.program(Path("/opt/codex"), FIX, own)
    assert ("resume", "c-1", "-") == agent.resumed(program, "c-1").argv[-3:]
    assert not agent.can_resume(tmp_path, "c-1")
    kept = own / "home" / "sessions" / "2026" / "rollout-now-c-1.jsonl"
    kept.parent.mkdir(parents=True)
    kept.touch()
    assert agent.can_resume(tmp_path, "c-1")
    agent.forget(own)
    assert not agent.can_resume(tmp_path, "c-1")


def test_what_an_earlier_call_put_in_the_way_is_removed(project: Project) -> None:
    """A folder in the place of the form of its answer."""
    (project.path.parent / "own" / "answer.json" / "below").mkdir(parents=True)
    started(project)
    assert (project.path.parent / "own" / "answer.json").is_file()


def test_a_home_that_cannot_be_looked_through_keeps_no_conversation(
    project: Project, tmp_path: Path
) -> None:
    """A thousand folders in one another."""
    (tmp_path / "codex" / "home").mkdir(parents=True)
    at = os.open(tmp_path / "codex" / "home", os.O_RDONLY)
    for name in ("sessions", *("d" for _ in range(1_200))):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    try:
        assert not Codex("", project=project).can_resume(tmp_path, "c-1")
    finally:
        remove(tmp_path / "codex")


@pytest.mark.parametrize(
    ("event", "notice"),
    [
        (STARTED, Notice(conversation="t")),
        (SAID, Notice()),
        (ENDED, Notice(usage=Usage(input=140, output=5, cached=100))),
        (
            {"type": "item.started", "item": {"type": "command_execution", "command": "cat a.py"}},
            Notice(doing="running cat a.py"),
        ),
        (
            {"type": "item.started", "item": {"type": "file_change", "changes": [{"path": "a"}]}},
            Notice(doing="editing a"),
        ),
        ({"type": "error", "message": "Reconnecting... 1/5"}, Notice(waits="Reconnecting... 1/5")),
        ("no event", None),
    ],
)
def test_a_line_tells_what_it_does(project: Project, event: object, notice: Notice | None) -> None:
    """And what it took, why it waits, and by which name it goes on."""
    assert notice == Codex("", project=project).notice(json.dumps(event).encode())
