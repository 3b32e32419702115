"""Gemini CLI's answers, and what it is started with, without the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.agents.gemini import EDITING, READING, Gemini
from clew.errors import AgentFailed
from clew.facts import Usage
from clew.processes import Completed
from clew.project import Project

GEMINI = Gemini("", project=Project(root=Path("/p"), path=Path("/p"), git=False, name="p"))
TOKENS = {"prompt": 100, "candidates": 20, "thoughts": 7, "tool": 3, "cached": 60, "total": 130}


def printed(out: str, code: int = 0, err: str = "") -> Completed:
    return Completed(exit_code=code, stdout=out, stderr=err, seconds=1.0)


def broken(message: str, code: object) -> Completed:
    """An end as it comes: warnings and a trace, then the error, all on standard error."""
    error = {"session_id": "x", "error": {"type": "Error", "message": message, "code": code}}
    return printed("", 144, f"warned\n{{\n at line\n}}\n{json.dumps(error, indent=2)}\n\n")


def test_tokens_of_all_models_are_summed() -> None:
    """Thoughts count as output, and what came from a cache is part of the input."""
    stats = {"models": {"a": {"tokens": TOKENS}, "b": {"tokens": TOKENS}}}
    said = GEMINI.heard(printed(json.dumps({"response": "{}", "stats": stats}, indent=2)))
    assert ("{}", Usage(input=206, output=54, cached=120)) == (said.text, said.usage)


@pytest.mark.parametrize(
    ("message", "code", "kind"),
    [
        (json.dumps({"error": {"code": 401, "message": "No key"}}), 401, "not_logged_in"),
        ("Please set an Auth method in your settings.json", 41, "not_logged_in"),
        ("API key not valid. Please pass a valid API key.", 400, "not_logged_in"),
        (
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            400,
            "context_too_long",
        ),
        ("Quota exceeded. Please retry in 2s.", 429, "rate_limited"),
        ("The model is overloaded.", 503, "unavailable"),
        ("models/x is not found for API version v1beta", 1, "unknown_model"),
        ("boom", "BOOM", "error"),
    ],
)
def test_an_error_is_told_in_the_words_of_the_model(message: str, code: object, kind: str) -> None:
    """It stands at the end of standard error, and may hold the API's own JSON."""
    with pytest.raises(AgentFailed) as raised:
        GEMINI.heard(broken(message, code))
    words = "No key" if "No key" in message else message
    assert (kind, words) == (raised.value.kind, raised.value.message)


def test_a_reply_that_was_held_back_is_a_refusal() -> None:
    """The exit code says success all the same."""
    error = {"type": "INVALID_STREAM", "message": "The model was blocked due to safety settings."}
    with pytest.raises(AgentFailed, match="safety settings") as raised:
        GEMINI.heard(printed(json.dumps({"response": "", "error": error})))
    assert "refused" == raised.value.kind


@pytest.mark.parametrize("out", ["", "[]", "no JSON", '{"session_id": "x"}'])
def test_an_end_without_a_result_is_told_with_the_last_words(out: str) -> None:
    """It may die, or be another program of that name."""
    with pytest.raises(AgentFailed, match="exit code 1, and without a result: segfault"):
        GEMINI.heard(printed(out, 1, "starting\nsegfault"))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person with node, and without a login."""
    (tmp_path / "node").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "person"))
    for name in Gemini.about.variables:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "person" / ".gemini").mkdir(parents=True)
    return tmp_path / "person" / ".gemini"


def settings(own: Path) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads((own / ".gemini/settings.json").read_text())
    return found


def test_an_earlier_call_leaves_nothing_in_its_home(person: Path, tmp_path: Path) -> None:
    """An agent may write there: settings, rules for tools, or a link to somewhere else."""
    own = tmp_path / "own"
    GEMINI.program(Path("/bin/gemini"), "fix", own)
    assert list(EDITING) == settings(own)["tools"]["core"]
    (own / ".gemini/policies/more.toml").touch()
    GEMINI.program(Path("/bin/gemini"), "diagnose", own)
    assert list(READING) == settings(own)["tools"]["core"]
    names = sorted(str(p.relative_to(own)) for p in own.rglob("*.toml"))
    assert [".gemini/policies/clew.toml"] == names[1:]
    (own / ".gemini").rename(tmp_path / "elsewhere")
    (own / ".gemini").symlink_to(tmp_path / "elsewhere")
    GEMINI.program(Path("/bin/gemini"), "fix", own)
    assert not (own / ".gemini").is_symlink()


@pytest.mark.parametrize(
    ("theirs", "env", "way"),
    [
        ("", {}, None),
        ("", {"GEMINI_API_KEY": "k"}, "gemini-api-key"),
        ("", {"GOOGLE_API_KEY": "k"}, "vertex-ai"),
        ("// mine", {"GEMINI_API_KEY": "k"}, "gemini-api-key"),
        (
            '{"security": {"auth": {"selectedType": "oauth-personal"}}}',
            {"GEMINI_API_KEY": "k"},
            "oauth-personal",
        ),
    ],
)
def test_the_way_to_log_in_is_the_one_that_the_person_chose(
    person: Path,
    monkeypatch: pytest.MonkeyPatch,
    theirs: str,
    env: dict[str, str],
    way: str | None,
) -> None:
    """A key that is there for another program does not pay for this one."""
    (person / "settings.json").write_text(theirs)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    GEMINI.program(Path("/bin/gemini"), "fix", person / "own")
    auth = settings(person / "own")["security"].get("auth")
    assert (None if way is None else {"selectedType": way}) == auth
