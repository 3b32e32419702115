"""Fields of a part: `name: value` lines, a value of several lines as a block, and lists of them.

It looks like YAML, and is read line by line: people and agents write what no YAML parser takes.
What is written is read back equal, and nothing of it is markup: `tidy` texts, that is.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Iterable, Iterator, Mapping

from clew.words.printable import printable
from clew.words.redaction import redacted

__all__ = ["as_list", "bullets", "fields", "items", "listed", "tidy", "value", "written"]

FIELD = re.compile(r"^(?:\*\*)?([A-Za-z][\w ]{0,40}?)(?:\*\*)?:(?:\*\*)?(?:[ \t]+(.*))?$")
ITEM = re.compile(r"^[-*] +")
BLOCK = "|"
DEEP = "    "  # of a block: it opens no heading, no list and no fence
PLAIN = re.compile(r"[^\s|\"'\[\-].*")
TAG = re.compile(r"<(?=[A-Za-z/!?])")
AMPERSAND = re.compile(r"&(?=(?:lt|amp|#91);)")


def tidy(text: str) -> str:
    """Return a text as a document can hold it: printable, without secrets, margins or trails."""
    lines = (line.rstrip() for line in redacted(printable(text), frozenset()).split("\n"))
    return textwrap.dedent("\n".join(lines)).strip()


def fields(lines: Iterable[str], names: Container[str] | None = None) -> dict[str, str]:
    """Return the fields by name, each with all its lines; what stands before the first is left.

    With `names` nothing else begins a field: what else looks like one belongs to the text.
    """
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        begins = FIELD.match(line)
        begun = begins[1].strip().lower().replace(" ", "_") if begins else ""
        if begins and (names is None or begun in names):
            name = begun
            found[name] = [begins[2] or ""]
        elif name:
            found[name].append(line)
    return {name: "\n".join(lines).rstrip() for name, lines in found.items()}


def value(raw: str) -> str:
    """Return what a field says, of one line or of several."""
    first, _, rest = raw.partition("\n")
    first = first.strip()
    if first == BLOCK:
        return _shown(textwrap.dedent(rest).strip("\n"))
    if not rest and len(first) > 1 and first[0] == first[-1] and first[0] in "\"'":
        return _shown(first[1:-1])
    return _shown("\n".join(filter(None, [first, textwrap.dedent(rest).strip("\n")])))


def as_list(raw: str) -> tuple[str, ...]:
    """Return the entries of a list: `[a, b]`, or one a line after a hyphen."""
    first, _, rest = raw.partition("\n")
    if (inner := first.strip()).startswith("["):
        parts = inner.strip("[]").split(",")
        return tuple(filter(None, (value(part.strip()) for part in parts)))
    own = [inner] if inner else []
    return tuple(filter(None, (value(entry) for entry in [*own, *_entries(rest.split("\n"))])))


def items(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the entries of a list of fields; one without fields has its words under ""."""
    for entry in _entries(lines):
        yield fields(entry.split("\n")) or {"": entry}


def _entries(lines: Iterable[str]) -> Iterator[str]:
    """Yield the entries of a list, each without its hyphen and margin."""
    entry: list[str] | None = None
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        if begins := ITEM.match(line):
            if entry is not None:
                yield _entry(entry)
            entry = [line[begins.end() :]]
        elif entry is not None:
            entry.append(line)
    if entry is not None:
        yield _entry(entry)


def _entry(lines: list[str]) -> str:
    rest = textwrap.dedent("\n".join(lines[1:]))
    return "\n".join([lines[0], *rest.split("\n")]).rstrip() if rest.strip() else lines[0]


def written(values: Mapping[str, str], margin: str = "") -> list[str]:
    """Return fields as lines."""
    return [line for name, text in values.items() for line in _field(name, text, margin)]


def _field(name: str, text: str, margin: str) -> Iterator[str]:
    if not text:
        yield f"{margin}{name}:"
    elif "\n" not in text and PLAIN.fullmatch(text):
        yield f"{margin}{name}: {_harmless(text)}"
    else:
        yield f"{margin}{name}: {BLOCK}"
        yield from _indented(text, f"{margin}{DEEP}")


def _indented(text: str, margin: str) -> Iterator[str]:
    for line in _harmless(text).split("\n"):
        yield f"{margin}{line}".rstrip()


def listed(entries: Iterable[Mapping[str, str]]) -> list[str]:
    """Return entries of fields as lines."""
    lines = []
    for entry in entries:
        first, *rest = written(entry, "  ")
        lines += [f"- {first[2:]}", *rest]
    return lines


def bullets(texts: Iterable[str], margin: str = "") -> list[str]:
    """Return texts one a line: what has several lines is said in one."""
    return [f"{margin}- {_quoted(' '.join(text.split()))}" for text in texts]


def _quoted(text: str) -> str:
    """Return a text of one line; one that would not be read as it is stands in quotes."""
    return _harmless(text) if PLAIN.fullmatch(text) else f'"{_harmless(text)}"'


def _harmless(text: str) -> str:
    text = TAG.sub("&lt;", AMPERSAND.sub("&amp;", text))
    return text.replace("![", "!&#91;")


def _shown(text: str) -> str:
    """Return text as it was before it was made harmless."""
    return text.replace("&#91;", "[").replace("&lt;", "<").replace("&amp;", "&")
