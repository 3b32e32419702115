"""Run one verb: `python …/clew_probe/__main__.py VERB REQUEST.json`.

    pytest     run tests under pytest, write records
    unittest   run tests under unittest, write records
    facts      write what the interpreter is
    search     try candidate repairs
    calls      run a program, write each call of the project's functions

The request names the file that records go to. The exit status is the runner's own.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, Dict, List, Tuple

VERBS: Dict[str, Tuple[str, str]] = {
    "pytest": (".session", "run_pytest"),
    "unittest": (".session", "run_unittest"),
    "facts": (".interpreter", "tell"),
    "search": (".search", "run"),
    "calls": (".calls", "run"),
}


def unmask() -> None:
    """Be the package `clew_probe`, and leave the import path as the project would find it."""
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == here:
        del sys.path[0]
    sys.path.insert(0, os.path.dirname(here))
    try:
        __import__(os.path.basename(here))
    finally:
        del sys.path[0]


def main(arguments: List[str]) -> int:
    verb, path = arguments
    if verb not in VERBS:
        print("unknown verb: {}".format(verb), file=sys.stderr)
        return 64
    with open(path, encoding="utf-8") as file:
        request: Dict[str, Any] = json.load(file)
    module, function = VERBS[verb]
    # Only what the verb needs is loaded: the project's tests may look at `sys.modules`.
    run = getattr(importlib.import_module(module, __package__), function)
    return int(run(request) or 0)


if __name__ == "__main__":
    if not __package__:
        unmask()
        __package__ = os.path.basename(os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main(sys.argv[1:]))
