"""What was looked at in vain: by earlier iterations, and by a search that came to its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.documents.views import IterationView
from clew.evidence.explain.scene import code, place
from clew.evidence.explain.sources import enclosing
from clew.words.facts import Findings, Runner, Suspect

__all__ = ["left", "nothing_more", "ruled_out"]


def nothing_more(runner: Runner, findings: Findings | None, seconds: float) -> str:
    """Say why another search, of `seconds` at least, would find no more; empty where it might."""
    if runner is Runner.COMMAND:
        return "the built-in repairer cannot search by a command that says only passed or failed"
    if not runner.python or findings is None:
        return "the built-in repairer fixes only Python"
    if findings.exhausted and findings.tried:
        every = max(findings.tried, findings.made)  # some were tried in an earlier search
        many = f"all {every} changes" if every > 1 else "the one change"
        return f"the built-in repairer tried {many} that it knows here, and none fixes this"
    if findings.exhausted or (not findings.made and findings.seconds < seconds / 2):
        return "the built-in repairer found nothing that it could change"
    return ""


def left(
    suspects: tuple[Suspect, ...], history: tuple[IterationView, ...], sources: Mapping[str, str]
) -> tuple[Suspect, ...]:
    """Return the suspects in functions that no earlier iteration looked at in vain."""
    seen = {_key(sources, each.path, each.line) for each in _vain(history)}
    return tuple(s for s in suspects if _key(sources, s.path, s.line) not in seen)


def ruled_out(
    history: tuple[IterationView, ...],
    sources: Mapping[str, str],
    *,
    others: bool,
    searched: bool = True,
) -> Iterator[str]:
    """Yield a line for each such iteration; one more where there are no `others` to look at.

    A place is ruled out where a search was made and came to its end; a limit that ended it, or an
    agent that gave up, rules out nothing.
    """
    vain = list(_vain(history))
    for each in vain:
        inside = enclosing(sources.get(each.path, ""), each.line)
        where = place(each.path, each.line) + (f" in {code(inside)}" if inside else "")
        seen = "ruled out" if searched and each.exhausted else "looked at before"
        yield f"{seen}: iteration {each.number} suspected {where}, and found no fix there"
    if vain and not others:
        yield "no other place is suspected: another agent, or what you know, would help more"


def _vain(history: tuple[IterationView, ...]) -> Iterator[IterationView]:
    """Yield the iterations since the last progress that knew a place, and no fix for it."""
    last = max((at for at, each in enumerate(history, 1) if each.progress), default=0)
    return (each for each in history[last:] if each.path and not each.fix_attempted)


def _key(sources: Mapping[str, str], path: str, line: int | None) -> tuple[str, str | int | None]:
    return path, enclosing(sources.get(path, ""), line) or line
