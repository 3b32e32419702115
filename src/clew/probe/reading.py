"""Which files of the project are read while tests run, and by whom."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any, Dict, List, Optional, Tuple

from .stacks import Root
from .wire import clean

__all__ = ["Reading"]

MOST = 5_000  # pairs of a file and its reader
RUNNER = ""  # as a reader: the test runner, or a plug-in of it
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# These open code to load it, or to show a line of it.
LOADERS = ("<frozen importlib", "<frozen zipimport", "<frozen runpy")
SHOWING = ("ast", "inspect", "linecache", "py_compile", "runpy", "tokenize", "traceback")
OWN, LOADING, RUNNING, LIBRARY, FOREIGN = range(5)

frame_above = sys._getframe  # noqa: SLF001  # its only name


class Reading:
    """Hears of each file that is opened; the nearest code of the project on the stack reads it.

    Nobody does where a library that is neither Python's nor the runner's stands between: it may
    well read on behalf of the product.
    """

    def __init__(self, place: Root) -> None:
        self.place = place
        self.found: Dict[Tuple[str, str], None] = {}
        self.told = 0
        self.kinds: Dict[str, int] = {}
        self.stdlib = sysconfig.get_paths()["stdlib"] + os.sep
        self.showing = tuple(self.stdlib + name + ".py" for name in SHOWING)

    def begin(self) -> None:
        sys.addaudithook(self.heard)

    def news(self) -> List[List[str]]:
        """Return the pairs of file and reader that were not returned before."""
        pairs = list(self.found)[self.told : MOST]
        self.told += len(pairs)
        return [list(pair) for pair in pairs]

    def heard(self, event: str, words: Tuple[Any, ...]) -> None:
        if event != "open" or len(self.found) >= MOST:
            return
        name, mode, flags = words
        if type(name) is not str or (type(mode) is str and mode[:1] in ("w", "a", "x")):
            return
        if mode is None and flags & WRITING:
            return
        path = self.place.scope.path(name)
        if path is None:
            return
        reader = self.reader(frame_above(1))
        if reader is not None:
            self.found[clean(self.place.relative(path)), reader] = None

    def reader(self, frame: Optional[Any]) -> Optional[str]:
        foreign = running = False
        while frame is not None:
            name = frame.f_code.co_filename
            kind = self.kind(name)
            if kind == LOADING:
                return None
            if kind == OWN:
                known = self.place.scope.path(name) or name
                return None if foreign else clean(self.place.relative(known))
            foreign |= kind == FOREIGN
            running |= kind == RUNNING
            frame = frame.f_back
        return RUNNER if running else None

    def kind(self, name: str) -> int:
        known = self.kinds.get(name)
        if known is None:
            known = self.kinds[name] = self.kind_of(name)
        return known

    def kind_of(self, name: str) -> int:
        if name.startswith(LOADERS) or name in self.showing:
            return LOADING
        if self.place.scope.path(name) is not None:
            return OWN
        if name.startswith(self.place.internal):
            return RUNNING
        installed = os.sep + "site-packages" + os.sep in name
        library = name.startswith((self.stdlib, "<frozen")) and not installed
        return LIBRARY if library else FOREIGN
