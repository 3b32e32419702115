"""Run a program, and write each call of the project's functions: what it was given, and gave."""

from __future__ import annotations

import os
import runpy
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

from .tracer import Scope
from .values import picture, pictures
from .wire import Writer, clean

__all__ = ["run"]

MOST = 20_000  # calls
LINES = 400  # of one call
UNSEEN = ("<genexpr>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<module>")


class Calls:
    """Writes a record a call, in the order in which they end; `number` is that of their beginning.

    What is printed, and how the program ends, is its own.
    """

    def __init__(self, writer: Writer, scope: Scope, root: str) -> None:
        self.write = writer.write
        self.scope = scope
        self.root = root
        self.begun = 0
        self.main = threading.get_ident()

    def enter(self, frame: Any, event: str, _arg: Any) -> Optional[Callable[..., Any]]:
        if event != "call" or self.begun >= MOST or threading.get_ident() != self.main:
            return None
        path = self.scope.path(frame.f_code.co_filename)
        if path is None or frame.f_code.co_name in UNSEEN:
            return None
        self.begun += 1
        return self.followed(frame, path, self.begun)

    def followed(self, frame: Any, path: str, number: int) -> Callable[..., Any]:
        code = frame.f_code
        given = pictures(dict(frame.f_locals))
        lines: List[int] = []
        raised: List[str] = [""]

        def local(frame: Any, event: str, arg: Any) -> Callable[..., Any]:
            if event == "line":
                raised[0] = ""
                if len(lines) < LINES:
                    lines.append(frame.f_lineno)
            elif event == "exception":
                raised[0] = clean("{}: {}".format(arg[0].__name__, picture(arg[1].args)), 300)
            elif event == "return":
                self.write(
                    "call",
                    number=number,
                    path=clean(os.path.relpath(path, self.root)),
                    function=clean(code.co_name, 200),
                    line=code.co_firstlineno,
                    given=given,
                    gave="" if raised[0] else picture(arg),
                    raised=raised[0],
                    at=frame.f_lineno,
                    steps=lines,
                )
            return local

        return local


def run(request: Dict[str, Any]) -> int:
    """Be the program that is asked for, followed; its exit status is the one of this process."""
    os.chdir(request["cwd"])
    kind, name = request["kind"], request["name"]
    place = os.path.dirname(os.path.abspath(name)) if kind == "script" else os.getcwd()
    sys.path.insert(0, place)
    sys.argv[:] = [{"code": "-c"}.get(kind, name), *request["args"]]
    calls = Calls(
        Writer(request["results"]),
        Scope([request["root"]], list(request.get("skip") or ())),
        os.path.abspath(request["root"]),
    )
    start: Dict[str, Tuple[Callable[..., Any], Dict[str, Any]]] = {
        "module": (runpy.run_module, {"alter_sys": True}),
        "script": (runpy.run_path, {}),
        "code": (execute, {}),
    }
    function, more = start[kind]
    sys.settrace(calls.enter)
    try:
        function(name, run_name="__main__", **more)
    finally:
        sys.settrace(None)
    return 0


def execute(code: str, run_name: str) -> None:
    """Run code as `python -c` does."""
    exec(compile(code, "<string>", "exec"), {"__name__": run_name})  # noqa: S102 - that is what is asked
