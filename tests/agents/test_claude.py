"""Claude Code's answers, without the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.agents.claude import Claude
from clew.errors import AgentFailed
from clew.facts import Usage
from clew.processes import Completed
from clew.project import Project

CLAUDE = Claude("", project=Project(root=Path("/p"), path=Path("/p"), git=False, name="p"))
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
    said = CLAUDE.heard(printed(json.dumps(RESULT)))
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
        CLAUDE.heard(printed(json.dumps(RESULT | more)))
    assert kind == raised.value.kind


@pytest.mark.parametrize("out", ["", "[]", "no JSON", '{"type": "system"}'])
def test_an_end_without_a_result_is_told_with_the_last_words(out: str) -> None:
    """It may die, or be another program of that name."""
    with pytest.raises(AgentFailed, match="exit code 1, and without a result: segfault"):
        CLAUDE.heard(printed(out, 1, "starting\nsegfault"))
