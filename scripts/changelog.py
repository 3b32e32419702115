"""Gather the fragments of `changelog/` under a version at the top of CHANGELOG.md.

    scripts/changelog.py 0.2.0

Writes the section, removes the fragments. Without fragments nothing is written and the exit code
is 1; a fragment of an unknown kind is named.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
TITLE = "# Changelog\n"


def section(version: str, day: dt.date, fragments: dict[Path, str]) -> str:
    """Return the Markdown of one release; `fragments` are texts by path."""
    lines = [f"## {version} — {day.isoformat()}", ""]
    for kind, title in KINDS.items():
        texts = [text for path, text in sorted(fragments.items()) if kind_of(path) == kind]
        if texts:
            lines += [f"### {title}", "", *(bullet(text) for text in texts), ""]
    return "\n".join(lines)


def kind_of(path: Path) -> str:
    kind = path.suffixes[-2].lstrip(".") if len(path.suffixes) > 1 else ""
    if kind not in KINDS:
        raise SystemExit(f"{path.name} is none of {', '.join(f'*.{each}.md' for each in KINDS)}")
    return kind


def bullet(text: str) -> str:
    return "- " + text.strip().replace("\n", "\n  ")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--root", type=Path, default=ROOT)
    chosen = parser.parse_args(arguments)
    root: Path = chosen.root
    found = sorted((root / "changelog").glob("*.md"))
    fragments = {path: path.read_text("utf-8") for path in found if path.name != "README.md"}
    if not fragments:
        print("no fragments in changelog/")
        return 1
    today = dt.datetime.now(dt.UTC).date()
    new = section(chosen.version, today, fragments)
    target = root / "CHANGELOG.md"
    old = target.read_text("utf-8").removeprefix(TITLE).lstrip() if target.exists() else ""
    target.write_text(f"{TITLE}\n{new}\n{old}".rstrip() + "\n", "utf-8")
    for path in fragments:
        path.unlink()
    print(f"{len(fragments)} fragments gathered in CHANGELOG.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
