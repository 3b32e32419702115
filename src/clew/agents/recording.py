"""What the calls of a session came to, one line a call: written of any session, played by `replay`.

A line holds what came of the call, and not how it was said: a diagnosis whole, a fix as the changes
that git saw, a failure by its kind. So it plays without what answered, and without its tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from clew.agents.form import Change
from clew.agents.replies import ChallengeReply, DocumentReply, FixReply, ReviewReply
from clew.git.worktrees import PrivateRepository
from clew.words import events as ev
from clew.words.facts import Diagnosis, Suspect, Usage
from clew.words.models import AgentRole

__all__ = ["RecordedCall", "change", "lines_of"]


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One recorded call: a reply in its role's form, a diagnosis as it was taken, or an error."""

    role: str
    agent: str = ""
    reply: msgspec.Raw = msgspec.Raw(b"null")
    diagnosis: Diagnosis | None = None
    proposes: bool = True
    suspects: tuple[Suspect, ...] = ()
    error: str = ""  # its kind
    message: str = ""
    usage: Usage | None = None  # otherwise the reply may tell it


def lines_of(
    events: Iterable[ev.Recorded], repository: PrivateRepository
) -> Iterator[RecordedCall]:
    """Yield a line for each call of a session, in their order."""
    base = ""
    for recorded in events:
        match recorded.event:
            case ev.Started(intent=ev.CallAgent(role=AgentRole.FIX) as intent):
                base = intent.base
            case ev.Diagnosed() as told:
                yield RecordedCall(
                    role="diagnose",
                    agent=told.agent,
                    diagnosis=told.diagnosis,
                    proposes=told.proposes,
                    suspects=told.suspects,
                    usage=_usage(told.usage),
                )
            case ev.Reviewed() as read:
                opinion = ReviewReply(
                    verdict=read.opinion, reason=read.reason, suggestion=read.suggestion
                )
                yield _line("review", read.agent, opinion, read.usage)
            case ev.FixApplied() as fix:
                yield _fix(fix, base, repository)
            case ev.Challenged() as told:
                found = ChallengeReply(counterexamples=told.counterexamples)
                yield _line("challenge", told.agent, found, told.usage)
            case ev.Narrated() as told:
                words = DocumentReply(what_happened=told.what_happened, why=told.why)
                yield _line("document", told.agent, words, told.usage)
            case ev.AgentErred() as erred:
                yield RecordedCall(
                    role=erred.role,
                    agent=erred.agent,
                    error=erred.kind,
                    message=erred.message,
                    diagnosis=erred.draft.diagnosis if erred.draft else None,
                    proposes=erred.draft.proposes if erred.draft else True,
                    usage=_usage(erred.usage),
                )


def change(name: str, before: str | None, after: str) -> Change:
    """Return the one change that makes `after` of a file's text, which is not empty, or None."""
    if before is None:
        return Change(file=name, current="", should_be=after)
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    if len(old) == first + last:  # what only adds lines replaces one beside them
        first, last = (first - 1, last) if first else (first, last - 1)
    differing = "".join((*old[first : len(old) - last], *new[first : len(new) - last]))
    if "\r" in before and "\r" not in differing:  # which would take on the file's line ends
        first = last = 0
    return Change(
        file=name,
        line=first + 1,
        current="".join(old[first : len(old) - last]),
        should_be="".join(new[first : len(new) - last]),
    )


def _fix(fix: ev.FixApplied, base: str, repository: PrivateRepository) -> RecordedCall:
    changed = repository.changed(base, fix.commit) if fix.commit else ()
    changes = [_change(each.path, base, fix.commit or "", repository) for each in changed]
    told = tuple(each for each in changes if each is not None)
    if len(told) < len(changes):
        words = "the fix removed a file, filled an empty one, or changed one that is not text"
        return RecordedCall(role="fix", agent=fix.agent, error="error", message=words)
    reply = FixReply(changes_made=fix.summary, files_modified=fix.files, changes=told)
    return _line("fix", fix.agent, reply, fix.usage)


def _change(name: str, base: str, commit: str, repository: PrivateRepository) -> Change | None:
    """Return the change of a file; None for one that no change can tell."""
    before, after = repository.show(base, name), repository.show(commit, name)
    if after is None or before == b"":
        return None
    try:
        return change(name, None if before is None else before.decode(), after.decode())
    except UnicodeDecodeError:
        return None


def _line(role: str, agent: str, reply: msgspec.Struct, usage: Usage) -> RecordedCall:
    raw = msgspec.Raw(msgspec.json.encode(reply))
    return RecordedCall(role=role, agent=agent, reply=raw, usage=_usage(usage))


def _usage(usage: Usage) -> Usage:
    """Return what the agent itself told: prices are those of whoever plays it."""
    return msgspec.structs.replace(usage, usd=None, priced=False) if usage.priced else usage
