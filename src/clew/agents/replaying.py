"""Recorded answers as an agent: for tests, demonstrations and the comparison of settings.

A recording is JSON lines, one a call, in the order of the calls:

    {"role": "diagnose", "reply": {…}}             as `command` agents answer
    {"role": "fix", "reply": {…, "changes": […]}}
    {"role": "fix", "error": "timeout"}            the call failed

`clew show ID --recording` writes one of any session, and `replay:ID` plays a session of the same
project at once. A call takes the line of its place among those that came to an end, so that a
session that is resumed goes on in the right place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from clew.agents.about import About
from clew.agents.external_agent import charged, make_changes
from clew.agents.filing import checked, proposes, with_diffs
from clew.agents.protocol import Answer, Call, Done, Report, Work
from clew.agents.recording import RecordedCall, lines_of
from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis
from clew.agents.roles import R
from clew.git.moving import store_of
from clew.git.project import Project
from clew.git.worktrees import PrivateRepository
from clew.journal.streams import SQLiteJournal
from clew.words.errors import AgentFailed, UsageError
from clew.words.events import CODEC
from clew.words.facts import Usage

__all__ = ["Replay"]

T = TypeVar("T")


class Replay:
    """A recording that is played."""

    about = About(
        word="replay",
        rest="FILE or SESSION",
        does="recorded answers, or those of a session",
        reads_only_by="itself",
        usage=True,
        money=True,
    )
    reads_files = False

    def __init__(self, name: str, lines: Sequence[RecordedCall]) -> None:
        self.name = f"replay:{name}"
        self._lines = lines

    @classmethod
    def of_file(cls, path: Path) -> Replay:
        """Read a recording. Raises UsageError."""
        try:
            lines = [
                msgspec.json.decode(t, type=RecordedCall)
                for t in path.read_bytes().splitlines()
                if t
            ]
        except (OSError, msgspec.DecodeError) as error:
            raise UsageError(f"the recording {path} cannot be played: {error}") from error
        return cls(str(path), lines)

    @classmethod
    def of_session(cls, session: str, project: Project) -> Replay | None:
        """Read what a session of the project came to; None if there is none of that name."""
        store = store_of(project)
        if not store.journal.exists():
            return None
        with contextlib.closing(SQLiteJournal(store.journal, CODEC, begun=store.begun)) as journal:
            if session not in (listed.session for listed in journal.sessions()):
                return None
            repository = PrivateRepository.open(project, store.folder)
            return cls(session, tuple(lines_of(journal.read(session), repository)))

    def diagnose(self, call: Call[DiagnosisReply], tick: Report) -> Answer:
        """Give the recorded diagnosis."""
        line, failing = self._line(call), call.failing
        made = failing.made if failing else ()
        if answer := _answer(line):
            with charged(line.usage):
                fitting = checked(call.site.worktree, answer.diagnosis, made)
            return replace(answer, diagnosis=fitting)
        done = self.do(call, tick)
        with charged(done.usage):
            diagnosis = checked(call.site.worktree, as_diagnosis(done.reply), made)
        diagnosis = with_diffs(call.site.worktree, diagnosis)
        known = proposes(diagnosis, failing.run.named if failing else ())
        return Answer(diagnosis=diagnosis, proposes=known, usage=done.usage)

    def fix(self, call: Call[FixReply], tick: Report) -> Work:
        """Carry the recorded changes out."""
        done = self.do(call, tick)
        return Work(summary=done.reply.summary, usage=done.usage)

    def do(self, call: Call[R], _: Report) -> Done[R]:
        """Give the recorded answer; its changes are carried out."""
        line = self._line(call)
        reply = _decode(line, call.role.reply)
        usage = line.usage or reply.usage.counted()
        with charged(usage):
            make_changes(call, reply)
        return Done(reply=reply, usage=usage)

    def _line(self, call: Call[Any]) -> RecordedCall:
        place = call.place or call.number
        if not 0 < place <= len(self._lines):
            raise AgentFailed(f"the recording has no call {place}", kind="unavailable")
        line = self._lines[place - 1]
        if line.role != call.role.name:
            raise AgentFailed(
                f"call {place} of the recording is for {line.role}, not {call.role.name}",
                kind="invalid_output",
            )
        if line.error:
            words = line.message or "recorded failure"
            raise AgentFailed(words, kind=line.error, usage=line.usage, answer=_answer(line))
        return line


def _answer(line: RecordedCall) -> Answer | None:
    if line.diagnosis is None:
        return None
    return Answer(
        diagnosis=line.diagnosis,
        proposes=line.proposes,
        suspects=line.suspects,
        usage=line.usage or Usage(),
    )


def _decode(line: RecordedCall, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line.reply, type=kind)
    except msgspec.DecodeError as error:
        raise AgentFailed(
            f"the recorded reply is not usable: {error}", kind="invalid_output"
        ) from error
