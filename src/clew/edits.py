"""Edits: carried out on text, and known again by a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from clew.explain.patches import EditMisfit, apply, diff
from clew.facts import Edit

__all__ = ["EditMisfit", "apply", "diff", "patch_hash"]


def patch_hash(edits: Iterable[Edit]) -> str:
    """Return a name by which the same change is known again, wherever its lines have moved to."""
    parts = sorted((e.path, e.current.strip(), e.should_be.strip()) for e in edits)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]
