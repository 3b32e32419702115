"""The Gemini API: generateContent, streamGenerateContent?alt=sse and countTokens."""

from __future__ import annotations

import json
from collections.abc import Iterator

from modelserver.conversation import Body, Message, Reply
from modelserver.wire import JSON, STREAM, Wire, events

__all__ = ["WIRE"]

KINDS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}


def _side(path: str, _: Body) -> bytes | None:
    return b'{"totalTokens": 100}' if path.endswith(":countTokens") else None


def _tools(body: Body) -> Iterator[str]:
    offered = (each for tool in body.get("tools") or () for each in tool["functionDeclarations"])
    return (tool["name"] for tool in offered)


def _messages(body: Body) -> Iterator[Message]:
    for content in body.get("contents") or ():
        parts = content.get("parts") or ()
        words = (part["text"] for part in parts if "text" in part and not part.get("thought"))
        results = (part["functionResponse"] for part in parts if "functionResponse" in part)
        returned = (result.get("response") or {} for result in results)
        calls = (part["functionCall"]["name"] for part in parts if "functionCall" in part)
        yield Message(
            content.get("role") != "model",
            "\n".join(words),
            # Each client has a key of its own for what a tool returned.
            tuple("\n".join(map(str, each.values())) for each in returned),
            tuple(calls),
        )


def _chunks(reply: Reply, model: str) -> list[Body]:
    """Return a reply in pieces: one for each text, one for all calls; the last one ends it."""
    parts: list[list[Body]] = [[{"text": text}] for text in reply.texts]
    if reply.calls or not parts:
        calls = ({"name": call.name, "args": call.arguments} for call in reply.calls)
        parts.append([{"functionCall": call} for call in calls])
    chunks: list[Body] = [
        {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": each}}],
            "modelVersion": model,
        }
        for each in parts
    ]
    used_in, used_out = reply.tokens
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = {
        "promptTokenCount": used_in,
        "cachedContentTokenCount": reply.cached,
        "candidatesTokenCount": used_out,
        "totalTokenCount": used_in + used_out,
    }
    return chunks


def _write(reply: Reply, path: str, _body: Body, _number: int) -> tuple[str, bytes]:
    model, _, method = path.rpartition("/")[2].partition(":")
    chunks = _chunks(reply, model)
    if method == "streamGenerateContent":
        return STREAM, events(*chunks, end="\r\n\r\n")
    whole = chunks[-1]
    contents = [chunk["candidates"][0]["content"] for chunk in chunks]
    whole["candidates"][0]["content"]["parts"] = [p for each in contents for p in each["parts"]]
    return JSON, json.dumps(whole).encode()


def _error(reply: Reply) -> Body:
    kind = KINDS.get(reply.status, "INTERNAL")
    return {"error": {"code": reply.status, "message": reply.error, "status": kind}}


WIRE = Wire("/v1beta/models/", _side, _messages, _tools, _write, _error)
