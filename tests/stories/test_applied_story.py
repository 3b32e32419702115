"""A fix that was applied: all that tells of the session says so."""

from __future__ import annotations

import pytest

from moments import Moment
from projects import two_fixes


@pytest.mark.slow
def test_all_that_is_told_of_a_fix_agrees_before_and_after_it_is_applied(proven: Moment) -> None:
    """Terminal, JSON, each report, the summary and the knowledge base."""
    clew, session = proven.again(), proven.said.summary["session_id"]
    home = clew.project / ".clew" / "sessions" / session / "summary.md"
    reports = [clew.project / path for path in proven.said.summary["reports"]]

    def told() -> list[object]:
        return [clew.run(command, "--json").summary["applied"] for command in ("status", "show")]

    assert [False, False] == told()
    for text in [path.read_text() for path in reports]:
        assert "- **Status**: Fix Proven\n" in text
        assert "; `clew apply` puts it into your tree\n" in text
    assert f"Your files stay as they are until `clew apply {session}`." in home.read_text()

    assert 0 == clew.run("apply").code
    assert [True, True] == told()
    for command in ("status", "show"):
        assert "applied: `clew apply` has put it into your files" in clew.run(command).out
    for text in [path.read_text() for path in reports]:
        assert "- **Status**: Fixed\n" in text
        assert "; `clew apply` has put it into your files\n" in text
        assert 1 == text.count("[workflow summary]")
    summary = home.read_text()
    assert f"`clew apply {session}` has put it into your files" in summary
    assert ("Your files stay as they are until" in summary, "apply it:" in summary) == (
        False,
        False,
    )
    lesson = (clew.project / "debug" / "knowledge-base.md").read_text()
    assert f"in your tree after `clew apply {session}`" in lesson

    assert 0 == clew.run("apply", "--undo").code
    assert [False, False] == told()
    for text in [path.read_text() for path in reports]:
        assert "- **Status**: Fix Proven\n" in text
        assert "; `clew apply` puts it into your tree\n" in text
    assert "It was in your files, and you took it out" in home.read_text()
    assert "green in session" not in clew.run("evidence").out, "their tree has not what was green"
    assert 0 == clew.run("apply").code
    assert f"`clew apply {session}` has put it into your files" in home.read_text()


@pytest.mark.slow
def test_a_session_without_a_fix_names_the_one_that_has_it(proven: Moment) -> None:
    """A mistyped test name begins a session, and ends it."""
    clew, session = proven.again(), proven.said.summary["session_id"]
    assert 0 != clew.run("fix", "--", "-k", "nothing_is_called_so").code

    said = clew.run("apply")

    assert 2 == said.code
    assert f"`clew apply {session}`" in said.err, said.err


@pytest.mark.slow
def test_a_search_says_that_a_fix_was_undone(proven: Moment) -> None:
    """The knowledge base keeps its entry, which is the person's; the session went back from it."""
    clew = proven.again()
    lesson = (clew.project / "debug" / "knowledge-base.md").read_text()
    words = ("knowledge", "search", lesson.partition("\n## ")[2].partition(" ")[0])
    assert "undone" not in clew.run(*words).out
    assert "--undo" not in clew.run("rollback", "start").out

    assert "undone since" in clew.run(*words).out
    summary = next(clew.project.glob(".clew/sessions/*/summary.md")).read_text()
    assert "- **Outcome**: was green; the session has gone back to its checkpoint" in summary
    assert "**Verdict**: " not in summary
    assert "This fix cannot be applied any more" in summary


@pytest.mark.slow
def test_what_is_applied_is_told_from_the_tree_as_it_is(proven: Moment) -> None:
    """Another session may have brought the same fix, or taken it out again."""
    clew, session = proven.again(), proven.said.summary["session_id"]
    paths = [path for path in clew.project.rglob("*.py") if ".clew" not in path.parts]
    agent, before = (
        two_fixes(proven.folder / "r.jsonl"),
        {path: path.read_bytes() for path in paths},
    )
    assert 0 == clew.run("apply").code
    fixed = {path: path.read_bytes() for path in paths}
    for path, content in before.items():
        path.write_bytes(content)

    assert f"take it: clew apply {session}" in clew.run("status").out
    assert "applied" not in clew.run("list").out
    assert "it is not in your files" in clew.run("fix", "--agent", agent).out

    for path, content in fixed.items():
        path.write_bytes(content)
    again = clew.run("apply")
    assert "already applied: every file has the fix" in again.out
    assert "edited" not in again.out, again.out
    assert "applied: `clew apply` has put it into your files" in clew.run("status").out


@pytest.mark.slow
def test_a_diagnosis_points_to_the_fix_that_waits(proven: Moment) -> None:
    """It does not say that a fix would be searched again: `clew fix` would only point to it."""
    clew, session = proven.again(), proven.said.summary["session_id"]
    env = {"CLEW_AGENT": two_fixes(proven.folder / "r.jsonl")}

    for words in ((), (session,)):
        said = clew.run("diagnose", *words, env=env).out
        assert f"next     `clew diff {session}`" in said, said
        assert f"`clew apply {session}` puts it into your files" in said
        assert "searches again" not in said


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_fix_of_clew_that_is_in_the_files_is_not_called_work_by_hand(
    proven: Moment, *, elsewhere: bool
) -> None:
    """Whichever session made it: it is learnt once, and told as that fix."""
    clew, session = proven.again(), proven.said.summary["session_id"]
    base = clew.project / "debug" / "knowledge-base.md"
    lessons, name = base.read_text(), session
    if elsewhere:  # one that mends nothing
        name = f"{session}-2"
        words = ("--again", "--agent", "command:false", "--max-iterations", "1")
        assert 1 == clew.run("fix", *words).code
        assert 0 == clew.run("apply", session).code
    else:
        assert 0 == clew.run("apply").code
        said = clew.run("rollback", session, "start")
        undo = f"`clew apply --undo {session}` takes it out"
        assert (1, True) == (said.code, undo in said.out), said

    said = clew.run("resume", name)
    assert 0 == said.code, said
    assert lessons == base.read_text()
    summary = (clew.project / ".clew" / "sessions" / name / "summary.md").read_text()
    told = [clew.run("status", name).out, summary]
    told += [path.read_text() for path in clew.project.glob("debug/*_*/*.md")]
    assert [] == [text for text in told if "by hand" in text.lower()]
    (maker,) = [line for line in summary.splitlines() if line.startswith("- **Fixed by**")]
    assert elsewhere == (f"- **Fixed by**: session {session}" == maker), maker
    if not elsewhere:
        assert "undone since" not in summary
        for path in proven.said.summary["reports"]:
            assert "- **Status**: Fixed\n" in (clew.project / path).read_text()
