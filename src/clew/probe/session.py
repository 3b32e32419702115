"""One run of a test runner in this process, from the import path to the last record."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict

from .modules import foreign, loaded
from .stacks import Place
from .wire import Writer

__all__ = ["run_pytest", "run_unittest"]

LEAVE = 10.0  # seconds for the interpreter to shut down


def prepare(request: Dict[str, Any], program: str) -> None:
    """Be what the person's own command would be: its folder, import path and `sys.argv`."""
    os.chdir(request["cwd"])
    if request.get("as_module"):
        sys.path.insert(0, os.getcwd())
    sys.path[:0] = list(request.get("insert") or ())
    sys.argv[:] = [program, *request["args"]]


def finish(request: Dict[str, Any], writer: Writer, run: Callable[[], int]) -> int:
    status = run()
    writer.write(
        "modules",
        foreign=[list(pair) for pair in foreign(request)],
        project=loaded(request)[:5_000],
    )
    writer.write("finish", status=status)
    return status


def run_pytest(request: Dict[str, Any]) -> int:
    writer = Writer(request["results"])
    prepare(request, "pytest")
    import pytest  # noqa: PLC0415  # found on the path that was just laid

    from .plugin import Plugin, arguments  # noqa: PLC0415  # as above

    plugin = Plugin(request, writer, Place(request["root"], list(request.get("skip") or ())))

    def run() -> int:
        given = arguments(list(request["args"]), request["cache"])
        status = int(pytest.main(given, plugins=[plugin]))
        plugin.disarm()
        return status

    status = finish(request, writer, run)
    plugin.leave(status, LEAVE)
    return status


def run_unittest(request: Dict[str, Any]) -> int:
    writer = Writer(request["results"])
    prepare(request, "python -m unittest")
    from .unittest_main import Session  # noqa: PLC0415  # as above

    session = Session(request, writer, Place(request["root"], list(request.get("skip") or ())))
    status = finish(request, writer, session.run)
    session.leave(status, LEAVE)
    return status
