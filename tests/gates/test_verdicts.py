from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.gates import brief, lines, listed, verdict
from clew.words.gates import GateCommand, GateFinding, GateKind, GateResult, GateStatus
from gatekit import FAIL, NOT_RUN, PASS, WARN


def result(status: GateStatus, *, required: bool = True) -> GateResult:
    return GateResult(name="x", kind=GateKind.LINT, status=status, required=required)


RESULTS = st.builds(result, st.sampled_from(GateStatus), required=st.booleans())


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([], NOT_RUN),
        ([result(PASS)], PASS),
        ([result(PASS), result(WARN)], WARN),
        ([result(WARN), result(NOT_RUN)], NOT_RUN),
        ([result(PASS), result(NOT_RUN, required=False)], WARN),
        ([result(NOT_RUN), result(FAIL)], FAIL),
    ],
)
def test_a_verdict_is_the_worst_that_was_said(
    results: list[GateResult], expected: GateStatus
) -> None:
    """A failure first; what has to run and did not is no pass, what need not is a warning."""
    assert expected == verdict(results)


@given(st.lists(RESULTS, min_size=1), RESULTS)
def test_one_more_result_never_makes_it_better(results: list[GateResult], more: GateResult) -> None:
    """The order of results does not matter either."""
    order = (PASS, WARN, NOT_RUN, FAIL)
    assert order.index(verdict(results)) <= order.index(verdict([*results, more]))
    assert verdict(results) == verdict(results[::-1])


BAD = GateResult(
    name="own",
    kind=GateKind.PROJECT,
    status=FAIL,
    summary="exit code 1\x1b[2J\nFAIL forged",
    command=("check", "a b"),
    output="words\x1b[31m red\nlast",
)


def test_a_person_is_told_what_failed_and_nothing_commands_the_terminal() -> None:
    """A line of a result stays a line; without findings the end of the output is shown."""
    said = list(lines(BAD))
    assert 3 == len(said)
    assert "\x1b" not in "".join(said)
    assert said[1:] == ["             words red", "             last"]


def test_findings_are_shown_up_to_a_number() -> None:
    """How many more there are is said."""
    many = tuple(GateFinding(path="a.py", line=n, text="x") for n in range(15))
    said = list(lines(GateResult(name="l", kind=GateKind.LINT, status=FAIL, findings=many)))
    assert (12, "             and 5 more") == (len(said), said[-1])


def test_an_agent_is_told_of_what_did_not_pass_alone() -> None:
    """With the command, the findings and the output."""
    said = brief([result(PASS), BAD, result(NOT_RUN)])
    assert "command: check 'a b'\nwords red\nlast" in said
    assert ["FAIL: own: exit code 1 FAIL forged", "did not run: x: "] == [
        line for line in said.split("\n") if line.startswith(("FAIL", "did", "pass"))
    ]


def test_a_list_names_what_each_gate_runs() -> None:
    """Or why it runs nothing."""
    gates = [
        GateCommand(name="ruff", kind=GateKind.LINT, argv=("ruff", "check"), source="x.toml"),
        GateCommand(name="hook", kind=GateKind.LINT, unread="it is not run"),
        GateCommand(name="secrets", kind=GateKind.SECRETS),
    ]
    said = list(listed(gates))
    assert ["ruff check  (x.toml)", "it is not run", "added lines"] == [
        line.split(maxsplit=2)[2] for line in said
    ]
