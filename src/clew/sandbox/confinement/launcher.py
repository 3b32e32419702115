"""Gives up rights, then becomes the command.

    main([REQUEST, COMMAND…])

It runs by itself, isolated, in the few milliseconds before each command; so it imports next to
nothing. The request is marshalled and in hexadecimal, see `request.ConfinementRequest`. What cannot
be given up as asked ends it, with code 125 and a line that begins with `clew-launcher:`; a command
that cannot be started ends it with code 127.
"""

from __future__ import annotations

import ctypes
import errno
import marshal
import os
import resource
import stat
import struct
import sys
import warnings  # noqa: F401 -- `os.execvp` does so, when nothing of Python may be read any more

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable, Iterator
    from typing import NoReturn

    from clew.sandbox.confinement.request import ConfinementRequest, Files, KernelLimits

REFUSED = 125
NOT_FOUND = 127
SIGNALLED = 128
YIELDING = 15
PATIENCE = 500  # hundredths of a second for killed processes to disappear
COMPLAINT = "clew-launcher:"

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522
SIGKILL = 9


libc = ctypes.CDLL(None, use_errno=True)


class KernelRefused(Exception):
    """The kernel does not do what was asked."""


def check(result: int, what: str) -> int:
    if result < 0:
        raise KernelRefused(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    words = (ctypes.c_ulong(word) for word in (first, second, 0, 0))
    return int(libc.prctl(ctypes.c_int(option), *words))


# ── limits ──────────────────────────────────────────────────────────────────────────────────────


def limit(limits: KernelLimits) -> None:
    lower(resource.RLIMIT_CORE, 0)
    if limits["memory"] is not None:
        # Not RLIMIT_AS: virtual machines reserve address space by the terabyte, and use little.
        lower(resource.RLIMIT_DATA, limits["memory"])
    if limits["file"] is not None:
        lower(resource.RLIMIT_FSIZE, limits["file"])
    if limits["cpu"] is not None:
        lower(resource.RLIMIT_CPU, limits["cpu"], spare=2)
    if limits["processes"] is not None:
        lower(resource.RLIMIT_NPROC, tasks_of(os.getuid()) + limits["processes"])


def lower(which: int, bound: int, spare: int = 0) -> None:
    """Set soft and hard limit, never above the hard limit that is in force."""
    hard = resource.getrlimit(which)[1]
    most = min(bound + spare, sys.maxsize if hard == resource.RLIM_INFINITY else hard)
    resource.setrlimit(which, (min(bound, most), most))


def tasks_of(user: int) -> int:
    """Count the threads a user has: the kernel's limit is on all of them together."""
    count = 0
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += os.stat(f"{entry.path}/task").st_nlink - 2
        except (FileNotFoundError, ProcessLookupError):
            pass  # it ended meanwhile
    return count


# ── capabilities ────────────────────────────────────────────────────────────────────────────────


def drop_capabilities() -> None:
    """Give up root's powers for good: none now, none after the next program starts."""
    capability = 0
    while prctl(PR_CAPBSET_DROP, capability) == 0:
        capability += 1
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    check(libc.capset(header, struct.pack("6I", *(0,) * 6)), "dropping capabilities")


# ── Landlock ────────────────────────────────────────────────────────────────────────────────────

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15

# What each version of the interface can refuse: all rights up to this bit.
RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
TCP_ABI, SCOPE_ABI = 4, 6
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READING = EXECUTE | READ_FILE | READ_DIR
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")


def landlock_abi() -> int:
    """Return the version of Landlock in this kernel, 0 if there is none."""
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(int(version), 0)


def rights(abi: int) -> int:
    return (1 << RIGHTS_BY_ABI[min(abi, max(RIGHTS_BY_ABI))]) - 1


def restrict(files: Files | None, *, tcp: bool, scope: int) -> None:
    abi = landlock_abi()
    if files and not abi:
        raise KernelRefused("this kernel has no Landlock")
    handled = rights(abi) if files else 0
    net = 3 if not tcp and abi >= TCP_ABI else 0
    scoped = scope if abi >= SCOPE_ABI else 0
    if not handled | net | scoped:
        return
    attributes = struct.pack("QQQ", handled, net, scoped)
    size = 24 if abi >= SCOPE_ABI else 16 if abi >= TCP_ABI else 8
    ruleset = check(
        libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)),
        "creating a Landlock ruleset",
    )
    if files:
        add_files(ruleset, files, handled)
    check(libc.syscall(RESTRICT_SELF, ruleset, ctypes.c_uint32(0)), "entering Landlock")
    os.close(ruleset)


def add_files(ruleset: int, files: Files, handled: int) -> None:
    hidden = frozenset(files["hidden"])
    for system in files["system"]:
        allow(ruleset, system, READ_DIR & handled)
        for place in open_places(system, hidden):
            allow(ruleset, place, READING & handled)
    for path in files["readable"]:
        allow(ruleset, path, READING & handled)
    for path in files["writable"]:
        allow(ruleset, path, handled & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV))
    for device in DEVICES:
        allow(ruleset, f"/dev/{device}", handled & (READING | WRITE_FILE | TRUNCATE | IOCTL_DEV))


def open_places(place: str, hidden: Iterable[str]) -> Iterator[str]:
    """Yield the fewest paths that cover everything but what is hidden.

    The folders that lead to something hidden are not among them, as a rule holds for all below.
    """
    below = [path for path in hidden if path == place or path.startswith(place.rstrip("/") + "/")]
    if not below:
        yield place
    elif place not in below:
        try:
            entries = list(os.scandir(place))
        except PermissionError:
            return
        for entry in entries:
            if not entry.is_symlink():  # a rule would hold for what it points to
                yield from open_places(entry.path, below)


def allow(ruleset: int, path: str, access: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return  # what cannot be reached needs no rule
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            access &= ON_FILES
        rule = struct.pack("=Qi", access, opened)
        failed = libc.syscall(ADD_RULE, ruleset, 1, rule, ctypes.c_uint32(0)) < 0
        # Some special file systems admit no rules; then nothing below may be opened.
        if failed and ctypes.get_errno() not in (errno.EBADFD, errno.EINVAL):
            check(-1, f"adding a Landlock rule for {path}")
    finally:
        os.close(opened)


# ── calls ───────────────────────────────────────────────────────────────────────────────────────


def refuse(calls: bytes) -> None:
    """Enter a filter of calls of the kernel."""
    code = ctypes.create_string_buffer(calls, len(calls))
    header = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(calls) // 8, ctypes.addressof(code))
    )
    check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(header)), "refusing calls")


# ── staying ─────────────────────────────────────────────────────────────────────────────────────


def stay() -> None:
    """Return in a child; stay behind as the ancestor of all that it starts, and outlive it all.

    A namespace of processes ends with its first one. Without it, what left its family comes back
    to this process, which ends it once the child has ended or the parent is gone.
    """
    import signal

    parent = os.getppid()
    asleep = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    check(prctl(PR_SET_CHILD_SUBREAPER, 1), "becoming the ancestor")
    check(prctl(PR_SET_PDEATHSIG, signal.SIGTERM), "hearing of the parent's end")
    child = os.fork()
    if child == 0:
        check(prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "tying its life to the parent's")
        signal.pthread_sigmask(signal.SIG_SETMASK, asleep)
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    status = None
    while status is None and os.getppid() == parent:
        signal.sigwait(signal.valid_signals())  # a child ended, or the parent
        status = reap(child)
    end_descendants()
    os._exit(REFUSED if status is None else status)


def reap(child: int) -> int | None:
    """Collect what has ended; the exit code of the child if it is among them, as shells tell it."""
    found = None
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                code = os.waitstatus_to_exitcode(ended[1])
                found = code if code >= 0 else SIGNALLED - code
    except ChildProcessError:
        pass  # none is left
    return found


def end_descendants() -> None:
    """Stop everything, so that nothing multiplies any more; then kill it."""
    import signal

    stopped: set[int] = set()
    while fresh := descendants() - stopped:
        signal_all(fresh, signal.SIGSTOP)
        stopped |= fresh
    for _ in range(PATIENCE):
        if not (living := descendants()):
            return
        signal_all(living, signal.SIGKILL)
        signal.sigtimedwait({signal.SIGCHLD}, 0.01)
        reap(0)


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # it ended meanwhile, or is another's


def descendants() -> set[int]:
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit():
                with open(f"{entry.path}/stat", "rb") as file:
                    line = file.read()
                state, parent = line[line.rindex(b")") + 2 :].split()[:2]
                if state != b"X":
                    children.setdefault(int(parent), []).append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            pass  # it ended meanwhile
    found: set[int] = set()
    ahead = [os.getpid()]
    while ahead:
        below = children.get(ahead.pop(), [])
        found.update(below)
        ahead += below
    return found


# ── all of it ───────────────────────────────────────────────────────────────────────────────────


def give_up(request: ConfinementRequest) -> None:
    check(prctl(PR_SET_PDEATHSIG, SIGKILL), "tying its life to the parent's")
    if request["parent"] not in (None, os.getppid()):
        raise KernelRefused("the program that started it is gone")
    if request["group"] is not None:
        with open(f"{request['group']}/cgroup.procs", "w", encoding="ascii") as group:
            group.write("0")
    if request["stay"]:
        stay()
    if request["yields"]:
        os.nice(YIELDING)
    if request["tmp"] is not None:
        os.makedirs(request["tmp"], mode=0o700, exist_ok=True)
    if not request["capabilities"]:
        drop_capabilities()
    if request["files"] is not None or request["scope"] or request["calls"] is not None:
        check(prctl(PR_SET_NO_NEW_PRIVS, 1), "giving up new privileges")
    if request["files"] is not None or request["scope"]:
        restrict(request["files"], tcp=request["tcp"], scope=request["scope"])
    if request["calls"] is not None:
        refuse(request["calls"])
    limit(request["limits"])


def main(arguments: list[str]) -> NoReturn:
    command = arguments[1:]
    try:
        give_up(marshal.loads(bytes.fromhex(arguments[0])))  # noqa: S302 -- Clew wrote it
    except (KernelRefused, OSError, ValueError, TypeError, EOFError) as error:
        sys.stderr.write(f"{COMPLAINT} {error}\n")
        sys.exit(REFUSED)
    try:
        os.execvp(command[0], command)  # noqa: S606 - to become the command is its purpose
    except OSError as error:
        sys.stderr.write(f"{COMPLAINT} cannot run `{command[0]}`: {error.strerror}\n")
        sys.exit(NOT_FOUND)
