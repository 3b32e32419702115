"""Measure everything: `python -m benchmarks [--only PART,…] [--write FILE]`."""

from __future__ import annotations

import argparse
import compileall
import importlib
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchmarks.document import commit, document, table
from benchmarks.figures import Measured
from benchmarks.measuring import ROOT, NotInstalled

PARTS = (
    "journal",
    "candidates",
    "localisation",
    "tracing",
    "reruns",
    "commands",
    "share",
    "session",
    "scale",
    "hook_latency",
    "context",
    "overheads",
    "plans",
)


def main() -> int:
    """Run the parts in turn; print each, and bring the document up to date."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", metavar="PART,…", help=", ".join(PARTS))
    parser.add_argument("--size", type=float, default=1.0, help="more or fewer rounds")
    parser.add_argument("--write", type=Path, metavar="FILE")
    words = parser.parse_args()
    chosen = [name for name in words.only.split(",") if name] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    compileall.compile_dir(ROOT / "src", quiet=1)  # as an installation does
    with tempfile.TemporaryDirectory(prefix="clew-bench-", ignore_cleanup_errors=True) as name:
        for part in chosen:
            measured = measure(part, Path(name) / part, words.size)
            if words.write:
                keep(words.write, part, measured)
    return 0


def measure(part: str, folder: Path, size: float) -> Measured:
    """Measure one part and print it."""
    print(f"measuring {part} …", file=sys.stderr, flush=True)
    folder.mkdir()
    began, found, trouble = time.monotonic(), None, ""
    try:
        found = importlib.import_module(f"benchmarks.{part}").run(folder, size)
        print(table(found), flush=True)
    except NotInstalled as error:
        trouble = str(error)
        print(f"{part}: {error}", file=sys.stderr)
    return Measured(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        commit=commit(),
        seconds=time.monotonic() - began,
        part=found,
        trouble=trouble,
    )


def keep(page: Path, part: str, measured: Measured) -> None:
    """Write the document anew with this part; the figures of all parts are kept beside it."""
    figures = page.with_suffix("") / "figures.json"
    kept: dict[str, Measured] = {}
    if figures.exists():
        kept = msgspec.json.decode(figures.read_bytes(), type=dict[str, Measured])
    kept[part] = measured
    kept = {name: kept[name] for name in PARTS if name in kept}
    figures.parent.mkdir(exist_ok=True)
    figures.write_bytes(msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
    page.write_text(document(kept), encoding="utf-8")


sys.exit(main())
