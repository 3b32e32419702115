"""A plan, from nothing to approved, as a person types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine


@pytest.fixture
def person(tmp_path: Path) -> CommandLine:
    """A person in an empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return CommandLine(folder, tmp_path / "state")


def test_a_plan_is_begun_checked_drawn_and_approved(person: CommandLine) -> None:
    """What is wrong is told with its line; nothing but what was asked for is written."""
    assert 0 == person.run("plan", "new", "Word counter").code
    plan = person.project / "plans" / "word-counter.md"
    sound = plan.read_text()
    plan.write_text(
        sound.replace("creates: [src/example/cli.py]", "creates: [src/example/report.py]")
    )

    said = person.run("plan", "check", "plans/word-counter.md")
    line = 1 + plan.read_text().splitlines().index("creates: [src/example/report.py]", 40)
    overlap = (
        f"plans/word-counter.md:{line}: error: phases 2 and 3 may run together, and both own"
        " src/example/report.py; let one depend on the other [file_overlap]"
    )
    assert (1, overlap) == (said.code, said.out.splitlines()[0])
    assert 1 == person.run("plan", "approve", str(plan)).code

    plan.write_text(sound)
    assert 0 == person.run("plan", "approve", "plans/word-counter.md").code
    drawn = person.run("plan", "show", "plans/word-counter.md", "-o", "plan.svg")
    assert (0, True) == (drawn.code, (person.project / "plan.svg").read_text().startswith("<svg"))
    assert person.run("plan", "show", "word-counter.md", "-C", "plans", "--json").summary[
        "approved"
    ]
    assert {"plans", "plan.svg"} == {path.name for path in person.project.iterdir()}
