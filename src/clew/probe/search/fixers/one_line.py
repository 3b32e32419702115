"""Repairs of one line that is no Python yet, read by itself."""

from __future__ import annotations

import difflib
import keyword
import re
from typing import Iterator, List, Optional, Tuple

__all__ = ["HEADS", "OPENING", "LineRepair", "line_repairs"]

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

# Words with which other languages declare a name or make an object.
DECLARING = re.compile(
    r"\b(var|let|const|auto|mut|final|new|int|float|double|bool|string)[ \t]+(?=[A-Za-z_])"
    r"(?!(?:if|else|for|in|is|not|and|or)\b)"
)
# A sum that is given a value: `n - x = 1`.
COUNTED = re.compile(r"(?<![^\s;:])([\w.]+)\s*([-+*/%])\s*\w+\s*=(?!=)\s*")

LineRepair = Tuple[float, str, str]  # a weight, the line as it would be, and the change in words


def line_repairs(line: str, column: Optional[int]) -> Iterator[LineRepair]:
    """Yield what the line may have to be, with a weight and the change in words."""
    code, tail = split_comment(line)
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


def statements(code: str, tail: str) -> Iterator[LineRepair]:
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


def brackets(code: str, tail: str, column: Optional[int]) -> Iterator[LineRepair]:
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


def quotes(code: str, tail: str) -> Iterator[LineRepair]:
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


def words(code: str, tail: str, column: Optional[int]) -> Iterator[LineRepair]:
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
    """Return the code of a line, and the blanks and the comment behind it."""
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
    code = line.rstrip()
    return code, line[len(code) :]
