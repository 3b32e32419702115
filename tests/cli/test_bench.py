"""What `clew bench` refuses before any task is worked on."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.cli import main
from suiteplay import MOST, json_lines


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--agent", "nobody"), "unknown agent 'nobody'"),
        (("--agent", "repair,command:/nowhere/agent"), "'/nowhere/agent' was not found"),
        (("--timeout", "0"), "between 1 and"),
        (("--timeout", "-1"), "between 1 and"),
        (("--timeout", "nan"), "between 1 and"),
        (("--timeout", "inf"), "between 1 and"),
    ],
)
def test_what_no_task_could_be_worked_on_with_is_refused(
    words: tuple[str, ...],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An agent that is not there, a time that is none: no results folder is begun."""
    monkeypatch.chdir(tmp_path)
    suite = json_lines(tmp_path / "mine.jsonl", MOST)
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "run", str(suite), *words])
    assert why in capsys.readouterr().err
    assert [suite] == [*tmp_path.iterdir()]
