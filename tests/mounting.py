"""File systems of a test's own, as disks happen to be; they need root."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["mounted", "read_only"]


@contextlib.contextmanager
def mounted(place: Path, *words: str) -> Iterator[None]:
    """Mount at a place, by these words of `mount`; without root the test is skipped."""
    place.mkdir(exist_ok=True)
    mount = ["mount", *words, str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@contextlib.contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Let nobody write to a place."""
    with mounted(place, "--bind", str(place)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        yield
