"""The form of a diagnosis, declared once: read strictly, printed, published as a JSON Schema."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec

from clew.evidence.explain.options import step
from clew.words.errors import AgentFailed
from clew.words.facts import Category, Cause, Diagnosis, Edit, Option, Usage
from clew.words.printable import one_line, shortened

__all__ = [
    "Change",
    "Count",
    "DiagnosisReply",
    "Printed",
    "UsageReply",
    "Words",
    "as_diagnosis",
    "edits",
    "printed",
    "schema",
]

Words = Annotated[str, msgspec.Meta(min_length=1)]
Line = Annotated[int, msgspec.Meta(ge=1, description="counts from 1")]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]  # tokens: more is no count


TITLE = 72  # characters


class _Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class UsageReply(msgspec.Struct, frozen=True, kw_only=True):
    """What the call took, as far as the agent knows; whatever else it counts is ignored."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    usd: Annotated[float, msgspec.Meta(ge=0)] | None = None

    def counted(self) -> Usage:
        """Return it as it is journalled."""
        return Usage(
            input=self.input_tokens,
            output=self.output_tokens,
            cached=self.cached_tokens,
            cache_write=self.cache_write_tokens,
            usd=self.usd,
        )


class Location(_Form, frozen=True, kw_only=True):
    """Where the cause lies; an empty file where it lies in none."""

    file: str
    line: Line | None = None
    context: str = ""


class Change(_Form, frozen=True, kw_only=True):
    """Replace `current`, which occurs in the file once or at `line`, by `should_be`."""

    file: Words
    line: Line | None = None
    current: str
    should_be: str


class ProposedFix(_Form, frozen=True, kw_only=True):
    """The way to mend it that is recommended."""

    description: Words
    changes: tuple[Change, ...] = ()


class OtherOption(_Form, frozen=True, kw_only=True):
    """Another way to mend it."""

    title: Words
    approach: str = ""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


class _Shape(_Form, frozen=True, kw_only=True):
    failure_classification: Category
    root_cause: Words
    root_cause_location: Location
    fix: ProposedFix
    out_of_scope: bool = False
    out_of_scope_reason: str | None = None
    upstream_dependency: str | None = None
    confidence: Literal["high", "medium", "low"]
    confidence_reason: Words


class DiagnosisReply(_Shape, frozen=True, kw_only=True):
    """A diagnosis, as an agent gives it."""

    title: str = ""
    evidence: tuple[str, ...] = ()
    options: tuple[OtherOption, ...] = ()
    usage: UsageReply = UsageReply()


class Why(_Form, frozen=True, kw_only=True, rename={"cause_class": "class"}):
    """Why it came about: the other axis beside the category."""

    cause_class: str
    subclass: str
    evidence: str


class Printed(_Shape, frozen=True, kw_only=True):
    """A diagnosis, as `clew diagnose --json` prints it, beside what was computed from evidence."""

    category: Category
    cause: Why


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what an agent is to answer."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(DiagnosisReply),
    }


def printed(diagnosis: Diagnosis, category: Category, cause: Cause) -> Printed:
    """Return a diagnosis of any agent, the built-in one too, in this form."""
    chosen = diagnosis.chosen
    description = chosen.approach or chosen.title if chosen else "no fix is known"
    return Printed(
        failure_classification=diagnosis.category,
        root_cause=diagnosis.root_cause,
        root_cause_location=Location(
            file=diagnosis.path, line=diagnosis.line, context=diagnosis.context
        ),
        fix=ProposedFix(
            description=description,
            changes=tuple(
                Change(file=e.path, line=e.line, current=e.current, should_be=e.should_be)
                for e in diagnosis.edits
            ),
        ),
        out_of_scope=diagnosis.out_of_scope,
        out_of_scope_reason=diagnosis.out_of_scope_reason,
        upstream_dependency=diagnosis.upstream_dependency,
        confidence=diagnosis.confidence,  # type: ignore[arg-type]
        confidence_reason=diagnosis.confidence_reason,
        category=category,
        cause=Why(cause_class=cause.cause_class, subclass=cause.subclass, evidence=cause.evidence),
    )


def edits(changes: tuple[Change, ...]) -> tuple[Edit, ...]:
    """Return the changes of a reply as edits."""
    return tuple(
        Edit(path=c.file, line=c.line, current=c.current, should_be=c.should_be) for c in changes
    )


def _investigation(reply: DiagnosisReply) -> Option:
    return Option(
        title="investigate further",
        approach=reply.confidence_reason,
        pros=("a fix on evidence instead of a guess",),
        cons=("it mends nothing yet",),
        steps=("Find out what is said above.", "Diagnose again, with what was found."),
    )


def as_diagnosis(reply: DiagnosisReply) -> Diagnosis:
    """Turn a reply into a diagnosis, with the options that it names.

    Raises AgentFailed (invalid_output) naming a field that says nothing.
    """
    said = {
        "root_cause": reply.root_cause,
        "fix.description": reply.fix.description,
        "confidence_reason": reply.confidence_reason,
    }
    if reply.out_of_scope:
        said["out_of_scope_reason"] = reply.out_of_scope_reason or ""
    empty = [name for name, words in said.items() if not words.strip()]
    if empty:
        raise AgentFailed(f"the reply leaves {' and '.join(empty)} empty", kind="invalid_output")
    own = Option(
        title=_phrase(reply.fix.description),
        approach=reply.fix.description,
        pros=(reply.confidence_reason or "It is what the diagnosis points at.",),
        cons=("It rests on the diagnosis being right.",),
        steps=tuple(map(step, edits(reply.fix.changes))),
        edits=edits(reply.fix.changes),
    )
    others = tuple(
        Option(
            title=o.title,
            approach=o.approach or o.title,
            pros=o.pros,
            cons=o.cons,
            steps=o.steps or tuple(map(step, edits(o.changes))),
            edits=edits(o.changes),
        )
        for o in reply.options[:2]
    )
    options = (own, *others)
    if reply.confidence == "low" and not own.edits:
        options = (_investigation(reply), *options)[:3]
    return Diagnosis(
        title=reply.title or _phrase(reply.root_cause),
        category=reply.failure_classification,
        root_cause=reply.root_cause,
        path=reply.root_cause_location.file,
        line=reply.root_cause_location.line,
        context=reply.root_cause_location.context,
        evidence=reply.evidence,
        options=options,
        recommended=1,
        confidence=reply.confidence,
        confidence_reason=reply.confidence_reason,
        out_of_scope=reply.out_of_scope,
        out_of_scope_reason=reply.out_of_scope_reason,
        upstream_dependency=reply.upstream_dependency,
    )


def _phrase(text: str) -> str:
    """Return what a text begins with: its first sentence, cut after a word where that is long."""
    whole = one_line(text)
    end = re.search(r"(?<=\w[\w`'\")])[.;!?](?=\s|$)", whole)
    return shortened(whole[: end.start() if end else None], TITLE).rstrip(".,:;")
