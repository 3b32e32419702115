"""Which phases own which files."""

from __future__ import annotations

import pytest

from clew.analysis.plans.ownership import around, covers


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("a/b.py", ("a/b.py", "a", ".")),
        (".", (".",)),
        ("", (".",)),
        ("/a/b.py", ("/a/b.py", "/a", "/")),
        ("//a", ("//a", "//")),
    ],
)
def test_a_path_lies_in_its_folders_up_to_a_root(path: str, folders: tuple[str, ...]) -> None:
    """Of a path that is none of the project's, too."""
    assert folders == around(path)
    assert not covers("src", path)
