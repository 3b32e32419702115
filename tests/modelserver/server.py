"""The server: on loopback, one thread a request, gone when the block ends."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from modelserver import anthropic, chat, gemini, responses
from modelserver.conversation import Asked, Body, Reply
from modelserver.wire import JSON, Wire

__all__ = ["ModelServer", "Script", "serve"]

WIRES: tuple[Wire, ...] = (anthropic.WIRE, gemini.WIRE, responses.WIRE, chat.WIRE)

MODELS = b'{"object": "list", "data": [{"id": "model-1", "object": "model"}]}'

Script = Callable[[Asked], Reply | str]


@dataclass
class ModelServer:
    """A running server; `asked` grows with each request for a message."""

    url: str
    script: Script
    asked: list[Asked] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)  # of the script
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def note(self, wire: Wire, path: str, body: Body) -> Asked:
        """Take a request down."""
        with self.lock:
            messages, tools = tuple(wire.messages(body)), tuple(wire.tools(body))
            asked = Asked(path, body, messages, tools, len(self.asked) + 1)
            self.asked.append(asked)
        return asked

    def answer(self, asked: Asked) -> Reply:
        """Return what the script says; a refusal that no agent repeats where it fails."""
        try:
            said = self.script(asked)
        except Exception as error:  # noqa: BLE001 -- raised where the block ends
            self.failures.append(error)
            return Reply(status=400, error=f"the script failed: {error!r}")
        return Reply((said,)) if isinstance(said, str) else said


class _Handler(BaseHTTPRequestHandler):
    """One connection; a class of its own for each server names `model`."""

    protocol_version = "HTTP/1.1"
    model: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        path = self.path.partition("?")[0]
        wire = next((w for w in WIRES if path.startswith(w.start)), None)
        if wire is None:
            self._say(404, JSON, b'{"error": {"message": "not here"}}')
            return
        side = wire.side(path, body)
        if side is not None:
            self._say(200, JSON, side)
            return
        asked = self.model.note(wire, path, body)
        reply = self.model.answer(asked)
        if reply.stalls:
            self.model.closing.wait()
            self.close_connection = True
        elif reply.status != 200:
            content = json.dumps(wire.error(reply)).encode()
            self._say(reply.status, JSON, content, reply.headers)
        else:
            kind, content = wire.write(reply, path, body, asked.number)
            self._say(200, kind, content, reply.headers, half=reply.drops)

    def do_HEAD(self) -> None:
        self._say(200, "text/plain", b"")

    def do_GET(self) -> None:
        if self.path.partition("?")[0] == "/v1/models":
            self._say(200, JSON, MODELS)
        else:
            self._say(404, JSON, b"{}")

    def _say(
        self,
        code: int,
        kind: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        half: bool = False,
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        # An agent that was ended does not listen any more.
        with contextlib.suppress(ConnectionError):
            self.wfile.write(content[: len(content) // 2] if half else content)
        self.close_connection = self.close_connection or half

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 -- as it is named there
        """Say nothing: a test reads `asked`."""


@contextlib.contextmanager
def serve(script: Script) -> Iterator[ModelServer]:
    """Run a server on a free port of loopback while the block runs.

    What the script raised first is raised where the block ends, unless that raises by itself.
    """

    class Handler(_Handler):
        pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = ModelServer(f"http://127.0.0.1:{http.server_port}", script)
    Handler.model = server
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()
    for failure in server.failures:
        raise failure
