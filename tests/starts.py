"""Clew, with a record of every program that it starts: `python starts.py RECORD WORDS…`.

The interpreter itself tells of each start, with its words and its environment; so none is missed,
by whichever way it is made.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["kind_of", "read"]

HAND = {"subprocess.Popen": (1, 3), "os.posix_spawn": (1, 2), "os.exec": (1, 2)}
LAUNCHER, WRAPPER, KNOCKER = "import launcher;", "bwrap", "netns_entry.py"


def read(record: Path) -> list[tuple[list[str], dict[str, str]]]:
    """Return the words and the environment of each start."""
    lines = record.read_text(encoding="utf-8").splitlines()
    return [(words, env) for words, env in map(json.loads, lines)]


def kind_of(words: Sequence[str]) -> str:
    """Return what is started, in one word or two: what is confined is told by what runs inside."""
    if len(words) > 4 and LAUNCHER in words[4]:
        words = words[7:]
        if Path(words[0]).name == WRAPPER:
            words = words[words.index("--") + 1 :]
        if len(words) > 3 and words[3].endswith(KNOCKER):
            words = words[6:]
        words = words[1:] if words[0] == sys.executable else words
        name = "confined " + Path(words[0]).name
    else:
        name = Path(words[0]).name
    for at, word in enumerate(words):
        if word.endswith("/__main__.py"):
            return f"{'confined' if name.startswith('confined') else 'python'} {words[at + 1]}"
    if name == "git":
        clew = {"core.hooksPath=/dev/null", "core.excludesFile", "--version"}
        return "git" if clew & set(words) else "git, as the person"
    return name


def _record(record: str) -> None:
    descriptor = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def hear(event: str, told: tuple[Any, ...]) -> None:
        if event in HAND:
            words, env = (told[at] for at in HAND[event])
            env = os.environ if env is None else env
            line = json.dumps(([*map(os.fsdecode, words)], _text(env)))
            os.write(descriptor, line.encode() + b"\n")

    sys.addaudithook(hear)


def _text(env: Mapping[Any, Any]) -> dict[str, str]:
    return {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}


if __name__ == "__main__":
    _record(sys.argv.pop(1))
    from clew.cli import main

    main()
