"""A reviewer, models by profile, caps on the ladder and a person's own prompts, as typed."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from moments import Moment
from projects import FIRST, SECOND, diagnosis, fix, git, recording, two_fixes

# Mends both at once, but only if it is told to by a reviewer; and says what it was told.
AGENT = """\
import json, os, pathlib, sys

prompt, role = sys.stdin.read(), os.environ["CLEW_ROLE"]
both = [FIRST, SECOND]
if role == "diagnose":
    reply = {
        "failure_classification": "import_error",
        "root_cause": f"a name that lacks; told: {prompt.count('HOUSE RULE')}",
        "root_cause_location": {"file": "sums/area.py", "line": 1},
        "fix": {"description": "use the name that there is", "changes": [both[0]]},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": os.environ["CLEW_MODEL"] or "none",
    }
elif role == "review":
    if sys.argv[1:] == ["writes"]:
        pathlib.Path("sums/area.py").write_text("")
    reply = {
        "verdict": "SUGGEST_CHANGE",
        "reason": "line 5 adds one",
        "suggestion": "take that one away as well",
    }
else:
    told = "take that one away as well" in prompt.partition("## Review")[2]
    reply = {"changes_made": f"told: {told}", "changes": both if told else both[:1]}
print(json.dumps(reply))
""".replace("FIRST", repr(FIRST)).replace("SECOND", repr(SECOND))
REVIEW = {"verdict": "SUGGEST_CHANGE", "reason": "it is in line 5", "suggestion": "mend line 5"}


@pytest.fixture
def mine(clew: CommandLine) -> str:
    """An agent of a person's own, beside the project."""
    script = clew.project.parent / "agent.py"
    script.write_text(AGENT)
    return f"command:{sys.executable} {script}"


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    return [e["event"] for e in said.events if e.get("event", {}).get("type") == kind]


@pytest.mark.slow
def test_a_reviewer_is_heard_by_the_fixer(clew: CommandLine, mine: str) -> None:
    """Its suggestion changes what is mended; who said what, in which words, is on record."""
    own = clew.project / ".clew" / "prompts"
    own.mkdir(parents=True)
    (own / "diagnose.md.j2").write_text("HOUSE RULE: be brief.\n\n{{ situation }}\n")
    said = clew.run(
        "fix", "--json", "--agent", mine, "--review", mine, "--profile", "adaptive",
        "--max-iterations", "2",
    )  # fmt: skip
    assert (0, 1) == (said.code, said.summary["iterations"]), said.err + said.out[-3000:]
    (review,) = happened(said, "Reviewed")
    (diagnosed,) = happened(said, "Diagnosed")
    (applied,) = happened(said, "FixApplied")
    assert ("SUGGEST_CHANGE", "review 2") == (review["opinion"], review["wording"])
    assert "told: 1" in diagnosed["diagnosis"]["root_cause"]
    assert diagnosed["wording"].startswith("diagnose own ")
    assert ("told: True", "fix 3") == (applied["summary"], applied["wording"])
    assert ["cheap"] * 3 == [event["model"] for event in (review, diagnosed, applied)]
    assert "cheap" == diagnosed["diagnosis"]["confidence_reason"]
    assert [f"{mine} (cheap)"] == said.summary["solved_by"]
    (summary,) = (clew.project / ".clew" / "sessions").rglob("summary.md")
    assert "(cheap)" in summary.read_text()
    assert "**Fixed by**: " in (clew.project / "debug" / "knowledge-base.md").read_text()
    assert "fixed by" in clew.run("status").out
    assert "reviews: SUGGEST_CHANGE: take that one away" in clew.run("log").out


def test_a_broken_prompt_of_one_s_own_is_refused_before_a_session_starts(
    clew: CommandLine,
) -> None:
    """By file and line."""
    own = clew.project / ".clew" / "prompts"
    own.mkdir(parents=True)
    (own / "fix.md.j2").write_text("Mend it.\n\n{{ reprot }}\n")
    said = clew.run("fix", "--agent", "repair")
    assert 2 == said.code
    assert ".clew/prompts/fix.md.j2, line 3: unknown name 'reprot'" in said.err
    assert "[]" in str(clew.run("list", "--json").events)


@pytest.mark.slow
def test_a_prompt_of_one_s_own_begins_as_a_copy(clew: CommandLine) -> None:
    """It is listed as one's own, and not written over."""
    said = clew.run("prompts", "copy", "fix")
    path = clew.project / ".clew" / "prompts" / "fix.md.j2"
    assert (0, str(path.resolve())) == (said.code, said.out.strip())
    assert clew.run("prompts", "show", "fix").out == path.read_text()
    listed = {one["role"]: one for one in clew.run("prompts", "--json").events}
    assert ("diagnose 3", "") == (listed["diagnose"]["version"], listed["diagnose"]["path"])
    assert ".clew/prompts/fix.md.j2" == listed["fix"]["path"]
    assert 2 == clew.run("prompts", "copy", "fix").code
    assert "" == git(clew.project, "status", "--porcelain", ".clew")


@pytest.mark.slow
def test_who_writes_or_costs_more_than_it_may_is_passed_by(
    clew: CommandLine, mine: str, tmp_path: Path
) -> None:
    """A reviewer that writes is not heard; a rung at its cap leaves its turn to the next."""
    found = diagnosis("a name that lacks", FIRST)
    agent = recording(tmp_path / "r.jsonl", found, {"role": "-"}, fix(FIRST))
    (clew.project / "clew.toml").write_text(f'[ladder]\n"{agent}" = {{ calls = 2 }}\n')
    said = clew.run(
        "fix", "--json", "--agent", f"{agent},repair", "--review", f"{mine} writes",
        env={"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1", "CLEW_AGENT_RETRIES": "0"},
    )  # fmt: skip
    assert (0, 2) == (said.code, said.summary["iterations"]), said.out[-2000:]
    erred = happened(said, "AgentErred")
    assert [("review", "error")] * 2 == [(each["role"], each["kind"]) for each in erred]
    assert "it changed sums/area.py" in erred[0]["message"]
    (passed,) = happened(said, "RungPassed")
    assert (agent, "2 of 2 calls in a round are spent") == (passed["agent"], passed["reason"])
    assert [agent, "repair"] == said.summary["solved_by"]
    assert "is skipped: 2 of 2 calls" in clew.run("log").out


@pytest.mark.slow
def test_what_happened_is_told_in_the_summary_by_an_agent_that_is_held_to_facts(
    clew: CommandLine, tmp_path: Path
) -> None:
    """One that names no changed file is asked again; its words command nothing in the document."""
    story = {"what_happened": "`sums/area.py` was\n# wrong", "why": "A slip: <b>one</b> too many."}
    agent = two_fixes(
        tmp_path / "r.jsonl",
        {"role": "document", "reply": story | {"what_happened": "All is well."}},
        {"role": "document", "reply": story},
    )
    said = clew.run("fix", "--json", "--agent", agent, "--document", agent)
    assert (0, "green") == (said.code, said.summary["status"]), said.err + said.out[-2000:]
    (erred,) = happened(said, "AgentErred")
    assert ("document", "invalid_output") == (erred["role"], erred["kind"])
    assert "it names none of the changed files: sums/area.py" in erred["message"]
    (told,) = happened(said, "Narrated")
    assert story["why"] == told["why"]
    (summary,) = (clew.project / ".clew" / "sessions").rglob("summary.md")
    section = summary.read_text().partition("## What happened, and why\n")[2].partition("\n## ")[0]
    assert f"In the words of {agent}; the facts follow below." in section
    assert "\n# wrong" not in section
    assert "<b>" not in section
    assert 6 == said.summary["spent"]["by_agent"][agent]["calls"]
    assert "writes what happened" in clew.run("log").out
    played = clew.run("show", "--recording").out.splitlines()
    assert ["document", "document"] == [json.loads(line)["role"] for line in played[-2:]]


@pytest.mark.slow
def test_an_agent_that_cannot_tell_what_happened_harms_nothing(
    clew: CommandLine, tmp_path: Path, mine: str
) -> None:
    """The summary says who was asked, and stands without those words; nothing else differs."""
    agent = two_fixes(tmp_path / "r.jsonl")
    said = clew.run("fix", "--json", "--agent", agent, "--document", mine)
    assert (0, "green") == (said.code, said.summary["status"]), said.err + said.out[-2000:]
    (summary,) = (clew.project / ".clew" / "sessions").rglob("summary.md")
    assert f"{mine} was asked, but gave no account: the reply is not usable" in summary.read_text()
    assert 0 == clew.run("apply").code


@pytest.mark.slow
def test_a_proven_fix_waits_for_nobody_s_words(clew: CommandLine, tmp_path: Path) -> None:
    """A teller that writes is not heard, one that is gone not missed, and a person may decline."""
    teller = tmp_path / "teller"
    story = json.dumps({"what_happened": "sums/area.py was wrong", "why": "a slip"})
    teller.write_text(f"#!/bin/sh\n: > sums/area.py\necho '{story}'\n")
    teller.chmod(0o755)
    told = ("--agent", two_fixes(tmp_path / "r.jsonl"), "--document", f"command:{teller}")
    env = {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1", "CLEW_AGENT_RETRIES": "1"}
    killed = clew.run("fix", *told, env=env | {"CLEW_CRASH_AT": "CallAgent.document.intent"})
    assert -signal.SIGKILL == killed.code, killed.err
    moment, diff = Moment(clew, killed, tmp_path), clew.run("diff").out
    for word, kinds in (("resume", ["error"]), ("resume", ["not_installed"]), ("terminate", [])):
        moment.again()
        if "not_installed" in kinds:
            teller.unlink()
        said = clew.run(word, "--json", env={"CLEW_SANDBOX": "none"})
        assert (0, "green") == (said.code, said.summary["status"]), said.err
        assert kinds == [erred["kind"] for erred in happened(said, "AgentErred")]
        assert diff == clew.run("diff").out
    moment.again()
    applied = clew.run("apply")
    assert (0, False) == (applied.code, "not a proven fix" in applied.err)


@pytest.mark.slow
def test_an_agent_that_is_gone_is_passed_by_when_its_session_goes_on(
    clew: CommandLine, tmp_path: Path
) -> None:
    """As it is within a session: the next one on the ladder has its turn."""
    mine = tmp_path / "mine"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    found = diagnosis("a name that lacks", FIRST)
    agent = recording(tmp_path / "r.jsonl", {"role": "-"}, found, fix(FIRST))
    words = ("fix", "--max-iterations", "1", "--agent", f"command:{mine},{agent}")
    killed = clew.run(*words, env={"CLEW_CRASH_AT": "CallAgent.diagnose.before"})
    assert -signal.SIGKILL == killed.code, killed.err
    mine.unlink()
    said = clew.run("resume", "--json")
    assert (1, [agent]) == (said.code, said.summary["solved_by"]), said.err
    assert ["not_installed"] == [erred["kind"] for erred in happened(said, "AgentErred")]


@pytest.mark.slow
@pytest.mark.parametrize("point", ["CallAgent.review.intent", "CallAgent.review.effect#2"])
def test_a_review_that_was_cut_off_is_asked_for_again(
    clew: CommandLine, tmp_path: Path, point: str
) -> None:
    """Same end, same iterations; a review that was settled is not repeated."""
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("a name that lacks", FIRST),
        {"role": "review", "reply": REVIEW},
        fix(FIRST),
        diagnosis("one too many", SECOND),
        {"role": "review", "reply": {"verdict": "LOOKS_GOOD", "reason": "it is plain"}},
        fix(SECOND),
    )
    words = ("fix", "--json", "--agent", agent, "--review", agent)
    first = clew.run(*words, env={"CLEW_CRASH_AT": point})
    assert -signal.SIGKILL == first.code, (point, first.err)
    said = clew.run("resume", "--json")
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"]), said
    opinions = [
        e["event"]["opinion"]
        for e in clew.run("log", "--json").events
        if e["event"]["type"] == "Reviewed"
    ]
    assert ["SUGGEST_CHANGE", "LOOKS_GOOD"] == opinions
