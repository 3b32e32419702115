"""What holds for every back-end: the real program, a scripted model on loopback."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from backends import BACK_ENDS, KEY, NOTHING, SECRET, BackEnd, person, role, text
from clew.agents import table
from clew.git.project import locate
from commandline import CommandLine, Said
from modelserver import Asked, ModelServer, Reply
from projects import FIRST, SECOND, diagnosis, fix
from soundness import Block, heard, is_side, sound
from treestate import fingerprint

pytestmark = [pytest.mark.agents, pytest.mark.usefixtures("nothing_left")]


CHANGED = [
    "-from sums.add import ad",
    "+from sums.add import add as ad",
    "-    return ad(width, height) * 2 + 1",
    "+    return ad(width, height) * 2",
]


# Of the agents that speak the Agent Client Protocol one shows what Clew's side of it does: Gemini
# CLI. opencode, which starts for seven seconds of a core, shows the whole loop.
SPOKEN_WITH = [name for name in BACK_ENDS if name != "acp-opencode"]


@pytest.fixture(params=BACK_ENDS)
def back_end(request: pytest.FixtureRequest) -> BackEnd:
    return BACK_ENDS[request.param]


def run(clew: CommandLine, back_end: BackEnd, server: ModelServer, *words: str, **env: str) -> Said:
    own = person(clew, back_end, server)
    return clew.run("fix", "--json", "--agent", back_end.agent, *words, env=own | env)


def said_of(said: Said, kind: str) -> list[dict[str, Any]]:
    return [each["event"] for each in said.events[:-1] if each["event"]["type"] == kind]


def history(asked: Asked) -> list[Block]:
    """What a request of the second iteration tells of the first."""
    blocks = [block for prompt in sound(asked) for block in prompt.blocks]
    return [block for block in blocks if block.label == "attempt 1"]


def mending(
    clew: CommandLine, back_end: BackEnd, asked: Asked, root: Path | None = None
) -> Reply | str:
    """Read the file before anything is said, and mend it with a tool of its own."""
    if is_side(asked):
        return "a title"
    if role(asked) == "challenge":
        return NOTHING
    second = "Earlier attempts" in asked.whole
    change = SECOND if second else FIRST
    file = (root or clew.project) / change["file"]
    if not asked.all_results:
        return Reply(calls=(back_end.read(file),))
    if role(asked) == "diagnose":
        return text(diagnosis("one too many" if second else "a name that lacks", change))
    if len(asked.all_results) == 1:
        return Reply(calls=(back_end.edit(file, change),))
    return text(fix(change) | {"reply": fix(change)["reply"] | {"changes": []}})


def test_two_faults_are_mended_in_two_iterations(clew: CommandLine, back_end: BackEnd) -> None:
    """It reads before it speaks, edits with its own tool, and what it took is counted."""
    before = fingerprint(locate(clew.project))
    with heard(lambda asked: mending(clew, back_end, asked), SECRET, KEY) as server:
        said = run(clew, back_end, server)
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err + said.out[-2000:]
    assert before == fingerprint(locate(clew.project))
    asked = [each for each in server.asked if not is_side(each)]
    shown = [each.all_results[0] for each in asked if each.all_results]
    assert all("ad(width, height)" in each for each in shown)
    told = [block.text for each in asked for block in history(each)]
    assert told
    for attempt in told:
        assert "root cause: a name that lacks" in attempt
        assert f"{FIRST['current']!r} -> {FIRST['should_be']!r}" in attempt
    assert back_end.models <= {each.body.get("model") for each in server.asked} | {
        each.path.rpartition("/")[2].partition(":")[0] for each in server.asked
    }
    usages = [e["event"]["usage"] for e in said.events[:-1] if e["event"].get("usage")]
    took = [(each["input"], each["output"]) for each in usages if each["input"]]
    if back_end.usage:
        assert [*[(200, 40), (300, 60)] * 2, (100, 20)] == took
    (challenged,) = said_of(said, "Challenged")
    assert back_end.agent == challenged["agent"]


def test_two_faults_are_mended_where_there_are_no_namespaces(clew: CommandLine) -> None:
    """Landlock holds a real agent as well, and lets it do its work; the proof names it.

    One agent: what differs between the levels is the sandbox, which knows of none.
    """
    back_end = BACK_ENDS["claude"]

    def script(asked: Asked) -> Reply | str:
        (worktree,) = clew.state.glob("projects/*/worktrees/*")  # nothing stands in its place
        return mending(clew, back_end, asked, worktree)

    before = fingerprint(locate(clew.project))
    with heard(script, SECRET, KEY) as server:
        said = run(clew, back_end, server, CLEW_SANDBOX="landlock")
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err + said.out[-2000:]
    assert before == fingerprint(locate(clew.project))
    (proved,) = said_of(said, "Proved")
    assert "landlock" == proved["sandbox"]


@pytest.mark.parametrize("back_end", SPOKEN_WITH, indirect=True)
def test_a_diagnosis_that_writes_writes_nothing(clew: CommandLine, back_end: BackEnd) -> None:
    """The tools for it are not offered or refuse, and the model is told so."""
    file = clew.project / "planted.py"
    told: list[str] = []

    def script(asked: Asked) -> Reply | str:
        if is_side(asked):
            return "a title"
        if role(asked) == "diagnose" and not asked.all_results:
            return Reply(calls=back_end.writes(file))
        if role(asked) == "diagnose":
            told.extend(asked.all_results)
        return mending(clew, back_end, asked)

    with heard(script, SECRET, KEY) as server:
        said = run(clew, back_end, server, "--max-iterations", "1")
    assert told
    assert not file.exists()
    changed = [path for event in said_of(said, "FixApplied") for path in event["files"]]
    assert [FIRST["file"]] == changed, said.err + said.out[-2000:]


@pytest.mark.parametrize("back_end", SPOKEN_WITH, indirect=True)
def test_a_model_that_keeps_silent_is_ended(clew: CommandLine, back_end: BackEnd) -> None:
    """When its time is up the call fails, and nothing of it runs on."""
    patience = {"CLEW_AGENT_TIMEOUT": str(back_end.patience), "CLEW_AGENT_RETRIES": "0"}
    with heard(lambda _: Reply(stalls=True), SECRET, KEY) as server:
        said = run(clew, back_end, server, "--max-iterations", "1", **patience)
    assert ["timeout"] == [event["kind"] for event in said_of(said, "AgentErred")], said.out
    assert server.asked


@pytest.mark.parametrize("back_end", SPOKEN_WITH, indirect=True)
def test_a_malformed_reply_is_asked_for_again(clew: CommandLine, back_end: BackEnd) -> None:
    """The agent is told what was wrong with it: in the next call, or before this one ends."""
    again: list[Asked] = []

    def script(asked: Asked) -> Reply | str:
        if is_side(asked):
            return "a title"
        if "could not be used" in asked.whole:
            again.append(asked)
        elif role(asked) == "diagnose":
            return "I believe it is the import."
        return mending(clew, back_end, asked)

    with heard(script, SECRET, KEY) as server:
        said = run(clew, back_end, server, "--max-iterations", "1")
    kinds = [event["kind"] for event in said_of(said, "AgentErred")]
    assert kinds in ([], ["invalid_output"]), said.out[-2000:]
    assert again
    assert [FIRST["file"]] == [p for event in said_of(said, "FixApplied") for p in event["files"]]


@pytest.mark.parametrize("back_end", SPOKEN_WITH, indirect=True)
def test_a_call_that_is_killed_is_made_again(clew: CommandLine, back_end: BackEnd) -> None:
    """Clew dies while the agent edits; resumed, it mends both faults, and no edit came twice."""
    running: list[subprocess.Popen[str]] = []

    def script(asked: Asked) -> Reply | str:
        edited = role(asked) == "fix" and len(asked.all_results) == 2
        if running and edited and not is_side(asked):
            running.pop().send_signal(signal.SIGKILL)
            return Reply(stalls=True)
        return mending(clew, back_end, asked)

    with heard(script, SECRET, KEY) as server:
        own = person(clew, back_end, server)
        process = clew.start("fix", "--json", "--agent", back_end.agent, env=own)
        running.append(process)
        process.communicate(timeout=120)
        assert -signal.SIGKILL == process.returncode
        said = clew.run("resume", "--json", env=own)
        log = clew.run("log", "--json", env=own)
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err + said.out[-2000:]
    applied = [each["event"] for each in log.events if each["event"]["type"] == "FixApplied"]
    assert [1, 2] == [event["iteration"] for event in applied]
    changed = [line for line in clew.run("diff").out.splitlines() if line[:1] in "+-"]
    assert CHANGED == [line for line in changed if line[:3] not in ("+++", "---")]


def test_a_contract_is_held_with_every_back_end() -> None:
    """All that speak with a model of their own choice."""
    held = {back_end.word for back_end in BACK_ENDS.values()}
    assert set(table.BACK_ENDS) - {"repair", "command", "replay"} == held
