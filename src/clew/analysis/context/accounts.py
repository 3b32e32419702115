"""The account of a context in words: what was spent, what is shown, what gave way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clew.analysis.context.records import Form, PromptAccount

__all__ = ["account_lines"]

SHAPES = {
    Form.FULL: ("whole", "whole"),
    Form.SKELETON: ("as skeleton", "as skeletons"),
    Form.TRUNCATED: ("in part", "in part"),
}
WHERE = ("that the failure names", "that its tests ran, or that those import", "two steps away")


def account_lines(account: PromptAccount) -> Iterator[str]:
    """Yield what an agent is told of its context, and a person as well."""
    spent = ", ".join(f"{s.section} {s.used:,} of {s.room:,}" for s in account.sections)
    yield f"budget {account.budget:,} tokens, counted by {account.counter}: {spent}"
    counts = Counter((file.distance, file.form) for file in account.files)
    for distance, where in enumerate(WHERE):
        forms = [(form, counts[distance, form]) for form in SHAPES if counts[distance, form]]
        if forms:
            told = ", ".join(f"{count} {SHAPES[form][count > 1]}" for form, count in forms)
            yield f"files {where}: {told}"
    for each in account.refused:
        yield (
            f"{each.file}: too long to be shown whole ({each.tokens:,} tokens);"
            f" {each.shown:,} tokens of it are"
        )
    shown = {each.file for each in account.refused} | {file.path for file in account.files}
    for path in account.thin:
        if path not in shown:
            yield f"{path}: not shown"
    if account.listed:
        yield "near the failure, not shown: " + ", ".join(account.listed)
    if account.beyond:
        yield f"{account.beyond:,} more files two steps away were not read"
    for cut in account.cuts:
        was = Form.SKELETON if cut.original_tier > 1 else Form.FULL
        yield (
            f"{cut.file}: {was} → {cut.downgraded_to} ({cut.reason};"
            f" saves {cut.tokens_saved:,} tokens)"
        )
