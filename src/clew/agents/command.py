"""Any program as an agent: the prompt on its input and in a file, JSON on its standard output.

`CLEW_PROMPT_FILE` names the file, which is there during the call. `CLEW_ROLE`, `CLEW_ITERATION`,
`CLEW_CALL` and `CLEW_MODEL` (cheap, middle, strong, or a name) stand beside it in its environment.
It runs in the sandbox, at the project's own path: with the worktree writable where the role writes,
and with the network, since most agents live elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.agents.about import About
from clew.agents.external_agent import ExternalAgent, Said
from clew.agents.launching import Program, launch, locate
from clew.agents.protocol import Call
from clew.agents.replies import reported
from clew.git.project import Project
from clew.sandbox import confinement
from clew.words.errors import AgentFailed
from clew.words.retry_policy import kind_of, told_wait

__all__ = ["Command"]

SCRIPTS = (".cjs", ".js", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".ts")


class Command(ExternalAgent):
    """One program, started anew for each call."""

    about = About(
        word="command",
        rest="LINE",
        does="any program: the prompt on its input or in a file, JSON on its output",
        usage=True,
        money=True,
    )

    def __init__(
        self, argv: tuple[str, ...], *, project: Project, pass_env: tuple[str, ...] = ()
    ) -> None:
        super().__init__(
            f"{self.about.word}:{argv[0]}", argv[0], project=project, pass_env=pass_env
        )
        self._argv = argv

    def ask(self, call: Call[Any], prompt: str) -> Said:
        """Return what the program prints."""
        path = locate(self._word, self._project, call.site.worktree)
        allowed = {n: os.environ[n] for n in self._pass_env if n in os.environ}
        with _filed(prompt, call.scratch) as file:
            marks = {
                "CLEW_PROMPT_FILE": str(file),
                "CLEW_ROLE": call.role.name,
                "CLEW_ITERATION": str(call.brief.iteration),
                "CLEW_CALL": str(call.number),
                "CLEW_MODEL": call.model,
            }
            program = Program(
                argv=(path, *map(self._reached, self._argv[1:])),
                visible=(*self._visible(path), file),
                environment=allowed | marks,
                hosts=self.hosts,
            )
            done = launch(call, program, prompt)
        if done.exit_code != 0:
            words = done.stderr.strip().splitlines()
            last = "\n".join(words[-5:])
            raise AgentFailed(
                f"it ended with exit code {done.exit_code}: {words[-1] if words else 'no words'}",
                kind=kind_of(last),
                after=told_wait(last),
                usage=reported(done.stdout),
            )
        return Said(text=done.stdout)

    def _visible(self, program: str) -> tuple[Path, ...]:
        """Return the program, what is installed with it, and each path that its arguments name.

        A script among them imports its neighbours.
        """
        path = Path(program)
        installed = (
            path,
            *confinement.installation(path),
            *confinement.installation(path.resolve()),
        )
        words = [self._reached(word) for word in self._argv[1:]]
        named = [Path(word) for word in words if word.startswith("/") and _kind(word)]
        script = next((each for each in named if each.suffix in SCRIPTS), None)
        beside = _neighbours(script) if script else ()
        return tuple(
            dict.fromkeys(
                each
                for each in (*installed, *named, *beside)
                if not each.is_relative_to(self._project.root)
            )
        )

    def _reached(self, word: str) -> str:
        """Return a word; where it is a path to a file outside of the project, the whole path.

        The worktree may stand somewhere else.
        """
        whole = os.path.normpath(self._project.path / word)
        inside = Path(whole).is_relative_to(self._project.root)
        return word if inside or _kind(whole) != stat.S_IFREG else whole


def _kind(word: str) -> int:
    """Return what a word names, if anything: not every word is a path, or could be one."""
    try:
        return stat.S_IFMT(Path(word).stat().st_mode)
    except (OSError, ValueError):
        return 0


def _neighbours(script: Path) -> tuple[Path, ...]:
    """Return the folder of a script, and where it lies in truth; of a home its modules alone."""
    folders = dict.fromkeys((script.absolute().parent, script.resolve().parent))
    home = Path.home()
    return (*folders, *(home.glob(f"*{script.suffix}") if home in folders else ()))


@contextlib.contextmanager
def _filed(prompt: str, scratch: Path) -> Iterator[Path]:
    """Keep a prompt in a file meanwhile; after a kill it goes with what else the call left."""
    file = scratch / "prompt.md"
    file.write_bytes(prompt.encode("utf-8", "replace"))
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)
