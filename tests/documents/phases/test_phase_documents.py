"""The document of a plan's session, written and read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from msgspec.structs import replace

from clew.documents.phases import DocumentUnreadable, read, render, save
from clew.documents.phases.front import front_of
from clew.words.phases import (
    AgentOutput,
    ErrorKind,
    PhaseError,
    PhaseStatus,
    SessionRecord,
    TokenCount,
    downstream_context,
)
from phasekit import PLAN_SESSION, RECORD, minutes, session_records

GOLDEN = Path(__file__).parents[2] / "formats" / "golden"
FOREIGN = sorted(GOLDEN.glob("session-from-*"), key=lambda path: path.name)
foreign = pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.stem)


def test_a_document_gives_back_what_it_was_rendered_from() -> None:
    """What stands in its log included: it alone is enough to go on from."""
    assert RECORD == read(render(RECORD))


@settings(max_examples=20)
@given(session_records())
@example(SessionRecord(session_id="tides", task="\x1b"))
def test_any_session_survives(session: SessionRecord) -> None:
    """Whatever is written in it; and saving it changes nothing."""
    content = render(session)
    again = read(content)

    assert front_of(session) == front_of(again)
    assert content == render(again)
    assert content == save(content, session)


@settings(max_examples=10)
@given(session_records(), session_records())
def test_any_session_can_take_the_place_of_any_other(
    before: SessionRecord, after: SessionRecord
) -> None:
    """The document says what a new one would."""
    saved = save(render(before), after)

    assert front_of(after) == front_of(read(saved))
    assert saved == save(saved, after)


@foreign
def test_a_document_of_another_tool_is_saved_back_as_it_is(path: Path) -> None:
    """Byte for byte: YAML and JSON, CRLF, unknown keys, comments and trailing blanks."""
    content = path.read_bytes()

    assert content == save(content, read(content))


def test_what_another_tool_wrote_is_understood() -> None:
    """Text ids, times with a zone, errors that are mere words, totals beyond the agents."""
    by_hand, in_json = (
        read((GOLDEN / f"session-from-maestro-{name}-v1.md").read_bytes())
        for name in ("by-hand", "json")
    )

    assert ("parse", "Import bank statements") == (by_hand.current_phase, by_hand.task)
    assert "2026-03-02T07:00:00+00:00" == str(by_hand.created).replace(" ", "T")
    assert ("amounts are in cents",) == by_hand.phases[0].downstream_context.warnings
    assert ("parse",) == by_hand.phases[1].blocked_by

    assert [("unknown", "runtime", "agent returned without a Task Report")] == [
        (error.agent, error.type, error.message) for error in in_json.phases[1].errors
    ]
    assert TokenCount(input=52100, output=9800, cached=40000) == in_json.token_usage.total
    assert (
        TokenCount(input=21100, output=3800, cached=18000)
        == (in_json.token_usage.by_agent["unattributed"])
    )
    assert "no files and no context were reported" == in_json.phases[2].reconciliation_reason
    assert ("batch-2", "native", "medium") == (
        in_json.current_batch,
        in_json.execution_backend,
        in_json.task_complexity,
    )


def changed(session: SessionRecord) -> SessionRecord:
    """Complete what failed or runs, with all that this brings along."""
    first = next(p for p in session.phases if p.status.value in ("failed", "in_progress"))
    error = PhaseError(agent="clew", timestamp=minutes(1), type=ErrorKind.RUNTIME, message="died")
    done = replace(
        first,
        status=PhaseStatus.COMPLETED,
        completed=minutes(9),
        files_created=(*first.files_created, "new.py"),
        downstream_context=downstream_context({"warnings": ["mind the tide"]}),
        errors=(*(replace(each, resolved=True) for each in first.errors), error),
        outputs=(AgentOutput(agent="coder", text="Done."),),
    )
    phases = tuple(done if each is first else each for each in session.phases)
    return replace(session, updated=minutes(10), phases=phases)


@foreign
def test_a_changed_field_changes_only_that(path: Path) -> None:
    """Every line that says anything else is as it was, and the document says what it should."""
    content = path.read_bytes()
    before = read(content)
    if not before.phases:
        return
    after = changed(before)
    saved = save(content, after)
    touched = (
        *(b"updated", b"status", b"completed", b"files_created", b"warnings", b"errors"),
        *(b"resolved", b"agent returned"),
    )
    lost = [
        line
        for line in content.splitlines(keepends=True)
        if line not in saved.splitlines(keepends=True)
        and not line.strip().lstrip(b'"').startswith(touched)
    ]

    assert [] == lost
    assert after == read(saved)
    assert (b"\r\n" in content) == (saved.count(b"\r\n") == saved.count(b"\n"))
    assert content.startswith(b"\xef\xbb\xbf") == saved.startswith(b"\xef\xbb\xbf")


def test_a_phase_that_a_plan_drops_or_adds_is_dropped_or_added() -> None:
    """In its place; the others keep every byte."""
    content = (GOLDEN / "session-from-maestro-v1.md").read_bytes()
    session = read(content)
    one, _, three, four = session.phases
    other = replace(four, id="x", name="Other")
    saved = save(content, replace(session, phases=(one, other, three, four)))

    assert [1, "x", 3, 4] == [phase.id for phase in read(saved).phases]
    assert content[: content.index(b"  - id: 2")] in saved
    assert content[content.index(b"  - id: 3") : content.index(b"---\n\n# User")] in saved


def test_phases_stand_in_the_order_of_the_session() -> None:
    """Of one that takes another's place as well."""
    content = (GOLDEN / "session-from-maestro-v1.md").read_bytes()
    session = read(content)
    one, two, three, four = session.phases
    saved = save(content, replace(session, phases=(four, replace(two, id="x"), one, three)))

    assert [4, "x", 1, 3] == [phase.id for phase in read(saved).phases]


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        ("no indent", ("phases:", "- id: 1", "  name: a", "  agents:", "  - coder")),
        ("by four", ("phases:", "    -   id: 1", "        name: a", "        agents: [coder]")),
        ("aligned", ("phases:", "  - id:     1", "    name:   a", "    agents: [ coder ]")),
    ],
)
def test_the_style_of_a_document_stays(style: str, lines: tuple[str, ...]) -> None:
    """However its lists are indented and its values aligned."""
    front = ("session_id: a", "status:   in_progress", "created:", *lines, "owner:   Grace   # ask")
    content = "\n".join(("---", *front, "---", "", f"# {style}", "")).encode()
    session = read(content)
    saved = save(content, replace(session, task="tides", current_phase=1)).decode()

    assert {*content.decode().splitlines()} - {*saved.splitlines()} == set()
    assert ("tides", 1) == (read(saved.encode()).task, read(saved.encode()).current_phase)


def test_our_log_is_rewritten_and_the_words_around_it_stay() -> None:
    """A section that another tool wrote of a phase is its own; ours follows once we know more."""
    content = (GOLDEN / "session-from-maestro-v1.md").read_bytes()
    session = read(content)
    first = save(content, changed(session)).decode()
    noted = first.replace("<!-- /clew:log -->\n", "<!-- /clew:log -->\n\nA note below.\n")
    again = save(noted.encode(), replace(read(noted.encode()), task="x")).decode()

    assert content.decode().partition("---\n\n")[2] in first
    assert 1 == first.count("## Phase 3: Login endpoint ✓") == again.count("<!-- clew:log -->")
    assert "## Phase 1: Data models ✓" not in first.partition("<!-- clew:log -->")[2]
    assert again.endswith("A note below.\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"# no front matter\n", "no front matter"),
        (b"---\nsession_id: a\nstatus: \xff\n---\n", "line 3 has byte 0xff"),
        (b'---\n{"session_id": "a", "status": "completed", "status": "x"}\n---\n', "duplicate"),
        (b'---\n{"session_id": "a", "status": [}\n---\n', "line"),
        (b"---\nstatus: in_progress\n---\n", "session_id"),
        (b"---\nsession_id: ../a\n---\n", "is not a valid session name"),
        (b"---\nsession_id: a\nstatus: done\n---\n", "'done'"),
        (b"---\nsession_id: a\nphases: 3\n---\n", "phases: '3' is not a list"),
        (b"---\nsession_id: a\nphases: [{id: 1, name: a, errors: x}]\n---\n", "errors: 'x'"),
        (b"---\nsession_id: a\nphases: [{id: true, name: a}]\n---\n", "phases[0].id"),
        (b"---\nsession_id: a\nphases: [{id: 0, name: a}]\n---\n", "0 is not a valid phase id"),
        (b"---\nsession_id: a\nphases: [{id: '', name: a}]\n---\n", "'' is not a valid phase id"),
        (b"---\nsession_id: a\nphases: [{id: 1, name: a}, {id: 1, name: b}]\n---\n", "two have"),
        (b"---\nsession_id: a\nphases: [{id: 1, name: a, status: new}]\n---\n", "'new'"),
        (b"---\nsession_id: a\nphases: [{id: 1, name: a, agents: coder}]\n---\n", "agents"),
        (b"---\nsession_id: a\nphases: [x]\n---\n", "phases[0]"),
        (b"---\nsession_id: a\ncreated: soon\n---\n", "created: 'soon' is not a time"),
    ],
)
def test_a_broken_document_says_where(content: bytes, words: str) -> None:
    """It is never a traceback, and there is a next step."""
    with pytest.raises(DocumentUnreadable) as caught:
        read(content)

    assert words in caught.value.message
    assert caught.value.hint != ""


def test_ids_of_numbers_and_texts_are_two() -> None:
    """1 and "1" may stand side by side."""
    content = b'---\nsession_id: a\nphases: [{id: 1, name: a}, {id: "1", name: b}]\n---\n'

    assert [1, "1"] == [phase.id for phase in read(content).phases]


def test_each_phase_has_its_sign() -> None:
    """In the heading of its section."""
    headings = [each for each in render(RECORD).decode().splitlines() if each.startswith("## ")]

    assert [
        "## Phase 1: Models ✓",
        "## Phase 2: Parser ○",
        "## Phase 3: Command line ○",
        "## Phase 4: Charts ✗",
        "## Phase docs: Documentation □",
        "## Phase 6: Web page –",  # noqa: RUF001 - the sign itself
    ] == headings
    assert PLAN_SESSION in render(RECORD).decode()
