"""Measure everything: `python -m benchmarks [--only PART,…] [--write FILE]`."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.document import document, table
from benchmarks.figures import Part
from benchmarks.measuring import NotInstalled

PARTS = (
    "journal",
    "candidates",
    "localisation",
    "tracing",
    "commands",
    "share",
    "scale",
    "hook_latency",
)


def main() -> int:
    """Run the parts in turn; print each, and write the document when all were asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", metavar="PART,…", help=", ".join(PARTS))
    parser.add_argument("--size", type=float, default=1.0, help="more or fewer rounds")
    parser.add_argument("--write", type=Path, metavar="FILE")
    words = parser.parse_args()
    chosen = [name for name in words.only.split(",") if name] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    began = time.monotonic()
    found: dict[str, Part | str] = {}
    with tempfile.TemporaryDirectory(prefix="clew-bench-", ignore_cleanup_errors=True) as name:
        for part in chosen:
            print(f"measuring {part} …", file=sys.stderr, flush=True)
            module = importlib.import_module(f"benchmarks.{part}")
            own = Path(name) / part
            own.mkdir()
            try:
                found[part] = measured = module.run(own, words.size)
                print(table(measured), flush=True)
            except NotInstalled as error:
                found[part] = str(error)
                print(f"{part}: {error}", file=sys.stderr)
    if words.write:
        words.write.write_text(document(found, time.monotonic() - began), encoding="utf-8")
    return 0


sys.exit(main())
