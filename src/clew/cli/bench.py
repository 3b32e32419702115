"""`clew bench`: how well an agent mends faults, measured."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import say
from clew.cli.wiring import Commands, settings_options

__all__ = ["bench"]

_PATH = click.Path(path_type=Path)
LONGEST = 604_800.0  # seconds


def _seconds(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if not 1 <= value <= LONGEST:  # nor is NaN
        raise click.BadParameter(f"{value:g} is not between 1 and {LONGEST:.0f} seconds.")
    return value


_RUNS = click.argument("folders", type=_PATH, nargs=-1, required=True, metavar="DIR…")


@click.group(cls=Commands)
def bench() -> None:
    """Measure how well an agent, or a ladder of agents, fixes faults."""


@bench.command()
@click.argument("suites", type=_PATH, nargs=-1, required=True, metavar="SUITE…")
@settings_options("agent")
@click.option(
    "--out", type=_PATH, metavar="DIR", help="The results folder; a run begun there continues."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Tasks that run at the same time.",
)
@click.option(
    "--only", multiple=True, metavar="PATTERN", help="Only tasks whose id matches; repeatable."
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="The first N tasks of each suite."
)
@click.option(
    "--timeout",
    type=float,
    callback=_seconds,
    default=300.0,
    show_default=True,
    metavar="S",
    help="Seconds for one task's session.",
)
@click.option(
    "--iterations", "max_iterations", type=int, metavar="N", help="Iterations of a session."
)
@settings_options(
    max_tokens="Tokens of agents in one session.", max_usd="Dollars of agents in one session."
)
@settings_options("search_seconds")
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the inputs that fixes are judged by.",
)
@click.option("--json", "json", is_flag=True, help="Print JSON lines on stdout.")
def run(
    suites: tuple[Path, ...],
    *,
    out: Path | None,
    jobs: int,
    only: tuple[str, ...],
    limit: int | None,
    timeout: float,
    seed: int,
    json: bool,
    **flags: object,
) -> int:
    """Work on every task of the suites as `clew fix` would, and judge the results.

    A suite is a file of JSON lines, a folder of tasks, or a checkout of HumanEvalPack, QuixBugs or
    BugsInPy. Each task has its own copy, state and time limit. Results are saved as they come, so
    the same command continues an interrupted run. If a task ends in an error, so does the run.
    """
    from clew.cli.benchmarks import reporter, show_runs

    found = api.bench(
        suites,
        api.settings_in(Path.cwd(), flags),
        out,
        reporter(json=json),
        jobs=jobs,
        only=only,
        limit=limit,
        timeout=timeout,
        seed=seed,
    )
    if not json:
        show_runs([found], by=None)
        say()
        say(f"results: {found.folder}")
    return 1 if api.has_died(found) else 0


@bench.command()
@_RUNS
@click.option(
    "--by",
    type=click.Choice(["suite", "kind", "end", "agent", "confidence"]),
    help="One row for each.",
)
@click.option("--json", "json", is_flag=True, help="Print JSON lines on stdout.")
def show(folders: tuple[Path, ...], by: str | None, *, json: bool) -> int:
    """Show the figures of finished or running benchmarks."""
    from clew.cli.benchmarks import print_runs, show_runs

    runs = [api.read_run(folder) for folder in folders]
    (print_runs if json else show_runs)(runs, by=by)
    return 0


@bench.command()
@click.argument("first", type=_PATH, metavar="DIR")
@click.argument("second", type=_PATH, metavar="DIR")
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Seed of the bootstrap."
)
@click.option("--json", "json", is_flag=True, help="Print one JSON object on stdout.")
def compare(first: Path, second: Path, seed: int, *, json: bool) -> int:
    """Compare two runs, task by task, on the tasks that both have.

    Each difference comes with its interval (bootstrap over tasks) and McNemar's exact test.
    """
    from clew.cli.benchmarks import show_contrast

    runs = api.read_run(first), api.read_run(second)
    show_contrast(*runs, api.contrast(*runs, seed=seed), json=json)
    return 0


@bench.command()
@_RUNS
@click.option(
    "--out",
    type=_PATH,
    default=Path("bench.svg"),
    show_default=True,
    metavar="FILE",
    help="An .svg, .png or .pdf file.",
)
def plot(folders: tuple[Path, ...], out: Path) -> int:
    """Draw the figures of one or more runs: rates, iterations, localisation, time."""
    api.draw([api.read_run(folder) for folder in folders], out)
    say(f"drawn: {out}")
    return 0


@bench.command()
@click.argument("path", type=_PATH)
@click.option(
    "--out", type=_PATH, required=True, metavar="DIR", help="The folder of the new suite."
)
@click.option(
    "--count", type=click.IntRange(1), default=20, show_default=True, help="Faults to seed."
)
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Seed of the choice."
)
@settings_options("test_command", "timeout")
@click.pass_obj
def seed(
    runner_args: tuple[str, ...],
    /,
    path: Path,
    out: Path,
    count: int,
    seed: int,
    **flags: object,
) -> int:
    """Make a suite from the green project in PATH: one fault in each task.

    The operators are made apart from those of the built-in repairer; only faults that turn tests
    red are kept. What stands after -- goes to the test runner.
    """
    project = api.sessions_at(path).project
    settings = api.settings_for(api.sessions_at(path), flags)

    def report(task: str, words: str) -> None:
        say(f"{task:<12} {words}", err=True)

    made = api.seed_faults(
        project, out, settings, count=count, seed=seed, runner_args=runner_args, report=report
    )
    say(f"{made} faults; try them: clew bench run {out}")
    return 0 if made == count else 1
