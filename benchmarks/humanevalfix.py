"""The built-in repairer on HumanEvalFix (Python): how many faults end in a green run.

Every task becomes a small project with one pytest test an assert; the engine searches; the winner
is written and the tests run again in a fresh pytest process. Nothing here knows any task.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
DEFAULT = HERE.parent / "shared" / "bench" / "humanevalfix-python-dev.jsonl"
HEAD = "from solution import *\nfrom solution import {name}\n\n"


def split_tests(test: str, entry: str) -> str:
    """Return a test module: each assert of `check` is a test, with the statements before it."""
    check = next(n for n in ast.parse(test).body if isinstance(n, ast.FunctionDef))
    candidate = check.args.args[0].arg
    before: list[str] = []
    tests: list[str] = []
    for statement in check.body:
        text = ast.unparse(statement)
        if isinstance(statement, ast.Assert):
            if isinstance(statement.test, ast.Constant):
                continue
            tests.append("\n".join([*before, text]))
        elif any(isinstance(n, ast.Assert) for n in ast.walk(statement)):
            tests.append("\n".join([*before, text]))
        else:
            before.append(text)
    bound = "" if candidate == entry else f"{candidate} = {entry}\n"
    body = ""
    for number, text in enumerate(tests, 1):
        lines = (bound + text).replace("\n", "\n    ")
        body += f"def test_{number:02}():\n    {lines}\n\n\n"
    return HEAD.format(name=entry) + body


def write_project(task: dict[str, Any], folder: Path, solution: str) -> None:
    (folder / "solution.py").write_text(task["declaration"] + solution)
    (folder / "test_solution.py").write_text(split_tests(task["test"], task["entry_point"]))
    (folder / "pytest.ini").write_text("[pytest]\n")


def pytest_run(folder: Path, timeout: float) -> tuple[set[str], set[str]]:
    """Run the tests in a fresh process; return those that failed and those that passed."""
    xml = folder / "report.xml"
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={xml}"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    names = [
        f"test_solution.py::{line.split('(')[0][4:]}"
        for line in (folder / "test_solution.py").read_text().splitlines()
        if line.startswith("def test_")
    ]
    red: set[str] = set()
    green: set[str] = set()
    for name in names if not whole(folder, argv, environment, timeout) else []:
        done = alone(folder, [*argv, name], environment, min(timeout, 10.0))
        (green if done else red).add(name)
    if not names or red or green:
        return red, green
    for case in ET.parse(xml).iter("testcase"):  # noqa: S314 - as above
        bad = case.find("failure") is not None or case.find("error") is not None
        (red if bad else green).add(f"test_solution.py::{case.get('name')}")
    return red, green


def whole(folder: Path, argv: list[str], environment: dict[str, str], timeout: float) -> bool:
    try:
        subprocess.run(
            argv, cwd=folder, env=environment, capture_output=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return (folder / "report.xml").exists()


def alone(folder: Path, argv: list[str], environment: dict[str, str], timeout: float) -> bool:
    try:
        return (
            subprocess.run(
                argv, cwd=folder, env=environment, capture_output=True, timeout=timeout, check=False
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


def deploy(scratch: Path) -> Path:
    target = scratch / "probe" / "clew_probe"
    shutil.copytree(
        HERE / "src" / "clew" / "probe", target, ignore=shutil.ignore_patterns("__pycache__")
    )
    return target / "__main__.py"


def search(
    program: Path, folder: Path, failing: list[str], seconds: float, workers: int
) -> list[dict[str, Any]]:
    scratch = Path(tempfile.mkdtemp(prefix="clew-bench-"))
    request = {
        "root": str(folder), "cwd": str(folder), "runner": "pytest", "args": [],
        "failing": failing, "forbidden_files": ["test_*.py", "conftest.py"], "seconds": seconds,
        "workers": workers, "test_timeout": 5.0, "results": str(scratch / "results.jsonl"),
        "scratch": str(scratch), "skip": [],
    }  # fmt: skip
    (scratch / "request.json").write_text(json.dumps(request))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, str(program), "search", str(scratch / "request.json")],
        env=environment, capture_output=True, timeout=seconds * 2 + 30, check=False,
    )  # fmt: skip
    lines = []
    if (scratch / "results.jsonl").exists():
        lines = [json.loads(line) for line in (scratch / "results.jsonl").read_text().splitlines()]
    if done.returncode:
        lines.append({"kind": "crash", "text": done.stderr.decode()[-2000:]})
    shutil.rmtree(scratch, ignore_errors=True)
    return lines


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: -e["line"]):
        count = edit["current"].count("\n") + 1
        first = edit["line"] - 1
        if "\n".join(lines[first : first + count]) != edit["current"]:
            raise ValueError(f"an edit does not fit: {edit}")
        lines[first : first + count] = edit["should_be"].split("\n")
    return "\n".join(lines)


def solve(job: tuple[dict[str, Any], Path, float, int]) -> dict[str, Any]:
    task, program, seconds, workers = job
    folder = Path(tempfile.mkdtemp(prefix="clew-task-"))
    try:
        write_project(task, folder, task["buggy_solution"])
        red, _ = pytest_run(folder, 20.0)
        started = time.monotonic()
        lines = search(program, folder, sorted(red), seconds, workers)
        spent = time.monotonic() - started
        candidates = [line for line in lines if line["kind"] == "candidate"]
        done = next((line for line in lines if line["kind"] == "done"), {})
        result: dict[str, Any] = {
            "task": task["task_id"], "bug_type": task["bug_type"], "red": len(red),
            "seconds": round(spent, 2), "tried": done.get("tried", 0), "made": done.get("made", 0),
            "exhausted": done.get("exhausted"), "notes": done.get("notes"), "plausible": False,
            "crash": next((line["text"] for line in lines if line["kind"] == "crash"), None),
            "candidates": [[c["description"], c["complete"], c["line"]] for c in candidates],
            "exact": False,
        }  # fmt: skip
        if candidates and candidates[0]["complete"]:
            original = (folder / "solution.py").read_text()
            fixed = apply(original, candidates[0]["edits"])
            (folder / "solution.py").write_text(fixed)
            (folder / "report.xml").unlink(missing_ok=True)
            still, green = pytest_run(folder, 30.0)
            result["plausible"] = bool(green) and not still
            same = ast.dump(ast.parse(task["declaration"] + task["canonical_solution"]))
            result["exact"] = ast.dump(ast.parse(fixed)) == same
            result["patch"] = [[e["current"], e["should_be"]] for e in candidates[0]["edits"]]
        return result
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", type=Path, default=DEFAULT)
    parser.add_argument("--seconds", type=float, default=20.0, help="cap of the search for a task")
    parser.add_argument("--jobs", type=int, default=2, help="tasks side by side")
    parser.add_argument("--workers", type=int, default=1, help="workers within a task")
    parser.add_argument("--only", default="", help="task numbers, separated by commas")
    parser.add_argument("--output", type=Path, help="results as JSON lines")
    options = parser.parse_args()
    if not options.path.exists():
        print(f"skipped: {options.path} is not there")
        return 0
    tasks = [json.loads(line) for line in options.path.read_text().splitlines() if line]
    if options.only:
        tasks = [t for t in tasks if t["task_id"].split("/")[1] in options.only.split(",")]
    scratch = Path(tempfile.mkdtemp(prefix="clew-probe-"))
    program = deploy(scratch)
    jobs = [(task, program, options.seconds, options.workers) for task in tasks]
    results = []
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for result in pool.map(solve, jobs):
                results.append(result)
                mark = "exact" if result["exact"] else "ok" if result["plausible"] else "-"
                first = (
                    result["candidates"][0][0] if result["candidates"] else result["crash"] or ""
                )
                print(
                    f"{result['task']:12} {result['bug_type']:16} {mark:6}"
                    f"{result['seconds']:6.1f}s {result['tried']:7} {first}",
                    flush=True,
                )
                if options.output:
                    with options.output.open("a") as file:
                        file.write(json.dumps(result) + "\n")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        kinds[result["bug_type"]].update(
            all=1, plausible=result["plausible"], exact=result["exact"]
        )
    for kind, count in sorted(kinds.items()):
        print(
            f"{kind:18} {count['plausible']:3} of {count['all']:3} plausible,"
            f" {count['exact']} exact"
        )
    good = sum(r["plausible"] for r in results)
    times = sorted(r["seconds"] for r in results)
    print(f"plausible {good} of {len(results)}; median {times[len(times) // 2]:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
