"""Looking on while a session is worked on: a live display, plain lines, or JSON lines."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from clew import api
from clew.api import Stage, State, Watcher
from clew.cli.streams import json_line
from clew.cli.words import outcome_line
from clew.words import events as ev
from clew.words.facts import Tick
from clew.words.printable import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["heard", "watching"]


GONE = (errno.EPIPE, errno.EIO)  # a pipe without a reader, a terminal that was closed


@contextmanager
def heard() -> Iterator[None]:
    """Stop the work when nobody reads any more, as at Ctrl-C; `clew resume` continues."""
    try:
        yield
    except OSError as error:
        if error.errno not in GONE:
            raise
        raise KeyboardInterrupt("the reader of the output has exited") from error


class Lines:
    """Plain lines, one for each thing worth knowing."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._told = {"done"}

    def saw(self, recorded: ev.Recorded, state: State) -> None:
        self._told = {"done"}
        line = outcome_line(recorded.event, state)
        if line and not _comes_last(recorded.event):
            self._print(line)

    def tick(self, tick: Tick) -> None:
        if tick.phase not in self._told:
            self._told.add(tick.phase)
            self._print(f"  … {one_line(f'{tick.phase} {tick.text}')[:500]}")

    def _print(self, line: str) -> None:
        with heard():
            print(line, file=self._out, flush=True)


class Json:
    """Every event as one JSON object a line."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def saw(self, recorded: ev.Recorded, _: State) -> None:
        self._print(recorded)

    def tick(self, _: Tick) -> None:
        pass

    def summary(self, state: State) -> None:
        """Print the last line."""
        self._print(api.summary_of(state))

    def _print(self, record: object) -> None:
        with heard():
            self._out.write(json_line(record) + b"\n")
            self._out.flush()


class Live:
    """What was done as lines, what goes on in a panel below them that is kept fresh."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._console = Console(stderr=True)
        self._state = State()
        self._tick = Tick(phase="starting")
        self._since = time.monotonic()
        self._began = time.monotonic()
        self._live = RichLive(
            console=self._console, get_renderable=self._panel, refresh_per_second=8, transient=True
        )

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the panel while the block runs."""
        with heard():
            self._live.start()
        try:
            yield
        finally:
            with heard():
                self._live.stop()

    def saw(self, recorded: ev.Recorded, state: State) -> None:
        from rich.text import Text

        self._state = state
        if isinstance(recorded.event, ev.Started):
            self._since = time.monotonic()
            self._tick = Tick(phase=self._tick.phase)
        line = outcome_line(recorded.event, state)
        if line and not _comes_last(recorded.event):
            with heard():
                self._live.console.print(Text(line, style=_style(recorded.event)))

    def tick(self, tick: Tick) -> None:
        # Two searches run side by side: the one that has tried more is shown.
        if (tick.tried or 0) >= (self._tick.tried or 0):
            self._tick = tick

    def _panel(self) -> RenderableType:
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        tick, state, now = self._tick, self._state, time.monotonic()
        where = f"iteration {state.counter} of {state.cap}" if state.counter else "before the loop"
        cap = _cap(state)
        most = f" of at most {cap:.0f}" if cap else ""
        spent = f"{now - self._since:.0f}{most} s"
        facts = [where, one_line(f"{tick.phase} {tick.text}")[:200], spent]
        if tick.tried is not None:
            speed = f", {tick.per_second:.0f}/s" if tick.per_second else ""
            facts.append(f"{tick.tried:,} candidates tried{speed}")
        if tick.best:
            facts.append(one_line(f"best so far: {tick.best}")[:200])
        facts.append(f"elapsed {now - self._began:.0f} s")
        table = Table.grid(padding=(0, 1))
        table.add_row(Spinner("dots"), Text(" · ".join(facts), style="dim", overflow="ellipsis"))
        return table


def _cap(state: State) -> float:
    """Return the seconds that what goes on may take."""
    if state.opened is None:
        return 0.0
    if state.stage is Stage.DIAGNOSING and state.agent == "repair":
        return state.settings.search_seconds * max(1, state.counter)
    return state.settings.timeout


def _comes_last(event: ev.AnyEvent) -> bool:
    """Whether this is said whole when all else is."""
    match event:
        case ev.QuestionAsked() | ev.SessionEnded(status=ev.Status.NOTHING_TO_DO):
            return True
        case _:
            return False


def _style(event: ev.AnyEvent) -> str:
    match event:
        case ev.SessionEnded(status=ev.Status.GREEN) | ev.Proved(accepted=True):
            return "bold green"
        case ev.AgentErred() | ev.RolledBack():
            return "yellow"
        case ev.IterationBegan():
            return "bold"
        case _:
            return ""


@contextmanager
def watching(*, json: bool) -> Iterator[Watcher]:
    """Choose by what standard error is: a terminal gets the live display."""
    if json:
        yield Json(sys.stdout.buffer)
    elif sys.stderr.isatty():
        live = Live()
        with live.shown():
            yield live
    else:
        yield Lines(sys.stderr)
