"""`clew fix` on regressions with a history: it ends right, wrong, or with a question.

    .venv/bin/python scripts/packages.py
    .venv/bin/python benchmarks/regressions.py --output results.jsonl [--write] [NAME…]
    .venv/bin/python benchmarks/regressions.py --output results.jsonl --newcomers [NAME…]

Each case of `tests/regressions/` is a released package with a few commits on it, of which one
brings a fault. `clew fix` is run on the last commit; what it applies is judged by a hidden test, of
many inputs, which was written with the fault. A line of JSON each, and with `--write` the table in
docs/benchmarks/regressions.md. Known results in the output file are kept. With `--newcomers` it is
the small projects of `tests/newcomers/`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from packagekit import python  # noqa: E402 - lies in tests/
from regressionkit import Regression, judge, newcomers, prepare, regressions  # noqa: E402 - as above

PAGE = ROOT / "docs" / "benchmarks" / "regressions.md"
MARK = "<!-- results: written by benchmarks/regressions.py -->\n"
END = "<!-- end of results -->\n"
HEAD = (
    "| package | case | what went wrong | history helps | outcome | seconds |\n"
    "| --- | --- | --- | --- | --- | --: |\n"
)
LONGEST = 900.0  # seconds of one session


def measured(case: Regression) -> dict[str, Any]:
    """Mend one case, and judge what was applied."""
    with tempfile.TemporaryDirectory(prefix="clew-regression-") as name:
        folder = prepare(case, Path(name) / case.package)
        env = {**os.environ, "CLEW_STATE_HOME": str(Path(name) / "state")}
        clew = [sys.executable, "-m", "clew"]
        began = time.monotonic()
        done = subprocess.run(
            [*clew, "fix", "--json", "--only", "--", *case.tests],
            cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=LONGEST,
        )  # fmt: skip
        seconds = time.monotonic() - began
        said = [json.loads(line) for line in done.stdout.splitlines()]
        summary = said[-1] if said else {}
        events = [line["event"] for line in said if "event" in line]
        told = [e["diagnosis"] for e in events if e["type"] == "Diagnosed"]
        right, diff = None, ""
        if done.returncode == 0:
            shown = subprocess.run(
                [*clew, "diff"], cwd=folder, env=env, capture_output=True, check=False
            )
            diff = shown.stdout.decode("utf-8", "replace")
            subprocess.run([*clew, "apply"], cwd=folder, env=env, capture_output=True, check=True)
            right = judge(case, folder, python(folder) if case.is_released else sys.executable)
        return {
            "package": case.package, "name": case.name, "kind": case.kind,
            "history": case.history, "code": done.returncode, "status": summary.get("status"),
            "right": right, "iterations": summary.get("iterations"),
            "seconds": round(seconds, 1), "proof": summary.get("proof"),
            "titles": [d["title"] for d in told],
            "confidence": [d.get("confidence") for d in told],
            "why": [d.get("confidence_reason", "") for d in told],
            "fixes": [e["summary"] for e in events if e["type"] == "FixApplied"],
            "diff": diff, "said": done.stderr.decode("utf-8", "replace")[-3000:],
        }  # fmt: skip


def outcome(result: dict[str, Any]) -> str:
    if result["right"] is None:
        return "asks" if result["status"] == "waiting" else str(result["status"])
    return "right" if result["right"] else "**wrong**"


def table(results: list[dict[str, Any]]) -> str:
    rows = "".join(
        f"| {r['package']} | {r['name']} | {r['kind']} | {'yes' if r['history'] else 'no'} "
        f"| {outcome(r)} | {r['seconds']:.0f} |\n"
        for r in sorted(results, key=lambda r: (not r["history"], r["package"], r["name"]))
    )
    lines = []
    for history, of in ((True, "where the old code helps"), (False, "where it does not")):
        ends = Counter(outcome(r) for r in results if r["history"] is history)
        many = ends.total()
        if many:
            counts = ", ".join(f"{ends[end]} {end}" for end in sorted(ends))
            lines.append(f"Of {many} {of}: {counts}.\n")
    return HEAD + rows + "\n" + "".join(lines)


def write(results: list[dict[str, Any]]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARK)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + MARK + "\n" + table(results) + "\n" + END + after, encoding="utf-8")


def main() -> int:
    """Measure the cases that are not known yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="PACKAGE/NAME or PACKAGE; all without one")
    parser.add_argument("--output", type=Path, required=True, help="results as JSON lines")
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time")
    parser.add_argument("--write", action="store_true", help="write the table of all results")
    parser.add_argument("--newcomers", action="store_true", help="small projects instead")
    words = parser.parse_args()
    if words.newcomers and words.write:
        parser.error("--write is for the cases with a history")
    kept: list[dict[str, Any]] = []
    if words.output.exists():
        kept = [json.loads(x) for x in words.output.read_text(encoding="utf-8").splitlines()]
    known = {(r["package"], r["name"]) for r in kept}
    wanted = [
        case
        for case in (newcomers() if words.newcomers else regressions())
        if (case.package, case.name) not in known
        and (not words.names or {case.package, f"{case.package}/{case.name}"} & set(words.names))
    ]
    with get_context("spawn").Pool(words.jobs) as pool:
        for result in pool.imap_unordered(measured, wanted):
            kept.append(result)
            print(f"{result['package']}/{result['name']}: {outcome(result)}", flush=True)
            with words.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    if words.write:
        write(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
