"""What stands between a program and its work: the sandbox around it, and Clew's adapter for it."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.figures import Figure, Part, Spread, paired
from benchmarks.measuring import ROOT, NotInstalled, clean, seconds, turns
from benchmarks.subjects import small, under_git
from clew import sandbox
from clew.agents import Call, assistant
from clew.agents.assistant import Assistant
from clew.agents.launching import Program, launch
from clew.agents.table import BACK_ENDS
from clew.facts import Runner, TestCommand, TestRun, Verdict
from clew.processes import Completed
from clew.project import Project, locate
from clew.prompts import Brief
from clew.runners import Site
from clew.settings import Settings

sys.path.insert(0, str(ROOT / "tests"))

import backends
from modelserver import ModelServer, serve

__all__ = ["run"]

HOW = (
    "The sandbox: a whole process, bare and confined, from start to end; what confines it is"
    " Clew's launcher, a Python of its own. The adapters: the real program of each agent, which"
    " asks a model on loopback that answers at once; by hand it is started with the very arguments,"
    " configuration and prompt that the adapter gives it, without a sandbox. In earnest a model's"
    " time comes on top of both."
)
PROMPT = "Say why the test fails.\nDATA_START\ntest_largest is red\nDATA_END\n"
ANSWER = "it leaves the last one out"


def run(folder: Path, size: float) -> Part:
    """Measure each level of the sandbox that works here, and each agent that is installed."""
    subject = small(folder / "small")
    under_git(subject.folder)
    figures = of_sandbox(subject.folder, folder, max(3, round(15 * size)))
    busy = f"{os.getloadavg()[0]:.0f} programs shared {os.cpu_count()} processors meanwhile."
    notes = [busy]
    for back_end in backends.BACK_ENDS.values():
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
        levels = [level for level in sandbox.Level if not sandbox.examine(level)]
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


def confined(argv: list[str], project: Path, folder: Path, level: sandbox.Level) -> float:
    began = time.perf_counter()
    policy = sandbox.Policy(
        worktree=project,
        target=project,
        writable=True,
        visible=(Path(sys.prefix), Path(sys.base_prefix)),
        writable_paths=(folder / "out",),
    )
    found = sandbox.confine(argv, policy, level)
    return time.perf_counter() - began + elapsed(found.argv, found.cwd, **found.env)


# --- the adapters --------------------------------------------------------------------------------


def of_adapter(back_end: backends.BackEnd, root: Path, folder: Path, rounds: int) -> Figure:
    """Measure one agent by hand and through its adapter. Raises NotInstalled."""
    home = folder / f"{back_end.name}-home"
    home.mkdir()
    with serve(lambda _: ANSWER) as server, mock.patch.dict(os.environ):
        become(back_end, server, home)
        project = locate(root)
        agent = BACK_ENDS[back_end.name].make(back_end.agent.partition(":")[2], Settings(), project)
        if not isinstance(agent, Assistant):
            raise NotInstalled(f"{back_end.name} is no program of its own")
        scratch = folder / f"{back_end.name}-scratch"
        scratch.mkdir()
        through, by_hand = both_ways(agent, project, scratch)
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


def both_ways(
    agent: Assistant, project: Project, scratch: Path
) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return what asks the agent through its adapter, and what starts the same program by hand."""
    started: list[Program] = []

    def noted(call: Call, role: str, program: Program, *words: Any) -> Completed:  # noqa: ANN401 - handed on
        started.append(program)
        return launch(call, role, program, *words)

    call = Call(
        number=1,
        brief=Brief(iteration=1),
        run=TestRun(
            command=TestCommand(runner=Runner.PYTEST, argv=("pytest",), source="flag"),
            verdict=Verdict.FAILED,
        ),
        command=TestCommand(runner=Runner.PYTEST, argv=("pytest",), source="flag"),
        site=Site(worktree=project.root, root=project.root),
        scratch=scratch,
        seconds=300.0,
        search_seconds=1.0,
    )

    def through() -> float:
        began = time.perf_counter()
        with mock.patch.object(assistant, "launch", noted):
            said = agent.ask(call, "diagnose", PROMPT)
        if said.text.strip() != ANSWER:
            raise RuntimeError(f"{agent.name} said {said.text!r}")
        return time.perf_counter() - began

    def by_hand() -> float:
        program = started[-1]
        began = time.perf_counter()
        subprocess.run(
            program.argv,
            cwd=project.root,
            env=sandbox.clean_environment(program.environment),
            input=(program.opening + PROMPT).encode(),
            capture_output=True,
            check=True,
        )
        return time.perf_counter() - began

    return through, by_hand
