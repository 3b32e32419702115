"""Agents measured: on suites of faults, or by a trial."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from clew import __version__, agents
from clew.evaluation.agent_trials import AgentTrial, RoleTrial, attempt, attempt_role
from clew.evaluation.records import BenchRequest, BenchRun, TaskOutcome, machine
from clew.evaluation.running import DIED, choose, run
from clew.evaluation.working import ERROR
from clew.git.project import locate
from clew.sandbox.temporary import passing
from clew.sessions import UNWATCHED, Watcher
from clew.words.settings import Settings, load

__all__ = ["bench", "has_died", "try_agent"]


def _unheard(_: TaskOutcome) -> None:
    pass


def bench(
    suites: tuple[Path, ...],
    settings: Settings,
    out: Path | None = None,
    report: Callable[[TaskOutcome], None] = _unheard,
    *,
    jobs: int = 1,
    only: tuple[str, ...] = (),
    limit: int | None = None,
    timeout: float = 300.0,
    seed: int = 0,
) -> BenchRun:
    """Have every task of the suites worked on, and judge what comes of it.

    Results are kept in `out` as they come, and a folder that is begun is finished; without one it
    is a folder in clew-bench. `only` are patterns of task ids, `limit` the first tasks of each
    suite, `timeout` the seconds of a task, `jobs` the tasks side by side, `seed` that of the inputs
    that fixes are judged by. `report` hears of each task as it ends. Raises UsageError.
    """
    tasks = choose(suites, only, limit)
    with passing("clew-bench-") as nowhere:  # where each task is: in none of their folders
        agents.check(settings, locate(nowhere))
    labels = dict.fromkeys(task.label for task in tasks)
    chosen = {n: getattr(settings, n) for n in sorted(settings.sources) if n != "agent"}
    asked = BenchRequest(
        suites=tuple(str(path.resolve()) for path in suites),
        agents=settings.agent,
        settings=msgspec.json.decode(msgspec.json.encode(chosen)),
        timeout=timeout,
        seed=seed,
        clew_version=__version__,
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine(),
    )
    named = "-".join([*labels, *(name.partition(":")[0] for name in settings.agent)])
    return run(out or Path("clew-bench") / named, asked, tasks, jobs=jobs, report=report)


def has_died(found: BenchRun) -> bool:
    """Whether a task of a run ended in an error of Clew's own, or of the machine's."""
    return any(outcome.end in (DIED, ERROR) for outcome in found.outcomes)


def try_agent(
    name: str, path: Path, role: str = "", watcher: Watcher = UNWATCHED
) -> AgentTrial | RoleTrial:
    """Have an agent mend a small planted fault, or do the task of one `role`; return how it did.

    It is named, and set, as for the project at `path`, which is not touched; nothing is asked, and
    nothing is left. Raises UsageError for one that cannot be called here.
    """
    project = locate(path)
    settings = load((project.root, project.path), os.environ, {})
    if role:
        return attempt_role(name, role, settings, watcher, project.path)
    return attempt(name, settings, watcher, project.path)
