"""Honest attempts to get out of the sandbox, made wherever Clew runs other people's code.

`python escaping.py REQUEST` has Clew itself start a program, as an agent in a role or as tests; it
makes each attempt in a process of its own and tells what came of it: `refused`, `went through`, or
a complaint.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from clew import runners
from clew.agents.launching import Program, launch
from clew.agents.protocol import Call
from clew.agents.roles import ROLES
from clew.git.project import locate
from clew.sandbox.confinement import launcher
from clew.words.facts import Runner, TestCommand

__all__ = ["ATTEMPTS", "LEVELS", "NETWORKS", "Attempt", "Request", "expected"]

LEVELS = ("namespace", "landlock")
NETWORKS = ("none", "gate", "open")
READERS = tuple(name for name, role in ROLES.items() if not role.edits)
REBINDING = ".rebinding.example"  # whoever answers for these names says: this machine
SECONDS = 60.0
NOTHING: Any = None  # of what a prompt is made of


class Attempt(msgspec.Struct, frozen=True):
    """Code that raises OSError, or a failed command, when it is refused."""

    code: str
    levels: tuple[str, ...] = LEVELS  # that promise to refuse it
    roles: tuple[str, ...] = ()  # in which it is; none: in all, and to tests
    networks: tuple[str, ...] = NETWORKS  # with which it is


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Who tries what, and the places it is about."""

    level: str
    role: str  # an agent's, or `pytest` or `command` for tests
    network: str
    hosts: tuple[str, ...]  # that an agent behind a gate may call
    folders: dict[str, str]  # worktree, person, outside, tools, run
    names: dict[str, str | int]  # what attempts know of the machine outside


ONLY_NAMESPACE = ("namespace",)
CLOSED = ("none", "gate")
ONLY_GATE = ("gate",)

ATTEMPTS = {
    # files
    "write outside": Attempt("Path(OUTSIDE, 'file').write_text('escaped')"),
    "write outside by dots": Attempt(
        "Path(WORKTREE, '../../outside/outside/file').write_text('escaped')"
    ),
    "write through a symbolic link": Attempt(
        "os.symlink(OUTSIDE, RUN + '/out'); Path(RUN, 'out/file').write_text('escaped')"
    ),
    "write through a hard link": Attempt(
        "os.link(TOOLS + '/tool', RUN + '/hard'); Path(RUN, 'hard').write_text('escaped')"
    ),
    "write to a tool": Attempt("Path(TOOLS, 'tool').write_text('escaped')"),
    "write to the person's tree": Attempt(
        "Path(PERSON, 'new').write_text('escaped')",
        levels=("landlock",),  # in a namespace it is the worktree that stands there
    ),
    "write to the worktree": Attempt("Path('new').write_text('x')", roles=READERS),
    "remove from the worktree": Attempt("os.remove('source.py')", roles=READERS),
    "truncate": Attempt("os.truncate(OUTSIDE + '/file', 0)"),
    "change permissions": Attempt("os.chmod(TOOLS + '/tool', 0o777)", levels=ONLY_NAMESPACE),
    "preload a library everywhere": Attempt("Path('/etc/ld.so.preload').write_text(OUTSIDE)"),
    "read a home": Attempt("open(HOME + '/.netrc').read()"),
    "read the passwords of the system": Attempt("print(open('/etc/shadow').read())"),
    "read what only root may": Attempt(
        "found = [p for p in Path('/etc').rglob('*') if closed(p)]\n"
        "if not found: raise OSError('none')"
    ),
    "read another project": Attempt("print(open(ANOTHER + '/file').read())"),
    "list other projects": Attempt("print(os.listdir(os.path.dirname(ANOTHER)))"),
    "read temporary files": Attempt("print(open(OUTSIDE + '/file').read())"),
    # the process table, and what it leads to
    "the root of the first process": Attempt(
        "Path(f'/proc/1/root{OUTSIDE}/file').write_text('escaped')"
    ),
    "the root of a stranger": Attempt(
        "Path(f'/proc/{VICTIM}/root{OUTSIDE}/file').write_text('escaped')"
    ),
    "the working folder of the parent": Attempt(
        "Path(f'/proc/{PARENT}/cwd/../escaped').write_text('escaped')"
    ),
    "memory of a sibling": Attempt("open(f'/proc/{VICTIM}/mem', 'rb')"),
    "trace a sibling": Attempt("check(libc.ptrace(16, VICTIM, 0, 0))"),
    "seize a sibling": Attempt("check(libc.ptrace(0x4206, VICTIM, 0, 0))"),
    "files of a sibling": Attempt("check(libc.syscall(438, os.pidfd_open(VICTIM), 0, 0))"),
    "environment of a sibling": Attempt("print(open(f'/proc/{VICTIM}/environ').read())"),
    "environment of the parent": Attempt("print(open(f'/proc/{PARENT}/environ').read())"),
    "signal the parent": Attempt("os.kill(PARENT, 10)"),
    "signal a sibling": Attempt("os.kill(VICTIM, 9)"),
    "limits of a sibling": Attempt(
        "import resource; resource.prlimit(VICTIM, resource.RLIMIT_CPU, (1, 1))"
    ),
    # what root may do
    "remount": Attempt("run('mount -o remount,rw /')"),
    "remount in a namespace": Attempt("run('unshare -Urm mount -o remount,bind,rw /')"),
    "uncover": Attempt("run('unshare -Urm umount -l /tmp')"),
    "enter the machine": Attempt("run('nsenter -t 1 -m true')"),
    "make a disk": Attempt("os.mknod(RUN + '/disk', 0o60660, os.makedev(254, 0))"),
    "a new root": Attempt("check(libc.chroot(b'/'))"),
    "settings of the kernel": Attempt("Path('/proc/sys/kernel/core_pattern').write_text('|/x')"),
    "groups of processes": Attempt(
        "Path(next(Path('/sys/fs/cgroup').rglob('cgroup.procs'))).write_text('0')"
    ),
    "the log of the kernel": Attempt("open('/dev/kmsg').read(1)"),
    "raise a limit": Attempt(
        "import resource\n"
        "try: resource.setrlimit(resource.RLIMIT_CORE, (1, 1))\n"
        "except ValueError as e: raise OSError(e)"
    ),
    # sockets and the network
    "a terminal server": Attempt("call(socket.AF_UNIX, TMUX)"),
    "a server of containers": Attempt("call(socket.AF_UNIX, DOCKER)"),
    "an abstract socket": Attempt("call(socket.AF_UNIX, ABSTRACT.replace('@', chr(0)))"),
    "a server on loopback": Attempt("call(socket.AF_INET, ('127.0.0.1', PORT))", networks=CLOSED),
    "a server of this machine": Attempt("call(socket.AF_INET, (ADDRESS, PORT))", networks=CLOSED),
    "a server elsewhere": Attempt("call(socket.AF_INET, ('192.0.2.1', 80))", networks=CLOSED),
    "a datagram": Attempt(
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
        networks=CLOSED,
    ),
    "a raw socket": Attempt("socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
    "a socket between machines": Attempt("socket.socket(socket.AF_VSOCK)"),
    "the person's terminal": Attempt("open('/dev/tty')"),
    # the one way out
    **{
        f"a tunnel to {name}": Attempt(f"ask(f'CONNECT {name} HTTP/1.1')", networks=ONLY_GATE)
        for name in (
            "127.0.0.1:{PORT}",
            "127.1:{PORT}",
            "2130706433:{PORT}",
            "0x7f000001:{PORT}",
            "0.0.0.0:{PORT}",
            "[::1]:{PORT}",
            "[::ffff:127.0.0.1]:{PORT}",
            "{ADDRESS}:{PORT}",
            "169.254.169.254:80",
            "localhost:{PORT}",
            "localhost.:{PORT}",
            "localhost:{ALLOWED}@127.0.0.1:{PORT}",
            "127.0.0.1:{PORT}#localhost:{ALLOWED}",
            "model.example:{PORT}",
            "model.example.:22",
            "elsewhere.example:443",
            "amodel.example:443",
            "model.example.elsewhere.example:443",
            "one.rebinding.example:80",
            "ONE.REBINDING.EXAMPLE.:443",
        )
    },
    **{
        f"a page of {name}": Attempt(f"ask(f'GET {name} HTTP/1.1')", networks=ONLY_GATE)
        for name in (
            "http://127.0.0.1:{PORT}/",
            "http://{ADDRESS}:{PORT}/",
            "http://localhost:{PORT}/",
            "http://localhost:{ALLOWED}@127.0.0.1:{PORT}/",
            "http://127.0.0.1:{PORT}#@localhost:{ALLOWED}/",
            "http://127.0.0.1:{PORT}/?@localhost:{ALLOWED}/",
            "http://localhost:{ALLOWED}/@127.0.0.1:{PORT}/../..//HTTP/1.1 x",
            "http://one.rebinding.example/",
            "//127.0.0.1:{PORT}/",
            "/ HTTP/1.1\\r\\nHost: 127.0.0.1:{PORT}\\r\\nX:",
            "file:///etc/passwd",
            "https://127.0.0.1:{PORT}/",
            "unix:{TMUX}",
        )
    },
    "a second page on the same line": Attempt(
        "ask(f'GET http://localhost:{ALLOWED}/ HTTP/1.1\\r\\nConnection: keep-alive\\r\\n\\r\\n'\n"
        "    f'GET http://127.0.0.1:{PORT}/ HTTP/1.1', allowed=1)",
        networks=ONLY_GATE,
    ),
    "a page of another host than its header says": Attempt(
        "ask(f'GET http://127.0.0.1:{PORT}/ HTTP/1.1\\r\\nHost: localhost:{ALLOWED}')",
        networks=ONLY_GATE,
    ),
    "a port that has no door": Attempt(
        "call(socket.AF_INET, ('127.0.0.1', PORT))", networks=ONLY_GATE
    ),
    "a look-up of a name": Attempt(
        "socket.getaddrinfo('one.rebinding.example', 80)", networks=CLOSED
    ),
    # secrets that no file holds
    "keys of the user": Attempt(
        "check(libc.syscall(KEYS + 2, 10, -4, b'user', b'clew-escape', 0))"
    ),
    "keys of the session": Attempt(
        "check(libc.syscall(KEYS + 2, 10, -3, b'user', b'clew-escape', 0))"
    ),
    "a key of its own": Attempt("check(libc.syscall(KEYS, b'user', b'own', b'x', 1, -3))"),
    "keys of a process": Attempt(
        "found = [p for p in Path('/proc').glob('[0-9]*/environ') if leaks(p)]\n"
        "if not found and 'AWS_SECRET_ACCESS_KEY' not in os.environ: raise OSError('none')"
    ),
    "variables of the person": Attempt(
        "if not set(PERSONAL.split()) & set(os.environ): raise OSError('none')"
    ),
    "where the person's programs find their parts": Attempt(
        "if not {'LD_LIBRARY_PATH', 'PYTHONPATH'} & set(os.environ): raise OSError('none')",
        roles=tuple(ROLES),  # tests are to find them there, too
    ),
    "files left open": Attempt(
        "if opened <= set('0123'): raise OSError('none')",
        roles=(*ROLES, "command"),  # pytest has files of its own
    ),
    "other shared memory": Attempt("check(libc.shmget(SHARED, 0, 0))"),
    "other semaphores": Attempt("check(libc.semget(SHARED, 0, 0))"),
    "another queue": Attempt("check(libc.msgget(SHARED, 0))"),
}


def expected(request: Request) -> dict[str, str]:
    """Return what has to come of every attempt that is refused there."""
    return {
        name: "refused"
        for name, attempt in ATTEMPTS.items()
        if request.level in attempt.levels
        and request.role in (attempt.roles or (request.role,))
        and request.network in attempt.networks
        and (request.network != "open" or name != "an abstract socket" or scoped(request.level))
    }


def scoped(level: str) -> bool:
    """Whether this kernel parts abstract sockets from a program that shares the network."""
    return level == "landlock" or launcher.landlock_abi() >= launcher.SCOPE_ABI


INSIDE = """
import ctypes, json, os, signal, socket, subprocess, sys
from pathlib import Path
opened = set(os.listdir("/proc/self/fd"))
RUN = os.environ.get("OWN", os.getcwd())  # where it may write, if it may anywhere
libc = ctypes.CDLL(None, use_errno=True)

def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result

def run(line):
    subprocess.run(line.split(), check=True, capture_output=True)

def call(family, address):
    with socket.socket(family) as caller:
        caller.settimeout(3)
        caller.connect(address)

def ask(words, allowed=0):
    host, _, port = os.environ["HTTPS_PROXY"].rpartition("/")[2].partition(":")
    with socket.create_connection((host, int(port)), 10) as caller:
        caller.sendall(words.encode() + b"\\r\\n\\r\\n")
        said = b"".join(iter(lambda: caller.recv(1000), b""))
    if said.count(b"HTTP/1.1 200") <= allowed and (allowed or b"clew:" in said):
        raise OSError("refused")
    raise ValueError(said)

def leaks(path):
    try:
        return b"hunter2" in path.read_bytes()
    except OSError:
        return False

def closed(path):
    try:
        kept = not os.path.islink(path) and os.path.isfile(path) and not path.stat().st_mode & 4
        return kept and path.read_bytes()
    except OSError:
        return False

def tell(asked):
    said = {}
    for name, code in asked["attempts"].items():
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            signal.alarm(20)
            answer = "went through"
            try:
                exec(code, {**globals(), **asked["names"]})
            except (OSError, subprocess.CalledProcessError, StopIteration):
                answer = "refused"
            except BaseException as error:
                answer = repr(error)
            os.write(write, answer.encode())
            os._exit(0)
        os.close(write)
        with open(read) as answers:
            said[name] = answers.read()
        os.waitpid(child, 0)
    return json.dumps(said)
"""
PRINTS = INSIDE + "\nprint(tell(json.load(open('asked.json'))))\n"
TESTS = (
    INSIDE
    + """
def test_to_get_out():
    Path("said.json").write_text(tell(json.load(open("asked.json"))))
"""
)


def as_tests(request: Request, worktree: Path) -> str:
    """Return what came of it, and of the runner's own words where nothing did."""
    project, scratch = locate(Path(request.folders["person"])), Path(request.folders["run"])
    (worktree / "test_out.py").write_text(TESTS, encoding="utf-8")
    command = TestCommand(runner=Runner.PYTEST, argv=("pytest",), interpreter=sys.executable)
    if request.role == "command":
        ending = "import test_out; test_out.test_to_get_out()"
        argv = (os.path.realpath(sys.executable), "-B", "-c", ending)
        command = TestCommand(runner=Runner.COMMAND, argv=argv)
    network = request.network == "open"
    site = runners.build(project, worktree, command, scratch=scratch, network=network)
    report = runners.run(site, command, runners.Request(), scratch)
    said = worktree / "said.json"
    return said.read_text("utf-8") if said.exists() else f"{report.run.reason}\n{report.run.output}"


def as_agent(request: Request, worktree: Path) -> str:
    """Return what came of it, and of the agent's last words where nothing did."""
    project, scratch = locate(Path(request.folders["person"])), Path(request.folders["run"])
    command = TestCommand(runner=Runner.PYTEST, argv=("pytest",), interpreter=sys.executable)
    own = scratch / "own"
    own.mkdir()
    call = Call(
        number=1,
        role=ROLES[request.role],
        brief=NOTHING,
        site=runners.build(project, worktree, command, scratch=scratch),
        scratch=scratch,
        seconds=SECONDS,
    )
    program = Program(
        argv=(sys.executable, "-I", "-S", "-B", "-c", PRINTS),
        visible=(Path(sys.prefix), Path(sys.base_prefix), Path(request.folders["tools"])),
        writable=(own,),
        environment={"OWN": str(own)},
        hosts=request.hosts if request.network == "gate" else (),
    )
    done = launch(call, program, "")
    return done.stdout or done.stderr


def main(path: str) -> None:
    """Make the attempts that a request names, and print what came of them as JSON."""
    request = msgspec.json.decode(Path(path).read_bytes(), type=Request)
    os.environ["CLEW_SANDBOX"] = request.level
    worktree = Path(request.folders["worktree"])
    asked = {
        "attempts": {name: ATTEMPTS[name].code for name in expected(request)},
        "names": request.names,
    }
    (worktree / "asked.json").write_bytes(msgspec.json.encode(asked))
    look_up = socket.getaddrinfo
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", request.names["PORT"]))]

    def rebinding(host: str, *given: Any, **named: Any) -> Any:  # noqa: ANN401 -- as `socket` has it
        mine = host.lower().rstrip(".").endswith(REBINDING)
        return found if mine else look_up(host, *given, **named)

    with mock.patch.object(socket, "getaddrinfo", rebinding):
        sys.stdout.write((as_agent if request.role in ROLES else as_tests)(request, worktree))


if __name__ == "__main__":
    main(sys.argv[1])
