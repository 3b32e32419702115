"""The part of a document's body that Clew writes, between two marks; the rest is a person's."""

from __future__ import annotations

__all__ = ["found", "marked", "replaced", "without"]

BEGINS = "<!-- clew:log -->"
ENDS = "<!-- /clew:log -->"


def marked(log: str) -> str:
    """Return a log with its marks around it."""
    return f"{BEGINS}\n\n{log.strip(chr(10))}\n\n{ENDS}"


def found(body: str) -> str | None:
    """Return the log of a body; None where there is none."""
    _, begins, rest = body.partition(BEGINS)
    log, ends, _ = rest.partition(ENDS)
    return log.strip("\n") if begins and ends else None


def replaced(body: str, log: str, end: str = "\n") -> str:
    """Return the body with its log in the place of the one before, else behind all else.

    `end` ends the lines that are written; the others stay as they are.
    """
    head, begins, rest = body.partition(BEGINS)
    _, ends, tail = rest.partition(ENDS)
    ours = marked(log).replace("\n", end)
    if begins and ends:
        return f"{head}{ours}{tail}"
    kept = body.rstrip("\r\n")
    return f"{kept}{end}{end}{ours}{end}" if kept.strip() else f"{end}{ours}{end}"


def without(body: str) -> str:
    """Return what of a body is not the log."""
    head, begins, rest = body.partition(BEGINS)
    _, ends, tail = rest.partition(ENDS)
    return f"{head}{tail}" if begins and ends else body
