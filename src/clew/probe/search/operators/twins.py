"""Code that is written twice under other names: where one copy parts, it is made like the other."""

from __future__ import annotations

import ast
import difflib
import keyword
import re
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from ..source import FUNCTIONS, Splice, trimmed
from .blocks import COMPOUND, SIMPLE, block_of, is_docstring, newline, own_lines
from .objects import is_first
from .table import At, Idea, operator, short

LEAST = 15  # tokens: less is alike by chance
MOST_LINES = 60
MOST_TWINS = 4
ALIKE = 0.75  # of the tokens, once names are exchanged
MOST_PARTS = 4  # places in which two differ and that may be wrong each for itself
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|'[^'\n]*'|\"[^\"\n]*\"|\S")
COMMENT = re.compile(r"\s*#[^'\"]*$")
NAMED = re.compile(r"[A-Za-z_\d'\"]")


class CodeLine(NamedTuple):
    """A line of code: where it stands, how far it is indented in its copy, and its tokens."""

    start: int
    end: int  # of its code, and behind its comment
    stop: int
    level: str
    tokens: Tuple[str, ...]
    text: str
    head: bool  # of a function: names and parameters are its own


class CopyParting(NamedTuple):
    """One place in which a copy is not as the other, and what to do there."""

    change: Splice
    words: str


@operator("twin", 0.9, *SIMPLE, *COMPOUND)
def twin(node: ast.AST, at: At) -> Iterator[Idea]:
    """Make a block like one beside it, or a function like another of its class or module."""
    for ours, other in pairs(node, at):
        theirs, mine = lines_of(other, at), lines_of(ours, at)
        wanted = renamed(theirs, mine)
        same = [line.tokens for line in wanted] == [line.tokens for line in theirs]
        if same or likeness(mine, wanted) < ALIKE:
            continue
        copy = "the copy in line {}".format(at.source.line_of(theirs[0].start))
        found = list(partings(mine, wanted, copy, at))
        if len(found) > 1:
            words = "make `{}` like {}".format(short(mine[0].text), copy)
            yield Idea(1.0, tuple(each.change for each in found), words)
        for each in found if len(found) <= MOST_PARTS else ():
            if not each.words.startswith("delete"):  # the family of that name offers it
                yield Idea(0.9, (each.change,), each.words)


def pairs(node: ast.AST, at: At) -> Iterator[Tuple[ast.AST, ast.AST]]:
    """Yield two of a kind that stand beside each other, the first with the node in it."""
    for kind in (COMPOUND, FUNCTIONS):
        ours: Any = node if kind is COMPOUND else at.place.inner
        if isinstance(ours, kind) and (ours is node or is_first(node, at)):
            block = block_of(ours, at)
            same = [each for each in block if type(each) is type(ours) and each is not ours]
            for other in nearest(ours, same, at):
                yield ours, other


def nearest(node: ast.AST, others: Sequence[ast.AST], at: At) -> List[ast.AST]:
    start = at.source.span(node)[0]
    return sorted(others, key=lambda each: abs(at.source.span(each)[0] - start))[:MOST_TWINS]


def lines_of(node: ast.AST, at: At) -> List[CodeLine]:
    """Return the lines of a statement that hold code; none where it shares them."""
    if own_lines(node, at) is None:
        return []
    text, (start, end) = at.source.text, at.source.span(node)
    base = at.source.indent_of(start)
    body = at.source.line_of(at.source.span(statements(node, at)[0])[0])
    told = range(0)  # a docstring's
    if isinstance(node, FUNCTIONS) and is_docstring(node.body[0], at):
        first, last = at.source.span(node.body[0])
        told = range(at.source.line_of(first), at.source.line_of(last) + 1)
    found = []
    for number in range(at.source.line_of(start), at.source.line_of(max(start, end - 1)) + 1):
        first = at.source.starts[number - 1]
        last = at.source.starts[number] if number < len(at.source.starts) else len(text)
        whole = text[first:last].rstrip()
        line = COMMENT.sub("", whole)
        tokens = tuple(TOKEN.findall(line))
        if tokens and number not in told:
            level = line[: len(line) - len(line.lstrip())][len(base) :]
            head = isinstance(node, FUNCTIONS) and number < body
            stop = first + len(whole)
            found.append(
                CodeLine(first, first + len(line), stop, level, tokens, line.strip(), head)
            )
    return found if len(found) <= MOST_LINES else []


def statements(node: Any, at: At) -> List[ast.stmt]:
    """Return what a statement holds, its docstring aside."""
    return [each for each in node.body if not is_docstring(each, at)] or node.body


def flat(lines: Sequence[CodeLine]) -> List[str]:
    return [token for line in lines for token in line.tokens]


def kinds(tokens: Sequence[str]) -> List[str]:
    """Return tokens with one word for all names and literals, which may be others in a copy."""
    return [
        token if keyword.iskeyword(token) or not NAMED.match(token) else token[0].isdigit() * "0"
        for token in tokens
    ]


def renamed(theirs: List[CodeLine], mine: List[CodeLine]) -> List[CodeLine]:
    """Return their lines under the names that most of mine have in the same places."""
    there, here = flat(theirs), flat(mine)
    if min(len(there), len(here)) < LEAST:
        return []
    votes: Dict[str, Counter[str]] = {}
    matcher = difflib.SequenceMatcher(None, kinds(there), kinds(here), autojunk=False)
    for one, two, size in matcher.get_matching_blocks():
        for before, after in zip(there[one : one + size], here[two : two + size]):
            votes.setdefault(before, Counter())[after] += 1
    names = {before: counts.most_common(1)[0][0] for before, counts in votes.items()}

    def new(token: str) -> str:
        if token in names or token[0] not in "'\"":
            return names.get(token, token)
        return token[0] + names.get(token[1:-1], token[1:-1]) + token[-1]

    return [
        line._replace(
            tokens=tuple(map(new, line.tokens)),
            text=TOKEN.sub(lambda found: new(found.group()), line.text),
        )
        for line in theirs
    ]


def likeness(mine: List[CodeLine], wanted: List[CodeLine]) -> float:
    """Return how much of two copies is the same, from 0 to 1."""
    return difflib.SequenceMatcher(None, flat(mine), flat(wanted), autojunk=False).ratio()


def partings(
    mine: List[CodeLine], wanted: List[CodeLine], copy: str, at: At
) -> Iterator[CopyParting]:
    """Yield where my lines, but for a function's head, are not as the wanted ones."""
    base = at.source.indent_of(mine[0].start)
    end = newline(at)
    for first, last, start, stop in aligned(mine, wanted):
        old, new = mine[first:last], wanted[start:stop]
        if any(line.head for line in (*old, *new)):
            continue
        put = end.join(base + line.level + line.text for line in new)
        shown = [short(" ".join(line.text for line in lines)) for lines in (old, new)]
        if old and new:
            change, words = Splice(old[0].start, old[-1].end, put), "replace `{0}` by `{1}`"
        elif old and last < len(mine):
            change, words = Splice(old[0].start, mine[last].start, ""), "delete `{0}`"
        elif old:
            change, words = Splice(mine[first - 1].stop, old[-1].stop, ""), "delete `{0}`"
        elif first < len(mine):
            place = mine[first].start
            change, words = Splice(place, place, put + end), "insert `{1}`"
        else:
            place = mine[-1].stop
            change, words = Splice(place, place, end + put), "insert `{1}`"
        told = ", as {} has it" if new else ", which {} has not"
        yield CopyParting(trimmed(at.source.text, change), words.format(*shown) + told.format(copy))


def aligned(mine: List[CodeLine], wanted: List[CodeLine]) -> Iterator[Tuple[int, int, int, int]]:
    """Yield the stretches of lines that differ; lines of the same names face each other."""
    matcher = difflib.SequenceMatcher(
        None, list(map(names_of, mine)), list(map(names_of, wanted)), autojunk=False
    )
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind != "equal" and last - first != stop - start:
            yield first, last, start, stop
            continue
        for step in range(last - first):
            if mine[first + step].tokens != wanted[start + step].tokens:
                yield first + step, first + step + 1, start + step, start + step + 1


def names_of(line: CodeLine) -> Tuple[str, ...]:
    return (line.level, *filter(NAMED.match, line.tokens))
