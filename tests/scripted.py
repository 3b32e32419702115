"""An agent that acts by a script, as any `command:` agent, and keeps the prompts it is sent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from commandline import CommandLine, Said

AGENT = """\
import json, os, pathlib, sys

place, role = pathlib.Path(sys.argv[1]), os.environ["CLEW_ROLE"]
number = len(list(place.glob(f"{role}-*"))) + 1
(place / f"{role}-{number}").write_text(sys.stdin.read())
turns = json.loads((place / "script.json").read_text())[role]
turn = turns[min(number, len(turns)) - 1]
for name, text in turn.get("writes", {}).items():
    pathlib.Path(name).write_text(text)
for name in turn.get("deletes", ()):
    pathlib.Path(name).unlink()
print(json.dumps(turn["says"]))
sys.exit(turn.get("status", 0))
"""

DONE: dict[str, Any] = {"says": {"changes_made": "mended it", "changes": []}}
"""A turn of a fixer that says that all is done, and changes nothing."""


def diagnosing(
    cause: str, *changes: dict[str, Any], others: int = 1, **more: object
) -> dict[str, Any]:
    """Return the turn of an agent that names a cause, and changes that mend it."""
    place = changes[0] if changes else {"file": "sums/area.py", "line": 1}
    reply = {
        "failure_classification": "test_failure",
        "root_cause": cause,
        "root_cause_location": {"file": place["file"], "line": place["line"]},
        "fix": {"description": f"mend {cause}", "changes": list(changes)},
        "options": [{"title": f"another way {n}", "pros": ["it differs"]} for n in range(others)],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
    return {"says": reply | more}


class Scripted:
    """The agent with its script, and what it was sent."""

    def __init__(self, place: Path, **turns: list[dict[str, Any]]) -> None:
        self.place = place
        place.mkdir(parents=True)
        (place / "agent.py").write_text(AGENT)
        (place / "script.json").write_text(json.dumps(turns))

    @property
    def name(self) -> str:
        """What `--agent` takes."""
        return f"command:{sys.executable} {self.place / 'agent.py'} {self.place}"

    def fix(self, clew: CommandLine, *words: str) -> Said:
        """Have it mend the project, with nothing in its way."""
        clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
        return clew.run("fix", "--json", "--agent", self.name, *words)

    def sent(self, role: str) -> list[str]:
        """Return the prompts that it was sent in a role."""
        return [
            (self.place / f"{role}-{n}").read_text()
            for n in range(1, len(list(self.place.glob(f"{role}-*"))) + 1)
        ]


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    """Return the events of a kind that a command with `--json` told of."""
    return [e["event"] for e in said.events[:-1] if e["event"]["type"] == kind]
