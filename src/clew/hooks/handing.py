"""A session begins, asks for the next one, or ends: what is written down, and what is started."""

from __future__ import annotations

import os
import sys
import time

from clew.handoff.config import PROJECT, load
from clew.handoff.markers import find
from clew.handoff.orders import Order, new_chain
from clew.handoff.programs import lacking
from clew.handoff.quick import number, text, write
from clew.handoff.records import TOKEN, HandoffStore, complain, digest, project_of
from clew.handoff.transcripts import Turn, last_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.handoff.agents import AgentProgram
    from clew.handoff.markers import MarkerCommand

__all__ = ["Hook"]

WINDOW = ".planning/.current-window-id"
PROCESSED = ".planning/.spawn-marker-processed"
ALONE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW  # a link there would lead out of the project


class Hook:
    """One call of a hook. Each method returns what the agent is to read on stdout."""

    def __init__(self, agent: AgentProgram, fields: Mapping[str, object]) -> None:
        self.agent = agent
        self.fields = fields
        self.session = text(fields, "session_id")
        self.transcript = text(fields, "transcript_path")
        self.desk = HandoffStore(project_of(text(fields, "cwd") or "."))
        self.config = load(self.desk.project)
        for fault in self.config.faults:
            complain(f"{self.desk.project}: {fault}")
        self.chain, _, self.token = os.environ.get(TOKEN, "").partition("/")
        self.pane = self._pane()
        self.tmux = os.environ.get("TMUX", "") if self.pane else ""

    def start(self) -> str:
        """Write down where the session runs; if a hand-off started it, write its receipt."""
        if not self.config.active and not self.token:
            return ""
        known = self.desk.session(self.session) or {}
        self.desk.keep_session(
            self.session,
            {
                "agent": self.agent.name,
                "chain": text(known, "chain") or self.chain,
                "handed": text(known, "handed"),
                "pane": self.pane,
                "started": number(known, "started") or time.time(),
                "window": self._record_window(),
            },
        )
        if self.token and self.desk.claimed(self.token) is not None:
            first = self.desk.confirm(self.token, self.session)
            if first:
                self.desk.note(self.chain, "started", token=self.token, session=self.session)
        return ""

    def stop(self) -> str:
        """Hand off if the agent's last message asks for it."""
        said = self.fields.get(self.agent.message)
        turn = last_turn(self.transcript)
        # The transcript may not be on the disk yet; what the agent itself hands over comes first.
        message = said.strip() if isinstance(said, str) else turn.message
        # Of several messages that come as one, the transcript tells where the last begins.
        if self.agent.joined and turn.message and message.endswith(turn.message):
            message = turn.message
        named = text(self.fields, self.agent.turn)
        if not isinstance(said, str) and named and turn.typed and named != turn.typed:
            return ""  # it does not hold this turn yet
        asked = find(message)
        if asked is None:
            return ""
        if not self.config.active and not asked.wrong:
            return _say(
                f"next is {asked.command}: type it in a new session. Hand-offs are by hand here:"
                f" {self.config.reason}"
            )
        return self._hand_off(asked, Turn(turn.typed, message), ended=False)

    def end(self) -> str:
        """Strike the session out; hand off what it asked for if its stop hook never ran."""
        known = self.desk.session(self.session)
        if known is None:
            return ""
        turn = last_turn(self.transcript)
        asked = find(turn.message)
        left = text(self.fields, "reason") != "other"  # a person did, or goes on otherwise
        handed = text(known, "handed") == digest(turn.message)
        said = ""
        if asked is not None and self.config.active and not left and not handed:
            said = self._hand_off(asked, turn, ended=True)
        self.desk.forget_session(self.session)
        self.desk.failure(self.session)  # nobody is there to be told
        self._clear_window(text(known, "window"))
        return said

    def _hand_off(self, asked: MarkerCommand, turn: Turn, *, ended: bool) -> str:
        from clew.handoff.collect import facts
        from clew.handoff.deciding import decide

        known = self.desk.session(self.session) or {}
        said = digest(turn.message)
        # The transcript may lag behind what was typed, too: a turn that is named goes by its name.
        typed = text(self.fields, self.agent.turn) or turn.typed
        token = digest(self.session, typed, said)
        order = Order(
            agent=self.agent.name,
            chain=text(known, "chain") or self.chain or new_chain(),
            command=asked.command,
            folder=self.desk.project,
            pane=self.pane,
            tmux=self.tmux,
            session=self.session,
            transcript=self.transcript,
            typed=typed,
            ended=ended,
        )
        if not self.desk.claim(token, order.record()):
            return ""
        self._list_processed(token)
        verdict = decide(
            asked, self.config, facts(self.desk, self.session, order.chain, time.time())
        )
        started = number(known, "started") or time.time()
        self.desk.keep_session(
            self.session,
            {
                "agent": self.agent.name,
                "chain": order.chain,
                "handed": said,
                "pane": self.pane,
                "started": started,
                "window": text(known, "window"),
            },
        )
        note = self.desk.note
        note(order.chain, "asked", token=token, session=self.session, command=asked.command)
        if not verdict.goes_on:
            note(order.chain, "refused", token=token, word=verdict.word, why=verdict.why)
            return _say(f"no hand-off to {asked.command}: {verdict.why}")
        if self.config.dry_run:
            note(order.chain, "would", token=token, command=asked.command)
            return _say(f"would hand off to {asked.command} (dry run)")
        if why := lacking(self.agent, self.config, windowed=bool(self.tmux)):
            note(order.chain, "failed", token=token, why=why)
            return _say(f"no hand-off to {asked.command}: {why}. This session stays open.")
        _send_off(self.desk, token)
        return ""

    def _pane(self) -> str:
        """Return the pane that a person could type into; a headless session has none."""
        terminal = self.agent.terminal
        if terminal is not None and os.environ.get(terminal[0]) != terminal[1]:
            return ""
        return os.environ.get("TMUX_PANE", "") if os.environ.get("TMUX") else ""

    # --- the two files in the project ------------------------------------------------------------

    def _record_window(self) -> str:
        """Let tmux write the id of the window; return it, or nothing where there is none."""
        path = os.path.join(self.desk.project, WINDOW)
        if not self.pane or not os.path.exists(os.path.join(self.desk.project, PROJECT)):
            return ""
        socket = self.tmux.rpartition(",")[0].rpartition(",")[0]
        child = os.posix_spawnp(
            "tmux",
            ["tmux", "-S", socket, "display-message", "-p", "-t", self.pane, "#{window_id}"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, path, ALONE | os.O_TRUNC, 0o644),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        if os.waitpid(child, 0)[1] != 0:
            complain(f"{path}: tmux does not say which window pane {self.pane} is in")
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read().strip()

    def _clear_window(self, window: str) -> None:
        """Remove the window's id if it is still this session's."""
        path = os.path.join(self.desk.project, WINDOW)
        try:
            with open(path, encoding="utf-8") as file:
                mine = file.read().strip() == window
            if mine and window:
                os.unlink(path)
        except OSError:
            return

    def _list_processed(self, token: str) -> None:
        """Keep the list of processed markers, for people and for other tools."""
        path = os.path.join(self.desk.project, PROCESSED)
        try:
            handle = os.open(path, ALONE | os.O_APPEND, 0o644)
        except OSError as error:
            complain(f"{path}: {error}")
            return
        with os.fdopen(handle, "w") as file:
            file.write(token + "\n")


def _send_off(desk: HandoffStore, token: str) -> None:
    """Start the courier, apart from the agent: it outlives the hook, and holds no pipe of it."""
    log = os.path.join(desk.folder, "courier.log")
    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", entry, "deliver", desk.project, token],
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )


def _say(words: str) -> str:
    return write({"systemMessage": f"clew: {words}"})
