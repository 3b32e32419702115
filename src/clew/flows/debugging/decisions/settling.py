"""What a person's answer becomes where the tests do not decide: a test of the call at stake.

What they type is a literal of Python, and data: it is parsed, and never evaluated.
"""

from __future__ import annotations

import ast
import builtins
import shlex
from itertools import takewhile
from textwrap import indent
from typing import NamedTuple

from clew.words.errors import UsageError
from clew.words.facts import RAISES, Edit, Unsettled
from clew.words.slugs import names_after, slug

__all__ = ["WRITTEN", "ValueTest", "can_ask", "given_value", "is_value", "literal", "value_test"]

LONGEST = 10_000  # characters of a value
NAME = 40  # of a test's name
WRITTEN = (
    """1.5, None, 'abc', [1, 2], or raises ValueError; in a shell with quotes around it, as"""
    """ "'abc'"."""
)
_UNREADABLE = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
_NUMBERS = {int, float, complex}


class ValueTest(NamedTuple):
    """A test that asks for a value, and the edit that adds it; None where it is there."""

    name: str
    edit: Edit | None


def can_ask(told: Unsettled) -> bool:
    """Tell whether a test can make the call: of a function by its name, with literals alone."""
    try:
        call = ast.parse(told.call, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            return False
        for given in (*call.args, *(each.value for each in call.keywords)):
            ast.literal_eval(given)
    except _UNREADABLE:
        return False
    return all(part.isidentifier() for part in told.module.split("."))


def literal(typed: str) -> str:
    """Return a value as code writes it. Raises UsageError for what is no literal of Python."""
    try:
        if not typed.strip() or len(typed) > LONGEST:
            raise ValueError(typed)
        told = ast.parse(typed.strip(), mode="eval").body
        ast.literal_eval(told)
        return ast.unparse(told)
    except _UNREADABLE as error:
        shown = f"{typed[:80]!r} is" if typed.strip() else "the value is missing: it has to be"
        raise UsageError(
            f"{shown} {'no' if typed.strip() else 'a'} literal of Python",
            hint=f"Write it as in code: {WRITTEN} Nothing is computed.",
        ) from error


def given_value(typed: str, told: Unsettled, session: str) -> str:
    """Return a value as code writes it, of a type that one of the changes gives.

    None may always be meant, and so is what stands in brackets: `(1, 5)`, and not `1,5`. For a call
    that ends in an error it is `raises ValueError`. Raises UsageError.
    """
    if (raised := _raised(typed)) is not None:
        return raised
    value = literal(typed)
    given = {what: _type(what) for what in (told.gives, told.other_gives) if is_value(what)}
    own, types = type(ast.literal_eval(value)), {*given.values()}
    alike = _NUMBERS if own in _NUMBERS else {own}
    in_brackets = typed.strip().startswith("(") and typed.strip().endswith(")")
    known = None not in types and types - {type(None)}
    if in_brackets or own is type(None) or not known or alike & types:
        return value
    shown = " and ".join(f"{what} ({kind.__name__})" for what, kind in given.items() if kind)
    meant = value if own is tuple else f"({value})"
    raise UsageError(
        f"{typed[:80]!r} is the {own.__name__} {value[:80]}, but for `{told.call}` the changes"
        f" give {shown}",
        hint=f"Write another value: {WRITTEN} If you mean this one, say it in brackets:"
        f" `clew answer {session} value {_in_shell(meant)}`.",
    )


def _raised(typed: str) -> str | None:
    """Return `raises NAME` for the name of one of Python's own errors; None for anything else."""
    name = typed.strip().removeprefix(RAISES).strip()
    kind = vars(builtins).get(name)
    return RAISES + name if isinstance(kind, type) and issubclass(kind, Exception) else None


def is_value(what: str) -> bool:
    """Tell whether a call gives a value, and raises nothing."""
    return not what.startswith(RAISES)


def _type(what: str) -> type | None:
    """Return the type of a value as code writes it; None where that is not known."""
    try:
        return type(ast.literal_eval(what))
    except _UNREADABLE:
        return None


def _in_shell(word: str) -> str:
    """Return a word as one types it in a shell, in double quotes where these change nothing."""
    return shlex.quote(word) if set(word) & set('"$`\\!') else f'"{word}"'


def value_test(
    path: str, text: str, told: Unsettled, value: str, *, of_unittest: bool = False
) -> ValueTest:
    """Return a test that the call gives a value, behind the tests of a file.

    Raises ValueError or SyntaxError for a file that cannot be read as code.
    """
    tree = ast.parse(text)
    first = f"test_{slug(told.call, '_', NAME)}"
    name = next(n for n in names_after(first, "_") if f"def {n}(" not in text)
    for known in takewhile(name.__ne__, names_after(first, "_")):
        if _body(tree, told, value, known, of_unittest=of_unittest) in text:
            return ValueTest(known, None)
    body = _body(tree, told, value, name, of_unittest=of_unittest)
    lines = text.splitlines()
    end = next((s.lineno - 1 for s in tree.body if _starts_program(s)), len(lines))
    while end and not lines[end - 1].strip():
        end -= 1
    last = lines[end - 1] if end else ""
    edit = Edit(path=path, line=end, current=last, should_be=f"{last}\n\n\n{body}")
    return ValueTest(name, edit)


def _body(tree: ast.Module, told: Unsettled, value: str, name: str, *, of_unittest: bool) -> str:
    call, needed = _call(tree, told)
    known, needs = _imported(tree), [needed] if needed else []
    check = _checked(call, value, of_unittest=of_unittest)
    if "pytest." in check and "pytest" not in known:
        needs.insert(0, "import pytest")
    inside = "\n".join([*needs, *[""] * bool(needs), check])
    if not of_unittest:
        return f"def {name}():\n{indent(inside, '    ')}"
    begin = "" if "unittest" in known else "import unittest\n\n\n"
    title = "".join(word.title() for word in name.split("_"))
    head = f"{begin}class {title}(unittest.TestCase):\n    def {name}(self):\n"
    return head + indent(inside, "        ")


def _checked(call: str, value: str, *, of_unittest: bool) -> str:
    """Return the statement that asks for a value, or for an error."""
    if not is_value(value):
        raises = "self.assertRaises" if of_unittest else "pytest.raises"
        return f"with {raises}({value.removeprefix(RAISES)}):\n    {call}"
    if not of_unittest:
        return f"assert {_plainly(call, value)}"
    if _is_rough(value):
        return f"self.assertTrue({_plainly(call, value)})"
    return f"self.assertEqual({call}, {value})"


def _call(tree: ast.Module, told: Unsettled) -> tuple[str, str]:
    """Return the call as the file can make it, and the import that it needs there, if any."""
    function, known = told.call.partition("(")[0], _imported(tree)
    if known.get(function) == f"{told.module}.{function}":
        return told.call, ""
    if known.get(told.module) == told.module:
        return f"{told.module}.{told.call}", ""
    return told.call, f"from {told.module} import {function}"


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return what the file's own imports make known, by name: the module, and what of it."""
    found: dict[str, str] = {}
    for each in tree.body:
        if isinstance(each, ast.Import):
            found |= {a.asname or a.name: a.name for a in each.names}
        elif isinstance(each, ast.ImportFrom) and not each.level:
            found |= {a.asname or a.name: f"{each.module}.{a.name}" for a in each.names}
    return found


def _plainly(call: str, value: str) -> str:
    if value in ("None", "True", "False"):
        return f"{call} is {value}"
    return f"abs({call} - {value}) < 1e-09" if _is_rough(value) else f"{call} == {value}"


def _is_rough(value: str) -> bool:
    """Tell whether a value is a number that a machine has only nearly, as 0.1."""
    number = ast.literal_eval(value)
    return isinstance(number, float) and not (number * 2**20).is_integer()


def _starts_program(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
