"""A fault of Clew's own, written down; little is loaded for it, as that may be at fault."""

from __future__ import annotations

import os
from pathlib import Path

from clew.journal.store import state_folder
from clew.sandbox.files import write_atomically

__all__ = ["keep_fault"]


def keep_fault(trace: str) -> Path:
    """Write down the trace of a fault of Clew's own, and return the file. Raises OSError."""
    path = state_folder() / "faults" / f"{os.getpid()}.txt"
    write_atomically(path, trace.encode("utf-8", "replace"))
    return path
