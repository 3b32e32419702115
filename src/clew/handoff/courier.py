"""Carries one hand-off out, in a process of its own, so that no agent waits for it.

    count what the source spent, and decide once more
    open the next session; see that its window is there
    wait for its receipt: the line that its own start hook writes
    type the leave command into the source, until its own end hook confirms it

A step that fails leaves the source open, is written to the chain, and told to whoever looks at the
source's pane. An order is carried out once: if this process is killed, nothing repeats it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable

from clew.handoff import detached
from clew.handoff.agents import AGENTS, AgentProgram
from clew.handoff.collect import facts
from clew.handoff.config import Config, load
from clew.handoff.deciding import decide
from clew.handoff.markers import MarkerCommand
from clew.handoff.orders import Order
from clew.handoff.programs import lacking, located
from clew.handoff.records import TOKEN, HandoffStore
from clew.handoff.tmux import Gone, Terminal, Window
from clew.handoff.transcripts import spent, typed_since

__all__ = ["Courier", "Failed", "command_line", "deliver"]

POLL = 0.05
OPEN_TRIES = 2
LEAVE_TRIES = 3
CARRIED = ("CLEW_STATE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PATH")


class Failed(Exception):
    """A hand-off did not come about; the words say why."""


def deliver(project: str, token: str) -> None:
    """Carry out the order of a claim."""
    desk = HandoffStore(project)
    order = desk.claimed(token)
    if order is not None:
        Courier(desk, token, Order.of(order)).run()


def command_line(
    agent: AgentProgram, config: Config, command: str, *, headless: bool
) -> tuple[str, ...]:
    """Return the words that start the next session. Raises Failed if there is no such program."""
    program = located(agent, config)
    if program is None:
        raise Failed(lacking(agent, config, windowed=not headless))
    words = agent.headless if headless else agent.interactive
    bypass = agent.bypass if config.skip_permissions else ()
    return (program, *config.arguments, *bypass, *words, command)


class Courier:
    """One hand-off on its way."""

    def __init__(self, desk: HandoffStore, token: str, order: Order) -> None:
        self.desk = desk
        self.token = token
        self.order = order
        self.agent = AGENTS[order.agent]
        self.terminal = Terminal(order.tmux) if order.tmux and order.pane else None
        self.config = load(desk.project)

    def run(self) -> None:
        """Do all of it; the chain's file says how it went."""
        try:
            if self._goes_on():
                self._open()
                self._leave()
        except (Failed, OSError) as failed:
            self._note("failed", why=str(failed))
            if self.order.session:
                words = f"the hand-off to {self.order.command} failed: {failed}"
                self.desk.keep_failure(self.order.session, words)
            self._tell(f"{failed}. This session stays open.")

    def _goes_on(self) -> bool:
        """Decide again, now that the source's tokens are counted and time has passed."""
        if self.order.session and self.order.transcript:
            tokens = spent(self.order.transcript, self.order.session)
            self._note("spent", session=self.order.session, tokens=tokens)
        verdict = decide(
            MarkerCommand(self.order.command),
            self.config,
            facts(self.desk, self.order.session, self.order.chain, time.time()),
        )
        if not verdict.goes_on:
            self._note("refused", word=verdict.word, why=verdict.why)
            self._tell(f"the chain stops: {verdict.why}")
        return verdict.goes_on

    # --- the next session ------------------------------------------------------------------------

    def _open(self) -> None:
        """Start the next session and wait for its receipt; once more if it ended before."""
        backend = self.config.backend
        if why := lacking(self.agent, self.config, windowed=self.terminal is not None):
            raise Failed(why)
        windowed = backend != "process" and self.terminal is not None
        for _ in range(OPEN_TRIES):
            here = self._in_window() if windowed else self._apart()
            if not _until(self.config.start_seconds, lambda: self._arrived() or not here()):  # noqa: B023 -- used up at once
                raise Failed(
                    "the next session was opened and still runs, but its start hook did not report:"
                    " look at it, and see `clew hooks verify`"
                )
            if self._arrived():
                return
        raise Failed(f"the next session ended before it reported, {OPEN_TRIES} times")

    def _arrived(self) -> bool:
        return self.desk.receipt(self.token) is not None

    def _in_window(self) -> Callable[[], bool]:
        assert self.terminal is not None  # noqa: S101 -- narrows the type; the caller looked
        words = command_line(self.agent, self.config, self.order.command, headless=False)
        environment = {
            name: os.environ[name] for name in (*CARRIED, *self.agent.carried) if name in os.environ
        }
        try:
            window = self.terminal.open(
                words, self.order.folder, environment | self._name(), self.order.pane
            )
        except Gone as gone:
            raise Failed(f"no window could be opened: {gone}") from gone
        self._note("opened", backend="tmux", window=window.window, pane=window.pane, pid=window.pid)
        return lambda: self._there(window)

    def _there(self, window: Window) -> bool:
        assert self.terminal is not None  # noqa: S101 -- as above
        try:
            pane = self.terminal.panes().get(window.pane)
        except Gone:
            return False
        return pane is not None and pane.window == window.window and not pane.dead

    def _apart(self) -> Callable[[], bool]:
        words = command_line(self.agent, self.config, self.order.command, headless=True)
        environment = {n: v for n, v in os.environ.items() if n not in self.agent.own}
        log = os.path.join(self.desk.folder, f"{self.token}.log")
        try:
            child = detached.start(words, self.order.folder, environment | self._name(), log)
        except OSError as error:
            raise Failed(f"{words[0]} could not be started: {error}") from error
        self._note("opened", backend="process", pid=child.pid, log=log)
        return lambda: child.poll() is None

    def _name(self) -> dict[str, str]:
        return {TOKEN: f"{self.order.chain}/{self.token}"}

    # --- the source ------------------------------------------------------------------------------

    def _leave(self) -> None:
        if self.terminal is None or self.order.ended:
            return  # a session without a terminal ends by itself
        for _ in range(LEAVE_TRIES):
            typed = typed_since(self.order.transcript, self.order.typed)
            leaves = f">{self.agent.leave}<" in typed or typed == self.agent.leave
            if typed and not leaves:
                self._note("kept", why="somebody is typing in the old session")
                return
            if self._left():
                self._note("left", session=self.order.session)
                return
            if not leaves:  # it has read the words; a slow end is no reason to type them again
                with contextlib.suppress(Gone):  # a pane that is gone has left
                    self.terminal.type(self.order.pane, self.agent.leave, self.agent.cleared)
            if _until(self.config.leave_seconds, self._left):
                self._note("left", session=self.order.session)
                return
        raise Failed(f"the old session did not end after {self.agent.leave}")

    def _left(self) -> bool:
        if self.desk.session(self.order.session) is None:
            return True
        try:
            return self.terminal is None or self.order.pane not in self.terminal.panes()
        except Gone:
            return True

    # --- words -----------------------------------------------------------------------------------

    def _note(self, event: str, **fields: str | float | bool | None) -> None:
        self.desk.note(self.order.chain, event, token=self.token, **fields)

    def _tell(self, words: str) -> None:
        if self.terminal is not None:
            self.terminal.tell(self.order.pane, f"clew: {words}")


def _until(seconds: float, holds: Callable[[], bool]) -> bool:
    """Wait until something holds; return whether it did in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= end:
            return False
        time.sleep(POLL)
    return True
