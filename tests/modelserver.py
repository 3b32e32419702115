"""A model on loopback: answers agents in their own wire protocol with what a test scripted.

    with serve(lambda asked: "hello") as server:
        run_agent(base_url=server.url)
    assert ["say hello"] == [asked.said for asked in server.asked]

One entry in `WIRES` for each protocol: how to know a request, and how a reply is streamed. A script
sees no difference between them; `Asked.body` is there for what only one of them has.

    Anthropic  /v1/messages                      ANTHROPIC_BASE_URL=server.url
    Gemini     /v1beta/models/NAME:METHOD        GOOGLE_GEMINI_BASE_URL=server.url
               generateContent, streamGenerateContent?alt=sse, countTokens
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Asked", "Message", "ModelServer", "Reply", "ToolCall", "serve"]


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants to have called."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the model says: texts, one content block each, then tool calls."""

    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    tokens: tuple[int, int] = (100, 20)  # input, output


@dataclass(frozen=True)
class Message:
    """One message of a conversation, whichever protocol brought it."""

    user: bool  # or the model's
    text: str = ""
    results: tuple[str, ...] = ()  # what tools returned


@dataclass(frozen=True)
class Asked:
    """One request: the conversation so far, and all of it as it came."""

    path: str
    body: dict[str, Any]
    messages: tuple[Message, ...]
    tools: tuple[str, ...]  # that the agent offers; side requests offer none
    number: int  # of its kind, from 1

    @property
    def said(self) -> str:
        """What the user said last; what an agent adds to it stands in it."""
        return self._users[-1].text

    @property
    def first(self) -> str:
        """What the user said first, and with it what the whole conversation is about."""
        return self._users[0].text

    @property
    def results(self) -> tuple[str, ...]:
        """What the tools returned that the last message brings."""
        return self._users[-1].results

    @property
    def all_results(self) -> tuple[str, ...]:
        """What all tools returned in this conversation."""
        return tuple(result for message in self.messages for result in message.results)

    @property
    def _users(self) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.user) or (Message(user=True),)


Script = Callable[[Asked], Reply | str]


@dataclass
class ModelServer:
    """A running server; `asked` grows with each request for a message."""

    url: str
    script: Script
    asked: list[Asked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(
        self,
        path: str,
        body: dict[str, Any],
        messages: Iterable[Message],
        tools: Iterable[str],
    ) -> Reply:
        with self.lock:
            asked = Asked(path, body, tuple(messages), tuple(tools), len(self.asked) + 1)
            self.asked.append(asked)
        reply = self.script(asked)
        return Reply((reply,)) if isinstance(reply, str) else reply


# --- the Anthropic messages API -------------------------------------------------------------------


def _anthropic_messages(body: dict[str, Any]) -> Iterator[Message]:
    for message in body.get("messages") or ():
        if message.get("role") not in ("user", "assistant"):
            continue
        content = message.get("content")
        results = (
            _text(block.get("content"))
            for block in (content if isinstance(content, list) else ())
            if block.get("type") == "tool_result"
        )
        yield Message(message["role"] == "user", _text(content), tuple(results))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(b["text"] for b in content if b.get("type") == "text")


def _blocks(reply: Reply) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each content block as it starts, and the one delta that fills it."""
    for text in reply.texts:
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    for number, call in enumerate(reply.calls):
        start = {"type": "tool_use", "id": f"toolu_{id(reply):x}_{number}", "name": call.name}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        yield {**start, "input": {}}, delta


def _anthropic_events(reply: Reply, model: str, name: str) -> Iterator[dict[str, Any]]:
    used_in, used_out = reply.tokens
    yield {
        "type": "message_start",
        "message": {
            "id": name,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": used_in, "output_tokens": 1},
        },
    }
    for index, (start, delta) in enumerate(_blocks(reply)):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {
            "stop_reason": "tool_use" if reply.calls else "end_turn",
            "stop_sequence": None,
        },
        "usage": {"output_tokens": used_out},
    }
    yield {"type": "message_stop"}


def _anthropic(server: ModelServer, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
    if path.endswith("/count_tokens"):
        return "application/json", b'{"input_tokens": 100}'
    tools = (tool["name"] for tool in body.get("tools") or () if "name" in tool)
    reply = server.answer(path, body, _anthropic_messages(body), tools)
    name, model = f"msg_{len(server.asked):04}", body.get("model", "model")
    events = list(_anthropic_events(reply, model, name))
    if body.get("stream"):
        lines = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        return "text/event-stream", "".join(lines).encode()
    message = events[0]["message"]
    content = [{"type": "text", "text": text} for text in reply.texts]
    whole = {**message, "content": content, "stop_reason": "end_turn"}
    return "application/json", json.dumps(whole).encode()


# --- the Gemini API -------------------------------------------------------------------------------


def _gemini_messages(body: dict[str, Any]) -> Iterator[Message]:
    for content in body.get("contents") or ():
        parts = content.get("parts") or ()
        words = (part["text"] for part in parts if "text" in part and not part.get("thought"))
        results = (part["functionResponse"] for part in parts if "functionResponse" in part)
        returned = (result.get("response") or {} for result in results)
        yield Message(
            content.get("role") != "model",
            "\n".join(words),
            tuple(str(each.get("output", each.get("error", ""))) for each in returned),
        )


def _gemini_chunks(reply: Reply, model: str) -> list[dict[str, Any]]:
    """Return a reply in pieces: one for each text, one for all calls; the last one ends it."""
    parts: list[list[dict[str, Any]]] = [[{"text": text}] for text in reply.texts]
    if reply.calls or not parts:
        calls = ({"name": call.name, "args": call.arguments} for call in reply.calls)
        parts.append([{"functionCall": call} for call in calls])
    chunks: list[dict[str, Any]] = [
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
        "candidatesTokenCount": used_out,
        "totalTokenCount": used_in + used_out,
    }
    return chunks


def _gemini(server: ModelServer, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
    model, _, method = path.rpartition("/")[2].partition(":")
    if method == "countTokens":
        return "application/json", b'{"totalTokens": 100}'
    offered = (each for tool in body.get("tools") or () for each in tool["functionDeclarations"])
    tools = (tool["name"] for tool in offered)
    reply = server.answer(path, body, _gemini_messages(body), tools)
    chunks = _gemini_chunks(reply, model)
    if method == "streamGenerateContent":
        lines = (f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks)
        return "text/event-stream", "".join(lines).encode()
    whole, content = chunks[-1], [chunk["candidates"][0]["content"] for chunk in chunks]
    whole["candidates"][0]["content"]["parts"] = [p for each in content for p in each["parts"]]
    return "application/json", json.dumps(whole).encode()


WIRES: dict[str, Callable[[ModelServer, str, dict[str, Any]], tuple[str, bytes]]] = {
    "/v1/messages": _anthropic,
    "/v1beta/models/": _gemini,
}


# --- the server -----------------------------------------------------------------------------------


@contextlib.contextmanager
def serve(script: Script) -> Iterator[ModelServer]:
    """Run a server on a free port of loopback while the block runs."""
    server: ModelServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
            path = self.path.partition("?")[0]
            wire = next((w for start, w in WIRES.items() if path.startswith(start)), None)
            if wire is None:
                self.say(404, "application/json", b'{"error": {"message": "not here"}}')
            else:
                self.say(200, *wire(server, path, body))

        def do_HEAD(self) -> None:
            self.say(200, "text/plain", b"")

        def do_GET(self) -> None:
            self.say(404, "application/json", b"{}")

        def say(self, code: int, kind: str, content: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *words: object) -> None:  # noqa: A002 -- as it is named there
            """Say nothing: a test reads `asked`."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = ModelServer(f"http://127.0.0.1:{http.server_port}", script)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
