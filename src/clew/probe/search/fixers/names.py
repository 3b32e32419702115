"""Names that are not there."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Dict, List, Tuple

from ..context import OWN
from ..crashes import MOST_NAMES, SearchCrash
from ..files import ProjectSources, bound, close
from ..source import FUNCTIONS, Patch, Source, Splice, apply_changes, own_nodes

FAMILY = "name fixer"
# Words of other languages.
ELSEWHERE = {
    "true": "True", "false": "False", "null": "None", "none": "None", "nil": "None",
    "NULL": "None", "nullptr": "None", "undefined": "None", "this": "self",
}  # fmt: skip

MOST_REST = 8  # names that look like the undefined one in nothing
FARTHER = 3  # names that are a little alike: FOOT for FEET
UNREAD = 3  # names that are set and never read, one of which may be meant by one that is not set


def at_line(source: Source, line: int) -> List[ast.AST]:
    """Return the nodes of the statements that run at a line, the line's own first."""
    own = [n for n in ast.walk(source.tree) if getattr(n, "lineno", 0) == line]
    if own:
        return own
    return [
        n
        for n in ast.walk(source.tree)
        if getattr(n, "lineno", 0) <= line <= (getattr(n, "end_lineno", 0) or 0)
        and isinstance(n, ast.expr)
    ]


def undefined(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Use a name that looks like the undefined one, or the attribute of `self` it names."""
    found: List[Patch] = []
    name = crash.missing
    for source, line in list(project.frames(crash.frames))[:2]:
        uses = [
            n for n in ast.walk(source.tree)
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        ]  # fmt: skip
        here = [n for n in uses if n.lineno <= line <= (n.end_lineno or 0)] or [
            n for n in uses if n in at_line(source, line)
        ]
        if not here:
            continue
        options = meant(name, source, line, crash)
        if name in ELSEWHERE and (name != "this" or "self" in crash.names):
            options.append((2.2, ELSEWHERE[name]))
            here = uses  # who wrote it once in this language's place did so throughout
        more, also = slips(source, crash)
        for weight, other in options:
            for nodes in [here, uses] if len(uses) > len(here) else [here]:
                changes = tuple(Splice(*source.span(n), other) for n in nodes)
                text = "replace `{}` by `{}`".format(name, other)
                penalty = 0.0 if nodes is here else 0.01
                found.append(Patch(source.path, line, FAMILY, weight - penalty, text, changes))
                if more:
                    whole = tuple(sorted((*changes, *more)))
                    text = "; ".join([text, *also])
                    found.append(Patch(source.path, line, FAMILY, weight - 0.02, text, whole))
        found += rename_definition(source, line, name)
        found += unannotated(source, line, name)
        found += looped(source, line, name)
        found += made_like(source, line, name)
        for node in here:
            found += after_a_comma(source, line, node)
            found += next_to_it(source, line, node)
    return found


def meant(name: str, source: Source, line: int, crash: SearchCrash) -> List[Tuple[float, str]]:
    """Return what an undefined name may stand for, with weights: like names, then those at hand."""
    around = enclosing(source, line)
    like = close(name, [*crash.names, *around, *dir(builtins)])
    found = [(2.0 - 0.05 * rank, other) for rank, other in enumerate(like)]
    if "self" in crash.names:
        found += own_attributes(name, source)
    taken = {name, *OWN, *(other for _, other in found)}
    inner = [other for other in crash.names if other in around]
    rest = [
        other for other in dict.fromkeys([*inner, *around, *crash.names])
        if other not in taken and not other.startswith("__")
    ]  # fmt: skip
    alike = close(name, rest, FARTHER, 0.4)
    rest = [*alike, *(other for other in rest if other not in alike)]
    return [*found, *((1.2 - 0.05 * rank, other) for rank, other in enumerate(rest[:MOST_REST]))]


def own_attributes(name: str, source: Source) -> List[Tuple[float, str]]:
    """Return the attributes of `self` that a name may stand for."""
    known = {
        n.attr for n in ast.walk(source.tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
    }  # fmt: skip
    classes = (n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef))
    holds = name in known or any(name in [n for n, _ in bound(each)] for each in classes)
    like = [(1.7, "self." + other) for other in close(name, sorted(known), 3)]
    return [(2.05, "self." + name), *like] if holds else like


def after_a_comma(source: Source, line: int, called: ast.Name) -> List[Patch]:
    """Call a method of what stands before the comma in front of a function that is not there."""
    above = source.parent(called)
    start = source.span(called)[0]
    before = source.text[:start].rstrip()
    if not (isinstance(above, ast.Call) and above.func is called and before.endswith(",")):
        return []
    change = Splice(len(before) - 1, start, ".")
    words = "replace `, {0}` by `.{0}`".format(called.id)
    return [Patch(source.path, line, FAMILY, 1.9, words, (change,))]


def next_to_it(source: Source, line: int, used: ast.Name) -> List[Patch]:
    """Take the next element, or the one before, of what stands on the other side: `xs[i]`."""
    above = source.parent(used)
    sides = [above.left, above.right] if isinstance(above, ast.BinOp) else []
    if isinstance(above, ast.Compare):
        sides = [above.left, *above.comparators]
    found: List[Patch] = []
    for side in sides:
        if not isinstance(side, ast.Subscript) or not isinstance(side.slice, ast.Name):
            continue
        for sign in "+-":
            of = source.segment(side.value), source.segment(side.slice), sign
            other = "{}[{} {} 1]".format(*of)
            words = "replace `{}` by `{}`".format(used.id, other)
            change = Splice(*source.span(used), other)
            found.append(Patch(source.path, line, FAMILY, 1.2, words, (change,)))
    return found


def translated(text: str) -> Tuple[str, List[str]]:
    """Return a text with the words of other languages that nothing in it binds as Python's own."""
    tree = ast.parse(text)
    source, used = Source("", text), [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    known = {n.id for n in used if not isinstance(n.ctx, ast.Load)}
    known.update(n.arg for n in ast.walk(tree) if isinstance(n, ast.arg))
    known.update(name for name, _ in bound(tree))
    changes: List[Splice] = []
    words: Dict[str, None] = {}
    for node in used:
        if node.id not in ELSEWHERE or node.id in known:
            continue
        unit = source.unit_at(node.lineno)
        if node.id != "this" or (unit is not None and "self" in own_names(unit.node)):
            changes.append(Splice(*source.span(node), ELSEWHERE[node.id]))
            words["replace `{}` by `{}`".format(node.id, ELSEWHERE[node.id])] = None
    return apply_changes(text, tuple(sorted(changes))), list(words)


def looped(source: Source, line: int, name: str) -> List[Patch]:
    """Loop over what an `if` asks for, where the name is bound by nothing else."""
    found: List[Patch] = []
    for node in at_line(source, line):
        test = node.test if isinstance(node, ast.If) and not node.orelse else None
        asks = isinstance(test, ast.Compare) and [type(each) for each in test.ops] == [ast.In]
        left = getattr(test, "left", None) if asks else None
        start = source.span(node)[0]
        asked = isinstance(left, ast.Name) and left.id == name
        if asked and source.text.startswith("if", start):
            words = "loop over what `{}` is asked for in".format(name)
            change = Splice(start, start + len("if"), "for")
            found.append(Patch(source.path, line, FAMILY, 2.15, words, (change,)))
    return found


def made_like(source: Source, line: int, name: str) -> List[Patch]:
    """Make a variable as its like is made in the function: `of_col` beside `of_row`."""
    unit = source.unit_at(line)
    if unit is None or name in enclosing(source, line):
        return []
    found: List[Patch] = []
    for node in getattr(unit.node, "body", ()):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name) or node.lineno >= line or not alike(name, target.id):
            continue
        start, end = source.span(node)
        rest = source.text[end:].split("\n", 1)[0].strip()
        if rest and not rest.startswith("#"):
            continue
        text = "{} = {}".format(name, source.segment(node.value))
        change = Splice(start, start, text + "\n" + source.indent_of(start))
        words = "make `{}` as `{}` is made".format(name, target.id)
        found.append(Patch(source.path, line, FAMILY, 1.9, words, (change,)))
    return found


def alike(name: str, other: str) -> bool:
    """Tell two names of a pair: one word of several is the same, or most letters are."""
    shared = set(name.split("_")).intersection(other.split("_")) - {""}
    return name != other and bool(shared or close(name, [other], 1, 0.5))


def unannotated(source: Source, line: int, name: str) -> List[Patch]:
    """Take away the annotations that say an undefined name."""
    changes: List[Splice] = []
    for node in ast.walk(source.tree):
        said: Any = getattr(node, "annotation", None) if isinstance(node, ast.arg) else None
        if said is not None and name in {n.id for n in ast.walk(said) if isinstance(n, ast.Name)}:
            start = source.span(node)[0] + len(getattr(node, "arg"))  # noqa: B009 - an argument
            changes.append(Splice(start, source.span(said)[1], ""))
    words = "take away the annotation `{}`".format(name)
    if not changes:
        return []
    return [Patch(source.path, line, FAMILY, 1.6, words, tuple(sorted(changes)))]


def slips(source: Source, crash: SearchCrash) -> Tuple[List[Splice], List[str]]:
    """Return what mends the other names of a file that are bound nowhere in it, and in words.

    Each has to look like one name that can be read there: they fail one after another, and no test
    passes before the last of them is mended.
    """
    everywhere = {n for n, _ in bound(source.tree)}
    anywhere = {*dir(builtins), *everywhere, *crash.names, crash.missing, *OWN}
    all_known = 0 < len(crash.names) < MOST_NAMES  # also what a star brings
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            anywhere.add(node.id)
        elif isinstance(node, ast.alias) and node.name == "*":
            if not all_known:
                return [], []
        elif isinstance(node, ast.alias):
            anywhere.add((node.asname or node.name).partition(".")[0])
        else:
            said = (getattr(node, field, None) for field in ("name", "arg", "rest"))
            anywhere.update(word for word in said if isinstance(word, str))
    changes: List[Splice] = []
    words: Dict[str, None] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and node.id not in anywhere:
            near = close(node.id, [*enclosing(source, node.lineno), *sorted(everywhere)], 1, 0.75)
            if near:
                changes.append(Splice(*source.span(node), near[0]))
                words["replace `{}` by `{}`".format(node.id, near[0])] = None
    return changes, list(words)


def enclosing(source: Source, line: int) -> List[str]:
    """Return the variables of the functions around a line: a closure knows those it reads only."""
    unit = source.unit_at(line)
    found: Dict[str, None] = {}
    for function in ast.walk(unit.node) if unit is not None else ():
        if isinstance(function, FUNCTIONS) and function.lineno <= line <= (
            function.end_lineno or 0
        ):  # fmt: skip
            found.update(dict.fromkeys(own_names(function)))
    return list(found)


def own_names(function: ast.AST) -> List[str]:
    """Return the parameters and variables of a function, not those of functions within it."""
    arguments = getattr(function, "args")  # noqa: B009 - a function
    given = [n.arg for n in ast.walk(arguments) if isinstance(n, ast.arg)]
    stored = (n for n in own_nodes(function) if isinstance(n, ast.Name))
    return [*given, *(n.id for n in stored if isinstance(n.ctx, ast.Store))]


def rename_definition(source: Source, line: int, name: str) -> List[Patch]:
    """Rename a variable that is set and never read: under a close name, or under any other."""
    unit = source.unit_at(line)
    scope = unit.node if unit is not None else source.tree
    stores = [
        n for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    arguments = [n for n in ast.walk(scope) if isinstance(n, ast.arg)]
    read = {
        n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    found: List[Patch] = []
    names = [n.id for n in stores] + [n.arg for n in arguments]
    unread = [n for n in dict.fromkeys(names) if n not in {*read, *OWN, "_"}]
    likely = close(name, unread, 2)
    options = [(1.9, other) for other in likely]
    options += [(1.5, other) for other in unread if other not in likely][:UNREAD]
    for weight, other in options:
        changes = [Splice(*source.span(n), name) for n in stores if n.id == other]
        for argument in arguments:
            if argument.arg == other:
                start = source.span(argument)[0]
                changes.append(Splice(start, start + len(other), name))
        text = "rename `{}` to `{}` where it is set".format(other, name)
        found.append(Patch(source.path, line, FAMILY, weight, text, tuple(sorted(changes))))
    return found


def unbound(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Declare a local that is read before it is set, or give it a first value."""
    found: List[Patch] = []
    name = crash.missing
    for source, line in list(project.frames(crash.frames))[:1]:
        functions = [
            n for n in ast.walk(source.tree)
            if isinstance(n, FUNCTIONS) and n.lineno <= line <= (n.end_lineno or 0)
        ]  # fmt: skip
        if not functions:
            continue
        inner = max(functions, key=lambda n: n.lineno)
        first: Any = inner.body[0]
        docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if docstring and len(inner.body) > 1 and isinstance(first.value.value, str):
            first = inner.body[1]
        start = source.start_of(first)
        space = source.indent_of(start)
        outer = [n for n in functions if n is not inner]
        held = name in project.definitions(source.path)
        lines: List[Tuple[float, str]] = []
        if held:
            lines.append((2.2, "global " + name))
        if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
               for o in outer for n in ast.walk(o)):  # fmt: skip
            lines.append((2.1, "nonlocal " + name))
        for rank, value in enumerate(
            ("0", "None", "[]", "''", "{}", "False", "1", "set()", "True")
        ):
            lines.append((1.4 - 0.05 * rank, "{} = {}".format(name, value)))
        for weight, text in lines:
            change = Splice(start, start, text + "\n" + space)
            words = "insert `{}` at the start of `{}`".format(text, inner.name)
            found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
    return found
