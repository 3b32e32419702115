"""Sessions in a session: a child works in a process of its own, on a stream of its own.

A parent only reads its child's stream. That says all there is to know: how it ended, whether it
waits for a person, and else its holder whether anybody works on it. So to begin a child, to watch
it, and to find it again after a crash are one and the same, a `Child` that is polled.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from clew.journal.store import Holder
from clew.sandbox.processes import stopped
from clew.words.records import (
    Asked,
    ChildAnswered,
    ChildAsked,
    ChildEnded,
    Children,
    ChildStalled,
    Concluded,
    Event,
    RunSession,
)

__all__ = ["LOST", "Child", "Nest", "attend"]

LOST = "lost"
DEATHS = 3  # in a row without an event of the child, before it is given up
LAST_WORDS = 400  # bytes of them
PATIENCE = 10.0  # seconds that a child has to come to a stand


class Nest(Protocol):
    """What a parent has at hand to see to its children."""

    def standing(self, session: str) -> tuple[int, Event | None]:
        """Return the number of a session's newest event, and the newest that tells how it stands.

        That is one that asks, answers, or ends; of a session that has not begun, 0 and None.
        """
        ...

    def holder(self, session: str) -> Holder | None:
        """Return the living process that works on a session."""
        ...

    def question_below(self, session: str) -> ChildAsked | None:
        """Return a question that a session's own children wait with."""
        ...

    def log(self, session: str) -> Path:
        """Return the file for what a child's process says on its way out."""
        ...

    def command(self, number: int, intent: RunSession) -> Sequence[str]:
        """Return the command that works on a child, begun or not."""
        ...


def attend(nest: Nest, children: Children, number: int, intent: RunSession) -> Child:
    """See to a child, of which its parent's stream says what `children` hold."""
    asked, stalled = children.questions.get(number), children.stalled.get(number, "")
    known = asked.id if asked else ""
    return Child(nest=nest, number=number, intent=intent, asked=known, stalled=stalled)


@dataclass(kw_only=True)
class Child:
    """A child that is seen to; what is new of it is told once."""

    nest: Nest
    number: int
    intent: RunSession
    asked: str = ""  # the id of the question that its parent's stream tells of
    stalled: str = ""  # why, as that stream tells
    waiting: bool = False
    deaths: int = 0
    seen: int = 0  # the child's newest event when its process was last begun
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def poll(self) -> Event | None:
        """Return what is new of the child; begin its process where nobody works on it."""
        deserted = not self._is_at_work()  # looked at first: what it did last is then read
        seq, standing = self.nest.standing(self.intent.child)
        match standing:
            case Concluded():
                self._reap()
                return ChildEnded(
                    of=self.number,
                    child=self.intent.child,
                    status=standing.status,
                    reason=standing.reason,
                    commit=standing.commit,
                    usage=standing.usage,
                    result=standing.result,
                    known_issues=standing.known_issues,
                    known_failing=standing.known_failing,
                )
            case Asked():
                return self._asks(standing.id, standing.text)
        if deserted and (below := self.nest.question_below(self.intent.child)) is not None:
            return self._asks(f"{below.of}:{below.id}", below.text)
        if self.asked:
            answered, self.asked, self.waiting = self.asked, "", False
            return ChildAnswered(of=self.number, id=answered)
        return self._revive(seq) if deserted else self._watch()

    def _asks(self, question: str, text: str) -> ChildAsked | None:
        """Wait for a person; say so once."""
        self.waiting, known = True, self.asked
        self.asked = question
        told = ChildAsked(of=self.number, id=question, text=text)
        return None if known == question else told

    def _watch(self) -> ChildStalled | None:
        """Say when its process was stopped, and when it goes on again."""
        holder = self.nest.holder(self.intent.child)
        why = f"process {holder.pid} is stopped" if holder and stopped(holder.pid) else ""
        if why == self.stalled:
            return None
        self.stalled = why
        return ChildStalled(of=self.number, reason=why)

    def _revive(self, seq: int) -> ChildEnded | None:
        """Begin its process, or give it up where that leads nowhere."""
        if self.process is not None:
            self.deaths = self.deaths + 1 if seq == self.seen else 1
        if self.deaths >= DEATHS:
            why = f"its process ended {DEATHS} times without progress"
            why += self._last_words()
            return ChildEnded(of=self.number, child=self.intent.child, status=LOST, reason=why)
        self.seen = seq
        with self.nest.log(self.intent.child).open("wb") as log:
            self.process = subprocess.Popen(
                self.nest.command(self.number, self.intent),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        return None

    def _last_words(self) -> str:
        """Return what its process said last, for whoever has to find out why it ended."""
        with contextlib.suppress(OSError):
            said = self.nest.log(self.intent.child).read_bytes()[-LAST_WORDS:]
            if text := said.decode("utf-8", "replace").strip():
                return f"; it said: {text}"
        return ""

    def stop(self) -> None:
        """Interrupt whoever works on the child, and wait until it has come to a stand."""
        holder = self.nest.holder(self.intent.child)
        pid = holder.pid if holder else self.process.pid if self.process else None
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGTERM)  # a script's background work ignores SIGINT
        end = time.monotonic() + PATIENCE
        while self._is_at_work() and time.monotonic() < end:
            time.sleep(0.02)

    def _is_at_work(self) -> bool:
        if self.process is not None and self.process.poll() is None:
            return True
        return self.nest.holder(self.intent.child) is not None

    def _reap(self) -> None:
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
