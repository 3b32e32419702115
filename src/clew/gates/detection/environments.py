"""Environments of tox and sessions of nox that lint or check types, where they are plain. Pure.

The tools that make environments are not started: they would fetch what they install. What is read
are commands of checkers, to be run with what the project has installed.
"""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator, Mapping

from clew.analysis.failures.linting import checker
from clew.gates.detection.commands import kind_of, tool_of
from clew.runners import split
from clew.words.errors import UsageError
from clew.words.gates import GateCommand, GateKind

__all__ = ["NOX", "TOX", "environments_in"]

TOX, NOX = "tox.ini", "noxfile.py"
_NAMED = re.compile(
    r"(?:fix-?)?(?:code-?)?(?:lints?|linting|linters?|style|format|checks?|types?|typing|typecheck"
    r"|type-check|quality|flake8|ruff|mypy|pyright|pylint|black|isort)"
)
_POSARGS = re.compile(r"\{posargs(?::([^{}]*))?\}")
UNREAD = "it is not run: its commands are not plain; name them in [tool.clew.gates]"


def environments_in(texts: Mapping[str, str], folder: str) -> Iterator[GateCommand]:
    """Yield the gates of one folder's tox.ini and noxfile.py."""
    for source, found in (
        (TOX, _tox(texts.get(TOX, ""))),
        (NOX, _nox(texts.get(NOX, ""))),
    ):
        for name, lines in found:
            yield from _gates(name, lines, source, folder)


def _gates(
    name: str, lines: list[tuple[str, ...]] | None, source: str, folder: str
) -> Iterator[GateCommand]:
    if lines is None:
        yield GateCommand(
            name=f"{source.partition('.')[0].removesuffix('file')}:{name}",
            kind=GateKind.LINT,
            folder=folder,
            source=source,
            required=False,
            unread=UNREAD,
        )
    for argv in lines or ():
        if checker(argv):
            yield GateCommand(
                name=tool_of(argv),
                kind=kind_of(argv, otherwise=GateKind.LINT),
                argv=argv,
                folder=folder,
                source=source,
                definition=" ".join(argv),
            )


def _tox(text: str) -> Iterator[tuple[str, list[tuple[str, ...]] | None]]:
    """Yield environments with such a name, and their commands; None where they are not plain."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for title in parser.sections():
        name = title.removeprefix("testenv:")
        commands = parser.get(title, "commands", fallback="") or ""
        if title != name and _NAMED.fullmatch(name) and commands.strip():
            yield name, _lines(commands)


def _lines(commands: str) -> list[tuple[str, ...]] | None:
    found = []
    for line in commands.replace("\\\n", " ").splitlines():
        plain = _POSARGS.sub(lambda given: given[1] or "", line).strip().lstrip("-!")
        if not plain or plain.startswith("#"):
            continue
        try:
            words = split(plain)
        except UsageError:
            return None
        if any("{" in word or "$" in word for word in words):
            return None
        found.append(words)
    return found


def _nox(text: str) -> Iterator[tuple[str, list[tuple[str, ...]] | None]]:
    """Yield sessions with such a name; those that do anything but run plain commands are None."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_session(node) and _NAMED.fullmatch(node.name):
            calls = [part for part in node.body if not _is_docstring(part)]
            found = [_run_of(part) for part in calls]
            plain = [words for words in found if words]
            yield node.name.replace("_", "-"), None if None in found else plain


def _is_session(node: ast.FunctionDef) -> bool:
    named = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(ast.unparse(each) in ("nox.session", "session") for each in named)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _run_of(node: ast.stmt) -> tuple[str, ...] | None:
    """Return the words of `session.run(…)`; none of `session.install(…)`; None if not plain."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr.endswith("install"):
        return ()
    plain = all(isinstance(each, ast.Constant) for each in call.args)
    if call.func.attr != "run" or not plain or not call.args:
        return None
    return tuple(str(each.value) for each in call.args if isinstance(each, ast.Constant))
