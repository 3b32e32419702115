"""What a fix comes to: its commit, found again by a trailer, and what git says it changed."""

from __future__ import annotations

import hashlib

from clew import events as ev
from clew.debugging.steering import touched
from clew.debugging.workshop import Workshop
from clew.edits import patch_hash
from clew.printable import printable
from clew.redaction import redacted
from clew.tampering import blames_tests
from clew.worktrees import spelled

__all__ = ["commit_message", "fix_applied", "summary_of"]

_SUBJECT = 72  # characters, as git would have them
_SHOWN = 4_000  # characters of a diff of tests


def commit_message(intent: ev.ApplyFix, summary: str) -> str:
    """Message of a fix's commit, without secrets; the trailer tells whose work it is."""
    said = redacted(printable(summary)).strip()
    first = said.partition("\n")[0] or "fix"
    subject = first if len(first) <= _SUBJECT else f"{first[: _SUBJECT - 1]}…"
    return f"{subject}\n\n{said}\n\n{_trailer(intent)}"


def summary_of(message: str, intent: ev.ApplyFix) -> str | None:
    """Return the summary from a commit's message; None if it is not this call's."""
    body, found, _ = message.partition(_trailer(intent))
    return body.partition("\n\n")[2].strip() if found else None


def _trailer(intent: ev.ApplyFix) -> str:
    return f"Clew-Iteration: {intent.iteration}\nClew-Call: {intent.call}\n"


def fix_applied(
    workshop: Workshop,
    intent: ev.ApplyFix,
    commit: str | None,
    summary: str,
) -> ev.FixApplied:
    """Return the outcome of a fix from what git says changed."""
    files: tuple[str, ...] = ()
    patch, tampering = "", tuple[str, ...]()
    if commit is not None:
        files = tuple(spelled(c.path) for c in workshop.repository.changed(intent.base, commit))
        patch = hashlib.sha256(workshop.repository.patch(intent.base, commit)).hexdigest()
        tampering = touched(workshop, intent.base, commit)
    diagnosed, baseline = workshop.state.diagnosed, workshop.state.baseline
    named = workshop.run_of(baseline).named if baseline else ()
    edits = diagnosed.diagnosis.edits if diagnosed else ()
    if commit is None:
        summary += _nowhere(workshop, intent.base, tuple(edit.path for edit in edits))
    return ev.FixApplied(
        iteration=intent.iteration,
        agent=intent.agent,
        summary=summary,
        commit=commit,
        files=files,
        beyond=_beyond(files, diagnosed),
        patch=patch,
        edits=patch_hash(edits) if edits else "",
        tampering=tampering,
        consult=bool(tampering and diagnosed and blames_tests(diagnosed.diagnosis, named)),
        test_diff=_test_diff(workshop, intent.base, commit, tampering),
    )


def _nowhere(workshop: Workshop, base: str, paths: tuple[str, ...]) -> str:
    """Say why nothing is left of a change: git ignores the files that it was made in."""
    known = workshop.repository.files(base) if paths else ()
    missing = dict.fromkeys(path for path in paths if path not in known)
    named = ", ".join(path for path in missing if (workshop.worktree / path).is_file())
    return f": git ignores {named}, so mend it by hand, then resume" if named else ""


def _beyond(files: tuple[str, ...], diagnosed: ev.Diagnosed | None) -> tuple[str, ...]:
    """Return what was changed though nobody recommended it; none where no file was named."""
    edits = diagnosed.diagnosis.edits if diagnosed else ()
    named = {edit.path for edit in edits}
    return tuple(file for file in files if file not in named) if named else ()


def _test_diff(workshop: Workshop, base: str, commit: str | None, paths: tuple[str, ...]) -> str:
    if commit is None or not paths:
        return ""
    return workshop.repository.diff(base, commit, paths)[:_SHOWN]
