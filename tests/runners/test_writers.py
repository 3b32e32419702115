"""Reports in JUnit's XML, as their writers wrote them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clew.runners.dialects import RunLocation
from clew.runners.dialects.junit import reported
from clew.words.facts import TestResult

RECORDED = Path(__file__).parent / "recorded" / "junit"
HOME = "/home/person/sum"  # where they were written

Facts = dict[str, list[str | list[str]]]  # outcome; of red ones the kind, the message, and places


def told(result: TestResult) -> list[str | list[str]]:
    if result.crash is None:
        return [result.outcome.value]
    places = [f"{frame.path}:{frame.line}" for frame in result.crash.frames]
    return [
        result.outcome.value,
        result.crash.type,
        result.crash.message.splitlines(),
        *places,
    ]


@pytest.mark.parametrize("writer", sorted(path.stem for path in RECORDED.glob("*.xml")))
def test_what_a_writer_says_is_heard(tmp_path: Path, writer: str) -> None:
    """Outcomes, kinds, messages with their lines and places in files of the project.

    The tests passed, failed, erred, were skipped; some have parameters, or odd names.
    """
    wanted = msgspec.json.decode((RECORDED / f"{writer}.json").read_bytes(), type=Facts)
    for facts in wanted.values():
        for place in facts[3:]:
            assert isinstance(place, str)
            (tmp_path / place.rpartition(":")[0]).write_text("\n" * 20)
    ground = RunLocation(worktree=tmp_path, root=Path(HOME), subdir="", out=tmp_path)

    results = reported(RECORDED / f"{writer}.xml", ground)

    assert wanted == {result.id: told(result) for result in results}
    assert len(wanted) == len(results)
