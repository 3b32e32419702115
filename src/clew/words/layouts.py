"""Where plans lie, and the documents of sessions: a layout for each tool that shares them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from clew.words.papers import DEBUG_SESSIONS, GSD_DEBUG

__all__ = ["CLEW", "LAYOUTS", "MAESTRO", "Layout"]

CLEW, MAESTRO, GSD, ORCHESTRATE = "clew", "maestro", "gsd", "orchestrate"


class Layout(NamedTuple):
    """Paths below a project's root; `{home}` is the first of `homes` that is in use."""

    homes: tuple[str, ...]
    plan: str  # a new plan: by {slug} or {topic}, {day} and {number}
    design: str  # its design
    session: str = ""  # the document of a session: by {session}, or one for whichever is active
    debug: str = DEBUG_SESSIONS  # the folder of debug sessions

    @property
    def has_one(self) -> bool:
        """Whether one session is active at a time."""
        return bool(self.session) and "{session}" not in self.session

    @property
    def plan_folders(self) -> tuple[str, ...]:
        """The folders that hold plans."""
        folder = str(PurePosixPath(self.plan).parent)
        return tuple(folder.format(home=home) for home in self.homes or ("",))


LAYOUTS = {
    CLEW: Layout((), "plans/{slug}.md", "plans/{slug}-design.md"),
    MAESTRO: Layout(
        (".gemini", "docs/maestro"),
        "{home}/plans/{day}-{slug}-impl-plan.md",
        "{home}/plans/{day}-{slug}-design.md",
        "{home}/state/active-session.md",
    ),
    GSD: Layout(
        (".planning",),
        "{home}/plans/{slug}-PLAN.md",
        "{home}/plans/{slug}-DESIGN.md",
        "{home}/sessions/{session}.md",
        GSD_DEBUG,
    ),
    ORCHESTRATE: Layout(
        ("specs",),
        "{home}/plans/{number:03}_{topic}.md",
        "{home}/plans/{number:03}_{topic}_design.md",
        "{home}/sessions/{session}.md",
    ),
}
