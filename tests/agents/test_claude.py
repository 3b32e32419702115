"""Claude Code's answers and its login, without the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.agents.claude import heard, lent_login
from clew.errors import AgentFailed
from clew.facts import Usage
from clew.processes import Completed

LOGIN = json.dumps({"claudeAiOauth": {"accessToken": "a", "refreshToken": "b", "expiresAt": 1}})
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "{}",
    "total_cost_usd": 0.25,
    "usage": {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 100,
    },
}


def printed(out: str, code: int = 0, err: str = "") -> Completed:
    return Completed(exit_code=code, stdout=out, stderr=err, seconds=1.0)


def test_tokens_from_a_cache_are_counted_as_input_and_named() -> None:
    """The API leaves them out of its input tokens."""
    said = heard(printed(json.dumps(RESULT)))
    assert ("{}", Usage(input=140, output=5, cached=100, usd=0.25)) == (said.text, said.usage)


@pytest.mark.parametrize(
    ("more", "kind", "words"),
    [
        (
            {"is_error": True, "result": "Invalid API key · Please run /login"},
            "not_logged_in",
            "Invalid API key",
        ),
        (
            {"is_error": True, "result": "API Error: 529 Overloaded"},
            "rate_limited",
            "529 Overloaded",
        ),
        ({"subtype": "error_max_turns", "result": ""}, "error", "error_max_turns"),
        (
            {"result": "I may not.", "permission_denials": [{"tool_name": "Bash"}]},
            "tool_access",
            "it was denied Bash",
        ),
    ],
)
def test_what_is_no_answer_is_told_in_its_own_words(
    more: dict[str, object], kind: str, words: str
) -> None:
    """Its exit code says success even where tools were denied: the result is looked at."""
    with pytest.raises(AgentFailed, match=words) as raised:
        heard(printed(json.dumps(RESULT | more)))
    assert kind == raised.value.kind


@pytest.mark.parametrize("out", ["", "[]", "no JSON", '{"type": "system"}'])
def test_an_end_without_a_result_is_told_with_the_last_words(out: str) -> None:
    """It may die, or be another program of that name."""
    with pytest.raises(AgentFailed, match="exit code 1, and without a result: segfault"):
        heard(printed(out, 1, "starting\nsegfault"))


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's login."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "theirs"))
    (tmp_path / "theirs").mkdir()
    path = tmp_path / "theirs" / ".credentials.json"
    path.write_text(LOGIN)
    return path


def test_a_login_is_lent_and_taken_back(theirs: Path, tmp_path: Path) -> None:
    """Nobody else may read the copy, and none is left."""
    with lent_login(tmp_path) as lent:
        assert (LOGIN, 0o600) == (lent.read_text(), lent.stat().st_mode & 0o777)
    assert not lent.exists()
    assert LOGIN == theirs.read_text()


def test_a_login_that_was_renewed_goes_back(theirs: Path, tmp_path: Path) -> None:
    """Else the person would be logged out by the next renewal."""
    renewed = LOGIN.replace('"a"', '"newer"')
    with lent_login(tmp_path) as lent:
        lent.write_text(renewed)
    assert (renewed, 0o600) == (theirs.read_text(), theirs.stat().st_mode & 0o777)


@pytest.mark.parametrize("content", ["", "[]", '{"claudeAiOauth": {}}', "evil"])
def test_what_is_no_login_does_not_go_back(theirs: Path, tmp_path: Path, content: str) -> None:
    """An agent may write anything there."""
    with lent_login(tmp_path) as lent:
        lent.write_text(content)
    assert LOGIN == theirs.read_text()


def test_a_link_in_place_of_the_login_is_not_followed(theirs: Path, tmp_path: Path) -> None:
    """Another file of the person's does not become their login."""
    (tmp_path / "other.json").write_text(LOGIN.replace('"a"', '"other"'))
    with lent_login(tmp_path) as lent:
        lent.unlink()
        lent.symlink_to(tmp_path / "other.json")
    assert LOGIN == theirs.read_text()


def test_a_login_that_the_person_renewed_meanwhile_stays(theirs: Path, tmp_path: Path) -> None:
    """The newer one is theirs."""
    own = LOGIN.replace('"a"', '"theirs"')
    with lent_login(tmp_path) as lent:
        lent.write_text(LOGIN.replace('"a"', '"renewed"'))
        theirs.write_text(own)
    assert own == theirs.read_text()
