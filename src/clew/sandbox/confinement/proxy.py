"""The one way from an agent's own network to the hosts that it may call.

It runs in a thread of this process. The agent's side hands it listening sockets (see
`netns_entry`): one speaks HTTP's language for proxies, the others stand for a port of this machine.
Nothing that passes is read beyond the first lines; names are looked up here, and the address that
was checked is the one that is called.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import json
import os
import socket
import threading
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Self
from urllib.parse import unquote, urlsplit

from clew.sandbox.confinement.hosts import DOORS, Host, is_loopback, may_lie_at, own_ports

__all__ = ["Proxy"]

HEAD = 1 << 16  # bytes of a request's first lines
PATIENCE = 30.0  # seconds for them, and for a host to answer the call
CHUNK = 1 << 16
Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
OWN = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization"})
REFUSAL = "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n{words}\n"


class ProxyRefusal(Exception):
    """The answer to a request that goes no further."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.answer = REFUSAL.format(status=status, words=words).encode()


class Proxy:
    """Serves one agent while the `with` block runs; counts calls by `host:port`.

    The agent's side inherits `channel`. It has no name: there is nothing to leave behind, and
    nothing that others could call.
    """

    def __init__(self, hosts: Sequence[Host], environment: Mapping[str, str] = os.environ) -> None:
        self.hosts = tuple(hosts)
        self.upstream = _upstream(environment)
        self.passed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._ours, self._theirs = socket.socketpair()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="clew-proxy")

    @property
    def channel(self) -> int:
        """The descriptor of the socket that the doors are handed out by."""
        return self._theirs.fileno()

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports of this machine that have a door of their own inside."""
        return own_ports(self.hosts)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._ours.close()
        self._theirs.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._open())
            self._ready.set()
            self._loop.run_forever()
        finally:
            self._ready.set()
            pending = asyncio.all_tasks(self._loop)
            for task in pending:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _open(self) -> None:
        self._keeper = asyncio.create_task(self._keep(self._ours))

    async def _keep(self, channel: socket.socket) -> None:
        """Take the doors of the one that knocks, before the agent begins, and serve behind them.

        Where that fails, the one that knocks is told by the channel's end.
        """
        with contextlib.suppress(OSError, ValueError), contextlib.ExitStack() as stack:
            stack.callback(channel.shutdown, socket.SHUT_RDWR)
            knock = asyncio.Event()
            self._loop.add_reader(channel, knock.set)
            stack.callback(self._loop.remove_reader, channel)
            await knock.wait()
            self._loop.remove_reader(channel)
            words, doors, _, _ = socket.recv_fds(channel, HEAD, DOORS)
            opens = [stack.enter_context(socket.socket(fileno=door)) for door in doors]
            for port, opened in zip((*json.loads(words), None), opens, strict=True):
                serve = self._proxy if port is None else functools.partial(self._relay, port)
                server = await asyncio.start_server(serve, sock=opened, limit=HEAD)
                stack.callback(server.close)
            channel.send(b"!")
            await asyncio.Event().wait()  # until the task is cancelled

    async def _relay(self, port: int, reader: Reader, writer: Writer) -> None:
        """Stand for a port of this machine."""
        async with _closing(writer):
            host = next(h.name for h in self.hosts if is_loopback(h) and port in h.ports)
            with contextlib.suppress(ProxyRefusal, OSError):
                await _join(reader, writer, *await self._call(host, port))

    async def _proxy(self, reader: Reader, writer: Writer) -> None:
        """Answer one request, be it for a tunnel or for a page."""
        async with _closing(writer):
            try:
                async with asyncio.timeout(PATIENCE):
                    head = await reader.readuntil(b"\r\n\r\n")
                    name, port, onward = _asked(head)
                    there = await self._call(name, port)
                if onward:
                    there[1].write(onward)
                else:
                    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            except ProxyRefusal as refused:
                writer.write(refused.answer)
                return
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                return
            await _join(reader, writer, *there)

    async def _call(self, name: str, port: int) -> tuple[Reader, Writer]:
        """Open a connection to a host, if it may be called. Raises Refused."""
        meant = [host for host in self.hosts if host.covers(name, port)]
        if not meant:
            self.refused[f"{name}:{port}"] += 1
            raise ProxyRefusal("403 Forbidden", f"clew: this agent may not call {name}:{port}")
        if self.upstream and not any(map(is_loopback, meant)) and not _bypassed(name):
            there = await self._through(name, port)
        else:
            there = await self._directly(meant, name, port)
        self.passed[f"{name}:{port}"] += 1
        return there

    async def _directly(self, meant: list[Host], name: str, port: int) -> tuple[Reader, Writer]:
        try:
            found = await self._loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:  # a part of a name may be too long
            raise ProxyRefusal("502 Bad Gateway", f"clew: {name} was not found") from error
        addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
        good = [address for address in addresses if may_lie_at(meant, address)]
        if not good:
            self.refused[f"{name}:{port}"] += 1
            raise ProxyRefusal("403 Forbidden", f"clew: {name} has a private address")
        for address in good:
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(address, port)
        raise ProxyRefusal("502 Bad Gateway", f"clew: {name}:{port} does not answer")

    async def _through(self, name: str, port: int) -> tuple[Reader, Writer]:
        """Go through the person's own proxy."""
        parts = urlsplit(self.upstream)
        secure = parts.scheme == "https"
        try:
            reader, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if secure else 80), ssl=secure or None
            )
            lines = [f"CONNECT {name}:{port} HTTP/1.1", f"Host: {name}:{port}"]
            if parts.username:
                login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
                coded = base64.b64encode(login.encode()).decode()
                lines.append(f"Proxy-Authorization: Basic {coded}")
            writer.write("\r\n".join((*lines, "", "")).encode())
            answer = await reader.readuntil(b"\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise ProxyRefusal("502 Bad Gateway", "clew: your proxy does not answer") from error
        if answer.split(b" ", 2)[1:2] != [b"200"]:
            writer.close()
            raise ProxyRefusal("502 Bad Gateway", f"clew: your proxy does not call {name}:{port}")
        return reader, writer


def _asked(head: bytes) -> tuple[str, int, bytes]:
    """Return the host and port of a request, and what is sent on: nothing for a tunnel."""
    first, *lines = head[:-4].split(b"\r\n")
    try:
        method, target, version = first.decode("ascii").split(" ")
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        name, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ProxyRefusal("400 Bad Request", "clew: this is not a request to a proxy") from error
    if method == "CONNECT" and name and port:
        return name, port, b""
    if parts.scheme != "http" or not name:
        raise ProxyRefusal("400 Bad Request", "clew: this is not a request to a proxy")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() not in OWN]
    sent = [f"{method} {path} {version}".encode(), *kept, b"Connection: close", b"", b""]
    return name, port or 80, b"\r\n".join(sent)


def _upstream(environment: Mapping[str, str]) -> str:
    names = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY")
    found = next((environment[name] for name in names if environment.get(name)), "")
    return found if urlsplit(found).scheme in ("http", "https") else ""


def _bypassed(name: str) -> bool:
    return bool(urllib.request.proxy_bypass(name))


@contextlib.asynccontextmanager
async def _closing(writer: Writer) -> AsyncIterator[None]:
    try:
        yield
    except asyncio.CancelledError:
        writer.transport.abort()  # nobody is left for whom the rest would have to be sent
        raise
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _join(
    here: Reader,
    to_here: Writer,
    there: Reader,
    to_there: Writer,
) -> None:
    """Move bytes both ways until both sides have ended."""
    async with _closing(to_there):
        await asyncio.gather(_pump(here, to_there), _pump(there, to_here), return_exceptions=True)


async def _pump(source: Reader, sink: Writer) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(CHUNK):
            sink.write(data)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()
