"""What the words of a plan mean: the phases they name, the files, the commands, the criteria."""

from __future__ import annotations

import re

from clew.documents.plans.labels import NOTHING, Labelled, fences, items
from clew.documents.plans.lines import as_id, criterion
from clew.documents.plans.located import Located
from clew.runners.commands import split
from clew.words.errors import UsageError
from clew.words.plans import PhaseId

__all__ = ["commands", "files", "phase_ids"]

SPAN = re.compile(r"`([^`]+)`")
SPANS = re.compile(r"`[^`]+`(?:[ \t]*,[ \t]*`[^`]+`)*[.]?")
REMARK = re.compile(r"\([^)]*\)|\[[^\]]*\]")
PATH = re.compile(r"[^\s,:()]*[./][^\s,:()]*")
LEAST, MOST = 1, 1_000  # phases of a run such as 1-3
RUN = re.compile(r"([0-9]{1,4})\s*(?:-|–|—|to)\s*([0-9]{1,4})")  # noqa: RUF001 - as people write
NOISE = re.compile(r"\([^)]*\)|[`✓✅*]|depends[ _]on:?", re.IGNORECASE)
SHELLS = frozenset({"", "bash", "console", "sh", "shell", "zsh"})


def phase_ids(text: str) -> list[PhaseId] | None:
    """Return the phases that words name: `Phases 2, 3 and 4`, `[phase_1]`, `1-3`.

    None for words of another kind.
    """
    plain = NOISE.sub("", text).strip().strip(".").strip()
    if plain.startswith("[") and plain.endswith("]"):
        plain = plain[1:-1]
    if plain.casefold() in NOTHING:
        return []
    found: list[PhaseId] = []
    for part in re.split(r"[,;&+]|\band\b|\n", plain):
        word = re.sub(r"^\s*phases?[ _]*(?=\S)", "", part, flags=re.IGNORECASE).strip(" \t\"'")
        if run := RUN.fullmatch(word):
            found += range(int(run[1]), int(run[2]) + 1)
        elif re.fullmatch(r"[\w.-]+", word):
            found.append(as_id(word))
        elif word:
            return None
    return found


def files(item: str) -> list[str]:
    """Return the files that an item names: in code, or as its first word, which is a path then."""
    first = item.split("\n", 1)[0]
    if first.startswith("`"):
        spans = SPAN.findall(first)
        return spans if SPANS.fullmatch(first) else spans[:1]
    parts = [part.strip() for part in first.split(",")]
    if all(PATH.fullmatch(part) for part in parts):
        return parts
    begins = PATH.match(first)
    return [begins[0]] if begins else SPAN.findall(first)[:1]


def commands(block: Labelled) -> tuple[list[Located], list[Located]]:
    """Tell commands, which are code alone or in a block of code, from criteria for a person."""
    typed: list[Located] = []
    words: list[Located] = []
    for line, item in items(block):
        spans = SPAN.findall(item)
        beside = REMARK.sub("", SPAN.sub("", item)).strip(" \t\n.,;")
        if spans and not beside and all(map(_is_command, spans)):
            typed += [Located(span, line) for span in spans]
        else:
            words.append(criterion(line, item))
    for language, first, code in fences(block.lines):
        given = [(n, text.strip().removeprefix("$ ")) for n, text in enumerate(code, first)]
        given = [(n, text) for n, text in given if text and not text.startswith("#")]
        if language in SHELLS and all(_is_command(text) for _, text in given):
            typed += [Located(text, line) for line, text in given]
        elif language in SHELLS:
            words.append(criterion(first, "run: " + "; ".join(text for _, text in given)))
    return typed, words


def _is_command(text: str) -> bool:
    try:
        return bool(split(text))
    except UsageError:
        return False
