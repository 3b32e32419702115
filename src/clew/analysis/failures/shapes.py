"""When two definitions of the same data disagree: a table, a record, a file, and who uses them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from clew.words.facts import Crash, Frame

__all__ = ["mismatch", "missing_key", "record_of", "unwrapped"]

SCHEMAS = frozenset({"ValidationError", "SchemaError", "SchemaErrors", "UndefinedColumn"}) | {
    "UndefinedTable",
    "NoSuchTableError",
    "NoSuchColumnError",
    "ValidationException",
}
DATABASES = frozenset({"OperationalError", "ProgrammingError", "IntegrityError"})
DATABASE_SHAPE = re.compile(
    r"no such (?:table|column)|has no column named|unknown column|values for \d+ columns"
    r"|(?:column|relation) \S+ (?:of \S+ )?does not exist|table \S+ has \d+ columns"
    r"|NOT NULL constraint|violates not-null|incorrect number of bindings",
    re.IGNORECASE,
)
FIELDS = re.compile(
    r"([\w.]+)\.__(?:init|new)__\(\) (?:got an unexpected keyword argument '(\w+)'"
    r"|missing \d+ required (?:keyword-only |positional )?arguments?: (.+))"
)
MEMBER = re.compile(r"^(?P<value>.+) is not a valid (?P<enum>[\w.]+)$")
RECORDS = re.compile(r"dataclass|define|frozen|attr|NamedTuple|BaseModel|Struct|TypedDict|Model\b")
BY_NAME = re.compile(r"\[\s*(['\"])\w[\w .-]*\1\s*\]")
FILLED = re.compile(r"\.(?:substitute|format_map)\(|\.format\(\*\*|% ?\w+\s*$")
NO_KEY = "No item with that key"


def mismatch(crash: Crash, sources: Mapping[str, str]) -> bool:
    """Tell whether an exception says that data and its definition do not fit each other."""
    if _said_so(crash):
        return True
    kind = crash.type.rpartition(".")[2]
    frame = _innermost(crash)
    if frame is None:
        return False
    return {
        "TypeError": lambda: record_of(crash, sources) is not None,
        "ValueError": lambda: _member(crash, frame),
        "KeyError": lambda: missing_key(crash) is not None,
        "IndexError": lambda: crash.message == NO_KEY,
    }.get(kind, bool)()


def unwrapped(crash: Crash, sources: Mapping[str, str]) -> Crash:
    """Return the exception that says what does not fit, where another was raised for it.

    It has all frames that lead there. One that was only being handled counts where a database or a
    schema said it: any other may have been expected.
    """
    outer, inner = crash, crash.before
    while inner is not None:
        frames = _led_to(outer, inner)
        plain = _said_so(inner) or (outer.cause is not None and mismatch(inner, sources))
        inner = replace(inner, frames=frames)
        if plain:
            return inner
        outer, inner = inner, inner.before
    return crash


def _led_to(outer: Crash, inner: Crash) -> tuple[Frame, ...]:
    """Join the frames of an exception that was caught to those that lead to where it was."""
    caught = inner.frames[0] if inner.frames else None
    for at, frame in enumerate(outer.frames):
        if caught and (frame.path, frame.function) == (caught.path, caught.function):
            return (*outer.frames[:at], *inner.frames)
    return inner.frames


def record_of(crash: Crash, sources: Mapping[str, str]) -> str | None:
    """Return the record type whose fields do not fit the data that one is made from.

    The call has to take its values by name, out of a row, an object or a mapping: where a person
    wrote them, it is a slip in a call.
    """
    found, frame = FIELDS.search(crash.message), _innermost(crash)
    if found is None or frame is None:
        return None
    name = found[1].rpartition(".")[2]
    made = next(_calls(sources.get(frame.path, ""), frame.line, name), None)
    if made is None:
        taken = f"{name}(**" in frame.code or (
            name in frame.code and bool(BY_NAME.search(frame.code))
        )
    else:
        taken = any(keyword.arg is None for keyword in made.keywords) or any(
            isinstance(part, ast.Subscript)
            and isinstance(part.slice, ast.Constant)
            and isinstance(part.slice.value, str)
            for part in ast.walk(made)
        )
    return name if taken and _is_record(name, sources) else None


def _said_so(crash: Crash) -> bool:
    """Tell whether a database or a schema says by its own exception what does not fit."""
    kind = crash.type.rpartition(".")[2]
    return kind in SCHEMAS or bool(kind in DATABASES and DATABASE_SHAPE.search(crash.message))


def missing_key(crash: Crash) -> str | None:
    """Return the key that a record lacks, where the code asks for it by a name of its own."""
    frame = _innermost(crash)
    if frame is None or crash.type.rpartition(".")[2] != "KeyError":
        return None
    key = crash.message.strip()
    if FILLED.search(frame.code):
        return key
    for holder, name in re.findall(r"(\w+)\[\s*(['\"].*?['\"])\s*\]", frame.code):
        if name.strip("'\"") == key.strip("'\"") and _names(frame.values.get(holder, "")):
            return key
    return None


def _names(value: str) -> bool:
    """Tell whether a value is a record: a mapping with names for keys."""
    return re.match(r"(?:\w+\()?\{['\"]\w", value) is not None


def _member(crash: Crash, frame: Frame) -> bool:
    found = MEMBER.match(crash.message)
    if found is None:
        return False
    name = found["enum"].rpartition(".")[2]
    return re.search(rf"\b{name}\(", frame.code) is not None and bool(BY_NAME.search(frame.code))


def _innermost(crash: Crash) -> Frame | None:
    return next((frame for frame in reversed(crash.frames) if frame.project), None)


def _is_record(name: str, sources: Mapping[str, str]) -> bool:
    for text in sources.values():
        at = re.search(rf"^((?:@.+\n)*)class {re.escape(name)}\b(.*)$", text, re.MULTILINE)
        if at is not None:
            return RECORDS.search(at[1] + at[2]) is not None
    return not sources


def _calls(text: str, line: int, name: str) -> Iterator[ast.Call]:
    """Yield the calls of a name that span a line, innermost last."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and node.lineno <= line <= (node.end_lineno or node.lineno)
            and ast.unparse(node.func).rpartition(".")[2] == name
        ):
            yield node
