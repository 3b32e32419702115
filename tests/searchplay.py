"""Small faulty projects, searched for real by the interpreter that runs these tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from clew import probe
from clew.probe.search.context import Context
from clew.probe.search.frontier import Frontier, spots
from clew.probe.search.source import Patch, Source, apply_changes
from clew.words.edits import apply
from clew.words.facts import Edit

__all__ = ["Answer", "DebugRun", "after", "ideas"]

ENTRY = Path(probe.__file__).parent / "__main__.py"


class Answer(msgspec.Struct, frozen=True):
    """What one search said."""

    candidates: list[dict[str, Any]]
    suspects: list[dict[str, Any]]
    done: dict[str, Any]

    @property
    def first(self) -> dict[str, Any]:
        assert self.candidates, self.done
        return self.candidates[0]


class DebugRun:
    """One project on disk."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.scratch = base / "scratch"
        self.scratch.mkdir(parents=True)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }

    def search(self, *failing: str, **words: object) -> Answer:
        """Ask for a repair; the request's other words may be given by name."""
        results = self.scratch / "results.jsonl"
        results.unlink(missing_ok=True)
        request = {
            "root": str(self.root),
            "cwd": str(self.root),
            "failing": list(failing),
            "forbidden_files": ["test_*.py", "conftest.py"],
            "seconds": 20,
            "workers": 1,
            "test_timeout": 3,
            "results": str(results),
            "scratch": str(self.scratch),
            **words,
        }
        (self.scratch / "request.json").write_text(json.dumps(request))
        done = subprocess.run(
            [sys.executable, str(ENTRY), "search", str(self.scratch / "request.json")],
            # The plug-ins of these tests' own environment have no part in the small projects.
            env={
                **os.environ,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert (0, "") == (done.returncode, done.stderr)
        lines = [json.loads(line) for line in results.read_text().splitlines()]
        return Answer(
            candidates=[line for line in lines if line["kind"] == "candidate"],
            suspects=[line for line in lines if line["kind"] == "suspect"],
            done=next(line for line in lines if line["kind"] == "done"),
        )

    def bare(self) -> dict[str, bool]:
        """Return for each test whether it can be called, and passes, without its runner."""
        script = (
            "import json, sys\n"
            f"sys.path.insert(0, {str(ENTRY.parents[1])!r})\n"
            "from probe.search.pytest_suite import PytestSuite\n"
            "def use(collected):\n"
            "    calls = {test.id: test.fast() for test in collected.tests}\n"
            "    [call() for call in calls.values() if call]\n"
            "    found = {test: call is not None for test, call in calls.items()}\n"
            f"    open({str(self.scratch / 'bare.json')!r}, 'w').write(json.dumps(found))\n"
            f"PytestSuite([], {str(self.scratch)!r}).collect(use)\n"
        )
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=self.root,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            timeout=90,
            check=True,
        )
        found: dict[str, bool] = json.loads((self.scratch / "bare.json").read_text())
        return found

    def repaired(self, candidate: dict[str, Any]) -> dict[str, str]:
        """Return the files as a candidate would leave them."""
        edits = [
            Edit(path=e["path"], line=e["line"], current=e["current"], should_be=e["should_be"])
            for e in candidate["edits"]
        ]
        sources = {
            path: (self.root / path).read_bytes().decode() for path in {e.path for e in edits}
        }
        return apply(sources, edits)


def ideas(text: str, family: str | None = None) -> set[str]:
    """Return every text that the operators (of one family) would make of a file."""
    return {apply_changes(text, patch.changes) for patch in patches(text, family)}


def patches(text: str, family: str | None = None) -> list[Patch]:
    """Return every patch that the operators (of one family) would make of a file."""
    source = Source("code.py", text)
    lines = dict.fromkeys(range(1, len(source.starts)), 1.0)
    frontier = Frontier({"code.py": Context(source)}, spots(source, lines))
    if family is not None:
        # A patch that several families make belongs to the first: the others are left out.
        frontier.heap = [entry for entry in frontier.heap if entry[2].operator.family == family]
    return frontier.take(200_000)


def after(text: str, current: str, should_be: str) -> str:
    assert text.count(current) == 1
    return text.replace(current, should_be)
