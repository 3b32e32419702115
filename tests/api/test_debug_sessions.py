"""Debug sessions as any face has them: listed by their documents, found, searched for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from clew import api
from clew.documents import debug_sessions, knowledge
from clew.documents.debug_sessions import DocumentUnreadable
from clew.words.errors import SessionHeld, UsageError
from debugkit import DEBUGGED
from projects import commit_all, write
from storykit import ENTRY


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> api.ProjectSessions:
    """A project with debug sessions of before, and no journal."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    project = commit_all(write(tmp_path / "shop", {"a.py": "1\n"}))
    later = replace(DEBUGGED, updated="2026-03-15T00:00:00Z", trigger="newer")
    files = {
        "debug/sessions/off-by-a-cent.md": debug_sessions.render(DEBUGGED).decode(),
        "debug/sessions/newer.md": debug_sessions.render(later).decode(),
        "debug/sessions/odd.md": "no",
        "debug/sessions/newer.edited.md": "no session",
        "debug/sessions/resolved/old.md": debug_sessions.render(DEBUGGED).decode(),
        "debug/knowledge-base.md": knowledge.append(b"", ENTRY).decode(),
    }
    write(project, files)
    return api.sessions_at(project)


def test_malformed_documents_are_listed_as_such_and_hide_no_other(
    sessions: api.ProjectSessions,
) -> None:
    """The newest first; what is resolved only if it is asked for; never the knowledge base."""
    rows = api.debug_sessions_of(sessions)
    assert ["newer", "off-by-a-cent", "odd"] == [row.slug for row in rows]
    assert ["", "", True] == [row.problem and "no front matter" in row.problem for row in rows]
    assert DEBUGGED.focus.hypothesis == rows[1].hypothesis
    assert "old" in [row.slug for row in api.debug_sessions_of(sessions, resolved=True)]


@pytest.mark.parametrize("slug", ["nope", "../a", "", "a/b", "x" * 65])
def test_no_name_is_a_path(sessions: api.ProjectSessions, slug: str) -> None:
    """What is no slug is no session."""
    with pytest.raises(UsageError, match="there is no debug session"):
        api.debug_document(sessions, slug)
    with pytest.raises(UsageError, match="there is no debug session"):
        api.close_debug(sessions, slug)


def test_a_malformed_document_that_no_journal_knows_is_for_a_person_to_correct(
    sessions: api.ProjectSessions,
) -> None:
    """Nobody can write it anew, and that is what is said."""
    settings = api.settings_for(sessions, {})
    for look in (api.debug_document, lambda at, slug: api.continue_debug(at, settings, slug)):
        with pytest.raises(DocumentUnreadable, match=r"sessions/odd\.md: .*no front matter") as no:
            look(sessions, "odd")
        assert "No journal here knows this session: correct that place" in no.value.hint


def test_a_resolved_session_is_shown_and_not_gone_on_with(sessions: api.ProjectSessions) -> None:
    """It says how it is reopened."""
    assert DEBUGGED == api.debug_document(sessions, "old")[1]
    with pytest.raises(UsageError, match="old is resolved"):
        api.continue_debug(sessions, api.settings_for(sessions, {}), "old")


def test_what_was_fixed_before_is_found_by_a_word(sessions: api.ProjectSessions) -> None:
    """Best first; words of every failure find nothing."""
    assert [ENTRY.slug] == [match.slug for match in api.search_knowledge(sessions, ("TOTAL",))]
    assert () == api.search_knowledge(sessions, ("error",))


def test_symptoms_are_read_from_what_a_shell_substitutes() -> None:
    """As `--symptoms <(…)` has it; any other pipe may have no writer."""
    reader, writer = os.pipe()
    os.write(writer, b"actual: 9.99\n")
    os.close(writer)
    try:
        assert api.Symptoms(actual="9.99") == api.symptoms_in(Path(f"/dev/fd/{reader}"))
    finally:
        os.close(reader)


def test_symptoms_are_read_from_a_file(tmp_path: Path) -> None:
    """Field by field; any other words are what was seen."""
    file = tmp_path / "seen.txt"
    file.write_text("actual: 9.99\nerrors: |\n  Traceback\n  ValueError\n")
    assert api.Symptoms(actual="9.99", errors="Traceback\nValueError") == api.symptoms_in(file)
    with pytest.raises(UsageError, match="cannot be read"):
        api.symptoms_in(tmp_path / "none")


def test_one_process_works_on_a_session_at_a_time(sessions: api.ProjectSessions) -> None:
    """A second one is told which process holds it; nothing is done twice."""
    settings = api.settings_for(sessions, {})
    begun = api.debug(sessions, settings, api.DebugRequest(trigger="it is off"))
    assert ("waiting", "gathering") == (begun.status, begun.stage)
    with sessions.store.hold(begun.session), pytest.raises(SessionHeld):
        api.continue_debug(sessions, settings, "it-is-off")
    assert "waiting" == api.continue_debug(sessions, settings, "it-is-off").status


def test_a_name_that_is_taken_gets_a_number(sessions: api.ProjectSessions) -> None:
    """By a document that nobody's journal knows, too; nothing is overwritten."""
    settings = api.settings_for(sessions, {})
    begun = api.debug(sessions, settings, api.DebugRequest(trigger="off by a cent!"))
    assert begun.session.endswith("-off-by-a-cent-2")
    closed = api.close_debug(sessions, "off-by-a-cent-2")
    assert ("abandoned", 1) == (closed.status, closed.exit_code)
    assert "ABANDONED" in api.debug_summary(sessions, "off-by-a-cent-2")
    with pytest.raises(UsageError, match="nothing to close") as said:
        api.close_debug(sessions, "off-by-a-cent-2")
    assert "`clew debug continue off-by-a-cent-2` continues it." == said.value.hint


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("python3 'x", "cannot be read: No closing quotation"),
        ("a | b", r"needs a shell \(\|\): a \| b"),
        ("no-such-program 1", "cannot be run: no-such-program was not found: no-such-program 1"),
        ("./gone.sh", r"cannot be run: \./gone\.sh was not found"),
    ],
)
def test_a_command_that_cannot_be_run_opens_no_session(
    sessions: api.ProjectSessions, line: str, why: str
) -> None:
    """Neither one that shows the symptom nor one that works; which of them it is is said."""
    settings = api.settings_for(sessions, {})
    named = {
        "the command that shows the symptom": api.Symptoms().shown_by(line),
        "the command to compare with": api.Symptoms().shown_by("true", line),
    }
    for what, symptoms in named.items():
        request = api.DebugRequest(trigger="it is off", symptoms=symptoms)
        with pytest.raises(UsageError, match=f"^{what} {why}"):
            api.debug(sessions, settings, request)
    assert () == tuple(sessions.listing())
    assert not (sessions.project.root / "debug/sessions/it-is-off.md").exists()


def test_a_command_of_an_answer_that_cannot_be_run_is_told_to_be_so(
    sessions: api.ProjectSessions,
) -> None:
    """With where another is named; the session goes on."""
    begun = api.debug(
        sessions, api.settings_for(sessions, {}), api.DebugRequest(trigger="it is off")
    )
    api.answer(sessions, begun.session, "$ no-such-program 1")
    found = [each.found for each in api.debug_document(sessions, "it-is-off")[1].evidence]
    assert found[0] == (
        "it could not be run: no-such-program was not found; install it, or name another command"
        " in an answer: `$ command`"
    )
