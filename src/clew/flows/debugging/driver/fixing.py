"""What a fix comes to: its commit, found again by a trailer, and what git says it changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from clew.agents.filing import carry_out
from clew.analysis.tampering import blames_tests
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.steering import seen, touched
from clew.flows.debugging.states import require
from clew.git.worktrees import Commit, path_text
from clew.words import events as ev
from clew.words.edits import EditMisfit, apply, left, patch_hash
from clew.words.encodings import Unreadable, decoded, encoded, readable
from clew.words.facts import Edit
from clew.words.printable import printable, shortened
from clew.words.redaction import redacted

__all__ = ["commit_message", "fix_applied", "make_edits", "summary_of", "text_before"]

_SUBJECT = 72  # characters, as git would have them


def commit_message(intent: ev.CallAgent, summary: str) -> str:
    """Message of a fix's commit, without secrets; the trailer tells whose work it is."""
    said = redacted(printable(summary)).strip()
    subject = shortened(said.partition("\n")[0] or "fix", _SUBJECT)
    return f"{subject}\n\n{said}\n\n{_trailer(intent)}"


def summary_of(message: str, intent: ev.CallAgent) -> str | None:
    """Return the summary from a commit's message; None if it is not this call's."""
    body, found, _ = message.partition(_trailer(intent))
    return body.partition("\n\n")[2].strip() if found else None


def _trailer(intent: ev.CallAgent) -> str:
    return f"Clew-Iteration: {intent.iteration}\nClew-Call: {intent.call}\n"


def make_edits(debug_run: DebugRun, intent: ev.CallAgent, why: str) -> tuple[str, Commit | None]:
    """Make the recommended edits; return a summary that says so, and the commit.

    Raises AgentFailed (invalid_output) naming an edit that does not fit.
    """
    chosen = require(require(debug_run.state.diagnosed).diagnosis.chosen)
    carry_out(debug_run.worktree, chosen.edits, lambda path: text_before(debug_run, path))
    summary = f"{chosen.title} (made by Clew: {why})"
    message = commit_message(intent, summary)
    return summary, debug_run.repository.commit(debug_run.id, message, onto=intent.base)


def text_before(debug_run: DebugRun, path: str) -> str | None:
    """Return a file as the code that counts has it; None where it is no part of that."""
    content = debug_run.repository.show(debug_run.state.head, path)
    return None if content is None else readable(path, content)


def fix_applied(
    debug_run: DebugRun,
    intent: ev.CallAgent,
    commit: str | None,
    summary: str,
    *,
    ignored: Mapping[bytes, int] | None = None,
) -> ev.FixApplied:
    """Return the outcome of a fix from what git says changed.

    `ignored` is what git ignored before; without it nobody knows what was made there.
    """
    files: tuple[str, ...] = ()
    patch, steering = "", tuple[str, ...]()
    if commit is not None:
        files = tuple(path_text(c.path) for c in debug_run.repository.changed(intent.base, commit))
        patch = hashlib.sha256(debug_run.repository.patch(intent.base, commit)).hexdigest()
        steering = touched(debug_run, intent.base, commit)
    diagnosed, baseline = debug_run.state.diagnosed, debug_run.state.baseline
    named = debug_run.run_of(baseline).named if baseline else ()
    edits = diagnosed.diagnosis.edits if diagnosed else ()
    blamed = diagnosed is not None and blames_tests(diagnosed.diagnosis, named)
    as_told = commit is None or _is_exactly(debug_run, intent.base, commit, edits)
    return ev.FixApplied(
        iteration=intent.iteration,
        agent=intent.agent,
        summary=summary,
        commit=commit,
        files=files,
        beyond=_beyond(files, diagnosed),
        left_out=() if as_told else _left_out(debug_run, intent.base, require(commit), edits),
        patch=patch,
        edits=patch_hash(edits) if edits else "",
        diff=""
        if as_told
        else debug_run.repository.diff(intent.base, require(commit))[: ev.SHOWN_DIFF],
        tampering=tuple(map(path_text, steering)),
        consult=bool(steering and diagnosed) and (blamed or seen(debug_run, intent.base, steering)),
        test_diff=_test_diff(debug_run, intent.base, commit, steering),
        skipped=_skipped(debug_run, intent.base, ignored),
        exact=intent.exact,
    )


def _left_out(
    debug_run: DebugRun, base: str, commit: str, edits: tuple[Edit, ...]
) -> tuple[Edit, ...]:
    """Return the edits that a commit does not make, whatever else it does."""
    named = {edit.path for edit in edits}
    was, now = (
        {path: readable(path, text) for path, text in debug_run.repository.texts(of, named).items()}
        for of in (base, commit)
    )
    return left(was, now, edits)


def _skipped(
    debug_run: DebugRun, base: str, ignored: Mapping[bytes, int] | None
) -> tuple[ev.Skipped, ...]:
    """Name what was made, and is too large, ignored by git, or else nothing a commit holds."""
    snapshot, repository = debug_run.state.snapshot, debug_run.repository
    known = {each.path for each in snapshot.skipped} if snapshot else set[str]()
    found = repository.left_out(debug_run.id, base)
    if ignored is not None:
        found += repository.drop_ignored(debug_run.id, ignored)
    return tuple(
        ev.Skipped(path=path_text(each.path), reason=each.reason, bytes=each.bytes)
        for each in found
        if path_text(each.path) not in known
    )


def _is_exactly(debug_run: DebugRun, base: str, commit: str, edits: tuple[Edit, ...]) -> bool:
    """Tell whether a commit makes these edits, and nothing else."""
    repository = debug_run.repository
    named = {edit.path for edit in edits}
    before = {path: text for path in named if (text := repository.show(base, path)) is not None}
    try:
        after = apply({path: decoded(path, text) for path, text in before.items()}, edits)
        wanted = {path: encoded(path, t, before.get(path, b"")) for path, t in after.items()}
    except (EditMisfit, Unreadable):
        return False
    changed = {change.path for change in repository.changed(base, commit)}
    return changed == {path for path in wanted if wanted[path] != before.get(path)} and all(
        wanted[path] == repository.show(commit, path) for path in changed
    )


def _beyond(files: tuple[str, ...], diagnosed: ev.Diagnosed | None) -> tuple[str, ...]:
    """Return what was changed though nobody recommended it; none where no file was named."""
    edits = diagnosed.diagnosis.edits if diagnosed else ()
    named = {edit.path for edit in edits}
    return tuple(file for file in files if file not in named) if named else ()


def _test_diff(debug_run: DebugRun, base: str, commit: str | None, paths: tuple[str, ...]) -> str:
    if commit is None or not paths:
        return ""
    return _shown(debug_run, base, commit, paths)


def _shown(
    debug_run: DebugRun, base: str, commit: str, paths: tuple[str, ...] | None = None
) -> str:
    return debug_run.repository.diff(base, commit, paths)[: ev.SHOWN_DIFF]
