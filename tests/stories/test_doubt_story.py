"""A right fix that the proof doubts: a person settles it, and only a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, diagnosis, fix, git, recording, write

BEFORE = "def plural(n, word):\n    return f'{n} {word}s'\n"
AFTER = "    return f'{n} {word}' if n == 1 else f'{n} {word}s'\n"
FILES = {
    "words.py": BEFORE,
    "test_words.py": (
        "from words import plural\n\n\n"
        "def test_one():\n    assert plural(1, 'file') == '1 file'\n\n\n"
        "def test_two():\n    assert plural(2, 'file') == '2 files'\n"
    ),
}
CHANGE = {
    "file": "words.py",
    "line": 2,
    "current": "    return f'{n} {word}s'\n",
    "should_be": AFTER,
}


def made(tmp_path: Path) -> CommandLine:
    project = commit_all(write(tmp_path / "words", FILES))
    return CommandLine(project, tmp_path / "state")


@pytest.mark.slow
def test_an_agent_that_proposes_it_again_has_a_person_asked_who_accepts_it(tmp_path: Path) -> None:
    """The rest is proven once more, and everybody reads who settled what."""
    clew = made(tmp_path)
    told = diagnosis("one is no plural", CHANGE)
    agent = recording(tmp_path / "r.jsonl", told, fix(CHANGE), told, fix(CHANGE))

    asked = clew.run("fix", "--json", "--agent", agent)
    seen = clew.run("diff", "--iteration", "1")
    answered = clew.run("answer", asked.summary["session_id"], "accept-1")
    applied = clew.run("apply", "--commit")
    message = git(clew.project, "log", "-1", "--format=%B")

    assert f"+{AFTER}" in seen.out
    assert 1 == asked.code
    assert "the fix of iteration 1 was proposed once more" in asked.out + asked.err
    assert "accept-1" in asked.out + asked.err
    assert "Tests still fail" not in asked.out + asked.err
    assert 0 == answered.code, answered.out + answered.err
    assert "a person settled the doubt" in answered.out
    assert 0 == applied.code, applied.err
    assert AFTER in (clew.project / "words.py").read_text()
    said = " ".join(message.split())
    assert "but for what a person vouched for" in said
    assert "A person vouched for this fix, which the proof doubts: " in said
    lesson = (clew.project / "debug" / "knowledge-base.md").read_text()
    assert "**Left open**: a person vouched for it, the proof doubts: " in lesson
    assert "a person accepted it; before, " in clew.run("show").out
    summary = next((clew.project / ".clew").rglob("summary.md")).read_text()
    assert "**a person says so**" in summary


@pytest.mark.slow
def test_a_person_who_makes_the_change_by_hand_accepts_it(tmp_path: Path) -> None:
    """What the guides advise leads out."""
    clew = made(tmp_path)
    told = diagnosis("one is no plural", CHANGE)
    agent = recording(tmp_path / "r.jsonl", told, fix(CHANGE))
    asked = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    (clew.project / "words.py").write_text(BEFORE.replace(BEFORE[21:], AFTER))

    resumed = clew.run("resume")
    answered = clew.run("answer", asked.summary["session_id"], "accept")

    assert 1 == resumed.code
    assert "accept" in resumed.out + resumed.err
    assert 0 == answered.code, answered.out + answered.err
    assert "a person settled the doubt" in answered.out


@pytest.mark.slow
def test_what_was_edited_in_the_worktree_is_named_before_a_fix_is_accepted(tmp_path: Path) -> None:
    """The accepted fix takes its place, and the edits are kept."""
    clew = made(tmp_path)
    told = diagnosis("one is no plural", CHANGE)
    agent = recording(tmp_path / "r.jsonl", told, fix(CHANGE))
    asked = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    (worktree,) = clew.state.glob("projects/*/worktrees/*")
    (worktree / "new.py").write_text("A = 1\n")

    answered = clew.run("answer", asked.summary["session_id"], "accept-1")

    assert 0 == answered.code, answered.out + answered.err
    assert "your edits of new.py in the worktree are set aside" in answered.err


@pytest.mark.slow
def test_what_is_tampering_cannot_be_accepted(tmp_path: Path) -> None:
    """A fix that reads the tests is no doubt."""
    clew = made(tmp_path)
    cheat = (
        "    wanted = open('test_words.py').read()\n"
        "    return f'{n} {word}' if f'{n} {word}\\'' in wanted else f'{n} {word}s'\n"
    )
    change = {**CHANGE, "should_be": cheat}
    agent = recording(tmp_path / "r.jsonl", diagnosis("one is no plural", change), fix(change))

    asked = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    answered = clew.run("answer", asked.summary["session_id"], "accept-1")

    assert 1 == asked.code
    assert "accept-1" not in asked.out + asked.err
    assert 2 == answered.code
    assert "is not an answer" in answered.err
