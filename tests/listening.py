"""An agent that does as it is told in advance, and keeps every prompt that it was sent."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commandline import CommandLine, Said
from projects import commit_all, write

PROGRAM = """\
import json, os, pathlib, sys

folder = pathlib.Path(sys.argv[1])
role, call = os.environ["CLEW_ROLE"], os.environ["CLEW_CALL"]
(folder / f"{int(call):02}-{role}.md").write_text(sys.stdin.read())
print((folder / f"{role}.json").read_text())
"""
FIX = {"changes_made": "nothing", "files_modified": []}
WRAPPED = re.compile(r"^DATA_START (\w+) (.*?)\n(.*?)^DATA_END \1$", re.DOTALL | re.MULTILINE)


def told(path: str, current: str, should_be: str, cause: str = "a wrong number") -> dict[str, Any]:
    """Return a diagnosis with one change."""
    return {
        "failure_classification": "test_failure",
        "root_cause": cause,
        "root_cause_location": {"file": path},
        "fix": {
            "description": "put the right one there",
            "changes": [{"file": path, "current": current, "should_be": should_be}],
        },
        "options": [
            {
                "title": "write the file anew",
                "approach": "begin with what the tests ask for",
                "pros": ["nothing old is left"],
                "cons": ["it takes longer"],
                "steps": ["write it"],
            }
        ],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }


@dataclass
class Listening:
    """A person with such an agent, in a project of these files."""

    clew: CommandLine
    folder: Path

    @classmethod
    def at(cls, folder: Path, files: dict[str, str]) -> Listening:
        """Make the project, in git, and the agent beside it."""
        clew = CommandLine(commit_all(write(folder / "project", files)), folder / "state")
        clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
        write(folder / "agent", {"agent.py": PROGRAM})
        return cls(clew, folder / "agent")

    def answers(self, **replies: dict[str, Any]) -> Listening:
        """Settle what it says, by role."""
        for role, reply in ({"fix": FIX} | replies).items():
            (self.folder / f"{role}.json").write_text(json.dumps(reply))
        return self

    @property
    def agent(self) -> str:
        return f"command:{sys.executable} {self.folder / 'agent.py'} {self.folder}"

    def fix(self, *words: str, iterations: int = 1) -> Said:
        """Run a session with it."""
        cap = ("--max-iterations", str(iterations))
        return self.clew.run("fix", "--json", "--agent", self.agent, *cap, *words)

    def sent(self, role: str) -> list[str]:
        """Return the prompts of a role, oldest first."""
        return [path.read_text() for path in sorted(self.folder.glob(f"[0-9]*-{role}.md"))]


def data(prompt: str) -> dict[str, str]:
    """Return what a prompt wraps, by label."""
    return {found[2]: found[3] for found in WRAPPED.finditer(prompt)}
