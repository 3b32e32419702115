"""Findings of a checker before and after a change: only those that are new count. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from clew.analysis.failures.linting import checker, findings
from clew.words.gates import GateFinding
from clew.words.printable import printable

__all__ = ["comparable", "found_in", "new_findings"]

# How checkers say how many findings there were, the last line or so.
TOTALS = (
    re.compile(r"^Found (\d+) errors?\b", re.MULTILINE),
    re.compile(r"^(\d+) files? would be reformatted", re.MULTILINE),
    re.compile(r"^(\d+) errors?, (\d+) warnings?", re.MULTILINE),
)
FILLING = re.compile(r"^(?:All done!.*|Oh no! .*|\[\*\] .*|\d+ files? .*|No fixes available.*)?$")
NUMBER = re.compile(r"\b(lines?) \d+")


def found_in(output: str, roots: Sequence[str]) -> tuple[GateFinding, ...]:
    """Return what a checker complains of, its paths relative to the project's root."""
    found = []
    for each in findings(output):
        path = each.path
        for root in roots:
            path = path.removeprefix(root)
        found.append(GateFinding(path=path, line=each.line, text=each.words))
    return tuple(found)


def comparable(argv: Sequence[str], output: str, found: Sequence[GateFinding]) -> bool:
    """Whether these findings are certainly all that a checker's output says.

    So they are if it counts as many, or if nothing else is printed.
    """
    if not checker(argv):
        return False
    text = printable(output)
    totals = [match for form in TOTALS for match in form.finditer(text)]
    if totals:
        return len(found) == sum(int(number) for match in totals for number in match.groups())
    lines = [line for line in text.splitlines() if not FILLING.fullmatch(line.strip())]
    return 0 < len(lines) == len(found)


def new_findings(
    before: Sequence[GateFinding], after: Sequence[GateFinding]
) -> tuple[GateFinding, ...]:
    """Return the findings that a change adds.

    Lines move as others are written, so a finding is known by its file and its words; of several
    that are alike the last are the new ones.
    """
    known = Counter(map(_key, before))
    new = []
    for each in after:
        key = _key(each)
        if known[key]:
            known[key] -= 1
        else:
            new.append(each)
    return tuple(new)


def _key(finding: GateFinding) -> tuple[str, str]:
    return finding.path, NUMBER.sub(r"\1 N", finding.text)
