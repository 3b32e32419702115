"""Calls that cross into the files that a fix changed: what each was given, and what it gave."""

from __future__ import annotations

import dis
import json
import os
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from .answering import Unplain, exact, reachable
from .comparing import Comparing
from .wire import LINE, clean

__all__ = ["Crossing", "arguments"]

CALLS = 400  # in all
EACH = 40  # of one function
LOOKED = 4_000  # calls whose values are looked at
LONG = 20_000  # characters of one call
NOT_PLAIN = 0x2A0  # flags of code: a generator, a coroutine, or both
AWAITED = 0x80  # a coroutine: what gives piece by piece in one has a flag of its own
INNER = ("<module>", "<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
# What code does besides computing: what it gives need not be the same elsewhere.
WORLD = ("os.", "socket.", "subprocess.", "shutil.", "ctypes.", "sqlite3.")
READING = ("open", "os.listdir", "os.scandir")
OF_IMPORT = ("__builtins__", "__loader__", "__spec__")  # they lead to the runner

Tell = Callable[..., None]


class Crossing:
    """Writes a record for each call from elsewhere into one of the `changed` files, absolute.

    What comes out of them, by calls or by names, is also looked at: see `Comparing`.
    """

    def __init__(
        self, changed: List[str], tests: Callable[[str], bool], tell: Tell, comparing: Comparing
    ) -> None:
        self.changed = frozenset(changed)
        self.comparing = comparing
        self.tests = tests
        self.tell = tell
        self.ours: Dict[str, bool] = {}
        self.names: Dict[Any, Any] = {}
        self.counts: Dict[Any, int] = {}
        self.known: Dict[str, bool] = {}
        self.total = 0
        self.looked = 0
        self.active = 0
        self.worldly = self.reads = False
        self.before: Any = None
        self.hooked = False

    def start(self) -> None:
        if not self.hooked:
            sys.addaudithook(self.heard)
            self.hooked = True
        self.before = sys.gettrace()
        self.active = 0
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def stop(self) -> None:
        sys.settrace(self.before)
        threading.settrace(None)
        for module in list(sys.modules.values()):
            if self.is_ours(getattr(module, "__file__", None) or ""):
                for name, value in list(vars(module).items()):
                    if name not in OF_IMPORT:
                        self.comparing.look(value)

    def heard(self, event: str, words: Any) -> None:
        if not self.active or loading(event, words):
            return
        if event in READING and not (event == "open" and writing(words)):
            self.reads = True
        elif event == "open" or event.startswith(WORLD):
            self.worldly = True

    def enter(self, frame: Any, _event: str, _arg: Any) -> Optional[Callable[..., Any]]:
        code = frame.f_code
        if not self.is_ours(code.co_filename) or code.co_name in INNER:
            return None
        return self.guarded(frame, None if self.active else self.outermost(frame))

    def guarded(self, frame: Any, inner: Optional[Callable[..., Any]]) -> Callable[..., Any]:
        """Tell of a call that keeps to itself that a test has failed."""
        caught = self.is_failure(exit_of(frame))
        leaves = not caught
        frame.f_trace_lines = False

        def local(frame: Any, event: str, arg: Any) -> Callable[..., Any]:
            nonlocal caught, leaves
            if event == "exception" and self.is_failure(arg[1:]):
                caught = leaves = True
            elif event == "return" and caught and (leaves or arg) and not left_by_error(frame):
                name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
                path = clean(self.comparing.place.relative(frame.f_code.co_filename))
                self.tell("swallowed", path=path, by=clean(name, LINE))
            if inner is not None:
                inner(frame, event, arg)
            return local

        return local

    def is_failure(self, raised: Any) -> bool:
        """Tell whether an exception is a test's own word that it failed."""
        error, trace = raised
        if not isinstance(error, AssertionError) and type(error).__name__ != "Failed":
            return False
        said = False
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            said = self.tests(name) or (said and not self.is_ours(name))
            trace = trace.tb_next
        return said

    def outermost(self, frame: Any) -> Optional[Callable[..., Any]]:
        code = frame.f_code
        if self.total >= CALLS or self.counts.get(code, 0) >= EACH:
            return self.watched(frame)
        self.counts[code] = self.counts.get(code, 0) + 1
        self.total += 1
        told = self.told(frame)
        if isinstance(told, str):
            self.tell("crossed", why=told)
            return self.watched(frame)
        return self.followed(frame, told)

    def is_ours(self, name: str) -> bool:
        known = self.ours.get(name)
        if known is None:
            known = self.ours[name] = name in self.changed or os.path.realpath(name) in self.changed
        return known

    def told(self, frame: Any) -> Any:
        """Return the call as plain data, or why that cannot be."""
        code = frame.f_code
        if code.co_flags & AWAITED:
            return "it gives its answer once it is awaited"
        if code.co_flags & NOT_PLAIN:
            return "it gives its answer piece by piece"
        module = sys.modules.get(frame.f_globals.get("__name__"))
        if module is not None and code not in self.names:
            own = vars(module) is frame.f_globals
            self.names[code] = reachable(module, code) if own else None
        if module is None or self.names[code] is None:
            return "it is found by no name"
        given, more = arguments(frame)
        try:
            call = {
                "module": module.__name__,
                "name": self.names[code][0],
                "path": import_places(module),
                "given": exact(tuple(given), self.is_known),
                "more": exact(more, self.is_known),
            }
        except Unplain as error:
            return "what it is given cannot be recorded: {}".format(error)
        except Exception as error:  # noqa: BLE001  # the objects are anybody's
            return "what it is given cannot be read: {}".format(type(error).__name__)
        large = len(json.dumps(call)) > LONG
        return "what it is given is large" if large else {**call, "live": (given, more)}

    def watched(self, frame: Any) -> Optional[Callable[..., Any]]:
        """Look at what a call gives, piece by piece if need be, and record nothing else."""
        if self.looked >= LOOKED:
            return None
        self.looked += 1
        given = list(frame.f_locals.values())
        frame.f_trace_lines = False

        def local(_frame: Any, event: str, arg: Any) -> Callable[..., Any]:
            if event == "return":
                self.comparing.look([arg, *given], given)
            return local

        return local

    def followed(self, frame: Any, call: Dict[str, Any]) -> Callable[..., Any]:
        live = call.pop("live")
        raised: List[Any] = []
        frame.f_trace_lines = False
        self.active, self.worldly, self.reads = 1, False, False

        def local(_frame: Any, event: str, arg: Any) -> Callable[..., Any]:
            if event == "exception":
                raised[:] = [arg[0]]
            elif event == "return":
                self.active = 0
                self.comparing.look([arg, *live[0], *live[1].values()], live)
                ended = raised if raised and left_by_error(_frame) else []
                self.end(call, live, ended, arg)
            return local

        return local

    def end(self, call: Dict[str, Any], live: Any, raised: List[Any], gave: Any) -> None:
        if self.worldly:
            self.tell("crossed", why="it changes files, starts programs or asks the network")
            return
        try:
            if raised:
                end = ["raised", raised[0].__module__, raised[0].__qualname__]
            else:
                end = ["gave", exact(gave, self.is_known)]
            left = exact([tuple(live[0]), live[1]], self.is_known)
        except Unplain as error:
            self.tell("crossed", why="what it gives cannot be recorded: {}".format(error))
        except Exception as error:  # noqa: BLE001  # the objects are anybody's
            self.tell(
                "crossed", why="what it gives cannot be read: {}".format(type(error).__name__)
            )
        else:
            told = json.dumps({"end": end, "left": left})
            self.tell("crossed", call=json.dumps(call), end=told, reads=self.reads)

    def is_known(self, name: str) -> bool:
        """Whether a module can be loaded where no test is."""
        known = self.known.get(name)
        if known is None:
            path = getattr(sys.modules.get(name), "__file__", None)
            own = name not in ("__main__", "__mp_main__") and not name.startswith("clew_probe")
            known = self.known[name] = own and not (path and self.tests(path))
        return known


def arguments(frame: Any) -> Any:
    """Return what a frame was given, by place and by name, before its first line has run."""
    code, values = frame.f_code, frame.f_locals
    names, count = code.co_varnames, code.co_argcount
    given = [values[name] for name in names[:count] if name in values]
    end = count + code.co_kwonlyargcount
    more = {name: values[name] for name in names[count:end] if name in values}
    if code.co_flags & 0x04:  # `*words`
        given += values.get(names[end], ())
        end += 1
    if code.co_flags & 0x08:  # `**more`
        more.update(values.get(names[end], {}))
    return given, more


def exit_of(frame: Any) -> Any:
    """Return the exception, and where it was, that a context manager is left by, if it is one."""
    if frame.f_code.co_name not in ("__exit__", "__aexit__"):
        return None, None
    given, _ = arguments(frame)
    return given[-2:] if len(given) > len(("self", "type", "value")) else (None, None)


RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST", "INSTRUMENTED_RETURN_VALUE"})


def left_by_error(frame: Any) -> bool:
    """Tell whether a frame is left by an exception, not by the return that it stands at."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] not in RETURNS


def import_places(module: Any) -> List[str]:
    """Return the folder from which a module is found by its name."""
    path = os.path.abspath(getattr(module, "__file__", None) or "")
    parts = module.__name__.count(".") + (2 if os.path.basename(path) == "__init__.py" else 1)
    for _ in range(parts):
        path = os.path.dirname(path)
    return [path]


def writing(words: Any) -> bool:
    _, mode, flags = words
    if isinstance(mode, str):
        return mode[:1] in ("w", "a", "x") or "+" in mode
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def loading(event: str, words: Any) -> bool:
    """Tell whether an event is about loading code: modules may be loaded where they are needed."""
    if event in ("os.listdir", "os.scandir"):
        return words[0] in sys.path
    return event == "open" and str(words[0]).endswith((".py", ".pyc", ".so"))
