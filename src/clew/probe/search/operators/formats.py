"""The fields of f-strings: another value, another conversion, another format."""

from __future__ import annotations

import ast
import difflib
import re
from typing import Dict, Iterator, List, Tuple

from ..clues import rewritten
from ..source import Splice
from .table import At, Idea, operator

STEP = re.compile(r"\s*([-+])\s*(\d+)$")  # what is added to a value at its end
FIELD = re.compile(r"(?<!\{)\{([^{}!:]+)(![rsa])?(:[^{}]*)?\}")
KINDS = ("d", "s", "f", "x", "X", "e", "g", "%", "b", "o", "r")
MOST_OTHERS = 24  # attributes in the place of one
SIDES = {"<": (">", "^"), ">": ("<", "^"), "^": ("<", ">")}


@operator("f-string", 0.6, ast.JoinedStr)
def fields(node: ast.AST, at: At) -> Iterator[Idea]:
    """Show another variable, swap two, or show one otherwise."""
    begin = at.source.span(node)[0]
    for text in around_fields(at.text(node), at):
        yield at.put(node, text, 1.0)
    found = list(FIELD.finditer(at.text(node)))
    for left, right in zip(found, found[1:]):
        a, b = left.group(0), right.group(0)
        changes = (
            Splice(begin + left.start(), begin + left.end(), b),
            Splice(begin + right.start(), begin + right.end(), a),
        )
        yield Idea(0.9, changes, "swap `{}` and `{}`".format(a, b))
    for each in found:
        start, end = begin + each.start(), begin + each.end()
        value, kind, form = each.group(1), each.group(2) or "", each.group(3) or ""
        options = [
            *[(w, v + kind + form) for w, v in other_values(value, node, at)],
            *[(0.7, value + k + form) for k in ("", "!r", "!s") if k != kind],
            *[(w, value + kind + f) for w, f in other_forms(form)],
        ]
        for weight, text in options:
            new = "{" + text + "}"
            if parses(new):
                words = "show `{}` instead of `{}`".format(new, each.group(0))
                yield Idea(weight, (Splice(start, end, new),), words)


def around_fields(text: str, at: At) -> Iterator[str]:
    """Yield the f-string with other text between its fields, as failing tests want it."""
    begun = re.match(r"[fFrR]+(\"{3}|'{3}|\"|')", text)
    quote = begun.group(1) if begun else ""
    if begun is None or "\\" in text or "{{" in text or not text.endswith(quote):
        return
    body = text[begun.end() : -len(quote)]
    for new in rewritten(body, at.context.clues.mismatches):
        if not re.search(r"[\\\n]", new) and quote not in new and new.count("{") == body.count("{"):
            yield begun.group(0) + new + quote


def parses(field: str) -> bool:
    """Say whether a field is one, whatever quotes the f-string around it has."""
    try:
        ast.parse("f'''{}'''".format(field), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def other_values(value: str, node: ast.AST, at: At) -> Iterator[Tuple[float, str]]:
    """Yield what may have been meant: another variable, another attribute, one step more."""
    first = re.match(r"\w+", value.strip())
    name = first.group(0) if first else ""
    for other in at.names(node)[:10]:
        if name and other != name and name.isidentifier():
            close = difflib.SequenceMatcher(None, other, name).ratio() > 0.6
            new = value.strip().replace(name, other, 1)
            yield (0.95 if close else 0.8) * (1.0 if name == value else 0.7), new
    last = re.search(r"\.(\w+)$", value)
    if last is not None:
        known = last.group(1)
        groups = sorted(at.context.methods.values(), key=lambda names: known not in names)
        near = difflib.get_close_matches(known, at.context.attributes, 4, 0.5)
        own = [name for names in groups for name in names if not name.startswith("__")]
        ranked = [*((0.7, name) for name in near), *((0.6, name) for name in own)]
        ranked += [(0.3, name) for name in at.context.attributes]
        for weight, other in ranked[:MOST_OTHERS]:
            if other != known:
                yield weight, value[: last.start(1)] + other
        yield 0.5, value[: last.start()]
    yield from steps(value)


def steps(value: str) -> Iterator[Tuple[float, str]]:
    """Yield a value with one more and one less: plainly, where it has a number at its end."""
    counted = STEP.search(value)
    if counted is None:
        yield 0.4, value + " + 1"
        yield 0.4, value + " - 1"
        return
    rest, number = value[: counted.start()], int(counted.group(1) + counted.group(2))
    yield 0.8, rest
    for other in (number + 1, number - 1, -number):
        if other:
            yield 0.6, "{} {} {}".format(rest, "+" if other > 0 else "-", abs(other))


def other_forms(form: str) -> Iterator[Tuple[float, str]]:
    """Yield near misses of a format as it stands after the value, the colon included."""
    if not form:
        for text in (":.1f", ":.2f", ":,", ":02d", ":02", ":.0f", ":.3f"):
            yield 0.3, text
        return
    found: Dict[str, float] = {"": 0.6}
    for number in re.finditer(r"[1-9]?\d", form):
        for step in (-1, 1):
            new = str(max(0, int(number.group(0)) + step))
            found.setdefault(form[: number.start()] + new + form[number.end() :], 0.8)
    if form[-1] in KINDS:
        for kind in KINDS:
            found.setdefault(form[:-1] + kind, 0.6)
        found.setdefault(form[:-1], 0.5)
    else:
        for kind in ("f", "d", "s", "x"):
            found.setdefault(form + kind, 0.5)
    for side, others in SIDES.items():
        for other in others if side in form else ():
            found.setdefault(form.replace(side, other), 0.8)
    for mark in ",0.+":
        place = form.find(mark)
        if place > 0:
            found.setdefault(form[:place] + form[place + 1 :], 0.6)
        elif mark != ".":
            found.setdefault(":" + mark + form[1:], 0.5)
    found.pop(form, None)
    ranked: List[Tuple[str, float]] = sorted(found.items(), key=lambda pair: -pair[1])
    for text, weight in ranked:
        yield weight, text
