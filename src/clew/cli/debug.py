"""`clew debug`: a symptom looked into; `clew knowledge`: what was fixed before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.streams import json_line, print_json, say
from clew.cli.wiring import Commands, as_json, in_project, settings_options, work
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError
from clew.words.printable import one_line

if TYPE_CHECKING:
    from clew.api import DebugRow, ProjectSessions

__all__ = ["debug", "knowledge", "meant_by"]

WITH_SLUG = ("status", "continue", "close", "reopen")
ALONE = ("list", "cleanup")


def meant_by(words: tuple[str, ...]) -> tuple[str, str]:
    """Return what is asked for and of which session; else "" and the description.

    Only the exact form is a command: `list broken retry` describes a symptom. Raises UsageError
    for a command that lacks its session, and for no words.
    """
    match words:
        case (word,) if word in ALONE:
            return word, ""
        case (word, slug) if word in WITH_SLUG:
            return word, slug
        case (word,) if word in WITH_SLUG:
            raise UsageError(
                f"`clew debug {word}` needs the name of a session",
                hint=f"clew debug {word} SLUG; `clew debug list` shows them.",
            )
        case () | ("",):
            raise UsageError(
                "the description of the symptom is missing",
                hint='Say what is wrong: clew debug "checkout total is off by a cent"',
            )
        case _:
            return "", " ".join(words)


@click.command()
@click.argument("words", nargs=-1, metavar="SYMPTOM… | COMMAND [SLUG]")
@click.option("--diagnose", is_flag=True, help="Find the root cause only.")
@click.option("--tdd", is_flag=True, help="Have the failing test confirmed before the fix.")
@click.option(
    "--symptoms",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What was seen: expected, actual, errors, reproduction, started; a line each.",
)
@click.option("--reproduce", metavar="LINE", help="A command that shows it; run in the sandbox.")
@click.option(
    "--from",
    "after",
    metavar="ID",
    help="Start from a session of `clew fix` without a fix.",
)
@click.option(
    "--works", metavar="LINE", help="The same with input for which all is well, to compare with."
)
@click.option(
    "--with-context", "context", metavar="TEXT", default="", help="With `continue`: what you know."
)
@settings_options("agent", "test_command", *BOUNDS)
@in_project
@as_json
@click.pass_obj
def debug(
    runner_args: tuple[str, ...],
    /,
    words: tuple[str, ...],
    project: Path,
    context: str,
    *,
    diagnose: bool,
    tdd: bool,
    symptoms: Path | None,
    reproduce: str | None,
    works: str | None,
    after: str | None,
    json: bool,
    **flags: object,
) -> int:
    """Look into a symptom: find its cause, have it fixed and proven.

    Each investigator comes with a fresh mind and reads one document, `debug/sessions/SLUG.md`. You
    are asked what only you know; `clew answer` answers, now or later. Also: `clew debug list`,
    `status SLUG`, `continue SLUG`, `close SLUG`, `reopen SLUG`, and `cleanup`, which closes those
    that nobody went on with for 30 days. Arguments after -- go to the test runner.
    """
    from clew.words.records import INVESTIGATION

    command, rest = meant_by(words) if words or not after else ("", "")
    sessions = api.sessions_at(project)
    if command in _LOOKS:
        return _LOOKS[command](sessions, rest, json)
    settings = api.settings_for(sessions, flags)
    drive = {
        "continue": lambda watcher: api.continue_debug(
            sessions, settings, rest, watcher, context=context
        ),
        "close": lambda watcher: api.close_debug(sessions, rest, watcher),
        "reopen": lambda watcher: api.reopen_debug(sessions, settings, rest, watcher),
    }.get(command)
    if drive is None:
        told = api.symptoms_in(symptoms) if symptoms else api.Symptoms()
        if "" in (reproduce, works):
            raise click.UsageError("--reproduce and --works take a command; this one is empty")
        told = told.shown_by(reproduce or "", works or "")
        request = api.DebugRequest(
            trigger=rest,
            aim=api.Aim.FIND if diagnose else api.Aim.FIX,
            tdd=tdd,
            symptoms=told,
            runner_args=runner_args,
        )
        if after:
            request = api.debug_after(sessions, after, request)
        drive = lambda watcher: api.debug(sessions, settings, request, watcher)  # noqa: E731 - one of several
    return work(sessions, drive, kind=INVESTIGATION, json=json)


def _list(sessions: ProjectSessions, _: str, json: bool) -> int:  # noqa: FBT001 - as all of them
    rows = api.debug_sessions_of(sessions)
    for row in rows:
        if json:
            print_json(row)
        else:
            _show(row)
    if not rows and not json:
        say("no debug session is open")
    return 0


def _show(row: DebugRow) -> None:
    if row.problem:
        say(f"{row.slug}  malformed: {one_line(row.problem)}")
        return
    say(f"{row.slug}  {row.status.replace('_', ' ')}  {row.updated}")
    for name, text in (("hypothesis", row.hypothesis), ("next", row.next_action)):
        if text:
            say(f"  {name}: {one_line(text)[:200]}")


def _status(sessions: ProjectSessions, slug: str, json: bool) -> int:  # noqa: FBT001 - as above
    path, document = api.debug_document(sessions, slug)
    if json:
        click.echo(json_line({"type": "DebugDocument", "path": str(path), "document": document}))
        return 0
    say(f"{path.stem}  {document.status.replace('_', ' ')}")
    say(f"  document: {path}")
    say(f"  goal: {document.goal}; TDD: {'yes' if document.tdd else 'no'}")
    found = (
        ("hypothesis", document.focus.hypothesis),
        ("next", document.focus.next_action),
        ("root cause", document.resolution.root_cause),
    )
    for name, text in found:
        if text:
            say(f"  {name}: {one_line(text)[:500]}")
    say(f"  {len(document.evidence)} found out, {len(document.eliminated)} ruled out")
    if document.question is not None:
        say()
        say(document.question.text)
    return 0


def _clean_up(sessions: ProjectSessions, _: str, json: bool) -> int:  # noqa: FBT001 - as above
    for closed in api.clean_up_debug(sessions):
        if json:
            print_json(closed)
        else:
            say(f"{closed.session}  closed: nobody went on with it")
    return 0


_LOOKS: Mapping[str, Callable[[ProjectSessions, str, bool], int]] = {
    "list": _list,
    "status": _status,
    "cleanup": _clean_up,
}


@click.group(cls=Commands)
def knowledge() -> None:
    """Search what was fixed in this project before."""


@knowledge.command()
@click.argument("words", nargs=-1, required=True)
@in_project
@as_json
def search(words: tuple[str, ...], project: Path, *, json: bool) -> int:
    """Find earlier fixes that share words with WORDS: candidates to test first, no diagnosis."""
    found = api.search_knowledge(api.sessions_at(project), words)
    for match in found:
        if json:
            print_json(match)
            continue
        undone = "  undone since" if match.undone else ""
        say(f"{match.slug}  {one_line(match.title)}  ({', '.join(match.shared)}){undone}")
        for name, text in (("cause", match.cause), ("fix", match.fix)):
            if text:
                say(f"  {name}: {one_line(text)[:300]}")
    if not found and not json:
        say("nothing of the kind was fixed here before")
    return 0
