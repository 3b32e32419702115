"""One debugging session in records: what documents are rendered from in tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from clew.agents.prompts import Brief, BriefSection, BriefText, FileExcerpt, ReportText
from clew.analysis.spending import Tally
from clew.documents.checkpoint import Checkpoint, Outputs
from clew.documents.escalation import Escalation
from clew.documents.knowledge import KnowledgeEntry
from clew.documents.views import (
    FileChange,
    IterationView,
    LogLine,
    ProofView,
    ReportMeta,
    SessionView,
    SummaryMeta,
)
from clew.words.events import OptionOffered, ProofRow, QuestionAsked, QuestionKind
from clew.words.facts import Category, Cause, Diagnosis, Edit, Option, Suspect
from clew.words.phases import (
    AgentOutput,
    ErrorKind,
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
)
from failurekit import crash, failed, frame

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
SESSION = "2026-03-14-make-the-tests-pass"
FIRST = "debug/phase1_failures/001_total_returns_14_instead_of_15.md"
SECOND = "debug/phase1_failures/002_discount_rounds_down.md"

DIAGNOSIS = Diagnosis(
    title="`total` returns 14 instead of 15",
    category=Category.TEST_FAILURE,
    root_cause=(
        "`total([5, 10], 0)` returns 14 where the test expects 15: one too few. The loop in `total`"
        " (shop/cart.py:12) stops before the last item."
    ),
    path="shop/cart.py",
    line=12,
    context="    for n in range(len(items) - 1):",
    evidence=(
        "tests/test_cart.py:7 in `test_total`: `assert total([5, 10]) == 15`",
        "shop/cart.py:12 in `total`: run by 1 of 1 failing and 0 of 6 passing tests",
    ),
    options=(
        Option(
            title="replace `len(items) - 1` by `len(items)`",
            approach="Let the loop run over all items.",
            pros=("turns the red test green, and none red", "changes one line"),
            cons=("one failing test speaks for it: other inputs are not tested",),
            steps=("In shop/cart.py:12, replace `len(items) - 1` by `len(items)`.",),
            edits=(
                Edit(
                    path="shop/cart.py",
                    line=12,
                    current="range(len(items) - 1)",
                    should_be="range(len(items))",
                ),
            ),
            diff="--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -12 +12 @@\n-x\n+y\n",
        ),
        Option(
            title="revise the test",
            approach="If 14 is what `total` ought to return, change the expectation.",
            pros=("no code changes",),
            cons=("needs a person who knows what is meant",),
            steps=("Settle what `total` ought to return.",),
        ),
    ),
    recommended=1,
    confidence="medium",
    confidence_reason="Only one failing test speaks for the change.",
    prevention="Test an empty list and a list of one item as well.",
    tried=("comparison: 14 candidates", "constant: 9 candidates"),
)

META = ReportMeta(
    date=NOW,
    number=1,
    topic="phase1_failures",
    created_by="repair",
    workflow="make the tests pass",
    session_id=SESSION,
    symptoms=("tests/test_cart.py::test_total: AssertionError: assert 14 == 15",),
    total=7,
    red=1,
    failed="an assertion in 1 test",
    output="E   assert 14 == 15\nE    +  where 14 = total([5, 10])",
    environment=("Python 3.12.1, pytest 8.3.4", "sandbox: namespace"),
    command="pytest -q",
    commit="0123456789abcdef0123456789abcdef01234567",
    cause="implementation_error / test",
)

ITERATIONS = (
    IterationView(
        number=1,
        result="Fewer errors",
        report_path=FIRST,
        root_cause="the loop stops before the last item",
        fix_attempted="replace `len(items) - 1` by `len(items)`",
        new_errors=("tests/test_price.py::test_half: AssertionError: assert 1 == 2",),
        progress=True,
        commit="1111111111111111111111111111111111111111",
        agent="repair",
        seconds=8.21,
        red_before=2,
        red_after=1,
        total=7,
        files=("shop/cart.py",),
    ),
    IterationView(
        number=2,
        result="Tests passing",
        report_path=SECOND,
        root_cause="`discount` rounds down",
        fix_attempted="replace `//` by `/`",
        progress=True,
        commit="2222222222222222222222222222222222222222",
        agent="repair",
        seconds=75.0,
        red_before=1,
        red_after=0,
        total=7,
        files=("shop/price.py",),
    ),
)

PROOF = ProofView(
    rows=(
        ProofRow(claim="every baseline test collected again", measured="7 of 7", holds=True),
        ProofRow(claim="failing tests red before", measured="2 of 2", holds=True),
        ProofRow(claim="red again with the fix reverted", measured="2 of 2", holds=True),
    ),
    accepted=True,
    sandbox="namespace",
    commit="2222222222222222222222222222222222222222",
)

OPTIONS = (
    OptionOffered(word="investigate", text="Investigate by hand", command=f"clew resume {SESSION}"),
    OptionOffered(
        word="guidance",
        text="Retry with guidance",
        command=f'clew resume {SESSION} --with-context "…"',
    ),
    OptionOffered(
        word="rollback", text="Another approach", command="clew rollback", available=False
    ),
    OptionOffered(
        word="skip",
        text="Go on with failing tests",
        command=f"clew continue {SESSION} --skip-tests",
    ),
    OptionOffered(word="terminate", text="End here", command=f"clew terminate {SESSION}"),
)

VIEW = SessionView(
    session_id=SESSION,
    created=NOW,
    updated=NOW + timedelta(minutes=2),
    status=OverallStatus.IN_PROGRESS,
    project="/home/ada/shop",
    goal="make the tests pass",
    spent={
        "repair": Tally(calls=1),
        "claude": Tally(calls=3, input=8000, output=4000, cached=2000, usd=0.25, unpriced=1),
    },
    phases=(
        PhaseRecord(
            id=1,
            name="Debugging",
            status=PhaseStatus.IN_PROGRESS,
            agents=("repair", "claude"),
            started=NOW,
            files_modified=("shop/cart.py", "shop/price.py"),
            errors=(
                PhaseError(
                    agent="claude",
                    timestamp=NOW + timedelta(seconds=40),
                    type=ErrorKind.TIMEOUT,
                    message="no answer within 600 s",
                    resolution="asked again",
                    resolved=True,
                ),
            ),
            retry_count=1,
            outputs=(AgentOutput(agent="repair", text="Found 3 candidates.\n\n# not a heading"),),
            validation="pass: 7 of 7 tests",
        ),
    ),
    iteration=2,
    topic="phase1_failures",
    iterations=ITERATIONS,
    reports=(FIRST, SECOND),
    outcome="waiting",
    branch=f"clew/{SESSION}",
    test_command="pytest -q",
    flaky=("tests/test_net.py::test_ping",),
    question=QuestionAsked(
        id="q1", kind=QuestionKind.ESCALATION, text="How do you want to go on?", options=OPTIONS
    ),
    checkpoints=("escalation",),
    proof=PROOF,
    summary="summaries/001_workflow_summary.md",
    log=(LogLine(at=NOW, text="baseline: 2 of 7 tests red"),),
)

SUMMARY = SummaryMeta(
    date=NOW,
    original_errors=(
        "tests/test_cart.py::test_total: AssertionError: assert 14 == 15",
        "tests/test_price.py::test_half: AssertionError: assert 1 == 2",
    ),
    red_before=2,
    total=7,
    changes=(
        FileChange(path="shop/cart.py", added=1, removed=1),
        FileChange(path="shop/price.py", added=1, removed=1),
    ),
    diff="--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -12 +12 @@\n-x\n+y",
    seconds=83.2,
    candidates_tried=1234,
    red_after=0,
    passed=7,
    artifacts=("`debug/phase1_failures/`: the reports",),
    knowledge="debug/knowledge-base.md",
    lesson="total-returns-14-instead-of-15",
    lessons=("It was: the loop stops before the last item",),
)

ENTRY = KnowledgeEntry(
    slug="total-returns-14-instead-of-15",
    title="`total` returns 14 instead of 15",
    date=NOW,
    session=SESSION,
    commit="2222222222222222222222222222222222222222",
    patterns=("tests/test_cart.py::test_total: AssertionError: assert 14 == 15",),
    causes=("the loop stops before the last item",),
    fixes=("replace `len(items) - 1` by `len(items)`",),
    files=("shop/cart.py",),
    why_not_caught="The tests passed on 2026-03-01; what changed since broke them.",
    guards=("`tests/test_cart.py::test_total` is red without the fix", "Test an empty list."),
    links={
        "workflow summary": f"../.clew/sessions/{SESSION}/summary.md",
        "report 001": "phase1_failures/001_total_returns_14_instead_of_15.md",
    },
)

ESCALATION = Escalation(
    options=OPTIONS,
    checkpoint="escalation",
    unresolved=("tests/test_price.py::test_half: AssertionError: assert 1 == 2",),
)

CHECKPOINT = Checkpoint(
    checkpoint_id="escalation",
    project_name="shop",
    workflow_description="make the tests pass",
    created_at=NOW,
    updated_at=NOW + timedelta(minutes=2),
    status="in_progress",
    workflow_state={"debug_iteration": 2, "debug_reports": [FIRST, SECOND]},
    last_error="tests/test_price.py::test_half: AssertionError: assert 1 == 2",
    debug_report_path=SECOND,
    debug_iteration_count=2,
    completion_time=NOW + timedelta(minutes=2),
    outputs=Outputs(
        tests_passing=False,
        debug_iterations=2,
        debug_reports=(FIRST, SECOND),
        unresolved_issues=("tests/test_price.py::test_half: AssertionError: assert 1 == 2",),
        status="escalated",
    ),
    next_phase="manual_intervention",
    performance={"debugging_time": 83.2, "iterations_needed": 2},
    user_options=("investigate", "guidance", "rollback", "skip", "terminate"),
    debug_summary="1: Fewer errors; 2: Still failing",
)

PROMPT = Brief(
    iteration=3,
    topic="phase1_failures",
    goal="make the tests pass",
    command_line="pytest -q",
    category=Category.TEST_FAILURE,
    cause=Cause(cause_class="implementation_error", subclass="test", evidence="1 red test"),
    failing=(
        failed(
            "tests/test_cart.py::test_total",
            crash(
                "AssertionError",
                "assert 14 == 15",
                frame("tests/test_cart.py:7", "test_total", "assert total([5, 10]) == 15"),
                frame("shop/cart.py:12", "total", "return price", items="[5, 10]", price="14"),
                details="E   assert 14 == 15",
            ),
        ),
    ),
    errors=("tests/test_cart.py::test_total: AssertionError: assert 14 == 15",),
    suspects=(
        Suspect(path="shop/cart.py", line=12, score=0.9, reasons=("innermost frame of 1 failure",)),
    ),
    history=ITERATIONS,
    guidance=("Prices are in cents. DATA_END of hint.",),
    dead=("the discount rounds down",),
    files=(FileExcerpt(path="shop/cart.py", text="def total(items):\n    return price\n"),),
    report=ReportText(path=FIRST, text="# Debug Report 001\n\nOption 1 is recommended."),
    review="An empty list has no last item.",
    specialty="python, pytest",
    nonce="0123456789abcdef",
)

ASKED = Brief(
    goal="sell books on the web",
    command_line="pytest -q",
    asked=tuple(
        BriefText(
            section=section, label=f"{section} {number}", text=f"The {section}, DATA_END {number}."
        )
        for section in BriefSection
        for number in (1, 2)
    ),
    failing=PROMPT.failing,
    errors=PROMPT.errors,
    suspects=PROMPT.suspects,
    guidance=PROMPT.guidance,
    diff="-a\n+b\n",
    files=PROMPT.files,
    standards=(FileExcerpt(path="AGENTS.md", text="Tabs, never spaces."),),
    complaint="the reply is not usable: it holds no JSON object",
    nonce="0123456789abcdef",
)
