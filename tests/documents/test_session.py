"""The session document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.spending import Tally
from clew.documents import session
from clew.words.phases import PhaseRecord, PhaseStatus, TokenCount
from storykit import NOW, SESSION, VIEW

MAESTRO = """\
---
# kept by hand
session_id: "2026-02-01-auth"
created: "2026-02-01T10:00:00Z"
updated: 2026-02-01T10:30:00Z
status: "in_progress"
design_document: ".gemini/plans/auth-design.md"
implementation_plan: ".gemini/plans/auth-impl-plan.md"
current_phase: 2
total_phases: 2
task_complexity: medium  # a later key

token_usage:
  total_input: 10
  total_output: 5
  total_cached: 0
  by_agent:
    coder:
      input: 10
      output: 5
      cached: 0

phases:
  - id: 1
    name: "Models"
    status: "completed"
    agents: ["coder"]
    parallel: false
    started: "2026-02-01T10:00:00Z"
    completed: "2026-02-01T10:20:00Z"
    blocked_by: []
    files_created: ["src/models.py"]
    files_modified: []
    files_deleted: []
    errors: []
    retry_count: 0
    downstream_context: {assumptions: ["one tenant"]}
  - id: 2
    name: "Routes"
    status: "in_progress"
    agents: []
    blocked_by: [1]
    errors:
      - agent: "coder"
        timestamp: "2026-02-01T10:25:00Z"
        type: "timeout"
        message: "no answer"
        resolution: "pending"
        resolved: false
    retry_count: 1
---

# Auth Orchestration Log

## Phase 1: Models ✓

Words of a person.
"""


def test_a_document_reads_back_as_it_was_rendered() -> None:
    """Every key of the format, and our own."""
    read = session.parse(session.render(VIEW))

    assert (read.session_id, read.status, read.created) == (SESSION, "in_progress", NOW)
    assert read.token_usage.total.input == 8000
    assert read.token_usage.by_agent["claude"] == TokenCount(input=8000, output=4000, cached=2000)
    bare = replace(VIEW.phases[0], outputs=(), validation="")
    assert read.phases == (bare,)
    assert read.front["clew"]["reports"] == list(VIEW.reports)
    assert read.front["clew"]["question"] == "q1"
    assert list(read.front) == [
        "session_id",
        "created",
        "updated",
        "status",
        "design_document",
        "implementation_plan",
        "current_phase",
        "total_phases",
        "token_usage",
        "phases",
        "clew",
    ]


def test_totals_are_the_sums_of_the_agents() -> None:
    """Whatever the agents used."""
    view = replace(VIEW, spent={"a": Tally(input=1), "b": Tally(input=2, cached=5)})

    assert session.parse(session.render(view)).token_usage.total.input == 3
    assert session.parse(session.render(view)).token_usage.total.cached == 5
    assert session.parse(session.render(VIEW)).front["clew"]["money"] == {
        "claude": "$0.2500, and of 1 call not all is known",
        "repair": "$0.00",
    }


def test_a_document_of_the_tool_whose_format_it_is_opens() -> None:
    """Unquoted times, later keys and all."""
    read = session.parse(MAESTRO)

    assert (read.session_id, read.current_phase, read.total_phases) == ("2026-02-01-auth", 2, 2)
    assert [phase.status for phase in read.phases] == ["completed", "in_progress"]
    assert read.phases[1].errors[0].message == "no answer"
    assert read.front["task_complexity"] == "medium"
    assert "Words of a person." in read.body


def test_bringing_it_up_to_date_keeps_what_is_not_ours() -> None:
    """Keys, comments, quotes, order and the body."""
    view = replace(
        VIEW,
        session_id="2026-02-01-auth",
        phases=(PhaseRecord(id=2, name="Routes", status=PhaseStatus.FAILED),),
    )

    text = session.update(MAESTRO, view)
    read = session.parse(text)

    assert "# kept by hand\n" in text
    assert "task_complexity: medium  # a later key\n" in text
    assert 'name: "Models"' in text
    assert "Words of a person." in read.body
    assert "downstream_context" in read.front["phases"][0]
    assert [phase.status for phase in read.phases] == ["completed", "failed"]
    assert list(read.front)[:3] == ["session_id", "created", "updated"]
    assert read.front["clew"]["iteration"] == 2


def test_bringing_it_up_to_date_twice_changes_nothing() -> None:
    """Our own log is replaced, not repeated, and words around it stay."""
    once = session.update(MAESTRO, VIEW)
    noted = once + "\nA note below.\n"

    assert session.update(once, VIEW) == once
    assert session.update(noted, VIEW) == noted
    assert session.update(session.render(VIEW), VIEW) == session.render(VIEW)


def test_a_document_without_additions_is_as_one_that_is_written_anew() -> None:
    """So that one that nobody touched need not be read: whatever it was, it becomes the same."""
    early = replace(VIEW, phases=(), spent={}, iterations=(), reports=(), outcome="", proof=None)
    later = replace(VIEW, spent={**VIEW.spent, "codex": Tally(calls=1)}, question=None)
    for before, after in ((early, VIEW), (VIEW, later), (early, later)):
        assert session.render(after) == session.update(session.render(before), after)


def test_line_ends_stay_what_they_were() -> None:
    """A document with CRLF keeps it."""
    text = session.update(MAESTRO.replace("\n", "\r\n"), VIEW)

    assert text.count("\n") == text.count("\r\n")
    assert session.parse(text).status == "in_progress"


def test_json_between_the_fences_is_read() -> None:
    """Newer writers do that."""
    read = session.parse('---\n{"session_id": "a-b", "status": "completed", "phases": []}\n---\n')

    assert (read.session_id, read.status) == ("a-b", "completed")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("# no front matter\n", "no front matter"),
        ("---\nsession_id: a\n", "no front matter"),
        ("---\na: [\n---\n", "line"),
        ("---\n- a\n---\n", "not a map"),
        ("---\nstatus: x\n---\n", "session_id"),
        ("---\nsession_id: a\nstatus: b\nphases: 3\n---\n", "phases"),
        ("---\nsession_id: a\nsession_id: b\n---\n", "duplicate"),
        (
            "---\nsession_id: a\nstatus: b\n"
            "a0: &a0 [x, x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
            + "---\n",
            "unfolds",
        ),
    ],
)
def test_a_broken_document_says_where(text: str, words: str) -> None:
    """It is never a traceback, and there is a next step."""
    with pytest.raises(session.DocumentUnreadable) as caught:
        session.parse(text)

    assert words in caught.value.message
    assert caught.value.hint != ""


@settings(max_examples=25)
@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text_survives_in_the_front_matter(goal: str, name: str) -> None:
    """Control characters aside; and none of it ends the front matter or the log."""
    goal = f"{goal}\n---\n<!-- /clew:log -->"
    phase = replace(VIEW.phases[0], name=name)
    view = replace(VIEW, goal=goal, phases=(phase,), known_issues=(goal,))

    text = session.render(view)

    assert session.update(text, view) == text
    assert session.parse(text).session_id == SESSION
    assert session.parse(text).body.count("<!-- /clew:log -->") == 1


@pytest.mark.parametrize(
    ("status", "mark"),
    [
        ("completed", "✓"),
        ("in_progress", "○"),
        ("failed", "✗"),
        ("pending", "□"),
        ("skipped", "–"),  # noqa: RUF001 - the sign itself
    ],
)
def test_each_status_has_its_sign(status: str, mark: str) -> None:
    """In the heading of its phase."""
    view = replace(VIEW, phases=(replace(VIEW.phases[0], status=status),))

    assert f"## Phase 1: Debugging {mark}\n" in session.render(view)
