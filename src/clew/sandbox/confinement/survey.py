"""Which level this machine offers: found by trying, and explained."""

from __future__ import annotations

import functools
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.sandbox import processes
from clew.sandbox.confinement import calls, cgroups, landlock, launcher, namespace
from clew.sandbox.confinement.environment import clean_environment
from clew.sandbox.confinement.policy import Confined, Level, Policy, Survey
from clew.sandbox.confinement.request import ConfinementRequest, KernelLimits, command_line
from clew.sandbox.resource_usage import UsageBounds
from clew.sandbox.temporary import passing
from clew.words.errors import SandboxUnavailable, UsageError

__all__ = ["complaint", "confine", "demand_linux", "detect", "examine"]

VARIABLE = "CLEW_SANDBOX"
AF_UNIX, NETWORK = 1, (2, 10, 16)  # families of sockets: IP, IPv6 and netlink
SETTER = "/usr/bin/env"
ONWARD = ("/bin/sh", "-c", 'exec "$@"', "sh")  # a program's path may look like a variable
ABSTRACT_SOCKETS, SIGNALS = 1, 2
SPARE = 4  # the kernel stops later, by this part of the bound, than the program is ended

_TRYING = threading.Lock()  # a level is tried once, by whichever thread comes first

LINUX = "linux"
SYSTEMS = {"darwin": "macOS", "win32": "Windows"}
# What other systems lack of a level; without the last of them Clew runs nothing at all.
LACKING = {
    Level.NAMESPACE: "it has no namespaces, of which bubblewrap is made",
    Level.LANDLOCK: "it has no Landlock",
    Level.NONE: "it does not say which processes a program started, so Clew cannot bound and"
    " end them",
}

# A setting below /proc/sys, its value that denies namespaces, and what to do about it.
DENIALS = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        (
            "AppArmor denies user namespaces to programs without a profile: give bubblewrap one"
            " (apt install apparmor-profiles, then load bwrap-userns-restrict), or set"
            " kernel.apparmor_restrict_unprivileged_userns=0 with sysctl."
        ),
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "User namespaces are kept to root: sysctl kernel.unprivileged_userns_clone=1.",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "User namespaces are switched off: sysctl user.max_user_namespaces=10000.",
    ),
)


def confine(argv: Sequence[str], policy: Policy, level: Level | None = None) -> Confined:
    """Return the command that runs `argv` under a policy, at a level or at the strongest there is.

    Raises SandboxUnavailable for a policy that cannot be carried out.
    """
    _refuse_missing(policy)
    chosen = level or detect().level
    at = (policy.target if chosen is Level.NAMESPACE else policy.worktree) / policy.subdir
    inner = [*_setting(policy), *argv]
    command = namespace.command(inner, policy, at) if chosen is Level.NAMESPACE else inner
    request = _request(policy, chosen)
    tmp = request["tmp"]
    return Confined(
        argv=command_line(request, command),
        cwd=policy.worktree / policy.subdir,
        level=chosen,
        sees_target=chosen is Level.NAMESPACE,
        env={} if tmp is None else {"TMPDIR": tmp},
        inside=at,
        descriptors=() if policy.gate is None else (policy.gate.channel,),
        bounds=_bounds(policy),
    )


def _setting(policy: Policy) -> list[str]:
    """Return the words that go before a command whose variables are set inside."""
    words = [f"{name}={value}" for name, value in policy.variables.items()]
    return [SETTER, *words, *ONWARD] if words else []


def _bounds(policy: Policy) -> UsageBounds:
    written = (policy.worktree, *policy.writable_paths)
    return UsageBounds(
        whose=policy.limits.whose,
        processes=policy.limits.processes,
        memory=policy.limits.total_bytes,
        disk=policy.limits.disk_bytes,
        folders=written if policy.writable else policy.writable_paths,
    )


def _refuse_missing(policy: Policy) -> None:
    for what, path in (
        ("worktree", policy.worktree),
        ("folder to start in", policy.worktree / policy.subdir),
        *(("run folder", path) for path in policy.writable_paths),
        *(("overlay", overlay.source) for overlay in policy.overlays),
    ):
        if not path.exists():
            raise SandboxUnavailable(
                f"the {what} {path} does not exist", hint="was it removed while Clew was working?"
            )


def _request(policy: Policy, level: Level) -> ConfinementRequest:
    limits = policy.limits
    most = limits.processes and limits.processes + limits.processes // SPARE
    group = cgroups.group(most)
    request = ConfinementRequest(
        limits=KernelLimits(
            memory=limits.memory_bytes,
            file=limits.file_bytes,
            processes=most,
            cpu=limits.cpu_seconds,
        ),
        files=None,
        tcp=True,
        scope=0,
        calls=None,
        capabilities=True,
        tmp=None,
        parent=os.getpid(),
        group=group,
        yields=os.getuid() == 0 and group is None and most is not None,
        stay=level is not Level.NAMESPACE,
    )
    if level is Level.NAMESPACE:
        # Families that a network namespace does not part, as those between virtual machines.
        # A set-user-id bubblewrap must be free to gain privileges, so nothing is refused before.
        if not namespace.is_privileged():
            request["calls"] = calls.refusing([AF_UNIX, *NETWORK], alone=False)
            request["scope"] = ABSTRACT_SOCKETS if policy.network else 0
        return request
    if policy.writable_paths:
        request["tmp"] = str(policy.writable_paths[0] / "tmp")
    if level is Level.LANDLOCK:
        request["files"] = landlock.files(policy)
        request["tcp"] = policy.network
        request["scope"] = ABSTRACT_SOCKETS | SIGNALS
        request["calls"] = calls.refusing(NETWORK if policy.network else (), alone=True)
        request["capabilities"] = False
    return request


def complaint(done: processes.Completed) -> str:
    """Return what the sandbox said if it, not the command, was what failed; else nothing."""
    lines = done.stderr.strip().splitlines()
    if len(lines) == 1:
        line = lines[0]
        if done.exit_code == 1 and line.startswith(f"{namespace.PROGRAM}:"):
            return line
        refused = done.exit_code in (launcher.REFUSED, launcher.NOT_FOUND)
        if refused and line.startswith(launcher.COMPLAINT):
            return line
    return ""


def detect(system: str = sys.platform) -> Survey:
    """Return the strongest level that works here, or the one that CLEW_SANDBOX asks for.

    Raises UsageError for an unknown word, SandboxUnavailable if that level does not work here, and
    on any other system than Linux.
    """
    demand_linux(system)
    with processes.held(_TRYING):
        return _detected()


def _detected() -> Survey:
    asked = os.environ.get(VARIABLE, "")
    if not asked:
        return _strongest()
    if asked not in Level.__members__.values():
        raise UsageError(
            f"{VARIABLE}={asked}: no such level",
            hint=f"use one of {', '.join(Level)}, or unset it",
        )
    level = Level(asked)
    if why := examine(level):
        raise SandboxUnavailable(f"{VARIABLE}={asked}: {' '.join(why)}", hint=f"unset {VARIABLE}")
    return Survey(level, (f"{VARIABLE}={asked} asks for it.", *gaps(level)))


def demand_linux(system: str = sys.platform) -> None:
    """Raise SandboxUnavailable on any other system."""
    if system != LINUX:
        lacks = "; ".join(LACKING[level] for level in Level)
        raise SandboxUnavailable(
            f"{_name(system)} offers nothing that confines tests and agents: {lacks}",
            hint="work in a Linux container or virtual machine: `clew doctor` there says how far"
            " they are confined",
        )


@functools.cache
def _strongest() -> Survey:
    reasons: list[str] = []
    for level in Level:
        why = examine(level)
        if not why:
            return Survey(level, (*reasons, *gaps(level)))
        reasons += why
    raise AssertionError("the weakest level always works")


def _name(system: str) -> str:
    return SYSTEMS.get(system, system)


@functools.cache
def examine(level: Level, system: str = sys.platform) -> tuple[str, ...]:
    """Try a level: a confined program must run, and fail to write where it may not.

    Nothing is the answer of a level that works, sentences that say why that of one that does not.
    """
    if absent := _absent(level, system):
        return (absent,)
    if level is Level.NONE:
        return ()
    with passing("clew-try-") as place:
        policy = Policy(worktree=place, target=place, writable=False)
        confined = confine(["/bin/sh", "-c", "! (: > written) 2> /dev/null"], policy, level)
        done = processes.run(confined.argv, cwd=confined.cwd, env=clean_environment(), timeout=30)
        if done.exit_code == 0 and not any(place.iterdir()):
            return ()
    if level is Level.LANDLOCK:
        return (f"Landlock does not work here: {done.stderr.strip() or 'a write went through'}.",)
    return (f"bubblewrap does not work here: {done.stderr.strip()}.", *_denials())


def _absent(level: Level, system: str) -> str:
    """Return what a level has not got here of what it needs, so that there is nothing to try."""
    if system != LINUX:
        return f"{_name(system)} does without this level: {LACKING[level]}."
    if level is Level.NAMESPACE and shutil.which(namespace.PROGRAM) is None:
        return "bubblewrap is not installed: apt install bubblewrap."
    if level is Level.LANDLOCK and not launcher.landlock_abi():
        return "This kernel has no Landlock, or it is not enabled (kernel argument lsm=)."
    return ""


def _denials() -> Iterator[str]:
    """Yield what on this machine is known to keep bubblewrap from its namespaces."""
    for setting, denied, sentence in DENIALS:
        path = Path("/proc/sys", setting)
        if path.exists() and path.read_text(encoding="ascii").strip() == denied:
            yield sentence
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        yield (
            "This is a container: its seccomp profile may deny namespaces"
            " (docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined)."
        )


def gaps(level: Level, system: str = sys.platform) -> Iterator[str]:
    """Yield what a level leaves open here."""
    if system != LINUX:
        yield f"On {_name(system)} nothing is enforced, neither for files nor for the network."
        return
    if level is not Level.NONE and not calls.can_refuse():
        yield f"Clew cannot distinguish kinds of sockets on {os.uname().machine}."
    if os.getuid() == 0 and cgroups.parent() is None:
        yield "As root, and without a cgroup, the number of processes is counted, not limited."
    abi = launcher.landlock_abi()
    if level is Level.NAMESPACE and (abi < launcher.SCOPE_ABI or namespace.is_privileged()):
        yield "An agent that has the network can call abstract sockets of other programs."
    if level is Level.LANDLOCK:
        yield "Tests run in the worktree, not at the project's own path."
        yield "Names and sizes of files can be seen everywhere, and permissions changed."
        yield "Other processes can be listed, and the priority of this user's changed."
        yield "Sockets and shared memory are refused, to tests of servers and locks as well."
        if not calls.can_refuse():
            yield "System V's memory and queues are open, and limits of this user's processes."
        if abi < launcher.SCOPE_ABI:
            yield f"Landlock {abi} lets a program send signals to others (Linux 6.12 does not)."
    if level is Level.NONE:
        yield "Nothing keeps a program from the person's files, or from the network."
