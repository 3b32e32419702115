"""An agent that carries out phases by a script, and keeps the prompts it is sent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from projects import commit_all, write

__all__ = ["PRICES", "ROUNDING", "TILL", "Builder", "builds", "plan_text", "till"]

AGENT = """\
import json, os, pathlib, re, sys, time

place, role, prompt = pathlib.Path(sys.argv[1]), os.environ["CLEW_ROLE"], sys.stdin.read()
found = re.search(r"# Phase [^:]+: (.*)", prompt)
name = found.group(1).strip() if found and role == "implement" else role
key = re.sub(r"[^a-z0-9]+", "-", name.lower())
number = 1
while True:
    try:
        (place / f"{key}-{number}.prompt").open("x").write(prompt)
        own = {name: value for name, value in os.environ.items() if name.startswith("CLEW_PHASE")}
        (place / f"{key}-{number}.own").write_text(json.dumps(own))
        break
    except FileExistsError:
        number += 1
    except OSError:  # in a sandbox nothing is kept
        number = int(os.environ["CLEW_CALL"])
        break
turns = json.loads((place / "script.json").read_text()).get(name)
if turns is None:
    sys.exit(f"nothing is known of {name}")
turn = turns[min(number, len(turns)) - 1]
time.sleep(turn.get("sleeps", 0))
for path, text in turn.get("writes", {}).items():
    file = pathlib.Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
said = {"status": "done", "summary": f"built {name}"} if role == "implement" else {}
print(json.dumps(said | turn.get("says", {})))
sys.exit(turn.get("status", 0))
"""

TILL = {
    "pyproject.toml": (
        '[project]\nname = "till"\nversion = "0.1"\n'
        '[tool.pytest.ini_options]\npythonpath = ["src"]\n'
    ),
    "src/till/__init__.py": '"""A till."""\n',
    "tests/test_doc.py": "import till\n\n\ndef test_doc():\n    assert till.__doc__\n",
}


def till(folder: Path) -> Path:
    """A committed project with one green test."""
    return commit_all(write(folder, TILL))


def builds(module: str, code: str, test: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 -- as JSON has it
    """Return the turn of an agent that writes a module and a test of it."""
    files = {f"src/till/{module}.py": code, f"tests/test_{module}.py": test}
    return {"writes": files} | more


ROUNDING = builds(
    "rounding",
    "def rounded(cents):\n    return 5 * round(cents / 5)\n",
    "from till.rounding import rounded\n\n\ndef test_rounded():\n    assert rounded(12) == 10\n",
)
PRICES = builds(
    "prices",
    "def total(cents):\n    return sum(cents)\n",
    "from till.prices import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
)


def plan_text(*phases: tuple[str, str, tuple[int, ...]]) -> str:
    """Return a plan of phases: a name, the module that each creates, what each waits for."""
    parts = ["---\ntitle: A till\ngoal: a till that adds and prints\n---\n"]
    for number, (name, module, waits) in enumerate(phases, 1):
        parts.append(
            f"## Phase {number}: {name}\n\n```yaml\nagent: coder\n"
            f"depends_on: {list(waits)}\ncreates: [src/till/{module}.py]\n"
            f"test_files: [tests/test_{module}.py]\n```\n\nWrite {module}.\n"
        )
    return "\n".join(parts)


class Builder:
    """The agent with its script, by the names of phases, and what it was sent."""

    def __init__(self, folder: Path, script: dict[str, list[dict[str, Any]]]) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "agent.py").write_text(AGENT)
        (folder / "script.json").write_text(json.dumps(script))
        folder.chmod(0o777)

    @property
    def name(self) -> str:
        """The agent, as the command line names it."""
        return f"command:{sys.executable} {self.folder / 'agent.py'} {self.folder}"

    def own(self, phase: str) -> list[dict[str, str]]:
        """What was its own each time, by the variables."""
        key = phase.lower().replace(" ", "-")
        found = sorted(self.folder.glob(f"{key}-*.own"))
        return [json.loads(path.read_text()) for path in found]

    def prompts(self, phase: str) -> list[str]:
        """What it was sent for a phase, in order."""
        key = phase.lower().replace(" ", "-")
        return [path.read_text() for path in sorted(self.folder.glob(f"{key}-*.prompt"))]
