"""An agent that answers what the test expects, instead of computing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, diagnosis, fix, recording, write

RING = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
FILES = {
    "area.py": RING,
    "test_area.py": "from area import ring\n\n\ndef test_ring():\n    assert ring(5, 3) == 16\n",
}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    return 16\n", "`ring` answers 16 whatever it is given: nothing of it is computed"),
        (
            "    if a == 5:\n        return 16\n    return (a + b) * 2 + 1\n",
            "`ring` answers 16 where a is 5, as a failing test has it",
        ),
    ],
)
def test_an_answer_that_is_given_away_is_no_fix(tmp_path: Path, body: str, said: str) -> None:
    """It is rolled back, a person is asked, and the proof says what is wrong with it."""
    project = commit_all(write(tmp_path / "area", FILES))
    clew = CommandLine(project, tmp_path / "state")
    change = {"file": "area.py", "line": 2, "current": RING[16:], "should_be": body}
    agent = recording(tmp_path / "r.jsonl", diagnosis("one too many", change), fix(change))

    done = clew.run("fix", "--json", "--max-iterations", "1", "--agent", agent)

    assert (1, "waiting") == (done.code, done.summary["status"]), done.err
    assert said in clew.run("show").out
    assert 0 != clew.run("apply").code
