"""What an agent says, read strictly.

A reply is JSON: the whole text, else a fenced block, else the outermost braces, else the last
balanced ones. Anything else is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, TypeVar

import msgspec

from clew.errors import AgentFailed
from clew.facts import Category, Diagnosis, Edit, Option, Usage

__all__ = ["DiagnosisReply", "FixReply", "as_diagnosis", "parse"]

T = TypeVar("T")


class _Reply(msgspec.Struct, frozen=True, kw_only=True):
    pass


class UsageReply(_Reply, frozen=True, kw_only=True):
    """What the call took, as far as the agent knows."""

    input_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    output_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    cached_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    usd: Annotated[float, msgspec.Meta(ge=0)] | None = None

    def counted(self) -> Usage:
        """Return it as it is journalled."""
        return Usage(
            input=self.input_tokens,
            output=self.output_tokens,
            cached=self.cached_tokens,
            usd=self.usd,
        )


class Location(_Reply, frozen=True, kw_only=True):
    """Where the cause lies."""

    file: str = ""
    line: int | None = None
    context: str = ""


class Change(_Reply, frozen=True, kw_only=True):
    """One replacement in one file."""

    file: str
    current: str
    should_be: str
    line: int | None = None


class ProposedFix(_Reply, frozen=True, kw_only=True):
    """The way to mend it that the agent recommends."""

    description: str
    changes: tuple[Change, ...] = ()


class OtherOption(_Reply, frozen=True, kw_only=True):
    """Another way to mend it."""

    title: str
    approach: str = ""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


class DiagnosisReply(_Reply, frozen=True, kw_only=True):
    """The JSON that a diagnosing agent prints."""

    failure_classification: Category
    root_cause: str
    fix: ProposedFix
    root_cause_location: Location = Location()
    title: str = ""
    evidence: tuple[str, ...] = ()
    options: tuple[OtherOption, ...] = ()
    out_of_scope: bool = False
    out_of_scope_reason: str | None = None
    upstream_dependency: str | None = None
    confidence: str = "medium"
    confidence_reason: str = ""
    usage: UsageReply = UsageReply()


class FixReply(_Reply, frozen=True, kw_only=True):
    """The JSON that a fixing agent prints; `changes` are carried out by Clew."""

    changes_made: str | tuple[str, ...]
    files_modified: tuple[str, ...] = ()
    ready_for_testing: bool = True
    changes: tuple[Change, ...] = ()
    usage: UsageReply = UsageReply()

    @property
    def summary(self) -> str:
        made = self.changes_made
        return made if isinstance(made, str) else "; ".join(made)


def parse(text: str, kind: type[T]) -> T:
    """Read a reply. Raises AgentFailed (invalid_output) saying what is wrong with it."""
    problem = "it holds no JSON object"
    for candidate in _candidates(text):
        try:
            return msgspec.json.decode(candidate, type=kind)
        except msgspec.ValidationError as error:
            problem = str(error)
        except (msgspec.DecodeError, RecursionError):
            continue
    raise AgentFailed(f"the reply is not usable: {problem}", kind="invalid_output")


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    yield from re.findall(r"```(?:json)?\s*\n(.*?)```", text, re.DOTALL)
    first, last = text.find("{"), text.rfind("}")
    if 0 <= first < last:
        yield text[first : last + 1]
    start = _last_balanced(text)
    if start is not None:
        yield text[start : last + 1]


def _last_balanced(text: str) -> int | None:
    depth = 0
    for index in range(text.rfind("}"), -1, -1):
        depth += {"}": 1, "{": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return None


def edits(changes: tuple[Change, ...]) -> tuple[Edit, ...]:
    """Return the changes of a reply as edits."""
    return tuple(
        Edit(path=c.file, line=c.line, current=c.current, should_be=c.should_be) for c in changes
    )


_BY_HAND = Option(
    title="Mend it by hand",
    approach="Take the cause and the place above, and change the code yourself.",
    pros=("You know what the code is meant to do.",),
    cons=("It waits for you.",),
)


def as_diagnosis(reply: DiagnosisReply) -> Diagnosis:
    """Turn a reply into a diagnosis; a report wants two options at least, so one may be added."""
    if not reply.root_cause.strip() or not reply.fix.description.strip():
        raise AgentFailed(
            "the reply names no root cause or no fix: root_cause and fix.description are empty",
            kind="invalid_output",
        )
    if reply.confidence not in ("high", "medium", "low"):
        raise AgentFailed(
            f"confidence is {reply.confidence!r}, not high, medium or low", kind="invalid_output"
        )
    own = Option(
        title=_first_words(reply.fix.description),
        approach=reply.fix.description,
        pros=(reply.confidence_reason or "It is what the diagnosis points at.",),
        cons=("It rests on the diagnosis being right.",),
        steps=tuple(f"{c.file}: replace `{c.current}`" for c in reply.fix.changes),
        edits=edits(reply.fix.changes),
    )
    others = tuple(
        Option(
            title=o.title,
            approach=o.approach or o.title,
            pros=o.pros,
            cons=o.cons,
            steps=o.steps,
            edits=edits(o.changes),
        )
        for o in reply.options[:2]
    )
    return Diagnosis(
        title=reply.title or _first_words(reply.root_cause),
        category=reply.failure_classification,
        root_cause=reply.root_cause,
        path=reply.root_cause_location.file,
        line=reply.root_cause_location.line,
        context=reply.root_cause_location.context,
        evidence=reply.evidence,
        options=(own, *(others or (_BY_HAND,))),
        recommended=1,
        confidence=reply.confidence,
        confidence_reason=reply.confidence_reason,
        out_of_scope=reply.out_of_scope,
        out_of_scope_reason=reply.out_of_scope_reason,
        upstream_dependency=reply.upstream_dependency,
    )


def _first_words(text: str, most: int = 8) -> str:
    return " ".join(text.split()[:most]).rstrip(".,:;")
