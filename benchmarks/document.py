"""The document: what was measured, where, and whether it is what Clew promises itself."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.figures import Bound, Figure, Measured, Part, Spread
from benchmarks.measuring import BENCH, ROOT

__all__ = ["commit", "document", "table"]

TIMES = "times"
TO = "\N{EN DASH}"

HEAD = """# Benchmarks

Written by `make bench`. Each figure was measured in the same run as its peer's, in turns; the
median of the rounds stands first, the middle half of them in brackets. Under each title stand
the day and the commit. `make bench ONLY={example}` measures one part anew and leaves the others
as they are. All of it took {minutes:.0f} minutes.

**Machine**: {machine}

**Versions**: {versions}

{reached} of {judged} targets were reached{missed}
"""


def document(parts: Mapping[str, Measured]) -> str:
    """Return the document; a part that could not be measured is the reason."""
    done = [measured.part for measured in parts.values() if measured.part]
    judged = [figure for part in done for figure in part.figures if figure.reached is not None]
    missed = [figure for figure in judged if not figure.reached]
    text = HEAD.format(
        minutes=sum(measured.seconds for measured in parts.values()) / 60,
        example=next(iter(parts)),
        machine=_machine(),
        versions=_versions(),
        reached=len(judged) - len(missed),
        judged=len(judged),
        missed="; missed: " + "; ".join(_named(figure) for figure in missed) + "."
        if missed
        else ".",
    )
    for name, measured in parts.items():
        if measured.part:
            text += "\n" + table(measured.part, f"{measured.date}, at {measured.commit}.")
        else:
            text += f"\n## {name}\n\nNot measured: {measured.trouble}\n"
    return text


def table(part: Part, when: str = "") -> str:
    """Return one part."""
    lines = [
        f"## {part.title}",
        "",
        f"{when} {part.how}".strip(),
        "",
        "| what | Clew | peer | | ratio | target | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_row(figure) for figure in part.figures]
    for note in part.notes:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def _row(figure: Figure) -> str:
    unit = figure.bound.unit if figure.bound else TIMES
    cells = (
        figure.what,
        _spread(figure.clew, figure.unit),
        figure.peer,
        _spread(figure.theirs, figure.unit) if figure.theirs else "",
        f"{_number(figure.value)} {unit}" if figure.value is not None else "",
        _bound(figure.bound) if figure.bound else "",
        {True: "reached", False: "**missed**", None: ""}[figure.reached],
    )
    return "| " + " | ".join(cells) + " |"


def _spread(spread: Spread, unit: str) -> str:
    middle = f"{_number(spread.median)} {unit}"
    if spread.count == 1:
        return middle
    return f"{middle} ({_number(spread.low)}{TO}{_number(spread.high)})"


def _bound(bound: Bound) -> str:
    return f"{'≥' if bound.at_least else '≤'} {bound.number:g} {bound.unit}"


def _named(figure: Figure) -> str:
    return f"{figure.what} against {figure.peer}" if figure.peer else figure.what


def _number(value: float) -> str:
    """Return three digits that count; thousands whole."""
    if abs(value) >= 100:  # noqa: PLR2004 - three digits
        return f"{value:,.0f}"
    return f"{value:.3g}"


def commit() -> str:
    """Return the commit that is measured."""
    done = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "(no repository)"


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return (
        f"{_processor()}, {cores} cores, {memory:.0f} GiB; {platform.system()} {platform.release()}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return " ".join(value.split())
    return platform.machine()


def _versions() -> str:
    found = [f"Python {platform.python_version()}", f"Clew {importlib.metadata.version('clew')}"]
    for environment, names in (
        ("journals", ("langgraph-checkpoint-sqlite", "dbos")),
        ("plans", ("langgraph", "prefect")),
        ("localisation", ("fauxpy",)),
        ("context", ("aider-chat",)),
        ("subject", ("click", "pytest")),
    ):
        library = next((BENCH / environment).glob("lib/python*/site-packages"), None)
        for one in importlib.metadata.distributions(path=[str(library)] if library else []):
            found += [f"{one.name} {one.version}"] if one.name in names else []
    return ", ".join(found)
