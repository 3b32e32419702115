"""When the garbage collector may rest: it walks all that is loaded, again and again."""

from __future__ import annotations

import contextlib
import gc
from typing import Iterator

__all__ = ["uncollected"]


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest while what is made is kept: it would find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
