"""Which gates a project has, read from the texts of its own configuration. Pure.

tools          pyproject.toml and its like; Go, Rust
scripts        package.json
hooks          .pre-commit-config.yaml
environments   tox.ini, noxfile.py
commands       what a command is
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from clew.analysis.plans.ownership import around
from clew.gates.detection.commands import kind_of
from clew.gates.detection.environments import NOX, TOX, environments_in
from clew.gates.detection.hooks import (
    CONFIGURATION,
    foreign_hooks,
    hooks_in,
    unread_hooks,
)
from clew.gates.detection.scripts import MANIFEST, scripts_in
from clew.gates.detection.tools import CACHE, FILES, OUT, tools_in
from clew.runners import split
from clew.words.errors import UsageError
from clew.words.gates import GateCommand, GateKind

__all__ = [
    "CACHE",
    "OUT",
    "changed_settings",
    "chosen",
    "detect",
    "detect_below",
    "left_out",
    "places",
]

NAMES = FILES | {CONFIGURATION, MANIFEST, NOX, TOX}
ORDER = (GateKind.LINT, GateKind.TYPES, GateKind.BUILD, GateKind.TESTS, GateKind.PROJECT)
REPLACED = frozenset({*ORDER[:4], GateKind.SECRETS})
SETTINGS = "settings"


def places(subdir: str) -> tuple[str, ...]:
    """Return the paths that are read: every known name in a folder and in those above it."""
    return tuple(
        posixpath.normpath(f"{folder}/{name}")
        for folder in around(subdir or ".")
        for name in sorted(NAMES)
    )


def detect(texts: Mapping[str, str], files: Sequence[str], subdir: str) -> tuple[GateCommand, ...]:
    """Return the gates that a project's configuration names; the nearest folder's come first.

    `texts` are those of `places`, `files` all files of the project; paths are relative to its root.
    A command that the project writes itself wins over the one that Clew would choose for its tool.
    """
    found: dict[str, GateCommand] = {}
    unread: list[GateCommand] = []
    for folder in around(subdir or "."):
        inside = "" if folder == "." else folder
        here = {
            posixpath.basename(path): text
            for path, text in texts.items()
            if posixpath.dirname(path) == inside
        }
        for gate in _in_folder(here, files, inside):
            _add(found, gate)
        foreign = foreign_hooks(here.get(CONFIGURATION, ""))
        if ids := [name for name in foreign if name.removesuffix("-check") not in found]:
            unread.append(unread_hooks(ids, inside))
    return tuple(sorted([*found.values(), *unread], key=lambda gate: ORDER.index(gate.kind)))


def _in_folder(
    texts: Mapping[str, str], files: Sequence[str], folder: str
) -> Iterator[GateCommand]:
    yield from hooks_in(texts, files, folder)
    yield from scripts_in(texts, files, folder)
    yield from environments_in(texts, folder)
    yield from tools_in(texts, folder)


def detect_below(
    texts: Mapping[str, str], changed: Iterable[str], subdir: str
) -> tuple[GateCommand, ...]:
    """Return what tools are told in the folders of changed files that `detect` does not read."""
    read = set(places(subdir))
    folders = {posixpath.dirname(path) for path in changed_settings(changed) if path not in read}
    return tuple(
        gate
        for folder in sorted(folders)
        for gate in tools_in(
            {
                posixpath.basename(path): text
                for path, text in texts.items()
                if posixpath.dirname(path) == folder
            },
            folder,
        )
    )


def changed_settings(changed: Iterable[str]) -> tuple[str, ...]:
    """Return of changed files those that tools read their settings from."""
    return tuple(path for path in changed if posixpath.basename(path) in FILES)


def _add(found: dict[str, GateCommand], gate: GateCommand) -> None:
    """Add a gate, unless another source has one of that name; one source may have several."""
    name = gate.name
    for number in itertools.count(2):
        if name not in found:
            found[name] = replace(gate, name=name)
        if found[name] == replace(gate, name=name) or found[name].source != gate.source:
            return
        name = f"{gate.name}-{number}"


def chosen(
    found: Sequence[GateCommand], settings: Mapping[str, str], folder: str
) -> tuple[GateCommand, ...]:
    """Return the gates as a person's settings have them: replaced, added, left out.

    `folder` is where commands of the settings run, relative to the root. The name of a kind stands
    for all gates of it, and an empty line for none. Raises UsageError for a line that needs a
    shell, and for what cannot be replaced.
    """
    gates = list(found)
    for name, line in settings.items():
        kind = _kind(name)
        gates = [gate for gate in gates if name not in (gate.name, gate.kind)]
        if line.strip():
            argv = split(line, f"the command of the gate {name}")
            replaced = next((gate.kind for gate in found if gate.name == name), None)
            means = kind or replaced or kind_of(argv, otherwise=GateKind.PROJECT)
            gates.append(
                GateCommand(name=name, kind=means, argv=argv, folder=folder, source=SETTINGS)
            )
    order = (GateKind.SECRETS, *ORDER)
    return tuple(sorted(gates, key=lambda gate: order.index(gate.kind)))


def _kind(name: str) -> GateKind | None:
    kind = next((kind for kind in GateKind if kind == name), None)
    if kind is not None and kind not in REPLACED:
        raise UsageError(
            f"gates: {name} is not a command, so it cannot be replaced by one",
            hint=f"Give the gate another name; {', '.join(sorted(REPLACED))} can be replaced.",
        )
    return kind


def left_out(settings: Mapping[str, str], kind: GateKind) -> bool:
    """Whether a person's settings leave a kind of gate out."""
    return kind in settings and not settings[kind].strip()
