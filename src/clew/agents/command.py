"""Any program as an agent: the prompt on its standard input, JSON on its standard output.

`CLEW_ROLE` (diagnose or fix), `CLEW_ITERATION` and `CLEW_CALL` stand in its environment. It runs in
the sandbox, at the project's own path: with the worktree read-only for a diagnosis, writable for a
fix, and with the network, since most agents live elsewhere.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from clew import processes, prompts, sandbox
from clew.agents.filing import carry_out, check
from clew.agents.protocol import Answer, Call, Report, Work
from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis, edits, parse
from clew.errors import AgentFailed, CommandNotFound, UsageError
from clew.facts import Tick
from clew.project import Project

__all__ = ["Command"]


class Command:
    """One program, started anew for each call."""

    reads_files = True

    def __init__(
        self, argv: tuple[str, ...], *, project: Project, pass_env: tuple[str, ...] = ()
    ) -> None:
        self.name = f"command:{argv[0]}"
        self._argv = argv
        self._project = project
        self._pass_env = pass_env

    def look(self) -> None:
        """Raise UsageError if the program is not there."""
        try:
            self._program(self._project.root)
        except AgentFailed as error:
            raise UsageError(f"{self.name}: {error.message}", hint=error.hint) from error

    def diagnose(self, call: Call, tick: Report) -> Answer:
        """Ask the program for a diagnosis; the worktree is read-only."""
        prompt = prompts.diagnose_prompt(call.brief)
        text = self._run(call, "diagnose", prompt, tick)
        reply = parse(text, DiagnosisReply)
        diagnosis = as_diagnosis(reply)
        check(call.site.worktree, diagnosis)
        return Answer(
            diagnosis=diagnosis,
            proposes=not diagnosis.elsewhere,
            usage=reply.usage.counted(),
            prompt=prompt,
            reply=text,
        )

    def fix(self, call: Call, tick: Report) -> Work:
        """Ask the program to carry the fix out; changes that it only names are made by Clew."""
        prompt = prompts.fix_prompt(call.brief)
        text = self._run(call, "fix", prompt, tick)
        reply = parse(text, FixReply)
        if not reply.ready_for_testing:
            raise AgentFailed(f"it is not ready for testing: {reply.summary}", kind="not_ready")
        carry_out(call.site.worktree, edits(reply.changes))
        return Work(summary=reply.summary, usage=reply.usage.counted(), prompt=prompt, reply=text)

    def _run(self, call: Call, role: str, prompt: str, tick: Report) -> str:
        tick(Tick(phase=role, text=self.name))
        program = self._program(call.site.worktree)
        policy = sandbox.Policy(
            worktree=call.site.worktree,
            target=call.site.root,
            subdir=call.site.subdir,
            writable=role == "fix",
            network=True,
            visible=(*call.site.visible, *self._visible(program)),
            overlays=call.site.overlays,
        )
        call.sent(prompt)
        confined = sandbox.confine([program, *self._argv[1:]], policy)
        marks = {
            "CLEW_ROLE": role,
            "CLEW_ITERATION": str(call.brief.iteration),
            "CLEW_CALL": str(call.number),
        }
        allowed = {n: os.environ[n] for n in self._pass_env if n in os.environ}
        try:
            done = processes.run(
                confined.argv,
                cwd=confined.cwd,
                env=sandbox.clean_environment(allowed | marks) | confined.env,
                stdin=prompt.encode("utf-8", "replace"),
                timeout=call.seconds,
            )
        except CommandNotFound as error:
            raise AgentFailed(error.message, kind="unavailable", hint=error.hint) from error
        if done.timed_out:
            raise AgentFailed(f"no answer within {call.seconds:.0f} s", kind="timeout")
        if done.exit_code != 0:
            words = done.stderr.strip().splitlines()
            raise AgentFailed(
                f"it ended with exit code {done.exit_code}: {words[-1] if words else 'no words'}",
                kind="error",
            )
        return done.stdout

    def _program(self, worktree: Path) -> str:
        """Return the program's absolute path; one inside the project is the worktree's."""
        name = self._argv[0]
        if os.sep in name:
            path = (self._project.path / name).absolute()
            if path.is_relative_to(self._project.root):
                inside = worktree / path.relative_to(self._project.root)
                found = str(path) if inside.exists() or path.exists() else None
            else:
                found = str(path) if path.exists() else None
        else:
            found = shutil.which(name)
        if found is None:
            raise AgentFailed(
                f"the program {name!r} was not found",
                kind="unavailable",
                hint="Give its path, or put its folder on PATH.",
            )
        return found

    def _visible(self, program: str) -> tuple[Path, ...]:
        """Return the program, what lies beside it, and each file that its arguments name."""
        path = Path(program)
        beside = (path, path.parent, path.resolve().parent)
        named = (Path(word) for word in self._argv[1:] if word.startswith("/"))
        return tuple(
            dict.fromkeys(
                each
                for each in (*beside, *named)
                if each.exists() and not each.is_relative_to(self._project.root)
            )
        )
