"""Slips that try a fix: a test that looks at it closely notices one of them.

They lie on the lines that the fix wrote, those in the changed part of a line first. Where it only
took lines away, or wrote none that a slip can be made of, they lie next to these: on the nearest
line before and behind that allows one, a few lines away at most and within the same function.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import accumulate, islice

from msgspec.structs import replace

from clew.analysis.context import LARGEST, language_of, outline
from clew.analysis.mutations.additions import additions
from clew.analysis.mutations.faults import Mutation
from clew.analysis.mutations.grammars import GRAMMARS, slips
from clew.analysis.mutations.python import SLIPS, mutations

__all__ = ["added", "compiled", "of_fix", "tried_in", "unbuilt"]

NEAR = 10  # lines
LONG = 1_000  # lines, of which frequent ones are no landmarks: that would take long
MANY = 200  # slips of one place: each holds the whole text, and is parsed
# As C's, Java's and TypeScript's say it; Rust's; Go's, or what runs it.
COMPLAINT = (
    r"{0}(?::\d+(?::\d+)?|\(\d+,\d+\)):? *(?:- )?(?:fatal )?error\b"
    r"|^ +--> (?:\S*/)?{0}:\d+:\d+$"
    r"|\[(?:build|setup) failed\]"
)
WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
WHOLE = ("no answer", "lost line", "lost branch")  # whatever of them was changed
IMPORT = "lost import"  # tells nothing of what is imported: tried where nothing else can be
ORDER = (
    "other comparison",
    "other constant",
    "other arithmetic",
    "other logic",
    "turned condition",
    "no answer",
    "lost branch",
    "lost keyword",
    "cut chain",
    "lost line",
    IMPORT,
)


def tried_in(path: str) -> bool:
    """Whether slips can be made in such a file at all."""
    language = language_of(path)
    return path.endswith(".py") or (language is not None and language.name in GRAMMARS)


def compiled(path: str) -> bool:
    """Whether such a file is compiled before tests run: a slip may not get as far as to them."""
    language = language_of(path)
    return language is not None and language.name in GRAMMARS and GRAMMARS[language.name].compiled


def unbuilt(path: str, output: str) -> bool:
    """Whether a compiler, as it seems by what a command printed, refused such a file."""
    name = re.escape(path.rpartition("/")[2])
    return compiled(path) and bool(re.search(COMPLAINT.format(name), output, re.MULTILINE))


def of_fix(path: str, before: str, after: str) -> tuple[Mutation, ...]:
    """Return the slips that try what a fix made of a file, each of another kind first.

    Those in what it changed of a line come before those in what it left there. One that brings an
    old line back says no more than that the fix matters: it is no better than one beside it.
    """
    if max(map(_size, (before, after))) > LARGEST:
        return ()
    hunks = tuple(_hunks(before, after))
    lines = frozenset(line for hunk in hunks for line in hunk)
    found = list(_slips(path, after, lines)) or list(_nearest(path, after, hunks))
    found = [slip for slip in found if slip.operator != IMPORT] or found
    kinds = Counter[tuple[int, str]]()
    wrote, was = tuple(_wrote(before, after)), frozenset(map(_bare, before.split("\n")))
    starts = [0, *accumulate(len(line) + 1 for line in after.split("\n"))]

    def turn(slip: Mutation) -> tuple[int, int, int]:
        line = slip.text[starts[slip.line - 1] :].partition("\n")[0]
        far = 2 if slip.beside or _bare(line) in was else _far(slip, wrote)
        kinds[far, slip.operator] += 1
        return far, kinds[far, slip.operator], ORDER.index(slip.operator)

    return tuple(sorted(found, key=turn))


def added(path: str, before: str, after: str) -> tuple[Mutation, ...]:
    """Return the slips in what a fix newly says in a file."""
    lines = frozenset(line for hunk in _hunks(before, after) for line in hunk)
    return additions(path, before, after, lines)


def _slips(path: str, text: str, lines: Collection[int]) -> Iterator[Mutation]:
    language = language_of(path)
    if language is None or not lines or not tried_in(path):
        return
    python = language.name == "python"
    found = mutations(text, SLIPS, lines) if python else slips(text, language, lines)
    yield from islice(found, MANY)


def _nearest(path: str, text: str, hunks: tuple[range, ...]) -> Iterator[Mutation]:
    language, content = language_of(path), text.encode("utf-8", "surrogateescape")
    if language is None:
        return
    functions = outline(content, language).functions
    last = content.count(b"\n") + 1
    for hunk in hunks:
        above, below = hunk.start - 1, hunk.stop
        place = hunk.start if hunk else above
        around = [(start, end) for start, end in functions if start <= place <= end]
        first, end = max(around, default=(1, last))
        window = range(max(first, above - NEAR + 1), min(end, below + NEAR - 1) + 1)
        found = list(_slips(path, text, window))
        places = {slip.line for slip in found}
        wanted = {
            max((line for line in places if line <= above), default=0),
            min((line for line in places if line >= below), default=0),
        }
        yield from (replace(slip, beside=True) for slip in found if slip.line in wanted)


def _far(slip: Mutation, wrote: tuple[range, ...]) -> int:
    """Say how far a slip lies from what was written: 0 is within, 1 around it, 2 beside it."""
    changed = [part for part in wrote if slip.start < part.stop and part.start < slip.end]
    if any(part.start <= slip.start and slip.end <= part.stop for part in changed):
        return 0
    return 1 if changed and slip.operator not in WHOLE else 2


def _bare(line: str) -> str:
    return re.sub(r"[\s()]", "", line)


def _wrote(before: str, after: str) -> Iterator[range]:
    """Yield what each change wrote, in bytes: whole lines, or parts of those that it changed."""
    old, new = before.split("\n"), after.split("\n")
    starts = [0, *accumulate(_size(line) + 1 for line in new)]
    for kind, first, last, start, end in _opcodes(old, new):
        if kind == "insert":
            yield range(starts[start], starts[end])
        elif kind == "replace":
            parts = [WORD.findall("\n".join(lines)) for lines in (old[first:last], new[start:end])]
            if max(map(len, parts)) > LONG:
                continue
            places = [0, *accumulate(map(_size, parts[1]))]
            matcher = difflib.SequenceMatcher(None, parts[0], parts[1], autojunk=False)
            for what, _, _, at, to in matcher.get_opcodes():
                if what in ("insert", "replace"):
                    yield range(starts[start] + places[at], starts[start] + places[to])


def _hunks(before: str, after: str) -> Iterator[range]:
    """Yield the lines that each change left in place of what was there; none where it cut."""
    for _, _, _, start, end in _opcodes(before.split("\n"), after.split("\n")):
        yield range(start + 1, end + 1)


def _opcodes(old: list[str], new: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield what changed of lines: what was done, from where to where in the old and the new."""
    head = _alike(old, new)  # a form feed ends no line, as in a grammar
    tail = _alike(old[head:][::-1], new[head:][::-1])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > LONG)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            yield kind, head + first, head + last, head + start, head + end


def _alike(old: list[str], new: list[str]) -> int:
    """Return how many lines are the same from the start."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
