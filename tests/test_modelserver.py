"""The model that tests play speaks its agents' protocol."""

from __future__ import annotations

import ast
import http.client
import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import modelserver
from modelserver import Asked, Reply, ToolCall, serve


def post(url: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(  # noqa: S310 -- loopback
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 -- as above
        text: str = answer.read().decode()
        return text


def test_a_reply_is_streamed_as_events() -> None:
    """Each block starts, is filled and stops; the last delta says why the message ended."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": "42"}
    body = {
        "model": "m",
        "stream": True,
        "tools": [{"name": "Read"}],
        "messages": [
            {"role": "user", "content": "first"},
            {"role": "user", "content": [result, {"type": "text", "text": "last"}]},
            {"role": "system", "content": "not the user's"},
        ],
    }
    with serve(lambda _: Reply(("a", "b"), (ToolCall("Read", {"x": 1}),))) as server:
        said = post(f"{server.url}/v1/messages?beta=true", body)
    events = [json.loads(line[6:]) for line in said.splitlines() if line.startswith("data: ")]
    assert "message_start" == events[0]["type"]
    assert "message_stop" == events[-1]["type"]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert ["a", "b"] == [delta.get("text") for delta in deltas[:2]]
    assert {"x": 1} == json.loads(deltas[2]["partial_json"])
    assert "tool_use" == events[-2]["delta"]["stop_reason"]
    (asked,) = server.asked
    assert ("last", "first", ("Read",), ("42",)) == (
        asked.said,
        asked.first,
        asked.tools,
        asked.results,
    )


def test_a_script_is_asked_with_what_was_said() -> None:
    """Without streaming the message comes whole."""

    def echo(asked: Asked) -> str:
        return f"{asked.number}: {asked.said}"

    with serve(echo) as server:
        url = f"{server.url}/v1/messages"
        said = [
            json.loads(post(url, {"messages": [{"role": "user", "content": word}]}))
            for word in ("one", "two")
        ]
    assert ["1: one", "2: two"] == [message["content"][0]["text"] for message in said]


def test_gemini_is_answered_in_pieces_or_whole() -> None:
    """Texts, then calls; the last piece says that it ended, and what was used."""
    body = {
        "tools": [{"functionDeclarations": [{"name": "read_file"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "context"}, {"text": "first"}]},
            {"role": "model", "parts": [{"text": "I think", "thought": True}, {"text": "I look"}]},
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "read_file", "response": {"output": "42"}}},
                    {"functionResponse": {"name": "glob", "response": {"error": "no"}}},
                ],
            },
        ],
    }
    with serve(lambda _: Reply(("a", "b"), (ToolCall("read_file", {"x": 1}),))) as server:
        url = f"{server.url}/v1beta/models/m"
        streamed = post(f"{url}:streamGenerateContent?alt=sse", body)
        whole = json.loads(post(f"{url}:generateContent", body))
        assert {"totalTokens": 100} == json.loads(post(f"{url}:countTokens", body))
    chunks = [json.loads(line[6:]) for line in streamed.splitlines() if line]
    parts = [
        {"text": "a"},
        {"text": "b"},
        {"functionCall": {"name": "read_file", "args": {"x": 1}}},
    ]
    assert [[part] for part in parts] == [c["candidates"][0]["content"]["parts"] for c in chunks]
    assert [None, None, "STOP"] == [c["candidates"][0].get("finishReason") for c in chunks]
    assert parts == whole["candidates"][0]["content"]["parts"]
    assert 120 == whole["usageMetadata"]["totalTokenCount"]
    asked, _ = server.asked
    assert ("context\nfirst", ("read_file",), ("42", "no")) == (
        asked.first,
        asked.tools,
        asked.results,
    )
    assert ["context\nfirst", "I look", ""] == [message.text for message in asked.messages]


def test_responses_are_streamed_item_by_item() -> None:
    """A custom tool gets text, a function JSON; what was said in a row is one turn."""
    function = {"type": "function", "name": "run"}
    body = {
        "model": "m",
        "tools": [
            {"type": "custom", "name": "patch"},
            {"type": "namespace", "name": "more", "tools": [function]},
            {"type": "web_search"},
        ],
        "input": [
            {"type": "message", "role": "developer", "content": "not the user's"},
            {"role": "user", "content": [{"type": "input_text", "text": "context"}]},
            {"role": "user", "content": "first"},
            {"type": "function_call", "call_id": "1", "name": "run", "arguments": "{}"},
            {"type": "function_call", "call_id": "2", "name": "run", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "41"},
            {"type": "custom_tool_call_output", "call_id": "2", "output": "42"},
        ],
    }
    calls = (ToolCall("patch", {"input": "+1"}), ToolCall("run", {"x": 1}))
    with serve(lambda _: Reply(("a",), calls, cached=30)) as server:
        url = f"{server.url}/v1/responses"
        streamed = post(url, body | {"stream": True})
        whole = json.loads(post(url, body))
    events = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: ")]
    assert list(range(len(events))) == [event["sequence_number"] for event in events]
    assert "response.created" == events[0]["type"]
    ends = [e["item"] for e in events if e["type"] == "response.output_item.done"]
    assert ends == events[-1]["response"]["output"]
    assert ["message", "custom_tool_call", "function_call"] == [item["type"] for item in ends]
    assert ("+1", {"x": 1}) == (ends[1]["input"], json.loads(ends[2]["arguments"]))
    assert ["a", "+1", '{"x": 1}'] == [e["delta"] for e in events if "delta" in e]
    assert [(item["type"], item["name"]) for item in ends[1:]] == [
        (item["type"], item["name"]) for item in whole["output"][1:]
    ]
    assert (100, 30) == (
        whole["usage"]["input_tokens"],
        whole["usage"]["input_tokens_details"]["cached_tokens"],
    )
    asked, _ = server.asked
    assert ("context\nfirst", ("patch", "run"), ("41", "42")) == (
        asked.first,
        asked.tools,
        asked.results,
    )


def test_chat_is_streamed_in_deltas() -> None:
    """Then the reason for its end, what was used if that is asked for, and a last word."""
    body: dict[str, Any] = {
        "model": "m",
        "tools": [{"type": "function", "function": {"name": "run"}}],
        "messages": [
            {"role": "system", "content": "not the user's"},
            {"role": "user", "content": [{"type": "text", "text": "first"}]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "tool_call_id": "1", "content": "41"},
            {"role": "tool", "tool_call_id": "2", "content": "42"},
        ],
    }
    wish = {"stream": True, "stream_options": {"include_usage": True}}
    with serve(lambda _: Reply(("a", "b"), (ToolCall("run", {"x": 1}),))) as server:
        url = f"{server.url}/v1/chat/completions"
        streamed = post(url, body | wish)
        whole = json.loads(post(url, body))
        with urllib.request.urlopen(f"{server.url}/v1/models", timeout=60) as models:  # noqa: S310
            assert ["model-1"] == [model["id"] for model in json.load(models)["data"]]
    *lines, last = (line[6:] for line in streamed.splitlines() if line)
    assert "[DONE]" == last
    *chunks, end, usage = map(json.loads, lines)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "ab" == "".join(delta.get("content", "") for delta in deltas)
    pieces = [d["tool_calls"][0]["function"] for d in deltas if "tool_calls" in d]
    assert ("run", {"x": 1}) == (
        pieces[0]["name"],
        json.loads("".join(piece["arguments"] for piece in pieces)),
    )
    assert "tool_calls" == end["choices"][0]["finish_reason"]
    assert ([], 120) == (usage["choices"], usage["usage"]["total_tokens"])
    message = whole["choices"][0]["message"]
    assert ("a\nb", "run") == (message["content"], message["tool_calls"][0]["function"]["name"])
    assert 120 == whole["usage"]["total_tokens"]
    asked, _ = server.asked
    assert ("first", ("run",), ("41", "42")) == (asked.first, asked.tools, asked.results)


@pytest.mark.parametrize(
    "path", ["/v1/messages", "/v1beta/models/m:generateContent", "/v1/responses"]
)
def test_a_script_can_refuse(path: str) -> None:
    """With the status, the words and the headers that it names."""
    refusal = Reply(status=429, headers={"Retry-After": "7"}, error="slow down")
    with serve(lambda _: refusal) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{server.url}{path}", {})
    with caught.value as told:
        assert (429, "7") == (told.code, told.headers["Retry-After"])
        assert "slow down" == json.load(told)["error"]["message"]


def test_what_a_script_asserts_counts() -> None:
    """The agent is refused as one that asked wrongly; the test fails where the block ends."""

    def script(asked: Asked) -> str:
        assert "history" in asked.whole, "nothing of the history"
        return "good"

    told = {"messages": [{"role": "user", "content": "no word of it"}]}
    with (  # noqa: PT012 -- what is raised is raised at the end of the inner block
        pytest.raises(AssertionError, match="nothing of the history"),
        serve(script) as server,
    ):
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(f"{server.url}/v1/messages", told)
        with caught.value as refused:
            assert 400 == refused.code
            assert "the script failed" in json.load(refused)["error"]["message"]


def test_it_needs_nothing_but_the_standard_library() -> None:
    """So it can be installed, or copied, without the rest of these tests and without Clew."""
    imported = {
        name.partition(".")[0]
        for path in Path(modelserver.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in _imports(node)
    }

    assert set() == imported - sys.stdlib_module_names - {"modelserver"}


def _imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or "."


def test_a_script_can_break_off() -> None:
    """The connection ends in the middle of an answer."""
    with (
        serve(lambda _: Reply(("half of it",), drops=True)) as server,
        pytest.raises(http.client.IncompleteRead),
    ):
        post(f"{server.url}/v1/messages", {})


def test_a_script_can_keep_silent() -> None:
    """Until the server ends."""
    with serve(lambda _: Reply(stalls=True)) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=0.2)
        connection.request("POST", "/v1/messages", b"{}")
        with pytest.raises(TimeoutError):
            connection.getresponse()
        connection.close()
