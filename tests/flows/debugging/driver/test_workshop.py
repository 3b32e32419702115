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
    with session(tmp_path, PROJECT) as debug_run:
        words = ("--env-file", "tests/test_price.py", "--other", "tests")
        opened = replace(debug_run.state.session, runner_args=words)
        debug_run.state = replace(debug_run.state, opened=opened)
        del debug_run.words  # a resumed session parts them anew
        (debug_run.worktree / "tests").rename(debug_run.worktree / "moved")
        assert ("tests/test_price.py", "tests") == debug_run.words.choosing
        assert ("--env-file", "--other") == debug_run.words.kept
