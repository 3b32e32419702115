"""Exceptions and live stacks as plain data."""

from __future__ import annotations

import linecache
import os
import sys
import traceback
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from .tracer import Scope
from .values import pictures
from .wire import LINE, OUTPUT, TEXT, clean

__all__ = ["Root"]

HEAD, TAIL = 12, 36  # frames kept of a deep stack
DETAILED = 8  # innermost project frames whose locals are shown
INNERMOST = 2  # project frames that say where a test hangs
CHAIN = 4  # exceptions that are told of one that was raised for another
RUNNERS = ("_pytest", "pluggy", "pytest", "unittest")


class Root:
    """The project's root as this process sees it; tells its frames from all others."""

    def __init__(self, root: str, skip: List[str]) -> None:
        self.roots = sorted({os.path.abspath(root), os.path.realpath(root)}, key=len)
        self.scope = Scope([root], skip)
        folders = [os.path.dirname(os.path.abspath(__file__))]
        for name in RUNNERS:
            path = getattr(sys.modules.get(name), "__file__", None)
            if path:
                folders.append(os.path.dirname(os.path.abspath(path)))
        self.internal = tuple(folder + os.sep for folder in folders)

    def relative(self, path: str) -> str:
        """Return the path relative to the root with `/`, or as it is when it lies elsewhere."""
        for root in self.roots:
            if path.startswith(root + os.sep):
                return path[len(root) + 1 :].replace(os.sep, "/")
        return path

    def frame(self, code: Any, line: int, values: Optional[Dict[str, Any]]) -> Dict[str, Any]:
        name = getattr(code, "co_qualname", code.co_name)
        return self.point(code.co_filename, line, name, None, values)

    def point(
        self,
        filename: str,
        line: int,
        function: str,
        source: Optional[str] = None,
        values: Optional[Dict[str, Any]] = None,
    ) -> Dict[str, Any]:
        path = self.scope.path(filename)
        record: Dict[str, Any] = {
            "path": clean(self.relative(path or filename)),
            "line": max(line or 0, 0),
            "function": clean(function, LINE),
        }
        text = linecache.getline(filename, line or 0) if source is None else source
        if text.strip():
            record["code"] = clean(text.strip(), LINE)
        if path is not None:
            record["project"] = True
            if values:
                record["values"] = pictures(values)
        return record

    def outside(self, code: Any) -> bool:
        filename: str = code.co_filename
        return filename.startswith((*self.internal, "<frozen"))

    def frames(self, stack: Iterable[Tuple[Any, int]]) -> List[Dict[str, Any]]:
        """Return frames outermost first, without the runner's own at the outer end."""
        whole = list(stack)
        while len(whole) > 1 and self.outside(whole[0][0].f_code):
            whole.pop(0)
        if len(whole) > HEAD + TAIL:
            whole = whole[:HEAD] + whole[-TAIL:]
        ours = [
            i for i, (frame, _) in enumerate(whole) if self.scope.path(frame.f_code.co_filename)
        ]
        detailed = set(ours[-DETAILED:])
        return [
            self.frame(frame.f_code, line, frame.f_locals if i in detailed else None)
            for i, (frame, line) in enumerate(whole)
        ]

    def crash(self, error: BaseException, details: str = "", depth: int = CHAIN) -> Dict[str, Any]:
        """Describe an exception; a file that cannot be parsed is its last frame.

        Of a group of exceptions the first innermost one says where it came from.
        """
        try:
            return self.account(error, details, depth)
        except Exception as problem:  # noqa: BLE001  # an exception may answer with another
            text = "<{} while it was looked at>".format(type(problem).__name__)
            return {"type": exception_name(type(error)), "message": text, "frames": []}

    def account(self, error: BaseException, details: str, depth: int) -> Dict[str, Any]:
        stack = list(links(error.__traceback__))
        for inner in members(error):
            stack.extend(links(inner.__traceback__))
        shown = example(error)
        if hasattr(shown, "exc_info"):
            raised = self.account(shown.exc_info[1], details, depth)
            raised["frames"].insert(0, self.shown(shown))
            return raised
        frames = self.frames(stack)
        if shown is not None:
            frames.append(self.shown(shown))
        if isinstance(error, SyntaxError) and isinstance(error.filename, str):
            frames.append(self.point(error.filename, error.lineno or 0, "", error.text or ""))
        record: Dict[str, Any] = {
            "type": exception_name(type(shown or error)),
            "message": clean(message(error), TEXT),
            "frames": frames,
        }
        if details:
            record["details"] = clean(details, OUTPUT)
        before, named = reason(error)
        if before is not None and depth > 1:
            record["cause" if named else "context"] = self.crash(before, "", depth - 1)
        if isinstance(error, ImportError):
            record["missing"] = clean(missing(error), LINE)
        return record

    def shown(self, failure: Any) -> Dict[str, Any]:
        """Return where an example stands in its text."""
        test = failure.test
        line = (test.lineno or 0) + failure.example.lineno + 1
        return self.point(test.filename or "", line, test.name, failure.example.source)

    def innermost(self, frame: Any) -> List[Tuple[str, str]]:
        """Return path and function of the innermost frames in the project, at most two."""
        found: List[Tuple[str, str]] = []
        while frame is not None and len(found) < INNERMOST:
            if self.scope.path(frame.f_code.co_filename) is not None:
                record = self.frame(frame.f_code, frame.f_lineno or 0, None)
                found.append((record["path"], record["function"]))
            frame = frame.f_back
        return found

    def stuck(self, frame: Any, seconds: float) -> Dict[str, Any]:
        """Describe where the main thread is, with the coroutines that wait inside it."""
        stack: List[Tuple[Any, int]] = []
        while frame is not None:
            stack.insert(0, (frame, frame.f_lineno or 0))
            frame = frame.f_back
        stack.extend(waiting())
        return {
            "type": "Timeout",
            "message": "still running after {:g} s".format(seconds),
            "frames": self.frames(stack),
            "details": clean(everywhere(), OUTPUT),
        }


def reason(error: BaseException) -> Tuple[Optional[BaseException], bool]:
    """Return the exception that this one was raised for, and whether the code says so (`from`)."""
    if error.__cause__ is not None:
        return error.__cause__, True
    return (None if error.__suppress_context__ else error.__context__), False


def links(tb: Any) -> Iterator[Tuple[Any, int]]:
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno or 0
        tb = tb.tb_next


def members(error: BaseException) -> Iterator[BaseException]:
    """Yield the first member of an exception group, its first member, and so on."""
    inner = getattr(error, "exceptions", None)
    while isinstance(inner, tuple) and inner and isinstance(inner[0], BaseException):
        yield inner[0]
        inner = getattr(inner[0], "exceptions", None)


def waiting() -> Iterator[Tuple[Any, int]]:
    """Yield the frames of suspended coroutines of the loop that runs now, outer before inner."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return
    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:  # no loop is running
        return
    for task in tasks:
        coroutine = task.get_coro()
        while coroutine is not None:
            frame = getattr(coroutine, "cr_frame", None)
            if frame is not None and frame.f_lineno:
                yield frame, frame.f_lineno
            coroutine = getattr(coroutine, "cr_await", None)


def everywhere() -> str:
    parts = []
    for number, frame in sys._current_frames().items():  # noqa: SLF001  # the only way to ask
        parts.append("thread {}:\n{}".format(number, "".join(traceback.format_stack(frame)[-12:])))
    return "\n".join(parts)


def exception_name(kind: type) -> str:
    """Return the qualified name of an exception class; a built-in one's is bare."""
    module = getattr(kind, "__module__", "")
    if module in ("builtins", "", None):
        return kind.__qualname__
    return clean("{}.{}".format(module, kind.__qualname__), LINE)


def example(error: BaseException) -> Any:
    """Return the failure of an example in a text, the first of several; None if it is none."""
    several = getattr(error, "failures", None)
    shown = several[0] if isinstance(several, list) and several else error
    return shown if type(shown).__module__ == "doctest" and hasattr(shown, "example") else None


def message(error: BaseException) -> str:
    shown = example(error)
    if shown is not None:
        asked, wanted = shown.example.source.strip(), shown.example.want.strip()
        return "{} returned {}, expected {}".format(asked, shown.got.strip(), wanted)
    if isinstance(error, SyntaxError) and isinstance(error.msg, str):
        return error.msg
    try:
        return str(error)
    except Exception as problem:  # noqa: BLE001  # the project's own `__str__` may fail
        return "<{} while it was asked for its message>".format(type(problem).__name__)


def missing(error: ImportError) -> str:
    """Name the module that a failing import asked for, as far as the exception knows."""
    name = error.name
    return name if isinstance(name, str) else ""
