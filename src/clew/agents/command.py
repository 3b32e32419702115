"""Any program as an agent: the prompt on its standard input, JSON on its standard output.

`CLEW_ROLE` (diagnose or fix), `CLEW_ITERATION` and `CLEW_CALL` stand in its environment. It runs in
the sandbox, at the project's own path: with the worktree read-only for a diagnosis, writable for a
fix, and with the network, since most agents live elsewhere.
"""

from __future__ import annotations

import os
from pathlib import Path

from clew.agents.asking import Said, ask_for_diagnosis, ask_for_fix
from clew.agents.launching import Program, launch, locate
from clew.agents.protocol import Answer, Call, Report, Work
from clew.errors import AgentFailed, UsageError
from clew.facts import Tick
from clew.project import Project
from clew.setbacks import kind_of

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
            locate(self._argv[0], self._project, self._project.root)
        except AgentFailed as error:
            raise UsageError(f"{self.name}: {error.message}", hint=error.hint) from error

    def diagnose(self, call: Call, tick: Report) -> Answer:
        """Ask the program for a diagnosis; the worktree is read-only."""
        return ask_for_diagnosis(call, lambda role, prompt: self._ask(call, role, prompt, tick))

    def fix(self, call: Call, tick: Report) -> Work:
        """Ask the program to carry the fix out; changes that it only names are made by Clew."""
        return ask_for_fix(call, lambda role, prompt: self._ask(call, role, prompt, tick))

    def _ask(self, call: Call, role: str, prompt: str, tick: Report) -> Said:
        tick(Tick(phase=role, text=self.name))
        path = locate(self._argv[0], self._project, call.site.worktree)
        allowed = {n: os.environ[n] for n in self._pass_env if n in os.environ}
        marks = {
            "CLEW_ROLE": role,
            "CLEW_ITERATION": str(call.brief.iteration),
            "CLEW_CALL": str(call.number),
        }
        program = Program(
            argv=(path, *self._argv[1:]), visible=self._visible(path), environment=allowed | marks
        )
        done = launch(call, role, program, prompt)
        if done.exit_code != 0:
            words = done.stderr.strip().splitlines()
            raise AgentFailed(
                f"it ended with exit code {done.exit_code}: {words[-1] if words else 'no words'}",
                kind=kind_of("\n".join(words[-5:])),
            )
        return Said(text=done.stdout)

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
