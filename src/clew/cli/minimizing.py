"""`clew minimize`: the smallest input with which a test fails as it does; nothing is changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.streams import print_json, say
from clew.cli.wiring import FOLDER, as_json, settings_options
from clew.words.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.api import MinimizedTest
    from clew.words.facts import Tick

__all__ = ["minimize"]


@click.command()
@click.argument("test", metavar="TEST")
@click.argument("path", type=FOLDER, default=Path())
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=60.0,
    show_default=True,
    metavar="S",
    help="For about how long to go on.",
)
@settings_options("test_command", "timeout", "test_timeout")
@as_json
def minimize(test: str, path: Path, seconds: float, *, json: bool, **flags: object) -> int:
    """Make the input of failing test TEST small, as long as it fails in the same way.

    TEST is its id, as tests/test_a.py::test_b. Leaves out pieces of its literals, and of the values
    that it is parametrised with, while the same exception is raised at the same place; where the
    test says what a result has to be, that result stays the same, and where an exception was to be
    raised and was not, what is given there. Works in a private worktree: your tree stays as it is.

    Exit codes: 0 made small, or it passes · 2 bad usage · 3 the tests could not run · 4 another
    `clew minimize` is running here
    """
    sessions = api.sessions_at(path)
    settings = api.settings_for(sessions, flags)
    found = api.minimize(sessions, settings, test, seconds=seconds, hear=_hear)
    if not isinstance(found, api.MinimizedTest):
        click.echo("{}" if json else f"{one_line(test)} passes; there is nothing to make smaller.")
        return 0
    if json:
        print_json(found)
        return 0
    for line in _told(found):
        say(line)
    return 0


def _hear(tick: Tick) -> None:
    click.echo(f"  … {one_line(tick.text)}", err=True)


def _told(found: MinimizedTest) -> Iterator[str]:
    yield f"{one_line(found.test)}: {one_line(found.error)}"
    yield f"  raised at {one_line(found.place)}"
    after = "nothing more can be left out" if found.smallest else "then the time was up"
    yield f"  {found.tried} tried in {found.seconds:.0f} s; {after}"
    yield ""
    whole = found.after == found.before
    yield "nothing can be left out of:" if whole else "the smallest test that fails as it does:"
    yield from _block(found.after)
    if not whole:
        yield "what it expects stays as it was: right code may give another value for less"
    if found.neighbour:
        yield ""
        yield "the nearest that passes:"
        yield from _block(found.neighbour)
    if found.parting:
        yield ""
        yield "the first call that is not the same:"
        for word, call in (("fails", found.parting.fails), ("passes", found.parting.works)):
            yield f"  {word:<7} {one_line(f'{call.shown} {call.outcome}')}"
    if found.parting and (way := found.parting.way):
        yield f"  after {one_line(way.fails.path)}:{way.line} {_way(way.fails_to, way.works_to)}"


def _way(fails_to: int, works_to: int) -> str:
    def to(line: int) -> str:
        return f"to line {line}" if line else "out"

    return f"it goes {to(fails_to)}, where the other goes {to(works_to)}"


def _block(text: str) -> Iterator[str]:
    yield from (f"    {line}".rstrip() for line in text.splitlines())
