"""Gemini CLI's answers, and what it is started with, without the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.agents.gemini import EDITING, LOGINS, READING, Gemini
from clew.agents.roles import DIAGNOSE, FIX
from clew.git.project import Project
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed
from clew.words.facts import Usage

GEMINI = Gemini("", project=Project(root=Path("/p"), path=Path("/p"), git=False, name="p"))
CALL: dict[str, object] = {
    "type": "tool_use",
    "tool_name": "read_file",
    "parameters": {"file_path": "a.py"},
}
TOKENS = {"total_tokens": 157, "input_tokens": 100, "output_tokens": 20, "cached": 60}


def printed(out: str, code: int = 0, err: str = "") -> Completed:
    return Completed(exit_code=code, stdout=out, stderr=err, seconds=1.0)


def told(*lines: dict[str, object], code: int = 0) -> Completed:
    return printed("".join(json.dumps(line) + "\n" for line in lines), code, "[STARTUP] skipped\n")


def spoken(text: str, role: str = "assistant") -> dict[str, object]:
    return {"type": "message", "role": role, "content": text, "delta": True}


def result(error: str = "") -> dict[str, object]:
    problem = {"error": {"type": "unknown", "message": error}} if error else {}
    status = "error" if error else "success"
    return {"type": "result", "status": status, "stats": TOKENS, **problem}


def test_the_answer_is_what_it_says_last() -> None:
    """Not what it says before it uses a tool; thoughts are output, the cached is input."""
    lines = (spoken("ask", "user"), spoken("I look"), CALL, spoken("{"), spoken("}"), result())
    said = GEMINI.heard(told(*lines))
    assert ("{}", Usage(input=100, output=57, cached=60)) == (said.text, said.usage)
    notice = GEMINI.notice(json.dumps(CALL).encode())
    assert "reading a.py" == (notice and notice.doing)


@pytest.mark.parametrize(
    ("message", "code", "kind", "after"),
    [
        ('[API Error: {"error": {"code": 401, "message": "No key"}}]', 145, "not_logged_in", 0),
        ("[API Error: API key not valid. Please pass one.]", 144, "not_logged_in", 0),
        (
            "[API Error: The input token count (9) exceeds the maximum number of tokens (8).]",
            144,
            "context_too_long",
            0,
        ),
        ("[API Error: Quota exceeded. Please retry in 2s.]\nUpgrade.", 173, "rate_limited", 2),
        ("[API Error: The model is overloaded.]", 247, "rate_limited", 0),
        ("[API Error: models/x is not found for API version v1beta]", 1, "unknown_model", 0),
        ("[API Error: boom]", 1, "error", 0),
    ],
)
def test_an_error_is_told_in_the_words_of_the_model(
    message: str, code: int, kind: str, after: float
) -> None:
    """They may hold the API's own JSON; what it took so far is counted."""
    with pytest.raises(AgentFailed) as raised:
        GEMINI.heard(told(spoken("half"), result(message), code=code))
    words = "No key" if "No key" in message else message.partition(": ")[2].rpartition("]")[0]
    failed = raised.value
    assert (words, kind, after) == (failed.message, failed.kind, failed.after)
    assert Usage(input=100, output=57, cached=60) == failed.usage


def test_a_reply_that_was_held_back_is_a_refusal() -> None:
    """The exit code says success all the same."""
    error: dict[str, object] = {
        "type": "error",
        "severity": "error",
        "message": "It was blocked due to safety.",
    }
    with pytest.raises(AgentFailed, match="due to safety") as raised:
        GEMINI.heard(told(error, result() | {"status": "error"}))
    assert "refusal" == raised.value.kind


def test_nobody_logged_in_is_told_by_its_exit_code() -> None:
    """It says nothing on its output then."""
    with pytest.raises(AgentFailed, match="Please set an Auth method") as raised:
        GEMINI.heard(printed("", 41, "Please set an Auth method in your settings.json"))
    assert "not_logged_in" == raised.value.kind


@pytest.mark.parametrize("out", ["", "[]", "no JSON", '{"type": "message"}'])
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
    GEMINI.program(Path("/bin/gemini"), FIX, own)
    assert list(EDITING) == settings(own)["tools"]["core"]
    (own / ".gemini/policies/more.toml").touch()
    GEMINI.program(Path("/bin/gemini"), DIAGNOSE, own)
    assert list(READING) == settings(own)["tools"]["core"]
    names = sorted(str(p.relative_to(own)) for p in own.rglob("*.toml"))
    assert [".gemini/policies/clew.toml"] == names[1:]
    (own / ".gemini").rename(tmp_path / "elsewhere")
    (own / ".gemini").symlink_to(tmp_path / "elsewhere")
    GEMINI.program(Path("/bin/gemini"), FIX, own)
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
    GEMINI.program(Path("/bin/gemini"), FIX, person / "own")
    auth = settings(person / "own")["security"].get("auth")
    assert (None if way is None else {"selectedType": way}) == auth


def test_a_home_says_which_way_to_log_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person's login, where there is no key: without it a key would be asked for."""
    for name in LOGINS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "theirs"))
    (tmp_path / "theirs" / ".gemini").mkdir(parents=True)
    (tmp_path / "theirs" / ".gemini" / "oauth_creds.json").write_text("{}")
    Gemini.furnish(tmp_path / "own")
    settings = json.loads((tmp_path / "own" / ".gemini" / "settings.json").read_text())
    assert {"security": {"auth": {"selectedType": "oauth-personal"}}} == settings
