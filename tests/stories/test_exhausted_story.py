"""What the built-in repairer cannot mend: it says so once, and a person is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, diagnosis, fix, recording, write

SCRIPT = "#!/bin/sh\necho 'x has to be 2'\ngrep -q 'x = 2' a.py\n"
UNMENDABLE = {
    "a script": (
        {"a.py": "x = 1\n", "check.sh": SCRIPT},
        ("--test-command", "sh check.sh"),
        "cannot search by a command that says only passed or failed",
    ),
    "a missing module": (
        {
            "tools/__init__.py": "",
            "test_p.py": "from tools.dates import p\n\n\ndef test_p():\n    assert p(1)\n",
        },
        (),
        "found nothing that it could change",
    ),
    "a function that is to be written": (
        {
            "roman.py": "def roman(n):\n    raise NotImplementedError\n",
            "test_roman.py": (
                "from roman import roman\n\n\ndef test_four():\n    assert roman(4) == 'IV'\n\n\n"
                "def test_nine():\n    assert roman(9) == 'IX'\n"
            ),
        },
        (),
        "changes that it knows here, and none fixes this",
    ),
}


@pytest.mark.parametrize("kind", UNMENDABLE)
def test_the_repairer_says_once_that_it_knows_no_more(tmp_path: Path, kind: str) -> None:
    """One report, not three that are equal; then a person is asked, and told why."""
    files, words, why = UNMENDABLE[kind]
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    said = clew.run("fix", *words)
    assert 1 == said.code, said.err
    reports = list((clew.project / "debug").glob("*/0*.md"))
    assert 1 == len(reports)
    asked = said.out + said.err
    assert "Tests still fail after 1 of 3 iterations: the built-in repairer" in asked
    assert why in asked
    assert "`clew agents`" in asked
    assert "One more would get the code around the failure, what was changed since" in asked
    assert "the report of what was tried and your guidance" in asked


def test_an_escalation_is_told_whole_in_the_terminal(tmp_path: Path) -> None:
    """Each attempt, the checkpoint, and what is worth doing next; no branch that is not there."""
    files, words, _ = UNMENDABLE["a script"]
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    bin_ = write(tmp_path / "bin", {"claude": "#!/bin/sh\nexit 1\n"})
    (bin_ / "claude").chmod(0o755)
    clew.env["PATH"] = f"{bin_}:{clew.environment()['PATH']}"
    said = clew.run("fix", *words)
    report = "debug/phase1_failures/001_the_test_command_fails.md"
    for line in (
        "iteration 1: No fix proposed",
        f"  report  {report}",
        "  left    sh check.sh: x has to be 2",
        "checkpoint: escalation; ",
        "next steps:",
        f"  - Read the newest report first: `{report}`.",
    ):
        assert f"\n{line}" in said.out, said.out
    (session,) = (clew.project / ".clew" / "sessions").iterdir()
    assert f"`clew resume {session.name} --agent claude` goes on with one" in said.out
    assert "reads no guidance" in said.out
    (message,) = (clew.project / ".clew").glob("sessions/*/escalation.md")
    assert "on branch" not in message.read_text()
    assert "none of them held" not in message.read_text()
    assert "next steps:" in clew.run("show").out


@pytest.mark.slow
def test_a_session_that_waits_goes_on_with_another_agent(tmp_path: Path) -> None:
    """It gets what was tried; what cannot be taken is refused before anything is done."""
    files, words, _ = UNMENDABLE["a script"]
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    early = clew.run("fix", "--json", *words)
    session = early.summary["session_id"]
    change = {"file": "a.py", "line": 1, "current": "x = 1", "should_be": "x = 2"}
    told = diagnosis("x is too small", change)
    agent = recording(tmp_path / "r.jsonl", told, told, fix(change))  # the repairer was call 1
    unknown = clew.run("resume", session, "--agent", "nosuch")
    assert (2, True) == (unknown.code, "nosuch" in unknown.err), unknown.err

    said = clew.run("resume", session, "--agent", agent, "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert 2 == said.summary["iterations"]
    late = clew.run("resume", session, "--agent", agent)
    assert 2 == late.code
    assert "takes other agents only where it asks how to go on" in late.err
    shown = clew.run("show", session).out
    assert "iteration 2" in shown


@pytest.mark.slow
def test_who_gives_guidance_to_the_repairer_alone_is_told_that_it_reads_none(
    tmp_path: Path,
) -> None:
    """It searches, and takes no words; an agent would."""
    files, words, _ = UNMENDABLE["a script"]
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    assert 1 == clew.run("fix", *words).code
    said = clew.run("resume", "--with-context", "x counts from two")
    assert "the built-in repairer reads no guidance" in said.err, said.err


@pytest.mark.slow
@pytest.mark.parametrize("words", [("resume", "--with-context", "two"), ("rollback", "start")])
def test_the_repairer_alone_does_not_search_the_same_code_again(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Whatever opens the round; it says so, and searches again once the code has changed."""
    files, _, _ = UNMENDABLE["a function that is to be written"]
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    assert 1 == clew.run("fix").code
    said = clew.run(*words)
    assert 1 == said.code, said
    assert "diagnose repair" not in said.err
    assert "; the code is the same, so it does not search again." in said.out
    assert 1 == clew.run("status", "--json").summary["iterations"]
    mended = "def roman(n):\n    return {4: 'IV', 8: 'IX'}.get(n)\n"
    write(clew.project, {"roman.py": mended})
    assert "diagnose repair" in clew.run("resume").err


@pytest.mark.slow
def test_on_a_ladder_too_the_repairer_searches_the_same_code_once(tmp_path: Path) -> None:
    """The next agent alone goes on; a person alone is told what another one would get."""
    files, _, _ = UNMENDABLE["a function that is to be written"]
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    agent = write(tmp_path / "bin", {"silent": "#!/bin/sh\necho '{}'\n"}) / "silent"
    agent.chmod(0o755)
    words = ("fix", "--agent", f"repair,command:{agent}", "--on-invalid-report", "fail_iteration")
    said = clew.run(*words, "--json")
    assert 1 == said.code, said.err
    told = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "Diagnosed"]
    searched = {each["iteration"] for each in told if each["agent"] == "repair"}
    assert ({1}, 3) == (searched, said.summary["iterations"])
