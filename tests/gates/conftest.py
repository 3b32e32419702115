from __future__ import annotations

from gatekit import work

__all__ = ["work"]
