"""One run of a test runner in this process, from the import path to the last record."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, Dict, List, Optional

from .collector import uncollected
from .observer import Observer
from .stacks import Root
from .wire import Writer

__all__ = ["run_pytest", "run_unittest"]

REFUSED, CRASHED = 4, 3  # pytest's own status for it
LEAVE = 3.0  # seconds for the interpreter to shut down


def prepare(request: Dict[str, Any], program: str) -> None:
    """Be what the person's own command would be: its folder, import path and `sys.argv`."""
    os.chdir(request["cwd"])
    if request.get("as_module"):
        sys.path.insert(0, os.getcwd())
    sys.argv[:] = [program, *request["args"]]


def finish(observer: Observer, status: int) -> int:
    """Write the last records, unless a test ended the run: what came after it says nothing."""
    if not observer.left:
        observer.modules()
        observer.write("finish", status=status)
    observer.leave(status, LEAVE)
    return status


def disguise(request: Dict[str, Any], writer: Writer) -> None:
    """Hide the runner, where that is asked for."""
    if request.get("disguise"):
        from .disguise import hide  # noqa: PLC0415  # only then

        hide(request["disguise"], writer.write)


def settle(request: Dict[str, Any]) -> None:
    """Spare the collector what is loaded before the project is: pytest has it run often.

    A disguised run is spared nothing, for it could be told by that.
    """
    if not request.get("disguise") and hasattr(gc, "freeze"):
        gc.freeze()


def copied(request: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Return the request of this process; None where copies of it have done all there was to do.

    A copy is made before anything of the project is loaded, so that each begins as a new process
    would, with chance of its own; only the order of sets is that of all. They run one by one.
    """
    copies = int(request.get("copies") or 0)
    for number in range(copies):
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            names = ("results", "dump", "cache")
            return {**request, **{n: "{}.{}".format(request[n], number) for n in names}}
        os.waitpid(child, 0)
    return None if copies else request


def run_pytest(request: Dict[str, Any]) -> int:
    prepare(request, "pytest")
    with uncollected():
        import pytest  # noqa: PLC0415  # found on the path that was just laid

        from .muting import Muting  # noqa: PLC0415  # as above
        from .plugin import Plugin, arguments  # noqa: PLC0415  # as above

    own = copied(request)
    if own is None:
        return 0
    request, writer = own, Writer(own["results"])
    plugin = Plugin(request, writer, Root(request["root"], list(request.get("skip") or ())))
    words = arguments(list(request["args"]), request["cache"])
    plugins: List[Any] = [Muting(), plugin]
    if request.get("disguise"):
        from .unannounced import Unannounced  # noqa: PLC0415  # only then

        plugins.append(Unannounced(request["disguise"]))
        disguise(request, writer)
    settle(request)
    plugin.look_at_judges()
    try:
        status = int(pytest.main(words, plugins=plugins))
    except Exception as error:  # noqa: BLE001  # a project's hook may raise anything
        plugin.broke_down(error)
        status = CRASHED
    plugin.disarm()
    return finish(plugin, REFUSED if plugin.refused else status)


def run_unittest(request: Dict[str, Any]) -> int:
    prepare(request, "python -m unittest")
    from .unittest_main import UnittestSession  # noqa: PLC0415  # as above

    own = copied(request)
    if own is None:
        return 0
    request, writer = own, Writer(own["results"])
    session = UnittestSession(
        request, writer, Root(request["root"], list(request.get("skip") or ()))
    )
    disguise(request, writer)
    return finish(session, session.run())
