"""Recorded answers as an agent: for tests, demonstrations and the comparison of settings.

A recording is JSON lines, one a call, in the order of the calls:

    {"role": "diagnose", "reply": {…}}             as `command` agents answer
    {"role": "fix", "reply": {…, "changes": […]}}
    {"role": "fix", "error": "timeout"}            the call failed

A call takes the line of its number, so that a session that is resumed goes on in the right place.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from clew.agents.about import About
from clew.agents.filing import check
from clew.agents.outside import charged, make_changes
from clew.agents.protocol import Answer, Call, Done, Report, Work
from clew.agents.replies import as_diagnosis
from clew.agents.roles import DIAGNOSE, FIX, R, Role
from clew.errors import AgentFailed, UsageError

__all__ = ["Replay"]

T = TypeVar("T")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded call."""

    role: str
    reply: msgspec.Raw = msgspec.Raw(b"null")
    error: str = ""


class Replay:
    """A recording that is played."""

    about = About(word="replay", rest="FILE", does="recorded answers", reads_only_by="itself")
    reads_files = False

    def __init__(self, path: Path) -> None:
        self.name = f"replay:{path}"
        try:
            text = path.read_bytes()
            self._lines = [msgspec.json.decode(t, type=Line) for t in text.splitlines() if t]
        except (OSError, msgspec.DecodeError) as error:
            raise UsageError(f"the recording {path} cannot be played: {error}") from error

    def diagnose(self, call: Call, tick: Report) -> Answer:
        """Give the recorded diagnosis."""
        done = self.do(DIAGNOSE, call, tick)
        with charged(done.usage):
            diagnosis = as_diagnosis(done.reply)
            check(call.site.worktree, diagnosis)
        return Answer(diagnosis=diagnosis, proposes=not diagnosis.elsewhere, usage=done.usage)

    def fix(self, call: Call, tick: Report) -> Work:
        """Carry the recorded changes out."""
        done = self.do(FIX, call, tick)
        return Work(summary=done.reply.summary, usage=done.usage)

    def do(self, role: Role[R], call: Call, _: Report) -> Done[R]:
        """Give the recorded answer; its changes are carried out."""
        reply = _decode(self._line(call, role.name), role.reply)
        usage = reply.usage.counted()
        with charged(usage):
            make_changes(call, reply)
        return Done(reply=reply, usage=usage)

    def _line(self, call: Call, role: str) -> Line:
        if not 0 < call.number <= len(self._lines):
            raise AgentFailed(f"the recording has no call {call.number}", kind="unavailable")
        line = self._lines[call.number - 1]
        if line.role != role:
            raise AgentFailed(
                f"call {call.number} of the recording is for {line.role}, not {role}",
                kind="invalid_output",
            )
        if line.error:
            raise AgentFailed("recorded failure", kind=line.error)
        return line


def _decode(line: Line, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line.reply, type=kind)
    except msgspec.DecodeError as error:
        raise AgentFailed(
            f"the recorded reply is not usable: {error}", kind="invalid_output"
        ) from error
