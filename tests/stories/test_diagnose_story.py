"""`clew diagnose`: the cause told, and nothing touched."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clew.agents.form import Printed
from clew.project import locate
from commandline import CommandLine
from projects import FIRST, TWO_FAULTS, commit_all, diagnosis, recording, two_fixes, write
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
