"""Repairs of lines that are no Python yet: each one change, near the place that is named."""

from __future__ import annotations

import difflib
import itertools
import keyword
import re
from typing import Dict, Iterator, List, Optional, Tuple

from ..source import SourceLines, Splice

__all__ = ["attempts"]

HEADS = (
    "if",
    "elif",
    "else",
    "for",
    "while",
    "def",
    "class",
    "try",
    "except",
    "finally",
    "with",
    "async",
)
OPENING = {"(": ")", "[": "]", "{": "}"}
WORDS = [*keyword.kwlist, "print"]


Repair = Tuple[float, Splice, str]  # a weight, the change, and what it is in words


class Text(SourceLines):
    """Lines of a file that does not parse."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lines = [text[start:end] for start, end in zip(self.starts, self.starts[1:])]

    def replaced(self, first: int, last: int, new: List[str]) -> Splice:
        return Splice(self.starts[first - 1], self.starts[last], "".join(new))

    def shifted(self, first: int, last: int, level: str) -> Splice:
        """Return the change that begins lines with the level, where the first one has its own."""
        own = len(space(self.lines[first - 1]))
        block = self.lines[first - 1 : last]
        return self.replaced(first, last, [level + t[own:] if t.strip() else t for t in block])


def space(line: str) -> str:
    """Return what a line is indented by."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def attempts(text: str, error: SyntaxError) -> Iterator[Repair]:
    """Yield repairs near the place that the parser names, each of which may be the one."""
    lines = Text(text)
    total = len(lines.lines)
    reported = min(max(error.lineno or 1, 1), max(total, 1))
    message = error.msg or ""
    near: Dict[int, float] = {
        reported: 0.0,
        reported - 1: 0.1,
        reported - 2: 0.25,
        reported + 1: 0.3,
    }
    yield from declared(text)
    yield from unquoted(text)
    if "outside" in message:
        yield from taken_in(lines, reported)
    opened = re.search(r"on line (\d+)", message)
    if opened:
        near.setdefault(int(opened.group(1)), 0.1)
    for depth, number in enumerate(unclosed(lines)):
        near.setdefault(number, 0.1 + 0.05 * depth)
    for number, loss in near.items():
        if not 1 <= number <= total:
            continue
        raw = lines.lines[number - 1]
        body = raw.rstrip("\r\n")
        ending = raw[len(body) :]
        column = error.offset if number == reported else None
        end = ending or "\n"
        whole = (
            looped(lines, number, body),
            parted(lines, number, body, end),
            glued(lines, number, body, end),
            unquoted_name(lines, number, body),
        )
        for weight, new, words in (*line_repairs(body, column), *itertools.chain(*whole)):
            changed = lines.replaced(number, number, [new + ending])
            yield weight - loss, changed, "line {}: {}".format(number, words)
        yield from indentation(lines, number, loss, message)


# Words with which other languages declare a name or make an object.
DECLARING = re.compile(
    r"\b(var|let|const|auto|mut|final|new|int|float|double|bool|string)[ \t]+(?=[A-Za-z_])"
    r"(?!(?:if|else|for|in|is|not|and|or)\b)"
)


def declared(text: str) -> Iterator[Repair]:
    """Take away the declarations of another language."""
    for word in ("var", "let", "const"):
        new = re.sub(r"(?m)^([ \t]*){}[ \t]+(?=[\w, \t]+=)".format(word), r"\1", text)
        if new != text:
            yield 2.2, Splice(0, len(text), new), "drop `{}`".format(word)


def unquoted(text: str) -> Iterator[Repair]:
    """Take one string of several lines as the code that it holds."""
    for found in re.finditer(r"(\"\"\"|''')((?:(?!\1).)*)\1", text, re.DOTALL):
        for gap in ("   ", "") if "\n" in found.group(2) else ():
            change = Splice(found.start(), found.end(), gap + found.group(2))
            yield 1.9, change, "take the code out of its quotes"


def taken_in(lines: Text, number: int) -> Iterator[Repair]:
    """Take the lines up to this one, which may only stand in a function or a loop, into one.

    What stands above them at their own level, and has a body, is such a one.
    """
    own = space(lines.lines[number - 1])
    below, first, level = number, number, ""
    for above in range(number - 1, 0, -1):
        line = lines.lines[above - 1]
        if not line.strip():
            continue
        if len(space(line)) < len(own):
            return
        if len(space(line)) > len(own):
            first, level = below, space(line)
            continue
        if level:
            words = "lines {}-{}: indent by {}".format(first, number, len(level))
            yield 2.1, lines.shifted(first, number, level), words
            if line.lstrip().startswith(("def ", "async def ", "class ")):
                return
        below, level = above, ""


def looped(lines: Text, number: int, line: str) -> Iterator[Tuple[float, str, str]]:
    """Yield a loop over nothing as one over what the function is given, the last first."""
    loop = re.match(r"\s*(?:async\s+)?for\s+[\w, ()]+?\s+in\s*:?\s*$", line)
    if not loop:
        return
    head = re.compile(r"\s*(?:async\s+)?def\s+\w+\s*\((.*)\)")
    for above in reversed(lines.lines[: number - 1]):
        told = head.match(above)
        if told:
            names = re.findall(r"(?:^|,)\s*\**(\w+)", re.sub(r"\[[^\]]*\]", "", told.group(1)))
            for name in reversed([each for each in names if each not in ("self", "cls")]):
                yield 2.0, line.rstrip(" \t:") + " " + name + ":", "loop over `{}`".format(name)
            return


def parted(lines: Text, number: int, line: str, ending: str) -> Iterator[Tuple[float, str, str]]:
    """Put what follows the `:` of a head on a line of its own, where a block begins below."""
    head = re.match(r"(\s*)(?:{})\b".format("|".join(HEADS)), line)
    below = next((each for each in lines.lines[number:] if each.strip()), "")
    colon = end_of_head(line, head.end()) if head else None
    if head is None or colon is None or len(space(below)) <= len(head.group(1)):
        return
    rest = line[colon + 1 :].strip()
    level = space(below)
    if rest.endswith(":"):
        level = head.group(1) + ("\t" if "\t" in level else "    ")
    if rest and not rest.startswith("#"):
        yield 2.3, line[: colon + 1] + ending + level + rest, "a line of its own for what follows"


# A sum that is given a value: `n - x = 1`.
COUNTED = re.compile(r"(?<![^\s;:])([\w.]+)\s*([-+*/%])\s*\w+\s*=(?!=)\s*")
# A statement that follows something else in its line.
GLUED = re.compile(
    r"(?<=[\w\])}'\"])(?:\s+|(?<![A-Za-z_]))(?=(?:return|raise|break|continue|pass|import)\b)"
)


def glued(lines: Text, number: int, line: str, ending: str) -> Iterator[Tuple[float, str, str]]:
    """Put a statement on a line of its own, at the level of this one or of one further out."""
    own = space(line)
    levels = [own]
    for above in reversed(lines.lines[: number - 1]):
        level = space(above)
        if above.strip() and len(level) < len(levels[-1]):
            levels.append(level)
    for found in GLUED.finditer(line):
        for rank, level in enumerate(levels):
            new = line[: found.start()] + ending + level + line[found.end() :]
            words = "a line of its own for `{}`".format(
                line[found.end() :].split(" ", maxsplit=1)[0]
            )
            yield 2.0 - 0.05 * rank, new, words


def unquoted_name(lines: Text, number: int, line: str) -> Iterator[Tuple[float, str, str]]:
    """Drop a lone quote before a name that other lines give a value: `int("i))`."""
    for found in re.finditer(r"(?<=[(\[,=\s])(['\"])([A-Za-z_]\w*)(?!\w)", line):
        quote, name = found.groups()
        if not line.count(quote) % 2:
            continue
        given = re.compile(r"\bfor\s+(?:\w+\s*,\s*)*{0}\b|^\s*{0}\s*=(?!=)".format(name))
        others = (*lines.lines[: number - 1], *lines.lines[number:])
        if any(map(given.search, others)):
            yield 2.15, line[: found.start()] + line[found.start() + 1 :], "drop the quote"


def end_of_head(line: str, start: int) -> Optional[int]:
    """Return the place of the first `:` from there that is in no bracket and no string."""
    depth = 0
    for found in re.finditer(r"'[^'\n]*'|\"[^\"\n]*\"|[(\[{)\]}:]", line):
        if found.start() < start or found.group()[0] in "'\"":
            continue
        if found.group() == ":" and not depth:
            return found.start()
        depth += (found.group() in OPENING) - (found.group() in OPENING.values())
    return None


def unclosed(lines: Text) -> List[int]:
    """Return the lines whose brackets stay open, the last first: a rough count suffices."""
    stack: List[int] = []
    for number, line in enumerate(lines.lines, 1):
        bare = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|#.*", "", line)
        for char in bare:
            if char in OPENING:
                stack.append(number)
            elif char in OPENING.values() and stack:
                stack.pop()
    return list(dict.fromkeys(reversed(stack)))[:4]


def line_repairs(line: str, column: Optional[int]) -> Iterator[Tuple[float, str, str]]:
    code, comment = split_comment(line)
    tail = line[len(code) :]
    del comment
    head = code.strip().split(" ", 1)[0].split("(")[0].rstrip(":")
    bare = code.rstrip()
    if head in HEADS and not bare.endswith(":"):
        yield 2.2, bare + ":" + tail, "add `:`"
        if bare.endswith((";", ",", ".")):
            yield 2.1, bare[:-1] + ":" + tail, "end with `:`"
    elif not bare.endswith(":"):
        yield 0.8, bare + ":" + tail, "add `:`"
    if bare.endswith(("::", ":;")):
        yield 2.0, bare[:-1] + tail, "drop the surplus `:`"
    weight = 2.1 if head in ("if", "elif", "while", "return", "assert") else 1.6
    for found in re.finditer(r"(?<![=!<>:+\-*/%&|^])=(?!=)", code):
        yield weight, code[: found.start()] + "==" + code[found.end() :] + tail, "`==` for `=`"
    for found in re.finditer(r"(?<![=!<>])==(?!=)", code):
        yield 1.6, code[: found.start()] + "=" + code[found.end() :] + tail, "`=` for `==`"
    for old, new in (
        ("else if", "elif"), ("&&", " and "), ("||", " or "), ("===", "=="), ("!==", "!="),
        ("<>", "!="), ("=>", ">="), ("=<", "<="), ("++", " += 1"), ("--", " -= 1"), (";", ""),
        (" then", ":"), ("$", ""), ("?", ""),
        ("\u201c", '"'), ("\u201d", '"'), ("\u2018", "'"), ("\u2019", "'"),
        (":=", "="), ("->", ":"), (" =+ ", " += "), ("..", "."), (",,", ","), ("{", ":"),
        ("null", "None"),
    ):  # fmt: skip
        if old in code:
            yield (
                1.8,
                code.replace(old, new) + tail,
                "`{}` for `{}`".format(new.strip() or "nothing", old),
            )
    for found in re.finditer(r"!(?!=)\s*", code):
        yield 1.8, code[: found.start()] + "not " + code[found.end() :] + tail, "`not` for `!`"
    yield from brackets(code, tail, column)
    yield from quotes(code, tail)
    yield from words(code, tail, column)
    yield from statements(code, tail)
    stripped = code.lstrip()
    space = code[: len(code) - len(stripped)]
    if re.match(r"\s*\w+\s*\(.*\)\s*(?:->.*)?:$", bare) and head not in HEADS:
        yield 1.9, space + "def " + stripped + tail, "add `def`"
    if head == "def" and "(" not in code:
        yield 1.9, bare.rstrip(":") + "():" + tail, "add `()`"
    if stripped and not re.search(r"\b(?:return|yield)\b|=", code):
        yield 0.3, space + "pass" + tail, "replace the line by `pass`"


def statements(code: str, tail: str) -> Iterator[Tuple[float, str, str]]:
    """Statements as an older Python, or another language, has them."""
    bare = code.rstrip()
    found_except = re.match(r"(\s*except\s+)(\w+)\s*,\s*(\w+)\s*:", code)
    if found_except:
        new = "{}{} as {}:".format(*found_except.groups())
        yield 2.0, new + code[found_except.end() :] + tail, "`as` for `,`"
    several = re.match(r"(\s*except\s+)([\w., ]+?)(\s+as\s+\w+)?\s*:", code)
    if several and "," in several.group(2):
        new = "{}({}){}:".format(several.group(1), several.group(2).strip(), several.group(3) or "")
        yield 2.0, new + code[several.end() :] + tail, "parentheses around the exceptions"
    printed = re.match(r"(\s*)print\s+(?!\()(.+)$", bare)
    if printed:
        yield 2.0, "{}print({}){}".format(printed.group(1), printed.group(2), tail), "call `print`"
    executed = re.match(r"(\s*)(exec|raise)\s+(\w+)\s*,\s*(.+)$", bare)
    if executed and executed.group(2) == "raise":
        new = "{}raise {}({})".format(executed.group(1), executed.group(3), executed.group(4))
        yield 2.0, new + tail, "call the exception"
    for found in COUNTED.finditer(code):
        new = "{}{} {}= ".format(code[: found.start()], found.group(1), found.group(2))
        told = "`{}=` for `{}`".format(found.group(2), code[found.end(1) : found.end()].strip())
        yield 2.0, new + code[found.end() :] + tail, told
    number = re.search(r"(?<![\w.])0(\d+)\b", code)
    if number:
        new = code[: number.start()] + number.group(1) + code[number.end() :]
        yield 1.8, new + tail, "drop the leading zero"
    for found in re.finditer(r"(?<![\w.])\d+(?=[A-Za-z_]\w)", code):
        if not re.match(r"0[xXoObB]|\d+[eE]\d", code[found.start() :]):
            new = code[: found.start()] + code[found.end() :]
            yield 1.9, new + tail, "drop `{}` before a name".format(found.group())
    declaring = list(dict.fromkeys(DECLARING.findall(code)))
    if declaring:
        yield 2.0, DECLARING.sub("", code) + tail, "drop `{}`".format("` and `".join(declaring))
    if bare.endswith("\\"):
        yield 1.6, bare[:-1].rstrip() + tail, "drop the `\\`"


def brackets(code: str, tail: str, column: Optional[int]) -> Iterator[Tuple[float, str, str]]:
    bare = code.rstrip()
    stack: List[str] = []
    for char in re.sub(r"'[^']*'|\"[^\"]*\"", "", code):
        if char in OPENING:
            stack.append(OPENING[char])
        elif stack and char == stack[-1]:
            stack.pop()
    closing = "".join(reversed(stack))
    if closing:
        end = -1 if bare.endswith((":", ",")) else len(bare)
        kept, last = (bare[:-1], bare[-1]) if end == -1 else (bare, "")
        yield 2.1, kept + closing + last + tail, "add `{}`".format(closing)
        yield 1.7, bare + closing + tail, "add `{}`".format(closing)
        # An inner bracket may close earlier than the end of the line.
        for found in re.finditer(r"[\s,+\-*/%:)=<>\]]", bare):
            position = found.start()
            new = bare[:position] + closing[:1] + bare[position:] + closing[1:]
            yield 1.5, new + tail, "add `{}`".format(closing)
    for position, char in enumerate(bare):
        if char in "()[]{}":
            near = 0.2 if column is not None and abs(position + 1 - column) <= 1 else 0.0
            new = bare[:position] + bare[position + 1 :]
            yield 1.3 + near, new + tail, "drop `{}`".format(char)
            for other in "()[]{}":
                if other != char and (other in OPENING) == (char in OPENING):
                    new = bare[:position] + other + bare[position + 1 :]
                    yield 1.4 + near, new + tail, "`{}` for `{}`".format(other, char)
    for new in in_order(bare):
        yield 2.0, new + tail, "close the brackets in their order"
    for char in ")]}":
        kept = bare[:-1] if bare.endswith((":", ",")) else bare
        yield 1.0, kept + char + bare[len(kept) :] + tail, "add `{}`".format(char)
    if column is not None and 0 < column <= len(bare) + 1:
        for char in "([{":
            new = bare[: column - 1] + char + bare[column - 1 :]
            yield 0.8, new + tail, "add `{}`".format(char)


def in_order(line: str) -> Iterator[str]:
    """Yield a line of which one bracket was closed too early, closed where it may end."""
    opened: List[Tuple[int, str]] = []
    early, late = None, None
    for found in re.finditer(r"'[^']*'|\"[^\"]*\"|[()\[\]{}]", line):
        place, char = found.start(), found.group()
        if char in OPENING:
            opened.append((place, char))
        elif char in OPENING.values():
            if opened and OPENING[opened[-1][1]] == char:
                opened.pop()
            elif early is None:
                early = place
            elif opened and OPENING[opened[-1][1]] == line[early]:
                late = place
                break
            else:
                return
    if early is None or late is None:
        return
    inside = opened[-1][0] + 1
    commas = [inside + n for n, char in enumerate(line[inside:late]) if char == ","]
    ends = [late, *commas]
    if commas and line[early] == "]" and ":" in line[inside : commas[0]]:  # `a[1:, 2]` is rare
        ends.sort()
    for end in ends:
        yield line[:early] + line[early + 1 : end] + line[early] + line[end:]


def quotes(code: str, tail: str) -> Iterator[Tuple[float, str, str]]:
    whole = code + tail
    for quote in ("'", '"'):
        if whole.count(quote) % 2:
            bare = whole.rstrip()
            yield 2.0, bare + quote, "close the quote"
            for ending in (")", "):", ",", "]", "}", ":", "),", "))", "],", "}"):
                if bare.endswith(ending):
                    new = bare[: -len(ending)] + quote + ending
                    yield 2.05, new, "close the quote"
            for found in re.finditer(r"[,)\]}:]", bare):
                new = bare[: found.start()] + quote + bare[found.start() :]
                yield 1.7, new, "close the quote"
            for found in re.finditer(r"(?<=[(\[{,=\s])(?=\w)", bare):
                new = bare[: found.start()] + quote + bare[found.start() :]
                yield 1.6, new, "open the quote"
            position = bare.find(quote)
            while position >= 0:
                yield 1.2, bare[:position] + bare[position + 1 :], "drop the quote"
                escaped = bare[:position] + "\\" + bare[position:]
                yield 1.3, escaped, "escape the quote"
                position = bare.find(quote, position + 1)
    mixed = re.search(r"""(['"])([^'"]*)(['"])""", whole)
    if mixed and mixed.group(1) != mixed.group(3):
        new = whole[: mixed.end() - 1] + mixed.group(1) + whole[mixed.end() :]
        yield 2.15, new, "one kind of quote"
        new = whole[: mixed.start()] + mixed.group(3) + whole[mixed.start() + 1 :]
        yield 2.1, new, "one kind of quote"
    for quote in ('"', "'"):
        if whole.count(3 * quote) % 2:
            bare = whole.rstrip()
            begun = len(bare) - len(bare.rstrip(quote))
            if begun in (1, 2):
                yield 2.1, bare + quote * (3 - begun), "close the string"
            yield 1.5, bare + 3 * quote, "close the string"


def words(code: str, tail: str, column: Optional[int]) -> Iterator[Tuple[float, str, str]]:
    """Misspelt keywords, and a comma or an operator left out between two words."""
    for found in re.finditer(r"[A-Za-z_]+", code):
        word = found.group(0)
        if word in WORDS:
            continue
        for other in difflib.get_close_matches(word, WORDS, 2, 0.7):
            new = code[: found.start()] + other + code[found.end() :]
            first = 0.3 if not code[: found.start()].strip() else 0.0
            yield 1.6 + first, new + tail, "`{}` for `{}`".format(other, word)
        for lead in (
            "def",
            "return",
            "class",
            "import",
            "from",
            "if",
            "elif",
            "for",
            "while",
            "not",
        ):
            if (
                word.startswith(lead)
                and len(word) > len(lead)
                and not code[: found.start()].strip()
            ):
                new = code[: found.start()] + lead + " " + word[len(lead) :] + code[found.end() :]
                yield 1.5, new + tail, "a space after `{}`".format(lead)
    for found in re.finditer(r"(?<=[\w'\")\]}])\s+(?=[\w'\"(\[{])", code):
        near = 0.3 if column is not None and abs(found.start() - column) < 12 else 0.0
        for text, weight in (
            (", ", 1.6),
            (" in ", 1.2),
            (" = ", 1.2),
            (".", 1.0),
            (": ", 1.2),
            (" + ", 1.0),
            (" == ", 0.9),
            (" import ", 1.1),
        ):
            new = code[: found.start()] + text + code[found.end() :]
            yield weight + near, new + tail, "add `{}`".format(text.strip())
    bare = code.rstrip()
    if bare and not bare.endswith((",", ":", "(", "[", "{")):
        yield 1.7, bare + "," + tail, "add `,`"
    if bare.endswith(("+", "-", "*", "/", "=", ".", ",", "and", "or")):
        yield 1.2, bare[:-1].rstrip() + tail, "drop the last sign"
    loop = re.match(r"(\s*for\s+[\w, ()]+?\s+)(?:on|of|into|is|from|=|:)(\s+\S.*)", code)
    if loop:
        yield 1.9, loop.group(1) + "in" + loop.group(2) + tail, "`in` in a loop"
    if column is not None and 0 < column <= len(bare):
        yield 1.0, bare[: column - 1] + bare[column:] + tail, "drop one character"


def split_comment(line: str) -> Tuple[str, str]:
    quote = ""
    for position, char in enumerate(line):
        if quote:
            if char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char == "#":
            code = line[:position].rstrip()
            return code, line[len(code) :]
    return line.rstrip(), ""


def indentation(lines: Text, number: int, loss: float, message: str) -> Iterator[Repair]:
    """Shift a line, or it and what follows, to a level that the file knows; fill an empty block."""
    line = lines.lines[number - 1]
    if not line.strip():
        return
    own = space(line)
    bonus = 0.6 if "indent" in message else 0.0
    levels: Dict[str, None] = {}
    for text in lines.lines[max(0, number - 12) : number + 4]:
        if text.strip():
            levels.setdefault(space(text))
    previous = next(
        (lines.lines[i] for i in range(number - 2, -1, -1) if lines.lines[i].strip()), ""
    )
    above = space(previous)
    unit = "\t" if "\t" in above or "\t" in own else "    "
    if previous.rstrip().endswith(":"):
        levels.setdefault(above + unit)
    levels.setdefault(own.expandtabs(4))
    levels.setdefault(own.expandtabs(8))
    last = number
    while last < len(lines.lines):
        text = lines.lines[last]
        if text.strip() and not (text.startswith(own or " ") and len(space(text)) >= len(own)):
            break
        last += 1
    inner = next((space(text) for text in lines.lines[number:] if text.strip()), "")
    for level in levels:
        if level == own:
            continue
        likely = 0.3 if level in (above, above + unit) else 0.0
        # A head that stands where the line above it does is not what is out of place.
        head = line.rstrip().endswith(":") and inner == level + unit and above != own
        alone = 0.5 if head else likely
        yield (
            1.2 + bonus + alone - loss,
            lines.shifted(number, number, level),
            "line {}: indent by {}".format(number, len(level)),
        )
        if last > number:
            yield (
                1.25 + bonus + likely - loss,
                lines.shifted(number, last, level),
                "lines {}-{}: indent by {}".format(number, last, len(level)),
            )
    if previous.rstrip().endswith(":"):
        ending = "\r\n" if line.endswith("\r\n") else "\n"
        yield (
            1.0 + bonus - loss,
            lines.replaced(number, number, [above + unit + "pass" + ending, line]),
            "line {}: add `pass`".format(number),
        )
