"""What `clew diagnose` says to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, write


@pytest.mark.parametrize(
    ("body", "first"), [("return a - b", "fix"), ("raise NotImplementedError", "bisect")]
)
def test_a_fix_is_offered_only_where_a_change_is_known(
    tmp_path: Path, body: str, first: str
) -> None:
    """Nothing would be applied else; the commit may be looked for in any case."""
    files = {
        "sums.py": f"def add(a, b):\n    {body}\n",
        "test_sums.py": "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    }
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")

    said = clew.run("diagnose", "--agent", "repair")

    assert f"next     `clew {first}`" in said.out, said
    assert ("fix" == first) == ("`clew fix` searches again" in said.out)
    assert "`clew bisect` finds the commit" in said.out
