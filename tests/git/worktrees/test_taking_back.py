"""What was applied is taken out of the person's tree again, and nothing of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.git.worktrees import ApplyConflict, PrivateRepository, Wording
from person import Person, contents


@pytest.fixture
def fixed(private: PrivateRepository, worktree: Path) -> tuple[str, str]:
    """Line two of `a.py` is mended, `run` is gone, `new/x` is there."""
    (worktree / "a.py").write_text("one\nTWO\nthree\nfour\nfive\n")
    (worktree / "run").unlink()
    (worktree / "new").mkdir()
    (worktree / "new" / "x").write_text("x\n")
    made = private.commit("s", "fix")
    assert made is not None
    return private.snapshot("s").commit, made.id


def test_the_tree_is_again_as_it_was(
    person: Person, private: PrivateRepository, fixed: tuple[str, str]
) -> None:
    """Files that were added are gone, those that were deleted are back; it can be applied again."""
    before = contents(person.root)
    private.apply("s", *fixed)
    applied = contents(person.root)
    done = private.take_back("s")
    assert done
    assert ("a.py", "new/x", "run") == done.files
    assert before == contents(person.root)
    assert private.take_back("s") is None
    assert not private.apply("s", *fixed).already
    assert applied == contents(person.root)


def test_what_they_had_mended_themselves_stays(
    person: Person, private: PrivateRepository, fixed: tuple[str, str]
) -> None:
    """Only files that were written are taken back, however often the fix is applied."""
    mended = "one\nTWO\nthree\nfour\nfive\n"
    (person.root / "a.py").write_text(mended)
    before = contents(person.root)
    for _ in range(2):
        private.apply("s", *fixed)
    done = private.take_back("s")
    assert done
    assert ("new/x", "run") == done.files
    assert before == contents(person.root)
    (person.root / "run").unlink()
    (person.root / "new").mkdir()
    (person.root / "new" / "x").write_text("x\n")
    assert private.apply("s", *fixed).already
    assert private.take_back("s") is None
    assert mended == (person.root / "a.py").read_text()


def test_what_is_still_applied_is_told_by_the_tree(
    person: Person, private: PrivateRepository, fixed: tuple[str, str]
) -> None:
    """Whoever took it out, and whatever they wrote beside it."""
    _, tip = fixed
    path, was = person.root / "a.py", (person.root / "a.py").read_text()
    run = (person.root / "run").read_bytes()
    assert private.still_applied("s") is None
    private.apply("s", *fixed)
    assert tip == private.still_applied("s")
    path.write_text(path.read_text() + "six\n")
    assert tip == private.still_applied("s")
    path.write_text(was + "six\n")
    (person.root / "new" / "x").unlink()
    assert tip == private.still_applied("s"), "`run` is gone still"
    person.write("run", run, 0o755)
    assert private.still_applied("s") is None
    private.apply("s", *fixed)
    assert tip == private.still_applied("s")


def test_lines_of_their_own_stay(
    person: Person, private: PrivateRepository, fixed: tuple[str, str]
) -> None:
    """What they wrote beside it since is theirs."""
    private.apply("s", *fixed)
    path = person.root / "a.py"
    path.write_text(path.read_text() + "six\n")
    done = private.take_back("s")
    assert done
    assert "TWO" not in path.read_text()
    assert path.read_text().endswith("five\nsix\n")


def test_a_line_that_they_changed_since_is_a_conflict(
    person: Person, private: PrivateRepository, fixed: tuple[str, str]
) -> None:
    """Then nothing is done."""
    private.apply("s", *fixed)
    path = person.root / "a.py"
    path.write_text(path.read_text().replace("TWO", "TWO!"))
    before = contents(person.root)
    with pytest.raises(ApplyConflict, match=r"a\.py"):
        private.take_back("s")
    assert before == contents(person.root)
    assert private.take_back("other") is None


def test_what_they_had_committed_is_taken_back_last(
    person: Person, private: PrivateRepository, fixed: tuple[str, str], worktree: Path
) -> None:
    """A first fix is theirs once they committed it: a second goes back to it, a third call past."""
    before = contents(person.root)
    theirs = private.apply("s", *fixed, wording=Wording("Mend line two")).commit
    committed = contents(person.root)
    for file in ("a.py", "new/x"):
        (worktree / file).write_text("another way\n")
    other = private.commit("s", "fix")
    assert other is not None
    private.apply("s", fixed[0], other.id)
    assert "another way\n" == (person.root / "a.py").read_text()
    done = private.take_back("s")
    assert done
    assert (("a.py", "new/x"), None) == (done.files, done.commit)
    assert committed == contents(person.root)
    last = private.take_back("s")
    assert theirs
    assert last
    assert theirs == last.commit, "it stays, and they are told"
    assert before == contents(person.root)
    assert private.take_back("s") is None


def test_the_same_fix_once_more_is_taken_back_whole(
    person: Person, private: PrivateRepository, fixed: tuple[str, str]
) -> None:
    """Nothing parts it from what they committed, so it is that which goes."""
    before = contents(person.root)
    private.apply("s", *fixed, wording=Wording("Mend line two"))
    private.apply("s", *fixed)
    assert private.take_back("s")
    assert before == contents(person.root)
    assert private.take_back("s") is None
