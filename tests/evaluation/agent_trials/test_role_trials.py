"""Each role tried out on a task of its own: what passes, and what only looks like it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.agents.roles import ROLES
from clew.evaluation.agent_trials import RoleTrial, attempt_role, roles
from clew.evaluation.working import Quiet
from clew.words.facts import CaseOutcome, Runner, TestCommand, TestResult, TestRun, Verdict
from clew.words.models import TRIED
from clew.words.settings import Price, Settings

CHANGE = {
    "file": "till.py",
    "line": 17,
    "current": "    return paid - due - 1\n",
    "should_be": "    return paid - due\n",
}
NEW_CODE = {"file": "new.py", "current": "", "should_be": "x = 1\n"}
WRONG = CHANGE | {"should_be": "    return paid - due + 1\n"}
FOUND = {
    "failure_classification": "test_failure",
    "root_cause": "one too few",
    "root_cause_location": {"file": "till.py", "line": 17},
    "fix": {"description": "take no one away", "changes": [CHANGE]},
    "confidence": "high",
    "confidence_reason": "each sum is one too small",
}
ELSEWHERE = FOUND | {"root_cause_location": {"file": "test_till.py", "line": 3}}
FIXED = {"changes_made": "took no one away", "changes": [CHANGE]}
GOOD = {"verdict": "LOOKS_GOOD", "reason": "it is plain"}
BAD = {"verdict": "SUGGEST_CHANGE", "reason": "by heart", "suggestion": "count"}
TOLD = {"what_happened": "change in till.py took one too many.", "why": "It was off by one."}


Answers = tuple[dict[str, object], ...]
Try = Callable[..., RoleTrial]
TEST = """\
import unittest
from till import change, total


class New(unittest.TestCase):
    def test_change(self):
        BODY
"""


def written(body: str) -> dict[str, object]:
    change = {"file": "test_new.py", "current": "", "should_be": TEST.replace("BODY", body)}
    names = {"test_file": "test_new.py", "test_name": "test_change", "expects": "8 of 20"}
    return names | {"changes": [change]}


def shown(call: str, gives: int) -> dict[str, object]:
    test = TEST.replace("BODY", f"self.assertEqual({call}, {gives})")
    return {"counterexamples": [{"file": "till.py", "words": "comes back", "test": test}]}


NOTHING: dict[str, object] = {"counterexamples": []}
SHOWN = shown("change(30, [1])", 29)
RIGHT = written("self.assertEqual(change(20, [3, 4, 5]), 8)")
SPOILT = RIGHT | {"changes": [NEW_CODE]}
AGENT = """\
import json, os, sys
FIRST
answers = ANSWERS
asked = sys.stdin.read()
print(json.dumps(answers[1 if len(answers) > 1 and "{20: 8, 50: 23, 12: 0}" in asked else 0]))
"""


@pytest.fixture
def tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Try:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))

    def attempted(role: str, *answers: dict[str, object], first: str = "") -> RoleTrial:
        code = AGENT.replace("ANSWERS", repr(answers)).replace("FIRST", first)
        (tmp_path / "agent.py").write_text(code)
        settings = Settings(
            commands={"mine": f"{sys.executable} agent.py"},
            profile="balanced",
            prices={"mine": Price(input=1, output=1)},
        )
        return attempt_role("mine", role, settings, Quiet(), tmp_path)

    return attempted


def test_every_role_that_has_a_task_can_be_tried() -> None:
    """The words for roles are the same everywhere."""
    assert TRIED == tuple(roles._TASKS)
    assert set(TRIED) <= set(ROLES)


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("role", "answers"),
    [
        ("diagnose", (FOUND,)),
        ("fix", (FIXED,)),
        ("review", (GOOD, BAD)),
        ("write-test", (RIGHT,)),
        ("challenge", (NOTHING, SHOWN)),
        ("document", (TOLD,)),
    ],
)
def test_who_does_what_a_role_asks_for_passes(tried: Try, role: str, answers: Answers) -> None:
    """Time, tokens and money are told as far as they are known; nothing is left."""
    usage = {"usage": {"input_tokens": 1_000_000, "output_tokens": 0}}
    found = tried(role, *(answer | usage for answer in answers))

    assert (True, f"{role}: as it should be", ()) == (found.passed, found.end, found.failures)
    assert len(answers) == found.calls
    assert ("middle" if role != "document" else "cheap") == found.model
    assert (found.calls * 1_000_000, float(found.calls)) == (found.tally.input, found.tally.usd)
    assert 0 < found.agent_seconds < found.seconds


@pytest.mark.slow
@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("role", "answers", "why"),
    [
        ("diagnose", (ELSEWHERE,), "it names test_till.py:3"),
        ("diagnose", (FOUND | {"fix": {"description": "x", "changes": [WRONG]}},), "turns the"),
        ("fix", (FIXED | {"changes": [WRONG]},), "the tests are green"),
        ("review", (GOOD, GOOD), "SUGGEST_CHANGE of a wrong fix: LOOKS_GOOD"),
        ("write-test", (written("self.assertEqual(total([1]), 1)"),), "red on the fault"),
        ("write-test", (written("raise ValueError(change)"),), "red on the fault, by an assertion"),
        (
            "write-test",
            (written("self.assertEqual(change(5, [4]), 2)"),),
            "green on the right code",
        ),
        ("write-test", (RIGHT | {"test_name": "test_other"},), "there is a new test test_other"),
        ("challenge", (NOTHING, NOTHING), "0 of 0 tests that it names fail on a wrong fix"),
        ("challenge", (shown("change(20, [3, 4, 5])", 9), SHOWN), "1 of 1 tests that it names"),
        ("challenge", (NOTHING, shown("chance(30, [1])", 29)), "0 of 1 tests that it names"),
        ("write-test", (SPOILT,), "it changed nothing that it may not"),
        ("document", (TOLD | {"what_happened": "All is well."},), "it names till.py"),
        ("document", (TOLD | {"why": "x" * 2_000},), "the agent failed"),
    ],
)
def test_who_does_not_is_found_out(tried: Try, role: str, answers: Answers, why: str) -> None:
    """By what the tests and git say, whatever the answer claims."""
    found = tried(role, *answers)

    assert (False, True) == (found.passed, why in found.end), found


@pytest.mark.slow
@pytest.mark.parametrize("by_its_test", [False, True])
def test_nothing_is_written_through_a_link_of_the_agents(
    tried: Try,
    tmp_path: Path,
    by_its_test: bool,  # noqa: FBT001 - a table
) -> None:
    """Neither one that it makes during its call, nor one that its test makes as it runs."""
    mine = tmp_path / "mine.py"
    mine.write_text("kept")
    linking = f"import os; os.remove('till.py'); os.symlink({str(mine)!r}, 'till.py')"
    body = "self.assertEqual(change(20, [3, 4, 5]), 8)"
    if by_its_test:
        found = tried("write-test", written(f"{linking}; {body}"))
    else:
        found = tried("write-test", RIGHT, first=linking)

    assert "kept" == mine.read_text()
    assert by_its_test == found.passed
    if not by_its_test:
        assert "write-test: not so: it changed nothing that it may not" == found.end
        assert 1 == len(found.checks)


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("test_change", True),
        ("New.test_change", True),
        ("New::test_change", True),
        ("test_new.py::New::test_change", True),
        ("test_change_too_little", False),
        ("change", False),
        ("", False),
    ],
)
def test_a_new_test_is_known_by_its_own_name(name: str, there: bool) -> None:  # noqa: FBT001 - a table
    """Whichever way its class and file are named; a name that only begins alike is another."""
    ids = ("test_new.New.test_change", "test_new.New.test_change_of_twenty", "test_old.test_change")
    run = TestRun(
        verdict=Verdict.PASSED,
        command=TestCommand(runner=Runner.UNITTEST, argv=("python",)),
        results=tuple(TestResult(id=one, outcome=CaseOutcome.PASSED) for one in ids),
    )
    found = roles.new_tests(run, {ids[2]}, name)

    assert (ids[:1] if there else ()) == tuple(one.id for one in found)


@pytest.mark.slow
def test_the_built_in_repairer_has_two_roles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It diagnoses and mends, and says so of the others."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    ends = {role: attempt_role("repair", role, Settings(), Quiet(), tmp_path) for role in TRIED}
    assert {
        "diagnose": True,
        "fix": True,
        "review": False,
        "write-test": False,
        "challenge": False,
        "document": False,
    } == {role: each.passed for role, each in ends.items()}
    assert {"0 in, 0 out"} == {each.tally.tokens for each in ends.values()}
    assert all("unsupported" in each.failures[0] for each in ends.values() if not each.passed)
