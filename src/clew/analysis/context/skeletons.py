"""The skeleton of a file: heads of classes and functions, first lines of docstrings, constants.

Each line stands with its number in the file, so that a reader can ask for what is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.analysis.context.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Skeleton", "numbered"]

WHOLE = 12  # lines of a constant or a type that are shown
WIDE = 160  # characters of a line
DEEP = 24  # scopes within scopes
QUOTES = (b'"""', b"'''")


def numbered(line: int, text: str) -> str:
    """Return a line with its number."""
    return f"{line:>5}| {text if len(text) <= WIDE else text[: WIDE - 2] + ' …'}".rstrip()


class Skeleton:
    """Draws the skeleton of one file."""

    def __init__(self, text: bytes, language: Language) -> None:
        self._source = text
        self._language = language
        self._lines: dict[int, str] = {}
        self.defines: list[str] = []
        self.functions: list[tuple[int, int]] = []

    @property
    def text(self) -> str:
        """The lines that are kept, in their order."""
        return "\n".join(numbered(row + 1, self._lines[row]) for row in sorted(self._lines))

    def draw(self, root: Node) -> None:
        """Keep what the file shows of itself at its outermost level, and within its scopes."""
        self._docstring(root)
        self._children(root, 0)

    def _children(self, parent: Node, depth: int) -> None:
        for child in parent.named_children:
            self._child(child, child, depth)

    def _child(self, node: Node, outer: Node, depth: int) -> None:
        kind, language = node.type, self._language
        if kind in language.wrappers:
            for inner in node.named_children:
                if (
                    inner.type
                    in language.wrappers | language.scopes | language.heads | language.whole
                ):
                    self._child(inner, outer, depth)
        elif kind in language.scopes:
            self._name(node, depth)
            self._scope(node, outer, depth)
        elif kind in language.heads:
            self._name(node, depth)
            self._head(node, outer, _body(node))
        elif kind in language.whole:
            self._name(node, depth)
            held = _held(node)
            if held is not None:
                self._head(node, outer, held)
            else:
                self._keep(outer.start_byte, outer.start_point.row, node.end_byte)

    def _scope(self, node: Node, outer: Node, depth: int) -> None:
        if depth > DEEP:
            return
        body = _body(node)
        before = len(self._lines)
        first = outer.start_point.row
        if body is None:
            line_end = self._source.find(b"\n", node.start_byte)
            end = line_end if line_end >= 0 else node.end_byte
            self._keep(outer.start_byte, first, min(end, node.end_byte))
        else:
            brace = self._source[body.start_byte : body.start_byte + 1] == b"{"
            self._keep(outer.start_byte, first, body.start_byte + brace)
        own = len(self._lines)
        self._docstring(body)
        self._children(body or node, depth + 1)
        if own == len(self._lines) and node.child_by_field_name("name") is None:
            for row in list(self._lines)[before:]:  # a condition around nothing that is shown
                del self._lines[row]
        elif body is not None and self._source[body.end_byte - 1 : body.end_byte] == b"}":
            self._keep(body.end_byte - 1, body.end_point.row, body.end_byte)

    def _head(self, node: Node, outer: Node, body: Node | None) -> None:
        self.functions.append((outer.start_point.row + 1, node.end_point.row + 1))
        end = node.end_byte if body is None else body.start_byte
        self._keep(outer.start_byte, outer.start_point.row, end)
        if body is not None and self._source[end : end + 1] == b"{":
            self._lines[body.start_point.row] = self._lines.get(body.start_point.row, "") + " { … }"
        self._docstring(body)

    def _docstring(self, body: Node | None) -> None:
        """Keep the first line of what stands first, if it is a text."""
        if body is None or self._language.name != "python" or not body.named_children:
            return
        first = next((n for n in body.named_children if n.type != "comment"), None)
        if first is None or first.type != "expression_statement" or not first.named_children:
            return
        text = first.named_children[0]
        if text.type != "string":
            return
        self._keep(text.start_byte, text.start_point.row, text.end_byte, most=1)
        row = text.start_point.row
        if text.end_point.row > row:
            quotes = self._source[text.end_byte - 3 : text.end_byte]
            self._lines[row] += f" …{quotes.decode()}" if quotes in QUOTES else ""

    def _keep(self, start: int, row: int, end: int, most: int = WHOLE) -> None:
        """Keep the lines from one byte to another, the first from its beginning."""
        begin = self._source.rfind(b"\n", 0, start) + 1
        lines = self._source[begin:end].decode("utf-8", "replace").rstrip().split("\n")
        for offset, line in enumerate(lines[:most]):
            if line.strip():
                self._lines[row + offset] = line.rstrip()
        if len(lines) > most > 1:
            self._lines[row + most] = "…"

    def _name(self, node: Node, depth: int) -> None:
        if depth or "import" in node.type:
            return
        for field in ("name", "left"):
            named = node.child_by_field_name(field)
            if named is not None:
                name = self._source[named.start_byte : named.end_byte]
                self.defines.append(name.decode("utf-8", "replace")[:WIDE])


def _body(node: Node) -> Node | None:
    """Find the part of a definition that is left out or, in a scope, looked into."""
    return node.child_by_field_name("body") or node.child_by_field_name("consequence")


def _held(node: Node) -> Node | None:
    """Find the body of a function that a constant or a field holds."""
    holders = [node, *(c for c in node.named_children if c.type == "variable_declarator")]
    for holder in holders:
        value = holder.child_by_field_name("value")
        if value is not None and value.type in ("arrow_function", "function_expression"):
            return value.child_by_field_name("body")
    return None
