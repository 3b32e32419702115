"""Write `docs/reference/` from the code, or with `--check` say what is out of date.

Each page is a function of what the code declares, so that a page cannot promise what the program
does not do. A part that does not exist has no page. So is the map in CONTRIBUTING.md: it names the
folders in their order, and each says of itself what it is.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable
from enum import Enum, StrEnum
from pathlib import Path
from typing import get_args, get_origin

import click
from msgspec import Struct

import clew
import clew.agents.roles
import clew.flows.debugging.states
import clew.words.declared
import clew.words.errors
import clew.words.events.parts
import clew.words.events.words
import clew.words.settings
from clew.agents.roles import Role, Writes
from clew.words.errors import ClewError

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
MAP = ROOT / "CONTRIBUTING.md"
NOTE = "<!-- Written by `make reference` from the code: change it there. -->"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell(each) for each in line) + " |" for line in lines)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def promise(thing: object) -> str:
    """Return the docstring as one Markdown paragraph each, reST's double backticks made single."""
    if isinstance(thing, tuple):  # a constant: what Python says of all tuples says nothing of it
        return f"A constant: `{thing!r}`." if len(repr(thing)) < CONSTANT else "A constant table."
    return (inspect.getdoc(thing) or "").replace("``", "`")


def field_comments(kind: type[Struct]) -> dict[str, str]:
    """Return what the source says behind each field: `cap: int  # iterations in a round`."""
    source = inspect.getsource(kind)
    lines = source.splitlines()
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            code, _, comment = lines[(node.end_lineno or 1) - 1].partition("  # ")
            if comment and code and not comment.startswith(("noqa", "type:")):
                found[node.target.id] = comment
    return found


def fields(kind: type[Struct]) -> str:
    """Return the fields of a record as a table, or a word for none."""
    names = kind.__struct_fields__
    if not names:
        return "No fields."
    above = [each for each in reversed(kind.__mro__) if each.__module__.startswith("clew.")]
    types = {name: type_ for each in above for name, type_ in inspect.get_annotations(each).items()}
    comments = {name: text for each in above for name, text in field_comments(each).items()}
    rows = [(f"`{n}`", f"`{types.get(n, '')}`", comments.get(n, "")) for n in names]
    if not comments:
        return table(("field", "type"), (row[:2] for row in rows))
    return table(("field", "type", "meaning"), rows)


# --- pages ---------------------------------------------------------------------------------------


def declare_errors() -> None:
    """Import every module, so that every error is known."""
    for module in pkgutil.walk_packages(clew.__path__, "clew."):
        if not module.name.startswith(("clew.probe.", "clew.__main__")):
            importlib.import_module(module.name)


def errors() -> str:
    declare_errors()

    def tree(kind: type[ClewError], depth: int) -> Iterable[str]:
        page = f"[{kind.__name__}](../errors/{kind.page}.md)"
        summary = promise(kind).splitlines()[0]
        yield f"{'  ' * depth}- {page} · exit {kind.exit_code} — {summary}"
        for each in sorted(kind.__subclasses__(), key=lambda sub: sub.__name__):
            yield from tree(each, depth + 1)

    return "\n".join(
        [
            "# Errors",
            "",
            "Every error names the thing and says what to do next. Each has a page of its own.",
            "",
            *tree(ClewError, 0),
        ]
    )


def settings() -> str:
    defaults = clew.words.settings.Settings()

    def bounds(declared: clew.words.declared.Declared) -> str:
        least, most = declared.least, declared.most
        if declared.choices:
            return " or ".join(f"`{each}`" for each in declared.choices)
        if least is None and most is None:
            return ""
        return f"{least:g} or more" if most is None else f"{least:g} to {most:g}"

    def shown(value: object) -> str:
        if value is None or value in ((), {}):
            return "—"
        match value:
            case tuple():
                return f"`{','.join(value)}`"
            case bool():
                return f"`{str(value).lower()}`"
            case float():
                return f"`{value:g}`"
        return f"`{value}`"

    kinds = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    rows = (
        (
            f"`{d.name.replace('_', '-')}`",
            f"`{d.variable}`" if d.type is not dict else "—",
            kinds.get(d.type, "list of strings" if d.type is list else "table"),
            shown(getattr(defaults, d.name)),
            bounds(d),
            d.help,
        )
        for d in clew.words.declared.DECLARED
    )
    head = ("key", "variable", "type", "default", "bounds", "meaning")
    return "\n".join(["# Settings", "", promise(clew.words.settings), "", table(head, rows)])


def events() -> str:
    def section(kind: type[Struct]) -> list[str]:
        return [f"### {kind.__name__}", "", promise(kind), "", fields(kind), ""]

    def words(kind: type[Enum]) -> list[str]:
        return [f"- **{kind.__name__}** — {promise(kind)} {values(kind)}"]

    enums = [
        each
        for each in vars(clew.words.events.words).values()
        if isinstance(each, type) and issubclass(each, Enum) and each is not StrEnum
    ]
    known, version = get_args(clew.words.events.AnyEvent), clew.words.events.SCHEMA_VERSION
    kinds = [get_origin(kind) or kind for kind in known]
    parts = [
        each
        for module in (clew.words.events.parts, clew.words.settings.values)
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
    ]
    return "\n".join(
        [
            "# Events",
            "",
            promise(clew.words.events),
            "",
            f"Schema version {version}; `clew log` prints them, one a line.",
            "",
            "## Words",
            "",
            *(line for each in enums for line in words(each)),
            "",
            "## Intents",
            "",
            *(line for each in clew.words.events.INTENTS for line in section(each)),
            "## Events",
            "",
            *(line for each in kinds for line in section(each)),
            "## Parts of events",
            "",
            *(line for each in parts for line in section(each)),
        ]
    )


def states() -> str:
    arrows = [
        f"    {stage.value} --> {target.value}: {event.__name__}"
        for stage, moves in clew.flows.debugging.states.TRANSITIONS.items()
        for event, targets in moves.items()
        for target in targets
    ]
    rows = (
        (f"`{stage.value}`", f"`{event.__name__}`", ", ".join(f"`{t.value}`" for t in targets))
        for stage, moves in clew.flows.debugging.states.TRANSITIONS.items()
        for event, targets in moves.items()
    )
    outcomes = (
        (f"`{intent.__name__}`", ", ".join(f"`{kind.__name__}`" for kind in kinds))
        for intent, kinds in clew.flows.debugging.states.OUTCOMES.items()
    )
    unmoving = ", ".join(f"`{event.__name__}`" for event in clew.flows.debugging.states.UNMOVING)
    return "\n".join(
        [
            "# States of a session",
            "",
            promise(clew.flows.debugging.states),
            "",
            "```mermaid",
            "stateDiagram-v2",
            *arrows,
            "```",
            "",
            table(("stage", "event", "may lead to"), rows),
            "",
            f"{unmoving} move nothing.",
            "",
            "## Intents and what settles them",
            "",
            table(("intent", "settled by"), outcomes),
        ]
    )


def commands() -> str:
    group: click.Group = importlib.import_module("clew.cli").clew

    def section(command: click.Command, path: str, level: int) -> Iterable[str]:
        context = click.Context(command, info_name=path)
        usage = " ".join(command.collect_usage_pieces(context))
        yield from [f"{'#' * level} {path}", "", f"    {path} {usage}", ""]
        yield from [promise_of(command), ""]
        records = [
            r
            for p in command.get_params(context)
            if isinstance(p, click.Option) and (r := p.get_help_record(context))
        ]
        rows = ((f"`{flag}`", text) for flag, text in records if not flag.startswith("--help"))
        if listed := list(rows):
            yield from [table(("option", "meaning"), listed), ""]
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                sub = command.get_command(context, name)
                if sub is not None and not sub.hidden:
                    yield from section(sub, f"{path} {name}", 2)

    def promise_of(command: click.Command) -> str:
        text = inspect.cleandoc(command.help or "").replace("\b\n", "\n").partition("\f")[0]
        return text.strip()

    return "\n".join(section(group, "clew", 1))


def every(kind: type[ClewError]) -> list[type[ClewError]]:
    """Return an error and all below it, by name."""
    below = [each for sub in kind.__subclasses__() for each in every(sub)]
    return sorted([kind, *below], key=lambda each: each.__name__)


def exit_codes() -> str:
    """Exit codes as the errors and the command line declare them."""
    by_code: dict[int, list[str]] = {}
    declare_errors()
    for kind in every(ClewError):
        by_code.setdefault(kind.exit_code, []).append(
            f"[{kind.__name__}](../errors/{kind.page}.md)"
        )
    meanings = {
        0: "green, or nothing to do",
        1: "a person is needed: escalated, a question is pending, skipped, terminated; or an error",
        2: "the command line or a setting is wrong",
        3: "the tests could not run",
        4: "another process holds the session",
        130: "interrupted; `clew resume` goes on",
    }
    rows = (
        (f"`{code}`", meaning, ", ".join(by_code.get(code, [])) or "—")
        for code, meaning in meanings.items()
    )
    missing = set(by_code) - set(meanings)
    if missing:
        raise SystemExit(f"exit codes without a meaning in {Path(__file__).name}: {missing}")
    return "\n".join(
        [
            "# Exit codes",
            "",
            "They are stable: a script may rely on them.",
            "",
            table(("code", "meaning", "errors that end so"), rows),
        ]
    )


def interface() -> str:
    """Every name of the interface: a function with its promise, a record with its fields."""
    api = importlib.import_module("clew.api")

    def entry(name: str) -> Iterable[str]:
        thing = getattr(api, name)
        yield from (f"### {name}", "")
        if inspect.isfunction(thing):
            yield from (f"    {signature(name, thing)}", "")
        yield from (promise(thing), "")
        if inspect.isclass(thing) and issubclass(thing, Enum):
            yield from (values(thing), "")
        elif inspect.isclass(thing) and issubclass(thing, Struct):
            yield from (fields(thing) if len(thing.__struct_fields__) <= MOST_FIELDS else "", "")
        elif inspect.isclass(thing):
            yield from (table(("method", "promise"), methods(thing)), "")

    return "\n".join(
        [
            "# The interface for programs",
            "",
            "`from clew import api`.",
            "",
            promise(api),
            "",
            "[`examples/overnight.py`](../../examples/overnight.py) is a program over it.",
            "",
            *(
                line
                for title, homes in api.SECTIONS.items()
                for line in (f"## {title}", "", *(w for n in names_of(homes) for w in entry(n)))
            ),
        ]
    )


def values(kind: type[Enum]) -> str:
    return ", ".join(f"`{each.value}`" for each in kind)


def methods(kind: type) -> Iterable[tuple[str, str]]:
    for name, thing in vars(kind).items():
        if inspect.isfunction(thing) and not name.startswith("_"):
            yield f"`{signature(name, thing)}`", promise(thing)


CONSTANT = 60  # characters of a constant that is shown
LONGEST_DEFAULT = 30  # characters
MOST_FIELDS = 30  # of a record; a longer one is for whoever reads its source


def names_of(homes: dict[str, tuple[str, ...]]) -> list[str]:
    return [name for names in homes.values() for name in names]


def signature(name: str, function: Callable[..., object]) -> str:
    """Return how a function is called, with the types as the source has them."""
    told, starred = [], False
    for each in inspect.signature(function).parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not starred:
            told.append("*")
            starred = True
        value = "" if each.default is each.empty else f" = {default(each.default)}"
        told.append(f"{each.name}: {each.annotation}{value}")
    returned = inspect.signature(function).return_annotation
    return f"{name}({', '.join(told)}) -> {returned}"


def default(value: object) -> str:
    """Return a default as it may be written; of a thing without a notation, its name."""
    if inspect.isfunction(value):
        return value.__name__.strip("_")
    if " object at 0x" in repr(value):
        return f"{type(value).__name__}()"
    return repr(value) if len(repr(value)) <= LONGEST_DEFAULT else "…"


MAY_CHANGE = {
    Writes.NOTHING: "nothing",
    Writes.TESTS: "tests",
    Writes.ANYTHING: "files of the project",
}
ANSWERS = """\
# Answers of agents

What an agent is asked for, by its role (`CLEW_ROLE`), and the form that Clew reads: the prompt of
the role ends with it. See [your own agent](../guides/your-own-agent.md).
"""


def answers() -> str:
    """Return the form of each role's answer, as the prompts have it."""
    roles = [each for each in vars(clew.agents.roles).values() if isinstance(each, Role)]
    forms = ROOT / "src" / "clew" / "agents" / "prompts" / "templates" / "answers"
    rows = [(f"[{r.name}](#{r.name})", MAY_CHANGE[r.writes]) for r in roles]
    parts = [ANSWERS, table(("role", "may change"), rows)]
    for role in roles:
        form = (forms / f"{role.name}.md").read_text("utf-8")
        parts += [f"## {role.name}", form.partition("## Answer")[2].strip()]
    return "\n\n".join(parts)


PAGES: dict[str, tuple[str, Callable[[], str]]] = {
    "answers.md": ("clew.agents.roles", answers),
    "api.md": ("clew.api", interface),
    "commands.md": ("clew.cli", commands),
    "errors.md": ("clew.words.errors", errors),
    "events.md": ("clew.words.events", events),
    "exit-codes.md": ("clew.words.errors", exit_codes),
    "settings.md": ("clew.words.settings", settings),
    "states.md": ("clew.flows.debugging.states", states),
}


def diagnosis_schema() -> str:
    """Return the form of a diagnosis as JSON Schema."""
    form = importlib.import_module("clew.agents.form")
    return json.dumps(form.schema(), indent=2) + "\n"


def mapped(text: str) -> str:
    """Return the text with what each folder says of itself in the rows that name one."""

    def row(found: re.Match[str]) -> str:
        module = importlib.import_module(f"clew.{found[1]}")
        return f"| `{found[1]}` | {cell(promise(module).splitlines()[0])} |"

    return re.sub(r"^\| `([a-z]+)` \|.*\|$", row, text, flags=re.MULTILINE)


def pages() -> dict[Path, str]:
    """Return every page by its place, for the parts that exist."""
    written = {
        name: tidy(f"{NOTE}\n\n{page()}")
        for name, (module, page) in PAGES.items()
        if importlib.util.find_spec(module) is not None
    } | {"diagnosis.schema.json": diagnosis_schema()}
    at = {REFERENCE / name: text for name, text in written.items()}
    return at | {MAP: mapped(MAP.read_text("utf-8"))}


def tidy(text: str) -> str:
    """Return text with no space at line ends, no two empty lines in a row, one line end last."""
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip() + "\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if out of date")
    check = parser.parse_args(arguments).check
    stale = []
    for path, text in pages().items():
        name = path.relative_to(ROOT)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{'out of date' if check else 'written'}: {name}")
    if check and stale:
        print("next step: make reference")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
