"""Which lines of the project run between two moments.

Two engines keep one promise. From Python 3.12 on, `sys.monitoring` with events local to the
project's code, each line switched off after its first hit; before, `sys.settrace` with a local
trace function for the project's code alone. Code elsewhere runs at full speed either way.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Set

__all__ = ["Scope", "Tracer", "own"]

INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


class Scope:
    """The files of interest: below one of `roots`, below none of `skip`, not installed."""

    def __init__(self, roots: List[str], skip: List[str]) -> None:
        self.bases = [os.path.abspath(root) for root in roots]
        self.roots = prefixes(roots)
        self.skip = prefixes(skip)
        self.known: Dict[str, Optional[str]] = {}

    def path(self, filename: str) -> Optional[str]:
        """Return the absolute path of a code object's file, or None when it is of no interest."""
        try:
            return self.known[filename]
        except KeyError:
            found = self.known[filename] = self.resolve(filename)
            return found

    def resolve(self, filename: str) -> Optional[str]:
        if filename.startswith("<"):
            return None
        path = os.path.abspath(filename)
        for base in self.bases:
            path = own(path, base)
        if not path.startswith(self.roots) or path.startswith(self.skip):
            return None
        if any(part in path for part in INSTALLED):
            return None
        return path


def own(path: str, root: str) -> str:
    """Return the file below a root that a name leads to, by links too; else its absolute path.

    An editable installation may be a link, or a tree of them.
    """
    path, base = os.path.abspath(path), real(root)
    folder, name = os.path.split(path)
    found = os.path.realpath(path) if os.path.islink(path) else os.path.join(real(folder), name)
    return root + found[len(base) :] if found.startswith(base + os.sep) else path


# Files share few folders, and to follow each anew takes longer than to run many a test.
real = functools.lru_cache(maxsize=None)(os.path.realpath)


def prefixes(paths: List[str]) -> "tuple[str, ...]":
    found: List[str] = []
    for path in paths:
        for form in (os.path.abspath(path), os.path.realpath(path)):
            # A file is skipped by its own name, a folder by everything below it.
            whole = form if os.path.isfile(form) else form.rstrip(os.sep) + os.sep
            if whole not in found:
                found.append(whole)
    return tuple(found)


class Settrace:
    """For Python up to 3.11. A trace function that was there is put back by `stop`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.hits: Dict[str, Set[int]] = {}
        self.locals: Dict[str, Optional[Callable[..., Any]]] = {}
        self.before: Any = None
        self.before_in_threads: Any = None

    def start(self) -> None:
        self.hits = {}
        self.locals = {}
        self.before = sys.gettrace()
        self.before_in_threads = getattr(threading, "_trace_hook", None)
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def stop(self) -> Dict[str, Set[int]]:
        sys.settrace(self.before)
        threading.settrace(self.before_in_threads)
        hits, self.hits = self.hits, {}
        return hits

    def close(self) -> None:
        """Nothing outlives `stop`."""

    def enter(self, frame: Any, _event: str, _arg: Any) -> Optional[Callable[..., Any]]:
        filename = frame.f_code.co_filename
        try:
            return self.locals[filename]
        except KeyError:
            path = self.scope.path(filename)
            local = None if path is None else line_tracer(self.hits.setdefault(path, set()))
            self.locals[filename] = local
            return local


def line_tracer(lines: Set[int]) -> Callable[..., Any]:
    add = lines.add

    def local(frame: Any, event: str, _arg: Any) -> Callable[..., Any]:
        if event == "line":
            add(frame.f_lineno)
        return local

    return local


if sys.version_info >= (3, 12):

    class Monitoring:
        """For Python from 3.12 on. Uses a tool number that nobody else holds."""

        NUMBERS = (3, 4, 5, 2, 1, 0)

        def __init__(self, scope: Scope) -> None:
            self.scope = scope
            self.hits: Dict[str, Set[int]] = {}
            self.codes: List[Any] = []
            self.watched: Set[int] = set()
            self.running = False
            self.number: Optional[int] = None

        def start(self) -> None:
            if self.number is None:
                self.number = self.take()
            self.hits = {}
            self.running = True
            sys.monitoring.set_events(self.number, sys.monitoring.events.PY_START)
            sys.monitoring.restart_events()

        def stop(self) -> Dict[str, Set[int]]:
            self.running = False
            if self.number is not None:
                sys.monitoring.set_events(self.number, 0)
            hits, self.hits = self.hits, {}
            return hits

        def close(self) -> None:
            if self.number is None:
                return
            for code in self.codes:
                sys.monitoring.set_local_events(self.number, code, 0)
            self.codes = []
            self.watched = set()
            for event in (sys.monitoring.events.PY_START, sys.monitoring.events.LINE):
                sys.monitoring.register_callback(self.number, event, None)
            sys.monitoring.free_tool_id(self.number)
            self.number = None

        def take(self) -> int:
            number = next(n for n in self.NUMBERS if sys.monitoring.get_tool(n) is None)
            sys.monitoring.use_tool_id(number, "clew")
            events = sys.monitoring.events
            sys.monitoring.register_callback(number, events.PY_START, self.enter)
            sys.monitoring.register_callback(number, events.LINE, self.line)
            return number

        def enter(self, code: Any, _offset: int) -> Any:
            if self.scope.path(code.co_filename) is not None and id(code) not in self.watched:
                # The code is kept, so that its number cannot pass to another.
                self.codes.append(code)
                self.watched.add(id(code))
                events = sys.monitoring.events
                sys.monitoring.set_local_events(self.number or 0, code, events.LINE)
            return sys.monitoring.DISABLE

        def line(self, code: Any, number: int) -> Any:
            if self.running:
                path = self.scope.path(code.co_filename)
                if path is not None:
                    self.hits.setdefault(path, set()).add(number)
            return sys.monitoring.DISABLE


class Tracer:
    """Records the lines that run in files below `roots` and below none of `skip`.

    `start` and `stop` may alternate any number of times in one process; every `stop` returns the
    lines since its `start`, sorted, by absolute path. Threads begun in between are seen as well.
    `close` gives back what the interpreter lent.
    """

    def __init__(self, roots: List[str], skip: List[str]) -> None:
        self.engine: Any
        if sys.version_info >= (3, 12):
            self.engine = Monitoring(Scope(roots, skip))
        else:
            self.engine = Settrace(Scope(roots, skip))

    def start(self) -> None:
        self.engine.start()

    def stop(self) -> Dict[str, List[int]]:
        hits = self.engine.stop()
        return {path: sorted(lines) for path, lines in sorted(hits.items()) if lines}

    def close(self) -> None:
        self.engine.close()
