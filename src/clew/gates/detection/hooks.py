"""Hooks of a .pre-commit-config.yaml that run programs which are there already. Pure.

Hooks of other repositories would have to be fetched and installed; they are named, and not run.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from clew.gates.detection.commands import kind_of, tool_of
from clew.runners import split
from clew.words.errors import UsageError
from clew.words.gates import GateCommand, GateKind

__all__ = ["CONFIGURATION", "foreign_hooks", "hooks_in", "unread_hooks"]

CONFIGURATION = ".pre-commit-config.yaml"
_HERE = frozenset({"script", "system", "unsupported", "unsupported_script"})  # languages
_STAGES = frozenset({"commit", "pre-commit"})
_LONGEST = 100_000  # characters of a command line
_EVERY = frozenset({"file", "text", "non-executable"})
_SUFFIXES = {
    "c": (".c", ".h"),
    "c++": (".cc", ".cpp", ".cxx", ".h", ".hpp"),
    "css": (".css",),
    "go": (".go",),
    "html": (".htm", ".html"),
    "java": (".java",),
    "javascript": (".cjs", ".js", ".mjs"),
    "json": (".json",),
    "jsx": (".jsx",),
    "markdown": (".markdown", ".md"),
    "pyi": (".pyi",),
    "python": (".py", ".pyi"),
    "ruby": (".rb",),
    "rust": (".rs",),
    "shell": (".bash", ".sh"),
    "sql": (".sql",),
    "toml": (".toml",),
    "ts": (".ts",),
    "tsx": (".tsx",),
    "yaml": (".yaml", ".yml"),
}
ESCAPED = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)  # in a pattern: of one character
UNREAD = "it is not run: {why}; name its command in [tool.clew.gates]"


class _Unclear(Exception):
    """What a hook runs, or on which files, cannot be told from reading; the message says why."""


def hooks_in(texts: Mapping[str, str], files: Sequence[str], folder: str) -> Iterator[GateCommand]:
    """Yield a gate for each hook of the folder's own that pre-commit runs at a commit."""
    config = _yaml(texts.get(CONFIGURATION, ""))
    below = [posixpath.relpath(name, folder) if folder else name for name in files]
    below = [name for name in below if not name.startswith("../")]
    for repository, hook in _hooks(config):
        if repository == "local" and (gate := _hook(hook, _plain(config), below, folder)):
            yield gate


def foreign_hooks(text: str) -> tuple[str, ...]:
    """Return the ids of hooks that pre-commit fetches from other repositories."""
    hooks = _hooks(_yaml(text))
    return tuple(str(hook.get("id")) for source, hook in hooks if source not in ("local", "meta"))


def unread_hooks(ids: Sequence[str], folder: str) -> GateCommand:
    """Return what stands for hooks that nothing else covers."""
    return GateCommand(
        name="pre-commit",
        kind=GateKind.LINT,
        folder=folder,
        source=CONFIGURATION,
        required=False,
        unread=UNREAD.format(why=f"pre-commit would fetch {', '.join(ids)}"),
    )


def _hooks(config: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the hooks that run at a commit, each with the repository that it is from."""
    for repository in _dicts(config.get("repos")):
        for hook in map(_plain, _dicts(repository.get("hooks"))):
            if _at_commit(hook, _plain(config)):
                yield str(_plain(repository).get("repo")), hook


def _plain(table: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what of a table are scalars and lists of them: an alias may stand for anything."""
    return {
        key: value
        for key, value in table.items()
        if isinstance(key, str)
        and all(
            isinstance(each, str | int | float | None)
            for each in (value if isinstance(value, list) else [value])
        )
    }


def _hook(
    hook: Mapping[str, Any], config: Mapping[str, Any], files: Sequence[str], folder: str
) -> GateCommand | None:
    name = str(hook.get("id") or hook.get("entry"))
    definition = json.dumps(hook, sort_keys=True, default=str)
    gate = GateCommand(
        name=name,
        kind=GateKind.LINT,
        folder=folder,
        source=CONFIGURATION,
        definition=definition,
    )
    try:
        argv = _command(hook)
        if hook.get("pass_filenames", True):
            chosen = tuple(_matching(files, hook, config))
            if not chosen and not hook.get("always_run"):
                return None
            argv = (*argv, *chosen)
    except _Unclear as unclear:
        return replace(gate, required=False, unread=UNREAD.format(why=unclear))
    if sum(map(len, argv)) > _LONGEST:
        return replace(gate, required=False, unread=UNREAD.format(why="too many files"))
    kind = kind_of(argv, otherwise=GateKind.LINT)
    return replace(gate, name=tool_of(argv) or name, kind=kind, argv=argv)


def _command(hook: Mapping[str, Any]) -> tuple[str, ...]:
    language, entry, arguments = hook.get("language"), hook.get("entry"), hook.get("args", [])
    if language not in _HERE:
        raise _Unclear(f"pre-commit would install what `language: {language}` needs")
    if not isinstance(entry, str) or not isinstance(arguments, list):
        raise _Unclear("its entry cannot be read")
    try:
        words = split(entry)
    except UsageError as error:
        raise _Unclear(error.message) from None
    if language in ("script", "unsupported_script") and "/" not in words[0]:
        words = (f"./{words[0]}", *words[1:])
    return (*words, *map(str, arguments))


def _matching(
    files: Iterable[str], hook: Mapping[str, Any], config: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the files that a hook is given, as pre-commit chooses them from all."""
    wanted = [_pattern(each.get("files", "")) for each in (config, hook)]
    without = [_pattern(each.get("exclude", "^$")) for each in (config, hook)]
    every = [_suffixes([name]) for name in _words(hook.get("types", ["file"]))]
    some = _suffixes(_words(hook.get("types_or", [])))
    never = _suffixes(_words(hook.get("exclude_types", [])))
    for name in files:
        if (
            all(pattern.search(name) for pattern in wanted)
            and not any(pattern.search(name) for pattern in without)
            and all(name.endswith(ends) for ends in (*every, *([some] if some else [])))
            and not (never and name.endswith(never))
        ):
            yield name


def _suffixes(types: Iterable[str]) -> tuple[str, ...]:
    """Return how files of any of some types end. Raises _Unclear for a type that says more."""
    found: list[str] = []
    for name in types:
        if name in _EVERY:
            found.append("")
        elif name in _SUFFIXES:
            found += _SUFFIXES[name]
        else:
            raise _Unclear(f"which files are of type {name} is not known here")
    return tuple(found)


def _pattern(text: object) -> re.Pattern[str]:
    """Compile a pattern. Raises _Unclear for none, and for one that may take for ever."""
    try:
        found = re.compile(str(text))
    except re.error:
        raise _Unclear(f"its pattern {text!r} cannot be read") from None
    if _repeats_repeats(ESCAPED.sub("x", found.pattern)):
        raise _Unclear(f"its pattern {text!r} may take for ever")
    return found


def _repeats_repeats(pattern: str) -> bool:
    """Whether a group that is repeated holds a repetition, or a choice."""
    inside = [False]  # of each open group: whether it holds one
    for place, sign in enumerate(pattern):
        if sign == "(":
            inside.append(False)
        elif sign in "*+{|":
            inside[-1] = True
        elif sign == ")":
            holds = inside.pop() if len(inside) > 1 else False
            if holds and pattern[place + 1 : place + 2] in ("*", "+", "{"):
                return True
            inside[-1] |= holds
    return False


def _at_commit(hook: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    stages = _words(hook.get("stages") or config.get("default_stages") or [])
    return not stages or not _STAGES.isdisjoint(stages)


def _words(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _yaml(text: str) -> dict[str, Any]:
    if not text:
        return {}
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - as above

    try:
        found = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
