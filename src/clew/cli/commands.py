"""The commands, each a few lines over `clew.sessions`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clew import __version__

if TYPE_CHECKING:
    from clew.debugging import Watcher
    from clew.sessions import Desk
    from clew.settings import Settings
    from clew.states import State

__all__ = ["clew"]

F = TypeVar("F", bound=Callable[..., Any])


class _Folder(click.Path):
    """A folder that is named; the present one is never meant by saying nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 -- as click has it
        if value == "":
            self.fail("it is empty", param, ctx)
        return super().convert(value, param, ctx)


_FOLDER = _Folder(path_type=Path)


def _in_project(command: F) -> F:
    """Add the option that says whose sessions are meant."""
    return click.option(
        "-C",
        "project",
        type=_FOLDER,
        default=Path(),
        metavar="PATH",
        help="The project, if it is not the present folder.",
    )(command)


def _as_json(command: F) -> F:
    return click.option("--json", "json", is_flag=True, help="Print JSON lines on stdout.")(command)


class _Group(click.Group):
    """Commands whose reader may go: whoever reads has seen enough, and nothing went wrong."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- as click has it
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(0)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clew")
def clew() -> None:
    """Lead coding agents out of failing tests."""


@clew.command()
@click.argument("path", type=_FOLDER, default=Path())
@click.option("--test-command", metavar="COMMAND", help="How the tests are run.")
@click.option("--agent", metavar="NAME[,NAME…]", help="The ladder of agents.")
@click.option("--max-iterations", type=int, metavar="N", help="Iterations before you are asked.")
@click.option("--timeout", type=float, metavar="S", help="Seconds for one run of the tests.")
@click.option("--test-timeout", type=float, metavar="S", help="Seconds for one test.")
@click.option("--search-seconds", type=float, metavar="S", help="Seconds for a repair search.")
@_as_json
@click.pass_obj
def fix(runner_args: tuple[str, ...], /, path: Path, *, json: bool, **flags: object) -> int:
    """Take the failing tests of PATH to green, and prove it.

    What stands after -- goes to the test runner. Your own files are not touched: the fix grows in a
    private worktree, and `clew apply` brings it over.
    """
    from clew.sessions import check

    desk = _desk(path)
    settings = _settings(desk, flags)
    check(settings, desk.project)
    return _work(desk, lambda watcher: desk.start(settings, watcher, runner_args), json=json)


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--with-context", "context", metavar="TEXT", help="Retry, told what you know.")
@_in_project
@_as_json
def resume(name: str | None, context: str | None, project: Path, *, json: bool) -> int:
    """Go on with a session that was interrupted, or that waits for work by hand."""
    desk = _desk(project)
    session = desk.find(name)
    settings = _settings(desk, {})
    if context:
        return _work(
            desk,
            lambda watcher: desk.answer(session, "guidance", context, settings, watcher),
            json=json,
        )
    return _work(desk, lambda watcher: desk.resume(session, settings, watcher), json=json)


@clew.command()
@click.argument("name", metavar="ID")
@click.argument("option")
@click.argument("words", nargs=-1, metavar="[TEXT]")
@_in_project
@_as_json
def answer(name: str, option: str, words: tuple[str, ...], project: Path, *, json: bool) -> int:
    """Answer the question that session ID waits with, by number or word."""
    desk = _desk(project)
    session, settings, text = desk.find(name), _settings(desk, {}), " ".join(words)
    return _work(
        desk, lambda watcher: desk.answer(session, option, text, settings, watcher), json=json
    )


@clew.command()
@_in_project
@_as_json
def status(project: Path, *, json: bool) -> int:
    """Show where the newest session stands."""
    from clew.cli.showing import show_status
    from clew.sessions import exit_code

    desk = _desk(project)
    if not desk.listing():
        click.echo("{}" if json else "No active session")
        return 0
    session = desk.find(None)
    state = desk.load(session)
    holder = desk.store.holder(session)
    show_status(state, holder, json=json)
    return 0 if holder else exit_code(state)


@clew.command("list")
@_in_project
@_as_json
def list_(project: Path, *, json: bool) -> int:
    """List the sessions of the project, newest first."""
    from clew.cli.showing import show_list

    show_list(_desk(project).listing(), json=json)
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@_in_project
@_as_json
def show(name: str | None, project: Path, *, json: bool) -> int:
    """Show a session: what failed, each iteration, the proof, the question."""
    from clew.cli.showing import show_session

    desk = _desk(project)
    show_session(desk, desk.load(desk.find(name)), json=json)
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@_in_project
@_as_json
def log(name: str | None, project: Path, *, json: bool) -> int:
    """Show every event of a session."""
    from clew.cli.showing import show_log

    desk = _desk(project)
    show_log(desk.journal.read(desk.find(name)), json=json)
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@_in_project
@_as_json
def diff(name: str | None, project: Path, *, json: bool) -> int:
    """Show what the session changed, as a diff against your tree at its start."""
    from clew.cli.showing import show_diff

    desk = _desk(project)
    show_diff(desk, desk.load(desk.find(name)), json=json)
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--commit", is_flag=True, help="Commit the changed files, and nothing else.")
@_in_project
@_as_json
def apply(name: str | None, project: Path, *, commit: bool, json: bool) -> int:
    """Put a session's fix into your tree, and its branch into your repository."""
    from clew.cli.showing import show_applied
    from clew.errors import UsageError

    desk = _desk(project)
    session = desk.find(name)
    with desk.store.hold(session):
        state = desk.load(session)
        if state.snapshot is None or state.head == state.snapshot.base:
            raise UsageError(
                f"session {session} has no fix to apply", hint="`clew show` tells what it has."
            )
        subject = next((e.fix_attempted for e in reversed(state.history) if e.commit), "")
        applied = desk.repository.apply(
            session,
            state.snapshot.base,
            state.head,
            commit=commit,
            message=f"fix: {subject.splitlines()[0][:60]}\n\n{subject}" if subject else "fix",
        )
    show_applied(applied, state, json=json)
    return 0


@clew.command()
@click.argument("path", type=_FOLDER, default=Path())
@click.option("--test-command", metavar="COMMAND", help="How the tests are run.")
@click.option("--timeout", type=float, metavar="S", help="Seconds for one run of the tests.")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="How many suspects."
)
@_as_json
@click.pass_obj
def localize(
    runner_args: tuple[str, ...], /, path: Path, top: int, *, json: bool, **flags: object
) -> int:
    """Rank the lines of PATH that may hold the fault; nothing is changed."""
    from clew.cli.showing import show_suspects
    from clew.localizing import localize as find_suspects

    desk = _desk(path)
    run, suspects = find_suspects(desk, _settings(desk, flags), runner_args)
    return show_suspects(run, suspects[:top], json=json)


@clew.command()
@_in_project
@_as_json
def doctor(project: Path, *, json: bool) -> int:
    """Say what works on this machine, and what is missing."""
    from clew.cli.doctor import examine

    return examine(project, json=json)


def _desk(path: Path) -> Desk:
    from clew.sessions import Desk

    return Desk.at(path)


def _settings(desk: Desk, flags: dict[str, object]) -> Settings:
    from clew.settings import load

    return load((desk.project.root, desk.project.path), os.environ, flags)


def _work(desk: Desk, drive: Callable[[Watcher], State], *, json: bool) -> int:
    from clew.cli.showing import show_end
    from clew.cli.watching import Json, watching
    from clew.sessions import exit_code

    with watching(json=json) as watcher:
        state = drive(watcher)
        if isinstance(watcher, Json):
            watcher.summary(state)
    if not json:
        with contextlib.suppress(BrokenPipeError):  # how it ended holds, read or not
            show_end(desk, state)
    return exit_code(state)
