"""What linters, type checkers and formatters print, told from what tests print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clew.words.facts import Runner, TestRun
from clew.words.printable import printable

__all__ = ["LintFinding", "checker", "findings", "lints", "not_parsed"]

LINTERS = frozenset(
    {"ruff", "flake8", "pylint", "mypy", "pyright", "black", "isort", "eslint", "pycodestyle"}
    | {"pydocstyle", "bandit", "basedpyright", "pytype", "shellcheck", "golangci-lint", "clippy"}
    | {"prettier", "biome"}
)
STARTERS = re.compile(r"(?:python[\d.]*|npx|uv|uvx|poetry|pipx|hatch|cargo)")
# path:line:column: CODE words · path:line: error: words [code] · CODE words, then --> path:line
FINDINGS = (
    re.compile(
        r"^(?P<path>[^\s:]+\.\w+):(?P<line>\d+)(?::\d+)?:? +"
        r"(?P<words>(?:[A-Z]{1,4}\d{2,5}\b|invalid-syntax).*)$",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?P<path>[^\s:]+\.pyi?):(?P<line>\d+)(?::\d+)?:? +(?P<words>(?:error|warning): .*)$",
        re.MULTILINE,
    ),
    re.compile(
        r"^ *(?P<path>[^\s:]+\.pyi?):(?P<line>\d+):\d+ - (?P<words>(?:error|warning): .*)$",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?:.* : )?(?P<words>(?:[A-Z]{1,4}\d{2,5}\b|invalid-syntax|unformatted).*)\n"
        r"\s*--> (?P<path>[^\s:]+)(?::(?P<line>\d+))?",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?P<words>[Ww]ould reformat:?|ERROR:) (?P<path>[^\s:]+\.\w+)(?P<line>)"
        r"(?: Imports are incorrectly sorted.*)?$",
        re.MULTILINE,
    ),
)
TESTED = re.compile(
    r"^Traceback \(most recent call last\)|\b[1-9]\d* failed\b|^FAILED\b|--- FAIL:|\bnot ok \d"
    r"|^E  +\w|AssertionError",
    re.MULTILINE,
)
UNPARSED = re.compile(r"\binvalid-syntax\b|\bE999\b|\[syntax\]|SyntaxError|Cannot parse")


class LintFinding(NamedTuple):
    """One complaint of a checker; line 0 where it is about the whole file."""

    path: str
    line: int
    words: str


def findings(text: str) -> Iterator[LintFinding]:
    """Yield what a checker complains of in a text, in its order."""
    text = printable(text)
    found = [match for form in FINDINGS for match in form.finditer(text)]
    for match in sorted(found, key=lambda match: match.start()):
        words = " ".join(match["words"].split())
        yield LintFinding(match["path"].removeprefix("./"), int(match["line"] or 0), words)


def checker(argv: Sequence[str]) -> str:
    """Return the name of the checker that a command runs; nothing for any other command."""
    words = [word.rpartition("/")[2] for word in argv[:4]]
    if words and STARTERS.fullmatch(words[0]):
        words = [word for word in words[1:] if word not in ("-m", "run", "exec")]
    return words[0] if words and words[0] in LINTERS else ""


def lints(run: TestRun) -> bool:
    """Tell whether it is a checker that failed: by the command, else by what was printed."""
    if run.command.runner is not Runner.COMMAND:
        return False
    if checker(run.command.argv):
        return True
    said = "\n".join([run.output, *(result.output for result in run.red)])
    return any(True for _ in findings(said)) and TESTED.search(printable(said)) is None


def not_parsed(run: TestRun) -> bool:
    """Tell whether the checker could not even parse a file."""
    said = "\n".join([run.output, *(result.output for result in run.red)])
    return UNPARSED.search(printable(said)) is not None
