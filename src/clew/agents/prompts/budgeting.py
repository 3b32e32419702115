"""A brief within its budget: whatever is shown of the project, no prompt exceeds it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from clew.agents.prompts.brief import Brief, FileExcerpt
from clew.agents.prompts.roles import FRAME, IN_THE_LOOP, prompt, spent_on
from clew.agents.prompts.wrapping import nonce_of
from clew.analysis.context import ContextFile, Form, PromptAccount, TokenCounter, fit
from clew.words.errors import ClewError

__all__ = ["plain", "within_budget"]

FIX = "fix"
ROUNDS = 8


def within_budget(
    brief: Brief,
    sources: Sequence[ContextFile],
    counter: TokenCounter,
    *,
    touched: Collection[str] = (),
    listed: Sequence[str] = (),
    beyond: int = 0,
    roles: Sequence[str] = IN_THE_LOOP,
) -> Brief:
    """Return the brief with the files that fit, and the account of them.

    None of its prompts in these `roles` counts more than `brief.budget` tokens. `touched` are the
    files that the failure touches. Raises ClewError if the instructions alone take more.
    """
    brief = replace(brief, files=(), account=None)
    share = brief.budget
    spent = spent_on(_longest(brief, roles), brief, counter, share)
    room = spent[-1].room
    for _ in range(ROUNDS):
        fitted = fit(sources, room, counter, FRAME)
        whole = {file.path for file in fitted.files if file.form is Form.FULL}
        account = PromptAccount(
            counter=counter.name,
            budget=brief.budget,
            sections=(*spent[:-1], replace(spent[-1], used=fitted.used)),
            files=tuple(replace(file, text="") for file in fitted.files),
            cuts=fitted.cuts,
            refused=fitted.refused,
            listed=tuple(listed),
            beyond=beyond,
            wanted=fitted.wanted,
            thin=tuple(path for path in touched if path not in whole),
        )
        full = replace(
            brief,
            share=share,
            account=account,
            files=tuple(
                FileExcerpt(path=file.path, text=file.text, form=file.form) for file in fitted.files
            ),
        )
        full = replace(full, nonce=nonce_of(full))
        used = _largest(full, counter, roles)
        if used <= brief.budget:
            return replace(full, account=replace(account, used=used))
        over = used - brief.budget
        share, room = share - max(0, over - room), max(0, room - over)
        spent = spent_on(_longest(brief, roles), brief, counter, share)
    raise ClewError(f"a budget of {brief.budget} tokens is too small for the instructions alone")


def plain(
    brief: Brief, counter: TokenCounter, why: str, *, roles: Sequence[str] = IN_THE_LOOP
) -> Brief:
    """Return the brief without files, within its budget as far as that goes; say why."""
    account = PromptAccount(counter=counter.name, budget=brief.budget, plain=why)
    brief = replace(brief, files=(), account=account)
    spent = spent_on(_longest(brief, roles), brief, counter, brief.budget)
    used = _largest(brief, counter, roles)
    return replace(brief, account=replace(account, sections=spent, used=used))


def _longest(brief: Brief, roles: Sequence[str]) -> str:
    """Return the role whose prompt holds most: whoever carries a report out is told all of it."""
    return FIX if brief.report and FIX in roles else roles[0]


def _largest(brief: Brief, counter: TokenCounter, roles: Sequence[str]) -> int:
    return max(counter.count(prompt(role, brief)) for role in roles)
