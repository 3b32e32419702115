"""What all commands share: their options, and the way from them to a session and back."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clew import api
from clew.cli.keyboard import forget, is_at_terminal, typed
from clew.cli.streams import say
from clew.words.declared import BY_NAME
from clew.words.errors import UsageError

if TYPE_CHECKING:
    from clew.api import ProjectSessions, SessionStatus, Watcher
    from clew.words.events import QuestionAsked

__all__ = [
    "FOLDER",
    "Commands",
    "as_json",
    "elsewhere",
    "in_project",
    "is_debugging",
    "meant",
    "narrowed",
    "settings_options",
    "watched",
    "work",
]

F = TypeVar("F", bound=Callable[..., Any])


class _Folder(click.Path):
    """A folder that is named; the present one is never meant by saying nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 -- as click has it
        if value == "":
            self.fail("it is empty", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _Folder(path_type=Path)


def _go_there(_: click.Context, __: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        try:
            os.chdir(folder)
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be used: {error.strerror}", hint="Name the project's folder."
            ) from error


def elsewhere() -> click.Option:
    """Return the option that has a command run as in another folder."""
    return click.Option(
        ["-C"],
        type=FOLDER,
        metavar="PATH",
        help="Run as in this folder.",
        expose_value=False,
        is_eager=True,
        callback=_go_there,
    )


class Commands(click.Group):
    """A group whose help lists its commands by purpose, each with its first sentence, uncut.

    Each of them takes `-C PATH`, also where nothing of its own is meant by that.
    """

    sections: Mapping[str, tuple[str, ...]] = {}

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        group = isinstance(cmd, click.Group)
        if not group and not any("-C" in param.opts for param in cmd.params):
            cmd.params.append(elsewhere())
        super().add_command(cmd, name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click's error would pass for a message that quotes what was typed
        if not args and self.no_args_is_help:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 -- as click has it
        formatter: click.HelpFormatter,
    ) -> None:
        for title, names in (self.sections or {"Commands": tuple(sorted(self.commands))}).items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(limit=999)) for name in names]
                )


def in_project(command: F) -> F:
    """Add the option that says whose sessions are meant."""
    return click.option(
        "-C",
        "project",
        type=FOLDER,
        default=Path(),
        metavar="PATH",
        help="The project's folder (default: the current one).",
    )(command)


def as_json(command: F) -> F:
    """Add the option that every command has for programs."""
    return click.option("--json", "json", is_flag=True, help="Print JSON lines on stdout.")(command)


def settings_options(*names: str, **others: str) -> Callable[[F], F]:
    """Add an option for each of these settings, in this order; one that is not given is None.

    `others` are settings that mean something else for a command, each with what it means there.
    """

    def add(command: F) -> F:
        for name in reversed([*names, *others]):
            declared = BY_NAME[name]
            number = declared.type if declared.type in (int, float) else str
            usual = {int: "N", float: "S"}.get(declared.type, "")
            command = click.option(
                declared.flag,
                type=number,
                metavar=declared.metavar or usual,
                help=others.get(name, declared.sentence),
            )(command)
        return command

    return add


def narrowed(command: F) -> F:
    """Add the option that bounds the proof as well as the goal."""
    return click.option(
        "--only", is_flag=True, help="Prove only by the tests that the arguments after -- select."
    )(command)


def meant(what: str | None, project: Path) -> tuple[ProjectSessions, str | None]:
    """Return the sessions that [ID|PATH] leads to, and the session that it names, if any.

    A session's name has no slash, and what there is on the disk is a path.
    """
    if what and (os.sep in what or os.path.lexists(what)):
        return api.sessions_at(Path(what)), None
    sessions = api.sessions_at(project)
    return sessions, None if what is None else sessions.find(what)


def is_debugging(sessions: ProjectSessions, session: str) -> bool:
    """Whether a session is one of debugging, which is shown in more detail than the others."""
    from clew.words.records import DEBUGGING

    return sessions.listed(session).kind == DEBUGGING


def work(
    sessions: ProjectSessions,
    drive: Callable[[Watcher], SessionStatus],
    *,
    kind: str = "debugging",
    json: bool,
) -> int:
    """Work on a session of a kind while a person looks on; return the exit code.

    At a terminal the question that one of debugging, or a debug session, may end with is asked;
    elsewhere it stays pending.
    """
    from clew.words.records import DEBUGGING, INVESTIGATION

    if kind == INVESTIGATION:
        return _investigate(sessions, drive, json=json)
    if kind != DEBUGGING:
        from clew.cli.watching_plans import show_plan_end, watching_plan

        with watching_plan(json=json) as plan_watcher:
            status = drive(plan_watcher)
        return show_plan_end(sessions, status, json=json)
    status = watched(sessions, drive, json=json)
    session = status.session
    while status.question and not json and is_at_terminal():
        question = api.load_state(sessions, session).question
        reply = _reply(question) if question else None
        if reply is None:
            break
        said = functools.partial(api.answer, sessions, session, *reply)
        try:
            status = watched(sessions, _if_asked(sessions, status, said), json=False)
        except UsageError as error:
            say(error.whole, err=True)
    top = sessions.top(session)
    if top != session and not sessions.store.holder(top) and not json:
        say(f"it was begun by another session; that goes on with: clew resume {top}")
    return status.exit_code


def _investigate(
    sessions: ProjectSessions, drive: Callable[[Watcher], SessionStatus], *, json: bool
) -> int:
    """Work on a debug session while a person looks on, and ask them at a terminal."""
    from clew.cli.watching_debug import debug_line, reply, show_debug_end
    from clew.cli.watching_plans import watching_plan

    while True:
        with watching_plan(debug_line, json=json) as watcher:
            status = drive(watcher)
        asked = status.question if not json and is_at_terminal() else None
        if asked is not None:
            forget()
        code = show_debug_end(sessions, status, json=json)
        if not isinstance(asked, api.DebugAsked) or not (said := reply(asked)):
            return code
        answered = functools.partial(_answered, sessions, status.session, said)
        drive = _if_asked(sessions, status, answered)


def _answered(
    sessions: ProjectSessions, session: str, said: str, watcher: Watcher
) -> SessionStatus:
    """Answer a debug session; what is no answer is said, and the question stays."""
    try:
        return api.answer(sessions, session, said, watcher=watcher)
    except UsageError as error:
        say(error.whole, err=True)
        return api.status(sessions, session)


def _if_asked(
    sessions: ProjectSessions, shown: SessionStatus, answer: Callable[..., SessionStatus]
) -> Callable[[Watcher], SessionStatus]:
    """Return what answers the question that was shown, and no other that is asked meanwhile."""

    def answered(watcher: Watcher) -> SessionStatus:
        standing = api.status(sessions, shown.session)
        if standing.question == shown.question:
            return answer(watcher=watcher)
        say("it was answered elsewhere meanwhile; what you typed is not used", err=True)
        return standing

    return answered


def watched(
    sessions: ProjectSessions, drive: Callable[[Watcher], SessionStatus], *, json: bool
) -> SessionStatus:
    """Work on a debugging session while a person looks on; nothing is asked."""
    from clew.cli.showing import show_end
    from clew.cli.watching import Json, watching

    with watching(json=json) as watcher:
        status = drive(watcher)
        if isinstance(watcher, Json):
            watcher.summary(api.load_state(sessions, status.session))
    if not json:
        if status.question and is_at_terminal():
            forget()
        with contextlib.suppress(BrokenPipeError):  # how it ended holds, read or not
            show_end(sessions, api.load_state(sessions, status.session))
    return status


def _reply(question: QuestionAsked) -> tuple[str, str] | None:
    """Ask a person; None leaves the question pending, and so does what is to be done by hand."""
    said = typed(
        "\nYour answer: a number, a word, or what the agents should know (Enter: decide later)",
        tuple(option.word for option in question.options),
    )
    first, _, text = said.partition(" ")
    by_number = {str(number): option.word for number, option in enumerate(question.options, 1)}
    word = by_number.get(first, first)
    if word == "investigate" or not said:
        return None
    if word not in by_number.values():
        return ("guidance" if len(said.split()) > 1 else said), said
    lacking = {
        "guidance": "What should they know?",
        "rollback": "Return to which checkpoint?",
        "value": "Which value, as Python writes it?",
    }
    if word in lacking and not text:
        text = typed(lacking[word], ())
    return word, text
