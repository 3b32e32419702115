"""Templates of prompts: Clew's own, and those that a person put in their place.

A template places sections, and never sees them: while it is filled, each section is a placeholder
that has to come out whole, on a line of its own. What it stands for is put in afterwards, wrapped
as data. So no template, whoever wrote it, can take a wrapper off, or cut into what is within.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NoReturn

from clew.agents import roles
from clew.agents.prompts.sections import LISTS
from clew.words.errors import UsageError

if TYPE_CHECKING:
    import jinja2

__all__ = [
    "GO_ON",
    "NAMES",
    "ROLES",
    "TEMPLATES",
    "answer_form",
    "check",
    "filled",
    "own_place",
    "source",
    "version",
]

ROLES = tuple(roles.ROLES)
GO_ON = "go-on"  # for a conversation that was cut off, in any role
TEMPLATES = (*ROLES, GO_ON)
"""What a person may put in words of their own."""

SECTIONS = {
    "situation": "goal, topic, test command, folder, kind of failure, specialty, flaky tests",
    "errors": "one line an error",
    "tests": "a list: each failing test with its traceback, values and output",
    "suspects": "lines that may hold the fault, most suspicious first",
    "history": "a list: every earlier attempt, oldest first",
    "kept": "what helped already and is kept, with the errors left",
    "dead": "changes that were made, and did not help",
    "unsettled": "changes that helped, were rolled back for a doubt, and wait for a person",
    "guidance": "a list: what a person added",
    "known": "a list: similar failures that were fixed before",
    "before": "the first bad commit, earlier ends of these tests",
    "diff": "what was changed since the tests were green",
    "analysis": "what of the project is shown, and what was cut",
    "files": "a list: files of the project, whole, in part or as skeletons",
    "report": "the report that recommends a fix; none for a diagnosis",
    "changes": "a list: the edits that the report recommends, each whole",
    "standards": "a list: the project's own coding standards; for a fix",
    "review": "what a reviewer wants changed; for a fix",
    "doubt": "the agent's own last diagnosis, when that was unsure",
    "complaint": "what was wrong with its last answer",
    "task": "what is to be done; for a supervisor, what was",
    "criteria": "a list: what has to be true for the task to be accepted",
    "handed_on": "a list: what those who worked before hand on",
    "learned": "a list: what went wrong more than once in tasks of this project",
    "others": "a list: the other tasks of the plan, with the state of each",
    "failure": "how the task failed, as far as it is known",
    "earlier": "a list: what was done about it before, and what came of that",
}
NUMBERS = {
    "iteration": "the number of this iteration, over all rounds",
    "counter": "the number of this iteration in its round",
    "round": "the number of this round, from 1",
    "cap": "iterations that a round has at most",
    "more_tests": "failing tests that are not shown",
    "thin": "true if the failure touches files that are not shown whole",
}
NAMES: Mapping[str, str] = SECTIONS | NUMBERS
"""What a template may name, and what each stands for."""

SHARED = ("evidence.md.j2", "project.md.j2")  # what a template may include
FRONT = re.compile(r"\{#-?\s*([\w-]+) (\d+)\s*-?#\}")
PLACE = re.compile("\0(\\d+)\0")
SPELLED = re.compile(r"(\\x00|\\u0000|%00)\d+\1")  # a place that a filter wrote out
LARGEST = 64_000  # characters of a person's own template
FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def own_place(role: str) -> str:
    """Return where a person's own template of a role lies, from the project's root on."""
    return f".clew/prompts/{role}.md.j2"


def source(name: str) -> str:
    """Return the text of a template of Clew's own."""
    return (resources.files("clew.agents.prompts") / "templates" / f"{name}.md.j2").read_text(
        "utf-8"
    )


class _Blocks(list[str]):
    """The places of a list: placed whole, they stand below each other."""

    def __str__(self) -> str:
        return "\n\n".join(self)


def answer_form(role: str) -> str:
    """Return what every prompt of a role ends with: the form of the answer."""
    return (
        resources.files("clew.agents.prompts") / "templates" / "answers" / f"{role}.md"
    ).read_text("utf-8")


def version(role: str, own: str = "") -> str:
    """Name the wording of a role: `fix 2`, or `fix own 0123456789ab` by the digest of its text."""
    if own:
        return f"{role} own {hashlib.sha256(own.encode()).hexdigest()[:12]}"
    front = FRONT.match(source(role))
    return f"{role} {front[2]}" if front else role


def filled(
    role: str,
    own: str,
    sections: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int | bool],
) -> str:
    """Return a template with its sections put in; those that it leaves out are left out.

    Raises UsageError naming the file, and the line as far as it is known, if it cannot be filled.
    """
    import jinja2  # noqa: PLC0415 - heavy, and not needed by most commands

    texts, values = list[str](), dict[str, object](numbers)
    for name, found in sections.items():
        places = []
        for text in found:
            places.append(f"\0{len(texts)}\0")
            texts.append(text)
        values[name] = _Blocks(places) if name in LISTS or name == "files" else "\n".join(places)
    try:
        out = _template(role, own).render(values)
    except (jinja2.TemplateError, *FAULTS) as error:
        _refuse(role, _line_of(error, role), str(error) or type(error).__name__, error)
    lines = [_placed(line, texts, role, own) for line in out.split("\n")]
    return "\n".join(lines).strip("\n")


def check(templates: Mapping[str, str]) -> None:
    """Raise UsageError for a template that cannot be filled, naming its file and line.

    Each is read for names that there are not, and filled twice: with everything, and with nothing.
    """
    for role, own in templates.items():
        if role not in TEMPLATES:
            raise UsageError(
                f"{own_place(role)}: there is no prompt {role!r}",
                hint=f"Prompts: {', '.join(TEMPLATES)}. Rename the file, or move it away.",
            )
        if len(own) > LARGEST or "\0" in own:
            _refuse(role, 1, f"it has more than {LARGEST} characters, or NUL among them")
        _check_names(role, own)
        for number in (0, 2):
            filled(
                role,
                own,
                {name: [name] * min(number, _most(name)) for name in SECTIONS},
                dict.fromkeys(NUMBERS, number),
            )


def _most(name: str) -> int:
    return 2 if name in LISTS or name == "files" else 1


def _check_names(role: str, own: str) -> None:
    import jinja2  # noqa: PLC0415 - as above
    from jinja2 import meta, nodes  # noqa: PLC0415 - as above

    try:
        tree = _environment().parse(own)
        unknown = meta.find_undeclared_variables(tree) - set(NAMES)
    except jinja2.TemplateSyntaxError as error:
        _refuse(role, error.lineno, error.message or "it cannot be read", error)
    lines = {node.name: node.lineno for node in tree.find_all(nodes.Name) if node.ctx == "load"}
    for name in sorted(unknown, key=lambda name: lines.get(name, 0)):
        _refuse(role, lines.get(name, 1), f"unknown name {name!r}")


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - as above
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415 - as above

    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FunctionLoader(_shared),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Markdown; what is put in is wrapped as data
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.clear()
    environment.filters.pop("random")
    return environment


def _shared(name: str) -> str | None:
    return source(name.removesuffix(".md.j2")) if name in SHARED else None


@cache
def _template(role: str, own: str) -> jinja2.Template:
    import jinja2  # noqa: PLC0415 - as above

    environment = _environment()
    place = own_place(role) if own else f"{role}.md.j2"
    code = environment.compile(own or source(role), role, place)
    return jinja2.Template.from_code(environment, code, dict(environment.globals))


def _placed(line: str, texts: Collection[str], role: str, own: str) -> str:
    if "\0" not in line and not SPELLED.search(line):
        return line
    found = PLACE.fullmatch(line.strip(" \t"))
    if found is None or int(found[1]) >= len(texts):
        words = (own or source(role)).split("\n")
        shared = [n for n, text in enumerate(words, 1) if "{{" in text and not _alone(text)]
        _refuse(role, (shared or [1])[0], "a section must come out whole, on a line of its own")
    return list(texts)[int(found[1])]


def _alone(line: str) -> bool:
    return re.fullmatch(r"\s*\{\{-?\s*\w+\s*-?\}\}\s*", line) is not None


def _line_of(error: BaseException, role: str) -> int:
    """Return the line of a template that an error arose on; 1 where that is not known."""
    line = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == own_place(role):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line or 1


def _refuse(role: str, line: int, why: str, cause: BaseException | None = None) -> NoReturn:
    raise UsageError(
        f"{own_place(role)}, line {line}: {why}",
        hint="docs/guides/prompts.md lists all that a template may name; `clew prompts show"
        f" {role}` prints Clew's own. Without that file Clew uses its own.",
    ) from cause
