"""A source file as text, tree and tokens; and the patches made of it.

A patch is a set of spans of the text with their replacements. What is tested is therefore what
a person will read: formatting and comments of the rest survive by construction.
"""

from __future__ import annotations

import ast
import bisect
import difflib
import io
import re
import tokenize
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..formulas import ends_with_crlf

__all__ = [
    "Patch",
    "Source",
    "SourceLines",
    "Splice",
    "Unit",
    "apply_changes",
    "decode",
    "difference",
    "imports_apart",
    "insertion",
    "last_name",
    "own_nodes",
    "with_ends_of",
]  # fmt: skip

IMPORTING = re.compile(r"(?:from [\w.]+ )?import [\w., ]+\n$")
LONE = re.compile(r"(?<!\r)\n")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Splice(NamedTuple):
    """Replace the text between two offsets."""

    start: int
    end: int
    text: str


class Patch(NamedTuple):
    """One candidate: changes of one file, with what made them; or several such, joined."""

    path: str
    line: int
    family: str
    weight: float
    description: str
    changes: Tuple[Splice, ...]
    parts: Tuple[Any, ...] = ()  # the patches that are joined: then there are no own changes

    @property
    def single(self) -> Tuple[Patch, ...]:
        """The patches that are joined, or this one alone."""
        return self.parts or (self,)

    @property
    def files(self) -> List[Tuple[str, Tuple[Splice, ...]]]:
        """The changes by file, in the order of their places."""
        found: Dict[str, List[Splice]] = {}
        for part in self.single:
            found.setdefault(part.path, []).extend(part.changes)
        return [(path, tuple(sorted(changes))) for path, changes in found.items()]


def with_ends_of(text: str, changes: Sequence[Splice]) -> Tuple[Splice, ...]:
    """Return the changes with the line ends that most lines of the text have."""
    if not ends_with_crlf(text):
        return tuple(changes)
    return tuple(c._replace(text=LONE.sub("\r\n", c.text)) for c in changes)


def apply_changes(text: str, changes: Tuple[Splice, ...]) -> str:
    """Return the text with all changes made, with its own line ends; they must not overlap."""
    for start, end, new in sorted(with_ends_of(text, changes), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def difference(old: str, new: str) -> Tuple[Splice, ...]:
    """Return the changes that make one text of another: whole lines, less what they share."""
    before, after = split_lines(old), split_lines(new)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    found: List[Splice] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        found.append(trimmed(old, Splice(starts[a], starts[b], "".join(after[c:d]))))
    return tuple(found)


def trimmed(text: str, change: Splice) -> Splice:
    """Return a change of a text without what both begin and end with."""
    (start, end, now), was = change, text[change.start : change.end]
    head = shared(was, now)
    tail = shared(was[head:][::-1], now[head:][::-1])
    return Splice(start + head, end - tail, now[head : len(now) - tail])


def shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    count = 0
    for left, right in zip(one, other):
        if left != right:
            break
        count += 1
    return count


def decode(data: bytes) -> str:
    """Decode as Python would, line ends kept as they are."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


class Token(NamedTuple):
    kind: int
    text: str
    start: int
    end: int


class Unit(NamedTuple):
    """An outermost function: what can be recompiled and swapped alone."""

    node: ast.AST
    name: str
    start: int  # offset of the line that holds `def`
    end: int
    first_line: int  # as in `co_firstlineno`: the first decorator's
    last_line: int  # with the comments that are indented like the body
    body_start: int  # offset of the first statement
    scaffold: str
    chain: Tuple[str, ...]  # names of the classes around it
    head: str  # a signature of the bare parameters, which is all that the code itself has of it
    rest: int  # offset of what follows the head


class SourceLines:
    """A text and where its lines begin; the last entry is the end of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        for line in split_lines(text):
            self.starts.append(self.starts[-1] + len(line))

    def line_of(self, offset: int) -> int:
        return min(bisect.bisect_right(self.starts, offset), max(1, len(self.starts) - 1))


class Source(SourceLines):
    """A parsed file. Raises SyntaxError (or ValueError) when it is no Python."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(text)
        self.path = path
        self.tree = ast.parse(text)
        self.spans: Dict[ast.AST, Tuple[int, int]] = {}
        self.outer: Dict[ast.AST, Tuple[int, int]] = {}
        self.ascii = text.isascii()
        self.parents: Dict[ast.AST, Tuple[ast.AST, str]] = {}
        self.index(self.tree)
        self.tokens = list(self.tokenize())
        self.token_starts = [token.start for token in self.tokens]
        self.units = list(self.find_units(self.tree, "", ()))

    def index(self, node: ast.AST) -> None:
        stack = [node]
        while stack:
            parent = stack.pop()
            for field, value in ast.iter_fields(parent):
                for child in value if isinstance(value, list) else (value,):
                    if (isinstance(child, ast.AST) and hasattr(child, "lineno")) or (
                        isinstance(child, ast.AST) and child._fields
                    ):
                        self.parents[child] = (parent, field)
                        stack.append(child)

    def tokenize(self) -> Iterator[Token]:
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text, newline="").readline):
                if token.type in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                    continue
                start = self.starts[min(token.start[0], len(self.starts)) - 1] + token.start[1]
                end = self.starts[min(token.end[0], len(self.starts)) - 1] + token.end[1]
                yield Token(token.type, token.string, start, end)
        except (tokenize.TokenError, IndentationError):
            return

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position as the tree has it: columns count UTF-8 bytes."""
        start = self.starts[line - 1]
        if self.ascii:
            return start + column
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        data = self.text[start:end].encode("utf-8")[:column]
        return start + len(data.decode("utf-8", "ignore"))

    def span(self, node: ast.AST) -> Tuple[int, int]:
        try:
            return self.spans[node]
        except KeyError:
            place: Any = node
            found = self.spans[node] = (
                self.offset(place.lineno, place.col_offset),
                self.offset(place.end_lineno, place.end_col_offset),
            )
            return found

    def segment(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def parent(self, node: ast.AST) -> Optional[ast.AST]:
        found = self.parents.get(node)
        return found[0] if found else None

    def between(self, start: int, end: int) -> List[Token]:
        """Return the tokens that begin at or after `start` and before `end`."""
        low = bisect.bisect_left(self.token_starts, start)
        high = bisect.bisect_left(self.token_starts, end)
        return self.tokens[low:high]

    def indent_of(self, offset: int) -> str:
        """Return the white space at the head of the line that holds the offset."""
        start = self.starts[self.line_of(offset) - 1]
        line = self.text[start : start + 400]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def outer_span(self, node: ast.AST) -> Tuple[int, int]:
        """Return the node's span with the grouping parentheses around it."""
        if node not in self.outer:
            self.outer[node] = self.measure_outer(node)
        return self.outer[node]

    def measure_outer(self, node: ast.AST) -> Tuple[int, int]:
        start, end = self.span(node)
        while True:
            low = bisect.bisect_left(self.token_starts, start) - 1
            high = bisect.bisect_left(self.token_starts, end)
            if low < 0 or high >= len(self.tokens):
                return start, end
            before, after = self.tokens[low], self.tokens[high]
            if before.text != "(" or after.text != ")":
                return start, end
            if low > 0 and not self.may_precede_group(self.tokens[low - 1]):
                return start, end
            start, end = before.start, after.end

    @staticmethod
    def may_precede_group(token: Token) -> bool:
        """Say whether a `(` after this token opens a group rather than a call."""
        if token.kind == tokenize.NAME:
            return token.text in KEYWORDS
        if token.kind in (tokenize.STRING, tokenize.NUMBER):
            return False
        return token.text not in (")", "]", "}")

    def find_units(self, node: ast.AST, scaffold: str, chain: Tuple[str, ...]) -> Iterator[Unit]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                start, end = self.span(child)[0], self.end_of(child)
                first = min([child.lineno] + [d.lineno for d in child.decorator_list])
                line_start = self.starts[child.lineno - 1]
                if self.text[line_start:start].strip():
                    continue
                head, rest = self.bare(child, line_start)
                yield Unit(
                    node=child,
                    name=child.name,
                    start=line_start,
                    end=end,
                    first_line=first,
                    last_line=self.line_of(end - 1),
                    body_start=self.start_of(child.body[0]),
                    scaffold=scaffold,
                    chain=chain,
                    head=head,
                    rest=rest,
                )
            elif isinstance(child, ast.ClassDef):
                indent = self.indent_of(self.span(child)[0])
                inner = scaffold + indent + "class " + child.name + generic(child) + ":\n"
                yield from self.find_units(child, inner, (*chain, child.name))
            elif isinstance(child, ast.stmt):
                indent = self.indent_of(self.span(child)[0])
                yield from self.find_units(child, scaffold + indent + "if 1:\n", chain)
            elif not isinstance(child, ast.expr):
                yield from self.find_units(child, scaffold, chain)

    def end_of(self, function: ast.AST) -> int:
        """Return where a function ends, with the comments that are indented like its body."""
        start, end = self.span(function)
        outer = len(self.indent_of(start))
        following = bisect.bisect_left(self.token_starts, end)
        while following < len(self.tokens):
            token = self.tokens[following]
            if token.kind == tokenize.COMMENT and len(self.indent_of(token.start)) > outer:
                end = token.end
            elif token.kind != tokenize.NEWLINE:
                break
            following += 1
        return end

    def bare(self, function: Any, start: int) -> Tuple[str, int]:
        """Return a function's head without defaults and annotations, and where its body begins.

        They are evaluated where the function is defined, and take long to compile. An empty head
        and `start` where the body shares a line with the signature.
        """
        body = self.start_of(function.body[0])
        line = self.starts[self.line_of(body) - 1]
        if line <= start or self.text[line:body].strip():
            return "", start
        given = function.args
        names = [
            [each.arg for each in group]
            for group in (given.posonlyargs, given.args, given.kwonlyargs)
        ]
        words = [*names[0], *["/"][: len(names[0])], *names[1]]
        if given.vararg or names[2]:
            words.append("*" + (given.vararg.arg if given.vararg else ""))
        words += names[2]
        if given.kwarg:
            words.append("**" + given.kwarg.arg)
        kind = "async def" if isinstance(function, ast.AsyncFunctionDef) else "def"
        indent = self.indent_of(start)
        name = function.name + generic(function)
        ends = "\n" * (self.line_of(line) - self.line_of(start))  # so that lines keep their numbers
        return "{}{} {}({}):{}".format(indent, kind, name, ", ".join(words), ends), line

    def start_of(self, statement: ast.stmt) -> int:
        """Return the offset of a statement, its first decorator's `@` included."""
        start = self.span(statement)[0]
        for decorator in getattr(statement, "decorator_list", ()):
            start = min(start, self.text.rindex("@", 0, self.span(decorator)[0]))
        return start

    def unit_at(self, line: int) -> Optional[Unit]:
        """Return the outermost function whose lines hold this one."""
        for unit in self.units:
            if unit.first_line <= line <= unit.last_line:
                return unit
        return None

    def unit_of(self, changes: Tuple[Splice, ...]) -> Optional[Unit]:
        """Return the function whose code alone the changes touch, or None."""
        parts = self.parts(changes)
        return parts[0][0] if parts is not None and len(parts) == 1 else None

    def parts(self, changes: Tuple[Splice, ...]) -> Optional[List[Tuple[Unit, Tuple[Splice, ...]]]]:
        """Return the changes by function; None when one touches what is no function's code."""
        found: Dict[int, Tuple[Unit, Tuple[Splice, ...]]] = {}
        for change in changes:
            unit = self.unit_at(self.line_of(change.start))
            if unit is None or change.start < unit.body_start or change.end > unit.end + 2:
                return None
            found[unit.start] = (unit, (*found.get(unit.start, (unit, ()))[1], change))
        return [found[start] for start in sorted(found)]


def insertion(source: Source, text: str) -> Splice:
    """Add an import after the last of the leading imports, or after the docstring."""
    offset = 0
    after: Optional[ast.stmt] = None
    for node in source.tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or (docstring and after is None):
            after = node
        else:
            break
    if after is not None:
        line = after.end_lineno or after.lineno
        offset = source.starts[line] if line < len(source.starts) else len(source.text)
    elif source.text.startswith("#!"):
        offset = source.starts[1]
    return Splice(offset, offset, text + "\n")


def imports_apart(
    source: Source, changes: Sequence[Splice]
) -> Tuple[List[str], Tuple[Splice, ...]]:
    """Return the imports that changes add to a module, and the other changes."""
    added = [c for c in changes if c.start == c.end and IMPORTING.match(c.text)]
    added = [c for c in added if source.unit_at(source.line_of(c.start)) is None]
    return [c.text for c in added], tuple(c for c in changes if c not in added)


def own_nodes(function: Optional[ast.AST]) -> Iterator[ast.AST]:
    """Yield what stands in a function's body, and not within functions or classes in it."""
    stack: List[ast.AST] = list(getattr(function, "body", ()))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))


def last_name(node: ast.AST) -> str:
    """Return the name, or the attribute, that an expression ends with; empty for others."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def stored(node: ast.AST) -> bool:
    """Say whether a name, an attribute or an item is bound or deleted here, and not read."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def generic(node: Any) -> str:
    """Return the bare type parameters of a function or class: its code may close over them."""
    stars = {"TypeVarTuple": "*", "ParamSpec": "**"}
    names = [stars.get(type(p).__name__, "") + p.name for p in getattr(node, "type_params", ())]
    return "[" + ", ".join(names) + "]" if names else ""


KEYWORDS = frozenset(
    [
        "and",
        "as",
        "assert",
        "async",
        "await",
        "del",
        "elif",
        "else",
        "except",
        "for",
        "from",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "not",
        "or",
        "raise",
        "return",
        "while",
        "with",
        "yield",
    ]
)


def split_lines(text: str) -> List[str]:
    """Split at the line ends that Python knows; a form feed is none."""
    return io.StringIO(text, newline="").readlines()
