"""Sessions of plans for tests: one that has met everything, and any at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from clew.words.phases import (
    AgentOutput,
    DownstreamContext,
    ErrorKind,
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
    SessionRecord,
    TokenCount,
    TokenUsage,
    downstream_context,
)

T0 = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
PLAN_SESSION = "2026-03-14-tide-tables"


def minutes(count: float) -> datetime:
    """Return the time so long after the session's start."""
    return T0 + timedelta(minutes=count)


RECORD = SessionRecord(
    session_id=PLAN_SESSION,
    task="tide tables",
    created=T0,
    updated=minutes(42),
    workflow_mode="standard",
    execution_mode="parallel",
    execution_backend="clew",
    task_complexity="medium",
    design_document=f".clew/plans/{PLAN_SESSION}-design.md",
    implementation_plan=f".clew/plans/{PLAN_SESSION}-impl-plan.md",
    current_phase=2,
    current_batch="3",
    token_usage=TokenUsage(
        by_agent={
            "coder": TokenCount(input=8000, output=4000, cached=2000),
            "tester": TokenCount(input=7000, output=4000, cached=1000),
        }
    ),
    phases=(
        PhaseRecord(
            id=1,
            name="Models",
            status=PhaseStatus.COMPLETED,
            agents=("coder",),
            started=T0,
            completed=minutes(20),
            files_created=("tides/models.py", "tests/test_models.py"),
            files_modified=("pyproject.toml",),
            planned_files=("tides/models.py", "tests/test_models.py"),
            downstream_context=DownstreamContext(
                key_interfaces_introduced=("tides.models.Tide",),
                warnings=("heights are in centimetres",),
            ),
            errors=(
                PhaseError(
                    agent="coder",
                    timestamp=minutes(9),
                    type=ErrorKind.VALIDATION,
                    message="2 of 11 tests are red",
                    resolution="retried: the second attempt passes",
                    resolved=True,
                ),
            ),
            retry_count=1,
            outputs=(AgentOutput(agent="coder", text="The models, with tests."),),
            validation="pass: 11 of 11 tests",
        ),
        PhaseRecord(
            id=2,
            name="Parser",
            status=PhaseStatus.IN_PROGRESS,
            agents=("coder",),
            parallel=True,
            started=minutes(21),
            blocked_by=(1,),
            planned_files=("tides/parser.py",),
        ),
        PhaseRecord(
            id=3,
            name="Command line",
            status=PhaseStatus.IN_PROGRESS,
            agents=("coder", "tester"),
            parallel=True,
            started=minutes(21),
            blocked_by=(1,),
        ),
        PhaseRecord(
            id=4,
            name="Charts",
            status=PhaseStatus.FAILED,
            agents=("coder",),
            started=minutes(30),
            blocked_by=(1,),
            files_created=("tides/charts.py",),
            errors=(
                PhaseError(
                    agent="coder",
                    timestamp=minutes(42),
                    type=ErrorKind.TIMEOUT,
                    message="no answer within 600 s",
                ),
            ),
            requires_reconciliation=True,
            reconciliation_reason="changed and not reported: tides/charts.py",
        ),
        PhaseRecord(id="docs", name="Documentation", blocked_by=(2, 3)),
        PhaseRecord(id=6, name="Web page", status=PhaseStatus.SKIPPED),
    ),
)

# --- any at all ----------------------------------------------------------------------------------

words = st.text(max_size=20)
instants = st.integers(0, 10**9).map(lambda n: datetime.fromtimestamp(n, UTC))
names = st.text(st.characters(categories=["Lu", "Ll", "Nd", "Po"]), min_size=1, max_size=8)
phase_ids = st.integers(1, 999) | names
paths = st.lists(words, max_size=3).map(tuple)

errors = st.builds(
    PhaseError,
    agent=words,
    timestamp=st.none() | instants,
    type=st.sampled_from(ErrorKind),
    message=words,
    resolution=words,
    resolved=st.booleans(),
)


def phase_records(
    ids: st.SearchStrategy[int | str] = phase_ids, known: tuple[int | str, ...] = ()
) -> st.SearchStrategy[PhaseRecord]:
    """Draw a phase, blocked by some of those that are known."""
    blockers = st.lists(st.sampled_from(known), max_size=3) if known else st.just([])
    return st.builds(
        PhaseRecord,
        id=ids,
        name=words,
        status=st.sampled_from(PhaseStatus),
        agents=paths,
        parallel=st.booleans(),
        started=st.none() | instants,
        completed=st.none() | instants,
        blocked_by=blockers.map(tuple),
        files_created=paths,
        files_modified=paths,
        files_deleted=paths,
        planned_files=paths,
        downstream_context=st.dictionaries(
            st.sampled_from(DownstreamContext.__struct_fields__), st.lists(names, max_size=2)
        ).map(downstream_context),
        errors=st.lists(errors, max_size=2).map(tuple),
        retry_count=st.integers(0, 3),
        requires_reconciliation=st.booleans(),
        reconciliation_reason=words,
    )


@st.composite
def session_records(draw: st.DrawFn) -> SessionRecord:
    """Draw a session; its log is empty, as documents do not give that back."""
    ids = draw(st.lists(phase_ids, max_size=3, unique_by=lambda each: (type(each), each)))
    tokens = st.none() | st.integers(0, 9)
    counts = st.builds(TokenCount, **dict.fromkeys(TokenCount.__struct_fields__, tokens))
    return SessionRecord(
        session_id=draw(st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True)),
        task=draw(words),
        created=draw(st.none() | instants),
        updated=draw(st.none() | instants),
        status=draw(st.sampled_from(OverallStatus)),
        workflow_mode=draw(st.none() | words),
        execution_mode=draw(st.none() | words),
        execution_backend=draw(st.none() | words),
        task_complexity=draw(st.none() | words),
        design_document=draw(st.none() | words),
        implementation_plan=draw(st.none() | words),
        current_phase=draw(st.none() | phase_ids),
        current_batch=draw(st.none() | words),
        token_usage=TokenUsage(by_agent=draw(st.dictionaries(names, counts, max_size=3))),
        phases=tuple(draw(phase_records(st.just(each), tuple(ids))) for each in ids),
    )
