"""The layout of a project: which files plans and the documents of their sessions are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from clew.words.layouts import LAYOUTS, Layout
from clew.words.slugs import names_after

__all__ = ["PlanPlaces", "ProjectLayout"]

USED = ("plans", "state")  # folders that show which home a project has
_NUMBERED = re.compile(r"(\d+)_")


class PlanPlaces(NamedTuple):
    """The files of a new plan, of which none is there."""

    plan: Path
    design: Path


class ProjectLayout:
    """A layout in the folder of a project."""

    def __init__(self, root: Path, name: str) -> None:
        self._root, self._layout = root, LAYOUTS[name]

    @property
    def layout(self) -> Layout:
        return self._layout

    def plans(self, slug: str, day: date) -> Iterator[PlanPlaces]:
        """Yield the files that a new plan may get, until one of them is free."""
        for name in names_after(slug):
            fields = {
                "home": self._home,
                "slug": name,
                "topic": name.replace("-", "_"),
                "day": day.isoformat(),
            }
            folder = self._root / Path(self._layout.plan.format(number=0, **fields)).parent
            number = _next_number(folder)
            plan, design = (
                self._root / pattern.format(number=number, **fields)
                for pattern in (self._layout.plan, self._layout.design)
            )
            yield PlanPlaces(plan, design)

    def session(self, session: str) -> str:
        """Return the document of a session, relative to the root; empty in Clew's own layout."""
        return self._layout.session.format(home=self._home, session=session)

    @property
    def kept(self) -> tuple[str, ...]:
        """The folders that hold documents of sessions, relative to the root."""
        return tuple(
            str(Path(self._layout.session.format(home=home, session="s")).parent)
            for home in self._layout.homes
        )

    @property
    def _home(self) -> str:
        homes = self._layout.homes
        used = (h for h in homes if any((self._root / h / name).is_dir() for name in USED))
        return next(used, homes[0] if homes else "")


def _next_number(folder: Path) -> int:
    """Return the number after the highest that a file of the folder begins with."""
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    found = (_NUMBERED.match(name) for name in names)
    return max((int(each[1]) for each in found if each), default=0) + 1
