"""`clew diagnose`: the cause told, and nothing touched."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.agents.form import Printed
from clew.git.project import locate
from commandline import CommandLine
from projects import FIRST, TWO_FAULTS, commit_all, diagnosis, recording, two_fixes, write
from scripted import Scripted, diagnosing
from treestate import fingerprint


def test_the_cause_is_told_and_the_tree_stays_as_it_is(clew: CommandLine) -> None:
    """For people in words, for programs in one strict form; no session, document or report."""
    before = fingerprint(locate(clew.project), exempt=())
    said = clew.run("diagnose", "--search-seconds", "1")
    assert 0 == said.code, said.err
    assert "kind     import_error" in said.out
    assert "place    sums/area.py:1" in said.out
    shown = clew.run("diagnose", "--json", "--search-seconds", "1")
    found = msgspec.json.decode(shown.out, type=Printed)
    assert ("import_error", "sums/area.py", 1) == (
        found.failure_classification,
        found.root_cause_location.file,
        found.root_cause_location.line,
    )
    assert ("import_error", "implementation_error") == (found.category, found.cause.cause_class)
    assert before == fingerprint(locate(clew.project), exempt=())
    assert "No session yet" in clew.run("list").err


@pytest.mark.slow
def test_a_session_is_asked_by_its_id_and_nothing_is_run(clew: CommandLine, tmp_path: Path) -> None:
    """Its last diagnosis, as it was given, beside what was computed from the run before it."""
    session = clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl")).summary
    (clew.project / "tests").rename(clew.project / "gone")
    said = clew.run("diagnose", "--json", session["session_id"])
    found = msgspec.json.decode(said.out, type=Printed)
    assert ("one too many", 5) == (found.root_cause, found.root_cause_location.line)
    assert "sums/area.py" == found.fix.changes[0].file
    assert "AssertionError" in found.cause.evidence


@pytest.mark.slow
def test_an_agent_of_ones_own_is_asked_again_and_told_why(
    clew: CommandLine, tmp_path: Path
) -> None:
    """A place that is not in the project is sent back; never right, it is an error."""
    nowhere = diagnosis("an import", FIRST, root_cause_location={"file": "no/such.py"})
    right = diagnosis("an import", FIRST)
    agent = recording(tmp_path / "r.jsonl", nowhere, nowhere, right)
    said = clew.run("diagnose", "--json", "--agent", agent)
    found = msgspec.json.decode(said.out, type=Printed)
    assert ("an import", "test_failure", "import_error") == (
        found.root_cause,
        found.failure_classification,
        found.category,
    )
    stubborn = recording(tmp_path / "s.jsonl", nowhere, nowhere, nowhere, right)
    said = clew.run("diagnose", "--agent", stubborn)
    assert (1, "") == (said.code, said.out)
    assert "root_cause_location: 'no/such.py' is no file here" in said.err


@pytest.mark.slow
def test_where_nothing_fails_nothing_is_said(tmp_path: Path) -> None:
    """All green is exit code 0, tests that cannot run 3, an unknown session 2."""
    files = {name: text for name, text in TWO_FAULTS.items() if "area" not in name}
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    said = clew.run("diagnose")
    assert (0, "All tests pass; there is nothing to diagnose.\n") == (said.code, said.out)
    assert (0, "{}\n") == (clew.run("diagnose", "--json").code, clew.run("diagnose", "--json").out)
    assert 3 == clew.run("diagnose", "--test-command", "no-such-program").code
    assert 2 == clew.run("diagnose", "2020-01-01-nothing").code
    assert 2 == clew.run("diagnose", "--agent", "nobody").code


SAYS = """\
import json, os
print(json.dumps({
    "failure_classification": "test_failure",
    "root_cause": "asked as " + (os.environ["CLEW_MODEL"] or "nobody"),
    "root_cause_location": {"file": "sums/area.py", "line": 5},
    "fix": {"description": "add one less", "changes": []},
    "options": [{"title": "another way", "pros": ["it differs"]}],
    "confidence": "high",
    "confidence_reason": "it is plain to see",
}))
"""


@pytest.mark.slow
def test_who_cannot_be_asked_is_not_asked_again(clew: CommandLine, tmp_path: Path) -> None:
    """What no call mends ends it at once; a busy agent is waited for, a little longer each time."""
    right = diagnosis("an import", FIRST)
    failing = [{"role": "diagnose", "error": kind} for kind in ("not_logged_in", "busy", "busy")]
    said = clew.run("diagnose", "--agent", recording(tmp_path / "r", failing[0], right))
    assert (1, "") == (said.code, said.out)
    agent = recording(tmp_path / "s", *failing[1:], right)
    said = clew.run("diagnose", "--agent", agent, env={"CLEW_RETRY_WAIT": "0.01"})
    assert 0 == said.code, said.err
    assert ["0.01 s", "0.02 s"] == [
        line.rpartition("for ")[2] for line in said.err.splitlines() if "waiting" in line
    ]


@pytest.mark.slow
def test_an_agent_is_held_and_asked_as_in_a_session(clew: CommandLine, tmp_path: Path) -> None:
    """By a sandbox, or by your word that there is none; with the model that its role is given."""
    (tmp_path / "agent.py").write_text(SAYS)
    asked = ("diagnose", "--json", "--agent", f"command:{sys.executable} {tmp_path / 'agent.py'}")
    bare = {"CLEW_SANDBOX": "none", "CLEW_PROFILE": "quality"}
    refused = clew.run(*asked, env=bare)
    assert (2, True) == (refused.code, "nothing would keep" in refused.err)
    said = clew.run(*asked, env=bare | {"CLEW_ALLOW_UNENFORCED": "1"})
    assert 0 == said.code, said.err
    assert "network: open to command:" in said.err
    assert "asked as strong" == msgspec.json.decode(said.out, type=Printed).root_cause


@pytest.mark.slow
@pytest.mark.parametrize(
    ("second", "ways"),
    [
        (diagnosing("a name that lacks", FIRST), ["mend a name that lacks", "another way 0"]),
        ({"says": {"root_cause": 1}}, ["mend a name that lacks"]),
    ],
)
def test_a_lone_option_is_sent_back_for_a_second(
    clew: CommandLine, tmp_path: Path, second: dict[str, Any], ways: list[str]
) -> None:
    """As in a session: where no second can be had, the first answer counts as it was."""
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    turns = [diagnosing("a name that lacks", FIRST, others=0), second]
    agent = Scripted(tmp_path / "agent", diagnose=turns)
    said = clew.run("diagnose", "--agent", agent.name)
    assert 0 == said.code, said
    asked = ["only one way" in prompt for prompt in agent.sent("diagnose")]
    assert [False, True] == asked[:2]
    assert ways == re.findall(r"^option \d.*: (.+)$", said.out, re.MULTILINE)


@pytest.mark.slow
def test_what_was_changed_last_is_looked_at(tmp_path: Path) -> None:
    """What a commit took away is put back; where it changed tests alone, they are named."""
    asks = "from rates import rate\n\n\ndef test_rate():\n    assert rate(3, 2) == {}\n"
    right = "def rate(count, price):\n    return round(count * price * 0.93, 2) + (count > 2) * 4\n"
    write(tmp_path / "sums", {"rates.py": right, "test_rates.py": asks.format(9.58)})
    commit_all(tmp_path / "sums")
    wrong = "def rate(count, price):\n    return 0\n"
    commit_all(write(tmp_path / "sums", {"rates.py": wrong}))
    clew = CommandLine(tmp_path / "sums", tmp_path / "state")
    said = clew.run("diagnose")
    assert "put back" in said.out, said
    commit_all(write(tmp_path / "sums", {"rates.py": right}))
    commit_all(write(tmp_path / "sums", {"test_rates.py": asks.format(77)}))
    said = clew.run("diagnose", "--search-seconds", "1")
    assert "changed what `test_rate` asks, and no code came since" in said.out
    assert "(recommended): revise the expectation of `test_rate`" in said.out
