from __future__ import annotations

from pathlib import Path

from commandline import CommandLine
from projects import FIRST, diagnosis, recording


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
