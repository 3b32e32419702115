"""Names, attributes and keys that are not there."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Dict, Iterator, List, Tuple

from ..context import OWN
from ..crashes import MOST_NAMES, SearchCrash
from ..files import ProjectSources, bound, close
from ..operators.names import METHODS, related
from ..source import FUNCTIONS, Patch, Source, Splice, own_nodes

FAMILY = "name fixer"
# What an unknown method of `self` may stand for, given one value.
OF_VALUES = (
    "sum", "len", "max", "min", "sorted", "set", "list", "abs", "any", "all", "int", "str",
    "tuple", "dict", "reversed", "float", "bool", "range",
)  # fmt: skip
OF_ONE = (
    "sort", "reverse", "copy", "pop", "clear", "keys", "values", "items", "lower", "upper",
    "strip", "split", "isdigit", "isalpha", "title",
)  # fmt: skip


# Words of other languages.
ELSEWHERE = {
    "true": "True", "false": "False", "null": "None", "none": "None", "nil": "None",
    "NULL": "None", "nullptr": "None", "undefined": "None", "this": "self",
}  # fmt: skip

# What such a method may compute of two values, with what its name may say.
OF_TWO = {
    "%": ("rem", "mod"), "+": ("add", "sum", "plus"), "-": ("diff", "sub", "minus"),
    "*": ("mul", "prod", "times"), "//": ("div", "quot"),
}  # fmt: skip
MOST_KEYS = 12  # that are there, and look like the missing one in nothing
FARTHER = 3  # names that are a little alike: FOOT for FEET
UNREAD = 3  # names that are set and never read, one of which may be meant by one that is not set
PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)
BINDING = (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Await)


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
        around = enclosing(source, line)
        known = [*crash.names, *around, *dir(builtins)]
        options: List[Tuple[float, str]] = [
            (2.0 - 0.05 * rank, other) for rank, other in enumerate(close(name, known))
        ]
        attributes = {
            n.attr for n in ast.walk(source.tree)
            if isinstance(n, ast.Attribute)
            and isinstance(n.value, ast.Name) and n.value.id == "self"
        }  # fmt: skip
        if "self" in crash.names:
            options += [(2.05, "self." + name)] if name in attributes else []
            options += [(1.7, "self." + other) for other in close(name, sorted(attributes), 3)]
            for node in ast.walk(source.tree):
                if isinstance(node, ast.ClassDef) and name in [n for n, _ in bound(node)]:
                    options.append((2.05, "self." + name))
        likely = {other for _, other in options}
        own = [o for o in crash.names if o in around]
        rest = [
            o for o in dict.fromkeys([*own, *around, *crash.names])
            if o not in {*likely, name, *OWN} and not o.startswith("__")
        ]  # fmt: skip
        alike = close(name, rest, FARTHER, 0.4)
        rest = [*alike, *(o for o in rest if o not in alike)]
        options += [(1.2 - 0.05 * rank, other) for rank, other in enumerate(rest[:8])]
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
        for node in here:
            found += after_a_comma(source, line, node)
    return found


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


def attribute(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Use an attribute that looks like the missing one, or set it under its name."""
    found: List[Patch] = []
    name = crash.missing
    for source, line in list(project.frames(crash.frames))[:3]:
        uses = [n for n in at_line(source, line) if isinstance(n, ast.Attribute) and n.attr == name]
        for node in uses:
            end = source.span(node)[1]
            options = close(name, crash.names)
            options += [n for n in related(name, METHODS) if n in crash.names]
            for rank, other in enumerate(dict.fromkeys(options)):
                weight = 2.0 - 0.05 * rank - (0.3 if other.startswith("_") else 0.0)
                text = "replace `.{}` by `.{}`".format(name, other)
                change = Splice(end - len(name), end, other)
                found.append(Patch(source.path, line, FAMILY, weight, text, (change,)))
            found += other_forms(source, node, line, crash)
            found += other_calls(source, node, line)
    if crash.target and crash.target not in ("NoneType", "module"):
        found += set_elsewhere(crash, project)
    return found


def other_forms(source: Source, node: ast.Attribute, line: int, crash: SearchCrash) -> List[Patch]:
    found: List[Patch] = []
    value = source.segment(node.value)
    above = source.parent(node)
    called = isinstance(above, ast.Call) and source.parents[node][1] == "func"
    forms: List[Tuple[float, ast.AST, str]] = []
    if node.attr in ("length", "size", "len", "count", "__len"):
        forms.append((1.8, above if called and above else node, "len({})".format(value)))
    elif called and isinstance(above, ast.Call) and node.attr in OF_VALUES:
        given = [value, *(source.segment(each) for each in [*above.args, *above.keywords])]
        forms.append((1.9, above, "{}({})".format(node.attr, ", ".join(given))))
    if node.attr == "has_key" and isinstance(above, ast.Call) and above.args:
        forms.append((2.0, above, "{} in {}".format(source.segment(above.args[0]), value)))
    if node.attr == "contains" and isinstance(above, ast.Call) and above.args:
        forms.append((2.0, above, "{} in {}".format(source.segment(above.args[0]), value)))
    if isinstance(node.value, ast.Call):
        forms.append((1.2, node.value, source.segment(node.value.func)))
    elif isinstance(node.value, (ast.Attribute, ast.Name)) and crash.target in (
        "method",
        "function",
    ):
        forms.append((1.9, node.value, value + "()"))
    for weight, target, text in forms:
        words = "replace `{}` by `{}`".format(source.segment(target), text)
        change = Splice(*source.span(target), text)
        found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
    return found


def other_calls(source: Source, node: ast.Attribute, line: int) -> List[Patch]:
    """Call a function, or a method of what is given, where `self` has no such method."""
    above = source.parent(node)
    called = isinstance(above, ast.Call) and source.parents[node][1] == "func"
    if not (called and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
        return []
    found: List[Patch] = []
    call: Any = above
    uses = [
        n for n in ast.walk(source.tree)
        if isinstance(n, ast.Attribute) and n.attr == node.attr
        and isinstance(n.value, ast.Name) and n.value.id == node.value.id
    ]  # fmt: skip
    owners = [n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef)]
    methods = [n for owner in owners for n in owner.body]
    functions = [n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS) and n not in methods]
    if any(n.name == node.attr for n in functions):
        changes = tuple(sorted(Splice(*source.span(n), node.attr) for n in uses))
        words = "call the function `{}`, no method".format(node.attr)
        found.append(Patch(source.path, line, FAMILY, 2.1, words, changes))
    forms: List[Tuple[float, ast.AST, str]] = []
    if call.args and not call.keywords:
        forms += [(likely(node.attr, each), node, each) for each in OF_VALUES]
    if len(call.args) == 1 and isinstance(call.args[0], (ast.Name, ast.Attribute)):
        given = source.segment(call.args[0])
        forms += [(likely(node.attr, each), call, "{}.{}()".format(given, each)) for each in OF_ONE]
    if len(call.args) == len("ab") and not call.keywords:
        forms += [(weight, call, text) for weight, text in operations(source, node.attr, call)]
    for rank, (weight, target, text) in enumerate(forms):
        words = "replace `{}` by `{}`".format(source.segment(target), text)
        change = Splice(*source.span(target), text)
        found.append(Patch(source.path, line, FAMILY, weight - 0.005 * rank, words, (change,)))
    return found


def operations(source: Source, name: str, call: ast.Call) -> Iterator[Tuple[float, str]]:
    """Yield what a method that is not there may compute of two values, with its weight."""
    sides = [
        source.segment(each) if isinstance(each, PLAIN) else "({})".format(source.segment(each))
        for each in call.args
    ]
    form = "({} {} {})" if isinstance(source.parent(call), BINDING) else "{} {} {}"
    for operator, words in OF_TWO.items():
        weight = 1.9 if any(word in name.lower() for word in words) else 1.1
        yield weight, form.format(sides[0], operator, sides[1])


def likely(name: str, other: str) -> float:
    """Return the weight of a call for one that is not there: its name may hold the other's."""
    return 1.9 if other.rstrip("ed") in name else 1.2


def set_elsewhere(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Rename an attribute or method that its class defines under a slipped name.

    The name is hardly a slip where a parameter has it, or where others read it.
    """
    found: List[Patch] = []
    name = crash.missing
    for path in project.files():
        source = project.source(path)
        if source is None or crash.target.rsplit(".", 1)[-1] not in source.text:
            continue
        for owner in ast.walk(source.tree):
            if not isinstance(owner, ast.ClassDef) or owner.name != crash.target:
                continue
            stores = [
                n for n in ast.walk(owner)
                if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
            ]  # fmt: skip
            methods = [n for n in owner.body if isinstance(n, FUNCTIONS)]
            meant = {n.arg for n in ast.walk(owner) if isinstance(n, ast.arg)}
            meant.update(
                n.attr for n in ast.walk(source.tree)
                if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
            )  # fmt: skip
            for other in close(name, [n.attr for n in stores] + [m.name for m in methods], 3):
                changes = []
                for node in stores:
                    if node.attr == other:
                        end = source.span(node)[1]
                        changes.append(Splice(end - len(other), end, name))
                for method in methods:
                    if method.name == other:
                        start = source.text.index(other, source.span(method)[0] + 4)
                        changes.append(Splice(start, start + len(other), name))
                if changes:
                    line = source.line_of(changes[0].start)
                    words = "rename `{}` to `{}`".format(other, name)
                    weight = 1.8 if other not in meant else 1.2
                    found.append(Patch(path, line, FAMILY, weight, words, tuple(sorted(changes))))
    return found


def other_keys(
    name: str, crash: SearchCrash, source: Source, node: ast.AST
) -> Iterator[Tuple[float, str]]:
    """Yield keys that are there: close ones, those that the statement says too, and the rest."""
    near = close(name, crash.names)
    statement: Any = node
    while not isinstance(statement, ast.stmt):
        statement = source.parent(statement)
    said = {n.value for n in ast.walk(statement) if isinstance(n, ast.Constant)}
    for rank, other in enumerate(near):
        yield 2.0 - 0.05 * rank, other
    rest = [other for other in crash.names if other not in near]
    for rank, other in enumerate(rest[:MOST_KEYS]):
        yield (1.9 if other in said else 1.3) - 0.02 * rank, other


def key(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Use a key that looks like the missing one, where it is read or in a dict's literal."""
    found: List[Patch] = []
    name = crash.missing
    if not name:
        return found
    for source, line in list(project.frames(crash.frames))[:3]:
        for node in at_line(source, line):
            if isinstance(node, ast.Constant) and node.value == name:
                for weight, other in other_keys(name, crash, source, node):
                    words = "replace the key {!r} by {!r}".format(name, other)
                    change = Splice(*source.span(node), repr(other))
                    found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                value, index = source.segment(node.value), source.segment(node.slice)
                for text in ("{}.get({})", "{}.get({}, 0)", "{}.get({}, '')", "{}.get({}, [])"):
                    new = text.format(value, index)
                    change = Splice(*source.span(node), new)
                    words = "replace `{}` by `{}`".format(source.segment(node), new)
                    found.append(Patch(source.path, line, FAMILY, 1.0, words, (change,)))
    for path in project.files():
        source_of = project.source(path)
        if source_of is None:
            continue
        for node in ast.walk(source_of.tree):
            if not isinstance(node, ast.Dict):
                continue
            keys = [
                k for k in node.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)
            ]
            for other in close(name, [str(k.value) for k in keys], 2, 0.7):
                for item in keys:
                    if item.value == other and other in crash.names:
                        change = Splice(*source_of.span(item), repr(name))
                        words = "replace the key {!r} by {!r}".format(other, name)
                        found.append(Patch(path, item.lineno, FAMILY, 1.7, words, (change,)))
    return found
