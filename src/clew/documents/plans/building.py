"""From the values of a form to a plan: each field in the type that it must have.

What has the wrong type is told with its line and left out, so that one look finds all that is
wrong. What a value may be is checked on the plan itself: see `clew.analysis.plans`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from clew.documents.plans.located import Located, plain
from clew.runners.commands import split
from clew.words.errors import UsageError
from clew.words.plans import (
    Criterion,
    PhaseId,
    Plan,
    PlanFinding,
    PlanPhase,
    PlanPlace,
    PlanRule,
    Severity,
    SpecReference,
    VerifyBy,
)

__all__ = ["PlanRead", "RawPhase", "RawPlan", "build", "wrong_value"]

T = TypeVar("T")

# What the forms call a field, by our name for it; the first that is there counts.
NAMES = {
    "name": ("title",),
    "agent": ("agents",),
    "objective": ("goal",),
    "goal": ("description",),
    "description": ("details",),
    "depends_on": ("blocked_by", "dependencies"),
    "creates": ("files_created", "files_to_create"),
    "modifies": ("files_modified", "files_to_modify"),
    "touches": ("files_touched", "planned_files", "files"),
    "deletes": ("files_deleted", "files_to_delete"),
    "criteria": ("acceptance_criteria",),
    "validation": ("validation_commands", "validate"),
    "model": ("agent_model",),
    "references": ("spec_references",),
    "design": ("design_ref", "design_document"),
    "complexity": ("task_complexity",),
}
LIKENESS = 0.8  # of a key to one that is known, from where it is a slip


class RawPhase(msgspec.Struct, frozen=True, kw_only=True):
    """A phase as a form has it, and the file that it stands in."""

    path: str
    fields: Located


class RawPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as a form has it; `agent` is whose the phases are that name nobody."""

    path: str
    fields: Located
    phases: tuple[RawPhase, ...] = ()
    agent: str = ""
    findings: tuple[PlanFinding, ...] = ()


class PlanRead(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as far as it could be read, and what could not."""

    plan: Plan
    findings: tuple[PlanFinding, ...] = ()


def wrong_value(path: str, line: int, where: str, message: str) -> PlanFinding:
    """Return what is told of a value that cannot be meant."""
    return PlanFinding(
        code=PlanRule.INVALID_FIELD_VALUE, message=message, where=where, path=path, line=line
    )


def build(raw: RawPlan) -> PlanRead:
    """Return the plan that a form holds, and what is wrong with its fields."""
    findings = list(raw.findings)
    places: dict[str, PlanPlace] = {}
    fields = _Fields(raw.fields, "", raw.path, findings, places)
    phases = tuple(
        _phase(
            _Fields(each.fields, f"phases[{place}]", each.path, findings, places),
            agent=raw.agent,
            unnamed=f"#{place + 1}",
        )
        for place, each in enumerate(raw.phases)
    )
    plan = Plan(
        title=_line(fields.text("title")),
        goal=fields.text("goal"),
        design=fields.text("design"),
        complexity=fields.text("complexity").lower(),
        test_command=fields.text("test_command"),
        notes=fields.text("notes"),
        phases=phases,
        extra=fields.rest(),
        places=places,
    )
    return PlanRead(plan=plan, findings=tuple(findings))


def _phase(fields: _Fields, *, agent: str, unnamed: str) -> PlanPhase:
    """Return a phase; one without an id that could be used has `unnamed` for it."""
    if fields.broken:
        return PlanPhase(id=unnamed)
    id_ = fields.id()
    agents = fields.texts("agent")
    created, touched = fields.texts("creates"), fields.texts("touches")
    phase = PlanPhase(
        id=unnamed if id_ is None else id_,
        name=_line(fields.text("name")),
        agent=agents[0] if agents else agent,
        objective=fields.text("objective"),
        description=fields.text("description"),
        depends_on=fields.each("depends_on", fields.phase_id),
        parallel=fields.flag("parallel", default=True),
        batch=fields.number("batch"),
        creates=created,
        modifies=fields.texts("modifies") + tuple(path for path in touched if path not in created),
        deletes=fields.texts("deletes"),
        test_files=fields.texts("test_files"),
        criteria=fields.each("criteria", fields.criterion, lines=True),
        validation=fields.each("validation", fields.command),
        model=fields.text("model"),
        references=fields.each("references", fields.reference),
        extra=fields.rest(),
    )
    if len(agents) > 1:
        message = f"the phase names {len(agents)} agents; {agents[0]} carries it out"
        fields.note(PlanRule.INVALID_FIELD_VALUE, "agent", message, severity=Severity.WARNING)
        phase.extra["other_agents"] = list(agents[1:])
    return phase


class _Fields:
    """The fields of one map, each taken once; what is wrong with them is noted."""

    def __init__(
        self,
        node: Located,
        where: str,
        path: str,
        findings: list[PlanFinding],
        places: dict[str, PlanPlace],
    ) -> None:
        self.where, self.path, self.line = where, path, node.line
        self.findings, self.places = findings, places
        self.broken = not isinstance(node.value, dict)
        self.left: dict[str, Located] = dict(node.value) if isinstance(node.value, dict) else {}
        self.known: set[str] = set()
        places[where] = PlanPlace(path=path, line=node.line)
        if self.broken:
            self.wrong(where, node, "a map of fields")

    def text(self, name: str) -> str:
        node = self._take(name)
        return "" if node is None else self._text(self._at(name), node) or ""

    def flag(self, name: str, *, default: bool) -> bool:
        node = self._take(name)
        if node is None:
            return default
        if isinstance(node.value, bool):
            return node.value
        self.wrong(self._at(name), node, "true or false")
        return default

    def number(self, name: str) -> int | None:
        node = self._take(name)
        if node is None:
            return None
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return node.value
        self.wrong(self._at(name), node, "a whole number")
        return None

    def id(self) -> PhaseId | None:
        node = self._take("id")
        if node is None:
            self.note(PlanRule.MISSING_REQUIRED_FIELD, "id", "the phase has no id")
            return None
        return self.phase_id(self._at("id"), node)

    def texts(self, name: str) -> tuple[str, ...]:
        return self.each(name, self._text)

    def each(
        self, name: str, take: Callable[[str, Located], T | None], *, lines: bool = False
    ) -> tuple[T, ...]:
        """Return what a list holds, without what could not be taken; one value is a list of it.

        With `lines`, each line of a text is one.
        """
        node = self._take(name)
        if node is None:
            return ()
        items = node.value if isinstance(node.value, list) else [node]
        if lines and isinstance(node.value, str):
            items = [Located(line, node.line) for line in node.value.splitlines() if line.strip()]
        taken: list[T] = []
        for item in items:
            alone = not isinstance(node.value, list)
            where = self._at(name) + ("" if alone else f"[{len(taken)}]")
            found = take(where, item)
            if found is not None:
                self.places[where] = PlanPlace(path=self.path, line=item.line)
                taken.append(found)
        return tuple(taken)

    def phase_id(self, where: str, node: Located) -> PhaseId | None:
        if isinstance(node.value, int | str) and not isinstance(node.value, bool):
            return node.value
        self.wrong(where, node, "a whole number or a text")
        return None

    def criterion(self, where: str, node: Located) -> Criterion | None:
        if not isinstance(node.value, dict):
            text = self._text(where, node)
            return None if text is None else Criterion(criterion=_line(text.lstrip("-* ")))
        fields = _Fields(node, where, self.path, self.findings, self.places)
        text, way, target = (fields.text(name) for name in ("criterion", "verify_by", "target"))
        fields.unknown()
        if way not in ("", *VerifyBy):
            known = ", ".join(VerifyBy)
            fields.note(PlanRule.INVALID_FIELD_VALUE, "verify_by", f"{way!r} is none of {known}")
            return None
        return Criterion(
            criterion=_line(text), verify_by=VerifyBy(way or VerifyBy.MANUAL), target=_line(target)
        )

    def command(self, where: str, node: Located) -> tuple[str, ...] | None:
        """Return a command as a list of arguments, as which it may stand there already."""
        if isinstance(node.value, list):
            words = [self._text(where, each) for each in node.value]
            return None if None in words else tuple(word for word in words if word is not None)
        text = self._text(where, node)
        if text is None or not text.strip():
            return None if text is None else ()
        try:
            return split(text, "the command")
        except UsageError as error:
            self._note(PlanRule.INVALID_FIELD_VALUE, where, error.whole, node.line)
            return None

    def reference(self, where: str, node: Located) -> SpecReference | None:
        if not isinstance(node.value, dict):
            text = self._text(where, node)
            return None if text is None else SpecReference(spec=text)
        fields = _Fields(node, where, self.path, self.findings, self.places)
        spec, section, wanted = (fields.text(n) for n in ("spec", "section", "requirement"))
        fields.unknown()
        return SpecReference(spec=spec, section=section, requirement=wanted)

    def rest(self) -> dict[str, Any]:
        """Return the fields that nobody took; one that is nearly known is told."""
        for key, node in self.left.items():
            like = difflib.get_close_matches(key, self.known, 1, LIKENESS)
            if like:
                message = f"nobody reads the field {key!r}; did you mean {like[0]!r}?"
                self.note(PlanRule.UNKNOWN_FIELD, key, message, node, severity=Severity.WARNING)
        return {key: plain(node) for key, node in self.left.items()}

    def unknown(self) -> None:
        """Tell of the fields that nobody took, where they cannot be kept."""
        for key, node in self.left.items():
            known = ", ".join(sorted(self.known))
            message = f"nobody reads the field {key!r}; there are {known}"
            self.note(PlanRule.UNKNOWN_FIELD, key, message, node, severity=Severity.WARNING)

    def note(
        self,
        code: PlanRule,
        name: str,
        message: str,
        node: Located | None = None,
        severity: Severity = Severity.ERROR,
    ) -> None:
        place = self.places.get(self._at(name))
        line = node.line if node else place.line if place else self.line
        self._note(code, self._at(name), message, line, severity)

    def wrong(self, where: str, node: Located, wanted: str) -> None:
        name = where.rpartition(".")[2] or "the plan"
        message = f"{name} must be {wanted}, and is {_kind(node)}"
        self._note(PlanRule.INVALID_FIELD_TYPE, where, message, node.line)

    def _note(
        self,
        code: PlanRule,
        where: str,
        message: str,
        line: int,
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.findings.append(
            PlanFinding(
                code=code,
                severity=severity,
                message=message,
                where=where,
                path=self.path,
                line=line,
            )
        )

    def _take(self, name: str) -> Located | None:
        """Return a field by any of its names; None where it is not there, or nothing."""
        names = (name, *NAMES.get(name, ()))
        self.known.update(names)
        there = [each for each in names if each in self.left]
        if not there:
            return None
        if len(there) > 1 and name != "touches":
            message = f"{' and '.join(there)} are the same field; keep one of them"
            self.note(PlanRule.INVALID_FIELD_VALUE, name, message, self.left[there[1]])
        found = [self.left.pop(each) for each in there]
        self.places[self._at(name)] = PlanPlace(path=self.path, line=found[0].line)
        return None if found[0].value is None else found[0]

    def _at(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def _text(self, where: str, node: Located) -> str | None:
        if isinstance(node.value, str):
            return node.value
        self.wrong(where, node, "a text")
        return None


def _line(text: str) -> str:
    return " ".join(text.split())


def _kind(node: Located) -> str:
    kinds: Iterator[tuple[type, str]] = iter(
        (
            (bool, "true or false"),
            (int, "a number"),
            (float, "a number"),
            (str, "a text"),
            (list, "a list"),
            (dict, "a map"),
        )
    )
    return next((word for kind, word in kinds if isinstance(node.value, kind)), "nothing")
