"""Count the forms of code that people wrote, for the search for a repair: see `probe/search/forms`.

    .venv/bin/python scripts/forms.py

Read are the standard library and what is installed beside this interpreter, tests left out. Written
is `src/clew/probe/search/forms.json`: of each place what was chosen there, and how often. Rare
places and rare choices are left out: what is not there is rare.
"""

from __future__ import annotations

import ast
import json
import site
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from clew.probe.search.forms import forms

HERE = Path(__file__).resolve().parent.parent
TABLE = HERE / "src/clew/probe/search/forms.json"
LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "turtledemo", "clew"}
PLACES = 20  # the least that a place is met
CHOICES = 3  # the least that something is chosen there


def files() -> Iterator[Path]:
    """Yield the files of other people's code."""
    standard = Path(sysconfig.get_paths()["stdlib"])
    for root in (standard, *map(Path, site.getsitepackages())):
        for path in sorted(root.rglob("*.py")):
            parts = {*path.relative_to(root).parts}
            if not LEFT_OUT & parts and (root is not standard or "site-packages" not in parts):
                yield path


def main() -> None:
    """Count, and write the table."""
    counts: dict[str, Counter[str]] = {}
    read = 0
    for path in files():
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        read += 1
        for place, chosen in forms(tree):
            counts.setdefault(place, Counter())[chosen] += 1
    kept = {
        place: {chosen: n for chosen, n in sorted(found.items()) if n >= CHOICES}
        for place, found in sorted(counts.items())
        if found.total() >= PLACES
    }
    TABLE.write_text(json.dumps(kept, separators=(",", ":")) + "\n", "utf-8")
    size = TABLE.stat().st_size
    print(f"{read} files, {len(kept)} places, {size} bytes: {TABLE.relative_to(HERE)}")


if __name__ == "__main__":
    main()
