"""Honest attempts to get out of the sandbox, made in every role.

`python escaping.py REQUEST` confines a program as `REQUEST` says, which makes each attempt in a
process of its own and prints what came of it: `refused`, `went through`, or a complaint.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from clew import processes
from clew.sandbox import Level, Limits, Policy, clean_environment, confine

__all__ = ["ATTEMPTS", "Attempt", "Request", "expected"]

LEVELS = ("namespace", "landlock")
ROLES = ("diagnose", "fix", "tests")


class Attempt(msgspec.Struct, frozen=True):
    """Code that raises OSError, or a failed command, when the kernel refuses it."""

    code: str
    levels: tuple[str, ...] = LEVELS  # that promise to refuse it
    roles: tuple[str, ...] = ROLES


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Who tries what, and the places it is about."""

    level: str
    role: str
    folders: dict[str, str]  # worktree, person, outside, tools, run
    names: dict[str, str | int]  # what attempts know of the machine outside


ONLY_NAMESPACE = ("namespace",)

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
    "write to the worktree": Attempt("Path('new').write_text('x')", roles=("diagnose",)),
    "remove from the worktree": Attempt("os.remove('source.py')", roles=("diagnose",)),
    "truncate": Attempt("os.truncate(OUTSIDE + '/file', 0)"),
    "change permissions": Attempt("os.chmod(TOOLS + '/tool', 0o777)", levels=ONLY_NAMESPACE),
    "preload a library everywhere": Attempt("Path('/etc/ld.so.preload').write_text(OUTSIDE)"),
    "read a home": Attempt("open(HOME + '/.netrc').read()"),
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
    "a server on loopback": Attempt("call(socket.AF_INET, ('127.0.0.1', PORT))"),
    "a server of this machine": Attempt("call(socket.AF_INET, (ADDRESS, PORT))"),
    "a raw socket": Attempt("socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
    "a socket between machines": Attempt("socket.socket(socket.AF_VSOCK)"),
    "the person's terminal": Attempt("open('/dev/tty')"),
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
    "files left open": Attempt("if opened <= set('0123'): raise OSError('none')"),
    "other shared memory": Attempt("check(libc.shmget(SHARED, 0, 0))"),
    "other semaphores": Attempt("check(libc.semget(SHARED, 0, 0))"),
    "another queue": Attempt("check(libc.msgget(SHARED, 0))"),
}


def expected(level: str, role: str) -> dict[str, str]:
    """Return what has to come of every attempt that a level promises to refuse in a role."""
    return {
        name: "refused"
        for name, attempt in ATTEMPTS.items()
        if level in attempt.levels and role in attempt.roles
    }


INSIDE = """
import ctypes, json, os, signal, socket, subprocess, sys
from pathlib import Path
asked = json.loads(sys.argv[1])
opened = set(os.listdir("/proc/self/fd"))
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

def leaks(path):
    try:
        return b"hunter2" in path.read_bytes()
    except OSError:
        return False

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
print(json.dumps(said))
"""


def main(path: str) -> None:
    """Make the attempts that a request names, and print what came of them as JSON."""
    request = msgspec.json.decode(Path(path).read_bytes(), type=Request)
    place = {name: Path(path) for name, path in request.folders.items()}
    policy = Policy(
        worktree=place["worktree"],
        target=place["person"],
        writable=request.role != "diagnose",
        visible=(Path(sys.prefix), Path(sys.base_prefix), place["tools"]),
        writable_paths=(place["run"],),
        limits=Limits(processes=500),
    )
    wanted = expected(request.level, request.role)
    asked = {
        "attempts": {name: ATTEMPTS[name].code for name in wanted},
        "names": request.names,
    }
    words = [sys.executable, "-I", "-S", "-B", "-c", INSIDE, msgspec.json.encode(asked).decode()]
    confined = confine(words, policy, Level(request.level))
    done = processes.run(
        confined.argv,
        cwd=confined.cwd,
        env={**clean_environment(), **confined.env},
        timeout=120,
        bounds=confined.bounds,
    )
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr + done.excess)


if __name__ == "__main__":
    main(sys.argv[1])
