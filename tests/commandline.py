"""Clew as a person types it: a process of its own, with a state folder and a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

# Whoever runs the tests in the background has them started deaf to the terminal's signals.
HEARING = ("env", "--default-signal=HUP,INT,TERM")
REPOSITORY = Path(__file__).resolve().parent.parent


@cache
def direct(path: str) -> str:
    """Return a search path with the interpreter that is `python3` there first: a shim is slow."""
    python = shutil.which("python3", path=path)
    if python is None:
        return path
    asked = [python, "-c", "import sys; print(sys.executable)"]
    real = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return os.pathsep.join([str(Path(real).parent), path])


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The JSON lines on standard output."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def summary(self) -> dict[str, Any]:
        """The last JSON line."""
        return self.events[-1]


@dataclass
class CommandLine:
    """A person at a terminal, in one project."""

    project: Path
    state: Path
    env: dict[str, str] = field(default_factory=dict)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {
            n: os.environ[n]
            for n in ("HOME", "LANG", "CLEW_CACHE_HOME", "CLEW_SANDBOX")
            if n in os.environ
        }
        # What Clew is tested with has plug-ins that take longer to load than a story takes.
        lean = {} if (self.project / ".venv").exists() else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        own = {
            "PATH": direct(os.environ.get("PATH", os.defpath)),
            "CLEW_STATE_HOME": str(self.state),
        }
        return {**kept, **lean, **own, **self.env, **(extra or {})}

    def start(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a command and let it run."""
        return subprocess.Popen(
            [*HEARING, sys.executable, "-m", "clew", *words],
            cwd=self.project,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="backslashreplace",  # a patch has each file's own bytes
        )

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> Said:
        """Run a command to its end."""
        process = self.start(*words, env=env)
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
        return Said(process.returncode, out, err)
