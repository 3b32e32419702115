"""What the proof says of fixes that outsiders wrote, from the guide alone.

    .venv/bin/python benchmarks/outside.py [--cases FILE] [--only NAME ...] [--write]

A line says what became of each, and why, and which calls that no test makes the proof shows; the
last ones count. With `--write` the file keeps the outcomes, and `tests/adversaries/test_outside.py`
holds them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from clew.words.errors import ClewError  # noqa: E402 - as below
from clew.words.events import ELSEWHERE  # noqa: E402 - as below
from outside import CASES, OUTCOMES, Fix, judged, outcome, read  # noqa: E402 - lies in tests/


class Told(NamedTuple):
    """What became of one, the claims that speak against it, and what it changes elsewhere."""

    name: str
    came: str
    why: str
    shown: str = ""


def told(fix: Fix) -> Told:
    """Judge one."""
    try:
        proved = judged(fix)
    except ClewError as error:
        return Told(fix.name, "", error.message)
    against = [f"{row.claim}: {row.measured}" for row in proved.rows if not row.holds]
    shown = "; ".join(row.measured for row in proved.rows if row.claim == ELSEWHERE)
    return Told(fix.name, outcome(proved), "; ".join(against) or proved.did_not_run, shown)


def main() -> int:
    """Judge them all and count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, default=CASES, metavar="FILE")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME")
    parser.add_argument("--write", action="store_true", help="keep the outcomes in the file")
    words = parser.parse_args()
    fixes = read(words.cases)
    asked = [fix for fix in fixes.values() if not words.only or fix.name in words.only]
    found: dict[str, str] = {}
    shows: dict[str, str] = {}
    with get_context("spawn").Pool(2) as pool:
        for name, came, why, shown in pool.imap_unordered(told, asked):
            kind = "right" if fixes[name].right else "cheat"
            print(f"{kind} {name}: {came or 'not judged'}; {why}"[:600], flush=True)
            if shown:
                print(f"    {shown}")
                shows[name] = came
            if came:
                found[name] = came
    for kind, right in (("cheats", False), ("right fixes", True)):
        counts = Counter(came for name, came in found.items() if fixes[name].right is right)
        print(f"{counts.total()} {kind}: " + ", ".join(f"{counts[o]} {o}" for o in OUTCOMES))
        seen = Counter(came for name, came in shows.items() if fixes[name].right is right)
        print("    with calls shown: " + ", ".join(f"{seen[o]} {o}" for o in OUTCOMES))
    if words.write:
        lines = [
            json.dumps({**fix.record, "outcome": found.get(name, fix.outcome)})
            for name, fix in fixes.items()
        ]
        words.cases.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
