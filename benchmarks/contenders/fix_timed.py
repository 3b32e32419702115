"""`clew` with a watch on the programs that it starts: the report's path, then its own words."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from clew.cli import main
from clew.sandbox import processes

SEARCH, TESTS, CALLS = "search", "tests", "calls"
spent = {SEARCH: 0.0, TESTS: 0.0, CALLS: 0.0, "other": 0.0}
started = processes.run


def watched(argv: list[str], **words: Any) -> processes.Completed:  # noqa: ANN401 - passed on
    """Start a program as always; book its time under what it is."""
    began = time.monotonic()
    try:
        return started(argv, **words)
    finally:
        spent[kind_of(argv)] += time.monotonic() - began


def kind_of(argv: list[str]) -> str:
    """Tell what a program does; the proof makes calls again in a program of a folder `main-…`."""
    if any("/main-" in word and word.endswith(".py") for word in argv):
        return CALLS
    verb = argv[-2] if len(argv) > 1 and argv[-1].endswith(".json") else ""
    return {"search": SEARCH, "pytest": TESTS, "unittest": TESTS}.get(verb, "other")


def peak() -> int:
    """Return the most memory that this process has held, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


processes.run = watched  # type: ignore[assignment] # it passes on all that it is given
report, words = Path(sys.argv[1]), sys.argv[2:]
try:
    main(words)
finally:
    report.write_text(json.dumps({**spent, "peak": peak()}))
