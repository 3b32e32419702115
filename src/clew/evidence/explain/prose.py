"""What a function's name or docstring says that it does, and does only with a change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from clew.evidence.explain.scene import code
from clew.words.facts import Candidate

__all__ = ["named"]

# What a call does, in words that people use for it.
WORDS = {
    "abs": frozenset(["absolute", "magnitude"]),
    "ceil": frozenset(["ceiling"]),
    "floor": frozenset(["floor"]),
    "len": frozenset(["length"]),
    "lower": frozenset(["insensitive", "lower", "lowercase"]),
    "max": frozenset(["biggest", "greatest", "highest", "largest", "longest", "maximum"]),
    "min": frozenset(["lowest", "minimum", "shortest", "smallest"]),
    "reversed": frozenset(["backwards", "descending", "reverse", "reversed"]),
    "round": frozenset(["nearest", "rounded", "rounds"]),
    "set": frozenset(["distinct", "duplicates", "unique"]),
    "sorted": frozenset(["ascending", "ordered", "sort", "sorted", "sorts"]),
    "strip": frozenset(["stripped", "trim", "trimmed", "whitespace"]),
    "sum": frozenset(["sum"]),
    "upper": frozenset(["capitals", "upper", "uppercase"]),
}
CALLED = re.compile(r"(\w+)\(")
DENIED = re.compile(r"\b(?:not|never|nor)\b|n't\b", re.IGNORECASE)
SENTENCES = re.compile(r"[.;!?]\s|\n\s*\n")


def named(best: Candidate, sources: Mapping[str, str]) -> str:
    """Say that a function promises what one call does that the change brings; empty if none does.

    The call is the only one of its kind in the function, and the sentence denies nothing.
    """
    brought = _calls(e.should_be for e in best.edits) - _calls(e.current for e in best.edits)
    function = _function(sources.get(best.path, ""), best.line)
    if function is None or best.parts or len(brought & WORDS.keys()) != 1:
        return ""
    (call,) = brought & WORDS.keys()
    if call in _calls([ast.unparse(function)]):
        return ""
    promises = {
        "name": function.name.replace("_", " "),
        "docstring": ast.get_docstring(function) or "",
    }
    for where, text in promises.items():
        for word in _said(text):
            if word in WORDS[call]:
                return f'the {where} of {code(function.name)} says "{word}"'
    return ""


def _calls(texts: Iterator[str] | list[str]) -> set[str]:
    return {name for text in texts for name in CALLED.findall(text)}


def _said(text: str) -> Iterator[str]:
    for sentence in SENTENCES.split(text):
        if not DENIED.search(sentence):
            yield from re.findall(r"[a-z]+", sentence.lower())


def _function(source: str, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the innermost function that has a line; None where the file cannot be read."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    having = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(having, key=lambda node: node.lineno, default=None)
