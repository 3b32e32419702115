"""Code that runs and is written in no file: made while the tests run, or loaded from what was."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Tuple

from .stacks import Root
from .wire import LINE, clean

__all__ = ["Making"]

LOADING = "<frozen importlib"
MOST = 5_000  # that are told

frame_above = sys._getframe  # noqa: SLF001  # its only name


class Making:
    """Tells of each file of the project that is loaded, and where its code runs code of its own.

    What a library makes on its behalf, such as the methods of a data class, is the library's.
    """

    def __init__(
        self, place: Root, is_test: Callable[[str], bool], tell: Callable[..., None]
    ) -> None:
        self.place = place
        self.is_test = is_test
        self.tell = tell
        self.told: Dict[Tuple[str, str], None] = {}

    def begin(self) -> None:
        sys.addaudithook(self.heard)

    def heard(self, event: str, words: Tuple[Any, ...]) -> None:
        if event != "exec" or len(self.told) >= MOST:
            return
        caller = frame_above(1).f_code
        loads = caller.co_filename.startswith(LOADING)
        path = self.place.scope.path(words[0].co_filename if loads else caller.co_filename)
        if path is None or (not loads and self.is_test(path)):
            return
        found = clean(self.place.relative(path)), "" if loads else clean(caller.co_name, LINE)
        if found not in self.told:
            self.told[found] = None
            self.tell("made", path=found[0], by=found[1])
