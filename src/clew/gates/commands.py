"""One command, run in a worktree inside the sandbox, with all that it prints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from clew import runners
from clew.gates.detection import CACHE, OUT
from clew.gates.request import GatePlace
from clew.runners.bounds import remark
from clew.runners.command import CANNOT_RUN, NOT_FOUND, program_of
from clew.runners.commands import recognise
from clew.runners.endings import last_words
from clew.sandbox import processes
from clew.sandbox.confinement import complaint, confine
from clew.sandbox.temporary import passing
from clew.words.facts import Runner, TestCommand
from clew.words.redaction import redacted

__all__ = ["CommandAdvice", "CommandEnd", "run_command"]

KEPT = 64_000_000  # bytes of output, at most
# What says that a tool, or a part of it, is not there, whatever the exit code.
ABSENT = re.compile(
    r"^(?:\S*python\S*: No module named \S+"
    r"|.*BackendUnavailable.*"
    r"|ERROR: Some build dependencies .* are missing.*"
    r"|error: no such command: .*"
    r"|error: .* is not installed for the toolchain .*"
    r"|npm (?:error|ERR!) code ENOTCACHED)$",
    re.MULTILINE,
)
INSTALLED_BY = {
    "basedpyright": "pip install basedpyright",
    "black": "pip install black",
    "flake8": "pip install flake8",
    "isort": "pip install isort",
    "mypy": "pip install mypy",
    "pyright": "pip install pyright",
    "ruff": "pip install ruff",
}


class CommandAdvice(NamedTuple):
    """What helps where a command says nothing, wherever it was named."""

    bound: str  # the setting that bounds it
    otherwise: str  # how another one is named


GATES = CommandAdvice("gate_timeout", "name another command in [tool.clew.gates]")


class CommandEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended; `why_not` says in words why it says nothing about the code."""

    command: tuple[str, ...]
    exit_code: int | None = None
    seconds: float = 0.0
    output: str = ""  # all of it, both streams, without secrets
    why_not: str = ""
    roots: tuple[str, ...] = ()  # what paths of the project may begin with
    bound: str = ""  # a limit of ours that its words tell of


def run_command(
    place: GatePlace,
    worktree: Path,
    argv: Sequence[str],
    *,
    folder: str,
    cache: Path,
    timeout: float,
    advice: CommandAdvice = GATES,
) -> CommandEnd:
    """Run a command in a folder of a worktree; never raises for what the command does.

    It sees what tests see, and writes to the worktree, to the folder `cache`, and to another that
    is gone afterwards. `advice` is what helps where it says nothing.
    """
    words = tuple(argv)
    site = msgspec.structs.replace(
        runners.site_for(
            place.project,
            worktree,
            TestCommand(runner=Runner.COMMAND, argv=words),
            place.settings,
            place.scratch,
        ),
        subdir=folder,
    )
    meant = recognise(words)
    if not (worktree / folder).is_dir():
        return CommandEnd(command=words, why_not=f"the folder {folder} is not there")
    program = program_of(meant, site)
    if not program:
        return CommandEnd(command=words, why_not=_absent(meant.program, advice))
    rest = list(words[words.index(meant.program) + 1 :])
    with passing("gate-", place.scratch) as out:
        rest = [word.replace(OUT, str(out)).replace(CACHE, str(cache)) for word in rest]
        policy = site.policy(visible=(), writable=(out, cache), given=meant.environment)
        confined = confine([program, *rest], policy)
        lines = _Output()
        done = processes.run(
            confined.argv,
            cwd=confined.cwd,
            env=site.environment(confined, meant.environment),
            timeout=timeout,
            together=True,
            on_stdout_line=lines.add,
            bounds=confined.bounds,
        )
    output = redacted(lines.text)
    return CommandEnd(
        command=words,
        exit_code=done.exit_code,
        seconds=done.seconds,
        output=output,
        why_not=_why_not(done, output, meant.program, timeout, advice),
        roots=tuple(f"{each}/" for each in (site.root, site.worktree)),
        bound=remark(output, site) if done.exit_code else "",
    )


def _why_not(
    done: processes.Completed, output: str, program: str, timeout: float, advice: CommandAdvice
) -> str:
    if done.timed_out:
        return f"stopped after {timeout:g} s; allow more with the setting {advice.bound}"
    sandbox = complaint(msgspec.structs.replace(done, stderr=done.stdout))
    if done.exit_code == 0 or done.over_limit or sandbox:
        return done.over_limit or sandbox
    if done.exit_code in (CANNOT_RUN, NOT_FOUND):
        return f"it could not be run: {last_words(done) or _absent(program, advice)}"
    if found := ABSENT.search(output):
        return f"{found[0].strip()}; install that, or {advice.otherwise}"
    return ""


def _absent(program: str, advice: CommandAdvice) -> str:
    name = program.rpartition("/")[2]
    how = INSTALLED_BY.get(name)
    hint = f"in the project's environment: {how}" if how else "install it"
    return f"{program} was not found; {hint}, or {advice.otherwise}"


class _Output:
    """All that a command prints, up to a bound."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.room = KEPT
        self.left_out = 0

    def add(self, line: bytes) -> None:
        self.room -= len(line) + 1
        if self.room >= 0:
            self.lines.append(line)
        else:
            self.left_out += 1

    @property
    def text(self) -> str:
        text = b"\n".join(self.lines).decode("utf-8", "replace")
        more = f"\n[{self.left_out} more lines were not kept]" if self.left_out else ""
        return text + more
