"""What functions give back against what they are annotated with.

A test that expects True is content with 1, one that expects 1 with True, and one that expects 2
with 2.0: who annotated the function is not.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any, Dict, Tuple

__all__ = ["Returns", "promised"]

OTHERS: Dict[str, Tuple[type, ...]] = {
    "bool": (int, float, complex),
    "int": (bool, float, complex),
    "float": (bool, complex),
}


def promised(function: ast.AST) -> Tuple[type, ...]:
    """Return the types of numbers that a function's annotation rules out."""
    said = getattr(function, "returns", None)
    name = said.value if isinstance(said, ast.Constant) else getattr(said, "id", None)
    return OTHERS.get(name, ()) if isinstance(name, str) else ()


class Returns:
    """Watches what codes give back while they run in this thread."""

    def __init__(self, ruled_out: Dict[types.CodeType, Tuple[type, ...]]) -> None:
        self.ruled_out = ruled_out
        self.found = False

    def __enter__(self) -> "Returns":  # noqa: PYI034 - `Self` is younger than these Pythons
        sys.setprofile(self.see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def see(self, frame: types.FrameType, event: str, value: Any) -> None:
        if event == "return" and type(value) in self.ruled_out.get(frame.f_code, ()):
            self.found = True
