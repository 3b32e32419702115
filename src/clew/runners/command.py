"""One run of a command that the probe cannot reach, asked and read by its runner's dialect."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection
from contextlib import nullcontext
from pathlib import Path

from clew.runners.bounds import noted, remark
from clew.runners.commands import Invocation, recognise
from clew.runners.dialects import (
    DIALECTS,
    CommandOutput,
    DialectRequest,
    DialectResult,
    RunLocation,
)
from clew.runners.endings import last_words
from clew.runners.infrastructure import NotLoaded, RunJudgement, Seen, in_words, judge
from clew.runners.request import Report, Request
from clew.runners.site import CACHES, Site
from clew.sandbox import processes
from clew.sandbox.confinement import Level, confine
from clew.sandbox.processes import Completed
from clew.sandbox.read_watch import ReadFiles, reads
from clew.words.facts import Phase, Runner, TestCommand, TestResult, TestRun, Verdict
from clew.words.test_ids import home_of

__all__ = ["program_of", "run_command"]

CANNOT_RUN, NOT_FOUND = 126, 127
UNWATCHED = CACHES | {"node_modules"}  # what is installed is not the project's
HEARD = 64_000_000  # bytes of standard output that are read, at most
NO_WORDS = "it is missing, or not a program"
MAKE = ("make", "gmake")
# What `make` itself says last where it finds no program that a line of its recipe names. What a
# shell says there may be of a program that the project's own script names: the project's fault.
RECIPE = re.compile(
    r"^(?P<make>\S*make): (?P<why>\S+: (?:No such file or directory|Permission denied))\n"
    r"(?P=make): \*\*\* \[.+\] Error 12[67]\s*\Z",
    re.MULTILINE,
)
STOPPED = re.compile(r"^\S*make\S*: \*\*\* \[", re.MULTILINE)  # at a line of a recipe
OWN = "own"  # stands for the project's code where a file did not load because of it


def run_command(
    site: Site, command: TestCommand, request: Request, folder: Path, level: Level | None
) -> Report:
    """Run a command, and say of each test what the command says of it."""
    meant = recognise(command.argv)
    program = program_of(meant, site)
    out = folder / "out"
    out.mkdir()
    dialect = DIALECTS[command.runner]
    question = DialectRequest(
        meant=meant,
        command=command,
        request=request,
        out=out,
        cwd=site.worktree / site.subdir,
    )
    asked = dialect.ask(question)
    policy = site.policy(
        visible=(folder,), writable=(out,), given={**meant.environment, **asked.environment}
    )
    confined = confine([program, *asked.arguments], policy, level)
    absent = f"{meant.program}: command not found. Install it, or name another with --test-command"
    if not program:
        run = TestRun(
            verdict=Verdict.DID_NOT_RUN,
            command=command,
            reason=absent,
            infrastructure=True,
            sandbox=confined.level.value,
        )
        return Report(run=run)
    lines = _Lines()
    with reads(site.worktree, UNWATCHED) if request.reading else nullcontext(ReadFiles()) as read:
        done = processes.run(
            confined.argv,
            cwd=confined.cwd,
            env=site.environment(confined, {**meant.environment, **asked.environment}),
            timeout=request.timeout,
            together=asked.together,
            on_stdout_line=lines.add,
            bounds=confined.bounds,
        )
    ground = RunLocation(
        worktree=site.worktree,
        root=site.root if confined.sees_target else site.worktree,
        subdir=site.subdir,
        out=out,
    )
    output = "\n".join(part for part in (done.stdout, done.stderr) if part)
    heard = DialectResult()
    if not done.timed_out or command.runner is not Runner.COMMAND:
        code = -1 if done.exit_code is None else done.exit_code
        spoken = CommandOutput(lines=tuple(lines.kept), output=output, code=code)
        heard = dialect.hear(question, ground, spoken)
    results = tuple(noted(each, site) for each in _wanted(heard.results, request.only))
    lost = _lost(meant, done) if command.runner is Runner.COMMAND else ""
    judgement = _judged(done, heard, results, lost)
    run = TestRun(
        verdict=judgement.verdict,
        command=command,
        results=() if judgement.verdict is Verdict.DID_NOT_RUN else results,
        exit_code=done.exit_code,
        seconds=done.seconds,
        timed_out=done.timed_out,
        output=output,
        reason=judgement.reason or ("" if done.exit_code == 0 else _met(done, output, site)),
        infrastructure=judgement.infrastructure,
        sandbox=confined.level.value,
        opened=None if read.paths is None else _named(read.paths),
    )
    return Report(run=run)


def _named(paths: Collection[str]) -> tuple[str, ...]:
    """Return the paths that are text, sorted."""
    return tuple(sorted(path for path in paths if path.isprintable()))


def _met(done: Completed, output: str, site: Site) -> str:
    """Say what ended a run, or made it fail, as far as a bound of ours did."""
    return done.over_limit or remark(f"{output}\n{in_words(done.exit_code)}", site)


class _Lines:
    """The lines of standard output, within bounds."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.room = HEARD

    def add(self, line: bytes) -> None:
        self.room -= len(line) + 1
        if self.room >= 0:
            self.kept.append(line.decode("utf-8", "replace").rstrip("\r"))


def _wanted(results: tuple[TestResult, ...], only: tuple[str, ...]) -> tuple[TestResult, ...]:
    """Return the results that were asked for, with what did not load and may hide some of them."""
    names = frozenset(only)
    files = frozenset(home_of(name) for name in only)
    asked = tuple(each for each in results if each.id in names or each.id in files)
    hiding = tuple(each for each in results if each.phase is Phase.COLLECT)
    return results if not names else asked or hiding


def _lost(meant: Invocation, done: Completed) -> str:
    """Return what `make` says of a program that it did not find, where nothing else went wrong."""
    said = RECIPE.search(done.stderr) if Path(meant.program).name in MAKE else None
    alone = len(STOPPED.findall(done.stderr)) == 1
    return said["why"] if said and alone and done.exit_code else ""


def _judged(
    done: Completed, heard: DialectResult, results: tuple[TestResult, ...], lost: str
) -> RunJudgement:
    if done.exit_code in (CANNOT_RUN, NOT_FOUND) and not done.timed_out:
        words = f"the command could not be run: {last_words(done) or NO_WORDS}"
        return RunJudgement(Verdict.DID_NOT_RUN, infrastructure=True, reason=words)
    if lost and not done.timed_out:
        words = f"the command could not be run: {lost}"
        return RunJudgement(Verdict.DID_NOT_RUN, infrastructure=True, reason=words)
    if heard.trouble and not done.timed_out:
        return RunJudgement(Verdict.DID_NOT_RUN, infrastructure=True, reason=heard.trouble)
    red = [each for each in results if each.outcome.red]
    not_loaded = [each for each in red if each.phase is Phase.COLLECT and each.crash is not None]
    others = any(each.outcome.red for each in heard.results)  # red, and not asked for
    seen = Seen(
        started=True,
        status=0 if others and not red else done.exit_code,
        exit_code=done.exit_code,
        timed_out=done.timed_out,
        ran=sum(each.phase is not Phase.COLLECT for each in results),
        red=len(red) - len(not_loaded),
        not_loaded=tuple(
            NotLoaded(id=each.id, crash=each.crash, missing="" if each.id in heard.blamed else OWN)
            for each in not_loaded
            if each.crash is not None
        ),
        last_words=last_words(done),
        foreign_status=True,
    )
    return judge(seen, {OWN})


def program_of(meant: Invocation, site: Site) -> str:
    """Return the program as it can be started inside, or nothing when there is none.

    One of the project is the worktree's, if that has it.
    """
    program, here = meant.program, site.root / site.subdir
    if "/" not in program:
        return shutil.which(program, path=site.env.get("PATH")) or ""
    if Path(program).is_relative_to(site.root):
        program = f"./{os.path.relpath(program, here)}"
    if os.access(site.worktree / site.subdir / program, os.X_OK):
        return program
    person = here / meant.program
    return str(person) if os.access(person, os.X_OK) else ""
