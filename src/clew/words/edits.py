"""Edits: applied to text, shown as a diff, known again by a hash."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

from msgspec.structs import replace

from clew.probe import formulas
from clew.words.facts import Edit

__all__ = [
    "FROM_ROOT",
    "EditMisfit",
    "apply",
    "between",
    "diff",
    "left",
    "patch_hash",
    "with_ends_of",
]

FROM_ROOT = "paths count from the project's root, whatever folder you are in"


class EditMisfit(ValueError):
    """An edit does not fit the text that it is meant for."""


def apply(sources: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """Return the changed files, whole; raises EditMisfit.

    All edits speak of the text as it is before any of them. Those without a carriage return take
    on the line ends of a file whose lines end with one.
    """
    by_path: defaultdict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_path[edit.path].append(edit)
    return {path: _changed(path, sources.get(path), group) for path, group in by_path.items()}


def left(
    before: Mapping[str, str], now: Mapping[str, str], edits: Iterable[Edit]
) -> tuple[Edit, ...]:
    """Return the edits that are still to be made where files were changed in the meantime.

    One is made already if its file is as that edit, or all those of the file, would leave it; or if
    the file has more of the new text than before, or less of the old where nothing replaces it.
    """
    edits = tuple(edits)
    return tuple(e for e in edits if not _is_made(before.get(e.path), now.get(e.path), e, edits))


def between(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Edit, ...]:
    """Return edits that make one text of each file the other, with a line around each.

    Files that only one side has are left out, and those that are empty: no edit is of nothing.
    """
    found: list[Edit] = []
    for path in sorted(path for path in after if before.get(path)):
        old, new = (side[path].splitlines(keepends=True) for side in (before, after))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for group in matcher.get_grouped_opcodes(1):
            (_, start, _, new_start, _), (_, _, end, _, new_end) = group[0], group[-1]
            current, should_be = "".join(old[start:end]), "".join(new[new_start:new_end])
            found.append(Edit(path=path, line=start + 1, current=current, should_be=should_be))
    return tuple(found)


def diff(sources: Mapping[str, str], edits: Iterable[Edit]) -> str:
    """Return the edits as a unified diff; raises EditMisfit."""
    out: list[str] = []
    for path, after in apply(sources, edits).items():
        before = sources.get(path)
        lines = difflib.unified_diff(
            [] if before is None else before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            "/dev/null" if before is None else f"a/{path}",
            f"b/{path}",
        )
        out += [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        ]
    return "".join(out)


def patch_hash(edits: Iterable[Edit]) -> str:
    """Return a name by which the same change is known again, wherever its lines have moved to."""
    return formulas.patch_hash((e.path, e.current, e.should_be) for e in edits)


def with_ends_of(text: str, edit: Edit) -> Edit:
    """Return an edit with the line ends that most lines of the text have, if it has others."""
    if not formulas.ends_with_crlf(text) or "\r" in edit.current + edit.should_be:
        return edit
    current = edit.current.replace("\n", "\r\n")
    if edit.current in text and current not in text:  # in a file with mixed line ends
        return edit
    return replace(edit, current=current, should_be=edit.should_be.replace("\n", "\r\n"))


def _is_made(before: str | None, now: str | None, edit: Edit, edits: tuple[Edit, ...]) -> bool:
    if now is None or now == before:
        return False
    edit = with_ends_of(before or "", edit)
    sources = {} if before is None else {edit.path: before}
    for some in ((edit,), tuple(e for e in edits if e.path == edit.path)):
        try:
            if apply(sources, some)[edit.path] == now:
                return True
        except EditMisfit:
            continue
    text = before or ""
    if edit.should_be.strip():
        return now.count(edit.should_be) > text.count(edit.should_be)
    return bool(edit.current.strip()) and now.count(edit.current) < text.count(edit.current)


def _changed(path: str, text: str | None, edits: list[Edit]) -> str:
    if text is None:
        if len(edits) == 1 and not edits[0].current and edits[0].line is None:
            return edits[0].should_be
        raise EditMisfit(f"{path}: no such file: {FROM_ROOT}")
    fitting = [with_ends_of(text, edit) for edit in edits]
    spans = sorted((*_span(text, edit), edit.should_be) for edit in fitting)
    for one, two in pairwise(spans):
        if one[1] > two[0]:
            raise EditMisfit(f"{path}: two edits overlap")
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def _span(text: str, edit: Edit) -> tuple[int, int]:
    """Find `current`: at its line, else where it is alone."""
    place = f"{edit.path}:{edit.line}" if edit.line else edit.path
    if not edit.current:
        raise EditMisfit(f"{place}: the text to replace is empty")
    if edit.line is not None:
        lines = text.splitlines(keepends=True)
        start = sum(map(len, lines[: edit.line - 1]))
        end = start + len(lines[edit.line - 1]) if 1 <= edit.line <= len(lines) else start
        at = text.find(edit.current, start)
        if start <= at < end:
            return at, at + len(edit.current)
    at = text.find(edit.current)
    if at < 0 or text.find(edit.current, at + 1) >= 0:
        raise EditMisfit(
            f"{place}: {edit.current!r} {'does not occur' if at < 0 else 'occurs more than once'}"
        )
    return at, at + len(edit.current)
