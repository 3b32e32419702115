"""The Anthropic messages API, streamed and whole, and its count of tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator

from modelserver.conversation import Body, Message, Reply
from modelserver.wire import JSON, STREAM, Wire, events

__all__ = ["WIRE"]

KINDS = {401: "authentication_error", 413: "request_too_large", 429: "rate_limit_error"}


def _side(path: str, _: Body) -> bytes | None:
    return b'{"input_tokens": 100}' if path.endswith("/count_tokens") else None


def _tools(body: Body) -> Iterator[str]:
    return (tool["name"] for tool in body.get("tools") or () if "name" in tool)


def _messages(body: Body) -> Iterator[Message]:
    for message in body.get("messages") or ():
        if message.get("role") not in ("user", "assistant"):
            continue
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        results = (_text(b.get("content")) for b in blocks if b.get("type") == "tool_result")
        calls = (b["name"] for b in blocks if b.get("type") == "tool_use")
        user = message["role"] == "user"
        yield Message(user, _text(content), tuple(results), tuple(calls))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(b["text"] for b in content if b.get("type") == "text")


def _blocks(reply: Reply) -> Iterator[tuple[Body, Body]]:
    """Yield each content block as it starts, and the one delta that fills it."""
    for text in reply.texts:
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    for number, call in enumerate(reply.calls):
        start = {"type": "tool_use", "id": f"toolu_{id(reply):x}_{number}", "name": call.name}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        yield {**start, "input": {}}, delta


def _events(reply: Reply, start: Body) -> Iterator[Body]:
    yield {"type": "message_start", "message": start}
    for index, (block, delta) in enumerate(_blocks(reply)):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": _end(reply), "stop_sequence": None},
        "usage": {"output_tokens": reply.tokens[1]},
    }
    yield {"type": "message_stop"}


def _end(reply: Reply) -> str:
    return "tool_use" if reply.calls else "end_turn"


def _write(reply: Reply, _: str, body: Body, number: int) -> tuple[str, bytes]:
    used_in, used_out = reply.tokens
    usage = {
        "input_tokens": used_in - reply.cached,
        "cache_read_input_tokens": reply.cached,
        "cache_creation_input_tokens": 0,
    }
    start: Body = {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    if body.get("stream"):
        return STREAM, events(*_events(reply, start), named=True)
    whole = {
        **start,
        "content": [_filled(block, delta) for block, delta in _blocks(reply)],
        "stop_reason": _end(reply),
        "usage": {**usage, "output_tokens": used_out},
    }
    return JSON, json.dumps(whole).encode()


def _filled(block: Body, delta: Body) -> Body:
    if block["type"] == "text":
        return {**block, "text": delta["text"]}
    return {**block, "input": json.loads(delta["partial_json"])}


def _error(reply: Reply) -> Body:
    kind = KINDS.get(reply.status, "api_error" if reply.status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": reply.error}}


WIRE = Wire("/v1/messages", _side, _messages, _tools, _write, _error)
