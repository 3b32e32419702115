"""The second axis: why the failure came about."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.analysis.failures import AuthorNotes, cause
from clew.words.facts import TestRun
from failurekit import crash, failed, run

WRONG = run(failed("t.py::a", crash("AssertionError", "assert 1 == 2")))
ABSENT = run(failed("t.py::a", crash("ModuleNotFoundError", "No module named 'yaml'")))
READING = "\n".join(f"Read src/a{n}.py" for n in range(12))


@pytest.mark.parametrize(
    ("tests", "account", "expected"),
    [
        (WRONG, None, ("implementation_error", "test")),
        (run(failed("a", crash("SyntaxError", "x"))), None, ("implementation_error", "syntax")),
        (run(failed("a", crash("TypeError", "x"))), None, ("implementation_error", "types")),
        (ABSENT, None, ("missing_dependency", "package")),
        (WRONG, AuthorNotes(waits_for="task 4"), ("missing_dependency", "task")),
        (WRONG, AuthorNotes(uncertain_about="units"), ("ambiguous_spec", "agent_blocked")),
        (replace(WRONG, timed_out=True), None, ("exceeded_capacity", "run_timeout")),
        (None, AuthorNotes(timed_out=True), ("exceeded_capacity", "agent_timeout")),
        (run(failed("a", crash("TimeoutError", "x"))), None, ("exceeded_capacity", "test_timeout")),
        (WRONG, AuthorNotes(foreign_files=("b.py",)), ("decomposition_error", "ownership")),
        (
            WRONG,
            AuthorNotes(declared_files=("a",), touched_files=("a", "b", "c", "d")),
            ("decomposition_error", "scope"),
        ),
        (
            WRONG,
            AuthorNotes(declared_files=("a",), touched_files=("a", "b", "c")),
            ("implementation_error", "test"),
        ),
        (WRONG, AuthorNotes(log=READING), ("exploration_death", "read_without_writing")),
        (WRONG, AuthorNotes(log=READING + "\nEdit a\nEdit b"), ("implementation_error", "test")),
        (None, None, ("unclassified", "")),
    ],
)
def test_the_first_rule_that_fits_names_the_cause(
    tests: TestRun | None, account: AuthorNotes | None, expected: tuple[str, str]
) -> None:
    """Each class by its facts; each says what it rests on."""
    found = cause(tests, account=account)

    assert (found.cause_class, found.subclass) == expected
    assert found.evidence != ""


def test_a_cut_file_in_the_output_outweighs_everything_else() -> None:
    """Whoever could not see the file is not to blame for more."""
    tests = run(failed("t.py::a", crash("AssertionError", "wrong total in src/cart.py")))
    account = AuthorNotes(cut_files=("src/cart.py",), log=READING, foreign_files=("x",))

    assert cause(tests, account=account).cause_class == "context_cut"
    assert cause(tests, account=AuthorNotes(cut_files=("art.py",))).cause_class != "context_cut"
