"""Conversations with a model, over the real protocols, on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RunUsage

from clew.agents.llm.asking import ModelAnswered, Question, converse, counted
from clew.agents.llm.providers import Access
from clew.agents.llm.tools import Toolbox
from clew.agents.replies import DiagnosisReply, parse
from clew.agents.schemas import strict
from clew.words.errors import AgentFailed
from clew.words.facts import Usage
from modelserver import Asked, ModelServer, Reply, ToolCall, serve

NONCE = "0123456789abcdef"
KEY = "sk-none-0123456789"
DIAGNOSIS: dict[str, Any] = {
    "failure_classification": "test_failure",
    "root_cause": "one too many",
    "root_cause_location": {"file": "a.py", "line": 1},
    "fix": {"description": "take one away"},
    "confidence": "high",
    "confidence_reason": "it is plain to see",
}
PROVIDERS = ("anthropic", "google", "openai", "openai-responses")

Script = Callable[[Asked], Reply | str]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("def total(items):\n    return len(items) + 1\n")
    return tmp_path


def url(server: ModelServer, provider: str) -> str:
    return f"{server.url}/v1" if provider.startswith("openai") else server.url


def ask(
    server: ModelServer,
    worktree: Path,
    *,
    provider: str = "anthropic",
    check: Callable[[str], None] = lambda _: None,
    writes: bool = False,
    seconds: float = 20.0,
    tokens: int | None = None,
) -> ModelAnswered:
    access = Access(provider=provider, name="model-1", url=url(server, provider))
    question = Question(
        prompt="why?",
        nonce=NONCE,
        schema=strict(DiagnosisReply),
        tools=Toolbox(worktree, NONCE).tools(writes=writes),
        check=check,
        seconds=seconds,
        tokens=tokens,
    )
    return converse(access.model(), question)


def holds(text: str) -> None:
    parse(text, DiagnosisReply)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_looks_around_and_answers(worktree: Path, provider: str) -> None:
    """Each result stands in its wrapper; what a cache gave is counted among the input."""

    def script(asked: Asked) -> Reply | str:
        if not asked.results:
            return Reply(calls=(ToolCall("read", {"path": "a.py"}),), cached=40)
        return Reply((f"I see.\n```json\n{json.dumps(DIAGNOSIS)}\n```",))

    with serve(script) as server:
        answered = ask(server, worktree, provider=provider, check=holds)
    assert "one too many" == parse(answered.text, DiagnosisReply).root_cause
    assert Usage(input=200, output=40, cached=40, cache_write=0) == answered.usage
    first, second = server.asked
    assert "why?" == first.said
    assert {"read", "grep", "list", "find_definition", "answer"} == set(first.tools)
    (result,) = second.results
    assert f"DATA_START {NONCE} a.py, lines 1 to 2 of 2\ndef total" in result
    assert result.endswith(f"DATA_END {NONCE}")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_by_the_form_is_taken_as_well(worktree: Path, provider: str) -> None:
    """The form is that of a diagnosis; what the call took is not asked of the model."""
    with serve(lambda _: Reply(calls=(ToolCall("answer", DIAGNOSIS),))) as server:
        answered = ask(server, worktree, provider=provider, check=holds)
    assert DIAGNOSIS == json.loads(answered.text)
    sent = json.dumps(server.asked[0].body)
    assert (False, False) == ("usage" in sent, KEY in sent)


def test_an_answer_that_does_not_hold_is_asked_for_twice_more(worktree: Path) -> None:
    """The model is told what is wrong, as data; what all three took is counted."""
    with (
        serve(lambda asked: f"answer {asked.number}: DATA_END {NONCE}") as server,
        pytest.raises(AgentFailed, match="it holds no JSON object") as raised,
    ):
        ask(server, worktree, check=holds)
    assert ("invalid_output", Usage(input=300, output=60, cached=0, cache_write=0)) == (
        raised.value.kind,
        raised.value.usage,
    )
    assert 3 == len(server.asked)
    told = server.asked[1].said
    assert f"DATA_START {NONCE} what is wrong\nthe reply is not usable" in told


def test_a_second_answer_can_hold(worktree: Path) -> None:
    """It is taken, and nothing is left to complain about."""

    def script(asked: Asked) -> str:
        return "I think…" if asked.number == 1 else json.dumps(DIAGNOSIS)

    with serve(script) as server:
        assert DIAGNOSIS == json.loads(ask(server, worktree, check=holds).text)


@pytest.mark.parametrize(
    ("reply", "kind", "after"),
    [
        (Reply(status=401, error="invalid x-api-key"), "not_logged_in", 0.0),
        (Reply(status=429, error="slow", headers={"Retry-After": "7"}), "rate_limited", 7.0),
        (Reply(status=400, error="prompt is too long: 9 > 8"), "context_too_long", 0.0),
        (Reply(status=404, error="model: model-1"), "unknown_model", 0.0),
        (Reply(status=400, error="your credit balance is too low"), "out_of_credit", 0.0),
        (Reply(status=529, error="overloaded"), "unavailable", 0.0),
        (Reply(status=500, error="oops"), "unavailable", 0.0),
        (Reply(status=400, error="bad field"), "error", 0.0),
        (Reply(("half",), drops=True), "unavailable", 0.0),
        (Reply(), "invalid_output", 0.0),
    ],
)
def test_what_goes_wrong_is_told_by_its_kind(
    worktree: Path, reply: Reply, kind: str, after: float
) -> None:
    """What to wait for comes along; nothing is tried again behind the loop's back."""
    with serve(lambda _: reply) as server, pytest.raises(AgentFailed) as raised:
        ask(server, worktree, check=holds)
    assert (kind, after) == (raised.value.kind, raised.value.after)
    assert (3 if kind == "invalid_output" else 1) == len(server.asked)


@pytest.mark.slow
def test_a_model_that_does_not_answer_is_left_when_the_time_is_up(worktree: Path) -> None:
    """What was spent until then is counted; that the last request cost nothing is not said."""

    def script(asked: Asked) -> Reply:
        return Reply(stalls=True) if asked.results else Reply(calls=(ToolCall("list", {}),))

    with serve(script) as server, pytest.raises(AgentFailed) as raised:
        ask(server, worktree, seconds=2.0)
    assert ("timeout", Usage(input=100, output=20, cached=0, cache_write=0, partial=True)) == (
        raised.value.kind,
        raised.value.usage,
    )


def test_what_the_session_may_still_spend_is_a_bound(worktree: Path) -> None:
    """It ends with the first response beyond."""
    looks = Reply(calls=(ToolCall("list", {}),))
    with serve(lambda _: looks) as server, pytest.raises(AgentFailed, match="200") as raised:
        ask(server, worktree, tokens=200)
    assert (2, Usage(input=200, output=40, cached=0, cache_write=0)) == (
        len(server.asked),
        raised.value.usage,
    )


def test_tokens_that_a_server_does_not_tell_are_unknown() -> None:
    """A part that is known is told as such; a request that was refused cost nothing."""
    some = RunUsage(requests=2, unmeasured_requests=1, input_tokens=7, output_tokens=1)
    assert Usage(input=7, output=1, cached=0, cache_write=0, partial=True) == counted(some)
    assert Usage() == counted(RunUsage(requests=1, unmeasured_requests=1))
    assert Usage() == counted(RunUsage(), lost=True)
    assert Usage(input=0, output=0, cached=0, cache_write=0) == counted(RunUsage())


def test_a_tool_that_is_not_offered_cannot_be_called(worktree: Path) -> None:
    """For a diagnosis there is none that writes."""
    before = (worktree / "a.py").read_text()

    def script(asked: Asked) -> Reply | str:
        if asked.results:
            return json.dumps(DIAGNOSIS)
        edit = {"path": "a.py", "old": "+ 1", "new": ""}
        return Reply(calls=(ToolCall("edit", edit), ToolCall("bash", {"command": "touch b"})))

    with serve(script) as server:
        ask(server, worktree, check=holds)
    assert ["edit", "bash"] == [name for name in ("edit", "bash") if name in str(server.asked[1])]
    assert (before, ["a.py"]) == (
        (worktree / "a.py").read_text(),
        [path.name for path in worktree.iterdir()],
    )


def test_a_refusal_is_told_as_one(worktree: Path) -> None:
    """No further call would change it: the next agent has its turn."""

    def refuse(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[], finish_reason="content_filter")

    question = Question(
        prompt="why?",
        nonce=NONCE,
        schema=strict(DiagnosisReply),
        tools=Toolbox(worktree, NONCE).tools(writes=False),
        check=holds,
        seconds=20.0,
    )
    with pytest.raises(AgentFailed) as raised:
        converse(FunctionModel(refuse), question)
    assert "refusal" == raised.value.kind
