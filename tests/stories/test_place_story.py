from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import git, write
from repositories import ANSWER, FILES, RIGHT, mend, mended, person, tree


def left_waiting(clew: CommandLine) -> str:
    """Leave a session that was cut off before its proof."""
    assert -9 == mend(clew, env={"CLEW_CRASH_AT": "Prove.intent"}).code
    return str(clew.run("status", "--json").summary["session_id"])


@pytest.mark.slow
def test_a_project_that_was_moved_keeps_its_sessions(tmp_path: Path) -> None:
    """They are found, shown, gone on with and applied at the new place, and at the next one."""
    clew = person(tmp_path)
    session = left_waiting(clew)
    for number, place in enumerate(("renamed", "deeper/down")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        clew.project = clew.project.rename(tmp_path / place)
        assert session in clew.run("list").out, number
    before = tree(clew)
    said = clew.run("resume", "--json")
    assert (0, "green", session) == (said.code, said.summary["status"], said.summary["session_id"])
    assert before == tree(clew)
    assert 0 == clew.run("apply").code
    assert f"{RIGHT}\n" == (clew.project / ANSWER).read_text()
    assert 1 == len(list((clew.state / "projects").iterdir()))


@pytest.mark.slow
def test_a_copy_is_a_project_of_its_own(tmp_path: Path) -> None:
    """While the original stands its sessions stay there, and a copy has none."""
    clew = person(tmp_path)
    session = left_waiting(clew)
    copy = CommandLine(tmp_path / "copy", clew.state)
    shutil.copytree(clew.project, copy.project, symlinks=True)
    assert "No session yet" in copy.run("list").err
    mended(copy)
    assert session in clew.run("list").out


@pytest.mark.parametrize("name", [".clew", "debug"])
def test_documents_are_not_written_through_links(tmp_path: Path, name: str) -> None:
    """A link in the place of a folder for documents is refused before anything runs."""
    clew = person(tmp_path)
    outside = write(tmp_path / "outside", {"mine.txt": "mine\n"})
    (clew.project / name).symlink_to(outside)
    said = mend(clew)
    assert (2, "", True) == (said.code, said.out, f"{name} is a symbolic link" in said.err)
    assert ["mine.txt"] == [path.name for path in outside.iterdir()]
    (clew.project / name).unlink()


@pytest.mark.slow
def test_documents_are_not_written_through_links_that_come_later(tmp_path: Path) -> None:
    """Nor are reports; with a folder in its place the session goes on."""
    clew = person(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    topic = clew.project / "debug" / "phase1_failures"
    topic.parent.mkdir()
    topic.symlink_to(outside)
    said = mend(clew)
    assert (2, True) == (said.code, "is a symbolic link" in said.err), said
    topic.unlink()
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert [] == list(outside.iterdir())


@pytest.mark.slow
def test_projects_of_one_repository_are_mended_each_on_its_own(tmp_path: Path) -> None:
    """A session runs the tests of the folder that was named, by a link too; all are in one list."""
    clew = person(tmp_path, {f"packages/{name}/{ANSWER}": FILES[ANSWER] for name in "ab"})
    sessions = []
    for name in "ab":
        (tmp_path / name).symlink_to(clew.project / "packages" / name)
        part = CommandLine(tmp_path / name, clew.state)
        sessions.append(mended(part, place=f"packages/{name}/{ANSWER}").summary["session_id"])
    assert sessions[::-1] == [line["session"] for line in clew.run("list", "--json").events]
    assert FILES[ANSWER] == (clew.project / ANSWER).read_text()


def test_a_repository_of_an_unknown_format_is_refused(tmp_path: Path) -> None:
    """In the words of git; nothing is written."""
    clew = person(tmp_path)
    git(clew.project, "config", "core.repositoryFormatVersion", "1")
    git(clew.project, "config", "extensions.fromTheFuture", "true")
    said = mend(clew)
    assert 2 == said.code
    assert "fromthefuture" in said.err
    assert "`git status` there must work first" in said.err
    assert not (clew.project / ".clew").exists()


@pytest.mark.slow
def test_an_index_that_cannot_be_read_is_named_and_no_session_begins(tmp_path: Path) -> None:
    """In the words of git, with the next step; with an index made anew the work begins."""
    clew = person(tmp_path)
    index = clew.project / ".git" / "index"
    index.write_bytes(b"garbage")
    for said in (mend(clew), clew.run("diagnose")):
        assert 1 == said.code
        assert ".git/index: index file smaller than expected" in said.err
        assert f"`git status` in {clew.project} must work first" in said.err
    assert b"garbage" == index.read_bytes()
    assert [] == clew.run("list", "--json").events
    index.unlink()
    git(clew.project, "reset", "-q")
    mended(clew)
