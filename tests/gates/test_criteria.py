from __future__ import annotations

import pytest

from clew.gates.criteria import CriterionFacts, command_of, judged, names_in
from clew.words.facts import CaseOutcome, Runner, TestCommand, TestResult, TestRun, Verdict
from clew.words.gates import GateKind, GateResult, GateStatus
from clew.words.plans import Criterion, VerifyBy
from gatekit import FAIL, NOT_RUN, PASS, WARN

RUN = TestRun(
    verdict=Verdict.FAILED,
    command=TestCommand(runner=Runner.PYTEST, argv=("pytest",)),
    results=(
        TestResult(id="tests/test_a.py::test_one", outcome=CaseOutcome.PASSED),
        TestResult(id="tests/test_a.py::Kind::test_two[x]", outcome=CaseOutcome.PASSED),
        TestResult(id="tests/test_b.py::test_red", outcome=CaseOutcome.FAILED),
        TestResult(id="tests/test_c.py::test_left", outcome=CaseOutcome.SKIPPED),
    ),
)
FILES = {
    "src/a.py": "class Booking:\n    pass\n",
    "data/good.json": '{"bookings": []}',
    "data/bad.json": "{",
    "data/bad.yaml": "a: [",
    "data/good.toml": "a = 1",
}
LINTED = GateResult(name="ruff", kind=GateKind.LINT, status=WARN)


def said(criterion: Criterion, *results: GateResult, tests: TestRun | None = RUN) -> GateResult:
    facts = CriterionFacts(results, tests, FILES.keys(), FILES.get)
    return judged(criterion, "criterion 1", facts)


def by(verify_by: VerifyBy, target: str = "", text: str = "it works") -> Criterion:
    return Criterion(criterion=text, verify_by=verify_by, target=target)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("tests/test_a.py::test_one", PASS),
        ("./tests/test_a.py", PASS),
        ("tests/test_a.py::Kind", PASS),
        ("tests/test_a.py::Kind::test_two", PASS),
        ("test_two", PASS),
        ("tests/test_b.py", FAIL),
        ("tests/", FAIL),
        ("tests/test_c.py::test_left", FAIL),
        ("tests/test_a.py::test_on", FAIL),
        ("tests/test_none.py", FAIL),
    ],
)
def test_a_test_is_looked_up_in_the_run_of_all(target: str, status: GateStatus) -> None:
    """A folder, a file, a class or a test: all in it pass, and there is one. Skipped is not met."""
    assert status == said(by(VerifyBy.TEST, target)).status


def test_without_facts_of_single_tests_a_person_decides() -> None:
    """A command is one fact a run; where nothing ran nothing is known."""
    command = TestRun(
        verdict=Verdict.PASSED,
        command=TestCommand(runner=Runner.COMMAND, argv=("make", "test")),
        results=(TestResult(id="make test", outcome=CaseOutcome.PASSED),),
    )
    wanted = by(VerifyBy.TEST, "tests/test_a.py")
    alone = said(wanted, tests=command)
    assert (NOT_RUN, True) == (alone.status, alone.awaits_person)
    assert NOT_RUN == said(wanted, tests=None).status


def test_a_criterion_that_names_no_test_goes_by_them_all() -> None:
    """So does one of lint by the linters; of several the worst counts."""
    tests = GateResult(name="tests", kind=GateKind.TESTS, status=PASS)
    assert PASS == said(by(VerifyBy.TEST), tests).status
    assert WARN == said(by(VerifyBy.LINT), LINTED, tests).status
    none = said(by(VerifyBy.LINT), tests)
    assert (NOT_RUN, True) == (none.status, none.awaits_person)


@pytest.mark.parametrize(
    ("target", "text", "status"),
    [
        ("src/a.py", "", PASS),
        ("./src//a.py", "", PASS),
        ("data", "", PASS),
        ("data/*.toml", "", PASS),
        ("src/b.py", "", FAIL),
        ("", "there is `src/a.py` and `src/b.py`", FAIL),
        ("", "the file src/a.py is there.", PASS),
        ("", "it is there", NOT_RUN),
        ("../a.py", "", NOT_RUN),
    ],
)
def test_files_are_those_of_the_commit(target: str, text: str, status: GateStatus) -> None:
    """A target names them, or the text does; otherwise a person decides."""
    assert status == said(by(VerifyBy.FILE_EXISTS, target, text)).status


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("data/good.json", PASS),
        ("data/good.json:bookings", PASS),
        ("data/good.json:booking", FAIL),
        ("src/a.py:Booking", PASS),
        ("data/good.toml", PASS),
        ("data/bad.json", FAIL),
        ("data/bad.yaml", FAIL),
        ("data/none.json", FAIL),
    ],
)
def test_a_schema_check_reads_the_file(target: str, status: GateStatus) -> None:
    """It can be parsed, and has what is named."""
    assert status == said(by(VerifyBy.SCHEMA_CHECK, target)).status


def test_what_a_person_has_to_see_never_passes() -> None:
    """Whatever else is green; the verdict waits."""
    result = said(by(VerifyBy.MANUAL, "src/a.py"), LINTED)
    assert (NOT_RUN, True, True) == (result.status, result.awaits_person, result.required)
    assert "it works: a person decides" == result.summary


@pytest.mark.parametrize(
    ("criterion", "names", "command"),
    [
        (by(VerifyBy.TEST, "pytest -q tests"), ("pytest -q tests",), "pytest -q tests"),
        (by(VerifyBy.TEST, text="`make check` succeeds"), ("make check",), "make check"),
        (by(VerifyBy.TEST, text="`tests/test_a.py` passes"), ("tests/test_a.py",), ""),
        (by(VerifyBy.TEST, text="all tests pass"), (), ""),
        (by(VerifyBy.FILE_EXISTS, "a b.txt"), ("a b.txt",), ""),
        (by(VerifyBy.LINT, "ruff check src"), ("ruff check src",), "ruff check src"),
        (
            by(VerifyBy.TEST, text="tests/test_a.py::test_x[1-2] and test_b.py pass"),
            ("tests/test_a.py::test_x[1-2]", "test_b.py"),
            "",
        ),
    ],
)
def test_what_a_criterion_names(criterion: Criterion, names: tuple[str, ...], command: str) -> None:
    """Its target, else what the text quotes, else what looks like a path; several words run."""
    assert (names, command) == (names_in(criterion), command_of(criterion))
