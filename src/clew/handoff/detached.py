"""A session without a terminal: the agent's headless mode, in a process group of its own."""

from __future__ import annotations

import os
import subprocess

__all__ = ["start"]


def start(
    words: tuple[str, ...], folder: str, environment: dict[str, str], log: str
) -> subprocess.Popen[bytes]:
    """Start a program apart from its parent. Raises OSError."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
        )
    finally:
        os.close(handle)
