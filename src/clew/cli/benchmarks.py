"""Runs of `clew bench` on a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from clew.api import TOPS, BenchRun, Contrast, PairedTasks, Rate, TaskOutcome, grouped, summarise
from clew.cli.streams import print_json, say
from clew.cli.words import counted
from clew.words.printable import one_line, printable

__all__ = ["print_runs", "reporter", "show_contrast", "show_runs"]

KEYS: dict[str, Callable[[TaskOutcome], str]] = {
    "suite": lambda outcome: outcome.suite,
    "kind": lambda outcome: outcome.kind or "(none)",
    "end": lambda outcome: outcome.end,
    "agent": lambda outcome: outcome.agent or "(nobody)",
    "confidence": lambda outcome: outcome.confidence or "(none)",
}
WIDE = 200  # columns of a table that goes to a file
UNKNOWN = "unknown"
FLAWED = "the task itself is faulty; `flaw` in its record says how"


def reporter(*, json: bool) -> Callable[[TaskOutcome], None]:
    """Return what tells a person, or a program, of each task as it ends."""
    if json:
        return print_json
    return lambda outcome: click.echo(line_of(outcome), err=True)


def line_of(outcome: TaskOutcome) -> str:
    """Return an outcome in one line."""
    verdict = "not mended"
    if outcome.plausible:
        verdict = {True: "right", False: "green, wrong", None: "green, unknown"}[outcome.correct]
    words = (
        outcome.method if outcome.plausible else (outcome.flaw or outcome.note).partition("\n")[0]
    )
    return (
        printable(
            f"{outcome.name:<36} {verdict:<14} {outcome.seconds:6.1f} s  {outcome.end:<8} {words}"
        )
        .replace("\n", " ")
        .rstrip()[:WIDE]
    )


def show_runs(runs: Sequence[BenchRun], *, by: str | None) -> None:
    """Print the figures of runs as tables: a row a run, or a row a group."""
    rows = [(name, summarise(some)) for name, some in _groups(runs, by)]
    _table(
        "fixed: tests green with proof; right: compared with the right version"
        " (rates with 95 % intervals, Wilson)",
        ("", "tasks", "fixed", "right", "wrong", "unknown", "by iteration 1 / 2 / 3", "median s"),
        [
            (
                name,
                str(s.tasks),
                _rate(s.plausible),
                _rate(s.correct),
                str(s.wrong),
                str(s.unknown),
                " / ".join(str(s.iterations[n].hits) for n in (1, 2, 3)),
                f"{s.seconds:.1f}",
            )
            for name, s in rows
        ],
    )
    for name, s in rows:
        if s.flawed:
            click.echo(f"{name}: {counted(s.flawed, 'task')} unusable: {FLAWED}", err=True)
    _table(
        "localisation: the first line, or file, of the true fix among the first n suspects",
        ("", "ranked", *(f"line top-{n}" for n in TOPS), "file top-1", "tokens in / out", "cost"),
        [
            (
                name,
                str(s.ranked),
                *(_percent(s.lines[n]) for n in TOPS),
                _percent(s.files[1]),
                f"{_known(s.usage.input)} / {_known(s.usage.output)}",
                UNKNOWN if s.usage.usd is None else f"${s.usage.usd:.2f}",
            )
            for name, s in rows
        ],
    )


def print_runs(runs: Sequence[BenchRun], *, by: str | None) -> None:
    """Print the figures of runs, one JSON object a line."""
    for name, some in _groups(runs, by):
        print_json({"name": name, "summary": summarise(some)})


def _groups(runs: Sequence[BenchRun], by: str | None) -> list[tuple[str, Sequence[TaskOutcome]]]:
    found: list[tuple[str, Sequence[TaskOutcome]]] = []
    for run in runs:
        name = f"{run.asked.label} ({run.folder.name})" if len(runs) > 1 else run.asked.label
        if by is not None:
            prefix = f"{name}: " if len(runs) > 1 else ""
            groups = grouped(run.outcomes, KEYS[by])
            found += [(f"{prefix}{group}", some) for group, some in groups.items()]
        found.append((name, run.outcomes))
    return found


def show_contrast(first: BenchRun, second: BenchRun, found: Contrast, *, json: bool) -> None:
    """Print what sets two runs apart."""
    if json:
        print_json(found)
        return
    names = f"{first.folder.name} → {second.folder.name}"
    left = f" ({found.left_out} that only one has left out)" if found.left_out else ""
    say(f"{names}, {found.tasks} tasks{left}")
    _table(
        "difference with 95 % interval (bootstrap over tasks); p by McNemar's exact test",
        ("", "both", "first only", "second only", "neither", "difference", "p"),
        [_paired("fixed", found.plausible), _paired("right", found.correct)],
    )
    ratio, low, high = found.ratio
    click.echo(f"time: {ratio:.2f} times the first's [{low:.2f}, {high:.2f}], geometric mean")
    for word, tasks in (("gained", found.gained), ("lost", found.lost)):
        for task in tasks:
            click.echo(f"{word}  {one_line(task)}")
    for task in found.changed:
        click.echo(f"left out, not the same task in both: {one_line(task)}")


def _paired(name: str, found: PairedTasks) -> tuple[str, ...]:
    counts = (found.both, found.first, found.second, found.neither)
    change = f"{found.difference:+.1%} [{found.low:+.1%}, {found.high:+.1%}]"
    return (name, *map(str, counts), change, f"{found.p:.3f}")


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False)
    for column in head:
        table.add_column(column, justify="left" if not column else "right")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    console = Console()
    console = console if console.is_terminal else Console(width=WIDE)
    console.print(table)


def _rate(rate: Rate) -> str:
    return f"{rate.hits} = {rate.share:.0%} [{rate.low:.0%}, {rate.high:.0%}]"


def _percent(rate: Rate) -> str:
    return f"{rate.share:.0%}" if rate.total else UNKNOWN


def _known(count: int | None) -> str:
    return UNKNOWN if count is None else f"{count:,}"
