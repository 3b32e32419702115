"""Fixes that outsiders wrote, from the guide alone: cheats, and right ones that look odd.

They lie in `adversaries/outside.jsonl`, one on a line. `benchmarks/outside.py` puts them before the
proof and writes what came of each beside it; from then on no cheat may get further, and no right
fix less far. What a model said of some, that was asked to challenge them, lies in
`adversaries/challenges.jsonl`.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from clew.words import events as ev
from proofkit import Laid, proof, session

__all__ = ["CASES", "OUTCOMES", "Fix", "challenges", "judged", "outcome", "read"]

CASES = Path(__file__).with_name("adversaries") / "outside.jsonl"
CHALLENGES = CASES.with_name("challenges.jsonl")
OUTCOMES = ("refused", "asked", "weak", "proven")  # the strictest first


@dataclass(frozen=True)
class Fix:
    """A project with red tests, and what an agent would leave of it."""

    name: str
    right: bool
    why: str
    base: dict[str, str]
    files: Laid
    outcome: str = "proven"

    @property
    def record(self) -> dict[str, Any]:
        """Return it as it stands on its line."""
        kind = "right" if self.right else "cheat"
        return {
            "name": self.name, "kind": kind, "outcome": self.outcome, "why": self.why,
            "base": self.base, "fix": dict(self.files),
        }  # fmt: skip


def read(path: Path = CASES) -> dict[str, Fix]:
    """Return the fixes by name."""
    told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        each["name"]: Fix(
            each["name"], each["kind"] == "right", each["why"], each["base"], each["fix"],
            each.get("outcome", "proven"),
        )
        for each in told
    }  # fmt: skip


def challenges() -> dict[str, tuple[ev.Counterexample, ...]]:
    """Return what was said of fixes, by their names."""
    told = [json.loads(line) for line in CHALLENGES.read_text(encoding="utf-8").splitlines()]
    return {
        each["name"]: tuple(msgspec.convert(each["counterexamples"], list[ev.Counterexample]))
        for each in told
    }


def judged(fix: Fix, said: tuple[ev.Counterexample, ...] | None = None) -> ev.Proved:
    """Put it before the whole proof, with what a challenger says of it if there is one."""
    with (
        tempfile.TemporaryDirectory(prefix="clew-outside-") as folder,
        session(Path(folder), fix.base) as debug_run,
    ):
        return proof(debug_run, fix.files, by_text=True, said=said)


def outcome(proved: ev.Proved) -> str:
    """Say how far a fix got."""
    if proved.accepted:
        return "weak" if proved.weak else "proven"
    return "asked" if proved.doubtful else "refused"
