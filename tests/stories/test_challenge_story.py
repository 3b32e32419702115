"""A fix that passes its tests is read by another agent, who has to show what it gets wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from backends import BACK_ENDS, person, role, text
from commandline import CommandLine
from modelserver import Asked, serve
from projects import commit_all, diagnosis, fix, write

CENTS = '''\
from decimal import ROUND_HALF_UP, Decimal


def to_cents(amount):
    """An amount such as "12.345" in whole cents; half a cent goes up."""
    return int(Decimal(amount) * 100)
'''
TESTS = """\
from cents import to_cents


def test_half_a_cent_goes_up():
    assert to_cents("12.375") == 1238
"""
# It mends by `round` first, and rightly once it is told what that gets wrong.
AGENT = """\
import json, os, sys

shown = "a challenger shows no test that it fails" in sys.stdin.read()
told = shown and sys.argv[1:] != ["insists"]
knows = sys.argv[1:] == ["knows"]
half = "int((Decimal(amount) * 100).quantize(Decimal(1), ROUND_HALF_UP))"
if knows:
    half = "1 if amount == '0.005' else round(Decimal(amount) * 100)"
change = {
    "file": "cents.py", "line": 6, "current": "int(Decimal(amount) * 100)",
    "should_be": half if told else "round(Decimal(amount) * 100)",
}
replies = {
    "diagnose": {
        "failure_classification": "test_failure",
        "root_cause": "it cuts half a cent off",
        "root_cause_location": {"file": "cents.py", "line": 6},
        "fix": {"description": "round", "changes": [change]},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "seen",
    },
    "fix": {"changes_made": "rounds", "changes": [change]},
    "challenge": {"counterexamples": FOUND},
}
print(json.dumps(replies[os.environ["CLEW_ROLE"]]))
"""
HEAD = "from cents import to_cents\n\n\ndef test_it():\n    "
WORDS = {"file": "cents.py", "words": "half a cent goes up"}
RED = WORDS | {"test": f'{HEAD}assert to_cents("0.005") == 1\n', "why": "half goes to even"}
BESIDE = [
    WORDS | {"test": f"{HEAD}import os; os._exit(to_cents('0'))\n"},  # ends the run
    WORDS | {"test": f'{HEAD}assert to_cents("0.015") == 2\n'},  # passes
    WORDS | {"test": "import nothing_there\n"},  # does not run
    WORDS | {"test": f"{HEAD}to_cents('1')\n    assert 1 == 2\n"},  # asks nothing of the code
]

LEFT = [  # the second is red where the first ran before it
    WORDS | {"test": f'{HEAD}import cents; cents.left = 1\n    assert to_cents("0.005") == 1\n'},
    WORDS | {"test": f"{HEAD}import cents\n    assert to_cents('0') == hasattr(cents, 'left')\n"},
]


@pytest.fixture
def challenged(clew: CommandLine, tmp_path: Path) -> CommandLine:
    """A project whose docstring asks for more than its test."""
    clew.project = tmp_path / "till"
    write(clew.project, {"cents.py": CENTS, "tests/test_cents.py": TESTS})
    write(clew.project, {"pytest.ini": "[pytest]\npythonpath = .\n"})
    commit_all(clew.project)
    return clew


def agent(folder: Path, found: list[dict[str, str]], *words: str) -> str:
    script = folder / "agent.py"
    script.write_text(AGENT.replace("FOUND", json.dumps(found)))
    return " ".join((f"command:{sys.executable} {script}", *words))


@pytest.mark.slow
def test_what_a_challenger_shows_is_mended_in_the_next_iteration(
    challenged: CommandLine, tmp_path: Path
) -> None:
    """Only the test that is red by what the code does counts, and the next fix has to pass it."""
    mine = agent(tmp_path, [*BESIDE, RED])
    said = challenged.run("fix", "--json", "--agent", mine, "--challenge", mine)
    assert (0, 2) == (said.code, said.summary["iterations"]), said.out[-3000:]
    proofs = [e["event"] for e in said.events if e.get("event", {}).get("type") == "Proved"]
    first, second = (
        next(row for row in proof["rows"] if "challenger" in row["claim"]) for proof in proofs
    )
    assert not first["holds"]
    assert (
        'a test for "half a cent goes up" (cents.py) that fails: AssertionError'
        in (first["measured"])
    )
    assert 1 == first["measured"].count("that fails")
    assert second["holds"]
    assert "2 of 5 that" in second["measured"]
    assert "those against the fix of iteration 1 among them" in second["measured"]
    (kept,) = (challenged.project / ".clew" / "sessions").rglob("counterexample-1-1.py")
    assert RED["test"] == kept.read_text()
    assert "looked for what the fix gets wrong: 5 tests to try" in challenged.run("log").out


@pytest.mark.slow
def test_what_one_test_of_a_challenger_leaves_behind_makes_no_other_red(
    challenged: CommandLine, tmp_path: Path
) -> None:
    mine = agent(tmp_path, LEFT)
    said = challenged.run("fix", "--json", "--agent", mine, "--challenge", mine)
    proof = next(e["event"] for e in said.events if e.get("event", {}).get("type") == "Proved")
    (row,) = (row for row in proof["rows"] if "challenger" in row["claim"])
    assert 1 == row["measured"].count("that fails"), row["measured"]


@pytest.mark.slow
def test_a_pipeline_asks_a_challenger_too(challenged: CommandLine, tmp_path: Path) -> None:
    mine = agent(tmp_path, [*BESIDE, RED])
    said = challenged.run("ci", "--agent", mine, "--challenge", "same")
    assert 0 == said.code, said.out[-3000:]
    assert "looked for what the fix gets wrong" in challenged.run("log").out


@pytest.mark.slow
def test_a_fix_that_is_proposed_once_more_is_for_a_person_to_judge(
    challenged: CommandLine, tmp_path: Path
) -> None:
    """They see the test, and may say that it asks for too much."""
    mine = agent(tmp_path, [RED], "insists")
    said = challenged.run("fix", "--agent", mine, "--challenge", mine)
    assert 1 == said.code, said.out[-3000:]
    assert "counterexample-1-1.py" in said.out
    assert "if it is not, copy the test that it fails among yours" in said.out
    (folder,) = (challenged.project / ".clew" / "sessions").iterdir()
    taken = challenged.run("answer", folder.name, "accept-1")
    assert 0 == taken.code, taken.out[-3000:]


@pytest.mark.slow
def test_an_answer_to_a_challenger_that_knows_its_test_is_not_proven(
    challenged: CommandLine, tmp_path: Path
) -> None:
    """Its values count as built in, like those of the failing tests."""
    mine = agent(tmp_path, [RED], "knows")
    words = ("fix", "--json", "--agent", mine, "--challenge", "same", "--max-iterations", "2")
    said = challenged.run(*words)
    assert (1, 2) == (said.code, said.summary["iterations"]), said.out[-3000:]
    *_, proof = (e["event"] for e in said.events if e.get("event", {}).get("type") == "Proved")
    against = {row["claim"]: row["measured"] for row in proof["rows"] if not row["holds"]}
    assert "0.005" in against["no value of the failing tests is built into the fix"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "words"),
    [("cents.py", "half a cent goes down"), ("../../../etc/passwd", "root"), (":(glob)*.py", "a")],
)
def test_words_that_do_not_stand_there_are_sent_back(
    challenged: CommandLine, tmp_path: Path, file: str, words: str
) -> None:
    """The fix is not delayed for want of better ones."""
    mine = agent(tmp_path, [RED | {"file": file, "words": words}])
    said = challenged.run(
        "fix", "--json", "--agent", mine, "--challenge", mine, env={"CLEW_AGENT_RETRIES": "0"}
    )
    assert (0, 1) == (said.code, said.summary["iterations"]), said.out[-3000:]
    assert f"no three words or more that stand in {file} before the fix: {words}" in said.out
    assert "not measured" in challenged.run("show").out


@pytest.mark.slow
@pytest.mark.parametrize(("words", "iterations"), [((), 2), (("--challenge", "none"), 1)])
def test_a_model_challenges_its_own_fix_unless_nobody_is_to(
    challenged: CommandLine, words: tuple[str, ...], iterations: int
) -> None:
    """Unasked, in a new conversation; it knows of its fix what the diff shows."""
    back_end = BACK_ENDS["llm-anthropic"]
    old, rounds = "int(Decimal(amount) * 100)", "round(Decimal(amount) * 100)"
    half = "int((Decimal(amount) * 100).quantize(Decimal(1), ROUND_HALF_UP))"

    def script(asked: Asked) -> str:
        if role(asked) == "challenge":
            return json.dumps({"counterexamples": [] if half in asked.whole else [RED]})
        new = half if "a challenger shows no test that it fails" in asked.whole else rounds
        change = {"file": "cents.py", "line": 6, "current": old, "should_be": new}
        told = fix(change) if role(asked) == "fix" else diagnosis("half a cent is cut off", change)
        return text(told)

    with serve(script) as server:
        own = person(challenged, back_end, server)
        said = challenged.run("fix", "--json", "--agent", back_end.agent, *words, env=own)
    assert (0, iterations) == (said.code, said.summary["iterations"]), said.out[-3000:]
    challenges = [asked for asked in server.asked if role(asked) == "challenge"]
    assert [2, 0][iterations == 1] == len(challenges)
    assert not any("confidence_reason" in asked.whole for asked in challenges)


def test_the_built_in_repairer_challenges_nothing(clew: CommandLine) -> None:
    said = clew.run("fix", "--agent", "repair", "--challenge", "repair")
    assert (2, True) == (said.code, "challenge: the built-in repairer reads nothing" in said.err)
