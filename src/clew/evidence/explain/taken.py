"""What a test asks for, and a change that an earlier iteration made took away."""

from __future__ import annotations

import re

from clew.documents.views import IterationView
from clew.evidence.explain.scene import Scene, code
from clew.words.facts import Edit
from clew.words.printable import printable

__all__ = ["taken_before"]

ASKED = re.compile(
    r"unexpected keyword argument '(\w+)'|has no attribute '(\w+)'|cannot import name '(\w+)'"
    r"|name '(\w+)' is not defined"
)


def taken_before(scene: Scene, history: tuple[IterationView, ...]) -> str:
    """Say which iteration took away what the failing test misses; empty where none did."""
    asked = ASKED.search(printable(scene.crash.message)) if scene.crash else None
    name = next((group for group in asked.groups() if group), "") if asked else ""
    for each in reversed(history) if name else ():
        if each.progress and any(_takes(edit, name) for edit in each.made or each.edits):
            return (
                f"Iteration {each.number} took {code(name)} away, and was kept since it mended"
                " other tests: its change may be what is wrong."
            )
    return ""


def _takes(edit: Edit, name: str) -> bool:
    defines = re.compile(
        rf"\bdef \w+\([^)]*?\b(?<!\.){name}\b|\b(?:def|class) {name}\b"
        rf"|^\s*(?:self\.)?{name}\s*(?::[^=\n]+)?=(?!=)",
        re.MULTILINE,
    )
    return bool(defines.search(edit.current)) and not defines.search(edit.should_be)
