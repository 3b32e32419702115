"""What stands between a program and its work: the sandbox around it, and Clew's adapter for it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from unittest import mock

import httpx
from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.interfaces import Client
from acp.schema import ClientCapabilities, DeniedOutcome, RequestPermissionResponse

from benchmarks.figures import Figure, Part, Spread, paired
from benchmarks.measuring import ROOT, NotInstalled, clean, seconds, turns
from benchmarks.subjects import small, under_git
from clew.agents import Agent, Call, cli_agent, make
from clew.agents import command as own
from clew.agents.acp import Acp
from clew.agents.acp import backend as protocol
from clew.agents.external_agent import ExternalAgent
from clew.agents.launching import Program, launch
from clew.agents.llm import Llm
from clew.agents.prompts import Brief
from clew.agents.roles import ROLES
from clew.git.project import Project, locate
from clew.runners import Site
from clew.sandbox import confinement
from clew.sandbox.processes import Completed
from clew.words.settings import Settings

sys.path.insert(0, str(ROOT / "tests"))

import backends
from modelserver import ModelServer, ToolCall, serve

__all__ = ["run"]

HOW = (
    "The sandbox: a whole process, bare and confined, from start to end; what confines it is"
    " Clew's launcher, a Python of its own. The adapters: the real program of each agent, which"
    " asks a model on loopback that answers at once; by hand it is started with the very arguments,"
    " configuration and prompt that the adapter gives it, without a sandbox. For `acp` by hand is"
    " the same program asked with the protocol's SDK alone, for `llm` the adapter's request sent"
    " with httpx, and `command` is a Python program of a few lines. In earnest a model's time comes"
    " on top of both."
)
PROMPT = "Say why the test fails.\nDATA_START\ntest_largest is red\nDATA_END\n"
WORDS = "it leaves the last one out"
ANSWER = json.dumps({"verdict": "LOOKS_GOOD", "reason": WORDS})
ROLE = "review"  # read-only, and its answer is short
PROGRAM = """\
import json, os, sys, urllib.request

asked = {"model": "m", "messages": [{"role": "user", "content": sys.stdin.read()}]}
request = urllib.request.Request(
    os.environ["MODEL"] + "/v1/chat/completions", json.dumps(asked).encode(),
    {"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["choices"][0]["message"]["content"])
"""
MODEL = "MODEL"  # the variable that names the model's server
STARTING = (cli_agent, protocol, own)  # what starts programs


def run(folder: Path, size: float) -> Part:
    """Measure each level of the sandbox that works here, and each agent that is installed."""
    subject = small(folder / "small")
    under_git(subject.folder)
    figures = of_sandbox(subject.folder, folder, max(3, round(15 * size)))
    busy = f"{os.getloadavg()[0]:.0f} programs shared {os.cpu_count()} processors meanwhile."
    notes = [busy]
    for back_end in (*backends.BACK_ENDS.values(), program_of_ones_own(folder)):
        try:
            figures.append(of_adapter(back_end, subject.folder, folder, max(1, round(5 * size))))
        except NotInstalled as error:
            notes.append(f"Left out: {error}.")
    return Part(title="Overheads", how=HOW, figures=tuple(figures), notes=tuple(notes))


# --- the sandbox ---------------------------------------------------------------------------------


def of_sandbox(project: Path, folder: Path, rounds: int) -> list[Figure]:
    """Measure a program that does nothing, and a small suite."""
    suite = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    programs = {"`true`": ["/bin/true"], "pytest, 7 tests": suite}
    (folder / "out").mkdir()
    figures: list[Figure] = []
    for what, argv in programs.items():
        levels = [level for level in confinement.Level if not confinement.examine(level)]
        took = turns(
            rounds,
            bare=functools.partial(elapsed, argv, project),
            **{
                level.value: functools.partial(confined, argv, project, folder, level)
                for level in levels
            },
        )
        figures += [
            Figure(
                what=f"{what}, {level}",
                unit="ms",
                clew=Spread.of(took[level.value]).times(1e3),
                peer="bare",
                theirs=Spread.of(took["bare"]).times(1e3),
                value=paired(took[level.value], took["bare"]),
            )
            for level in levels
        ]
    return figures


def elapsed(argv: list[str], folder: Path, **more: str) -> float:
    env = clean(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **more)
    return seconds(argv, cwd=folder, env=env, accept=(0, 1))


def confined(argv: list[str], project: Path, folder: Path, level: confinement.Level) -> float:
    began = time.perf_counter()
    policy = confinement.Policy(
        worktree=project,
        target=project,
        writable=True,
        visible=(Path(sys.prefix), Path(sys.base_prefix)),
        writable_paths=(folder / "out",),
    )
    found = confinement.confine(argv, policy, level)
    return time.perf_counter() - began + elapsed(found.argv, found.cwd, **found.env)


# --- the adapters ---------------------------------------------------------------------------------


def of_adapter(back_end: backends.BackEnd, root: Path, folder: Path, rounds: int) -> Figure:
    """Measure one agent by hand and through its adapter. Raises NotInstalled."""
    home = folder / f"{back_end.name}-home"
    home.mkdir()
    with serve(lambda _: ANSWER) as server, mock.patch.dict(os.environ):
        become(back_end, server, home)
        project = locate(root)
        agent = make(back_end.agent, Settings(pass_env=(MODEL,)), project)
        scratch = folder / f"{back_end.name}-scratch"
        scratch.mkdir()
        through, by_hand = both_ways(agent, project, scratch, server)
        through()  # so that each has been started once, and there is something to do by hand
        took = turns(rounds, adapter=through, by_hand=by_hand)
    return Figure(
        what=f"{back_end.name}, one question",
        unit="s",
        clew=Spread.of(took["adapter"]),
        peer="by hand",
        theirs=Spread.of(took["by_hand"]),
        value=paired(took["adapter"], took["by_hand"]),
    )


def become(back_end: backends.BackEnd, server: ModelServer, home: Path) -> None:
    """Be a person who has the programs, and a key that is none."""
    kept = clean(HOME=str(home), PATH=backends.PATH)
    os.environ.clear()
    os.environ.update(kept | back_end.environment(server))


def program_of_ones_own(folder: Path) -> backends.BackEnd:
    """Return a program of a few lines that asks the same model."""
    path = folder / "program.py"
    path.write_text(PROGRAM)
    return backends.BackEnd(
        name="command",
        agent=f"command:{sys.executable} {path}",
        environment=lambda server: {MODEL: server.url},
        read=lambda _: ToolCall("", {}),
        edit=lambda _path, _change: ToolCall("", {}),
        writes=lambda _: (),
    )


def both_ways(
    agent: Agent, project: Project, scratch: Path, server: ModelServer
) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return what asks the agent through its adapter, and what does the same by hand."""
    if not isinstance(agent, ExternalAgent):
        raise NotInstalled(f"{agent.name} is not asked in words")
    started: list[Program] = []

    def noted(call: Call[Any], program: Program, *words: Any, **more: Any) -> Completed:  # noqa: ANN401 - handed on
        started.append(program)
        return launch(call, program, *words, **more)

    call = Call(
        number=1,
        role=ROLES[ROLE],
        brief=Brief(iteration=1),
        site=Site(worktree=project.root, root=project.root),
        scratch=scratch,
        seconds=300.0,
    )

    def through() -> float:
        began = time.perf_counter()
        with contextlib.ExitStack() as stack:
            for module in STARTING:
                stack.enter_context(mock.patch.object(module, "launch", noted))
            said = agent.ask(call, PROMPT)
        if WORDS not in said.text:
            raise RuntimeError(f"{agent.name} said {said.text!r}")
        return time.perf_counter() - began

    def by_hand() -> float:
        began = time.perf_counter()
        match agent:
            case Llm():
                asked = server.asked[-1]
                url = f"{server.url}{asked.path}"
                # No certificates are needed: to load them would be counted.
                httpx.post(url, json=asked.body, verify=False).raise_for_status()  # noqa: S501 -- as above
            case Acp():
                asyncio.run(spoken(started[-1], project.root))
            case _:
                run_by_hand(started[-1], project.root)
        return time.perf_counter() - began

    return through, by_hand


def run_by_hand(program: Program, root: Path) -> None:
    """Start a program as its adapter does, without a sandbox."""
    subprocess.run(
        program.argv,
        cwd=root,
        env=confinement.clean_environment(program.environment),
        input=(program.opening + PROMPT).encode(),
        capture_output=True,
        check=True,
    )


class Listening:
    """As little of a client as the protocol's SDK takes: it hears, and allows nothing."""

    async def session_update(self, **_: object) -> None:
        """Let it be."""

    async def request_permission(self, **_: object) -> RequestPermissionResponse:
        """Refuse."""
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))


async def spoken(program: Program, root: Path) -> None:
    """Ask over the protocol, with its own SDK alone."""
    first, *more = program.argv
    env = confinement.clean_environment(program.environment)
    client = cast("Client", Listening())
    quick = {"shutdown_timeout": 0.0}
    spawned = spawn_agent_process(client, first, *more, env=env, cwd=root, transport_kwargs=quick)
    async with spawned as (connection, _):
        await connection.initialize(
            protocol_version=PROTOCOL_VERSION, client_capabilities=ClientCapabilities()
        )
        session = await connection.new_session(cwd=str(root), mcp_servers=[])
        await connection.prompt(session_id=session.session_id, prompt=[text_block(PROMPT)])
