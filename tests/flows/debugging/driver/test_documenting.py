"""The session document is written at each step, and what a person adds meanwhile stays."""

from __future__ import annotations

from pathlib import Path

from clew.documents import session
from clew.flows.debugging.driver.documenting import write_session_document
from clew.flows.debugging.driver.viewing import session_view
from proofkit import session as debug_run_of

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
