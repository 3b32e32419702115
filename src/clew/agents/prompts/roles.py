"""One prompt a role: the rule about data, a template with its sections, the form of the answer.

The rule stands first and the form last, whatever the template between them says. Another template
takes the place of the role's where a conversation that was cut off goes on.
"""

from __future__ import annotations

from functools import cache

from clew.agents.prompts.brief import Brief
from clew.agents.prompts.sections import MOST_TESTS, file_label, parts_of
from clew.agents.prompts.wording import GO_ON, answer_form, filled, source, version
from clew.agents.prompts.wrapping import nonce_of, wrap_data
from clew.analysis.context import (
    ANALYSIS,
    SHARES,
    SectionTokens,
    TokenCounter,
    account_lines,
    fit_parts,
    truncated,
)
from clew.analysis.context import counter as counter_named

__all__ = [
    "FRAME",
    "IN_THE_LOOP",
    "going_on",
    "prompt",
    "spent_on",
    "wording",
]

FRAME = 64  # tokens of the two lines around a text, at most
IN_THE_LOOP = ("diagnose", "fix", "review")


def going_on(role: str, brief: Brief) -> str:
    """Return what an agent is told whose conversation was cut off: it has the prompt already.

    Raises UsageError for a template that is broken.
    """
    return _told(GO_ON, role, brief)


def wording(template: str, brief: Brief) -> str:
    """Name the version of a template that a prompt is made with."""
    return version(template, brief.templates.get(template, ""))


def spent_on(
    role: str, brief: Brief, counter: TokenCounter, budget: int
) -> tuple[SectionTokens, ...]:
    """Return what each section of a role's prompt takes, and the room that is left for code."""
    return _fitted(role, role, brief, counter, budget)[1]


def prompt(role: str, brief: Brief) -> str:
    """Return what an agent is told in a role. Raises UsageError for a template that is broken."""
    return _told(role, role, brief)


def _told(template: str, role: str, brief: Brief) -> str:
    nonce, share = nonce_of(brief), brief.share or brief.budget
    texts, _ = _fitted(template, role, brief, counter_named(brief.counter), share)
    kept = iter(texts)
    shown = {
        name: [wrap_data(part.label, text, nonce) for part in parts if (text := next(kept))]
        for name, parts in parts_of(brief).items()
    }
    shown["files"] = [wrap_data(file_label(f), f.text, nonce) for f in brief.files]
    shown["analysis"] = [wrap_data("context budget", text, nonce) for text in _analysis(brief)]
    account = brief.account
    numbers = {
        "iteration": brief.iteration,
        "counter": brief.counted or brief.iteration,
        "round": brief.round,
        "cap": brief.cap,
        "more_tests": max(0, len(brief.failing) - MOST_TESTS),
        "thin": bool(account and (account.thin or account.plain)),
    }
    own = brief.templates.get(template, "")
    return _composed(template, role, own, shown, numbers, nonce=nonce)


def _composed(
    template: str,
    role: str,
    own: str,
    shown: dict[str, list[str]],
    numbers: dict[str, int],
    *,
    nonce: str,
) -> str:
    rule = source("rule").replace("NONCE", nonce)
    parts = (rule, filled(template, own, shown, numbers), answer_form(role))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _fitted(
    template: str, role: str, brief: Brief, counter: TokenCounter, budget: int
) -> tuple[tuple[str, ...], tuple[SectionTokens, ...]]:
    parts = [part for group in parts_of(brief).values() for part in group]
    fixed = _instructions(template, role, brief.templates.get(template, ""), counter.name)
    return fit_parts(parts, budget, counter, fixed=fixed, frame=FRAME)


@cache
def _instructions(template: str, role: str, own: str, counter: str) -> int:
    """Count what a prompt says that has nothing to tell."""
    nothing: dict[str, list[str]] = {name: [] for name in parts_of(Brief(iteration=0))}
    nothing |= {"files": [], "analysis": []}
    numbers = {"iteration": 0, "counter": 0, "round": 2, "cap": 0, "more_tests": 0, "thin": 1}
    composed = _composed(template, role, own, nothing, numbers, nonce="0" * 16)
    return counter_named(counter).count(composed)


def _analysis(brief: Brief) -> list[str]:
    """Return the account of what is shown, within its share of the budget."""
    if brief.account is None or brief.account.plain:
        return []
    text = "\n".join(account_lines(brief.account))
    room = int((brief.share or brief.budget) * SHARES[ANALYSIS])
    counter = counter_named(brief.counter)
    short = truncated(text, "context budget", max(0, room - FRAME), counter)
    return [short] if short else []
