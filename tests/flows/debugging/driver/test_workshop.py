from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from proofkit import session

PROJECT = {
    "price.py": "def total(items):\n    return sum(items) + 1\n",
    "tests/test_price.py": (
        "from price import total\n\n\ndef test_total():\n    assert total([2]) == 2\n"
    ),
}


def test_words_are_parted_by_the_files_that_the_session_began_with(tmp_path: Path) -> None:
    """A file that a fix moved is named by the same words when the session is resumed."""
    with session(tmp_path, PROJECT) as workshop:
        words = ("--env-file", "tests/test_price.py", "--other", "tests")
        opened = replace(workshop.state.session, runner_args=words)
        workshop.state = replace(workshop.state, opened=opened)
        del workshop.words  # a resumed session parts them anew
        (workshop.worktree / "tests").rename(workshop.worktree / "moved")
        assert ("tests/test_price.py", "tests") == workshop.words.choosing
        assert ("--env-file", "--other") == workshop.words.kept
