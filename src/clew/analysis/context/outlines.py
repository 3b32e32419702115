"""A file read by its grammar: what it imports, what it defines, and its skeleton.

Whatever the text is, an outline comes of it: a grammar makes the best of what it cannot parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module, metadata
from typing import TYPE_CHECKING

from clew.analysis.context.languages import LANGUAGES, Language
from clew.analysis.context.skeletons import Skeleton
from clew.words.facts import Fact

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

__all__ = ["LARGEST", "Import", "Outline", "definitions", "outline", "parser_of", "version_of"]

LARGEST = 1 << 19  # bytes: what is larger was written by a machine
SHAPE = 1  # of an outline; another one makes those that were kept useless
MOST_NAMES = 200  # that one import brings


class Import(Fact, frozen=True, kw_only=True):
    """One import as it is written; `names` are what it takes of the module, or uses of it."""

    module: str
    names: tuple[str, ...] = ()  # `*` is all of them


class Outline(Fact, frozen=True, kw_only=True):
    """What is known of a file from its text alone."""

    language: str
    imports: tuple[Import, ...] = ()
    defines: tuple[str, ...] = ()
    package: str = ""
    skeleton: str = ""
    functions: tuple[tuple[int, int], ...] = ()  # their first and last lines


@cache
def version_of(language: Language) -> str:
    """Name the grammar, its version and the shape of outlines: what an outline depends on."""
    grammar = metadata.version(language.module.replace("_", "-"))
    return f"{language.name} {grammar} {metadata.version('tree-sitter')} {SHAPE}"


def parser_of(language: Language) -> Parser:
    """Return what reads a language. Raises ImportError if the grammar is not installed."""
    return _tools(language.name)[0]


def outline(text: bytes, language: Language) -> Outline:
    """Read a file. Raises ImportError if the grammar is not installed."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - looking on needs no parser

    parser, query = _tools(language.name)
    root = parser.parse(_readable(text, language)).root_node
    found = QueryCursor(query).captures(root)
    for nodes in found.values():
        nodes.sort(key=lambda node: node.start_byte)
    skeleton = Skeleton(text, language)
    skeleton.draw(root)
    return Outline(
        language=language.name,
        imports=tuple(READERS[language.name](text, found)),
        defines=tuple(dict.fromkeys(skeleton.defines)),
        package=next((_text(node, text) for node in found.get("package", ())), "")
        .removeprefix("package")
        .strip(" ;\n"),
        skeleton=skeleton.text,
        functions=tuple(skeleton.functions),
    )


_DEFINES = ("definition", "declaration", "declarator", "_item", "_spec", "_signature", "assignment")


def definitions(text: bytes, language: Language, name: str) -> tuple[int, ...]:
    """Return the lines on which a name is defined. Raises ImportError as `outline` does."""
    root = parser_of(language).parse(_readable(text, language)).root_node
    todo, found = [root], set[int]()
    while todo:
        node = todo.pop()
        todo += node.named_children
        if node.type.endswith(_DEFINES) and not _local(node) and name == _defined(node, text):
            found.add(node.start_point.row + 1)
    return tuple(sorted(found))


def _defined(node: Node, text: bytes) -> str:
    for field in ("name", "left", "declarator"):
        named = node.child_by_field_name(field)
        while named is not None and (inner := named.child_by_field_name("declarator")) is not None:
            named = inner  # C says what comes of it first
        if named is not None:
            return _text(named, text)
    return ""


def _local(node: Node) -> bool:
    """Whether this is a variable of a function: none that anybody looks for from elsewhere."""
    if not node.type.endswith(("assignment", "declarator")):
        return False
    above = node.parent
    while above is not None and "function" not in above.type and "method" not in above.type:
        above = above.parent
    return above is not None


_COMMENT = re.compile(rb"^[ \t]*#[^\n]*", re.MULTILINE)


def _readable(text: bytes, language: Language) -> bytes:
    """Return the text without what the grammar takes long for and an outline does without.

    Python's looks, at each comment, at all the comments after it. No byte changes its place.
    """
    if language.name != "python":
        return text
    return _COMMENT.sub(lambda comment: b" " * len(comment[0]), text)


_LANGUAGES = {language.name: language for language in LANGUAGES}


@cache
def _tools(name: str) -> tuple[Parser, Query]:
    import tree_sitter  # noqa: PLC0415 - as above

    language = _LANGUAGES[name]
    grammar = tree_sitter.Language(getattr(import_module(language.module), language.entry)())
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.imports)


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace")


Captures = dict[str, list["Node"]]


_DOTTED = re.compile(rb"(?<![\w.])[^\W\d]\w*(?:\.\w+)+")


def _python(text: bytes, found: Captures) -> Iterator[Import]:
    plain: list[tuple[str, str]] = []
    for node in found.get("statement", ()):
        names = [_text(named, text) for named in node.children_by_field_name("name")]
        if node.type == "import_statement":
            plain += [_renamed(name) for name in names]
            continue
        module = "".join(_text(m, text) for m in node.children_by_field_name("module_name"))
        taken = [part for name in names for part in _renamed(name)]
        if any(child.type == "wildcard_import" for child in node.children):
            taken = ["*"]
        yield Import(module="".join(module.split()), names=tuple(dict.fromkeys(taken)))
    used = _used(text, {alias for _, alias in plain}) if plain else {}
    for module, alias in dict.fromkeys(plain):
        yield Import(module=module, names=tuple(used.get(alias, ()))[:MOST_NAMES])


def _renamed(name: str) -> tuple[str, str]:
    """Split `a as b`; a name that is kept stands on both sides."""
    words = name.split()
    return words[0], words[-1]


def _used(text: bytes, aliases: set[str]) -> dict[str, dict[str, None]]:
    """Return what is used of each imported module: `b` of `a` where the text has `a.b`."""
    found: dict[str, dict[str, None]] = {alias: {} for alias in aliases}
    for dotted in dict.fromkeys(_DOTTED.findall(text)):
        parts = dotted.decode("utf-8", "replace").split(".")
        for end in range(1, len(parts)):
            alias = ".".join(parts[:end])
            if alias in found:
                found[alias][parts[end]] = None
    return found


def _paths(text: bytes, found: Captures) -> Iterator[Import]:
    for path in dict.fromkeys(_text(node, text) for node in found.get("path", ())):
        yield Import(module=path.strip("\"'`<>"))


def _rust(text: bytes, found: Captures) -> Iterator[Import]:
    for node in found.get("mod", ()):
        yield Import(module=f"mod {_text(node, text)}")
    for node in found.get("use", ()):
        for path in _ungrouped("".join(_text(node, text).split(" as ")[0].split())):
            yield Import(module=path)


def _ungrouped(path: str) -> Iterator[str]:
    """Spell `a::{b, c::{d}}` out."""
    before, brace, rest = path.partition("{")
    if not brace:
        yield path
        return
    depth, start = 0, 0
    inner = rest.rpartition("}")[0]
    for at, letter in enumerate(f"{inner},"):
        if letter == "," and not depth:
            if inner[start:at]:
                yield from _ungrouped(before + inner[start:at])
            start = at + 1
        depth += (letter == "{") - (letter == "}")


def _java(text: bytes, found: Captures) -> Iterator[Import]:
    for node in found.get("import", ()):
        words = _text(node, text).strip(" ;\n").split()
        yield Import(module=words[-1])
    types = dict.fromkeys(_text(node, text) for node in found.get("type", ()))
    yield Import(module=".", names=tuple(types)[:MOST_NAMES])


_REQUIRE = re.compile(r"require(_relative)?[\s(]+['\"]([^'\"]+)['\"]")


def _ruby(text: bytes, found: Captures) -> Iterator[Import]:
    for node in found.get("statement", ()):
        match = _REQUIRE.match(_text(node, text))
        if match:
            yield Import(module=f"./{match[2]}" if match[1] else match[2])


READERS: dict[str, Callable[[bytes, Captures], Iterator[Import]]] = {
    "python": _python,
    "javascript": _paths,
    "typescript": _paths,
    "tsx": _paths,
    "go": _paths,
    "rust": _rust,
    "java": _java,
    "c": _paths,
    "cpp": _paths,
    "ruby": _ruby,
}
