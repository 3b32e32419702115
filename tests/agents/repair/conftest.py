from __future__ import annotations

from projectplay import play, scratch

__all__ = ["play", "scratch"]
