"""Bringing a fix home: the branch into the person's repository, the patch into their tree.

The branch goes first: it touches no file of theirs, and a person whose newer work conflicts with
the fix can merge it. Then every result is computed, and only if none conflicts is one written.
Their index is left alone unless they ask for a commit. What was applied last is remembered, so
that a longer fix can follow a shorter one, or take its place.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from clew.git.worktrees import ancestry
from clew.git.worktrees.bare import Bare, ref_of, write_whole
from clew.git.worktrees.carrying import carry
from clew.git.worktrees.committing import absent, commit_files, last_committed
from clew.git.worktrees.export import Steps, export, holds_their_work
from clew.git.worktrees.history import GITLINK, Blob, Delta, contents, deltas, patch
from clew.git.worktrees.merging import Conflict, merged
from clew.git.worktrees.records import Applied, ApplyConflict, path_text
from clew.git.worktrees.replacing import recover, replace
from clew.git.worktrees.snapshot import WORK_TREE
from clew.git.worktrees.writing import Blocked, File, PathChange, look
from clew.words.errors import ClewError, GitFailed

__all__ = [
    "APPLIED",
    "apply",
    "differing",
    "is_cut_off",
    "still_applied",
    "take_back",
    "without_applied",
]

APPLIED = "applied"  # the hidden ref that names what of a session was applied last
ONTO = "applied-onto"  # and the one that names the code that it was a change of
WRITTEN = "applied-files"  # and the list of the files that were written
COMMITTED = "applied-committed"  # and what of it is in a commit of the person's branch
MADE = "applied-as"  # and the newest such commit


class _Aim(msgspec.Struct, frozen=True):
    path: str
    befores: tuple[File | None, ...]  # as the fix found it; the likeliest first
    after: File | None


class Wording(msgspec.Struct, frozen=True):
    """What a commit of the fix is to say."""

    message: str
    claim: str = ""  # the last words, where the commit holds all that the tip does
    skipped: tuple[str, ...] = ()  # what no snapshot of the session holds


def without_applied(bare: Bare, session: str, commit: str) -> str:
    """Return a commit of the person's tree with what was applied last taken back from it.

    Lines of it that they have changed since stay.
    """
    tip, onto = (bare.resolve(ref_of(session, name)) for name in (APPLIED, ONTO))
    if tip is None or onto is None:
        return commit
    message = f"{WORK_TREE} without what was applied"
    return carry(bare, session, tip, onto, onto=commit, message=message).commit or commit


def apply(
    bare: Bare,
    session: str,
    base: str,
    tip: str,
    *,
    wording: Wording | None = None,
    steps: Steps | None = None,
) -> Applied:
    """Put the change from `base` to `tip` into the person's tree; see the module.

    What killed calls left is put right before that, and told in any case. With a `wording` the
    fix's files are committed as well. The branch tells commits in their `steps`.
    """
    with bare.session(session) as scratch, bare.locked(".applying"):
        undone, kept = _put_right(bare)
        try:
            done = _apply(bare, session, base, tip, scratch, wording=wording, told=steps)
        except ClewError as error:
            error.message += _told(undone, kept)
            error.args = (error.message,)
            raise
    left = {path: whose for path, whose in undone.items() if path not in done.files}
    return msgspec.structs.replace(done, kept=kept | done.kept, undone=left)


def take_back(bare: Bare, session: str) -> Applied | None:
    """Take what was applied last out of the person's tree again; None where nothing was.

    Files that held it before, and lines that they have changed since, stay; so does an earlier
    fix that they had committed before. Raises ApplyConflict, with no file written, where they
    changed the very lines. The branch that was exported, and the commit, which is returned, are
    theirs and stay.
    """
    with bare.session(session) as scratch, bare.locked(".applying"):
        undone, kept = _put_right(bare)
        tip, onto = (bare.resolve(ref_of(session, name)) for name in (APPLIED, ONTO))
        if tip is None or onto is None or tip == onto:
            return None
        back, aims = onto, list[_Aim]()
        for back in filter(None, (bare.resolve(ref_of(session, COMMITTED)), onto)):
            aims = _taking_back(bare, session, tip, back)
            if aims:
                break
        if not aims:
            return None
        hint = "Take these lines out by hand, or save them elsewhere first."
        steps = _plan(bare.home.root, aims, scratch, hint=hint)
        todo, kept_now = _write(bare, session, _differing(steps))
        bare.point(ref_of(session, APPLIED), back)
        made = None
        if back == onto:
            made = bare.resolve(ref_of(session, MADE))
            bare.unname(ref_of(session, COMMITTED), ref_of(session, MADE))
    left = {path: whose for path, whose in undone.items() if path not in todo}
    return Applied(
        files=todo,
        branch=None,
        commit=made,
        already=not todo,
        kept=kept | kept_now,
        undone=left,
    )


def still_applied(bare: Bare, session: str) -> str | None:
    """Return the commit that was applied last; None where the tree has nothing of it any more.

    It may be gone by other ways than `take_back` of this session: another one had the same fix.
    Where they changed the very lines since, it counts as there.
    """
    tip, onto = (bare.resolve(ref_of(session, name)) for name in (APPLIED, ONTO))
    if tip is None or onto is None or tip == onto:
        return tip
    aims = _aims(bare, (tip,), onto)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            steps = _plan(bare.home.root, aims, Path(scratch), hint="")
        except ApplyConflict:
            return tip
    return tip if _differing(steps) else None


def _taking_back(bare: Bare, session: str, tip: str, to: str) -> list[_Aim]:
    ours = _written(bare, session)
    return [aim for aim in _aims(bare, (tip,), to) if ours is None or aim.path in ours]


def is_cut_off(bare: Bare, session: str) -> bool:
    """Whether an `apply` or `take_back` was killed while it wrote, and nothing finished it."""
    return (_plans(bare) / f"{session}.json").exists()


def differing(bare: Bare, base: str, tip: str) -> tuple[str, ...]:
    """Name the files of the change from `base` to `tip` that the person's tree has otherwise."""
    aims = _aims(bare, (base,), tip)
    going = {aim.path for aim in aims if aim.after is None}
    return tuple(aim.path for aim in aims if not _holds(bare.home.root, aim, going))


def _holds(root: Path, aim: _Aim, going: Collection[str]) -> bool:
    try:
        found = look(root, aim.path, going=going)
    except (Blocked, PermissionError):
        return False
    return (None if found is None else found.file) == aim.after


def _put_right(bare: Bare) -> tuple[dict[str, str], dict[str, str]]:
    """Put right what was cut off; return what was put back, by session, and what is kept."""
    undone, kept = dict[str, str](), dict[str, str]()
    for plan in sorted(_plans(bare).glob("*.json")):
        back, of_it = recover(bare.home.root, plan)
        undone |= dict.fromkeys(back, plan.stem)
        kept |= of_it
    return undone, kept


def _told(undone: dict[str, str], kept: dict[str, str]) -> str:
    said = ""
    for session in dict.fromkeys(undone.values()):
        names = ", ".join(path_text(path) for path, whose in undone.items() if whose == session)
        said += f". An earlier, killed apply of session {session} was undone in {names}"
    if kept:
        names = ", ".join(
            f"{path_text(path)} in {path_text(where)}" for where, path in kept.items()
        )
        said += f". Kept from an earlier, killed apply: {names}"
    return said


def _plans(bare: Bare) -> Path:
    return bare.folder / "applying"


def _apply(
    bare: Bare,
    session: str,
    base: str,
    tip: str,
    scratch: Path,
    *,
    wording: Wording | None,
    told: Steps | None,
) -> Applied:
    root = bare.home.root
    branch = export(bare, session, tip, steps=told, scratch=scratch) if bare.home.git else None
    hint = _way_out(bare, session, branch, base, tip)
    last = bare.resolve(ref_of(session, APPLIED))
    aims = _aims(bare, (base,) if last is None else (last, base), tip)
    steps = _plan(root, aims, scratch, hint=hint)
    changes = _differing(steps)
    with _noted(bare, session, base, tip, changes):
        todo, kept = _write(bare, session, changes)
    wanted = {aim.path: aim.after for aim in aims}
    made, lacking, own = None, tuple[str, ...](), tuple[str, ...]()
    if wording is not None and bare.home.git:
        _ensure_it_is_the_fix(bare, aims, scratch)
        lacking = _lacking(bare, aims, tip, wording.skipped) if wording.claim else ()
        own = _own(bare, base, wanted)
        parts = [wording.message, *[wording.claim] * (not lacking)]
        made = commit_files(bare, list(wanted), "\n\n".join(filter(None, parts)))
        bare.point(ref_of(session, COMMITTED), tip)
        if made is not None:
            bare.point(ref_of(session, MADE), made)
    return Applied(
        files=todo,
        branch=branch,
        private=branch is not None and holds_their_work(bare, branch),
        commit=made,
        committed=bare.resolve(ref_of(session, COMMITTED)) == tip,
        merged=tuple(s.path for s in steps if s.path in todo and s.after != wanted[s.path]),
        already=not todo,
        kept=kept,
        lacking=lacking if made else (),
        own=own if made else (),
    )


def _write(
    bare: Bare, session: str, changes: list[PathChange]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Write changes; return the files, and what is kept of how they were."""
    plan = _plans(bare) / f"{session}.json"
    kept = replace(bare.home.root, changes, mark=session, plan=plan)
    return tuple(change.path for change in changes), kept


def _differing(steps: Collection[PathChange]) -> list[PathChange]:
    return [step for step in steps if (step.found and step.found.file) != step.after]


def _target(bare: Bare, ref: str) -> str | None:
    return bare.git("rev-parse", "-q", "--verify", ref, accept=(0, 1, 128)).text or None


@contextlib.contextmanager
def _noted(
    bare: Bare, session: str, base: str, tip: str, changes: Collection[PathChange]
) -> Iterator[None]:
    """Note what is applied before the first write: whoever is killed then can take it back."""
    refs = [ref_of(session, name) for name in (WRITTEN, ONTO, APPLIED)]
    before = {ref: _target(bare, ref) for ref in refs}
    _note_written(bare, session, [change.path for change in changes])
    bare.point(ref_of(session, ONTO), base)
    bare.point(ref_of(session, APPLIED), tip)
    try:
        yield
    except ClewError:  # nothing is written
        for ref, target in before.items():
            if target is None:
                bare.unname(ref)
            else:
                bare.point(ref, target)
        raise


def _written(bare: Bare, session: str) -> frozenset[str] | None:
    """Return the files that `apply` has written; None where an earlier version noted none."""
    found = bare.git("cat-file", "blob", ref_of(session, WRITTEN), accept=(0, 128))
    return frozenset(map(os.fsdecode, found.items)) if found.exit_code == 0 else None


def _note_written(bare: Bare, session: str, files: Collection[str]) -> None:
    """Note which files are as they are by `apply`, beside those of what was applied before."""
    tip, onto = (bare.resolve(ref_of(session, name)) for name in (APPLIED, ONTO))
    before = _written(bare, session) if tip != onto else frozenset()
    if before is None:
        return
    listed = b"".join(os.fsencode(path) + b"\0" for path in sorted({*before, *files}))
    note = bare.git("hash-object", "-w", "--stdin", stdin=listed).text
    bare.point(ref_of(session, WRITTEN), note)


def _own(bare: Bare, base: str, wanted: Collection[str]) -> tuple[str, ...]:
    """Name the files that held work of theirs when the fix was made, and it is in no commit yet."""
    before = ancestry.before(bare, base)
    head = bare.theirs("rev-parse", "-q", "--verify", "HEAD", accept=(0, 1, 128)).text or before
    theirs = {delta.path for delta in deltas(bare, before, base)}
    since = {delta.path for delta in deltas(bare, before, head)}
    return tuple(sorted(theirs.intersection(wanted) - since))


def _lacking(
    bare: Bare, aims: Collection[_Aim], tip: str, skipped: Collection[str]
) -> tuple[str, ...]:
    """Name the files that would not be as the tip has them in a commit of the fix's own."""
    root, wanted = bare.home.root, {aim.path: aim.after for aim in aims}
    found = {path: look(root, path) for path in wanted}
    merged_with = [p for p, it in found.items() if (it and it.file) != wanted[p]]
    return tuple(sorted({*merged_with, *(absent(bare, tip, skipped) - wanted.keys())}))


def _aims(bare: Bare, bases: tuple[str, ...], tip: str) -> list[_Aim]:
    found = [each for base in bases for each in deltas(bare, base, tip) if not _foreign(each)]
    blobs = {blob.name for each in found for blob in (each.before, each.after) if blob}
    read = contents(bare, blobs)

    def file(blob: Blob | None) -> File | None:
        return None if blob is None else File(blob.mode, read[blob.name])

    befores: dict[str, list[File | None]] = {}
    for each in found:
        befores.setdefault(each.path, []).append(file(each.before))
    afters = {each.path: file(each.after) for each in found}
    return [_Aim(path, tuple(befores[path]), afters[path]) for path in sorted(afters)]


def _foreign(delta: Delta) -> bool:
    return any(blob is not None and blob.mode == GITLINK for blob in (delta.before, delta.after))


def _plan(root: Path, aims: Collection[_Aim], scratch: Path, *, hint: str) -> list[PathChange]:
    going = {aim.path for aim in aims if aim.after is None}
    steps, conflicts = [], []
    for aim in aims:
        try:
            found = look(root, aim.path, going=going)
            theirs = None if found is None else found.file
            steps.append(PathChange(aim.path, found, _result(aim, theirs, scratch)))
        except (Conflict, Blocked, PermissionError):
            conflicts.append(aim.path)
    if conflicts:
        names = ", ".join(ascii(path)[1:-1] for path in conflicts)
        raise ApplyConflict(
            f"the fix conflicts with newer changes in: {names}",
            paths=tuple(conflicts),
            hint=hint,
        )
    return steps


def _result(aim: _Aim, theirs: File | None, scratch: Path) -> File | None:
    if theirs in (aim.after, *aim.befores):
        return aim.after
    for before in aim.befores:
        with contextlib.suppress(Conflict):
            return merged(before, aim.after, theirs, scratch)
    if _has_grown(aim, theirs):
        return theirs
    raise Conflict


def _has_grown(aim: _Aim, theirs: File | None) -> bool:
    """Tell a file that has the fix, and lines of the person's own right beside it."""
    if theirs is None or aim.after is None:
        return False
    befores = (before for before in aim.befores if before is not None)
    return _within(aim.after, theirs) and not any(_within(each, theirs) for each in befores)


def _within(part: File, whole: File) -> bool:
    """Tell whether a text has all lines of another, in their order."""
    lines = iter(whole.content.splitlines())
    return all(line in lines for line in part.content.splitlines())


def _way_out(bare: Bare, session: str, branch: str | None, base: str, tip: str) -> str:
    file = bare.folder / "patches" / f"{session}.patch"
    write_whole(file, patch(bare, base, tip))
    if branch is None:
        return f"the patch is in {file}"
    theirs = " (its first commit holds your uncommitted work of then)"
    note = theirs if holds_their_work(bare, branch) else ""
    return f"take its lines over by hand, from the patch {file} or the branch {branch}{note}"


def _ensure_it_is_the_fix(bare: Bare, aims: Collection[_Aim], scratch: Path) -> None:
    """Raise GitFailed where files hold more than their last commit, or the session, and the fix."""
    more = []
    for aim in aims:
        found = look(bare.home.root, aim.path)
        now = None if found is None else found.file
        if now != aim.after and now != _upon_the_last_commit(bare, aim, scratch):
            more.append(aim.path)
    if more:
        tracked = {os.fsdecode(it) for it in bare.theirs("ls-files", "-z", "-c", "--", *more).items}
        new = [path for path in more if path not in tracked]
        first = f"`git add -N -- {_typed(new)}`, then " if new else ""  # else -p knows none of them
        raise GitFailed(
            f"the fix is in your files, but not committed: {', '.join(map(path_text, more))}"
            f" hold{'s' * (len(more) == 1)} changes of your own as well",
            hint=f"choose what goes into a commit by {first}`git add -p -- {_typed(more)}`, then"
            " `git commit`",
        )


def _typed(paths: Collection[str]) -> str:
    return path_text(" ".join(map(shlex.quote, paths)))


def _upon_the_last_commit(bare: Bare, aim: _Aim, scratch: Path) -> File | None:
    """Return what the fix makes of a file as it is on disk after a checkout; None for nothing."""
    committed = last_committed(bare, aim.path)
    try:
        return _result(aim, committed, scratch)
    except Conflict:
        return committed
