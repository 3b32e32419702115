"""A test shows a fault only if it is red by what the code does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.flows.investigation.decisions.redness import begin_of, first_lines, is_of, why_not
from clew.words.facts import CaseOutcome, Crash, Phase, TestResult


def red(
    kind: str = "AssertionError", phase: Phase = Phase.CALL, id_: str = "t.py::a"
) -> TestResult:
    crash = Crash(type=kind, message="assert 5 == 6", details="\n".join(map(str, range(30))))
    return TestResult(id=id_, outcome=CaseOutcome.FAILED, phase=phase, crash=crash)


@pytest.mark.parametrize(
    "result",
    [red(), red("shop.OutOfStock"), red("_pytest.outcomes.Failed"), red(id_="t.py::a[1]")],
)
def test_an_assertion_or_what_the_symptom_names_is_the_right_reason(result: TestResult) -> None:
    """Also of a test with parameters."""
    assert "" == why_not([result], ["t.py::a"], "it says shop.OutOfStock: none left")


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ([], "there is no test t.py::a"),
        ([TestResult(id="t.py::a", outcome=CaseOutcome.PASSED)], "it is passed"),
        ([red("ModuleNotFoundError")], "red by ModuleNotFoundError"),
        ([red("NameError")], "which is no assertion"),
        ([red("fixture", Phase.SETUP)], "before it asks anything"),
        ([red("SyntaxError", Phase.COLLECT, "t.py")], "could not be loaded: SyntaxError"),
    ],
)
def test_anything_else_is_refused(results: list[TestResult], why: str) -> None:
    """Not an import, a name, a fixture; not a green test, and not none."""
    assert why in why_not(results, ["t.py::a"], "the total is off")
    assert "no test was named" == why_not([red()], [], "")


def test_an_id_may_begin_with_the_folder_of_the_settings() -> None:
    """Where those lie further up than the part that is worked on."""
    above = [red(id_="back/t.py::a[1]")]
    assert "" == why_not(above, ["t.py::a"], "")
    assert is_of("back/t.py::a", ["t.py::a"])
    for other in ("t.py::ab", "at.py::a", "back/at.py::a[1]", "t.py::a::b"):
        assert not is_of(other, ["t.py::a"])


def shown_of(told: str) -> list[str]:
    failing = red()
    assert failing.crash
    return first_lines([replace(failing, crash=replace(failing.crash, details=told))]).splitlines()


def test_ten_lines_of_its_output_are_shown() -> None:
    """As many as a person looks at; how many more there are is said."""
    shown = first_lines([red()]).splitlines()
    assert [*map(str, range(10)), "… 20 more lines"] == shown
    assert [*map(str, range(10)), "… 1 more line"] == shown_of("\n".join(map(str, range(11))))
    assert "" == first_lines([])


def test_the_reason_is_among_the_lines_that_are_shown() -> None:
    """Of a long test: what comes before it is left out."""
    told = "\n".join((*map(str, range(30)), "E   assert 5 == 6", "E    + where 5 = a()", "t.py:9"))
    shown = shown_of(told)
    assert ["29", "E   assert 5 == 6", "E    + where 5 = a()", "t.py:9"] == shown[-4:]
    assert ["… 23 lines before", 10] == [shown[0], len(shown) - 1]


def test_a_test_that_was_written_is_shown_whole_where_it_is_no_longer_than_a_screen() -> None:
    """Of a longer one it is said how many lines are left out."""
    lines = [*map(str, range(61))]
    assert "\n".join(lines[:60]) == begin_of(lines[:60])
    assert "\n".join([*lines[:60], "… 1 more line"]) == begin_of(lines)
