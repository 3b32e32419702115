"""Commands that only look: how long a person waits for `clew --help` and the like."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import seconds, turns
from benchmarks.sessions import CLEW, demo

__all__ = ["run"]

HOW = (
    "Whole processes, from start to end, in the demo's project, which has one finished session."
    " `python -c ''` is the interpreter alone; the bare program is one click command that prints"
    " its help."
)
BARE = """import click


@click.command()
def main():
    click.echo("hello")


main()
"""
MOST = Bound(at_least=False, number=2.5)


def run(folder: Path, size: float) -> Part:
    """Measure start-up against what it is made of."""
    session = demo(folder / "demo")
    bare = folder / "bare.py"
    bare.write_text(BARE)
    python = sys.executable
    commands: dict[str, list[str | Path]] = {
        "python": [python, "-c", ""],
        "click": [python, bare, "--help"],
        "help": [CLEW, "--help"],
        "status": [CLEW, "status"],
        "list": [CLEW, "list"],
    }
    took = turns(
        max(1, round(25 * size)),
        **{
            name: lambda argv=argv: seconds(argv, cwd=session.project, env=session.env)
            for name, argv in commands.items()
        },
    )
    figures = [
        Figure(
            what=f"`clew {'--' if name == 'help' else ''}{name}`",
            unit="ms",
            clew=Spread.of(took[name]).times(1e3),
            peer=peer,
            theirs=Spread.of(took[against]).times(1e3),
            value=paired(took[name], took[against]),
            bound=MOST if against == "click" and name != "list" else None,
        )
        for name in ("help", "status", "list")
        for against, peer in (("click", "a bare click program"), ("python", "`python -c ''`"))
    ]
    return Part(title="Start-up", how=HOW, figures=tuple(figures))
