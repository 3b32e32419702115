"""opencode's answers and its configuration, without the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.agents.login_copy import looks_like
from clew.agents.opencode import LOGINS, Opencode
from clew.agents.roles import FIX, ROLES
from clew.git.project import Project, locate
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed
from clew.words.facts import Usage

STARTED = {"type": "step_start", "sessionID": "ses_1", "part": {"id": "a", "type": "step-start"}}
SAID = {"type": "text", "sessionID": "ses_1", "part": {"id": "b", "type": "text", "text": "{}"}}
LOOKED = {
    "type": "tool_use",
    "sessionID": "ses_1",
    "part": {"tool": "read", "state": {"status": "completed", "input": {"filePath": "a.py"}}},
}


def ended(number: int, cost: float = 0.25) -> dict[str, Any]:
    tokens = {"input": 70, "output": 5, "reasoning": 2, "cache": {"read": 30, "write": 0}}
    part = {"id": f"end{number}", "type": "step-finish", "tokens": tokens, "cost": cost}
    return {"type": "step_finish", "sessionID": "ses_1", "part": part}


def failing(message: str, status: int | None = None) -> dict[str, Any]:
    data = {"message": message, "statusCode": status}
    return {"type": "error", "sessionID": "ses_1", "error": {"name": "APIError", "data": data}}


def printed(*events: object, code: int = 0, err: str = "") -> Completed:
    out = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in events)
    return Completed(exit_code=code, stdout=out, stderr=err, seconds=1.0)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "project").mkdir()
    return locate(tmp_path / "project")


def configured(project: Project, role: str, model: str = "openai/m") -> dict[str, Any]:
    own = project.path.parent / "own"
    own.mkdir(exist_ok=True)
    program = Opencode(model, project=project).program(Path("/opt/opencode"), ROLES[role], own)
    found: dict[str, Any] = json.loads(program.environment["OPENCODE_CONFIG_CONTENT"])
    return found


def test_the_last_step_is_the_answer_and_all_steps_count(project: Project) -> None:
    """Tokens of a cache are input, those of reasoning output."""
    on_the_way = {**SAID, "part": {"text": "I look"}}
    events = (STARTED, on_the_way, LOOKED, ended(1), "no event", STARTED, SAID, ended(2))
    said = Opencode("", project=project).heard(printed(*events))
    assert ("{}", Usage(input=200, output=14, cached=60, cache_write=0, usd=0.5)) == (
        said.text,
        said.usage,
    )


def test_a_price_of_nothing_is_one_that_it_lacks(project: Project) -> None:
    """Money is not made up."""
    said = Opencode("", project=project).heard(printed(STARTED, SAID, ended(1, cost=0)))
    assert said.usage is not None
    assert said.usage.usd is None


@pytest.mark.parametrize(
    ("words", "status", "kind"),
    [
        ("Incorrect API key provided", 401, "not_logged_in"),
        ("slow down", 429, "rate_limited"),
        ("Model not found: openai/gpt-9", None, "unknown_model"),
        ("Your input exceeds the context window", 400, "context_too_long"),
        ("something else", None, "error"),
    ],
)
def test_an_error_is_told_in_its_own_words(
    project: Project, words: str, status: int | None, kind: str
) -> None:
    """What the call took until then is counted."""
    events = (STARTED, ended(1), failing(words, status))
    with pytest.raises(AgentFailed) as raised:
        Opencode("", project=project).heard(printed(*events, code=1))
    assert (kind, words) == (raised.value.kind, raised.value.message)
    assert raised.value.usage == Usage(input=100, output=7, cached=30, cache_write=0, usd=0.25)


@pytest.mark.parametrize("events", [(), ("[]", "no JSON"), (STARTED, LOOKED, ended(1))])
def test_an_end_without_an_answer_is_told_with_the_last_words(
    project: Project, events: tuple[object, ...]
) -> None:
    """It may die, or be another program of that name."""
    with pytest.raises(AgentFailed, match="exit code 1, and without a result: segfault"):
        Opencode("", project=project).heard(printed(*events, code=1, err="starting\nsegfault"))


def test_a_diagnosis_may_read_and_a_fix_may_edit(project: Project) -> None:
    """All else is denied, commands first of all."""
    reading = {"*": "deny", "glob": "allow", "grep": "allow", "list": "allow", "read": "allow"}
    assert reading == configured(project, "diagnose")["permission"]
    assert reading | {"edit": "allow"} == configured(project, "fix")["permission"]


def test_what_an_earlier_call_put_in_the_place_of_a_folder_is_removed(
    project: Project, tmp_path: Path
) -> None:
    """A file, or a link; what a folder holds stays."""
    configured(project, "diagnose")
    own = tmp_path / "own"
    (own / "cache").rmdir()
    (own / "cache").touch()
    (own / "tmp").rmdir()
    (own / "tmp").symlink_to(tmp_path / "project")
    (own / "state" / "kept").touch()
    configured(project, "diagnose")
    assert (own / "cache").is_dir()
    assert not (own / "tmp").is_symlink()
    assert (own / "state" / "kept").exists()


def test_a_base_url_is_that_of_openai(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is served there need not be known; another provider stays where it is."""
    assert "provider" not in configured(project, "fix")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    served = {"options": {"baseURL": "http://127.0.0.1:1/v1"}, "models": {"m": {}}}
    assert {"openai": served} == configured(project, "fix")["provider"]
    assert "provider" not in configured(project, "fix", "anthropic/m")


def test_without_a_model_it_asks_where_the_person_is_logged_in(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its makers have models that need no login: nobody chose to send the project there."""
    for name in LOGINS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("HOME", str(project.root))
    assert not {"enabled_providers", "disabled_providers"} & configured(project, "fix", "").keys()
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert ["anthropic", "openai"] == configured(project, "fix", "")["enabled_providers"]
    told = Opencode("", project=project, pass_env=("OTHER_API_KEY",)).told(FIX)
    configuration = json.loads(told["OPENCODE_CONFIG_CONTENT"])
    assert "enabled_providers" not in configuration
    assert ["opencode"] == configuration["disabled_providers"]


def test_who_names_a_server_is_asked_nowhere_else(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base URL is a choice, with a key for it or without."""
    for name in LOGINS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(project.root))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert ["openai"] == configured(project, "fix", "")["enabled_providers"]


def test_a_line_tells_what_it_does_and_took(project: Project) -> None:
    """And the name of the conversation, by which it goes on."""
    agent = Opencode("", project=project)
    looked, step = (agent.notice(json.dumps(line).encode()) for line in (LOOKED, ended(1)))
    assert looked is not None
    assert step is not None
    assert ("reading a.py", "ses_1") == (looked.doing, looked.conversation)
    assert ("end1", Usage(input=100, output=7, cached=30, cache_write=0, usd=0.25)) == (
        step.message,
        step.usage,
    )
    assert agent.notice(b"no event") is None


def test_an_argument_that_is_no_text_is_not_told(project: Project) -> None:
    """Lists in one another can be deeper than words for them."""
    deep = '{"type":"tool_use","part":{"tool":"read","state":{"input":{"path":[1]}}}}'
    notice = Opencode("", project=project).notice(deep.encode())
    assert notice is not None
    assert "reading" == notice.doing


def test_a_login_has_one_provider_at_least() -> None:
    """One that lost them all does not go back to the person."""
    good = looks_like(Opencode.login)
    assert [True, False, False] == [
        good(each) for each in (b'{"openai": {"type": "api", "key": "k"}}', b"{}", b'{"a": 1}')
    ]


@pytest.mark.parametrize(
    ("model", "key", "kept", "reached"),
    [
        ("anthropic/m", "", "", True),
        ("openrouter/other/m", "GEMINI_API_KEY", '{"elsewhere": {}}', True),
        ("elsewhere/m", "OPENAI_API_KEY", "", False),
        ("", "OPENAI_API_KEY", '{"anthropic": {"type": "oauth"}}', True),
        ("", "OPENAI_API_KEY", '{"elsewhere": {"type": "api"}}', False),
        ("", "OPENAI_API_KEY", "no JSON", True),
        ("", "", "", False),
    ],
)
def test_its_hosts_are_those_of_its_providers(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    key: str,
    kept: str,
    *,
    reached: bool,
) -> None:
    """Where one of them is not known there is no list: it may call all."""
    for name in (*LOGINS, "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    if key:
        monkeypatch.setenv(key, "k")
    monkeypatch.setenv("HOME", str(project.root))
    login = project.root / ".local" / "share" / "opencode" / "auth.json"
    login.parent.mkdir(parents=True)
    login.write_text(kept)

    assert reached == bool(Opencode(model, project=project).hosts)
    if not model:
        more = Opencode(model, project=project, pass_env=("OTHER_API_KEY",))
        assert () == more.hosts
