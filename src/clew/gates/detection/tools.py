"""Tools that a project's own configuration names, or that come with its language. Pure."""

from __future__ import annotations

import configparser
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from clew.words.gates import GateCommand, GateKind

__all__ = ["CACHE", "FILES", "OUT", "section", "toml", "tools_in"]

OUT = "{out}"  # stands for a folder that is gone after the command
CACHE = "{cache}"  # stands for one that the commands of one measurement share
WHOLE = "."


class _Tool(NamedTuple):
    """A checker of Python, and where a project says that it is in use."""

    name: str
    kind: GateKind
    table: tuple[str, ...]  # below [tool] of pyproject.toml
    files: tuple[str, ...]  # of its own
    sections: tuple[tuple[str, str], ...]  # of files in the form of .ini
    argv: tuple[str, ...]


_SETUP, _TOX = "setup.cfg", "tox.ini"
_TOOLS = (
    _Tool(
        "ruff",
        GateKind.LINT,
        ("ruff",),
        ("ruff.toml", ".ruff.toml"),
        (),
        ("ruff", "check", "--no-fix", "--no-cache", "--output-format=concise"),
    ),
    _Tool(
        "ruff-format",
        GateKind.LINT,
        ("ruff", "format"),
        ("ruff.toml", ".ruff.toml"),
        (),
        ("ruff", "format", "--check", "--no-cache"),
    ),
    _Tool("black", GateKind.LINT, ("black",), (), (), ("black", "--check", WHOLE)),
    _Tool(
        "isort",
        GateKind.LINT,
        ("isort",),
        (".isort.cfg",),
        ((_SETUP, "isort"), (_TOX, "isort")),
        ("isort", "--check-only", WHOLE),
    ),
    _Tool(
        "flake8",
        GateKind.LINT,
        ("flake8",),
        (".flake8",),
        ((_SETUP, "flake8"), (_TOX, "flake8")),
        ("flake8",),
    ),
    _Tool(
        "mypy",
        GateKind.TYPES,
        ("mypy",),
        ("mypy.ini", ".mypy.ini"),
        ((_SETUP, "mypy"),),
        ("mypy", "--no-pretty", f"--cache-dir={CACHE}"),
    ),
    _Tool("pyright", GateKind.TYPES, ("pyright",), ("pyrightconfig.json",), (), ("pyright",)),
    _Tool("basedpyright", GateKind.TYPES, ("basedpyright",), (), (), ("basedpyright",)),
)
_MYPY_KNOWS = ("files", "packages", "modules")  # what to look at: otherwise it wants to be told

# What a file in the project's folder brings along, whether the project asks for it or not.
_LANGUAGES = (
    ("go.mod", "go-vet", GateKind.LINT, ("go", "vet", "./...")),
    ("go.mod", "go-build", GateKind.BUILD, ("go", "build", "./...")),
    ("Cargo.toml", "cargo-clippy", GateKind.LINT, ("cargo", "clippy", "--all-targets")),
    ("Cargo.toml", "cargo-check", GateKind.BUILD, ("cargo", "check", "--all-targets")),
)
_WHEEL = (
    *("python3", "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation"),
    *("--no-input", "--disable-pip-version-check", "--wheel-dir", OUT, WHOLE),
)
PYPROJECT = "pyproject.toml"
FILES = frozenset(
    {PYPROJECT, _SETUP, _TOX}
    | {name for tool in _TOOLS for name in tool.files}
    | {name for name, *_ in _LANGUAGES}
)


def tools_in(texts: Mapping[str, str], folder: str) -> Iterator[GateCommand]:
    """Yield the gates of tools that one folder's files configure; `texts` are by their names."""
    pyproject = toml(texts.get(PYPROJECT, ""))
    for tool in _TOOLS:
        source, definition = _configured(tool, texts, pyproject)
        if source:
            argv = tool.argv
            if tool.name == "mypy" and not any(f'"{key}"' in definition for key in _MYPY_KNOWS):
                argv = (*argv, WHOLE)
            yield GateCommand(
                name=tool.name,
                kind=tool.kind,
                argv=argv,
                folder=folder,
                source=source,
                definition=definition,
            )
    if system := section(pyproject, "build-system"):
        yield GateCommand(
            name="build",
            kind=GateKind.BUILD,
            argv=_WHEEL,
            folder=folder,
            source=PYPROJECT,
            definition=_canonical(system),
            required=False,
        )
    for source, name, kind, argv in _LANGUAGES:
        if source in texts:
            yield GateCommand(
                name=name, kind=kind, argv=argv, folder=folder, source=source, required=False
            )


def toml(text: str) -> dict[str, Any]:
    """Read TOML; a file that cannot be read says nothing."""
    import tomllib  # noqa: PLC0415 - seldom needed

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def section(table: Mapping[str, Any], *names: str) -> dict[str, Any] | None:
    """Return a table inside a table; None where there is none."""
    found: Any = table
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else None


def _configured(
    tool: _Tool, texts: Mapping[str, str], pyproject: Mapping[str, Any]
) -> tuple[str, str]:
    """Return the file that configures a tool, and what it says; its own file goes first."""
    for name in tool.files:
        if name in texts and name.endswith(".toml"):
            if (own := section(toml(texts[name]), *tool.table[1:])) is not None:
                return name, _canonical(own)
        elif name in texts:
            return name, _canonical(_ini(texts[name]).get(tool.name) or texts[name])
    table = section(pyproject, "tool", *tool.table)
    if table is not None:
        return PYPROJECT, _canonical(table)
    for name, title in tool.sections:
        if found := _ini(texts.get(name, "")).get(title):
            return name, _canonical(found)
    return "", ""


def _ini(text: str) -> dict[str, dict[str, str | None]]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
