"""What a target of a Makefile runs: the one command that tests, where that is plain. Pure.

Nothing is run to find out. What reading does not tell (conditions, functions of make, lines for a
shell, a second program that has a say in the outcome) leaves the target as it is, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from clew.runners.commands import recognise, split
from clew.words.errors import UsageError
from clew.words.facts import Runner

__all__ = ["MAKEFILES", "Unclear", "behind"]

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks
ASSIGNED = re.compile(r"(?P<export>export\s+)?(?P<name>[\w.-]+)\s*(?P<how>[?+!]?:{0,3}=)\s*(.*)")
RULE = re.compile(r"(?P<targets>[^:=#\s][^:=#]*):{1,2}(?P<needs>[^;]*)(?:;(?P<line>.*))?")
VARIABLE = re.compile(r"\$(?:(\$)|\(([\w.-]*)\)|\{([\w.-]*)\}|(\w)|)")
BRANCH = re.compile(r"\s*(if(?:n?eq|n?def)|define)\b")
CLOSED = re.compile(r"\s*(?:endif|endef)\b")
# Words that change what the rest of their line means, or that of a variable named there.
BEFORE = re.compile(r"(?:define|override|private|undefine|unexport)(?:\s|$)")
ACTIVATE = re.compile(r"(?:\.|source)\s+(?:\./)?\.?v?env/bin/activate")
# They make nothing that tests need, and have no say in how they end.
ASIDE = frozenset({":", "clear", "echo", "printf", "rm", "true"})
# They fill the environment, which is there when Clew runs tests, and would ask the network.
INSTALLERS = frozenset({"pdm", "pip", "pip3", "pipenv", "poetry", "uv"})
# What make itself or the environment says, where the Makefile does not.
BUILT_IN = frozenset(
    [
        "AR",
        "AS",
        "CC",
        "CFLAGS",
        "CPP",
        "CPPFLAGS",
        "CURDIR",
        "CXX",
        "CXXFLAGS",
        "DISPLAY",
        "HOME",
        "LANG",
        "LD",
        "LDFLAGS",
        "LDLIBS",
        "LOGNAME",
        "MAKE",
        "MAKECMDGOALS",
        "MAKEFILES",
        "MAKEFILE_LIST",
        "MAKEFLAGS",
        "MAKELEVEL",
        "OLDPWD",
        "PATH",
        "PWD",
        "RM",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "VIRTUAL_ENV",
    ]
)
SHELLS = frozenset("$*?[~")  # what a shell would put something else for
REPORTS = frozenset({"combine", "erase", "html", "json", "lcov", "report", "xml"})
STEPS = 100  # variables and targets that are looked at
LONGEST = 100_000  # characters of a Makefile that is read


class Unclear(Exception):
    """What a target runs is not plain; the message says why."""


class _Rule(msgspec.Struct):
    needs: list[str]
    lines: list[str]


class _Read(msgspec.Struct):
    """A Makefile; `unsure` are the names of what has more than one meaning."""

    values: dict[str, str] = {}
    exported: list[str] = []
    rules: dict[str, _Rule] = {}
    unsure: set[str] = set()
    done: set[str] = set()  # targets, which make makes once
    left: int = STEPS

    def step(self, what: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Unclear(f"`{what}` leads on and on")


def behind(makefile: str, target: str) -> tuple[str, ...]:
    """Return the words of the one command that a target of a Makefile runs. Raises Unclear."""
    read = _read(makefile)
    found = [words for line in _lines(read, target) for words in _commands(read, line)]
    known = [words for words in found if recognise(words).runner is not Runner.COMMAND]
    if not known:
        raise Unclear(f"`{target}` names no runner that Clew can hear")
    if len(found) > 1:
        other = next((words for words in found if words not in known), known[-1])
        raise Unclear(f"`{target}` runs `{' '.join(other)}` as well")
    given = (
        f"{name}={_expanded(read, f'$({name})')}"
        for name in read.exported
        if not name or name in read.values
    )
    return (*given, *known[0])


def _read(makefile: str) -> _Read:
    if len(makefile) > LONGEST:
        raise Unclear("the Makefile is too long to be read")
    read = _Read()
    open_: list[str] = []  # the targets that the next lines belong to
    depth = 0
    for line in makefile.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            for name in open_:
                read.rules[name].lines.append(line)
            read.unsure |= set(open_ if depth else ())
            continue
        plain = line.partition("#")[0].strip()
        depth += bool(BRANCH.match(plain)) - bool(CLOSED.match(plain))
        if BEFORE.match(plain):
            read.unsure |= set(re.findall(r"[\w.-]+", plain)[1:])
        elif found := ASSIGNED.fullmatch(plain):
            _assign(read, found, sure=not depth)
        elif plain.partition(" ")[0] in ("include", "-include", "sinclude"):
            raise Unclear("the Makefile includes others")
        elif plain.startswith("export"):
            read.exported += plain.split()[1:] or [""]
        elif found := RULE.fullmatch(plain):
            open_ = _rules(read, found, sure=not depth)
    return read


def _assign(read: _Read, found: re.Match[str], *, sure: bool) -> None:
    name = found["name"]
    if not sure or found["how"] in ("+=", "!=") or name in read.values:
        read.unsure.add(name)
    read.values[name] = found[4]
    if found["export"]:
        read.exported.append(name)


def _rules(read: _Read, found: re.Match[str], *, sure: bool) -> list[str]:
    names = found["targets"].split()
    for name in names:
        if not sure or name in read.rules or "=" in found["needs"]:
            read.unsure.add(name)
        lines = [found["line"]] if found["line"] else []
        read.rules[name] = _Rule(needs=found["needs"].split(), lines=lines)
    return names


def _lines(read: _Read, target: str) -> Iterator[str]:
    """Yield the lines that a target runs, those of what it needs first."""
    rule = read.rules.get(target)
    if rule is None or target in read.unsure or ".EXPORT_ALL_VARIABLES" in read.rules:
        raise Unclear(f"what `{target}` runs is defined in more ways than one")
    read.done.add(target)
    read.step(target)
    patterns = any("%" in name or "$" in name for name in read.rules)
    for need in rule.needs:
        if need not in read.done and (need in read.rules or "$" in need or patterns):
            yield from _lines(read, need)
    yield from rule.lines


def _commands(read: _Read, line: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands of a line that have a say."""
    text = _expanded(read, line.strip().lstrip("@-+ \t"))
    for part in re.split(r"\s+&&\s+", text):
        if not part or part.startswith("#") or ACTIVATE.fullmatch(part):
            continue
        try:
            words = split(part)
        except UsageError:
            raise Unclear(f"`{part}` needs a shell") from None
        if any(SHELLS & set(word) or word.startswith("#") for word in words):
            raise Unclear(f"`{part}` needs a shell")
        if not _aside(words):
            yield words


def _aside(words: tuple[str, ...]) -> bool:
    """Say whether a command neither tests, nor is needed by what does, nor judges it."""
    rest = words[2:] if words[1:2] == ("-m",) and words[2:] else words
    if rest[0] in INSTALLERS:
        return bool({"install", "sync"} & set(rest[1:3]))
    if rest[0] == "coverage" and rest[1:2] and rest[1] in REPORTS:
        return not any(word.startswith("--fail-under") for word in rest)
    return words[0] in ASIDE


def _expanded(read: _Read, text: str) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[2] or found[3] or found[4]
        if found[1]:
            return "$"
        elsewhere = name in BUILT_IN and name not in read.values
        if not name or name in read.unsure or elsewhere:
            raise Unclear(f"`{text.strip()}` holds what make works out")
        read.step(name)
        return _expanded(read, read.values.get(name, ""))

    return VARIABLE.sub(value, text)
