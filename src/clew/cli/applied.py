"""What `clew apply` put into the person's tree, and what it took back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from clew import api
from clew.api import path_text
from clew.cli.streams import print_json, say
from clew.cli.words import counted
from clew.words.printable import one_line
from clew.words.records import DEBUGGING

__all__ = ["show_applied", "show_taken_back"]

SOME = 5  # of the files are named
PROGRESS = {DEBUGGING: "This is progress, not a proven fix; `clew status {}` says what is open."}
UNFINISHED = "The plan is not finished: this is what passed its gates so far."


def show_applied(delivery: api.Delivery, *, json: bool, commit: bool = False) -> None:
    """Say what was put into the person's tree, and whether there was anything to `commit`."""
    if json:
        print_json(_applied_record(delivery))
        return
    applied = delivery.applied
    for line in _applied_lines(delivery, commit=commit):
        say(line)
    if applied.lacking:
        what = _some([path_text(path) for path in applied.lacking])
        say(
            f"This commit is not called proven: the proof measured other content of {what}.",
            err=True,
        )
        say(
            "Commit that content as well, or run the tests:"
            f" `clew diff {delivery.session}` shows the whole change.",
            err=True,
        )
    if applied.own:
        what = _some([path_text(path) for path in applied.own])
        say(f"This commit has lines of yours as well, which were not committed: {what}.", err=True)
    if not delivery.complete:
        for guess in delivery.guesses:
            say(f"A guess of {one_line(guess)}", err=True)
        say(PROGRESS.get(delivery.kind, UNFINISHED).format(delivery.session), err=True)


def show_taken_back(delivery: api.Delivery, *, json: bool) -> None:
    """Say which files are again as they were before `clew apply`."""
    if json:
        print_json(_applied_record(delivery))
        return
    applied = delivery.applied
    for path in applied.files:
        say(f"undone   {one_line(path_text(path))}")
    if applied.already:
        say("your files hold nothing of it any more")
    for line in _kept_lines(applied):
        say(line)
    if applied.commit:
        say(f"commit   {applied.commit[:12]} stays: commit these files again to take it back there")


def _applied_record(delivery: api.Delivery) -> dict[str, Any]:
    """Return what programs are told of what was put into the person's tree."""
    applied = delivery.applied
    paths = {
        "files": [path_text(path) for path in applied.files],
        "merged": [path_text(path) for path in applied.merged],
        "kept": {path_text(place): path_text(path) for place, path in applied.kept.items()},
        "lacking": [path_text(path) for path in applied.lacking],
        "own": [path_text(path) for path in applied.own],
        "undone": {path_text(path): whose for path, whose in applied.undone.items()},
        "since": delivery.since,
        "guesses": delivery.guesses,
    }
    record: dict[str, Any] = msgspec.to_builtins(applied)
    return {"session_id": delivery.session} | record | paths


def _applied_lines(delivery: api.Delivery, *, commit: bool) -> Iterator[str]:
    applied = delivery.applied
    if applied.already:
        yield "already applied: every file has the fix"
    for path in applied.files:
        yield f"{'merged' if path in applied.merged else 'applied'}  {one_line(path_text(path))}"
    for path, whose in applied.undone.items():
        name = one_line(path_text(path))
        yield (
            f"undone   {name}: `clew apply {whose}` was killed; run it again to apply the whole fix"
        )
    yield from _kept_lines(applied)
    if delivery.since:
        yield f"edited   {_some(delivery.since)}, by you since: not proven, run your tests"
    if applied.branch:
        yield f"branch   {applied.branch}"
    if applied.private:
        instead = "" if commit or applied.committed else f"; {_committing(delivery)}"
        instead = "; push the commit below" if applied.commit else instead
        yield (
            "         its first commit holds your uncommitted work of then: do not push or merge it"
            f" as it is{instead}"
        )
    if applied.commit:
        yield f"commit   {applied.commit}"
    elif commit:
        yield "commit   none: the files of the fix are as your last commit has them"


def _committing(delivery: api.Delivery) -> str:
    return f"`clew apply {delivery.session} --commit` commits the files of the fix alone"


def _kept_lines(applied: api.Applied) -> Iterator[str]:
    for folder in dict.fromkeys(place.rpartition("/")[0] for place in applied.kept):
        yield f"kept     the previous content, in {one_line(path_text(folder))}"


def _some(paths: Sequence[str]) -> str:
    """Name a few files, and say how many more there are."""
    more = len(paths) - SOME
    named = ", ".join(map(one_line, paths[:SOME]))
    return named + (f" and {counted(more, 'more file')}" if more > 0 else "")
