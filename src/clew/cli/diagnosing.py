"""`clew diagnose`: the cause of what fails, told; nothing is changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.streams import print_json
from clew.cli.wiring import as_json, in_project, meant, settings_options
from clew.words.printable import first_line, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.api import CalledFlaky, FailureDiagnosis, ProjectSessions, State
    from clew.words.facts import Option, Tick
    from clew.words.settings import Settings

__all__ = ["diagnose"]

NEXT = "\nnext     "


@click.command()
@click.argument("what", required=False, metavar="[ID|PATH]")
@click.option(
    "--agent", metavar="NAME", default="repair", help="The agent to ask.", show_default=True
)
@settings_options("test_command", "timeout", "test_timeout", "search_seconds")
@in_project
@as_json
@click.pass_obj
def diagnose(
    runner_args: tuple[str, ...],
    /,
    what: str | None,
    project: Path,
    agent: str,
    *,
    json: bool,
    **flags: object,
) -> int:
    """Explain why the tests of PATH fail, or show the last diagnosis of session ID.

    For a PATH (default: the current folder) Clew runs the tests on a snapshot, and asks an agent
    for the cause. Your tree stays as it is; Clew opens no session and writes no report. For an ID
    it runs nothing.

    A test that a session has called flaky on this very code is not diagnosed.

    Exit codes: 0 cause found, or all tests pass · 1 the agent gave no usable diagnosis · 2 bad
    usage · 3 the tests could not run · 4 another `clew diagnose` is running here
    """
    sessions, session = meant(what, project)
    settings = api.settings_for(sessions, flags)
    if session is not None:
        last = api.last_diagnosis(sessions, session)
        return _show(last, api.earlier_session(sessions, settings), json=json)
    _tell_beforehand(api.only_agent(settings, agent), sessions)
    found = api.diagnose(sessions, settings, agent, runner_args, _hear)
    if isinstance(found, api.FailureDiagnosis):
        waiting = api.earlier_session(sessions, settings, runner_args)
        return _show(found, waiting, json=json)
    if isinstance(found, api.CalledFlaky):
        return _show_flaky(found, json=json)
    click.echo("{}" if json else "All tests pass; there is nothing to diagnose.")
    return 0


def _tell_beforehand(settings: Settings, sessions: ProjectSessions) -> None:
    from clew.cli.words import models_line, network_line

    for line in (
        network_line(api.unconfined_agents(settings, sessions.project)),
        models_line(api.unused_models(settings, ("diagnose",))),
    ):
        if line:
            click.echo(line, err=True)


def _hear(tick: Tick) -> None:
    if tick.phase == "waiting":
        click.echo(f"  … {one_line(f'{tick.phase} {tick.text}')[:500]}", err=True)


def _show(told: FailureDiagnosis, waiting: State | None = None, *, json: bool) -> int:
    from clew.agents.form import printed
    from clew.cli.streams import say

    if json:
        print_json(printed(told.diagnosis, told.category, told.cause))
        return 0
    for part in _account(told, waiting):
        say(part)
    return 0


def _show_flaky(found: CalledFlaky, *, json: bool) -> int:
    from clew.cli.streams import say

    if json:
        print_json({"flaky": found.flaky})
        return 0
    say("Nothing to diagnose: what fails is flaky. It passed and failed on this very code before.")
    for test in found.flaky:
        say(f"    flaky    {test}")
    say(f"{NEXT}`clew flakes` says what is known of flaky tests")
    return 0


def _account(told: FailureDiagnosis, waiting: State | None) -> Iterator[str]:
    """Yield what is told, part by part; of each the first line alone begins at the margin."""
    found, cause = told.diagnosis, told.cause
    place = f"{found.path}:{found.line}" if found.line else found.path
    why = " ".join(filter(None, (cause.cause_class, cause.subclass)))
    yield first_line(found.title)
    yield f"\n{_wrapped(found.root_cause)}"
    yield ""
    yield f"kind     {found.category} ({why})"
    if place:
        yield f"place    {place}"
    yield f"sure     {found.confidence}: {found.confidence_reason}"
    if found.elsewhere:
        yield f"outside  {found.elsewhere}"
    if found.context:
        yield f"\n{found.context}"
    if found.evidence:
        yield from ("", "evidence")
        yield from (f"    - {line}" for line in found.evidence)
    for number, option in enumerate(found.options, 1):
        yield ""
        yield _option(number, option, chosen=number == found.recommended)
    ways = _ways(told, waiting)
    yield from (f"{'         ' if at else NEXT}{way}" for at, way in enumerate(ways))


def _ways(told: FailureDiagnosis, waiting: State | None) -> Iterator[str]:
    """Yield what to do next; `waiting` is the session that `clew fix` would point to, if any."""
    session = waiting.session.session_id if waiting else ""
    if waiting and waiting.question:
        yield f"`clew status {session}` shows the question about this code that waits for you"
    elif waiting:
        yield f"`clew diff {session}` shows the proven fix for this code that waits for you"
        yield f"`clew apply {session}` puts it into your files"
    elif any(option.edits for option in told.diagnosis.options):
        yield "`clew fix` searches again, applies what it finds in a worktree, and proves it"
    if told.bisectable:
        yield "`clew bisect` finds the commit that broke the tests, if they passed before"


def _option(number: int, option: Option, *, chosen: bool) -> str:
    parts = [f"option {number}{' (recommended)' if chosen else ''}: {first_line(option.title)}"]
    if option.approach and option.approach != option.title:
        parts.append(_wrapped(option.approach))
    return "\n".join([*parts, *filter(None, [option.diff.rstrip()])])


def _wrapped(text: str) -> str:
    """Break long lines for a terminal; a pipe gets them as they are."""
    import textwrap

    return "\n".join(textwrap.wrap(text, 90)) if sys.stdout.isatty() else text
