"""An agent's own network has one way out, and it leads to the hosts that are named."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import ipaddress
import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agents import table
from clew.git.project import locate
from clew.sandbox.confinement import Gate, Host, Level, Policy, clean_environment, confine, examine
from clew.sandbox.confinement import proxy as way_out
from clew.sandbox.confinement.hosts import DOORS, is_loopback, may_lie_at, of_variables, parse
from clew.sandbox.confinement.proxy import Proxy
from clew.sandbox.processes import Completed, run
from clew.words.errors import UsageError
from clew.words.settings import Settings

HERE = "127.0.0.1"


class Page(http.server.BaseHTTPRequestHandler):
    """Tells which path was asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        said = f"page {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def site() -> Iterator[int]:
    """The port of a server on this machine."""
    with http.server.ThreadingHTTPServer((HERE, 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def inside(proxy: Proxy, folder: Path, code: str) -> Completed:
    if why := examine(Level.NAMESPACE):
        pytest.skip(" ".join(why))
    policy = Policy(
        worktree=folder,
        target=folder,
        writable=False,
        network=True,
        gate=Gate(channel=proxy.channel, ports=proxy.ports),
        visible=(Path(sys.prefix), Path(sys.base_prefix)),
    )
    confined = confine([sys.executable, "-I", "-c", code], policy, Level.NAMESPACE)
    env = {**clean_environment(), **confined.env}
    kept = confined.descriptors
    return run(confined.argv, cwd=confined.cwd, env=env, timeout=30, keep=kept)


FETCH = """
import os, urllib.request
{proxied}
try:
    print(urllib.request.urlopen("{url}", timeout=10).read().decode())
except OSError as error:
    print(getattr(error, "code", "") or error)
    print(error.read().decode() if hasattr(error, "read") else "")
"""
ALWAYS = "os.environ.pop('no_proxy'); os.environ.pop('NO_PROXY')"


def test_a_port_of_this_machine_that_is_named_can_be_called(tmp_path: Path, site: int) -> None:
    """By its own address, without a word of a proxy."""
    url = f"http://{HERE}:{site}/a?b=c"
    with Proxy(of_variables({"MODEL_BASE_URL": url}), {}) as proxy:
        done = inside(proxy, tmp_path, FETCH.format(proxied="", url=url))

    assert ("page /a?b=c\n", "") == (done.stdout, done.stderr)
    assert {f"{HERE}:{site}": 1} == proxy.passed


def test_so_it_can_through_the_proxy(tmp_path: Path, site: int) -> None:
    """For programs that send everything there."""
    url = f"http://{HERE}:{site}/a?b=c"
    with Proxy(of_variables({"MODEL_BASE_URL": url}), {}) as proxy:
        done = inside(proxy, tmp_path, FETCH.format(proxied=ALWAYS, url=url))

    assert ("page /a?b=c\n", "") == (done.stdout, done.stderr)


def test_a_way_out_leaves_nothing_behind_when_clew_is_killed(tmp_path: Path) -> None:
    """Neither a folder nor a file, wherever temporary ones go."""
    begun = "from clew.sandbox.confinement.proxy import Proxy; Proxy(()).__enter__()"
    code = f"import os; {begun}; os.kill(os.getpid(), 9)"
    env = {**clean_environment(), "TMPDIR": str(tmp_path)}
    done = run([sys.executable, "-c", code], cwd=tmp_path, env=env, timeout=30)

    assert (-9, "", []) == (done.exit_code, done.stderr, list(tmp_path.iterdir()))


def test_there_is_a_way_out_however_long_the_names_of_temporary_folders(
    tmp_path: Path, site: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the 108 bytes that an address of a socket may have."""
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    url = f"http://{HERE}:{site}/"
    with Proxy(of_variables({"MODEL_BASE_URL": url}), {}) as proxy:
        done = inside(proxy, tmp_path, FETCH.format(proxied="", url=url))

    assert ("page /\n", "") == (done.stdout, done.stderr)


@pytest.mark.parametrize("proxied", ["", ALWAYS])
def test_what_is_not_named_cannot_be_called(tmp_path: Path, site: int, proxied: str) -> None:
    """Neither around the proxy nor through it; and what was tried is told."""
    with Proxy([parse("model.example")], {}) as proxy:
        url = f"http://{HERE}:{site}/"
        done = inside(proxy, tmp_path, FETCH.format(proxied=proxied, url=url))

    assert ("page" in done.stdout, bool(proxy.passed)) == (False, False)
    assert ({f"{HERE}:{site}": 1} if proxied else {}) == proxy.refused


def speak(proxy: Proxy, words: bytes) -> bytes:
    """What the proxy answers to one that knocked."""
    channel = proxy._theirs
    with socket.socket() as door:
        door.bind((HERE, 0))
        door.listen()
        socket.send_fds(channel, [b"[]"], [door.fileno()])
        channel.recv(1)
        with socket.socket() as caller:
            caller.settimeout(10)
            caller.connect(door.getsockname())
            caller.sendall(words)
            return b"".join(iter(lambda: caller.recv(1000), b""))


def connect(host: str) -> bytes:
    return f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def test_an_agent_holds_nothing_of_the_way_out(tmp_path: Path) -> None:
    """Its doors are served from outside: no descriptor but the usual ones is open."""
    with Proxy([parse("model.example")], {}) as proxy:
        done = inside(proxy, tmp_path, "import os; print(os.listdir('/proc/self/fd'))")

    assert ("['0', '1', '2', '3']\n", "") == (done.stdout, done.stderr)


def test_a_name_that_lies_at_a_private_address_is_refused(
    site: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever answers for a name does not get to point it into this machine or its network."""
    for address in (HERE, "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"):
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, site))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, f=found, **__: f)
        with Proxy([Host(name="model.example", ports=(site,))], {}) as proxy:
            said = speak(proxy, connect(f"model.example:{site}"))

        assert b"HTTP/1.1 403" == said[:12], address


@pytest.mark.parametrize(
    "words",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET ftp://model.example/ HTTP/1.1\r\n\r\n",
        b"CONNECT model.example HTTP/1.1\r\n\r\n",
        b"CONNECT [model.example:443 HTTP/1.1\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ],
)
def test_what_is_no_request_to_a_proxy_is_answered_so(words: bytes) -> None:
    """It goes nowhere."""
    with Proxy([parse("model.example")], {}) as proxy:
        assert b"HTTP/1.1 400" == speak(proxy, words)[:12]


def test_it_goes_through_the_persons_own_proxy(site: int) -> None:
    """Where they have one; it looks the name up, and is told the login."""
    heard: list[bytes] = []

    def answer(listener: socket.socket) -> None:
        caller, _ = listener.accept()
        with caller:
            heard.append(caller.recv(1000))
            caller.sendall(b"HTTP/1.1 200 Fine\r\n\r\nfrom beyond")

    with socket.create_server((HERE, 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        own = {"HTTPS_PROXY": f"http://me:pass@{HERE}:{listener.getsockname()[1]}"}
        with Proxy([parse("model.example")], own) as proxy:
            said = speak(proxy, connect("model.example:443"))
        thread.join()

    assert said.endswith(b"\r\n\r\nfrom beyond")
    assert b"CONNECT model.example:443 HTTP/1.1\r\n" in heard[0]
    assert b"Proxy-Authorization: Basic bWU6cGFzcw==\r\n" in heard[0]


@pytest.mark.parametrize(
    ("text", "name", "port", "covered"),
    [
        ("a.example", "a.example", 443, True),
        ("a.example", "A.Example.", 80, True),
        ("a.example", "a.example", 22, False),
        ("a.example", "b.a.example", 443, False),
        ("a.example", "a.example.evil", 443, False),
        ("*.a.example", "b.a.example", 443, True),
        ("*.a.example", "ba.example", 443, False),
        ("*.a.example", "a.example", 443, False),
        ("a.example:8443", "a.example", 8443, True),
        ("a.example:8443", "a.example", 443, False),
        ("[::1]:8080", "::1", 8080, True),
    ],
)
def test_a_host_covers_its_name_and_ports(text: str, name: str, port: int, covered: bool) -> None:  # noqa: FBT001 - a table
    """And nothing that only looks like it."""
    assert covered == parse(text).covers(name, port)


@pytest.mark.parametrize("text", ["", "*", "a*.example", "https://a.example", "a.example:x", "a b"])
def test_what_is_no_host_is_refused(text: str) -> None:
    """With the text in the words."""
    with pytest.raises(UsageError, match="is not a host"):
        parse(text)


@pytest.mark.parametrize("text", ["localhost", "127.0.0.1", "[::1]", "localhost:80"])
def test_a_port_of_this_machine_that_stays_closed_is_refused(text: str) -> None:
    """The setting is named, and what to write instead: below 1024 a door cannot be opened."""
    with pytest.raises(UsageError, match="agent_hosts") as refused:
        parse(text)

    assert "localhost:11434" in refused.value.hint


def test_a_knock_that_fails_is_not_waited_for() -> None:
    """With more doors than can be handed out, the one inside is told that there is no way."""
    with Proxy((), {}) as proxy, contextlib.ExitStack() as stack:
        channel = stack.enter_context(socket.socket(fileno=os.dup(proxy.channel)))
        channel.settimeout(10)
        doors = [stack.enter_context(socket.create_server((HERE, 0))) for _ in range(DOORS + 1)]
        words = json.dumps([0] * DOORS).encode()
        socket.send_fds(channel, [words], [door.fileno() for door in doors])

        assert b"" == channel.recv(1)


def test_more_ports_of_this_machine_than_doors_are_refused_beforehand(tmp_path: Path) -> None:
    """The setting is named, and how many there may be."""
    (tmp_path / ".git").mkdir()
    named = tuple(f"localhost:{5000 + number}" for number in range(DOORS))
    project = locate(tmp_path)
    table.check(Settings(agent=("repair",), agent_hosts=(*named[1:], "a.example")), project)
    with pytest.raises(UsageError, match=f"agent_hosts names {DOORS} ports") as refused:
        table.check(Settings(agent=("repair",), agent_hosts=named), project)

    assert str(DOORS - 1) in refused.value.message


@given(st.ip_addresses())
def test_only_who_names_a_private_address_reaches_it(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    """A name may stand for public addresses alone."""
    public = Host(name="a.example")
    own = Host(name="a.example", private=True)

    assert may_lie_at([own], str(address))
    assert not may_lie_at([public], str(address)) or address.is_global


def test_base_urls_name_a_host_and_one_port() -> None:
    """Wherever it lies: it is the person who says so."""
    found = of_variables(
        {
            "A_BASE_URL": "http://localhost:8080/v1",
            "B_BASE_URL": "https://llm.corp",
            "C_BASE_URL": "nonsense",
            "D_BASE_URL": "http://x:99999",
            "URL": "http://other",
        }
    )

    assert [("localhost", (8080,), True), ("llm.corp", (443,), False)] == [
        (host.name, host.ports, is_loopback(host)) for host in found
    ]
    assert all(host.private for host in found)


def test_nobody_waits_for_what_a_broken_off_call_would_send() -> None:
    """A server that does not read any more holds up no end."""

    async def cut() -> bool:
        async def deaf(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await over.wait()
            writer.transport.abort()

        async def send(port: int) -> None:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            async with way_out._closing(writer):
                writer.write(b"x" * (64 << 20))
                begun.set()
                await writer.drain()

        begun, over = asyncio.Event(), asyncio.Event()
        server = await asyncio.start_server(deaf, "127.0.0.1", 0, limit=1)
        sending = asyncio.create_task(send(server.sockets[0].getsockname()[1]))
        await begun.wait()
        sending.cancel()
        done, _ = await asyncio.wait({sending}, timeout=10)
        over.set()
        server.close()
        await asyncio.sleep(0)
        return sending in done

    assert asyncio.run(cut())
