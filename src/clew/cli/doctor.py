"""What works on this machine, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable

from clew import api
from clew.cli.streams import print_json, say

__all__ = ["show_findings"]


def show_findings(found: Iterable[api.Finding], *, json: bool) -> int:
    """Print each as it is found; 0 if everything that is needed is there, else 2."""
    good, before = True, ""
    for finding in found:
        good = good and (finding.good or not finding.needed)
        if json:
            print_json(finding)
            continue
        mark = "✓" if finding.good else ("✗" if finding.needed else "·")
        more = finding.name == before
        say(f"{'' if more else f'{mark} {finding.name}':<14} {finding.says}")
        before = finding.name
    return 0 if good else 2
