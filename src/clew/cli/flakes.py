"""`clew flakes`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.wiring import as_json, in_project

if TYPE_CHECKING:
    from clew.sessions import ProjectSessions
    from clew.words.events import Recorded

__all__ = ["flakes"]


@click.command()
@click.option("--all", "every", is_flag=True, help="Every test that was ever red.")
@in_project
@as_json
def flakes(project: Path, *, every: bool, json: bool) -> int:
    """List the tests that were red and green on the same code, over all sessions."""
    from clew.analysis.flakes import history
    from clew.cli.showing import print_json
    from clew.cli.streams import say

    sessions = api.sessions_at(project)
    past = history(_records(sessions), lambda key: _outcomes(sessions, key))
    shown = [one for one in past if every or one.flaky]
    for one in shown:
        if json:
            print_json(one)
            continue
        when = one.last_seen.astimezone().strftime("%Y-%m-%d %H:%M")
        kind = one.kind or "red"
        say(f"{kind:<8} {one.red:>4} of {one.runs:<4} {when}  {one.test}")
        if one.evidence:
            say(f"{'':8} when it was examined: {one.evidence}")
    if not shown and not json:
        click.echo("No test was seen red and green on the same code.", err=True)
    return 0


def _records(sessions: ProjectSessions) -> Iterator[Recorded]:
    from clew.words.events import CODEC
    from clew.words.records import DEBUGGING

    for listed in reversed(sessions.listing()):
        if listed.kind == DEBUGGING:
            yield from sessions.journal(CODEC).read(listed.session)


def _outcomes(sessions: ProjectSessions, key: str) -> dict[str, bool]:
    """Return how the tests of a stored run ended; nothing for one that is gone."""
    import msgspec

    from clew.analysis.flakes import outcomes_in
    from clew.words.errors import JournalDamaged

    try:
        return outcomes_in(sessions.store.get(key))
    except (JournalDamaged, msgspec.DecodeError):
        return {}
