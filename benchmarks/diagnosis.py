"""How well the built-in diagnoser tells what fails, on failures that were labelled beforehand.

    python -m benchmarks.diagnosis --record [NAME…]    run the failures, keep their runs
    python -m benchmarks.diagnosis [--half seen]       tell each from its run; say where it is wrong
    python -m benchmarks.diagnosis --write             the same, into docs/diagnosis.md

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
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from labelkit import RECORDED, Labelled, Recorded, half, labelled, make, recorded, trimmed  # noqa: E402 - lies in tests/
from packagekit import PACKAGES, checkout  # noqa: E402 - as above
from projects import write  # noqa: E402 - as above

from clew.explain import explain, modules_of, related  # noqa: E402 - as above
from clew.facts import Diagnosis  # noqa: E402 - as above
from clew.looking import look  # noqa: E402 - as above
from clew.sessions import Desk  # noqa: E402 - as above
from clew.settings import Settings  # noqa: E402 - as above
from clew.suspects import rank  # noqa: E402 - as above
from clew.testfiles import is_test_path  # noqa: E402 - as above


def main() -> int:
    """Record, or tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnosis", description=__doc__)
    parser.add_argument("--record", nargs="*", metavar="NAME", help="all without a name")
    parser.add_argument("--half", choices=["seen", "held out"], help="only these")
    words = parser.parse_args()
    if words.record is not None:
        record([f for f in labelled() if not words.record or f.name in words.record])
        return 0
    verdicts = [tell(f) for f in labelled() if words.half in (None, half(f)) and f.name in recorded()]
    print("\n".join(wrong(verdicts)))
    print(f"category {share(verdicts, lambda v: v.kind)}, file {share(verdicts, lambda v: v.file)}")
    return 0


class Verdict(msgspec.Struct, frozen=True):
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


def wrong(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield one line for each failure that was told wrongly."""
    for verdict in verdicts:
        failure, told = verdict.failure, verdict.told
        if not (verdict.kind and verdict.file):
            kind = "" if verdict.kind else f" {failure.category} told as {told.category};"
            file = "" if verdict.file else f" in {failure.files[0]}, told {told.path or 'nowhere'}"
            yield f"{failure.name}:{kind}{file}"


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
    lines = b"".join(msgspec.json.encode(kept[n]) + b"\n" for n in sorted(kept))
    RECORDED.write_bytes(gzip.compress(lines, mtime=0))


def run(failure: Labelled, folder: Path) -> Recorded:
    """Run the tests of a project as it is, traced."""
    command = failure.command or ("python -m pytest" if failure.package else None)
    settings = Settings(test_command=command, test_timeout=10.0)
    desk = Desk.at(folder)
    with look(desk, settings, "labelled", failure.tests) as here:
        report = here.run(trace=True)
        files = desk.repository.files(here.commit)
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
