"""One file of every format ever written: each still opens, and today's writer still writes it.

A format that changes gets a new version and a new file; files of old versions stay.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from clew.agents.prompts import GO_ON, ROLES, going_on, prompt, version
from clew.documents import (
    checkpoint,
    debug_sessions,
    escalation,
    knowledge,
    phases,
    plans,
    report,
    session,
    summary,
)
from clew.documents.markdown import sections
from clew.flows.debugging.states import replay
from clew.flows.investigation.events import CODEC as DEBUG_CODEC
from clew.flows.investigation.states import DebugState
from clew.flows.investigation.states import fold as fold_debug
from clew.flows.plan.events import CODEC as PLAN_CODEC
from clew.flows.plan.phases.events import CODEC as PHASE_CODEC
from clew.flows.plan.phases.states import PhaseWork
from clew.flows.plan.phases.states import fold as fold_phase
from clew.flows.plan.states import PlanState
from clew.flows.plan.states import fold as fold_plan
from clew.words import events as ev
from clew.words.events import Status
from clew.words.records import Recorded
from debugkit import DEBUGGED
from phasekit import RECORD
from storykit import (
    ASKED,
    CHECKPOINT,
    DIAGNOSIS,
    ENTRY,
    ESCALATION,
    META,
    PROMPT,
    PROOF,
    SESSION,
    SUMMARY,
    VIEW,
)

GOLDEN = Path(__file__).parent / "golden"


def names() -> str:
    """Return what a Clew has to know to read a journal: a name that is new is a new version."""
    schema = msgspec.json.schema(ev.AnyEvent)["$defs"]
    known = {name.partition("_clew.")[0]: form for name, form in schema.items()}
    told = {
        "rules": ev.RULES,
        "records": sorted(name for name, made in known.items() if "enum" not in made),
        "words": {name: made["enum"] for name, made in sorted(known.items()) if "enum" in made},
    }
    return msgspec.json.format(msgspec.json.encode(told)).decode() + "\n"


def foreign_plan(name: str) -> str:
    """Return what is read of a plan of another tool, in our own form."""
    text = (GOLDEN / f"plan-from-{name}").read_text("utf-8")
    plan, findings = plans.examine({name: text})
    assert [] == [finding for finding in findings if finding.is_error]
    return plans.write(plan)


FOREIGN_SESSIONS = tuple(
    f"session-from-maestro{form}-v1.md" for form in ("", "-json", "-by-hand", "-quick")
)
FOREIGN_PLANS = ("boxes-v1.md", "bullets-v1.md", "maestro-v1.md", "tasks-v1.json")
LOOP = ("diagnose", "fix", "review", "write-test", "document")


def told(role: str) -> str:
    """Return what is asked in a role: about failing tests, or about a task."""
    return prompt(role, PROMPT if role in LOOP else ASKED)


CURRENT = {
    **{f"plan-of-{name.partition('.')[0]}.md": foreign_plan(name) for name in FOREIGN_PLANS},
    "report-v2.md": report.render(DIAGNOSIS, META),
    "session-v2.md": session.render(VIEW),
    "plan-session-v1.md": phases.render(RECORD).decode(),
    "debug-session-v1.md": debug_sessions.render(DEBUGGED).decode(),
    "debug-summary-v1.md": debug_sessions.summary(
        DEBUGGED, "debug/sessions/checkout-total-is-off-by-a.md", "checkout-total-is-off-by-a"
    ),
    "checkpoint-v1.json": checkpoint.to_json(CHECKPOINT),
    "summary-v7.md": summary.render(VIEW, PROOF, SUMMARY),
    "escalation-v5.md": escalation.render(VIEW, ESCALATION),
    "knowledge-v4.md": knowledge.append(b"", ENTRY).decode(),
    **{f"prompt-{version(role).replace(' ', '-v')}.md": told(role) for role in ROLES},
    f"names-v{ev.SCHEMA_VERSION}.json": names(),
    f"prompt-{version(GO_ON).replace(' ', '-v')}.md": going_on("fix", PROMPT),
}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("events-v1-green.jsonl", Status.GREEN),
        ("events-v1-skipped.jsonl", Status.SKIPPED),
        ("events-v2-undone.jsonl", Status.WAITING),
        ("events-v2-disputed.jsonl", Status.WAITING),
        ("events-v2-repeated.jsonl", Status.WAITING),
        ("events-v2-proposed-anew.jsonl", Status.GREEN),
        ("events-v3-taken-back.jsonl", Status.GREEN),
        ("events-v3-deviated.jsonl", Status.WAITING),
        ("events-v4-all-roles.jsonl", Status.GREEN),
    ],
)
def test_every_stream_of_events_still_folds(path: str, status: Status) -> None:
    """A session leads where it led, by the rules and with the checkpoints of its day."""
    written_with = int(path.split("-")[1].removeprefix("v"))
    lines = (GOLDEN / path).read_bytes().splitlines()
    state = replay(recorded(line, written_with) for line in lines)
    assert status == state.status
    assert state.overall == len(state.history) > 1


def recorded(line: bytes, version: int) -> ev.Recorded:
    """Read an event as the journal does, which knows what version it was written with."""
    return ev.from_line(line.replace(b"{", f'{{"version":{version},'.encode(), 1))


def versions(kind: str) -> list[Path]:
    return sorted(GOLDEN.glob(f"{kind}-v*"))


@pytest.mark.parametrize("name", sorted(CURRENT))
def test_today_s_writer_writes_the_newest_version(name: str) -> None:
    """Byte for byte: a change of format is a decision."""
    assert CURRENT[name] == (GOLDEN / name).read_text("utf-8")


@pytest.mark.parametrize("path", versions("report"), ids=lambda path: path.name)
def test_every_report_still_opens(path: Path) -> None:
    """Sound, with its options and its recommendation."""
    text = path.read_text("utf-8")
    parsed = report.parse(text)

    assert report.problems(text, lambda _: 999) == ()
    assert parsed.metadata["number"] == "001"
    assert len(parsed.options) == 2
    assert parsed.recommended == (1,)


@pytest.mark.parametrize("path", versions("session"), ids=lambda path: path.name)
def test_every_session_document_still_opens(path: Path) -> None:
    """And can be brought up to date."""
    text = path.read_text("utf-8")
    read = session.parse(text)

    assert read.session_id == SESSION
    assert [phase.status for phase in read.phases] == ["in_progress"]
    assert session.parse(session.update(text, VIEW)).session_id == SESSION


@pytest.mark.parametrize("path", versions("checkpoint"), ids=lambda path: path.name)
def test_every_checkpoint_still_opens(path: Path) -> None:
    """With what it needs to go on from."""
    read = checkpoint.from_json(path.read_text("utf-8"))

    assert read.checkpoint_id == CHECKPOINT.checkpoint_id
    assert read.workflow_state["debug_iteration"] == 2


SUMMARY_SECTIONS = {
    "summary-v1.md": (
        "Metadata | What failed | What was changed | Iterations | Proof | Flaky tests | Performance"
        " | How to apply | Cross references"
    ),
    "summary-v2.md": (
        "Metadata | Phases | What failed | Implementation Overview | Test Results | Proof"
        " | Flaky tests | Performance | Artifacts | How to apply | Cross References | Lessons"
    ),
}
SUMMARY_SECTIONS["summary-v3.md"] = SUMMARY_SECTIONS["summary-v2.md"]
SUMMARY_SECTIONS["summary-v4.md"] = SUMMARY_SECTIONS["summary-v2.md"]
SUMMARY_SECTIONS["summary-v5.md"] = SUMMARY_SECTIONS["summary-v2.md"]
SUMMARY_SECTIONS["summary-v6.md"] = SUMMARY_SECTIONS["summary-v2.md"]
SUMMARY_SECTIONS["summary-v7.md"] = SUMMARY_SECTIONS["summary-v2.md"]


@pytest.mark.parametrize("path", versions("summary"), ids=lambda path: path.name)
def test_every_summary_has_its_sections(path: Path) -> None:
    """In the order that readers know."""
    titles = [part.title for part in sections(path.read_text("utf-8")) if part.level == 2]

    assert titles == SUMMARY_SECTIONS[path.name].split(" | ")


@pytest.mark.parametrize("path", versions("knowledge"), ids=lambda path: path.name)
def test_every_knowledge_base_still_opens(path: Path) -> None:
    """And is found to have the entry that it has."""
    (known,) = knowledge.parse(path.read_text("utf-8"))

    assert (known.slug, known.cause) == (ENTRY.slug, ENTRY.causes[0])
    assert knowledge.found(path.read_bytes(), SESSION, ENTRY.commit) == ENTRY.slug


@pytest.mark.parametrize("name", FOREIGN_PLANS)
def test_a_plan_of_another_tool_stays_the_same_in_our_own_form(name: str) -> None:
    """What is read of one is read of the other."""
    ours = (GOLDEN / f"plan-of-{name.partition('.')[0]}.md").read_text("utf-8")
    theirs = (GOLDEN / f"plan-from-{name}").read_text("utf-8")
    assert plans.read_plan(theirs, "").bare == plans.read_plan(ours, "").bare


@pytest.mark.parametrize("path", versions("plan-events"), ids=lambda path: path.name)
def test_every_stream_of_a_plan_still_folds(path: Path) -> None:
    """A plan of before resumes: its events lead to the same end."""
    state = PlanState()
    for seq, line in enumerate(path.read_bytes().splitlines(), 1):
        event = PLAN_CODEC.decode(line, PLAN_CODEC.version)
        at = datetime(2026, 3, 1, tzinfo=UTC)
        state = fold_plan(state, Recorded(session="s", seq=seq, at=at, event=event))
    assert state.ended
    assert "completed" == state.ended.status
    assert [1, 3, 2] == [phase for phase, _ in state.merges]


@pytest.mark.parametrize("path", versions("phase-events"), ids=lambda path: path.name)
def test_every_stream_of_a_phase_still_folds(path: Path) -> None:
    """A phase of before resumes: with a call cut off, one that failed, red tests, and a repair."""
    state, version = PhaseWork(), int(path.stem.rpartition("-v")[2])
    for seq, line in enumerate(path.read_bytes().splitlines(), 1):
        event = PHASE_CODEC.decode(line, version)
        at = datetime(2026, 3, 1, tzinfo=UTC)
        state = fold_phase(state, Recorded(session="s", seq=seq, at=at, event=event))
    assert state.ended
    assert ("completed", 2, "c2") == (state.ended.status, state.calls, state.commit)
    assert ["timeout", "validation"] == [error.type for error in state.errors]


@pytest.mark.parametrize("path", versions("debug-events"), ids=lambda path: path.name)
def test_every_stream_of_a_debug_session_still_folds(path: Path) -> None:
    """A debug session of before goes on: asked, explained, tested, fixed, confirmed."""
    state, version = DebugState(), int(path.stem.rpartition("-v")[2])
    for seq, line in enumerate(path.read_bytes().splitlines(), 1):
        event = DEBUG_CODEC.decode(line, version)
        at = datetime(2026, 3, 1, tzinfo=UTC)
        state = fold_debug(state, Recorded(session="s", seq=seq, at=at, event=event))
    assert state.ended
    assert ("resolved", "fixed") == (state.ended.status, state.ended.commit)
    assert (3, 1, 1) == (state.cycles, state.fixes, len(state.review))


@pytest.mark.parametrize("path", versions("plan-session"), ids=lambda path: path.name)
def test_every_document_of_a_plan_still_opens(path: Path) -> None:
    """And can be brought up to date."""
    content = path.read_bytes()
    session = phases.read(content)

    assert RECORD == session
    assert content == phases.save(content, session)


@pytest.mark.parametrize("path", versions("debug-session"), ids=lambda path: path.name)
def test_every_document_of_a_debug_session_still_opens(path: Path) -> None:
    """And can be brought up to date."""
    content = path.read_bytes()
    assert DEBUGGED == debug_sessions.read(content)
    assert content == debug_sessions.save(content, DEBUGGED)


def test_every_golden_file_has_a_version_and_a_test() -> None:
    """None lies about unread."""
    kinds = {path.name.rpartition("-v")[0] for path in GOLDEN.iterdir()}
    read = (*CURRENT, *FOREIGN_SESSIONS, *(f"plan-from-{name}" for name in FOREIGN_PLANS))

    assert kinds == {
        "events",
        "debug-session-from-gsd",  # in tests/documents/debug_sessions
        "debug-events",
        "phase-events",
        "plan-events",
        *(name.rpartition("-v")[0] for name in read),
    }
