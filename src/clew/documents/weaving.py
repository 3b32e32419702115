"""Changes put into front matter: what did not change keeps its bytes.

The library that keeps comments and order spells some things in its own way: how deep a list is
indented, where a long text breaks. So what it writes is not taken as it is. It writes the document
twice, as it was and as it is to be, and the lines in which those two differ are put into the
document's own text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from clew.documents.front_matter import DocumentUnreadable, dump, is_json, load, plain, values

__all__ = ["changed", "weave"]

Style = Callable[[Any], str]
Span = tuple[int, int, int, int]  # lines of the one text, and those of the other in their place


def changed(front: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return front matter in which the values that differ from `was` to `now` are other ones.

    Lists of maps are compared by the maps' `id`. Line ends stay what they were. Raises
    DocumentUnreadable.
    """
    text = front.replace("\r\n", "\n")
    as_was, as_now = _written(text, was, now)
    result = _carried(text, as_was, as_now)
    if not _agree(result, as_now):
        result = as_now  # the spelling of the document is lost, and nothing that it says
    return result.replace("\n", "\r\n") if "\r\n" in front else result


def _written(text: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text as it was and as it is to be, both in the spelling nearest to its own."""
    load_, styles = (json.loads, JSON) if is_json(text) else (load, YAML)
    known = load_(text)
    before, write = _nearest(text, known, styles)
    weave(known, now, was)
    return before, write(known)


def _nearest(text: str, known: object, styles: Iterable[Style]) -> tuple[str, Style]:
    written = []
    for style in styles:
        written.append((style(known), style))
        if written[-1][0] == text:
            return written[-1]
    return max(written, key=lambda each: _alike(each[0], text))


def _alike(one: str, other: str) -> int:
    return (Counter(one.splitlines()) & Counter(other.splitlines())).total()


def _json(known: object, indent: int | str | None) -> str:
    return json.dumps(known, indent=indent, ensure_ascii=False) + "\n"


def _yaml(known: Mapping[str, Any], mapping: int, offset: int) -> str:
    return dump(known, mapping=mapping, offset=offset)


JSON: tuple[Style, ...] = tuple(partial(_json, indent=indent) for indent in (2, 4, "\t", None))
YAML: tuple[Style, ...] = tuple(
    partial(_yaml, mapping=mapping, offset=offset) for mapping in (2, 4) for offset in (2, 0)
)


def _agree(one: str, other: str) -> bool:
    try:
        return values(one) == values(other)
    except DocumentUnreadable:
        return False


def weave(
    known: Any,  # noqa: ANN401 - a round-trip map
    now: Mapping[str, Any],
    was: Mapping[str, Any] | None = None,
) -> None:
    """Put values into what was loaded; what we do not know stays as it is.

    Maps are woven key by key, lists of maps by the maps' `id`; what is equal is not touched, and
    neither is what did not change since `was`, if that is given. What was there, and is no more,
    is taken out.
    """
    for gone in (was or {}).keys() - now.keys():
        known.pop(gone, None)
    for key, value in now.items():
        if was is not None and key in was and was[key] == value:
            continue
        present, before = known.get(key), was.get(key) if was else None
        if isinstance(value, Mapping) and isinstance(present, Mapping) and value:
            weave(present, value, before if isinstance(before, Mapping) else None)
        elif _by_id(value) and _by_id(present):
            _weave_by_id(present, value, before if _by_id(before) else None)
        elif value and isinstance(value, list) and present and isinstance(present, list):
            _weave_list(present, value)
        elif key not in known or not _equal(present, value):
            known[key] = _spelled(value, present)


def _weave_list(present: list[Any], now: Sequence[Any]) -> None:
    del present[len(now) :]
    for at, value in enumerate(now):
        if at == len(present):
            style = next((each for each in present if isinstance(each, str)), None)
            present.append(_spelled(value, style))
        elif _equal(present[at], value):
            continue
        elif isinstance(value, Mapping) and isinstance(present[at], Mapping):
            weave(present[at], value)
        else:
            present[at] = _spelled(value, present[at])


def _equal(one: object, other: object) -> bool:
    return plain({"": one}) == plain({"": other})


def _weave_by_id(
    present: list[Any], now: Sequence[Mapping[str, Any]], was: Sequence[Mapping[str, Any]] | None
) -> None:
    for at, value in enumerate(now):
        found = _same(present, value["id"])
        if found is None:
            present.insert(at if was is not None else len(present), dict(value))
        else:
            weave(found, value, _same(was or (), value["id"]))
    for gone in was or ():
        if _same(now, gone["id"]) is None and (found := _same(present, gone["id"])) is not None:
            present.remove(found)
    if was is not None:
        known = [found for value in now if (found := _same(present, value["id"])) is not None]
        places = [at for at, each in enumerate(present) if any(each is one for one in known)]
        for at, each in zip(places, known, strict=True):
            if present[at] is not each:
                present[at] = each


def _same(maps: Sequence[Any], name: object) -> Any:  # noqa: ANN401 - a map of either kind
    """Return the map of that id; 1 and "1" are two ids."""
    wanted = plain({"": name})
    return next((m for m in maps if _identical(plain({"": m["id"]}), wanted)), None)


def _identical(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one == other and type(one[""]) is type(other[""])


def _by_id(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, Mapping) and "id" in each for each in value)
    )


def _spelled(value: object, present: object) -> object:
    """Return a value; a text is quoted as the one that it takes the place of."""
    if isinstance(value, str) and isinstance(present, str) and type(present) is not str:
        from ruamel.yaml.scalarstring import (  # noqa: PLC0415 - slow to import
            DoubleQuotedScalarString,
            SingleQuotedScalarString,
        )

        if isinstance(present, DoubleQuotedScalarString | SingleQuotedScalarString):
            return type(present)(value)
    return value


# --- lines ---------------------------------------------------------------------------------------


def _carried(text: str, was: str, now: str) -> str:
    """Return the text with the lines that differ from `was` to `now`.

    Where the text says a changed part in its own way, that part is taken from `now`.
    """
    if text == was:
        return now
    own, base, new = (each.splitlines(keepends=True) for each in (text, was, now))
    out: list[str] = []
    at_own = at_new = at = 0
    for first, last, ours, theirs in _regions(
        list(_differing(base, own)), list(_differing(base, new))
    ):
        same = first - at
        out += own[at_own : at_own + same]
        at_own, at_new, at = at_own + same, at_new + same, last
        end_own = at_own + (last - first) + sum(s[3] - s[2] - (s[1] - s[0]) for s in theirs)
        end_new = at_new + (last - first) + sum(s[3] - s[2] - (s[1] - s[0]) for s in ours)
        out += new[at_new:end_new] if ours else own[at_own:end_own]
        at_own, at_new = end_own, end_new
    return "".join([*out, *own[at_own:]])


def _regions(
    theirs: list[Span], ours: list[Span]
) -> Iterator[tuple[int, int, list[Span], list[Span]]]:
    """Yield the parts of `was` that either side changed, those that touch taken as one."""
    spans = sorted([(s, False) for s in theirs] + [(s, True) for s in ours])
    while spans:
        (span, mine), *spans = spans
        first, last = span[0], span[1]
        group: dict[bool, list[Span]] = {True: [], False: []}
        group[mine].append(span)
        while spans and spans[0][0][0] < last:
            (span, mine), *spans = spans
            last = max(last, span[1])
            group[mine].append(span)
        yield first, last, group[True], group[False]


def _differing(one: Sequence[str], other: Sequence[str]) -> Iterator[Span]:
    for kind, first, last, start, stop in SequenceMatcher(
        None, one, other, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            yield first, last, start, stop
