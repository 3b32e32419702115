"""Tests that no code can satisfy, since what they ask contradicts what else is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import msgspec

from clew.analysis.failures.assertions import expectation
from clew.analysis.failures.claims import (
    UNEQUAL,
    Claim,
    asked_of,
    asserted,
    callable_name,
    claims_in,
)
from clew.words.facts import Crash, TestResult, TestRun

__all__ = ["Contradiction", "contradictions"]

NOTHING: Mapping[str, str] = {}
PAIR = 2


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """A red test that asks a call for another answer than somebody else does."""

    call: str
    first: str  # the red test
    first_expects: str
    second: str  # another test, or `the example at path:line`
    second_expects: str

    @property
    def words(self) -> str:
        """Who asks what, in a sentence without its full stop."""
        if self.first == self.second:
            return f"{self.first} expects {self.call} to differ from itself, which no code can do"
        return (
            f"{self.first} expects {self.first_expects} of {self.call}, and {self.second} expects"
            f" {self.second_expects}: no code gives both answers"
        )


def contradictions(run: TestRun, sources: Mapping[str, str] = NOTHING) -> tuple[Contradiction, ...]:
    """Return the red tests that contradict another test, the documentation, or themselves.

    Two red tests that expect different answers of the same literal call contradict each other. With
    the project's text in `sources`, so does a red test and one that passes, and a red test and a
    documented example that the code agrees with.
    """
    red = sorted(run.red, key=lambda result: result.id)
    asked = [(r, *claim) for r in red if r.crash for claim in _asked_by(r.crash)]
    others = tuple(claims_in(sources)) if asked and sources else ()
    found = [
        *_among(asked),
        *(
            pair
            for result, call, answer in asked
            for pair in _against(result, call, answer, others)
        ),
        *(pair for result in red if result.crash for pair in _impossible(result, result.crash)),
    ]
    return tuple({(pair.first, pair.call): pair for pair in reversed(found)}.values())[::-1]


def _among(asked: list[tuple[TestResult, str, str]]) -> Iterator[Contradiction]:
    before: dict[str, tuple[str, str]] = {}
    for result, call, answer in asked:
        known = before.setdefault(call, (result.id, answer))
        if known[0] != result.id and not _same(known[1], answer):
            yield _pair(call, known[0], known[1], result.id, answer)


def _against(
    result: TestResult, call: str, answer: str, others: tuple[Claim, ...]
) -> Iterator[Contradiction]:
    wanted = expectation(result.crash) if result.crash else None
    for other in others:
        if other.call != call or _same(other.answer, answer):
            continue
        if other.by:
            yield _pair(call, result.id, answer, f"{other.path}::{other.by}", other.answer)
        elif wanted is not None and _same(wanted.actual, other.answer):
            where = f"the example at {other.path}:{other.line}"
            yield _pair(call, result.id, answer, where, other.answer)


def _impossible(result: TestResult, crash: Crash) -> Iterator[Contradiction]:
    """Yield an assertion that something differs from itself."""
    node = asserted(_last_code(crash))
    sides: list[ast.expr] = []
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq | ast.IsNot):
        sides = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call) and callable_name(node.func) in UNEQUAL:
        sides = node.args[:PAIR]
    if len(sides) == PAIR and ast.dump(sides[0]) == ast.dump(sides[1]):
        call = ast.unparse(sides[0])
        yield _pair(call, result.id, f"something else than {call}", result.id, call)


def _asked_by(crash: Crash) -> Iterator[tuple[str, str]]:
    """Yield call and answer of the asserting line, with the values that its names had there."""
    frame = next((f for f in reversed(crash.frames) if f.project), None)
    if frame is not None:
        values = {name: node for name, text in frame.values.items() if (node := _node(text))}
        yield from asked_of(asserted(frame.code), values)


def _pair(call: str, first: str, wants: str, second: str, other: str) -> Contradiction:
    return Contradiction(
        call=call, first=first, first_expects=wants, second=second, second_expects=other
    )


def _same(one: str, other: str) -> bool:
    first, second = _node(one), _node(other)
    if first is None or second is None:
        return one == other
    return bool(ast.literal_eval(first) == ast.literal_eval(second))


def _node(text: str) -> ast.expr | None:
    try:
        node = ast.parse(text, mode="eval").body
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return node


def _last_code(crash: Crash) -> str:
    return next((frame.code for frame in reversed(crash.frames) if frame.project), "")
