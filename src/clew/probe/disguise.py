"""A run that does not announce itself: what code under test could know the runner by is taken away.

Only the files that a fix changed, and code that lies in no file, are deceived; everybody else sees
what is there. Taken away are the runner's entries in `sys.modules`, its variables, and its name on
the command line. Whether such code looks at the stack is recorded.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, Iterator, List, Optional

__all__ = ["PLAIN", "forget_variables", "hide"]

RUNNERS = ("pytest", "_pytest", "pluggy", "unittest", "clew_probe")
VARIABLES = ("PYTEST_", "CLEW_", "PYTHONHASHSEED")
PLAIN = "main.py"
WATCHED = ("sys._getframe", "sys._current_frames", "sys._getframemodulename")
GO_BETWEENS = ("inspect.py", "traceback.py", "linecache.py")


frame_above = sys._getframe  # noqa: SLF001  # its only name


class Deceived:
    """Knows whose eyes are to be deceived: `changed` are files, absolute."""

    def __init__(self, changed: List[str]) -> None:
        self.changed = frozenset(changed)
        self.known: Dict[str, bool] = {}

    def __call__(self, frame: Any) -> bool:
        name = frame.f_code.co_filename
        if name not in self.known:
            own = name in self.changed or os.path.realpath(name) in self.changed
            made_up = not name.startswith("<frozen") and not os.path.exists(name)
            self.known[name] = own or made_up
        return self.known[name]


def is_runner(name: Any) -> bool:
    return isinstance(name, str) and name.split(".", 1)[0] in RUNNERS


class Modules(dict):  # type: ignore[type-arg]
    """`sys.modules`, without the runner for those that are deceived. All of it is the real one."""

    def __init__(self, real: Dict[str, Any], deceived: Deceived) -> None:
        super().__init__()
        self.real = real
        self.deceived = deceived

    def seen(self) -> Dict[str, Any]:
        if self.deceived(frame_above(2)):
            return {k: v for k, v in self.real.copy().items() if not is_runner(k)}
        return self.real

    def hidden(self, name: Any) -> bool:
        return is_runner(name) and self.deceived(frame_above(2))

    def __contains__(self, name: object) -> bool:
        return name in self.real and not self.hidden(name)

    def __getitem__(self, name: str) -> Any:
        if self.hidden(name):
            raise KeyError(name)
        return self.real[name]

    def get(self, name: str, default: Any = None) -> Any:
        return default if self.hidden(name) else self.real.get(name, default)

    def __setitem__(self, name: str, module: Any) -> None:
        self.real[name] = module

    def __delitem__(self, name: str) -> None:
        del self.real[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.seen())

    def __len__(self) -> int:
        return len(self.seen())

    def __eq__(self, other: object) -> bool:
        return self.real == other

    def __ne__(self, other: object) -> bool:
        return self.real != other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(self.seen())

    def keys(self) -> Any:
        return self.seen().keys()

    def values(self) -> Any:
        return self.seen().values()

    def items(self) -> Any:
        return self.seen().items()

    def copy(self) -> Any:
        return self.seen().copy()

    def pop(self, *words: Any) -> Any:
        return self.real.pop(*words)

    def popitem(self) -> Any:
        return self.real.popitem()

    def setdefault(self, name: str, default: Any = None) -> Any:
        return self.real.setdefault(name, default)

    def update(self, *words: Any, **more: Any) -> None:
        self.real.update(*words, **more)

    def clear(self) -> None:
        self.real.clear()


def hide(words: Dict[str, Any], tell: Callable[..., None]) -> None:
    """Take away what the runner is known by; `tell` writes a record."""
    deceived = Deceived(list(words["changed"]))
    sys.modules = Modules(sys.modules, deceived)
    sys.argv[:] = [PLAIN]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [PLAIN]
    sys.addaudithook(Watching(deceived, tell))


def forget_variables() -> None:
    for name in [name for name in os.environ if name.startswith(VARIABLES)]:
        del os.environ[name]


class Watching:
    """Writes, once, that somebody who is to be deceived looks at the stack."""

    def __init__(self, deceived: Deceived, tell: Callable[..., None]) -> None:
        self.deceived = deceived
        self.tell = tell
        self.at_work = False
        self.told = False

    def __call__(self, event: str, words: Any) -> None:
        if self.told or self.at_work:
            return
        if event in WATCHED or (event == "object.__getattr__" and words[1] == "tb_frame"):
            self.at_work = True
            try:
                self.look()
            finally:
                self.at_work = False

    def look(self) -> None:
        frame: Optional[Any] = frame_above(2)
        while frame is not None and frame.f_code.co_filename.endswith(GO_BETWEENS):
            frame = frame.f_back
        if frame is not None and frame.f_code.co_filename != __file__ and self.deceived(frame):
            self.told = True
            self.tell("looked")
