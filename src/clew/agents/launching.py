"""A program started as an agent: in the sandbox, with the network, at the project's own path.

The worktree is writable for those roles that write, and read-only for all others. Of the
environment it sees what is harmless, what the person lets through, and what its back-end names.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any, Protocol

import msgspec

from clew.agents.listening import Listener
from clew.agents.protocol import Call
from clew.agents.shims import behind
from clew.git.project import Project
from clew.runners.endings import WORDS
from clew.runners.infrastructure import in_words
from clew.sandbox import confinement, processes
from clew.sandbox.confinement import hosts
from clew.sandbox.limits import remark
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed, CommandNotFound
from clew.words.facts import Tick

__all__ = ["Program", "Talk", "launch", "locate"]

MOST = 64 << 20  # bytes that a program may say in one call
NOT_RUN = ("execvp", "cannot run")  # what a sandbox says that has started, and the program has not
UNSEEN = (
    "Is its interpreter there? In your home, name it first: `command:/path/to/python3 agent.py`;"
    " and `readable` in clew.toml lets the sandbox see more."
)
PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")  # in either case


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What is started, and what it sees beside the project."""

    argv: tuple[str, ...]  # the first word is an absolute path
    visible: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    environment: Mapping[str, str] = {}
    hosts: tuple[str, ...] = ()  # that it may call; none: the network is open to it
    opening: str = ""  # what it wants to read before the prompt

    def told(self, *words: str) -> Program:
        """Return it with more words on its command line."""
        return msgspec.structs.replace(self, argv=(*self.argv, *words))


class Talk(Protocol):
    """A program that is spoken with while it runs, instead of given a prompt on its input."""

    def begin(self, inside: Path) -> int:
        """Speak, to a program that finds itself in that folder; return the pipe that it reads."""

    def over(self) -> bool:
        """Whether all was said, so that the program may be ended."""


def launch(
    call: Call[Any],
    program: Program,
    prompt: str,
    listener: Listener | None = None,
    *,
    talk: Talk | None = None,
) -> Completed:
    """Run a program to its end, the prompt on its standard input; its whole tree is gone then.

    One with a listener tells what it does, line by line: when it is silent for longer than the call
    allows, it hangs. Raises AgentFailed, with the usage so far, for that, and if it cannot be
    started, takes longer than the call allows, or does not stop talking.
    """
    site, own = call.site, program.environment
    policy = confinement.Policy(
        worktree=site.worktree,
        target=site.root,
        subdir=site.subdir,
        writable=call.role.edits,
        network=True,
        visible=(*site.visible, *program.visible),
        writable_paths=(*program.writable, *site.folders),
        overlays=site.overlays,
        limits=call.limits,
        variables={name: own[name] for name in own if confinement.is_heeded_first(name)},
    )
    call.sent(prompt)
    try:
        with _way_out(call, program) as gate:
            confined = confinement.confine(
                list(program.argv), msgspec.structs.replace(policy, gate=gate)
            )
            done = processes.run(
                confined.argv,
                cwd=confined.cwd,
                env=confinement.clean_environment(site.own | _environment(program, gate))
                | confined.env,
                stdin=talk.begin(confined.inside)
                if talk
                else (program.opening + prompt).encode("utf-8", "replace"),
                timeout=call.seconds,
                idle=call.idle_seconds if listener else inf,
                most=MOST,
                cap=MOST,
                bounds=confined.bounds,
                keep=confined.descriptors,
                on_stdout_line=listener.line if listener else None,
                within=call.mark,
                meanwhile=call.alive,
                until=talk.over if talk else None,
            )
    except CommandNotFound as error:
        raise AgentFailed(error.message, kind="not_installed", hint=error.hint) from error
    _ensure_it_began(done)
    counted = listener.usage if listener else None
    usage = msgspec.structs.replace(counted, partial=True) if counted else None
    if done.over_limit:
        raise AgentFailed(f"it was ended: {done.over_limit}", kind="limit", usage=usage)
    if done.timed_out:
        told = f"no answer within {call.seconds:.0f} s"
        raise AgentFailed(told, kind="timeout", usage=usage)
    if done.silent:
        told = f"it hangs: no output for {call.idle_seconds:.0f} s"
        raise AgentFailed(told, kind="silent", usage=usage)
    if done.flooding:
        told = f"it does not stop talking: more than {MOST >> 20} MB"
        raise AgentFailed(told, kind="endless_output", usage=usage)
    by_itself = talk is None or not talk.over()
    if by_itself and done.exit_code != 0 and (met := remark(_end(done), call.limits)):
        raise AgentFailed(f"it met a limit: {met}", kind="limit", usage=usage)
    return done


def _end(done: Completed) -> str:
    """Return its last line, and how it ended: what an agent said before may be of anything."""
    last = done.stderr.rstrip()[-WORDS:].rpartition("\n")[2]
    return f"{last}\n{in_words(done.exit_code)}"


def _ensure_it_began(done: Completed) -> None:
    """Raise AgentFailed if it was the sandbox that ended, and not the program."""
    said = confinement.complaint(done)
    if not said:
        return
    if any(words in said for words in NOT_RUN):
        told, kind = f"it cannot be run in the sandbox: {said}", "not_installed"
        raise AgentFailed(told, kind=kind, hint=UNSEEN)
    told = f"the sandbox did not start it: {said}"
    raise AgentFailed(told, kind="sandbox", hint="`clew doctor` says what works on this machine.")


def _environment(program: Program, gate: confinement.Gate | None) -> dict[str, str]:
    """Return its variables, without those that its policy sets inside.

    Behind a gate without a proxy of the person's, which may hold a password.
    """
    return {
        name: value
        for name, value in program.environment.items()
        if not confinement.is_heeded_first(name) and (gate is None or name.upper() not in PROXIES)
    }


@contextlib.contextmanager
def _way_out(call: Call[Any], program: Program) -> Iterator[confinement.Gate | None]:
    """Open the one way to the hosts that a program may call, and tell which it called.

    Nothing is opened for one whose hosts nobody knows, or where networks cannot be parted.
    """
    if not program.hosts or confinement.detect().level is not confinement.Level.NAMESPACE:
        yield None
        return
    named = (*map(hosts.parse, program.hosts), *hosts.of_variables(program.environment))
    for host in filter(hosts.stays_closed, named):
        raise AgentFailed(
            f"port {min(host.ports)} of {host.name} cannot be called from the sandbox",
            kind="unsupported",
            hint=f"Let what its base URL names listen on a port from {hosts.OPEN} on.",
        )
    if len(hosts.own_ports(named)) >= hosts.DOORS:
        raise AgentFailed(
            f"an agent can call {hosts.DOORS - 1} ports of this machine, and more are named",
            kind="unsupported",
            hint="Leave some out of `agent_hosts`, or of the variables that name base URLs.",
        )
    from clew.sandbox.confinement.proxy import Proxy  # noqa: PLC0415 - it takes as long to load as all of Clew

    with Proxy(named) as proxy:
        yield confinement.Gate(channel=proxy.channel, ports=proxy.ports)
    for what, calls in (("called", proxy.passed), ("refused", proxy.refused)):
        if calls:
            told = ", ".join(f"{host} x{count}" for host, count in sorted(calls.items()))
            call.tick(Tick(phase="network", text=f"{what}: {told}"))


def locate(name: str, project: Project, worktree: Path) -> str:
    """Return a program's absolute path; one inside the project is the worktree's.

    That of a version manager's shim is the one it stands for.

    Raises AgentFailed (unavailable) if it is not there.
    """
    if os.sep in name:
        path = (project.path / name).absolute()
        if path.is_relative_to(project.root):
            inside = worktree / path.relative_to(project.root)
            found = str(path) if inside.exists() or path.exists() else None
        else:
            found = str(path) if path.exists() else None
    else:
        found = shutil.which(name)
        if found is not None:
            return behind(found, project.path)
    if found is None:
        raise AgentFailed(
            f"the program {name!r} was not found",
            kind="not_installed",
            hint="Give its path, or put its folder on PATH.",
        )
    return found
