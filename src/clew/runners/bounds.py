"""What a run may take, and what a person is told when its tests wanted more."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec.structs import replace

from clew.sandbox import limits
from clew.sandbox.confinement import Limits
from clew.words.facts import TestResult

__all__ = ["RunBounds", "asked_for_more", "noted", "remark"]

NETWORK = re.compile(
    r"Network is unreachable|in name resolution|Name or service not known"
    r"|EAI_AGAIN|ENOTCACHED|disabled by GOPROXY=off|offline was specified|[Oo]ffline mode"
)

# What a test says that asked git about the project, or wrote where it may only read.
SIGNS = (
    (
        re.compile(r"not a git repository|Command '\['git'.*exit status 128"),
        "tests have no git repository around them, whatever the project's own is",
    ),
    (
        re.compile(r"Read-only file system|readonly database"),
        "tests may not write to what is installed, nor to ignored folders too big to be copied",
    ),
)


# What a test says that looked for a variable: the name in quotes, or said to be one of the kind.
VARIABLE = re.compile(
    r"^KeyError: '(\w+)'$|\b([A-Z][A-Z0-9_]+)\b(?=.*\benv(?:ironment|var|\b))", re.MULTILINE
)


class RunBounds(Protocol):
    """What holds for a run: what it may take, whether it has a network, what variables."""

    @property
    def limits(self) -> Limits: ...
    @property
    def network(self) -> bool: ...
    @property
    def env(self) -> Mapping[str, str]: ...


def remark(said: str, bounds: RunBounds) -> str:
    """Name the bound that words of a run tell of, and its setting; nothing where there is none."""
    if words := limits.remark(said, bounds.limits):
        return words
    if not bounds.network and NETWORK.search(said):
        return (
            "tests have no network: download what they need before,"
            " or allow it with the setting `network`"
        )
    if name := _withheld(said, bounds):
        return (
            f"tests are not given your variable {name}: start a new session with it in `pass_env`"
        )
    return next((words for sign, words in SIGNS if sign.search(said)), "")


def _withheld(said: str, bounds: RunBounds) -> str:
    """Return a variable of the person's that words of a run ask for and tests do not see."""
    names = (asked[1] or asked[2] for asked in VARIABLE.finditer(said))
    return next((name for name in names if name in os.environ and name not in bounds.env), "")


def noted(result: TestResult, bounds: RunBounds) -> TestResult:
    """Add the remark to what a test that met a bound says of its end."""
    crash = result.crash
    if crash is None or not (words := remark(f"{crash.type}: {crash.message}", bounds)):
        return result
    message = f"{crash.message}; {words}" if crash.message else words
    return replace(result, crash=replace(crash, message=message))


def asked_for_more(results: Iterable[TestResult], bounds: RunBounds) -> str:
    """Return the remark of the first test that met a bound."""
    ends = (f"{r.crash.type}: {r.crash.message}" for r in results if r.crash is not None)
    return next((words for end in ends if (words := remark(end, bounds))), "")
