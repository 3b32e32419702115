"""Whether a tree has a fix that no journal calls applied."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from clew.flows.debugging.collect import _has
from clew.git.worktrees import PrivateRepository
from person import Person


def test_a_fix_is_there_when_each_of_its_files_is(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """One file alike may be chance, or a part that the person took."""
    (worktree / "a.py").write_text("mended\n")
    (worktree / "b.py").write_text("new\n")
    made = private.commit("s", "fix")
    assert made is not None
    base, archive = private.snapshot("s").commit, cast("Any", SimpleNamespace(repository=private))
    person.write("b.py", "new\n")
    partly = private.snapshot("t").commit
    differing_then = private.differing(base, made.id)
    person.write("a.py", "mended\n")
    wholly = private.snapshot("u").commit

    assert ("a.py",) == differing_then
    assert () == private.differing(base, made.id)
    assert not _has(archive, "s", base, made.id, partly)
    assert _has(archive, "s", base, made.id, wholly)
