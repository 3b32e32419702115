"""Each known part of the document, as lines and back: one row a part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict

from clew.documents.debug_sessions.fields import (
    as_list,
    bullets,
    fields,
    items,
    listed,
    value,
    written,
)
from clew.words.debug_sessions import (
    CurrentFocus,
    Eliminated,
    EvidenceEntry,
    Reasoning,
    Resolution,
    Symptoms,
)

__all__ = ["PARTS", "DocumentPart"]

Lines = Sequence[str]
NESTED, BULLET = "  ", "- "
LISTS = ("confirming_evidence", "candidate_causes")


class DocumentPart(NamedTuple):
    """A part: its heading, its field of the record, what is said of it, how it is read and written.

    `grows` says that it is a list which is only added to.
    """

    title: str
    name: str
    rule: str
    read: Callable[[Lines], Any]
    write: Callable[[Any], list[str]]
    grows: bool = False


def _focus(lines: Lines) -> CurrentFocus:
    found = fields(lines)
    reasoning = found.pop("reasoning_checkpoint", "")
    named = {
        name: value(raw) for name, raw in found.items() if name in CurrentFocus.__struct_fields__
    }
    return CurrentFocus(**named, reasoning_checkpoint=_reasoning(reasoning))


def _reasoning(raw: str) -> Reasoning | None:
    if not raw.strip():
        return None
    found = fields(_dedented(raw))
    said: dict[str, Any] = {
        name: as_list(found[name]) if name in LISTS else value(found[name])
        for name in Reasoning.__struct_fields__
        if name in found
    }
    return Reasoning(**said)


def _dedented(raw: str) -> list[str]:
    lines = raw.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return [line[margin:] for line in lines[1:]] or [raw.strip()]


def _texts(kind: type[Any], others: Sequence[str]) -> list[str]:
    return [name for name in kind.__struct_fields__ if name not in others]


def _focus_lines(focus: CurrentFocus) -> list[str]:
    lines = written(
        {
            name: text
            for name in _texts(CurrentFocus, ("reasoning_checkpoint",))
            if (text := getattr(focus, name)) or name in ALWAYS
        }
    )
    reasoning = focus.reasoning_checkpoint
    if reasoning is None:
        return lines
    return [*lines, "reasoning_checkpoint:", *_reasoning_lines(reasoning)]


ALWAYS = ("hypothesis", "test", "expecting", "next_action")


def _reasoning_lines(reasoning: Reasoning) -> list[str]:
    lines: list[str] = []
    for name, said in asdict(reasoning).items():
        if isinstance(said, str):
            lines += written({name: said}, NESTED)
        elif said:
            lines += [f"{NESTED}{name}:", *bullets(said, NESTED * 2)]
    return lines


def _symptoms(lines: Lines) -> Symptoms:
    found = fields(lines)
    return Symptoms(**{n: value(found[n]) for n in Symptoms.__struct_fields__ if n in found})


def _symptom_lines(symptoms: Symptoms) -> list[str]:
    return written(asdict(symptoms))


def _entries(kind: type[Any]) -> Callable[[Lines], tuple[Any, ...]]:
    names = kind.__struct_fields__

    def read(lines: Lines) -> tuple[Any, ...]:
        found = []
        for entry in items(lines):
            said = dict.fromkeys(names, "")
            said |= {name: value(raw) for name, raw in entry.items() if name in names}
            if not any(said.values()):
                said[names[1]] = " ".join(entry.get("", "").split())  # words without a field
            found.append(kind(**said))
        return tuple(found)

    return read


def _entry_lines(order: Sequence[str]) -> Callable[[Any], list[str]]:
    return lambda entries: listed(
        {name: text for name in order if (text := getattr(entry, name)) or name == order[0]}
        for entry in entries
    )


def _resolution(lines: Lines) -> Resolution:
    found = fields(lines)
    files = as_list(found.pop("files_changed", ""))
    texts = {n: value(found[n]) for n in _texts(Resolution, ("files_changed",)) if n in found}
    return Resolution(**texts, files_changed=files)


def _resolution_lines(resolution: Resolution) -> list[str]:
    told = {n: getattr(resolution, n) for n in ("root_cause", "fix", "verification")}
    lines = written(told)
    files = resolution.files_changed
    lines += ["files_changed:", *bullets(files, NESTED)] if files else ["files_changed: []"]
    if resolution.oracle_type:
        lines += written({"oracle_type": resolution.oracle_type})
    return lines


def _paragraphs(lines: Lines) -> tuple[str, ...]:
    told: list[list[str]] = [[]]
    for line in lines:
        begins = line.startswith(BULLET)
        if begins or not line.strip():
            told.append([])
        if said := line.removeprefix(BULLET).strip():
            told[-1].append(said)
    return tuple(value(" ".join(each)) for each in told if each)


PARTS = (
    DocumentPart(
        "Current Focus",
        "focus",
        "overwritten before each action: what is true now",
        _focus,
        _focus_lines,
    ),
    DocumentPart(
        "Symptoms", "symptoms", "frozen once they are gathered", _symptoms, _symptom_lines
    ),
    DocumentPart(
        "Eliminated",
        "eliminated",
        "only added to: what was ruled out is not looked at again",
        _entries(Eliminated),
        _entry_lines(("hypothesis", "evidence", "timestamp")),
        grows=True,
    ),
    DocumentPart(
        "Evidence",
        "evidence",
        "only added to: what was found out",
        _entries(EvidenceEntry),
        _entry_lines(("timestamp", "checked", "found", "implication")),
        grows=True,
    ),
    DocumentPart(
        "Resolution",
        "resolution",
        "overwritten as it becomes known",
        _resolution,
        _resolution_lines,
    ),
    DocumentPart(
        "Specialist Review",
        "review",
        "only added to",
        _paragraphs,
        bullets,
        grows=True,
    ),
)
BY_TITLE: Mapping[str, DocumentPart] = {part.title.lower(): part for part in PARTS}
