"""The OpenAI Responses API, streamed and whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

from modelserver.conversation import Body, Message, Reply, ToolCall, turns
from modelserver.wire import JSON, STREAM, Wire, events

__all__ = ["WIRE", "refusal"]

CALLS = ("function_call", "custom_tool_call")
RESULTS = ("function_call_output", "custom_tool_call_output")
KINDS = {401: "authentication_error", 429: "rate_limit_error"}


def _side(_path: str, _: Body) -> bytes | None:
    return None


def _tools(body: Body) -> Iterator[str]:
    return (name for name, _ in _offered(body))


def _offered(body: Body) -> Iterator[tuple[str, str]]:
    """Yield each tool's name and kind; those that the service itself has come without a name."""
    for tool in body.get("tools") or ():
        if tool["type"] == "namespace":
            yield from _offered(tool)
        elif "name" in tool:
            yield tool["name"], tool["type"]


def _messages(body: Body) -> Iterator[Message]:
    items = body.get("input") or ()
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    return turns(message for item in items for message in _said(item))


def _said(item: Body) -> Iterator[Message]:
    kind = item.get("type", "message")
    if kind in RESULTS:
        yield Message(user=True, results=(_text(item.get("output")),))
    elif kind in CALLS:
        yield Message(user=False, calls=(item["name"],))
    elif kind == "message" and item.get("role") in ("user", "assistant"):
        yield Message(item["role"] == "user", _text(item.get("content")))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(part["text"] for part in content if "text" in part)


def _items(reply: Reply, kinds: dict[str, str], number: int) -> Iterator[Body]:
    """Yield what the model puts out: a message for each text, then its calls."""
    for index, text in enumerate(reply.texts):
        yield {
            "type": "message",
            "id": f"msg_{number:04}_{index}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
    for index, call in enumerate(reply.calls):
        yield {
            "id": f"fc_{number:04}_{index}",
            "call_id": f"call_{number:04}_{index}",
            "name": call.name,
            "status": "completed",
            **_call(call, kinds.get(call.name, "function")),
        }


def _call(call: ToolCall, kind: str) -> Body:
    """Return what is said to a tool: one that is custom takes text, a script's `input`."""
    if kind == "custom":
        return {"type": "custom_tool_call", "input": call.arguments["input"]}
    return {"type": "function_call", "arguments": json.dumps(call.arguments)}


def _events(response: Body, done: Body) -> Iterator[Body]:
    yield {"type": "response.created", "response": response}
    for index, item in enumerate(done["output"]):
        begun = {**item, "status": "in_progress"}
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            begun["content"], filled = [], _filled_message(item, {**at, "content_index": 0})
        else:
            key = "input" if "input" in item else "arguments"
            begun[key], filled = "", _filled_call(item, at, key)
        yield {"type": "response.output_item.added", "output_index": index, "item": begun}
        yield from filled
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": done}


def _filled_message(item: Body, at: Body) -> Iterator[Body]:
    (part,) = item["content"]
    yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
    yield {"type": "response.output_text.delta", **at, "delta": part["text"]}
    yield {"type": "response.output_text.done", **at, "text": part["text"]}
    yield {"type": "response.content_part.done", **at, "part": part}


def _filled_call(item: Body, at: Body, key: str) -> Iterator[Body]:
    event = "function_call_arguments" if key == "arguments" else "custom_tool_call_input"
    yield {"type": f"response.{event}.delta", **at, "delta": item[key]}
    yield {"type": f"response.{event}.done", **at, key: item[key]}


def _write(reply: Reply, _: str, body: Body, number: int) -> tuple[str, bytes]:
    used_in, used_out = reply.tokens
    response: Body = {
        "id": f"resp_{number:04}",
        "object": "response",
        "created_at": 0,
        "model": body.get("model", "model"),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [],
        "status": "in_progress",
    }
    done = {
        **response,
        "status": "completed",
        "output": list(_items(reply, dict(_offered(body)), number)),
        "usage": {
            "input_tokens": used_in,
            "input_tokens_details": {"cached_tokens": reply.cached},
            "output_tokens": used_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used_in + used_out,
        },
    }
    if body.get("stream"):
        numbered = (
            {**event, "sequence_number": place}
            for place, event in enumerate(_events(response, done))
        )
        return STREAM, events(*numbered, named=True)
    return JSON, json.dumps(done).encode()


def refusal(reply: Reply) -> Body:
    """Return an error as OpenAI words it."""
    kind = KINDS.get(
        reply.status, "server_error" if reply.status >= 500 else "invalid_request_error"
    )
    return {"error": {"type": kind, "code": None, "param": None, "message": reply.error}}


WIRE = Wire("/v1/responses", _side, _messages, _tools, _write, refusal)
