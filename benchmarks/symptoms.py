"""`clew debug` on symptoms in real packages: a mistake that no test shows, and somebody tells it.

    .venv/bin/python benchmarks/symptoms.py --output results.jsonl [--write now] [NAME…]

Each mistake of `tests/symptoms.toml` is made in a checkout with one commit, without the tests that
would show it. Twice the built-in investigator is sent in, offline: with `--diagnose`, and what it
then asks is left unanswered; and with `--tdd`, where the reporter answers what an honest one would,
and tries the fix before they say that it is gone. A line of JSON each, and with `--write` a table
in docs/benchmarks/symptoms.md. Known results in the output file are kept.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from commandline import CommandLine  # noqa: E402 - lies in tests/
from packagekit import FETCHED, PACKAGES, python  # noqa: E402 - as above
from projects import git  # noqa: E402 - as above
from symptomkit import Symptom, enclosing, prepare, suite, symptoms  # noqa: E402 - as above

PAGE = ROOT / "docs" / "benchmarks" / "symptoms.md"
TABLES = ("first", "now")  # on the page, each between its marks
MARK = "<!-- {}: written by benchmarks/symptoms.py -->\n"
END = "<!-- end of {} -->\n"
HEAD = (
    "| package | mistake | told as | file | function | `--tdd` ends | the fix | seconds |\n"
    "| --- | --- | --- | --: | --: | --- | --- | --: |\n"
)
PLACE = re.compile(r"([\w./-]+\.py)(?::(\d+))?")
LONGEST = 600.0  # seconds of one command
TURNS = 12  # answers of one reporter


def main() -> int:
    """Try those that are not known yet; write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all without one")
    parser.add_argument("--output", type=Path, required=True, help="results as JSON lines")
    parser.add_argument("--write", choices=TABLES, help="write a table of all results")
    words = parser.parse_args()
    kept: list[dict[str, Any]] = []
    if words.output.exists():
        kept = [json.loads(x) for x in words.output.read_text("utf-8").splitlines()]
    known = {each["name"] for each in kept}
    for symptom in symptoms():
        if symptom.name in known or (words.names and symptom.name not in words.names):
            continue
        with tempfile.TemporaryDirectory(prefix="clew-symptoms-") as folder:
            kept.append(result := tried(symptom, Path(folder)))
        print(row(result), flush=True)
        with words.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
    if words.write:
        mark, end = MARK.format(words.write), END.format(words.write)
        head, _, rest = PAGE.read_text("utf-8").partition(mark)
        table = HEAD + "".join(map(row, in_order(kept)))
        PAGE.write_text(f"{head}{mark}\n{table}\n{end}{rest.partition(end)[2]}", "utf-8")
    return 0


def tried(symptom: Symptom, base: Path) -> dict[str, Any]:
    """Have one looked into, then fixed, each from the same checkout."""
    folder, removed = prepare(symptom, base / symptom.package)
    found = {"package": symptom.package, "name": symptom.name, "kind": symptom.kind}
    version = PACKAGES[symptom.package].version
    diagnosed = Reporter(symptom, folder, base / "diagnose", base / "told.txt").led("--diagnose")
    git(folder, "clean", "-qfd")
    fixed = Reporter(symptom, folder, base / "tdd", base / "told.txt").led("--tdd")
    return {
        **found, "version": version, "mistake": symptom.mistake, "removed": removed,
        "diagnose": diagnosed, "tdd": fixed,
    }  # fmt: skip


class Reporter:
    """Somebody who saw a symptom, is honest, and reads no code."""

    def __init__(self, symptom: Symptom, folder: Path, state: Path, told: Path) -> None:
        self.symptom, self.folder, self.told = symptom, folder, told
        self.clew = CommandLine(folder, state, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
        self.asked: list[str] = []
        self.applied = False

    def led(self, aim: str) -> dict[str, Any]:
        """Lead a session from the first words to its end, or to what they cannot answer."""
        began = time.monotonic()
        words, events = self.opening(aim), list[dict[str, Any]]()
        summary: dict[str, Any] = {}
        for _ in range(TURNS):
            said = self.said(words)
            events += [line["event"] for line in said if "event" in line]
            summary = said[-1] if said else {}
            question = summary.get("question")
            if not question:
                break
            self.asked.append(question["about"])
            commands = {each["word"]: each["command"] for each in question["options"]}
            word = self.answer(question, aim)
            said_so = [self.knows()] if word == "words" else []
            words = [*shlex.split(commands[word])[1:3], *(said_so or [word]), "--json"]
            if word == "stop":
                break
        told = [e["told"] for e in events if e["type"] == "Investigated"]
        return {
            "status": summary.get("status"), "asked": self.asked,
            "seconds": round(time.monotonic() - began),
            "places": list(dict.fromkeys(p for each in reversed(told) for p in self.places(each))),
            "told": told, "question": (summary.get("question") or {}).get("text", ""),
            "diff": git(self.folder, "diff", "HEAD", "--", self.symptom.file),
            "fix": self.judged() if self.applied else "", "events": [e["type"] for e in events],
        }  # fmt: skip

    def opening(self, aim: str) -> list[str]:
        symptom = self.symptom
        words = ["debug", symptom.told, aim, "--json"]
        if symptom.kind == "traceback":
            self.told.write_text(f"errors:\n{symptom.traceback}", "utf-8")
        if symptom.kind == "command":
            self.told.write_text(symptom.fields, "utf-8")
            words += ["--reproduce", symptom.command]
        if symptom.kind == "traceback" or (symptom.kind == "command" and symptom.fields):
            words += ["--symptoms", str(self.told)]
        if command := PACKAGES[symptom.package].command:
            words += ["--test-command", command]
        return [*words, "--", *symptom.tests]

    def knows(self) -> str:
        """Return what they know and did not say yet: the input, and what should come of it."""
        return f"$ {self.symptom.command}\n{self.symptom.fields}"

    def answer(self, question: dict[str, Any], aim: str) -> str:
        about, offered = question["about"], [each["word"] for each in question["options"]]
        if about == "symptoms":
            return "skip"
        if about == "checkpoint" and aim == "--tdd" and self.asked.count("checkpoint") == 1:
            return "words"
        if about == "verify" and self.is_gone():
            return "confirmed"
        if about == "inconclusive" and self.asked.count("inconclusive") == 1 and aim == "--tdd":
            return (
                "continue"
                if self.symptom.kind == "command" or "checkpoint" in self.asked
                else "words"
            )
        go_on = {"fix": "now", "red": "confirmed"}.get(about, "stop")
        return go_on if go_on in offered else "stop"

    def is_gone(self) -> bool:
        """Try the fix in their own tree."""
        self.applied = self.clew.run("apply").code == 0
        argv = [python(self.folder), *shlex.split(self.symptom.command)[1:]]
        done = subprocess.run(
            argv, cwd=self.folder, capture_output=True, text=True, check=False, timeout=60
        )
        return self.applied and not done.returncode and self.symptom.expected in done.stdout

    def judged(self) -> str:
        """Hold the fix against the original, and against the tests that were taken out."""
        symptom, source = self.symptom, FETCHED / "sources" / self.symptom.package
        same = [
            ast.dump(ast.parse((root / symptom.file).read_text("utf-8")))
            for root in (source, self.folder)
        ]
        if same[0] == same[1]:
            return "right"
        for path in {test.partition("::")[0] for test in symptom.tests if ".py" in test}:
            shutil.copy(source / path, self.folder / path)
        code, _ = suite(self.folder, symptom.tests)
        return "wrong" if code else "plausible"

    def places(self, told: dict[str, Any]) -> Iterator[str]:
        """Yield each file, and each function of one, in the order in which they are named."""
        cause, open_ = told.get("root_cause") or {}, told.get("inconclusive") or {}
        texts = [cause.get("root_cause", ""), *(e["file"] for e in cause.get("files", ()))]
        texts += (cause.get("reasoning") or {}).get("candidate_causes", ())
        texts += [*open_.get("remaining", ()), (told.get("checkpoint") or {}).get("details", "")]
        for path, line in (found for text in texts for found in PLACE.findall(text)):
            yield path
            if line and (name := enclosing(self.symptom.package, path, int(line))):
                yield f"{path}::{name}"

    def said(self, words: list[str]) -> list[dict[str, Any]]:
        """Run one command, for as long as it may take."""
        process = self.clew.start(*words)
        try:
            out, err = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        if err:
            print(err[-2000:], file=sys.stderr)
        return [json.loads(line) for line in out.splitlines()]


def in_order(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = [symptom.name for symptom in symptoms()]
    return sorted(results, key=lambda result: names.index(result["name"]))


def rank(result: dict[str, Any], *, function: bool) -> int | None:
    """Return where the faulty file, or function, stands among those that are named; from 1."""
    symptom = next(s for s in symptoms() if s.name == result["name"])
    named = [place for place in result["diagnose"]["places"] if ("::" in place) == function]
    wanted = f"{symptom.file}::{symptom.function}" if function else symptom.file
    return next((n for n, at in enumerate(named, 1) if f"{at}.".startswith(f"{wanted}.")), None)


def row(result: dict[str, Any]) -> str:
    """Return one line of the table."""
    fixed = result["tdd"]
    ended = fixed["status"] or "out of time"
    if ended == "waiting":
        in_fix = fixed["events"][-1:] == ["ChildAsked"]
        ended = "asks (in the fix)" if in_fix else f"asks ({fixed['asked'][-1]})"
    seconds = result["diagnose"]["seconds"] + fixed["seconds"]
    fix = fixed.get("judgement") or fixed["fix"] or "-"  # a reader's judgement, where there is one
    return (
        f"| {result['package']} {result['version']} | {result['name']}: {result['mistake']} "
        f"| {result['kind']} | {rank(result, function=False) or '-'} "
        f"| {rank(result, function=True) or '-'} | {ended} | {fix} | {seconds} |\n"
    )


if __name__ == "__main__":
    sys.exit(main())
