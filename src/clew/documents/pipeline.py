"""The report of a run in a pipeline: all that is to be known, on one page."""

from __future__ import annotations

from clew.documents.templating import fill
from clew.documents.views import SessionView, SummaryMeta

__all__ = ["headline", "render"]

DIFF = 20_000  # characters on the page; the patch beside it is whole


def render(
    view: SessionView,
    meta: SummaryMeta,
    *,
    patch: str = "",
    source: str = "",
    unseen: tuple[str, ...] = (),
) -> str:
    """Return the page.

    `patch` names the file that the fix is kept in. `unseen` are the tests that were red in the
    report `source` of an earlier run, and are not red here.
    """
    cut = meta.diff[:DIFF].rpartition("\n")[0] if len(meta.diff) > DIFF else meta.diff
    left = meta.diff.count("\n") - cut.count("\n")
    return fill(
        "clew.documents",
        "pipeline",
        view=view,
        meta=meta,
        headline=headline(view, meta),
        green=view.outcome == "green",
        diff=cut if cut == meta.diff else f"{cut}\n[Truncated: diff: {left} lines omitted]",
        patch=patch,
        source=source,
        unseen=unseen,
    )


def headline(view: SessionView, meta: SummaryMeta) -> str:
    """Return how it came out, in a line."""
    red = meta.red_before or 0
    tests = f"{red} red test{'' if red == 1 else 's'}"
    match view.outcome:
        case "green":
            return f"a proven fix for {tests}"
        case "nothing_to_do":
            return "all tests pass"
    if meta.red_before is None:
        return "the tests could not run"
    return f"no proven fix for {tests}: a person is needed"
