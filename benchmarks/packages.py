"""`clew fix` on real packages with a seeded fault each, as a person would use it.

Every fault of `tests/faults` is made in a checkout of its package, installed for editing in an
environment of its own; then `clew fix`, `clew apply`, and the package's own tests once more. What
came of it is a line of JSON each, and with `--write` the table in docs/real-packages.md.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from packagekit import PACKAGES, Package, changed, checkout, python, seed  # noqa: E402 - lies in tests/
from projects import git  # noqa: E402 - as above

PAGE = ROOT / "docs" / "real-packages.md"
MARK = "<!-- results: written by benchmarks/packages.py -->\n"
END = "<!-- end of results -->\n"
HEAD = (
    "| package | fault | outcome | the fix | iterations | seconds | tests | MB |\n"
    "| --- | --- | --- | --- | --: | --: | --: | --: |\n"
)


def measure(
    package: Package, folder: Path, fault: Path, state: Path, *, vcs: bool
) -> dict[str, Any]:
    """Make one fault, have it mended, judge the result; the folder is as before afterwards."""
    name = changed(fault)
    original = (folder / name).read_bytes()
    seed(folder, fault)
    faulty = (folder / name).read_bytes()
    if vcs:
        git(folder, "commit", "-aqm", "go on")
    environment = {**os.environ, "CLEW_STATE_HOME": str(state)}
    clew = [sys.executable, "-m", "clew"]
    named = ["--test-command", package.command] if package.command else []
    chosen = ["--only", "--", *package.tests] if package.tests else []
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*clew, "fix", "--json", *named, *chosen],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        out.seek(0)
        said = [json.loads(line) for line in out.read().splitlines()]
        err.seek(0)
        words = err.read().decode("utf-8", "replace")
    events = [line["event"] for line in said if "event" in line]
    summary = said[-1] if said else {}
    result: dict[str, Any] = {
        "package": package.name, "version": package.version, "fault": fault.stem, "vcs": vcs,
        "code": process.returncode, "status": summary.get("status"),
        "iterations": summary.get("iterations"), "seconds": round(seconds, 1),
        "megabytes": usage.ru_maxrss // 1024, "session": summary.get("session_id"),
        "cpu": round(usage.ru_utime + usage.ru_stime, 1), "load": round(os.getloadavg()[0], 1),
        "proof": (summary.get("proof") or {}).get("accepted"), "said": words[-2000:],
    }  # fmt: skip
    result["cap"] = next((e["search_seconds"] for e in events if "search_seconds" in e), None)
    runs = [e for e in events if e["type"] == "TestsRan"]
    result["tests"] = runs[0].get("total") if runs else None
    result["red"] = len(runs[0].get("red", ())) if runs else None
    searches = [e for e in events if e["type"] == "Diagnosed"]
    result["search"] = [round(e["seconds"], 1) for e in searches]
    result["rank"] = [rank(e, name, original, faulty) for e in searches]
    result["titles"] = [e["diagnosis"]["title"] for e in searches]
    result["fixes"] = [e["summary"] for e in events if e["type"] == "FixApplied"]
    if process.returncode == 0:
        applied = subprocess.run(
            [*clew, "apply"], cwd=folder, env=environment, capture_output=True, check=False
        )
        fixed = (folder / name).read_bytes()
        result["applied"] = applied.returncode == 0
        result["same_text"] = fixed == original
        result["same_code"] = ast.dump(ast.parse(fixed)) == ast.dump(ast.parse(original))
        diff = subprocess.run(
            [*clew, "diff"], cwd=folder, env=environment, capture_output=True, check=False
        )
        result["diff"] = diff.stdout.decode("utf-8", "replace")
        suite = subprocess.run(
            [python(folder), "-m", "pytest", "-q", "-p", "no:cacheprovider", *package.tests],
            cwd=folder, capture_output=True, check=False,
        )  # fmt: skip
        result["suite"] = suite.returncode
    tidy(folder, name, original, vcs=vcs)
    return result


def rank(diagnosed: dict[str, Any], name: str, original: bytes, faulty: bytes) -> list[int | None]:
    """Return the rank of the first suspect in the faulty file, and at a faulty line; from 1."""
    lines = faulty.splitlines()
    before = original.splitlines()
    first = next(
        (n for n, (a, b) in enumerate(zip(before, lines, strict=False), 1) if a != b), len(lines)
    )
    suspects = diagnosed.get("suspects", ())
    in_file = [n for n, s in enumerate(suspects, 1) if s["path"] == name]
    at_line = [
        n for n, s in enumerate(suspects, 1) if s["path"] == name and abs(s["line"] - first) <= 1
    ]
    return [in_file[0] if in_file else None, at_line[0] if at_line else None]


def tidy(folder: Path, name: str, original: bytes, *, vcs: bool) -> None:
    (folder / name).write_bytes(original)
    for left in ("debug", ".clew"):
        shutil.rmtree(folder / left, ignore_errors=True)
    if vcs:
        git(folder, "reset", "-q", "--hard", "begun")


def judged(result: dict[str, Any]) -> str:
    if result["code"] != 0:
        return "-"
    if result["same_code"]:
        return "right"
    return str(result.get("judgement", "plausible"))


def table(results: list[dict[str, Any]]) -> str:
    rows = []
    for r in sorted(results, key=lambda r: (r["package"], r["fault"])):
        file, line = r["rank"][-1] if r["rank"] else (None, None)
        outcome = "green, proven" if r["code"] == 0 else str(r["status"])
        if r["code"] != 0:
            outcome += f"; file at rank {file or '-'}, line {line or '-'}"
        rows.append(
            f"| {r['package']} {r['version']} | {r['fault']} | {outcome} | {judged(r)} "
            f"| {r['iterations']} | {r['seconds']:.0f} | {r['tests']} | {r['megabytes']} |\n"
        )
    return HEAD + "".join(rows)


def write(results: list[dict[str, Any]]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARK)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + MARK + "\n" + table(results) + "\n" + END + after, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=list(PACKAGES), help="NAME or NAME/FAULT")
    parser.add_argument("--output", type=Path, help="results as JSON lines; known ones are kept")
    parser.add_argument("--without-git", action="store_true", help="in a folder without git")
    parser.add_argument("--write", action="store_true", help="write the table of all results")
    options = parser.parse_args()
    kept: list[dict[str, Any]] = []
    if options.output and options.output.exists():
        kept = [json.loads(x) for x in options.output.read_text(encoding="utf-8").splitlines()]
    known = {(r["package"], r["fault"]) for r in kept}
    wanted: dict[str, list[Path]] = {}
    for word in options.packages:
        name, _, fault = word.partition("/")
        wanted.setdefault(name, []).extend(
            f for f in PACKAGES[name].faults()
            if (not fault or f.stem == fault) and (name, f.stem) not in known
        )  # fmt: skip
    for name, faults in wanted.items():
        if faults:
            kept += of_package(PACKAGES[name], faults, options.output, vcs=not options.without_git)
    if options.write:
        write(kept)
    return 0


def of_package(
    package: Package, faults: list[Path], output: Path | None, *, vcs: bool
) -> list[dict[str, Any]]:
    base = Path(tempfile.mkdtemp(prefix="clew-packages-"))
    found = []
    try:
        folder = checkout(package, base / package.name, git=vcs)
        if vcs:
            git(folder, "tag", "begun")
        for fault in faults:
            result = measure(package, folder, fault, base / f"state-{fault.stem}", vcs=vcs)
            found.append(result)
            print(
                f"{package.name:15} {fault.stem:18} {result['status']!s:9} {judged(result):10}"
                f"{result['seconds']:7.1f} s  {result['search']}  {result['rank']}"
                f"  {'; '.join(result['fixes'])}",
                flush=True,
            )
            if output:
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
