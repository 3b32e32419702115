"""No attempt to escape succeeds: in any role, at any level, by root or by an ordinary user."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clew.sandbox import Level, calls, examine
from sandbox import escaping, ordinary
from sandbox.escaping import ROLES, Request, expected

USERS = ["root", "ordinary"] if os.geteuid() == 0 else ["ordinary"]
REPOSITORY = Path(__file__).parents[2]
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


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    "role",
    [role if role == "fix" else pytest.param(role, marks=pytest.mark.slow) for role in ROLES],
)
@pytest.mark.parametrize("level", escaping.LEVELS)
def test_no_attempt_succeeds(place: Path, level: str, role: str, user: str) -> None:
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
    own["AWS_SECRET_ACCESS_KEY"] = "hunter2"  # noqa: S105 - nobody's
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
        servers = {name: stack.enter_context(server(*where)) for name, where in listening.items()}
        request = Request(
            level=level,
            role=role,
            folders={name: str(path) for name, path in folders.items()},
            names={
                **{name.upper(): str(path) for name, path in folders.items()},
                "VICTIM": victim.pid,
                "PARENT": os.getpid(),
                "SHARED": SHARED,
                "KEYS": ADD_KEY,
                "TMUX": str(place / "tmux.sock"),
                "DOCKER": str(run / f"{place.name}.sock"),
                "ABSTRACT": f"@{place.name}",
                "PORT": servers["tcp"].getsockname()[1],
                "ADDRESS": address(),
            },
        )
        asked = place / "request.json"
        asked.write_bytes(msgspec.json.encode(request))
        command = [sys.executable, escaping.__file__, str(asked)]
        if lent:
            needed = [Path(sys.prefix), Path(sys.base_prefix), REPOSITORY]
            command = ordinary.line(command, needed, place / "stage")
        done = subprocess.run(
            command, env=own, capture_output=True, text=True, check=False, timeout=120
        )
        reached = [name for name, each in servers.items() if called(each)]
        alive = victim.poll() is None
    (run / f"{place.name}.sock").unlink()

    assert expected(level, role) == json.loads(done.stdout or "{}"), done.stderr
    assert ([], True) == (reached, alive)
    assert ["as it was"] * 2 == [file.read_text() for file in files]
    assert [[], [files[1]]] == [sorted(folders[name].iterdir()) for name in ("person", "tools")]
