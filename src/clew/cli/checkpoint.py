"""One checkpoint shown: where it stands, what is red there, and how one goes back to it."""

from __future__ import annotations

from pathlib import Path

from clew.cli.showing import SOME, print_json
from clew.cli.streams import say
from clew.documents.checkpoint import from_json
from clew.documents.templating import moment
from clew.flows.debugging.states import RestorePoint, State
from clew.words.facts import Verdict
from clew.words.printable import one_line

__all__ = ["show_checkpoint"]


def show_checkpoint(state: State, mark: RestorePoint, *, json: bool) -> None:
    """Print it."""
    path = next(Path(c.path) for c in reversed(state.checkpoints) if c.name == mark.name)
    kept = from_json(path.read_text("utf-8")) if path.exists() else None
    red = [test.id for test in mark.kept.red]
    if json:
        record = {"name": mark.name, "commit": mark.commit, "red": red, "path": str(path)}
        print_json(record | {"passed": mark.kept.passed, "checkpoint": kept})
        return
    say(f"{mark.name}  {mark.commit[:10]}  {len(red)} red, {mark.kept.passed} passed")
    for test in red[:SOME]:
        say(f"  red:  {one_line(test)}")
    if len(red) > SOME:
        say(f"  and {len(red) - SOME} more")
    if kept is not None:
        say(f"  kept: {moment(kept.created_at)}, {one_line(kept.workflow_description)}")
        if kept.debug_report_path:
            say(f"  report: {one_line(kept.debug_report_path)}")
    say(f"  file: {path}")
    if mark.kept.verdict is Verdict.FAILED:
        say(f"  back to it: clew rollback {state.session.session_id} {mark.name}")
