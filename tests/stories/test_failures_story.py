"""Agents that fail, each in its own way: what follows, what is told, and that nothing is lost."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from backends import BACK_ENDS, person, role, text
from clew.git.project import locate
from commandline import CommandLine, Said
from modelserver import Asked, Reply
from projects import FIRST, diagnosis, fix
from soundness import heard, is_side
from treestate import fingerprint

pytestmark = pytest.mark.usefixtures("nothing_left")

CLAUDE = BACK_ENDS["claude"]
# It fails in its own way at the calls that it is told, and does what is asked at all others.
AGENT = """\
import json, os, pathlib, sys

prompt, role, call = sys.stdin.read(), os.environ["CLEW_ROLE"], int(os.environ["CLEW_CALL"])
if call in {calls}:
    {ways}
print(json.dumps(json.loads({replies!r})[role]))
"""
WAYS = {
    "busy": "sys.exit('429 Too Many Requests: retry after 1 s')",
    "busy for long": "sys.exit('429 Too Many Requests: try again in 50 minutes')",
    "too much": "sys.exit('the prompt is too long: 250000 tokens')",
    "refuses": "sys.exit('this violates our usage policy')",
    "chats": "print('I believe it is the import.'); sys.exit()",
    "does not stop": "while True: sys.stdout.write('x' * 65536)",
    "dies": "pathlib.Path('sums/area.py').write_text('half an edi'); os.kill(os.getpid(), 9)",
    "edits more": "pathlib.Path('notes.txt').write_text('tidied up\\n')",
}


def agent(folder: Path, way: str, *calls: int) -> str:
    """Write the agent; return how it is named."""
    replies = json.dumps(
        {"diagnose": diagnosis("a name that lacks", FIRST)["reply"], "fix": fix(FIRST)["reply"]}
    )
    path = folder / "agents" / "agent.py"
    path.parent.mkdir()
    path.write_text(AGENT.format(calls=calls, ways=WAYS[way], replies=replies))
    return f"command:{sys.executable} {path}"


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("way", "calls", "kinds"),
    [
        ("busy", (1,), ["rate_limited"]),
        ("too much", (1,), ["context_too_long"]),
        ("dies", (2, 3), ["error", "error"]),
        ("edits more", (2,), []),
    ],
)
def test_what_passes_costs_no_iteration(
    clew: CommandLine, tmp_path: Path, way: str, calls: tuple[int, ...], kinds: list[str]
) -> None:
    """The call is made again, on files as they were before, and mends the fault."""
    before = fingerprint(locate(clew.project))
    named = agent(tmp_path, way, *calls)
    said = clew.run("fix", "--json", "--max-iterations", "1", "--agent", named)
    told = [event["message"] for event in happened(said, "AgentErred")]
    assert kinds == [event["kind"] for event in happened(said, "AgentErred")], told
    (applied,) = happened(said, "FixApplied")
    outside = ["notes.txt"] if way == "edits more" else []
    assert (sorted([*outside, FIRST["file"]]), outside) == (
        applied["files"],
        applied.get("beyond", []),
    )
    assert "Different errors" == happened(said, "IterationEnded")[0]["result"]
    assert before == fingerprint(locate(clew.project))
    if way == "busy":
        assert [1.0] == [event["after"] for event in happened(said, "AgentErred")]
    if way == "too much":
        assert "the next prompt has at most 25000 tokens" in told[0]


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("way", "kind", "calls"),
    [
        ("busy for long", "rate_limited", 1),
        ("refuses", "refusal", 1),
        ("chats", "invalid_output", 3),
        ("does not stop", "endless_output", 3),
    ],
)
def test_what_does_not_pass_is_a_persons(
    clew: CommandLine, tmp_path: Path, way: str, kind: str, calls: int
) -> None:
    """After as many calls as may help; the question says what the agent said."""
    before = fingerprint(locate(clew.project))
    named = agent(tmp_path, way, *range(1, 9))
    cap = "1" if way == "does not stop" else "2"
    said = clew.run("fix", "--json", "--max-iterations", cap, "--agent", named)
    erred = happened(said, "AgentErred")
    assert (1, [kind] * calls) == (said.code, [event["kind"] for event in erred]), said.err
    (asked,) = happened(said, "QuestionAsked")
    if kind != "endless_output":
        assert erred[-1]["message"] in asked["text"]
    assert before == fingerprint(locate(clew.project))


@pytest.mark.slow
def test_an_agent_that_is_not_there_is_told_before_a_session_begins(clew: CommandLine) -> None:
    """Nothing was begun that would have to be ended."""
    said = clew.run("fix", "--agent", "command:no-such-agent")
    assert 2 == said.code
    assert "'no-such-agent' was not found" in said.err
    assert "No active session" in clew.run("status").out


# What a server says to who asks too much, how often, and what of that is shown; then what it says
# to a prompt that is too long.
LIMITS = {
    "claude": (
        (1, "slow down", "waiting claude:model-1: rate_limit, for 1 s"),
        "prompt is too long: 250000 tokens > 200000 maximum",
    ),
    "gemini": (
        (3, "Quota exceeded. Please retry in 1s.", "failed (rate_limited): Quota exceeded."),
        "The input token count (250000) exceeds the maximum number of tokens allowed (200000).",
    ),
    "codex": (
        (1, "Rate limit reached.", "waiting codex:gpt-5.5: Reconnecting... 1/5"),
        "Your input exceeds the context window of this model.",
    ),
    "opencode": (  # it waits without a word
        (1, "slow down", ""),
        "Your input exceeds the context window of this model.",
    ),
}
REFUSES = "This violates our usage policy."


@pytest.mark.agents
@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_a_model_are_heard_through_every_agent(clew: CommandLine, name: str) -> None:
    """One that is to slow down waits, by itself at first; a prompt that is too long is halved.

    Then the model refuses: that is a person's at once.
    """
    (times, busy, shown), too_long = LIMITS[name]
    busy_yet, long_yet = [busy] * times, [too_long]

    def script(asked: Asked) -> Reply | str:
        if is_side(asked):
            return "a title"
        if busy_yet:
            return Reply(status=429, headers={"Retry-After": "1"}, error=busy_yet.pop())
        return Reply(status=400, error=long_yet.pop() if long_yet else REFUSES)

    back_end = BACK_ENDS[name]
    with heard(script) as server:
        own = person(clew, back_end, server)
        said = clew.run("fix", "--max-iterations", "1", "--agent", back_end.agent, env=own)
    assert (1, [], []) == (said.code, busy_yet, long_yet), said.err
    assert shown in said.err
    long = f"{back_end.agent} failed (context_too_long): the next prompt has at most 25000 tokens"
    kinds = [said.err.index(words) for words in (long, f"{back_end.agent} failed (refusal): ")]
    assert sorted(kinds) == kinds
    assert f"result: Agent failed: {back_end.agent}: " in said.err
    assert REFUSES in said.err


@pytest.mark.agents
def test_a_fix_after_the_limits_of_a_model_counts(clew: CommandLine) -> None:
    """The call that was slowed down, and its halved prompt, cost no iteration."""
    (_, busy, _), too_long = LIMITS["claude"]
    refusals = [
        Reply(status=429, headers={"Retry-After": "1"}, error=busy),
        Reply(status=400, error=too_long),
    ]
    answers = {"diagnose": text(diagnosis("a name that lacks", FIRST)), "fix": text(fix(FIRST))}

    def script(asked: Asked) -> Reply | str:
        if is_side(asked):
            return "a title"
        return refusals.pop(0) if refusals else answers[role(asked)]

    with heard(script) as server:
        own = person(clew, CLAUDE, server)
        words = ("--json", "--max-iterations", "1", "--agent", CLAUDE.agent)
        said = clew.run("fix", *words, env=own)
    assert ["context_too_long"] == [event["kind"] for event in happened(said, "AgentErred")]
    (applied,) = happened(said, "FixApplied")
    assert ([FIRST["file"]], [CLAUDE.agent]) == (applied["files"], said.summary["solved_by"])


@pytest.mark.agents
def test_claude_code_that_hangs_is_ended(clew: CommandLine) -> None:
    """It says nothing for longer than it may, long before its time is up."""
    own = {"CLEW_AGENT_IDLE_TIMEOUT": "3", "CLEW_AGENT_RETRIES": "0"}
    with heard(lambda _: Reply(stalls=True)) as server:
        own |= person(clew, CLAUDE, server)
        words = ("--json", "--max-iterations", "1", "--agent", CLAUDE.agent)
        said = clew.run("fix", *words, env=own)
    assert ["silent"] == [event["kind"] for event in happened(said, "AgentErred")], said.err
