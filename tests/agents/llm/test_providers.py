"""Whom a model is asked from, and who gets the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.agents import make
from clew.agents.llm import providers
from clew.agents.llm.providers import access
from clew.agents.prompts import Brief
from clew.agents.protocol import Call
from clew.agents.roles import DIAGNOSE
from clew.git.project import locate
from clew.runners import Site
from clew.words.errors import AgentFailed, UsageError
from clew.words.settings import Settings, load
from modelserver import Reply, serve

LOCAL = "http://127.0.0.1:8080/v1"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in providers.PROVIDERS.values():
        for name in (*provider.keys, provider.base_url):
            monkeypatch.delenv(name, raising=False)


def test_a_name_is_a_provider_and_a_model(tmp_path: Path) -> None:
    """What stands behind the provider is the model's, colons too."""
    (tmp_path / "clew.toml").write_text(f'[base-urls]\nopenai = "{LOCAL}"\n')
    found = access("openai:qwen3:8b", load((tmp_path,), {}, {}))
    assert ("openai", "qwen3:8b", LOCAL) == (found.provider, found.name, found.url)
    for words in ("", "openai", "openai:", "nobody:model"):
        with pytest.raises(UsageError, match="names no model"):
            access(words, Settings())


@pytest.mark.parametrize(
    "url", ["https://evil.example/v1", "http://127.0.0.1.evil.example", "http://10.0.0.1", "x", ""]
)
def test_a_project_sends_no_key_elsewhere(tmp_path: Path, url: str) -> None:
    """A file of the project names servers of this machine alone; others, the person does."""
    (tmp_path / "clew.toml").write_text(f'[base_urls]\nanthropic = "{url}"\n')
    settings = load((tmp_path,), {}, {})
    if not url:
        assert access("anthropic:m", settings).url is None
        return
    with pytest.raises(UsageError, match="only name servers of this machine") as raised:
        access("anthropic:m", settings)
    assert "set ANTHROPIC_BASE_URL yourself" in raised.value.hint


def test_a_variable_names_any_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own may do without a key; a provider does not."""
    with pytest.raises(AgentFailed, match="no key for openai") as raised:
        access("openai:m", Settings()).model()
    assert ("not_logged_in", "Set OPENAI_API_KEY.") == (raised.value.kind, raised.value.hint)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    found = access("openai:m", Settings())
    assert ("https://models.example/v1", "none") == (found.url, found.key)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("", "none of the models is loaded"),
        ("sk-0123456789", "none of the models is loaded for …"),
    ],
)
def test_what_stands_for_a_key_is_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, shown: str
) -> None:
    """A server's words keep theirs, where there is no key that could be among them."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    words = "none of the models is loaded" + (f" for {key}" if key else "")
    with serve(lambda _: Reply(status=400, error=words)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        agent = make("llm:openai:m", Settings(), locate(tmp_path))
        call = Call(
            number=1,
            role=DIAGNOSE,
            brief=Brief(iteration=1),
            site=Site(worktree=tmp_path, root=tmp_path),
            scratch=tmp_path,
            seconds=60.0,
        )
        with pytest.raises(AgentFailed) as raised:
            agent.diagnose(call, lambda _: None)
    assert shown in raised.value.message


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a session is opened."""
    monkeypatch.setattr(providers, "MODULE", "no_such_module")
    agent = make("llm:openai:m", Settings(), locate(tmp_path))
    with pytest.raises(UsageError, match="needs an extra") as raised:
        agent.look()  # type: ignore[attr-defined] # the protocol does without
    assert "pip install 'clew[llm]'" == raised.value.hint
