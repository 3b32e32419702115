"""The session document is written at each step, and what a person adds meanwhile stays."""

from __future__ import annotations

from pathlib import Path

from clew.documents import session
from clew.flows.debugging.driver.documenting import shown_output, write_session_document
from clew.flows.debugging.driver.viewing import session_view
from clew.words.facts import CaseOutcome, Crash, Frame, TestResult, TestRun, Verdict
from proofkit import session as debug_run_of
from sessionplay import COMMAND

PROJECT = {
    "area.py": "def ring(a, b):\n    return (a + b) * 2 + 1\n",
    "test_area.py": "from area import ring\n\n\ndef test_ring():\n    assert ring(5, 3) == 16\n",
}


def test_what_a_person_adds_between_two_steps_stays(tmp_path: Path) -> None:
    """A document that nobody touched is what it would be if it were written anew."""
    with debug_run_of(tmp_path, PROJECT) as debug_run:
        document = debug_run.documents / "session.md"
        assert session.render(session_view(debug_run.state)) == document.read_text()
        added = document.read_text().replace("status:", "mine: kept\nstatus:", 1) + "\nA note.\n"
        for text in (added, added.replace("kept", "kept too")):
            document.write_text(text)
            for _ in range(2):
                write_session_document(debug_run)
                assert text == document.read_text()


def test_a_runner_that_tells_no_traceback_has_one_in_the_report() -> None:
    """`unittest` gives the exception alone: a report of it held the name of the test."""
    frame = Frame(path="area.py", line=2, function="ring", code="    return a + b")
    crash = Crash(type="TypeError", message="unsupported", frames=(frame,))
    red = TestResult(id="tests.A.test_ring", outcome=CaseOutcome.FAILED, crash=crash)
    run = TestRun(verdict=Verdict.FAILED, command=COMMAND, results=(red,))
    assert shown_output(run).splitlines() == [
        "tests.A.test_ring",
        "Traceback (most recent call last):",
        '  File "area.py", line 2, in ring',
        "    return a + b",
        "TypeError: unsupported",
    ]
