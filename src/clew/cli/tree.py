"""Sessions of whatever kind: how they stand, what they began, and what happened in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from clew import api
from clew.cli.streams import print_json, say
from clew.words.printable import one_line, printable, shortened

if TYPE_CHECKING:
    from clew.api import ListedSession, ProjectSessions, SessionStatus
    from clew.words.records import Asked, Recorded

__all__ = [
    "in_tree",
    "show_asked",
    "show_children",
    "show_plan_checkpoints",
    "show_raw_log",
    "show_standing",
    "show_waiting",
    "waiting_below",
]


def in_tree(listed: Iterable[ListedSession]) -> Iterator[tuple[str, ListedSession]]:
    """Yield sessions, newest first, each followed by what it began; before each its branch."""
    below: dict[str, list[ListedSession]] = defaultdict(list)
    every = tuple(listed)
    known = {one.session for one in every}
    for one in every:
        is_below = one.parent in known and one.parent != one.session
        below[one.parent if is_below else ""].append(one)

    def walk(parent: str, indent: str) -> Iterator[tuple[str, ListedSession]]:
        own = below[parent] if not parent else below[parent][::-1]
        for one in own:
            last = one is own[-1]
            branch = "" if not parent else f"{indent}{'└─' if last else '├─'} "
            yield branch, one
            deeper = "" if not parent else f"{indent}{'   ' if last else '│  '}"
            yield from walk(one.session, deeper)

    yield from walk("", "")


def show_standing(sessions: ProjectSessions, session: str, *, json: bool) -> int:
    """Show how a session of whatever kind stands, and what it began; return the exit code."""
    holder, standing = sessions.store.holder(session), api.status(sessions, session)
    if json:
        children = [one.session for one in sessions.children(session)]
        held = {"held_by": holder.pid if holder else None}
        print_json({"standing": standing, "children": children} | held)
        return 0 if holder else standing.exit_code
    say(f"{session}  {_status(standing, running=holder is not None)}")
    for line in standing.lines:
        say(f"  {printable(line)}")
    show_children(sessions, session)
    if standing.question:
        show_asked(standing.question)
    elif holder is None and standing.status == "running":
        say(f"  continue: clew resume {session}")
    return 0 if holder else standing.exit_code


def show_asked(question: Asked) -> None:
    """Show what a session of whatever kind asks, with the command of each answer."""
    say()
    say(printable(question.text))
    for option in getattr(question, "options", ()):
        if command := getattr(option, "command", ""):
            say(f"  {option.word:<8} {printable(option.text)}:  {printable(command)}")


def waiting_below(listed: Iterable[ListedSession], session: str) -> tuple[ListedSession, ...]:
    """Return the sessions below one that ask a person; they are listed newest first."""
    kin, found = {session}, []
    for one in reversed(tuple(listed)):  # a child is listed after its parent
        if one.parent in kin:
            kin.add(one.session)
            found += [one] if one.status == "waiting" else []
    return tuple(found)


def show_waiting(sessions: ProjectSessions, session: str) -> None:
    """Say where the questions of sessions below are answered, and how this one goes on then."""
    asking = waiting_below(sessions.listing(), session)
    for one in asking:
        say(f"its answers:  clew status {one.session}")
    if asking:
        say(f"then go on:   clew resume {session}")


def _status(standing: SessionStatus, *, running: bool) -> str:
    words = standing.status.replace("_", " ")
    if standing.status != "running":
        return words
    at = f" while {standing.stage}" if standing.stage else ""
    return f"running, {standing.stage}".rstrip(", ") if running else f"interrupted{at}"


def show_children(sessions: ProjectSessions, session: str) -> None:
    """Show what a session began, as a tree, with the questions that wait in it."""
    listing = sessions.listing()
    kin = {session}
    for one in reversed(listing):  # a child is listed after its parent
        kin |= {one.session} if one.parent in kin else set()
    rows = [(branch, one) for branch, one in in_tree([o for o in listing if o.session in kin])]
    for branch, one in rows[1:]:
        status = one.status.replace("_", " ")
        if one.status == "running" and sessions.store.holder(one.session) is None:
            status = "waiting" if waiting_below(listing, one.session) else "interrupted"
        say(f"  {branch}{one.session}  {status}  {one_line(one.goal)}")
        if one.status == "waiting":
            asked = api.status(sessions, one.session).question
            if asked is not None:
                say(f"     asks: {shortened(one_line(asked.text))}  (clew answer {one.session} …)")


def show_raw_log(records: Iterable[Recorded[Any]], *, json: bool) -> None:
    """Show every event of a session of whatever kind, field by field."""
    for recorded in records:
        if json:
            print_json(recorded)
            continue
        fields: dict[str, Any] = msgspec.to_builtins(recorded.event)
        name, at = fields.pop("type"), recorded.at.astimezone()
        words = " ".join(f"{key}={value}" for key, value in fields.items())
        say(f"{recorded.seq:>4}  {at:%H:%M:%S}  {name:<17} {shortened(one_line(words))}")


def show_plan_checkpoints(sessions: ProjectSessions, session: str, *, json: bool) -> None:
    """List where a plan may go back to, oldest first."""
    for place in api.plan_checkpoints(sessions, session):
        if json:
            print_json(place)
        else:
            say(f"{place.name:<15} {place.commit[:10]}{'  stands here' if place.here else ''}")
