from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import FIRST, diagnosis, fix, recording

ONCE = """\
import json, os, sys
if int(os.environ["CLEW_ITERATION"]) > 1:
    sys.exit("You are not logged in")
print(json.dumps(json.loads(sys.argv[1])[os.environ["CLEW_ROLE"]]))
"""


@pytest.mark.slow
def test_a_ladder_goes_on_where_a_rung_proposes_nothing(clew: CommandLine, tmp_path: Path) -> None:
    """The first agent declares it out of scope; the second mends it in the same iteration."""
    nothing = diagnosis(
        "a name in sums/area.py that another team owns",
        FIRST,
        fix={"description": "ask that team"},
        out_of_scope=True,
        out_of_scope_reason="another team",
    )
    agent = recording(tmp_path / "r.jsonl", nothing, nothing, nothing, nothing)
    said = clew.run("fix", "--json", "--agent", f"{agent},repair")
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"])
    asked = [e["event"]["agent"] for e in said.events[:-1] if e["event"]["type"] == "Diagnosed"]
    assert [agent, "repair", agent, "repair"] == asked
    assert "AgentErred" not in said.out


@pytest.mark.slow
def test_the_proof_tells_of_the_network_of_all_whose_work_stands(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Of an agent of your own that mended the first fault, where the repairer mended the last."""
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    (tmp_path / "once.py").write_text(ONCE)
    answers = {
        "diagnose": diagnosis("a name that does not exist", FIRST)["reply"],
        "fix": fix(FIRST)["reply"],
    }
    line = shlex.join((sys.executable, str(tmp_path / "once.py"), json.dumps(answers)))
    (clew.project / "clew.toml").write_text(f"[commands]\nmine = {json.dumps(line)}\n")
    said = clew.run("fix", "--json", "--agent", "mine,repair")
    events = [line["event"] for line in said.events if "event" in line]
    assert ["mine", "repair"] == [e["agent"] for e in events if e["type"] == "FixApplied"], said.err
    assert ["open"] == [e.get("network") for e in events if e["type"] == "Proved"]
    assert ["mine"] == events[0]["unbounded"]
    assert "network: open to mine; `agent_hosts` names hosts" in clew.run("log").out
