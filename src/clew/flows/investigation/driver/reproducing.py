"""The command that shows the symptom: run in the sandbox, more than once where that is cheap."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.agents.filing import carry_out
from clew.flows.investigation.events import Reproduce, Reproduced
from clew.flows.investigation.states import DebugState
from clew.gates.commands import CommandAdvice, CommandEnd, run_command
from clew.gates.request import GatePlace
from clew.git.project import Project
from clew.runners import Site, find, split
from clew.runners.command import program_of
from clew.runners.commands import recognise
from clew.sandbox.temporary import passing
from clew.sessions.calling import kept
from clew.sessions.run import SessionRun
from clew.words.debug_sessions import PROMPT, Symptoms, command_in, working_in
from clew.words.errors import TestsDidNotRun, UsageError
from clew.words.facts import Edit
from clew.words.oracles import LAST_LINES, shows

__all__ = ["check_commands", "checked_out", "reproduce", "run_on"]

RUNS = 3  # to tell a symptom that comes now and then
CHEAP = 20.0  # seconds for all of them
SHOWN, WORKS = "the command that shows the symptom", "the command to compare with"
ADVICE = CommandAdvice("timeout", f"name another command in an answer: `{PROMPT}command`")


def check_commands(project: Project, symptoms: Symptoms) -> None:
    """Raise UsageError for a command of the symptoms that cannot be run."""
    path = os.environ.get("PATH", os.defpath)
    with contextlib.suppress(TestsDidNotRun):
        path = os.pathsep.join((str(find(project.path, project.root).parent), path))
    site = Site(worktree=project.root, root=project.root, subdir=project.subdir, env={"PATH": path})
    for text, what in ((command_in(symptoms), SHOWN), (working_in(symptoms), WORKS)):
        meant = recognise(split(text, what)) if text else None
        if meant is not None and not program_of(meant, site):
            raise UsageError(
                f"{what} cannot be run: {meant.program or 'a program'} was not found: {text}",
                hint="Name a program of the project, or one that is installed.",
            )


def reproduce(run: SessionRun[DebugState], _: int, intent: Reproduce) -> Reproduced:
    """Run the command on a commit; it changes nothing that stays."""
    blank = Reproduced(command=intent.command, commit=intent.commit)
    try:
        argv = split(intent.command, SHOWN)
    except UsageError as error:
        return _told(run, blank, [CommandEnd(command=(), why_not=error.whole)])
    ends, began = list[CommandEnd](), time.monotonic()
    while len(ends) < RUNS and (not ends or time.monotonic() - began < CHEAP / RUNS):
        ends.append(run_on(run, intent.commit, argv))
        if ends[-1].exit_code is None:
            break
    return _told(run, blank, ends)


def run_on(
    run: SessionRun[DebugState], commit: str, argv: Sequence[str], edits: Sequence[Edit] = ()
) -> CommandEnd:
    """Run a command on a commit, in the worktree of the session, which is put back afterwards.

    With `edits` on what they make of it.
    """
    settings = run.state.settings
    place = GatePlace(
        project=run.project,
        repository=run.repository,
        store=run.store,
        session=run.id,
        settings=settings,
    )
    with checked_out(run, commit) as worktree, passing("reproduce-", run.scratch) as cache:
        carry_out(worktree, edits)
        return run_command(
            place,
            worktree,
            argv,
            folder=run.project.subdir,
            cache=cache,
            timeout=settings.timeout,
            advice=ADVICE,
        )


@contextlib.contextmanager
def checked_out(run: SessionRun[DebugState], commit: str) -> Iterator[Path]:
    """Check a commit out in the worktree of the session, which is put back afterwards."""
    worktree = run.repository.add_worktree(run.id, commit)
    run.repository.reset(run.id, commit)
    try:
        yield worktree
    finally:
        run.repository.reset(run.id, commit)


def _told(run: SessionRun[DebugState], blank: Reproduced, ends: list[CommandEnd]) -> Reproduced:
    """Return what is kept of all runs: the first that shows the symptom tells most.

    What a person saw is of the command that shows it, and judges no other one.
    """
    symptoms, is_it = run.state.symptoms, blank.command == run.state.command
    failed = [end for end in ends if is_it and shows(symptoms, end.exit_code, end.output)]
    told = failed[0] if failed else ends[0]
    return Reproduced(
        command=blank.command,
        commit=blank.commit,
        exit_code=told.exit_code,
        seconds=sum(end.seconds for end in ends),
        output=kept(run.store, told.output),
        tail="\n".join(told.output.strip().splitlines()[-LAST_LINES:]),
        why_not="" if told.exit_code is not None else told.why_not or "it was ended",
        runs=len(ends),
        failed=len(failed),
        alike=len({(end.exit_code, end.output) for end in ends}) == 1,
    )
