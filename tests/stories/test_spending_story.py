"""What agents took, and how a session is played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.documents import session
from commandline import CommandLine, Said
from projects import FIRST, SECOND, diagnosis, fix, recording

TOOK = {"input_tokens": 1000, "output_tokens": 100, "cached_tokens": 400}
PRICES = '[prices]\n"replay:*" = { input = 3.0, output = 15.0, cached = 0.3 }\n'


def told(line: dict[str, Any], **took: object) -> dict[str, Any]:
    return line | {"reply": line["reply"] | {"usage": took}}


def changes(clew: CommandLine, name: str) -> str:
    return clew.run("diff", name).out


def events(said: Said, kind: str) -> list[dict[str, Any]]:
    return [e["event"] for e in said.events[:-1] if e["event"]["type"] == kind]


@pytest.mark.slow
def test_what_agents_took_is_told_everywhere_and_a_session_plays_again(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Tokens as they were told, money by the table or the agent's own word; played, the same."""
    (clew.project / "clew.toml").write_text(PRICES)
    misfit = FIRST | {"current": "no such text"}
    lines = (
        told(diagnosis("a name that lacks", misfit), **TOOK),  # is of no use, and costs
        told(diagnosis("a name that lacks", FIRST), **TOOK),
        told(fix(FIRST), **TOOK),
        told(diagnosis("one too many", SECOND), **TOOK, usd=0.5),
        fix(SECOND),  # tells nothing
    )
    said = clew.run("fix", "--json", "--agent", recording(tmp_path / "r.jsonl", *lines))
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err + said.out[-2000:]
    spent = said.summary["spent"]
    assert [spent["total"]] == list(spent["by_agent"].values())
    each = (600 * 3.0 + 400 * 0.3 + 100 * 15.0) / 1e6
    assert pytest.approx(3 * each + 0.5) == spent["total"]["usd"]
    assert [5, 4000, 400, 1600, 1, 1] == [
        spent["total"][key] for key in ("calls", "input", "output", "cached", "untold", "unpriced")
    ]
    name = said.summary["session_id"]
    line = "5 calls; tokens 4,000 in (1,600 cached), 400 out, and of 1 call not all is known"
    assert f"{line}; money $0.5103, and of" in clew.run("status").out
    folder = clew.project / ".clew" / "sessions" / name
    assert "4,000 in (1,600 cached)" in (folder / "summary.md").read_text()
    document = session.parse((folder / "session.md").read_text())
    assert (4000, 1600) == (
        document.token_usage.total.input,
        document.token_usage.total.cached,
    )

    played = clew.run("fix", "--json", "--agent", f"replay:{name}")
    assert (0, 2) == (played.code, played.summary["iterations"]), played.err + played.out[-2000:]
    assert played.summary["spent"]["total"] == spent["total"]
    assert changes(clew, name) == changes(clew, played.summary["session_id"])
    assert ["invalid_output"] == [event["kind"] for event in events(played, "AgentErred")]

    written = clew.run("show", name, "--recording").out
    assert [None, "replay"] == [
        json.loads(row).get(key) and json.loads(row)[key].partition(":")[0]
        for row, key in zip(written.splitlines()[:2], ("diagnosis", "agent"), strict=True)
    ]
    (tmp_path / "again.jsonl").write_text(written)
    again = clew.run("fix", "--json", "--agent", f"replay:{tmp_path / 'again.jsonl'}")
    assert (0, 2) == (again.code, again.summary["iterations"]), again.err + again.out[-2000:]


@pytest.mark.slow
def test_a_session_of_the_built_in_repairer_plays_again(clew: CommandLine) -> None:
    """Without its search."""
    first = clew.run("fix", "--json")
    assert 0 == first.code, first.err
    again = clew.run("fix", "--json", "--agent", f"replay:{first.summary['session_id']}")
    assert (0, first.summary["iterations"]) == (again.code, again.summary["iterations"]), again.err
    names = [each.summary["session_id"] for each in (first, again)]
    assert changes(clew, names[0]) == changes(clew, names[1])
