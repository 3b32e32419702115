"""Regular expressions: what their groups hold, how often a piece may stand, which characters."""

from __future__ import annotations

import ast
import itertools
import re
from typing import Iterator, List, NamedTuple, Optional, Tuple

from .constants import quoted
from .table import At, Idea, operator, short

LONGEST = 160  # characters of a pattern that is taken apart
FUNCTIONS = frozenset(
    {"compile", "match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"}
)
MODULES = frozenset({"re", "regex"})
RANGES = ("0-9", "a-z", "A-Z", r"\w", "_", "-", ".")
TOKEN = re.compile(
    r"(?P<open>\((?:\?(?:P<\w+>|[:=!>]|<[=!]))?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<times>(?:[*+?]|\{\d*,?\d*\})[?+]?)|(?P<edge>[\^$]|\\[bBAZ])"
    r"|(?P<atom>\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|[^\\])",
    re.DOTALL,
)


class PatternToken(NamedTuple):
    kind: str
    text: str


@operator("pattern", 0.8, ast.Constant)
def pattern(node: ast.AST, at: At) -> Iterator[Idea]:
    """Change one thing in the structure of a regular expression."""
    assert isinstance(node, ast.Constant)
    text, value = at.text(node), node.value
    if (
        not isinstance(value, str)
        or len(value) > LONGEST
        or "\n" in text
        or not is_pattern(node, at)
    ):
        return
    prefix = text[: len(text) - len(text.lstrip("rRuU"))]
    quote = text[-1:]
    raw = "r" in prefix.lower()
    tokens = tokens_of(value)
    seen = {value}
    for weight, new in near(tokens, at.context.clues.marks) if tokens else ():
        if new in seen or not compiles(new):
            continue
        seen.add(new)
        words = "use the pattern `{}`".format(short(new))
        yield at.put(node, quoted(new, quote, raw=raw), weight, words)


def is_pattern(node: ast.AST, at: At) -> bool:
    """Say whether a text is what a function of `re` is given first."""
    call = at.parent(node)
    if not isinstance(call, ast.Call) or not call.args or call.args[0] is not node:
        return False
    function = call.func
    if isinstance(function, ast.Attribute):
        module = function.value
        return function.attr in FUNCTIONS and isinstance(module, ast.Name) and module.id in MODULES
    return isinstance(function, ast.Name) and function.id in FUNCTIONS - {"compile"}


def tokens_of(value: str) -> List[PatternToken]:
    """Return the tokens of a pattern, a class of characters being one; none if it has others."""
    found = [PatternToken(str(each.lastgroup), each.group()) for each in TOKEN.finditer(value)]
    whole = "".join(each.text for each in found) == value
    return found if whole and not any(each.text == "(?" for each in found) else []


def compiles(new: str) -> bool:
    try:
        re.compile(new)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def near(tokens: List[PatternToken], marks: List[str]) -> Iterator[Tuple[float, str]]:
    """Yield patterns that differ in one thing, with weights."""
    for at, (kind, text) in enumerate(tokens):
        if kind in ("open", "close"):
            rest = tokens[:at] + tokens[at + 1 :]
            for to in moves(tokens, at):
                yield 1.0, joined(rest[:to]) + text + joined(rest[to:])
        if text in ("(", "(?:"):
            yield 0.8, exchanged(tokens, at, "(?:" if text == "(" else "(")
        if kind == "times":
            yield 0.7, exchanged(tokens, at, "")
            for weight, times in other_times(text):
                yield weight, exchanged(tokens, at, times)
        elif kind in ("atom", "close") and not counted(tokens, at):
            for weight, times in ((0.6, "?"), (0.7, "+"), (0.5, "*")):
                yield weight, exchanged(tokens, at, text + times)
        if kind == "atom":
            for weight, characters in other_characters(text, marks):
                yield weight, exchanged(tokens, at, characters)
        if kind == "bar":
            swapped = swap(tokens, at)
            if swapped is not None:
                yield 0.7, joined(swapped)
    for times in "+*":
        yield from runs_counted(tokens, times)
    plain = joined(tokens)
    for start, end in (("^", ""), ("", "$"), (r"\b", ""), ("", r"\b"), (r"\b", r"\b")):
        yield 0.6, start + plain + end


def runs_counted(tokens: List[PatternToken], times: str) -> Iterator[Tuple[float, str]]:
    """Let like characters stand any number of times, in all places or one: `[a-z]+`."""
    runs = [[*each] for _, each in itertools.groupby(tokens)]
    for text in dict.fromkeys(run[0].text for run in runs if run[0].kind == "atom"):
        places = [
            at for at, run in enumerate(runs)
            if run[0].text == text and run[0].kind == "atom"
            and (at + 1 == len(runs) or runs[at + 1][0].kind != "times")
        ]  # fmt: skip
        alone = [[at] for at in places if len(runs[at]) > 1]
        for chosen in [places] * (len(places) > 1) + alone:
            parts = (text + times if at in chosen else joined(r) for at, r in enumerate(runs))
            yield 0.7, "".join(parts)


def joined(tokens: List[PatternToken]) -> str:
    return "".join(token.text for token in tokens)


def exchanged(tokens: List[PatternToken], at: int, text: str) -> str:
    return joined(tokens[:at]) + text + joined(tokens[at + 1 :])


def counted(tokens: List[PatternToken], at: int) -> bool:
    """Say whether a count follows."""
    return at + 1 < len(tokens) and tokens[at + 1].kind == "times"


def moves(tokens: List[PatternToken], at: int) -> Iterator[int]:
    """Yield where a bracket may stand instead: one piece further, or one piece less far.

    Positions are those in the tokens without it. A group with a count keeps its end.
    """
    if tokens[at].kind == "close" and counted(tokens, at):
        return
    rest = tokens[:at] + tokens[at + 1 :]
    for to in (piece_after(rest, at), piece_before(rest, at)):
        if to is not None:
            yield to


def piece_after(tokens: List[PatternToken], at: int) -> Optional[int]:
    """Return the end of the piece that begins at a position, with how often it may stand."""
    depth, end = 0, at
    while end < len(tokens):
        kind = tokens[end].kind
        depth += (kind == "open") - (kind == "close")
        end += 1
        if depth < 0 or (kind == "bar" and not depth):
            return None
        if not depth:
            break
    if end == at or depth:
        return None
    return end + 1 if counted(tokens, end - 1) else end


def piece_before(tokens: List[PatternToken], at: int) -> Optional[int]:
    """Return the beginning of the piece that ends at a position."""
    start, depth = at, 0
    while start:
        start -= 1
        kind = tokens[start].kind
        depth += (kind == "close") - (kind == "open")
        if depth < 0 or (kind == "bar" and not depth):
            return None
        if not depth and kind != "times":
            return start
    return None


def other_times(text: str) -> Iterator[Tuple[float, str]]:
    """Yield other counts: `+` for `*`, `{2,3}` for `{2}`, lazy for greedy."""
    lazy = text[-1] if len(text) > 1 and text[-1] in "?+" else ""
    plain = text[: len(text) - len(lazy)]
    for other in "*+?" if plain in ("*", "+", "?") else ():
        if other != plain:
            yield 0.8, other + lazy
    if plain in ("*", "+", "?"):
        yield 0.7, plain + ("" if lazy else "?")
        return
    low, comma, high = plain[1:-1].partition(",")
    less, more = (int(low) if low else 0), (int(high) if high else 0)
    if not comma:
        for new in (
            "{%d}" % (less + 1),
            "{%d,}" % less,
            "{1,%d}" % less,
            "{%d,%d}" % (less, less + 1),
        ):
            yield 0.7, new
        yield 0.7, "{%d}" % max(0, less - 1)
        return
    yield 0.7, "{%d,%s}" % (less + 1, high)
    yield 0.7, "{%d,%s}" % (max(0, less - 1), high)
    if high:
        yield 0.7, "{%s,%d}" % (low, more + 1)
        yield 0.7, "{%s,%d}" % (low, max(less, more - 1))
        yield 0.6, "{%s,}" % low


def other_characters(text: str, marks: List[str]) -> Iterator[Tuple[float, str]]:
    """Yield other sets of characters in the place of one: wider, narrower, the opposite."""
    if not text.startswith("["):
        return
    start = "[^" if text.startswith("[^") else "["
    inner = text[len(start) : -1]
    yield 0.5, "[" + ("" if start == "[^" else "^") + inner + "]"
    for more in dict.fromkeys([*RANGES, *(mark for mark in marks if len(mark) == 1)]):
        escaped = "\\" + more if more in "-]\\^" else more
        if escaped not in inner and more not in inner:
            yield 0.7, start + inner + escaped + "]"
    parts = re.findall(r"\\.|.-[^\]]|.", inner, re.DOTALL)
    for at in range(len(parts)) if len(parts) > 1 else ():
        yield 0.6, start + "".join(parts[:at] + parts[at + 1 :]) + "]"


def swap(tokens: List[PatternToken], at: int) -> Optional[List[PatternToken]]:
    """Exchange the two alternatives beside a bar: the first that fits is taken."""
    start = end = at
    depth = 0
    while start and (depth or tokens[start - 1].kind not in ("open", "bar")):
        start -= 1
        kind = tokens[start].kind
        depth += (kind == "close") - (kind == "open")
    depth = 0
    while end + 1 < len(tokens) and (depth or tokens[end + 1].kind not in ("close", "bar")):
        end += 1
        kind = tokens[end].kind
        depth += (kind == "open") - (kind == "close")
    left, right = tokens[start:at], tokens[at + 1 : end + 1]
    if not left or not right:
        return None
    return tokens[:start] + right + [tokens[at]] + left + tokens[end + 1 :]
