"""Runs as pictures: one figure of four panels, a colour a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clew.evaluation.counting import Rate
from clew.evaluation.records import BenchRun
from clew.evaluation.summaries import TOPS, BenchSummary, summarise
from clew.words.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FORMATS", "draw"]

FORMATS = (".svg", ".png", ".pdf")
SIZE = (11.0, 8.0)  # inches
BARS = 0.8  # of the room between two groups of them

Picked = Callable[[BenchSummary], list[tuple[str, Rate]]]


def draw(runs: Sequence[BenchRun], out: Path) -> None:
    """Draw runs into a file, by the format that its name ends with.

    The same runs give the same bytes. Raises UsageError for another format, for runs without a
    result, and where the library that draws is not installed.
    """
    if out.suffix not in FORMATS:
        raise UsageError(
            f"{out} is not one of {', '.join(FORMATS)}", hint="Name such a file with --out."
        )
    if empty := [str(run.folder) for run in runs if not run.outcomes]:
        raise UsageError(f"there is no result yet in {', '.join(empty)}")
    try:
        import matplotlib as mpl  # noqa: PLC0415 -- an extra, and slow to load
        from matplotlib.figure import Figure  # noqa: PLC0415 -- as above
    except ImportError as error:
        raise UsageError(
            "pictures need matplotlib", hint="Install it with: pip install 'clew[bench]'"
        ) from error
    with mpl.rc_context({"svg.hashsalt": "clew", "svg.fonttype": "none"}):
        figure = Figure(figsize=SIZE, layout="constrained")
        rates, iterations, lines, times = figure.subplots(2, 2).flat
        _bars(rates, runs, _verdicts, "share of tasks (95 %, Wilson)")
        _bars(iterations, runs, _by_iteration, "fixed by the end of iteration n")
        _bars(lines, runs, _by_place, "a true line among the first n suspects")
        _curves(times, runs)
        figure.legend(*rates.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        metadata = {"Date": None} if out.suffix == ".svg" else None
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(out, dpi=120, metadata=metadata)
        except OSError as error:
            raise UsageError(
                f"{out} cannot be written: {error.strerror}", hint="Name another with --out."
            ) from error


def _verdicts(summary: BenchSummary) -> list[tuple[str, Rate]]:
    return [("fixed", summary.plausible), ("right", summary.correct)]


def _by_iteration(summary: BenchSummary) -> list[tuple[str, Rate]]:
    return [(str(n), rate) for n, rate in summary.iterations.items()]


def _by_place(summary: BenchSummary) -> list[tuple[str, Rate]]:
    return [(str(n), summary.lines[n]) for n in TOPS]


def _bars(axes: Axes, runs: Sequence[BenchRun], picked: Picked, title: str) -> None:
    """Draw a group of bars for each figure, a bar for each run, with its interval."""
    width = BARS / len(runs)
    names: list[str] = []
    for place, run in enumerate(runs):
        found = picked(summarise(run.outcomes))
        names = max(names, [name for name, _ in found], key=len)
        left = [n - BARS / 2 + (place + 0.5) * width for n in range(len(found))]
        shares = [rate.share for _, rate in found]
        below = [rate.share - rate.low if rate.total else 0.0 for _, rate in found]
        above = [rate.high - rate.share if rate.total else 0.0 for _, rate in found]
        axes.bar(left, shares, width, yerr=[below, above], capsize=3, label=_label(run))
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 1.05)
    axes.set_title(title, fontsize="medium")


def _curves(axes: Axes, runs: Sequence[BenchRun]) -> None:
    """Draw how many tasks each run has fixed within so many seconds a task."""
    for run in runs:
        times = sorted(o.seconds for o in run.outcomes if o.plausible)
        axes.step([0.0, *times], range(len(times) + 1), where="post", label=_label(run))
    axes.set_xlabel("seconds of the session")
    axes.set_ylim(bottom=0)
    axes.set_title("tasks fixed within a time", fontsize="medium")


def _label(run: BenchRun) -> str:
    return f"{run.asked.label} ({run.folder.name}, {len(run.outcomes)})"
