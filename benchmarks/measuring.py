"""Measuring in turns: each contender a process of its own, one round each, again and again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["BENCH", "ROOT", "Contender", "NotInstalled", "clean", "python_of", "seconds", "turns"]

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / ".venv" / "bench"
CONTENDERS = Path(__file__).resolve().parent / "contenders"


class NotInstalled(Exception):
    """What a part is measured against is not there."""


def clean(**more: str) -> dict[str, str]:
    """Return the environment of everything measured: nothing of the caller's settings."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "PATH") if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **more}


def python_of(name: str) -> Path:
    """Return the interpreter of an environment that `scripts/setup bench` makes."""
    path = BENCH / name / "bin" / "python"
    if not path.exists():
        raise NotInstalled(f"{name} is not installed: scripts/setup bench")
    return path


class Contender:
    """A script of `contenders/` under some interpreter: answers one JSON line with another."""

    def __init__(
        self, python: Path, script: str, *words: str, cwd: Path, env: Mapping[str, str]
    ) -> None:
        self.script = script
        self.errors = cwd / f"{script}-{time.monotonic_ns()}.log"
        with self.errors.open("wb") as log:
            self.process = subprocess.Popen(
                [str(python), str(CONTENDERS / script), *words],
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def ask(self, question: object) -> Any:  # noqa: ANN401 - whatever the script answers
        """Return the answer to a question."""
        assert self.process.stdin is not None  # noqa: S101 - narrows the type
        assert self.process.stdout is not None  # noqa: S101 - narrows the type
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            words = self.errors.read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{self.script} ended early:\n{words}")
        return json.loads(line)

    def close(self) -> None:
        """End the process, and what it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    @classmethod
    @contextmanager
    def serving(
        cls, python: Path, script: str, *words: str, cwd: Path, env: Mapping[str, str]
    ) -> Iterator[Contender]:
        """Start a contender for the length of a block."""
        contender = cls(python, script, *words, cwd=cwd, env=env)
        try:
            yield contender
        finally:
            contender.close()


def turns(rounds: int, **contenders: Callable[[], float]) -> dict[str, list[float]]:
    """Have each contender measure once a round; the order turns round every time."""
    found: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders.items())
    for _ in range(rounds):
        for name, measure in order:
            found[name].append(measure())
        order.reverse()
    return found


def seconds(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    accept: Sequence[int] = (0,),
    timeout: float = 900.0,
) -> float:
    """Return how long a program takes.

    Raises RuntimeError for an exit code not accepted, and TimeoutExpired when its time is up; then
    it is ended with all that it started.
    """
    began = time.perf_counter()
    with subprocess.Popen(
        [str(word) for word in argv],
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    took = time.perf_counter() - began
    if process.returncode not in accept:
        words = output.decode(errors="replace")[-4000:]
        raise RuntimeError(f"{argv} ended with {process.returncode}:\n{words}")
    return took
