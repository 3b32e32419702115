"""The fields of a plan, each taken in its type, by whatever name a form has it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, TypeVar

from clew.documents.plans.located import Located, plain
from clew.words.plans import PlanFinding, PlanPlace, PlanRule, Severity

__all__ = ["PlanFields", "wrong_value"]

T = TypeVar("T")

# What the forms call a field, by our name for it.
NAMES = {
    "name": ("title",),
    "agent": ("agents",),
    "objective": ("goal",),
    "goal": ("description",),
    "description": ("details",),
    "depends_on": ("blocked_by", "dependencies"),
    "creates": ("files_created", "files_to_create"),
    "modifies": ("files_modified", "files_to_modify"),
    "deletes": ("files_deleted", "files_to_delete"),
    "criteria": ("acceptance_criteria",),
    "validation": ("validation_commands", "validate"),
    "model": ("agent_model",),
    "references": ("spec_references",),
    "design": ("design_ref", "design_document"),
    "complexity": ("task_complexity",),
}
KINDS = (
    (bool, "true or false"),
    (int | float, "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "a map"),
)
LIKENESS = 0.8  # of a key to one that is known, from where it is a slip


def wrong_value(path: str, line: int, where: str, message: str) -> PlanFinding:
    """Return what is told of an invalid value."""
    return PlanFinding(
        code=PlanRule.INVALID_FIELD_VALUE, message=message, where=where, path=path, line=line
    )


class PlanFields:
    """The fields of one map, each taken once; what is wrong with them is noted.

    `findings` and `places` are those of the whole plan, which grow with what is taken.
    """

    def __init__(
        self,
        node: Located,
        where: str,
        path: str,
        findings: list[PlanFinding],
        places: dict[str, PlanPlace],
    ) -> None:
        self._where, self._path = where, path
        self._findings, self._places = findings, places
        self._left: dict[str, Located] = dict(node.value) if isinstance(node.value, dict) else {}
        self._known: set[str] = set()
        places[where] = PlanPlace(path=path, line=node.line)
        self.is_map = isinstance(node.value, dict)
        if not self.is_map:
            self.mistyped(where, node, "a map of fields")

    def within(self, where: str, node: Located) -> PlanFields:
        """Return the fields of a map that is the value of one of these."""
        return PlanFields(node, where, self._path, self._findings, self._places)

    def has(self, name: str) -> bool:
        """Whether a field is there, and says something."""
        names = (name, *NAMES.get(name, ()))
        return any(each in self._left and self._left[each].value is not None for each in names)

    def text(self, name: str) -> str:
        """Return a text; empty where there is none."""
        return self.one(name, self.as_text) or ""

    def flag(self, name: str, *, default: bool) -> bool:
        """Return whether something holds; the default where it is not said."""
        found = self.one(name, self._as_flag)
        return default if found is None else found

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts of a list, or one text."""
        return self.each(name, self.as_text)

    def one(self, name: str, take: Callable[[str, Located], T]) -> T | None:
        """Return what a field is taken for; None where it is not there, or is no such thing."""
        node = self._take(name)
        return None if node is None else take(self._at(name), node)

    def each(
        self, name: str, take: Callable[[str, Located], T | None], *, lines: bool = False
    ) -> tuple[T, ...]:
        """Return what a list holds, without what could not be taken; one value is a list of it.

        With `lines`, each line of a text is one.
        """
        node = self._take(name)
        if node is None:
            return ()
        if not isinstance(node.value, list) and not (lines and isinstance(node.value, str)):
            found = take(self._at(name), node)
            return () if found is None else (found,)
        items = node.value if isinstance(node.value, list) else []
        if isinstance(node.value, str):
            items = [Located(line, node.line) for line in node.value.splitlines() if line.strip()]
        taken: list[T] = []
        for item in items:
            where = f"{self._at(name)}[{len(taken)}]"
            found = take(where, item)
            if found is not None:
                self._places[where] = PlanPlace(path=self._path, line=item.line)
                taken.append(found)
        return tuple(taken)

    def rest(self) -> dict[str, Any]:
        """Return the fields that nobody took; one that is nearly known is told."""
        for key, node in self._left.items():
            like = difflib.get_close_matches(key, self._known, 1, LIKENESS)
            if like:
                self._unread(key, node, f"did you mean {like[0]!r}?")
        return {key: plain(node) for key, node in self._left.items()}

    def refuse_rest(self) -> None:
        """Tell of the fields that nobody took, where they cannot be kept."""
        for key, node in self._left.items():
            self._unread(key, node, f"there are {', '.join(sorted(self._known))}")

    def as_text(self, where: str, node: Located) -> str | None:
        """Take a value for a text."""
        if isinstance(node.value, str):
            return node.value
        self.mistyped(where, node, "a text")
        return None

    def as_number(self, where: str, node: Located) -> int | None:
        """Take a value for a whole number."""
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return node.value
        self.mistyped(where, node, "a whole number")
        return None

    def _as_flag(self, where: str, node: Located) -> bool | None:
        if isinstance(node.value, bool):
            return node.value
        self.mistyped(where, node, "true or false")
        return None

    def mistyped(self, where: str, node: Located, wanted: str) -> None:
        """Note that a value has another type than the one that is wanted."""
        kind = next((word for kind, word in KINDS if isinstance(node.value, kind)), "nothing")
        name = where.rpartition(".")[2] or "the plan"
        message = f"{name} must be {wanted}, and is {kind}"
        self.note(PlanRule.INVALID_FIELD_TYPE, where, message, node.line)

    def misused(self, name: str, message: str, severity: Severity = Severity.ERROR) -> None:
        """Note that a field has an invalid value."""
        where = self._at(name)
        line = self._places.get(where, self._places[self._where]).line
        self.note(PlanRule.INVALID_FIELD_VALUE, where, message, line, severity)

    def missing(self, name: str, message: str) -> None:
        """Note that a field is not there."""
        where, line = self._at(name), self._places[self._where].line
        self.note(PlanRule.MISSING_REQUIRED_FIELD, where, message, line)

    def note(
        self,
        code: PlanRule,
        where: str,
        message: str,
        line: int,
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Note what is wrong in a line."""
        self._findings.append(
            PlanFinding(
                code=code,
                severity=severity,
                message=message,
                where=where,
                path=self._path,
                line=line,
            )
        )

    def _unread(self, key: str, node: Located, hint: str) -> None:
        message = f"nobody reads the field {key!r}; {hint}"
        self.note(PlanRule.UNKNOWN_FIELD, self._at(key), message, node.line, Severity.WARNING)

    def _take(self, name: str) -> Located | None:
        """Return a field by any of its names; None where it is not there, or nothing."""
        names = (name, *NAMES.get(name, ()))
        self._known.update(names)
        there = {each: self._left.pop(each) for each in names if each in self._left}
        if not there:
            return None
        found = next(iter(there.values()))
        self._places[self._at(name)] = PlanPlace(path=self._path, line=found.line)
        if len(there) > 1:
            self.misused(name, f"{' and '.join(there)} are the same field; keep one of them")
        return None if found.value is None else found

    def _at(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name
