"""Small failing projects, and recordings that mend them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

PYPROJECT = """\
[project]
name = "sums"
version = "1"

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

# The first fault hides the second: `areas` cannot be imported before it is mended.
TWO_FAULTS = {
    "pyproject.toml": PYPROJECT,
    "sums/__init__.py": "",
    "sums/add.py": "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return add(a, a)\n",
    "sums/area.py": (
        "from sums.add import ad\n\n\n"
        "def ring(width, height):\n    return ad(width, height) * 2 + 1\n"
    ),
    "tests/test_add.py": (
        "from sums.add import add, double\n\n\n"
        "def test_add():\n    assert add(1, 2) == 3\n\n\n"
        "def test_double():\n    assert double(4) == 8\n"
    ),
    "tests/test_area.py": (
        "from sums.area import ring\n\n\n"
        "def test_ring():\n    assert ring(1, 2) == 6\n\n\n"
        "def test_empty():\n    assert ring(0, 0) == 0\n"
    ),
    "notes.txt": "mine\n",
}

FIRST: dict[str, Any] = {
    "file": "sums/area.py",
    "line": 1,
    "current": "import ad\n",
    "should_be": "import add as ad\n",
}
SECOND: dict[str, Any] = {
    "file": "sums/area.py",
    "line": 5,
    "current": "    return ad(width, height) * 2 + 1\n",
    "should_be": "    return ad(width, height) * 2\n",
}
NO_HELP: dict[str, Any] = {
    "file": "sums/area.py",
    "line": 5,
    "current": "    return ad(width, height) * 2 + 1\n",
    "should_be": "    return ad(width, height) * 2 + 7\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def git(root: Path, *words: str) -> str:
    identity = ["-c", "user.name=Someone", "-c", "user.email=someone@localhost"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=root, capture_output=True, text=True, check=True
    )
    return done.stdout


def commit_all(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    return root


def two_faults(folder: Path) -> Path:
    """Make a repository with both faults, a change that is not committed and a file not tracked."""
    project = commit_all(write(folder / "sums", TWO_FAULTS))
    return write(project, {"notes.txt": "changed, not committed\n", "new.txt": "not tracked\n"})


def diagnosis(cause: str, change: dict[str, Any], **more: object) -> dict[str, Any]:
    reply = {
        "failure_classification": "test_failure",
        "root_cause": cause,
        "root_cause_location": {"file": change["file"], "line": change["line"]},
        "fix": {"description": f"mend {cause}", "changes": [change]},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
    return {"role": "diagnose", "reply": reply | more}


def fix(change: dict[str, Any]) -> dict[str, Any]:
    reply = {"files_modified": [change["file"]], "changes_made": "mended", "changes": [change]}
    return {"role": "fix", "reply": reply}


def recording(path: Path, *lines: dict[str, Any]) -> str:
    """Write a recording and return the agent that plays it."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"replay:{path}"


def two_fixes(path: Path, *more: dict[str, object]) -> str:
    """A recording that mends both faults, one an iteration; then more calls."""
    return recording(
        path,
        diagnosis("a name that does not exist", FIRST),
        fix(FIRST),
        diagnosis("one too many", SECOND),
        fix(SECOND),
        *more,
    )
