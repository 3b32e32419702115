"""Settings read from files, variables and flags, checked, and merged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from clew.words.declared import BY_NAME, DECLARED, Declared
from clew.words.errors import UsageError
from clew.words.models import AUTO
from clew.words.plans import PlanAgent
from clew.words.settings.values import Cap, Price, Settings

__all__ = ["COMMAND_LINE", "FOR_ONE_RUN", "load"]

HUGE = 10**12
FOR_ONE_RUN = (ENVIRONMENT, COMMAND_LINE) = ("environment", "command line")
TEMPLATES, SUFFIX = ".clew/prompts", ".md.j2"
LARGEST = 4 << 20  # bytes of a file that is read for settings
ROWS: dict[str, type[msgspec.Struct]] = {
    "prices": Price,
    "ladder": Cap,
    "plan_agents": PlanAgent,
}
MODELS = dict[str, str | dict[str, str]]


def load(
    folders: tuple[Path, ...], environment: Mapping[str, str], flags: Mapping[str, object]
) -> Settings:
    """Merge all sources; files are looked for in `folders`, the later ones win.

    A flag of None was not given. Raises UsageError naming the source of what is wrong.
    """
    values: dict[str, Any] = {"challenge": AUTO}
    sources: dict[str, str] = {}
    for source, found in (
        *_files(folders),
        (ENVIRONMENT, _variables(environment)),
        (COMMAND_LINE, {k: v for k, v in flags.items() if v is not None}),
    ):
        for name, value in found.items():
            values[name] = _taken(name, value, source)
            sources[name] = source
    prompts = _templates(folders)
    if prompts:
        sources["prompts"] = ", ".join(f"{TEMPLATES}/{role}{SUFFIX}" for role in prompts)
    return Settings(**values, prompts=prompts, sources=sources)


def _templates(folders: tuple[Path, ...]) -> dict[str, str]:
    """Return the templates of prompts that a person put in the place of Clew's own, by role."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys(folders):
        for path in sorted((folder / TEMPLATES).glob(f"*{SUFFIX}")):
            try:
                found[path.name.removesuffix(SUFFIX)] = _text(path)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or str(error)
                raise UsageError(
                    f"{path} cannot be read: {why}", hint="Fix that file, or move it away."
                ) from error
    return found


def _files(folders: tuple[Path, ...]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for folder in dict.fromkeys(folders):
        for path, keys in (
            (folder / "pyproject.toml", ("tool", "clew")),
            (folder / "clew.toml", ()),
        ):
            if not path.exists():
                continue
            import tomllib  # noqa: PLC0415 - seldom needed

            try:
                table: Any = tomllib.loads(_text(path))
            except (OSError, RecursionError, ValueError) as error:
                if not keys:
                    why = getattr(error, "strerror", None) or str(error)
                    raise UsageError(
                        f"{path} cannot be read: {why}", hint="Fix that file, or move it away."
                    ) from error
                continue  # a broken pyproject.toml is the tests' to report
            for key in keys:
                table = table.get(key, {}) if isinstance(table, dict) else {}
            if not isinstance(table, dict):
                raise UsageError(f"{path}: [{'.'.join(keys)}] is not a table")
            spelled = [key.replace("-", "_") for key in table]
            if twice := [name for name in spelled if spelled.count(name) > 1]:
                raise UsageError(f"{path}: {twice[0]} is given twice", hint="Keep one spelling.")
            found.append((str(path), dict(zip(spelled, table.values(), strict=True))))
    return found


def _text(path: Path) -> str:
    if not path.is_file():
        raise ValueError("it is not a file")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"it is larger than {LARGEST >> 20} MB")
    return path.read_text("utf-8-sig")


def _variables(environment: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for declared in DECLARED:
        text = environment.get(declared.variable)
        if text is None or declared.type is dict:
            continue
        found[declared.name] = _parsed(declared, text)
    return found


def _parsed(declared: Declared, text: str) -> object:
    if declared.type is list:
        return [word.strip() for word in text.split(",") if word.strip()]
    if declared.type is bool:
        known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        return known.get(text.lower(), text)
    try:
        return declared.type(text)
    except ValueError:
        return text


def _taken(name: str, value: object, source: str) -> object:
    if name in ROWS or name == "models":
        return _table(name, value, source)
    return _checked(name, value, source)


def _unknown(name: str, value: object, source: str) -> UsageError:
    import difflib  # noqa: PLC0415 - seldom needed

    hint = "`clew fix --help` names the common ones."
    if isinstance(value, dict):
        hint = "Settings stand at the top of clew.toml, and under [tool.clew] in pyproject.toml."
    elif close := difflib.get_close_matches(name, BY_NAME, 1):
        hint = f"Did you mean {close[0]!r}?"
    return UsageError(f"{source}: unknown setting {name!r}", hint=hint)


def _checked(name: str, value: object, source: str) -> object:
    declared = BY_NAME.get(name)
    if declared is None:
        raise _unknown(name, value, source)
    if declared.type is float and type(value) is int:
        value = float(value) if abs(value) < HUGE else math.inf
    if declared.type is list and isinstance(value, str):
        value = _parsed(declared, value)
    good = type(value) is declared.type or (declared.type is list and isinstance(value, tuple))
    if isinstance(value, list | tuple):
        value = tuple(value)
        good = good and all(isinstance(w, str) for w in value) and bool(value or name != "agent")
    if isinstance(value, dict):
        good = good and all(isinstance(v, str) for v in value.values())
    if not good:
        raise UsageError(
            f"{source}: {name} = {value!r} is not {_kind(declared)}", hint=f"{declared.help}."
        )
    if declared.choices and value not in declared.choices:
        known = " or ".join(declared.choices)
        raise UsageError(f"{source}: {name} = {value!r} is not {known}", hint=f"{declared.help}.")
    if isinstance(value, float) and not abs(value) < HUGE:
        raise UsageError(f"{source}: {name} = {value} is not a usable number")
    if isinstance(value, int | float) and (
        (declared.least is not None and value < declared.least)
        or (declared.most is not None and value > declared.most)
    ):
        most = f" and at most {declared.most}" if declared.most is not None else ""
        raise UsageError(f"{source}: {name} = {value} must be at least {declared.least}{most}")
    return value


def _table(name: str, table: object, source: str) -> object:
    try:
        if name == "models":
            return _flat(msgspec.convert(table, MODELS))
        msgspec.convert(table, dict[str, _strict(ROWS[name])])  # type: ignore[misc]
        return msgspec.convert(table, dict[str, ROWS[name]])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{source}: {name} cannot be read: {error}", hint=f"{BY_NAME[name].help}."
        ) from error


def _strict(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Return the kind that refuses keys that it does not know: a person may have mistyped one."""
    return msgspec.defstruct(
        kind.__name__, (), bases=(kind,), frozen=True, kw_only=True, forbid_unknown_fields=True
    )


def _flat(table: dict[str, str | dict[str, str]]) -> dict[str, str]:
    """Return a table of tables as one: `fix = { codex = "x" }` is `fix.codex = "x"`."""
    flat: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, str):
            flat[name] = value
        else:
            flat |= {f"{name}.{key}": each for key, each in value.items()}
    return flat


def _kind(declared: Declared) -> str:
    words = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    return words.get(declared.type, "a list of strings" if declared.type is list else "a table")
