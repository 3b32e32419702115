"""One plan, of which three real programs carry out a phase each; a scripted model on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from backends import BACK_ENDS, KEY, SECRET, BackEnd, person
from builder import PRICES, ROUNDING, builds, plan_text, till
from clew.git.project import locate
from commandline import CommandLine
from modelserver import Asked, Reply, ToolCall
from soundness import heard, is_side
from treestate import fingerprint

COUNTING = builds(
    "counting",
    "def counted(prices):\n    return len(prices)\n",
    "from till.counting import counted\n\n\ndef test_counted():\n    assert counted([3, 4]) == 2\n",
)


class Work(NamedTuple):
    """A phase, who carries it out, and what it comes to."""

    name: str
    back_end: BackEnd
    turn: dict[str, Any]

    def wants(self, file: Path, content: str) -> ToolCall:
        """Return how a model has a file written by that program."""
        added = "".join(f"+{line}\n" for line in content.splitlines())
        patch = f"*** Begin Patch\n*** Add File: {file}\n{added}*** End Patch"
        words = {"file_path": str(file), "content": content}
        return {
            "claude": ToolCall("Write", words),
            "gemini": ToolCall("write_file", words),
            "codex": ToolCall("apply_patch", {"input": patch}),
        }[self.back_end.name]


PLAN = (
    Work("Prices", BACK_ENDS["claude"], PRICES),
    Work("Rounding", BACK_ENDS["gemini"], ROUNDING),
    Work("Counting", BACK_ENDS["codex"], COUNTING),
)


@pytest.mark.agents
def test_three_programs_carry_out_a_phase_each(tmp_path: Path) -> None:
    """Side by side, each in its worktree; what each built is merged, and its tokens are counted."""
    clew = CommandLine(till(tmp_path / "till"), tmp_path / "state")
    text = plan_text(*((work.name, work.name.lower(), ()) for work in PLAN))
    for work in PLAN:
        text = text.replace("agent: coder", f"agent: by_{work.back_end.name}", 1)
    (clew.project / "plan.md").write_text(text)
    rows = (f'by_{w.back_end.name} = {{ agent = "{w.back_end.agent}" }}\n' for w in PLAN)
    (clew.project / "clew.toml").write_text(f"[plan_agents]\n{''.join(rows)}")

    def model(asked: Asked) -> Reply | str:
        if is_side(asked):
            return "a title"
        work = next(w for w in PLAN if f": {w.name}\n" in asked.whole)
        files = [*work.turn["writes"].items()]
        if (done := len(asked.all_results)) < len(files):
            path, content = files[done]
            return Reply(calls=(work.wants(clew.project / path, content),))
        return json.dumps({"status": "done", "summary": f"built {work.name}"})

    before = fingerprint(locate(clew.project))
    with heard(model, SECRET, KEY) as server:
        env: dict[str, str] = {}
        for work in PLAN:
            env |= person(clew, work.back_end, server)
        said = clew.run("run", "plan.md", env=env)
    assert 0 == said.code, said.out + said.err
    assert before == fingerprint(locate(clew.project))
    diff = clew.run("diff").out
    for work in PLAN:
        assert f"+++ b/src/till/{work.name.lower()}.py" in diff
    (document,) = (clew.project / ".clew" / "sessions").glob("*/session.md")
    told = document.read_text()
    assert all(f'"{work.back_end.agent}":' in told for work in PLAN)
    assert "total_input: 0" not in told
