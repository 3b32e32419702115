"""Calls that do not agree with what they call."""

from __future__ import annotations

import ast
import re
from typing import Iterator, List, Tuple

from ..crashes import SearchCrash
from ..files import ProjectSources, close
from ..source import FUNCTIONS, Patch, Source, Splice
from .names import at_line

FAMILY = "call fixer"


def arguments(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Return patches for a TypeError about arguments, calls or subscripts."""
    message = crash.message
    found: List[Patch] = []
    unexpected = re.search(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'", message)
    if unexpected:
        found += keyword(unexpected.group(1), unexpected.group(2), crash, project)
    missing = re.search(r"(\w+)\(\) missing \d+ required [\w-]+ arguments?: '(\w+)'", message)
    if missing:
        found += absent(missing.group(1), missing.group(2), crash, project)
    arity = re.search(r"(\w+)\(\) takes (?:from )?(\d+).*?positional arguments? but (\d+)", message)
    if arity:
        found += surplus(arity.group(1), crash, project)
    if "is not callable" in message:
        found += uncalled(crash, project)
    if "is not subscriptable" in message:
        found += called(crash, project)
    return found


def definitions(name: str, project: ProjectSources) -> Iterator[Tuple[Source, ast.AST, bool]]:
    """Yield the project's functions of a name, and whether each is a method."""
    for path in project.files():
        source = project.source(path)
        if source is None or name not in source.text:
            continue
        for node in ast.walk(source.tree):
            if isinstance(node, FUNCTIONS) and node.name == name:
                yield source, node, isinstance(source.parent(node), ast.ClassDef)
            if isinstance(node, ast.ClassDef) and node.name == name:
                for inner in node.body:
                    if isinstance(inner, FUNCTIONS) and inner.name == "__init__":
                        yield source, inner, True


def keyword(name: str, word: str, crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Another spelling at the call, or of the parameter."""
    found: List[Patch] = []
    known = list(crash.names)
    for _, node, _ in definitions(name, project):
        known += parameters(node)
    for source, line in list(project.frames(crash.frames))[:2]:
        for node in at_line(source, line):
            if not isinstance(node, ast.Call):
                continue
            for item in node.keywords:
                if item.arg != word or not hasattr(item, "lineno"):
                    continue
                start, _end = source.span(item)
                for rank, other in enumerate([*close(word, known), *known[:6]]):
                    if other in ("self", "cls", word):
                        continue
                    words = "pass `{}` instead of `{}`".format(other, word)
                    change = Splice(start, start + len(word), other)
                    weight = 2.0 - 0.1 * rank
                    found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
                words = "pass `{}` by position".format(word)
                change = Splice(start, source.span(item.value)[0], "")
                found.append(Patch(source.path, line, FAMILY, 1.2, words, (change,)))
    for source, node, _ in definitions(name, project):
        line = getattr(node, "lineno", 1)
        found += [
            rename_parameter(source, node, other, word)
            for other in close(word, parameters(node), 2)
        ]
        changes = (add_parameter(source, node, word + "=None"),)
        words = "let `{}` take `{}`".format(name, word)
        found.append(Patch(source.path, line, FAMILY, 1.0, words, changes))
    return found


def parameters(node: ast.AST) -> List[str]:
    arguments: ast.arguments = getattr(node, "args")  # noqa: B009 - a function
    return [a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def rename_parameter(source: Source, node: ast.AST, old: str, new: str) -> Patch:
    changes: List[Splice] = []
    for child in ast.walk(node):
        if isinstance(child, ast.arg) and child.arg == old:
            start = source.span(child)[0]
            changes.append(Splice(start, start + len(old), new))
        elif isinstance(child, ast.Name) and child.id == old:
            changes.append(Splice(*source.span(child), new))
    words = "rename the parameter `{}` to `{}`".format(old, new)
    line = getattr(node, "lineno", 1)
    return Patch(source.path, line, FAMILY, 1.9, words, tuple(sorted(changes)))


def add_parameter(source: Source, node: ast.AST, text: str, *, first: bool = False) -> Splice:
    start, end = source.span(node)
    depth = 0
    opened = 0
    empty = True
    for token in source.between(start, end):
        if token.text == "(":
            depth += 1
            if depth == 1:
                opened = token.end
                continue
        elif token.text == ")":
            depth -= 1
            if depth == 0:
                if first:
                    return Splice(opened, opened, text if empty else text + ", ")
                body = source.text[opened : token.start].rstrip()
                lead = "" if empty else " " if body.endswith(",") else ", "
                return Splice(opened + len(body), opened + len(body), lead + text)
        if depth:
            empty = False
    return Splice(opened, opened, text)


def absent(name: str, word: str, crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Pass the missing argument, or give the parameter a default."""
    found: List[Patch] = []
    for source, line in list(project.frames(crash.frames))[:2]:
        context = project.context(source.path)
        for node in at_line(source, line):
            if not isinstance(node, ast.Call) or context is None:
                continue
            called_name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name not in (called_name, "__init__"):
                continue
            end = source.span(node)[1] - 1
            lead = ", " if node.args or node.keywords else ""
            statement: ast.AST = node
            while not isinstance(statement, ast.stmt):
                above = source.parent(statement)
                if above is None:
                    break
                statement = above
            if not isinstance(statement, ast.stmt):
                continue
            visible = context.visible(context.place(statement), node)
            options = [(2.0, word)] if word in visible else []
            options += [(1.7, "self." + word), *((1.5, other) for other in close(word, visible, 3))]
            options += [(0.9, other) for other in visible[:6]]
            options += [(0.8, value) for value in ("None", "0", "''", "[]", "False", "True")]
            for weight, text in options:
                if text.startswith("self.") and "self" not in parameters_around(source, line):
                    continue
                words = "pass `{}`".format(text)
                change = Splice(end, end, lead + text)
                found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
                if not text.startswith("self.") and node.args:
                    begin = source.span(node.args[0])[0]
                    change = Splice(begin, begin, text + ", ")
                    found.append(
                        Patch(source.path, line, FAMILY, weight - 0.3, words + " first", (change,))
                    )
    for source, node, method in definitions(name, project):
        line = getattr(node, "lineno", 1)
        if method and word != "self" and "self" not in parameters(node):
            change = add_parameter(source, node, "self", first=True)
            found.append(Patch(source.path, line, FAMILY, 1.9, "add `self`", (change,)))
        arguments_: ast.arguments = getattr(node, "args")  # noqa: B009 - a function
        for item in [*arguments_.args, *arguments_.kwonlyargs]:
            if item.arg == word:
                end = source.span(item)[1]
                for rank, value in enumerate(("None", "0", "''", "False", "True", "()")):
                    words = "let `{}` default to `{}`".format(word, value)
                    change = Splice(
                        end, end, "=" + value if item.annotation is None else " = " + value
                    )
                    weight = 1.1 - 0.05 * rank
                    found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
    return found


def parameters_around(source: Source, line: int) -> List[str]:
    unit = source.unit_at(line)
    return parameters(unit.node) if unit is not None else []


def surplus(name: str, crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Give a method its `self`; drop what a call passes too much."""
    found: List[Patch] = []
    for source, node, method in definitions(name, project):
        line = getattr(node, "lineno", 1)
        names = parameters(node)
        if method and names[:1] not in (["self"], ["cls"]):
            change = add_parameter(source, node, "self", first=True)
            found.append(Patch(source.path, line, FAMILY, 2.1, "add `self`", (change,)))
            start = source.starts[line - 1]
            text = source.indent_of(source.span(node)[0]) + "@staticmethod\n"
            words = "make `{}` a static method".format(name)
            found.append(
                Patch(source.path, line, FAMILY, 1.8, words, (Splice(start, start, text),))
            )
    for source, line in list(project.frames(crash.frames))[:2]:
        for call in at_line(source, line):
            if isinstance(call, ast.Call) and len(call.args) > 0:
                named = getattr(call.func, "id", getattr(call.func, "attr", ""))
                if named in (name, "super") or name == "__init__":
                    last = source.span(call.args[-1])
                    start = source.span(call.args[-2])[1] if len(call.args) > 1 else last[0]
                    words = "drop the argument `{}`".format(source.segment(call.args[-1]))
                    found.append(
                        Patch(source.path, line, FAMILY, 1.5, words, (Splice(start, last[1], ""),))
                    )
    return found


def uncalled(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Read, or index, what is called and no function."""
    found: List[Patch] = []
    for source, line in list(project.frames(crash.frames))[:1]:
        for node in at_line(source, line):
            if isinstance(node, ast.Call):
                name = source.segment(node.func)
                change = Splice(source.span(node.func)[1], source.span(node)[1], "")
                words = "read `{}` without a call".format(name)
                weight = 1.9 if not node.args and not node.keywords else 1.0
                found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
                if len(node.args) == 1:
                    text = "[" + source.segment(node.args[0]) + "]"
                    words = "index `{}` instead of calling it".format(name)
                    found.append(
                        Patch(source.path, line, FAMILY, 1.8, words, (change._replace(text=text),))
                    )
    return found


def called(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Call a function that is indexed."""
    found: List[Patch] = []
    if not re.search(r"'(method|function|builtin_function_or_method|type)'", crash.message):
        return found
    for source, line in list(project.frames(crash.frames))[:1]:
        for node in at_line(source, line):
            if isinstance(node, ast.Subscript):
                end = source.span(node.value)[1]
                name = source.segment(node.value)
                words = "call `{}` before it is indexed".format(name)
                found.append(
                    Patch(source.path, line, FAMILY, 1.9, words, (Splice(end, end, "()"),))
                )
                text = "(" + source.segment(node.slice) + ")"
                words = "call `{}` instead of indexing it".format(name)
                change = Splice(end, source.span(node)[1], text)
                found.append(Patch(source.path, line, FAMILY, 1.9, words, (change,)))
    return found
