"""No attempt to escape succeeds: in any role, at any level, by root or by an ordinary user."""

from __future__ import annotations

import contextlib
import ctypes
import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clew.agents.roles import ROLES
from clew.sandbox.confinement import Level, calls, examine
from sandbox.confinement import escaping, ordinary
from sandbox.confinement.escaping import LEVELS, Request, expected

USERS = ["root", "ordinary"] if os.geteuid() == 0 else ["ordinary"]
REPOSITORY = Path(__file__).parents[3]
SESSION_KEYS, USER_KEYS, SHARED = -3, -4, 0x636C6577
ADD_KEY = calls.MACHINES[os.uname().machine].keys[0]
KEYCTL = ADD_KEY + 2
LIBC = ctypes.CDLL(None, use_errno=True)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="clew-escape-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextlib.contextmanager
def server(family: socket.AddressFamily, address: str | tuple[str, int]) -> Iterator[socket.socket]:
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.bind(address)
        listener.listen()
        listener.setblocking(False)
        if isinstance(address, str) and not address.startswith("\0"):
            Path(address).chmod(0o777)
        yield listener


def called(listener: socket.socket) -> bool:
    with contextlib.suppress(BlockingIOError):
        listener.accept()
        return True
    return False


def address() -> str:
    """An address of this machine that is not loopback, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return "127.0.0.1"


@contextlib.contextmanager
def sibling(environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    victim = subprocess.Popen(["sleep", "600"], env=environment, start_new_session=True)
    try:
        yield victim
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.wait()


@contextlib.contextmanager
def kept_in_the_kernel() -> Iterator[None]:
    """A secret among this user's keys; memory, semaphores and a queue that everybody may use."""
    rings = (USER_KEYS, SESSION_KEYS)
    keys = [LIBC.syscall(ADD_KEY, b"user", b"clew-escape", b"hunter2", 7, ring) for ring in rings]
    segment = LIBC.shmget(SHARED, 4096, 0o1666)
    semaphores = LIBC.semget(SHARED, 1, 0o1666)
    queue = LIBC.msgget(SHARED, 0o1666)
    try:
        yield
    finally:
        for key in keys:
            LIBC.syscall(KEYCTL, 3, key)
        LIBC.shmctl(segment, 0, None)
        LIBC.semctl(semaphores, 0, 0)
        LIBC.msgctl(queue, 0, None)


@contextlib.contextmanager
def another_project(there: Path) -> Iterator[Path]:
    """A project that lies neither in a home nor among temporary files, where one can be made."""
    above = next((path for path in map(Path, ("/srv", "/opt")) if os.access(path, os.W_OK)), there)
    above.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="clew-another-", dir=above))
    folder.chmod(0o755)
    (folder / "file").write_text("another's")
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


class Page(http.server.BaseHTTPRequestHandler):
    """Answers once."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextlib.contextmanager
def page() -> Iterator[int]:
    """The port of a server that an agent may call."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


# What a person's shell may have set for programs of their own.
PERSONAL = {
    "AWS_SECRET_ACCESS_KEY": "hunter2",
    "BASH_ENV": "/none",
    "GIT_CONFIG_COUNT": "0",
    "GIT_DIR": "/none",
    "GIT_SSH_COMMAND": "/none",
    "JAVA_TOOL_OPTIONS": "-Dnone",
    "LD_PRELOAD": "libm.so.6",
    "NODE_OPTIONS": "--no-warnings",
    "NODE_PATH": "/none",
    "PERL5OPT": "-w",
    "PYTHONINSPECT": "",
    "PYTHONSTARTUP": "/none",
    "RUBYOPT": "-w",
    "SSH_AUTH_SOCK": "/none",
}
PARTS = {"LD_LIBRARY_PATH": "/none", "PYTHONPATH": "/none"}

# level, role, network: where Clew runs what may be anybody's code
SCENES = [
    ("namespace", "fix", "gate"),
    ("namespace", "pytest", "none"),
    ("landlock", "fix", "open"),
]
MORE = [
    ("landlock", "pytest", "none"),
    *(("namespace", role, "gate") for role in ROLES),
    *((level, role, "open") for level in LEVELS for role in ("diagnose", "fix")),
    ("landlock", "write-test", "open"),
    ("namespace", "pytest", "open"),
    *((level, "command", "none") for level in LEVELS),
]


@pytest.mark.sweep(6, by=("level", "role", "network", "user"))
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    ("level", "role", "network"),
    [
        *SCENES,
        *(pytest.param(*scene, marks=pytest.mark.slow) for scene in MORE if scene not in SCENES),
    ],
)
def test_no_attempt_succeeds(place: Path, level: str, role: str, network: str, user: str) -> None:
    """Every one is refused, and nothing outside has changed or was called."""
    if why := examine(Level(level)):
        pytest.skip(" ".join(why))
    names = ("outside", "person", "tools", "run", "home", "worktree")
    folders = {name: place / "of" / name / name for name in names}
    for folder in folders.values():
        folder.mkdir(parents=True)
    files = [folders["outside"] / "file", folders["tools"] / "tool"]
    for file in (*files, folders["worktree"] / "source.py", folders["home"] / ".netrc"):
        file.write_text("as it was")
    lent = user == "ordinary" and os.geteuid() == 0
    if lent:
        ordinary.give(place)
    own = {"HOME": str(folders["home"]), "USER": "somebody", "PATH": os.environ["PATH"]}
    own |= {**PERSONAL, **PARTS, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = Path("/run") if os.access("/run", os.W_OK) else place
    listening: dict[str, tuple[socket.AddressFamily, str | tuple[str, int]]] = {
        "tmux": (socket.AF_UNIX, str(place / "tmux.sock")),
        "docker": (socket.AF_UNIX, str(run / f"{place.name}.sock")),
        "abstract": (socket.AF_UNIX, f"\0{place.name}"),
        "tcp": (socket.AF_INET, ("", 0)),
    }
    with contextlib.ExitStack() as stack:
        victim = stack.enter_context(sibling(own))
        stack.enter_context(kept_in_the_kernel())
        another = stack.enter_context(another_project(place / "others"))
        servers = {name: stack.enter_context(server(*where)) for name, where in listening.items()}
        allowed = stack.enter_context(page())
        request = Request(
            level=level,
            role=role,
            network=network,
            hosts=("model.example", "*.rebinding.example", f"localhost:{allowed}"),
            folders={name: str(path) for name, path in folders.items()},
            names={
                **{name.upper(): str(path) for name, path in folders.items() if name != "run"},
                "ANOTHER": str(another),
                "VICTIM": victim.pid,
                "PARENT": os.getpid(),
                "SHARED": SHARED,
                "KEYS": ADD_KEY,
                "TMUX": str(place / "tmux.sock"),
                "DOCKER": str(run / f"{place.name}.sock"),
                "ABSTRACT": f"@{place.name}",
                "PORT": servers["tcp"].getsockname()[1],
                "ALLOWED": allowed,
                "ADDRESS": address(),
                "PERSONAL": " ".join(PERSONAL),
            },
        )
        asked = place / "request.json"
        asked.write_bytes(msgspec.json.encode(request))
        command = [sys.executable, "-I", escaping.__file__, str(asked)]
        if lent:
            needed = [Path(sys.prefix), Path(sys.base_prefix), REPOSITORY]
            command = ordinary.line(command, needed, place / "stage")
        done = subprocess.run(
            command, env=own, capture_output=True, text=True, check=False, timeout=120
        )
        reached = [name for name, each in servers.items() if called(each)]
        alive = victim.poll() is None
    (run / f"{place.name}.sock").unlink()

    assert expected(request) == said(done.stdout), done.stderr
    assert [[], True] == [reached, alive]
    assert ["as it was"] * 2 == [file.read_text() for file in files]
    assert [[], [files[1]]] == [sorted(folders[name].iterdir()) for name in ("person", "tools")]


def said(printed: str) -> dict[str, str]:
    """What came of each attempt, or what was printed instead."""
    try:
        return msgspec.json.decode(printed, type=dict[str, str])
    except msgspec.DecodeError:
        return {"": printed}
