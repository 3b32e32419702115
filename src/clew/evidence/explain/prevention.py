"""What would have caught a failure earlier: by the change that mends it, or by its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clew.evidence.explain.scene import code
from clew.words.facts import Candidate, Category

__all__ = ["prevention"]

BY_KIND: Mapping[Category, str] = {
    Category.SYNTAX_ERROR: "Compile every file before it is committed; an editor or a hook does.",
    Category.IMPORT_ERROR: "A type checker, or a test that imports every module, finds it early.",
    Category.TYPE_ERROR: "Annotate the function and its callers; a type checker then finds this.",
    Category.TEST_FAILURE: (
        "Keep the failing test, and add one with other inputs: none, one, many, those at the edge."
    ),
    Category.LINT_FAILURE: "Run the checker before each commit.",
    Category.SCHEMA_MISMATCH: "Derive one of the two definitions from the other.",
    Category.MISSING_DEPENDENCY: (
        "Declare every package, and run the tests in an environment made from the declaration."
    ),
    Category.TASK_SPEC_ERROR: "Write down the rule that both tests come from, beside the code.",
}
PUT_BACK = "Keep the failing test: it is red without what is put back."
TWICE = (
    "Keep the failing test, and add one that calls it twice: nothing of the first call is left in"
    " the second."
)
VALUE = "Keep the failing test, and add one with another value of {0}."
EDGE = "Keep the failing test, and add one at the edge: where both sides of {1} are equal."
ORDER = "Keep the failing test, and add one in which {0} and {1} differ."
ENDS = "Keep the failing test, and add some for the first element, the last one, and none at all."
ERROR = "Keep the failing test, and add one that expects the error."

# By kind of change: what the names in its words have to be, and a sentence with these names.
ANY, NAME, BOUND = r".*", r"([^\W\d]\w*)(?:=.*)?", r"([<>]=?)"
BY_CHANGE: Mapping[str, tuple[str, str]] = {
    "history": (ANY, PUT_BACK),
    "older code": (ANY, PUT_BACK),
    "way around": (ANY, PUT_BACK),
    "fresh attribute": (ANY, TWICE),
    "fresh default": (ANY, TWICE),
    "fresh element": (ANY, TWICE),
    "copy": (ANY, TWICE),
    "deep copy": (ANY, TWICE),
    "argument": (NAME, VALUE),
    "keyword": (NAME, VALUE),
    "nested argument": (NAME, VALUE),
    "comparison": (BOUND, EDGE),
    "swap arguments": (NAME, ORDER),
    "swap indexes": (NAME, ORDER),
    "swap operands": (NAME, ORDER),
    "index": (ANY, ENDS),
    "slice": (ANY, ENDS),
    "exception": (ANY, ERROR),
    "swallowed": (ANY, ERROR),
}
SPAN = re.compile(r"`([^`]*)`")


def prevention(category: Category, best: Candidate | None) -> str:
    """Say what guards against such a failure, by the best change if its kind tells."""
    form, words = BY_CHANGE.get(best.family, ("", "")) if best and not best.parts else ("", "")
    if not best or not words:
        return BY_KIND[category]
    asked = max((n + 1 for n in (0, 1) if f"{{{n}}}" in words), default=0)
    found = [re.fullmatch(form, each) for each in SPAN.findall(best.description)[:asked]]
    names = [code(each[1]) for each in found if each]
    return words.format(*names) if len(names) == asked else BY_KIND[category]
