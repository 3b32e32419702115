"""What a test command means: which runner, with which arguments. Nothing is run here."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence

import msgspec

from clew.analysis.programs import assigned
from clew.runners.writers import writer
from clew.words.errors import UsageError
from clew.words.facts import Runner

__all__ = ["Invocation", "recognise", "split"]

PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
OPERATORS = frozenset("();<>|&")
# Each runs the rest of its words in the project's own environment.
LAUNCHERS = frozenset({"uv", "poetry", "pdm", "pipenv", "rye", "hatch"})
# Each runs the scripts of a package.json, and what is installed beside it.
PACKAGERS = frozenset({"bun", "npm", "pnpm", "yarn"})
EXECUTORS = frozenset({"bunx", "npx", "pnpx"})
CARGO_TESTS = frozenset({"t", "test"})
TAKES_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})


class Invocation(msgspec.Struct, frozen=True, kw_only=True):
    """A command taken apart.

    `program` is the word that named Python or the runner: bare, or a path. `as_module` is the form
    `python -m`, which puts the current folder first on the import path.
    """

    runner: Runner
    program: str
    as_module: bool = False
    options: tuple[str, ...] = ()  # of the interpreter
    arguments: tuple[str, ...] = ()  # of the runner
    environment: dict[str, str] = {}
    launcher: str = ""
    script: str = ""  # of package.json


def split(text: str, what: str = "the test command") -> tuple[str, ...]:
    """Split a command into words as a shell would; refuse what only a shell could carry out.

    Raises UsageError, in which `what` names the command.
    """
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = tuple(lexer)
    except ValueError as error:
        raise UsageError(
            f"{what} cannot be read: {error}: {text}", hint="check its quotes"
        ) from error
    if not words:
        raise UsageError(f"{what} is empty", hint="name one, such as `pytest -q`")
    foreign = [word for word in words if word and set(word) <= OPERATORS]
    if foreign or any("`" in word or "$(" in word for word in words):
        sign = foreign[0] if foreign else "substitution"
        raise UsageError(
            f"{what} needs a shell ({sign}): {text}",
            hint=f"Clew uses none; say so yourself: sh -c {shlex.quote(text)}",
        )
    return words


def recognise(argv: Sequence[str]) -> Invocation:
    """Tell the runners that Clew knows, in their usual spellings, from any other command."""
    environment, rest = assigned(argv)
    words = list(rest)
    launcher = ""
    if len(words) > 2 and words[0] in LAUNCHERS and words[1] == "run":  # noqa: PLR2004 - `uv run …`
        launcher = words[0]
        del words[:2]
    known = words and (_known(words) or _foreign(words))
    if not known:
        return Invocation(
            runner=Runner.COMMAND,
            program=rest[0] if rest else "",
            arguments=rest[1:],
            environment=environment,
        )
    return msgspec.structs.replace(known, environment=environment, launcher=launcher)


def _known(words: list[str]) -> Invocation | None:
    name = words[0].rpartition("/")[2]
    if name in ("pytest", "py.test"):
        return Invocation(runner=Runner.PYTEST, program=words[0], arguments=tuple(words[1:]))
    if name == "coverage":
        return _under_coverage(words[0], (), words[1:])
    if PYTHON.fullmatch(name):
        return _python(words)
    return None


def _foreign(words: list[str]) -> Invocation | None:
    name = words[0].rpartition("/")[2]
    runner = script = None
    if name == "go" and words[1:2] == ["test"]:
        runner = Runner.GO
    elif name == "cargo" and CARGO_TESTS & set([w for w in words[1:3] if w[0] != "+"][:1]):
        runner = Runner.CARGO
    elif name in PACKAGERS and (script := _script(name, words[1:])):
        runner = Runner.COMMAND
    else:
        runner = _javascript(words) or (Runner.JUNIT if writer(words) else None)
    if runner is None:
        return None
    return Invocation(
        runner=runner, program=words[0], arguments=tuple(words[1:]), script=script or ""
    )


def _javascript(words: list[str]) -> Runner | None:
    """Tell the runners of JavaScript, also where a package manager starts them."""
    name = words[0].rpartition("/")[2]
    if name == "node":
        options = itertools.takewhile(lambda word: word.startswith("-"), words[1:])
        return Runner.NODE if "--test" in options else None
    if name in EXECUTORS or name in PACKAGERS:
        rest = [word for word in words[1:3] if word != "exec" and not word.startswith("-")]
        return _javascript(rest[:1]) if rest else None
    return Runner(name) if name in (Runner.JEST, Runner.VITEST) else None


def _script(packager: str, words: list[str]) -> str:
    """Return the script of package.json that a package manager is to run, if it is."""
    if words[:1] in (["test"], ["t"]):
        return "" if packager == "bun" else "test"
    if words[:1] in (["run"], ["run-script"]) and len(words) > 1:
        return words[1]
    return ""


def _python(words: list[str]) -> Invocation | None:
    options: list[str] = []
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0] not in ("-c", "-"):
        word = rest.pop(0)
        # `-m` may close a cluster of flags, as in `-Bm pytest`.
        if not word.startswith("--") and word.endswith("m") and rest:
            options += ["-" + word[1:-1]] if len(word) > len("-m") else []
            return _module(words[0], tuple(options), rest)
        options.append(word)
        if word in TAKES_VALUE and rest:
            options.append(rest.pop(0))
    return None


def _module(program: str, options: tuple[str, ...], rest: list[str]) -> Invocation | None:
    name, arguments = rest[0], rest[1:]
    if name in ("pytest", "unittest"):
        return Invocation(
            runner=Runner(name),
            program=program,
            as_module=True,
            options=options,
            arguments=tuple(arguments),
        )
    if name == "coverage":
        return _under_coverage(program, options, arguments)
    return None


def _under_coverage(program: str, options: tuple[str, ...], rest: list[str]) -> Invocation | None:
    if not rest or rest[0] != "run" or "-m" not in rest[:-1]:
        return None
    return _module(program, options, rest[rest.index("-m") + 1 :])
