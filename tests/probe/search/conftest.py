"""What tests of the search share."""

from __future__ import annotations

from pathlib import Path

import pytest

from searchplay import DebugRun


@pytest.fixture
def shop(tmp_path: Path) -> DebugRun:
    """Return a small project that is yet to be written."""
    return DebugRun(tmp_path)
