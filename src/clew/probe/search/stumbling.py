"""Functions that are left by an error which no statement raises.

A caller may take any error for a refusal, and a test of that refusal is green by a slip: `0 < None`
where a limit is not set.
"""

from __future__ import annotations

import dis
import sys
import types
from typing import Any, Dict, FrozenSet, Optional, TypeVar

__all__ = ["CodeWatch", "Stumbles"]

W = TypeVar("W", bound="CodeWatch")
SLIPS = (TypeError, AttributeError, NameError, UnboundLocalError)
RAISING = frozenset(dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE") if name in dis.opmap)


class CodeWatch:
    """Sees the events of some codes while they run in this thread."""

    def __init__(self, codes: FrozenSet[types.CodeType]) -> None:
        self.codes = codes

    def __enter__(self: W) -> W:  # noqa: PYI019 - `Self` is younger than these Pythons
        sys.settrace(self.called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        self.forget()

    def called(self, frame: types.FrameType, event: str, value: Any) -> Optional[Any]:
        del event, value
        return self.see if frame.f_code in self.codes else None

    def see(self, frame: types.FrameType, event: str, value: Any) -> Any:
        """Take in an event of a frame; return what sees the next one."""
        raise NotImplementedError

    def forget(self) -> None:
        """Let go of the frames that are under way."""
        raise NotImplementedError


class Stumbles(CodeWatch):
    """Watches whether codes are left by an error that they do not raise."""

    def __init__(self, codes: FrozenSet[types.CodeType]) -> None:
        super().__init__(codes)
        self.slipped: Dict[types.FrameType, bool] = {}  # frames under way, while an error is raised
        self.found = False

    def forget(self) -> None:
        self.slipped.clear()

    def see(self, frame: types.FrameType, event: str, value: Any) -> Any:
        if event == "exception":
            kind, _, traceback = value
            own = traceback is not None and traceback.tb_next is None
            raised = frame.f_code.co_code[frame.f_lasti] in RAISING
            self.slipped[frame] = own and kind in SLIPS and not raised
        elif event == "line":  # it was caught here
            self.slipped.pop(frame, None)
        elif event == "return":
            self.found = self.found or self.slipped.pop(frame, False)
        return self.see
