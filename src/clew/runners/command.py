"""Any command at all: its exit code is the one thing it says."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from clew import processes
from clew.facts import Outcome, TestCommand, TestResult, TestRun, Verdict
from clew.runners.bounds import remark
from clew.runners.commands import Invocation, recognise
from clew.runners.endings import WORDS, last_words
from clew.runners.request import Report, Request
from clew.runners.site import Site
from clew.sandbox import Level, confine

__all__ = ["run_command"]

CANNOT_RUN, NOT_FOUND = 126, 127


def run_command(
    site: Site, command: TestCommand, request: Request, folder: Path, level: Level | None
) -> Report:
    """Run a command that the probe cannot reach: its exit code is all it says."""
    meant = recognise(command.argv)
    program = _program(meant, site)
    out = folder / "out"
    out.mkdir()
    policy = site.policy(visible=(), writable=(out,))
    label = shlex.join(command.argv)
    lost = f"{meant.program}: command not found. Install it, or name another with --test-command"
    confined = confine([program, *meant.arguments, *request.extra], policy, level)
    if not program:
        run = TestRun(
            verdict=Verdict.DID_NOT_RUN,
            command=command,
            reason=lost,
            infrastructure=True,
            sandbox=confined.level.value,
        )
        return Report(run=run)
    done = processes.run(
        confined.argv,
        cwd=confined.cwd,
        env=site.environment(confined, meant.environment),
        timeout=request.timeout,
    )
    green = done.exit_code == 0
    unable = done.exit_code in (CANNOT_RUN, NOT_FOUND)
    reason = ""
    if done.timed_out:
        reason = "time was up before the command ended: allow more with --timeout"
    elif unable:
        reason = f"the command could not be run: {last_words(done) or lost}"
    ran = not reason
    output = "\n".join(part for part in (done.stdout, done.stderr) if part)
    if ran and not green:
        reason = remark(output, site)
    outcome = Outcome.PASSED if green else Outcome.FAILED
    # The command's own words tell one failure from another; the exit code seldom does.
    said = "" if green else output.strip()[-WORDS:]
    result = TestResult(id=label, outcome=outcome, seconds=done.seconds, output=said)
    verdict = Verdict.PASSED if green else Verdict.FAILED
    run = TestRun(
        verdict=verdict if ran else Verdict.DID_NOT_RUN,
        command=command,
        results=(result,) if ran else (),
        exit_code=done.exit_code,
        seconds=done.seconds,
        timed_out=done.timed_out,
        output=output,
        reason=reason,
        infrastructure=not ran,
        sandbox=confined.level.value,
    )
    return Report(run=run)


def _program(meant: Invocation, site: Site) -> str:
    """Return the program as it can be started inside, or nothing when there is none."""
    if "/" not in meant.program:
        return shutil.which(meant.program, path=site.env.get("PATH")) or ""
    if os.access(site.worktree / site.subdir / meant.program, os.X_OK):
        return meant.program
    person = site.root / site.subdir / meant.program
    return str(person) if os.access(person, os.X_OK) else ""
