"""OpenAI's chat completions, streamed and whole; many other services and programs speak them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from modelserver.conversation import Body, Message, Reply, turns
from modelserver.responses import refusal
from modelserver.wire import JSON, STREAM, Wire, events

__all__ = ["WIRE"]


def _side(_path: str, _: Body) -> bytes | None:
    return None


def _tools(body: Body) -> Iterator[str]:
    return (tool["function"]["name"] for tool in body.get("tools") or ())


def _messages(body: Body) -> Iterator[Message]:
    return turns(
        Message(user=True, results=(_text(message.get("content")),))
        if message["role"] == "tool"
        else Message(
            message["role"] == "user",
            _text(message.get("content")),
            calls=tuple(call["function"]["name"] for call in message.get("tool_calls") or ()),
        )
        for message in body.get("messages") or ()
        if message["role"] in ("user", "assistant", "tool")
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def _calls(reply: Reply, number: int) -> list[Body]:
    return [
        {
            "id": f"call_{number:04}_{index}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for index, call in enumerate(reply.calls)
    ]


def _deltas(reply: Reply, number: int) -> Iterator[Body]:
    yield {"role": "assistant", "content": ""}
    for text in reply.texts:
        yield {"content": text}
    for index, call in enumerate(_calls(reply, number)):
        said = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {**said, "arguments": ""}}]}
        filled = {"index": index, "function": {"arguments": said["arguments"]}}
        yield {"tool_calls": [filled]}


def _write(reply: Reply, _: str, body: Body, number: int) -> tuple[str, bytes]:
    used_in, used_out = reply.tokens
    usage = {
        "prompt_tokens": used_in,
        "prompt_tokens_details": {"cached_tokens": reply.cached},
        "completion_tokens": used_out,
        "total_tokens": used_in + used_out,
    }
    end = "tool_calls" if reply.calls else "stop"
    head = {
        "id": f"chatcmpl-{number:04}",
        "created": 0,
        "model": body.get("model", "model"),
    }
    if body.get("stream"):
        pieces = [*((each, None) for each in _deltas(reply, number)), ({}, end)]
        chunks: list[Body] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
            for delta, reason in pieces
        ]
        if (body.get("stream_options") or {}).get("include_usage"):
            chunks.append({"choices": [], "usage": usage})
        whole = ({**head, "object": "chat.completion.chunk", **chunk} for chunk in chunks)
        return STREAM, events(*whole) + b"data: [DONE]\n\n"
    message: Body = {"role": "assistant", "content": "\n".join(reply.texts) or None}
    if reply.calls:
        message["tool_calls"] = _calls(reply, number)
    choice = {"index": 0, "message": message, "finish_reason": end}
    said = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    return JSON, json.dumps(said).encode()


WIRE = Wire("/v1/chat/completions", _side, _messages, _tools, _write, refusal)
