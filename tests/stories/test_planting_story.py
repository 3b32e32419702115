"""What an agent plants for others to run runs nowhere but in the sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import clew
from commandline import CommandLine
from projects import two_faults, write
from sandbox.confinement import ordinary

# Its traps write where only a program outside of the sandbox can.
AGENT = """\
import json, os, pathlib, shutil

def plant(name, text, mode=0o755):
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)

if os.environ["CLEW_ROLE"] == "diagnose":
    reply = {
        "failure_classification": "import_error",
        "root_cause": "area.py imports a name that add.py does not have",
        "root_cause_location": {"file": "sums/area.py", "line": 1},
        "fix": {"description": "write the module anew", "changes": []},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
else:
    plant("sums/area.py",
          "from sums.add import add\\n\\n\\ndef ring(w, h):\\n    return add(w, h) * 2\\n")
    git = pathlib.Path(".git")
    shutil.rmtree(git) if git.is_dir() else git.unlink(missing_ok=True)
    trap = "./trap"  # as seen from the worktree, wherever it stands
    plant(trap, "#!/bin/sh\\necho $0 $* >> CANARY\\ncat\\n")
    for hook in ("post-checkout", "pre-commit", "post-commit", "post-index-change",
                 "reference-transaction", "fsmonitor-watchman"):
        plant(f".git/hooks/{hook}", pathlib.Path("trap").read_text())
        plant(f"hooks/{hook}", pathlib.Path("trap").read_text())
    plant(".git/HEAD", "ref: refs/heads/main\\n")
    plant(".git/objects/x", "")
    plant(".git/refs/x", "")
    programs = {
        "core": ("fsmonitor", "sshCommand", "pager", "hooksPath"),
        'filter "bent"': ("clean", "smudge", "process"),
        "diff": ("external",),
    }
    config = "".join(
        f"[{section}]\\n" + "".join(f"\\t{name} = {trap}\\n" for name in names)
        for section, names in programs.items()
    )
    plant(".git/config", config.replace("hooksPath = ./trap", "hooksPath = hooks"))
    plant(".gitattributes", "* filter=bent diff=bent\\n")
    code = "import os\\ntry: open('CANARY', 'a').write(__name__)\\nexcept OSError: pass\\n"
    for name in ("conftest", "sitecustomize", "usercustomize", "json", "msgspec", "pytest_evil"):
        plant(f"{name}.py" if name != "json" else "clew/json.py", code)
    plant("evil.pth", "import os; open('CANARY', 'a').write('pth')\\n")
    plant("CLEW_RUN", "x")
    reply = {"changes_made": "wrote it anew", "files_modified": []}
print(json.dumps(reply))
"""


class Ordinary(CommandLine):
    """Somebody whom permissions bind, also where the tests run as root."""

    def start(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        python = (Path(clew.__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix))
        command = [sys.executable, "-m", "clew", *words]
        return subprocess.Popen(
            ordinary.line(command, (*python, self.project.parent), self.project.parent / "stage"),
            cwd=self.project,
            env={**self.environment(env), "HOME": str(self.project.parent)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("level", "user"),
    [("namespace", "whoever"), ("namespace", "ordinary"), ("landlock", "ordinary")],
)
def test_nothing_that_an_agent_plants_runs_outside(level: str, user: str) -> None:
    """Hooks, monitors and filters of git, modules that Python finds by itself."""
    with ordinary.place() as place:
        lent = user == "ordinary" and os.geteuid() == 0
        person = (Ordinary if lent else CommandLine)(two_faults(place), place / "state")
        canary = place / "canary"
        write(person.project, {"tools/agent.py": AGENT.replace("CANARY", str(canary))})
        if lent:
            ordinary.give(place)
        elif os.geteuid() == 0:
            os.chown(place, 0, 0)
        person.env["CLEW_SANDBOX"] = level
        person.env["CLEW_CACHE_HOME"] = str(place / "cache")
        agent = f"command:{sys.executable} tools/agent.py"
        tests = f"{sys.executable} -m pytest"
        said = person.run(
            *("fix", "--json", "--agent", agent, "--max-iterations", "1", "--test-command", tests)
        )
        for words in (["status"], ["show"], ["log"], ["diff"], ["verify"], ["rollback"]):
            person.run(*words)

        assert "FixApplied" in {each["event"]["type"] for each in said.events[:-1]}, said.err
        assert not canary.exists(), canary.read_text()
