"""The knowledge base: what was wrong once, why, and what mended it.

`debug/knowledge-base.md`, one section an entry: `## slug — title`. It is written strictly, and only
ever appended to; it is read leniently, since people edit it, and within bounds, since anybody may
have. A match is a candidate to test first, never a diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice

from clew.documents.markdown import Section, sections, unclosed
from clew.documents.templating import fill
from clew.words.facts import Fact
from clew.words.slugs import slug

__all__ = [
    "KnowledgeEntry",
    "Match",
    "ParsedEntry",
    "append",
    "found",
    "keywords",
    "matches",
    "name_of",
    "parse",
    "searched",
]

TITLE = (
    "# Knowledge base\n\nFixes of earlier failures that passed the proof, or that a person"
    " confirmed; newest last. Yours to edit.\n"
)
LARGEST = 1 << 20  # characters that are read, from the end
WIDEST = 2_000  # of a line
LONGEST_SLUG, LONGEST_READ = 30, 64
MOST_ENTRIES = 2_000
MOST_MATCHES = 3
FEWEST_SHARED = 2
MARK = re.compile(rb"^<!-- session ([\w-]+) commit ([0-9a-f]+) -->\s*$")
WRITTEN = re.compile(MARK.pattern.decode(), re.MULTILINE)
HEADING = re.compile(rb"^## ([a-z0-9][a-z0-9-]{0,63})")
ENTRY = re.compile(r"^([a-z0-9][a-z0-9-]{0,63})\s+(?:\u2014|\u2013|-|:)\s+(\S.*)$")
LABEL = re.compile(
    r"^(?:[-*+]\s+)?(?:\*\*|__)([A-Za-z][\w ()/-]{0,40}?)(?:\*\*|__)?\s?:"
    r"\s?(?:\*\*|__)?(.*)$"
)
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,63}")
# Words of every failure, which tell none from another.
COMMON = frozenset(
    WORD.findall(
        """
        and are assert asserted assertion assertionerror but call called cannot class collect commit
        def did does equal error errors exception expected expects fail failed failing fails failure
        failures false file files for found from function got has have import importing instead
        into is line lines missing module name named none not object of or passed passing python red
        return returned returns self setup should test tests than that the then this traceback true
        type types unexpected value values was were when where which while with without
        """
    )
)


class KnowledgeEntry(Fact, frozen=True, kw_only=True):
    """What one fix taught that passed the proof, or that a person confirmed."""

    slug: str
    title: str
    date: datetime
    session: str
    commit: str
    patterns: tuple[str, ...]  # errors, without what changes from run to run
    causes: tuple[str, ...]
    fixes: tuple[str, ...]
    files: tuple[str, ...]
    by: tuple[str, ...] = ()  # agents
    why_not_caught: str
    guards: tuple[str, ...]
    doubts: tuple[str, ...] = ()  # that the diagnosis left open
    in_place: bool = False  # the person's own files hold it
    confirmed: bool = False  # by a person alone: nothing proves it
    links: Mapping[str, str] = {}  # label to a path, as seen from the knowledge base


class ParsedEntry(Fact, frozen=True, kw_only=True):
    """An entry as it was read; any text of it may be empty."""

    slug: str
    title: str
    patterns: str = ""
    cause: str = ""
    fix: str = ""
    files: str = ""
    guard: str = ""
    session: str = ""  # that proved it, and its commit
    commit: str = ""


class Match(Fact, frozen=True, kw_only=True):
    """An entry that shares words with the symptoms at hand: worth a test, and no more."""

    slug: str
    title: str
    shared: tuple[str, ...]
    cause: str = ""
    fix: str = ""
    guard: str = ""
    undone: bool = False  # its session went back from it: only a search says so


# --- written -------------------------------------------------------------------------------------


def append(standing: bytes, entry: KnowledgeEntry) -> bytes:
    """Return the knowledge base with one more entry; every byte that stood stays."""
    text = standing or TITLE.encode()
    if not text.endswith(b"\n"):
        text += b"\n"
    fence = unclosed(text.decode("utf-8", "replace"))
    if fence:
        text += f"{fence}\n".encode()  # the entry would be a part of that block
    return text + b"\n" + fill("clew.documents", "knowledge", entry=entry).encode()


def found(standing: bytes, session: str, commit: str) -> str | None:
    """Return the slug of the entry that was written for a session's fix; None if there is none."""
    slug_above = ""
    for line in standing.splitlines():
        heading = HEADING.match(line)
        if heading:
            slug_above = heading[1].decode()
        mark = MARK.match(line)
        if mark and (mark[1].decode(), mark[2].decode()) == (session, commit):
            return slug_above
    return None


def name_of(title: str, taken: Iterable[str] = ()) -> str:
    """Return a name for an entry: a slug of at most 30 characters that is not `taken`."""
    known, number = frozenset(taken), 1
    name = slug(title, most=LONGEST_SLUG) or "fix"
    while name in known:
        number += 1
        short = slug(title, most=LONGEST_SLUG - len(str(number)) - 1) or "fix"
        name = f"{short}-{number}"
    return name


# --- read ----------------------------------------------------------------------------------------


def parse(text: str) -> tuple[ParsedEntry, ...]:
    """Read what can be read: sections of other forms are entries as well, by their words."""
    lines = text[-LARGEST:].splitlines()
    parts = sections("\n".join(line[:WIDEST] for line in lines))
    return tuple(_entries(parts))[-MOST_ENTRIES:]


def _entries(parts: Iterable[Section]) -> Iterator[ParsedEntry]:
    title, bodies = "", list[str]()
    for part in parts:
        if part.level > 2 and title:  # noqa: PLR2004 - a part of the entry
            bodies += [f"**{part.title[:40]}**:", part.body]
            continue
        if title:
            yield _known(title, "\n".join(bodies))
        title = part.title if part.level == 2 else ""  # noqa: PLR2004 - as above
        bodies = [part.body]
    if title:
        yield _known(title, "\n".join(bodies))


def _known(heading: str, body: str) -> ParsedEntry:
    named = ENTRY.match(heading)
    name, title = (named[1], named[2]) if named else (name_of(heading), heading)
    fields, mark = _fields(body), WRITTEN.search(body)
    return ParsedEntry(
        slug=name,
        title=title,
        patterns=fields.get("error pattern", "" if fields else body),
        cause=fields.get("root cause", ""),
        fix=fields.get("fix", ""),
        files=fields.get("files changed", fields.get("file", "")),
        guard=fields.get("recurrence guard", ""),
        session=mark[1] if mark else "",
        commit=mark[2] if mark else "",
    )


def _fields(body: str) -> dict[str, str]:
    read: dict[str, list[str]] = {}
    label = ""
    for line in body.splitlines():
        match = LABEL.match(line)
        if match:
            label = " ".join(match[1].lower().replace("(s)", "").split()).removesuffix("s")
            label = "files changed" if label.startswith("files changed") else label
            read.setdefault(label, []).append(match[2])
        elif label:
            read[label].append(line.strip().removeprefix("- "))
    return {name: "\n".join(lines).strip()[:WIDEST] for name, lines in read.items()}


def keywords(text: str) -> frozenset[str]:
    """Return the words that tell one failure from another, in lower case."""
    return frozenset(word.lower() for word in WORD.findall(text)) - COMMON


def searched(
    known: Iterable[ParsedEntry],
    words: Iterable[str],
    undone: Callable[[ParsedEntry], bool] = lambda _: False,
) -> tuple[Match, ...]:
    """Return the entries that share a word with these in anything they say, best first.

    The parts of a name are words as well.
    """

    def whole(entry: ParsedEntry) -> str:
        told = (entry.slug, entry.title, entry.patterns, entry.cause, entry.fix, entry.files)
        return _with_parts("\n".join(told))

    alike = _alike(known, [_with_parts("\n".join(words))], whole, 1)
    return tuple(_match(e, shared, undone=undone(e)) for e, shared in islice(alike, MOST_MATCHES))


def _with_parts(text: str) -> str:
    return f"{text}\n{text.replace('_', ' ')}"


def matches(
    known: Iterable[ParsedEntry],
    symptoms: Iterable[str],
    may: Callable[[ParsedEntry], bool] = lambda _: True,
) -> tuple[Match, ...]:
    """Return the entries whose errors share two words or more with the symptoms, best first.

    An entry that may not be handed on is left out.
    """

    def errors(entry: ParsedEntry) -> str:
        return entry.patterns or entry.title

    alike = _alike(known, symptoms, errors, FEWEST_SHARED, may)
    return tuple(_match(entry, shared) for entry, shared in islice(alike, MOST_MATCHES))


def _alike(
    known: Iterable[ParsedEntry],
    texts: Iterable[str],
    said: Callable[[ParsedEntry], str],
    fewest: int,
    may: Callable[[ParsedEntry], bool] = lambda _: True,
) -> Iterator[tuple[ParsedEntry, tuple[str, ...]]]:
    """Yield the entries that share so many words with the texts, and these, best first."""
    words = keywords("\n".join(texts))
    alike = []
    for at, entry in enumerate(known):
        shared = keywords(said(entry)) & words
        if len(shared) >= fewest:
            alike.append((-len(shared), -at, entry, tuple(sorted(shared))))
    alike.sort(key=lambda each: each[:2])
    for _, _, entry, shared_words in alike:
        if may(entry):
            yield entry, shared_words


def _match(entry: ParsedEntry, shared: tuple[str, ...], *, undone: bool = False) -> Match:
    return Match(
        slug=entry.slug,
        title=entry.title,
        shared=shared,
        cause=entry.cause,
        fix=entry.fix,
        guard=entry.guard,
        undone=undone,
    )
