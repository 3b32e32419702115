"""Search for a repair: thousands of candidates a second in forks of one collected test run."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict

__all__ = ["run"]


def run(request: Dict[str, Any]) -> int:
    """Carry out one request; the answers stand in the file that it names."""
    from .session import Session  # noqa: PLC0415 - a test of the project may look at sys.modules

    return Session(request).run()


del os, sys
