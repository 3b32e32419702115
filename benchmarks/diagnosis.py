"""How well the built-in diagnoser tells what fails, on failures that were labelled beforehand.

    python -m benchmarks.diagnosis --record [NAME…]    run the failures, keep their runs
    python -m benchmarks.diagnosis [--half seen]       tell each from its run; say where it is wrong
    python -m benchmarks.diagnosis --write             the same, into docs/benchmarks/diagnosis.md

What is told rests on evidence alone: the run and the lines that each test executed. The search for
a patch, which `clew diagnose` makes as well, is left out; where it finds one, it does better.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from clew.analysis.suspects import rank  # noqa: E402 - as above
from clew.analysis.testfiles import is_test_path  # noqa: E402 - as above
from clew.evidence.explain import explain, modules_of, related  # noqa: E402 - as above
from clew.flows.debugging.snapshot_run import look  # noqa: E402 - as above
from clew.sessions import ProjectSessions  # noqa: E402 - as above
from clew.words.facts import Category, Diagnosis  # noqa: E402 - as above
from clew.words.settings import Settings  # noqa: E402 - as above
from labelkit import RECORDED, Labelled, Recorded, half, labelled, make, recorded, trimmed  # noqa: E402 - lies in tests/
from packagekit import PACKAGES, checkout  # noqa: E402 - as above
from projects import write  # noqa: E402 - as above

PAGE = ROOT / "docs" / "benchmarks" / "diagnosis.md"
MARK = "<!-- results: written by benchmarks/diagnosis.py -->\n"
END = "<!-- end of results -->\n"
HALVES = ("seen", "held out")


def main() -> int:
    """Record, or tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnosis", description=__doc__)
    parser.add_argument("--record", nargs="*", metavar="NAME", help="all without a name")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/diagnosis.md")
    parser.add_argument("--half", choices=HALVES, help="only these")
    words = parser.parse_args()
    if words.record is not None:
        record([f for f in labelled() if not words.record or f.name in words.record])
        return 0
    verdicts = [tell(f) for f in labelled() if words.half in (None, half(f))]
    print("\n".join(wrong(verdicts)))
    print(f"category {share(verdicts, lambda v: v.kind)}, file {share(verdicts, lambda v: v.file)}")
    if words.write:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
        tail = rest.partition(END)[2]
        PAGE.write_text(f"{head}{MARK}{page(verdicts)}{END}{tail}", encoding="utf-8")
    return 0


def page(verdicts: list[Verdict]) -> str:
    """Return shares, matrix and mistakes as Markdown."""
    groups = [(name, [v for v in verdicts if half(v.failure) == name]) for name in HALVES]
    lines = ["", "| failures | number | category right | file right |", "| --- | --: | --: | --: |"]
    for name, group in (*groups, ("both", verdicts)):
        right = (share(group, lambda v: v.kind), share(group, lambda v: v.file))
        lines.append(f"| {name} | {len(group)} | {right[0]} | {right[1]} |")
    lines += ["", "Rows are what a failure is, columns what it was told as:", ""]
    lines.append("| | " + " | ".join(kind.value for kind in Category) + " | file right |")
    lines.append("| --- |" + " --: |" * (len(Category) + 1))
    counts = Counter((v.failure.category, v.told.category) for v in verdicts)
    for kind in Category:
        cells = [str(counts[kind, told] or "") for told in Category]
        own = [v for v in verdicts if v.failure.category is kind]
        lines.append(f"| {kind.value} | {' | '.join(cells)} | {share(own, lambda v: v.file)} |")
    lines += ["", "Told wrongly:", ""]
    lines += [f"- {line}" for name, group in groups for line in wrong(group, f"{name}, ")]
    return "\n".join([*lines, "", ""])


@dataclass(frozen=True)
class Verdict:
    """What was told of one failure, beside what it is."""

    failure: Labelled
    told: Diagnosis

    @property
    def kind(self) -> bool:
        return self.told.category is self.failure.category

    @property
    def file(self) -> bool:
        return self.told.path in self.failure.files


def tell(failure: Labelled) -> Verdict:
    """Have the built-in diagnoser tell one failure from its recorded run."""
    known = recorded()[failure.name]
    changed = failure.changed()
    sources = related(
        known.run, known.suspects, known.files, lambda path: changed.get(path) or failure.text(path)
    )
    modules = modules_of(known.files)
    return Verdict(failure, explain(known.run, known.suspects, None, sources, modules=modules))


def wrong(verdicts: list[Verdict], group: str = "") -> Iterator[str]:
    """Yield one line for each failure that was told wrongly."""
    for verdict in verdicts:
        failure, told = verdict.failure, verdict.told
        if not (verdict.kind and verdict.file):
            kind = "" if verdict.kind else f" {failure.category} told as {told.category};"
            file = "" if verdict.file else f" in {failure.files[0]}, told {told.path or 'nowhere'}"
            yield f"{group}{failure.name}:{kind}{file}"


def share(verdicts: list[Verdict], what: Callable[[Verdict], bool]) -> str:
    right = sum(map(what, verdicts))
    return f"{right} of {len(verdicts)} ({100 * right / len(verdicts):.0f} %)"


def record(failures: list[Labelled]) -> None:
    """Run each failure as it is, and keep what came of it; the others' recordings stay."""
    os.environ.setdefault("CLEW_SANDBOX", "none")  # the linters lie where it would hide them
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = dict(recorded()) if RECORDED.is_file() else {}
    with tempfile.TemporaryDirectory(prefix="clew-labelled-") as name:
        os.environ["CLEW_STATE_HOME"] = f"{name}/state"
        checkouts: dict[str, Path] = {}
        for failure in failures:
            folder = Path(name) / failure.name
            if failure.package:
                package = PACKAGES[failure.package]
                if package.name not in checkouts:
                    checkouts[package.name] = checkout(package, Path(name) / package.name)
                folder = checkouts[package.name]
            before = {path: failure.text(path) for path in failure.changed()}
            kept[failure.name] = seen = run(failure, make(failure, folder))
            write(folder, before)
            red = len(seen.run.red)
            print(f"{failure.name:34} {seen.run.verdict} {red} {seen.run.reason}", flush=True)
    lines = b"".join(
        msgspec.json.encode(kept[f.name]) + b"\n" for f in labelled() if f.name in kept
    )
    RECORDED.write_bytes(gzip.compress(lines, mtime=0))


def run(failure: Labelled, folder: Path) -> Recorded:
    """Run the tests of a project as it is, traced."""
    command = failure.command or ("python -m pytest" if failure.package else None)
    settings = Settings(test_command=command, test_timeout=10.0)
    sessions = ProjectSessions.at(folder)
    with look(sessions, settings, "labelled", failure.tests) as here:
        report = here.run(trace=True)
        files = sessions.repository.files(here.commit)
    suspects = rank(report.run, report.coverage, is_test=is_test_path)[:10]
    plain = msgspec.json.encode(trimmed(report.run)).replace(str(folder).encode(), b"/project")
    return Recorded(
        name=failure.name,
        run=msgspec.json.decode(plain, type=type(report.run)),
        suspects=suspects,
        files=tuple(f for f in files if not f.startswith(("docs/", "examples/"))),
    )


if __name__ == "__main__":
    sys.exit(main())
