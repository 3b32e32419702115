"""Claude Code's answers, without the program."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.agents.claude import Claude
from clew.agents.listening import Listener
from clew.agents.protocol import Call
from clew.git.project import Project
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed
from clew.words.facts import Tick, Usage

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


def call(ticks: list[Tick]) -> Call[Any]:
    site = SimpleNamespace(root=Path("/p"))
    return cast("Call[Any]", SimpleNamespace(site=site, tick=ticks.append))


def printed(out: str, code: int = 0, err: str = "") -> Completed:
    return Completed(exit_code=code, stdout=out, stderr=err, seconds=1.0)


def test_tokens_from_a_cache_are_counted_as_input_and_named() -> None:
    """The API leaves them out of its input tokens."""
    said = CLAUDE.heard(printed(json.dumps(RESULT)))
    assert ("{}", Usage(input=140, output=5, cached=100, cache_write=30, usd=0.25)) == (
        said.text,
        said.usage,
    )


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


ASSISTANT = {
    "type": "assistant",
    "message": {
        "id": "msg_1",
        "content": [{"type": "text", "text": "let me see"}],
        "usage": {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 20},
    },
}
READS = {"type": "tool_use", "name": "Read", "input": {"file_path": "/p/src/x.py"}}


def test_what_it_does_is_read_from_its_lines() -> None:
    """Which tool, on what; and that it waits for its model, and how long."""
    message = {**ASSISTANT["message"], "content": [READS]}  # type: ignore[dict-item]
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "retry_delay_ms": 3000,
        "error": "rate_limit",
    }
    lines = [ASSISTANT, ASSISTANT | {"message": message}, retry, RESULT, {"type": "user"}, 1]
    told = [CLAUDE.notice(json.dumps(line).encode()) for line in lines]
    assert [
        ("", ""),
        ("reading /p/src/x.py", ""),
        ("", "rate_limit, for 3 s"),
        None,
        None,
        None,
    ] == [notice and (notice.doing, notice.waits) for notice in told]


def test_a_message_in_parts_is_counted_once() -> None:
    """Each part repeats the usage of the whole."""
    ticks: list[Tick] = []
    listener = Listener(call(ticks), "claude", CLAUDE.notice)
    for line in (
        ASSISTANT,
        ASSISTANT,
        ASSISTANT | {"message": {"id": "msg_2", "content": [READS]}},
    ):
        listener.line(json.dumps(line).encode())
    assert Usage(input=120, output=1, cached=20) == listener.usage
    assert ["claude: reading src/x.py"] == [tick.text for tick in ticks]


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"api_error_status": 429, "result": "API Error: Request rejected (429)"}, "rate_limited"),
        ({"api_error_status": 400, "result": "Prompt is too long"}, "context_too_long"),
        ({"stop_reason": "refusal", "result": "API Error: unable to respond"}, "refusal"),
        ({"api_error_status": 404, "result": "There's an issue with the model"}, "unknown_model"),
    ],
)
def test_a_failure_is_known_by_what_the_server_said(more: dict[str, object], kind: str) -> None:
    """And what it took until then is counted."""
    line = json.dumps(RESULT | {"is_error": True} | more)
    with pytest.raises(AgentFailed) as raised:
        CLAUDE.heard(printed(json.dumps(ASSISTANT) + "\n" + line + "\n", 1))
    assert (kind, 5) == (raised.value.kind, raised.value.usage and raised.value.usage.output)


@pytest.mark.parametrize("out", ["", "[]", "no JSON", '{"type": "system"}'])
def test_an_end_without_a_result_is_told_with_the_last_words(out: str) -> None:
    """It may die, or be another program of that name."""
    with pytest.raises(AgentFailed, match="exit code 1, and without a result: segfault"):
        CLAUDE.heard(printed(out, 1, "starting\nsegfault"))


@pytest.mark.parametrize("place", ["folder", "link"])
def test_what_is_no_file_in_place_of_a_conversation_is_not_read(tmp_path: Path, place: str) -> None:
    """Neither what a link leads to, nor anything that has no text: nothing is known then."""
    kept = tmp_path / "projects" / "sums" / "c-1.jsonl"
    kept.parent.mkdir(parents=True)
    if place == "folder":
        kept.mkdir()
    else:
        usage = {"input_tokens": 10, "output_tokens": 20}
        spoken = {"type": "assistant", "message": {"id": "m", "usage": usage}}
        (tmp_path / "other.jsonl").write_text(json.dumps(spoken))
        kept.symlink_to(tmp_path / "other.jsonl")
    project = Project(root=tmp_path, path=tmp_path, git=False, name="p")
    assert Usage.total(()) == Claude("", project=project).taken(tmp_path, "c-1")
