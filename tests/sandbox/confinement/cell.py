"""A person's machine in small, and a confined Python program in the middle of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from clew.sandbox import processes
from clew.sandbox.confinement import Level, Limits, Overlay, Policy, clean_environment, confine

# What an attempt to escape says: the last word is about whether the kernel let it through.
ATTEMPT = """
import ctypes, os, socket, subprocess, sys, time
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
try:
{code}
except (OSError, subprocess.CalledProcessError) as error:
    print("refused", error)
else:
    print("went through")
"""


class Cell:
    """Where an attempt to escape is made; everything but the worktree is not its business."""

    def __init__(self, folder: Path, level: Level) -> None:
        self.level = level
        self.outside = self._folder(folder / "outside", "file", "outside")
        self.person = self._folder(folder / "person", "source.py", "person")
        self.worktree = self._folder(folder / "state" / "worktree", "source.py", "worktree")
        self.run = self._folder(folder / "run", "kept", "run")
        self.tools = self._folder(folder / "tools", "tool", "tool")
        self.victim = subprocess.Popen(
            ["sleep", "600"], env={**os.environ, "SECRET": "hunter2"}, start_new_session=True
        )

    @staticmethod
    def _folder(folder: Path, name: str, text: str) -> Path:
        folder.mkdir(parents=True)
        (folder / name).write_text(text)
        return folder

    def close(self) -> None:
        self.victim.send_signal(signal.SIGKILL)
        self.victim.wait()

    def policy(
        self,
        *,
        writable: bool = True,
        network: bool = False,
        overlays: tuple[Overlay, ...] = (),
        limits: Limits | None = None,
    ) -> Policy:
        return Policy(
            worktree=self.worktree,
            target=self.person,
            writable=writable,
            network=network,
            visible=(Path(sys.prefix), Path(sys.base_prefix), self.tools),
            writable_paths=(self.run,),
            overlays=overlays,
            limits=limits or Limits(),
        )

    def python(
        self, code: str, policy: Policy | None = None, *, packages: bool = False
    ) -> processes.Completed:
        command = [sys.executable, *(() if packages else ("-I", "-S")), "-B", "-c", code]
        confined = confine(command, policy or self.policy(), self.level)
        return processes.run(
            confined.argv,
            cwd=confined.cwd,
            env={**clean_environment(), **confined.env},
            timeout=300,
        )

    def attempt(self, code: str, policy: Policy | None = None) -> str:
        """Try something; `refused …` or `went through`, after what it prints itself."""
        indented = "\n".join(f"    {line}" for line in code.strip().splitlines())
        done = self.python(ATTEMPT.format(code=indented), policy)
        if done.stderr:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def everything_else(self) -> dict[str, str]:
        """The text of every file that no attempt may change."""
        return {
            str(path): path.read_text()
            for folder in (self.outside, self.person, self.tools)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
