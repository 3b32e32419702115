"""One checkpoint shown: where it stands, what is red there, and how one goes back to it."""

from __future__ import annotations

from clew import api
from clew.cli.showing import SOME
from clew.cli.streams import print_json, say
from clew.documents.templating import moment
from clew.words.printable import one_line

__all__ = ["show_checkpoint"]


def show_checkpoint(kept: api.SavedCheckpoint, *, json: bool) -> None:
    """Print it."""
    red, document = kept.red, kept.document
    if json:
        record = {"name": kept.name, "commit": kept.commit, "red": red, "path": str(kept.path)}
        print_json(record | {"passed": kept.passed, "checkpoint": document})
        return
    say(f"{kept.name}  {kept.commit[:10]}  {len(red)} red, {kept.passed} passed")
    for test in red[:SOME]:
        say(f"  red:  {one_line(test)}")
    if len(red) > SOME:
        say(f"  and {len(red) - SOME} more")
    if document is not None:
        say(f"  kept: {moment(document.created_at)}, {one_line(document.workflow_description)}")
        if document.debug_report_path:
            say(f"  report: {one_line(document.debug_report_path)}")
    say(f"  file: {kept.path}")
    if kept.may_go_back:
        say(f"  return to it: clew rollback {kept.session} {kept.name}")
