"""The verdict on a fix, and by which method it was reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from clew import runners
from clew.evaluation.judging.comparing import TargetFunction, compare, targets
from clew.evaluation.tasks import Task, Version, laid_name, lay
from clew.evaluation.truth import differing_functions, same
from clew.git.project import Project
from clew.runners import Site
from clew.words.errors import ClewError
from clew.words.facts import TestCommand, Verdict

__all__ = ["Judgement", "Mended", "flaw", "judge"]

FAILED = "the right version fails too"
FEW = 5  # inputs, below which a comparison tells nothing


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a fix is right: None is unknown. `witness` is an input that shows it is not."""

    correct: bool | None
    method: str
    witness: str = ""


class Mended(msgspec.Struct, frozen=True, kw_only=True):
    """A project after its fix: `tree` is a checkout of it, `texts` the files that differ or could.

    `texts` holds every file of the task's two versions and every one that the fix changed, None
    where the fixed project has no such file.
    """

    project: Project
    tree: Path
    texts: Mapping[str, str | None]
    command: TestCommand


def judge(task: Task, mended: Mended, *, scratch: Path, seed: int) -> Judgement:
    """Compare a fix that passes the tests with the right version; see the package."""
    right = lay(task, Version.FIXED, scratch / "right")
    expected = {path: _text(right / path) for path in mended.texts}
    differing = [path for path, text in mended.texts.items() if not _same(path, text, expected)]
    if not differing:
        return Judgement(correct=True, method="same program")
    if task.held_out:
        return _held_out(task, mended, scratch)
    names = _names(task, differing, mended.texts, expected)
    if names is None:
        return Judgement(correct=None, method="unknown: the difference is not within functions")
    try:
        wanted = targets(names, {p: text for p, text in expected.items() if text is not None})
        return _differential(
            wanted,
            mended,
            right=_site(mended, right, scratch),
            scratch=scratch / "calls",
            seed=seed,
            extra=task.runner_args,
        )
    except (ClewError, msgspec.DecodeError) as error:
        return Judgement(correct=None, method=f"unknown: {error}")


def flaw(task: Task, project: Project, command: TestCommand, *, scratch: Path) -> str:
    """Say why nobody could have mended a task: its right version does not pass the tests either.

    Nothing if it does.
    """
    if not command.argv:
        return "it has no tests, or nothing says how to run them"
    right = lay(task, Version.FIXED, scratch / "right")
    site = runners.build(project, right, command, scratch=scratch)
    run = runners.run(site, command, runners.Request(extra=task.runner_args), scratch).run
    if run.verdict is Verdict.PASSED:
        return ""
    if run.verdict is Verdict.DID_NOT_RUN:
        return f"the tests of the right version do not run either: {run.reason}"
    return f"the right version is red too: {run.red[0].id}" if run.red else FAILED


def _same(path: str, text: str | None, expected: Mapping[str, str | None]) -> bool:
    other = expected[path]
    if text is None or other is None:
        return text is other
    return same(text, other, python=path.endswith(".py"))


def _held_out(task: Task, mended: Mended, scratch: Path) -> Judgement:
    site = _site(mended, mended.tree, scratch)
    for path, text in task.held_out.items():
        file = laid_name(mended.tree, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    request = runners.Request(extra=task.runner_args)
    run = runners.run(site, mended.command, request, scratch).run
    method = "held-out tests"
    if run.verdict is Verdict.DID_NOT_RUN:
        return Judgement(correct=None, method=f"unknown: {method} did not run: {run.reason}")
    witness = run.red[0].id if run.red else ""
    return Judgement(correct=run.verdict is Verdict.PASSED, method=method, witness=witness)


def _names(
    task: Task,
    differing: Sequence[str],
    texts: Mapping[str, str | None],
    expected: Mapping[str, str | None],
) -> dict[str, tuple[str, ...]] | None:
    """Return the functions to compare, by file; None if the difference is not within some.

    The function that the task is about stands for everything in its file.
    """
    entry, _, name = task.entry.partition("::")
    found: dict[str, tuple[str, ...]] = {}
    for path in differing:
        text, right = texts[path], expected[path]
        if text is None or right is None or not path.endswith(".py"):
            return None
        functions, more = differing_functions(right, text)
        if path == entry:
            functions, more = (name,), False
        if more or not functions:
            return None
        found[path] = functions
    return found


def _differential(
    wanted: Sequence[TargetFunction],
    mended: Mended,
    *,
    right: Site,
    scratch: Path,
    seed: int,
    extra: Sequence[str],
) -> Judgement:
    shown = compare(
        wanted,
        right=right,
        other=_site(mended, mended.tree, scratch.parent),
        command=mended.command,
        scratch=scratch,
        seed=seed,
        extra=extra,
    )
    if shown.differs:
        method = f"differential, at input {shown.inputs}"
        return Judgement(correct=False, method=method, witness=shown.witness)
    if shown.unseen or shown.inputs < FEW or not wanted:
        lacking = ", ".join(shown.unseen) or "the functions"
        return Judgement(correct=None, method=f"unknown: too few inputs for {lacking}")
    return Judgement(correct=True, method=f"differential, {shown.inputs} inputs")


def _site(mended: Mended, tree: Path, scratch: Path) -> Site:
    return runners.build(mended.project, tree, mended.command, scratch=scratch)


def _text(path: Path) -> str | None:
    if not path.is_file():
        return None
    return path.read_bytes().decode("utf-8", "surrogateescape")
