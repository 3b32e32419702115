"""The first axis: which of eight kinds of failure a run shows."""

from __future__ import annotations

import difflib
import re
import sys
from collections import Counter
from collections.abc import Mapping

from clew.analysis.failures.assertions import carried
from clew.analysis.failures.contradictions import contradictions
from clew.analysis.failures.linting import findings, lints, not_parsed
from clew.analysis.failures.shapes import mismatch, unwrapped
from clew.analysis.unparsed import unparsed
from clew.words.facts import Category, Crash, Phase, TestResult, TestRun
from clew.words.printable import printable

__all__ = ["categorise", "category_of", "closed_database", "missing_module", "missing_plugin"]

# What hides most comes first: it settles ties, and failures of collection.
RANK = (
    Category.SYNTAX_ERROR,
    Category.MISSING_DEPENDENCY,
    Category.IMPORT_ERROR,
    Category.SCHEMA_MISMATCH,
    Category.LINT_FAILURE,
    Category.TYPE_ERROR,
    Category.TASK_SPEC_ERROR,
    Category.TEST_FAILURE,
)
TYPES = frozenset({"TypeError", "AttributeError"})
LINT_ITEM = re.compile(
    r"::(?:FLAKE8|ruff(?:::format)?|mypy(?:-status)?|BLACK|pylint)$", re.IGNORECASE
)
NO_MODULE = re.compile(r"No module named ['\"]?([\w.]+)")
FROM_MODULE = re.compile(r"(?:cannot import name .+? from|partially initialized module) '([\w.]+)'")
NO_LIBRARY = re.compile(r"cannot open shared object file|DLL load failed|Library not loaded")
# As Go, Rust and the runners of JavaScript say it.
NO_PACKAGE = re.compile(
    r"no required module provides|missing go\.sum entry|can't find crate"
    r"|Cannot find (?:module|package) ['\"](?![./]|file:)"
)
NO_FILE = re.compile(r"No such file or directory: b?['\"](.+?)['\"]")
NO_FIXTURE = re.compile(r"fixture '(\w+)' not found")
TEMPORARY = re.compile(r"^/(?:dev|proc|run)/|/(?:pytest-\d+|tmp[a-z0-9_]{8})/")
INSTALL = re.compile(r"\b(?:pip|conda|poetry|uv) (?:install|add) [\w\[]", re.IGNORECASE)
CHAINED = re.compile(r"was the direct cause of the following exception")
UNLOADED = "Failed to import test module"
FIXTURES: Mapping[str, str] = {
    "aiohttp_client": "pytest-aiohttp",
    "benchmark": "pytest-benchmark",
    "client": "pytest-django",
    "datadir": "pytest-datadir",
    "db": "pytest-django",
    "faker": "Faker",
    "freezer": "pytest-freezer",
    "fs": "pyfakefs",
    "httpserver": "pytest-httpserver",
    "httpx_mock": "pytest-httpx",
    "mocker": "pytest-mock",
    "qtbot": "pytest-qt",
    "requests_mock": "requests-mock",
    "respx_mock": "respx",
    "snapshot": "syrupy",
    "subtests": "pytest-subtests",
}
CLOSE, CLOSER = 0.8, 0.9
NOTHING: Mapping[str, str] = {}

TEXTS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (
        Category.SYNTAX_ERROR,
        re.compile(r"\b(?:SyntaxError|IndentationError|TabError)\b|\bparse error\b"),
    ),
    (Category.IMPORT_ERROR, re.compile(r"\b(?:ModuleNotFoundError|ImportError)\b")),
    (Category.MISSING_DEPENDENCY, re.compile(r"Cannot find (?:module|package) '[^./]")),
    (Category.SCHEMA_MISMATCH, re.compile(r"\bValidationError\b|no such (?:table|column)")),
    (Category.TEST_FAILURE, re.compile(r"\bAssertionError\b|\b[1-9]\d* failed\b|--- FAIL:")),
    (Category.TYPE_ERROR, re.compile(r"\b(?:TypeError|AttributeError)\b")),
)


def categorise(
    run: TestRun,
    *,
    modules: frozenset[str] = frozenset(),
    sources: Mapping[str, str] = NOTHING,
) -> Category:
    """Return the kind of failure that the run as a whole shows.

    `modules` are the dotted names of the project's own modules: a failing import of one of them is
    an `import_error`, of any other a `missing_dependency`. `sources` are texts of the project, by
    path, as far as they are at hand: by them a record is known from another class, and a test that
    contradicts what else is written. What keeps files from being collected speaks first, since it
    hides the rest; then the kind that most red tests show; ties go to the kind that hides most.
    """
    red = [result for result in run.red if result.crash or result.output]
    if lints(run):
        return Category.SYNTAX_ERROR if not_parsed(run) else Category.LINT_FAILURE
    if not red:
        return _from_text(f"{run.reason}\n{run.output}", modules)
    kinds = {result.id: category_of(result, modules=modules, sources=sources) for result in red}
    collecting = {kinds[result.id] for result in red if result.phase is Phase.COLLECT}
    if collecting:
        return min(collecting, key=RANK.index)
    disputed = {name for pair in contradictions(run, sources) for name in (pair.first, pair.second)}
    if disputed and disputed >= kinds.keys():
        return Category.TASK_SPEC_ERROR
    counts = Counter(kinds.values())
    return min(counts, key=lambda kind: (-counts[kind], RANK.index(kind)))


def category_of(
    result: TestResult,
    *,
    modules: frozenset[str] = frozenset(),
    sources: Mapping[str, str] = NOTHING,
) -> Category:
    """Return the kind of failure that one red test shows."""
    if LINT_ITEM.search(result.id):
        return Category.LINT_FAILURE
    crash = result.crash
    if crash is None:
        return _from_text(result.output, modules)
    if result.phase is Phase.COLLECT and not crash.frames and "Error" not in crash.type:
        return _from_text(f"{crash.message}\n{crash.details}", modules)
    if crash.message.startswith(UNLOADED):
        return _from_text(crash.message.strip().rpartition("\n")[2], modules)
    return _of_crash(carried(crash) or crash, modules, sources)


def missing_module(crash: Crash) -> str | None:
    """Return the dotted name of the module that a failing import was after."""
    match = NO_MODULE.search(crash.message) or FROM_MODULE.search(crash.message)
    return match.group(1) if match else None


def _of_crash(crash: Crash, modules: frozenset[str], sources: Mapping[str, str]) -> Category:
    """Return the kind that the first rule which fits gives, of those from the plain to the odd."""
    kind = crash.type.rpartition(".")[2]
    circular = kind == "AttributeError" and "partially initialized module" in crash.message
    category = Category.TEST_FAILURE
    if unparsed(crash):
        category = Category.SYNTAX_ERROR
    elif kind in ("ModuleNotFoundError", "ImportError"):
        category = _of_import(crash, modules)
    elif circular or (kind == "NameError" and _unimported(crash, modules)):
        category = Category.IMPORT_ERROR
    elif _lacks_package(crash, modules):
        category = Category.MISSING_DEPENDENCY
    elif (kind == "FileNotFoundError" and _own_file(crash, modules)) or closed_database(crash):
        category = Category.IMPORT_ERROR
    elif mismatch(crash, sources) or unwrapped(crash, sources) is not crash:
        category = Category.SCHEMA_MISMATCH
    elif kind in TYPES:
        category = Category.TYPE_ERROR
    elif kind == "AssertionError" and any(True for _ in findings(crash.message)):
        category = Category.LINT_FAILURE
    return category


def _of_import(crash: Crash, modules: frozenset[str]) -> Category:
    if NO_LIBRARY.search(crash.message) or NO_PACKAGE.search(crash.message):
        return Category.MISSING_DEPENDENCY
    absent = NO_MODULE.search(crash.message)
    if absent is None or _ours(absent.group(1), modules):
        return Category.IMPORT_ERROR
    return Category.MISSING_DEPENDENCY


def _lacks_package(crash: Crash, modules: frozenset[str]) -> bool:
    """Tell whether something else than an import says that what is needed is not installed."""
    kind = crash.type.rpartition(".")[2]
    if kind in ("PackageNotFoundError", "DistributionNotFound"):
        return True
    if kind == "FileNotFoundError":
        return bool(crash.frames) and crash.frames[-1].path.endswith("/subprocess.py")
    if missing_plugin(crash):
        return True
    before = CHAINED.search(crash.details)
    absent = NO_MODULE.search(crash.details[: before.start()]) if before else None
    if absent is not None and not _ours(absent.group(1), modules):
        return True
    return INSTALL.search(crash.message) is not None


def missing_plugin(crash: Crash) -> str | None:
    """Return the package that brings a fixture which no plug-in at hand gives."""
    found = NO_FIXTURE.search(crash.message) or NO_FIXTURE.search(crash.details)
    return FIXTURES.get(found.group(1)) if found else None


def _own_file(crash: Crash, modules: frozenset[str]) -> bool:
    """Tell whether the file that is not there would be one of the project, and no temporary one."""
    found = NO_FILE.search(crash.message)
    if found is None or TEMPORARY.search(found.group(1)):
        return False
    tops = {module.partition(".")[0] for module in modules}
    path = found.group(1)
    return not path.startswith("/") or bool(tops & set(path.split("/")))


def closed_database(crash: Crash) -> bool:
    """Tell whether a file-based database is not where it is opened."""
    kind = crash.type.rpartition(".")[2]
    return kind == "OperationalError" and "unable to open database file" in crash.message


def _ours(name: str, modules: frozenset[str]) -> bool:
    """Tell whether the name belongs to the project, or to Python, or is a slip of one of ours."""
    top = name.partition(".")[0]
    tops = {module.partition(".")[0] for module in modules}
    standard = sys.stdlib_module_names
    return (
        top in tops
        or top in standard
        or bool(difflib.get_close_matches(top, tops, n=1, cutoff=CLOSE))
        or (top.isalpha() and bool(difflib.get_close_matches(top, standard, n=1, cutoff=CLOSER)))
    )


def _unimported(crash: Crash, modules: frozenset[str]) -> bool:
    """Tell whether an undefined name is the name of a module that could have been imported."""
    match = re.search(r"name '(\w+)' is not defined", crash.message)
    if match is None:
        return False
    name = match.group(1)
    return name in sys.stdlib_module_names or any(
        module == name or module.endswith(f".{name}") for module in modules
    )


def _from_text(text: str, modules: frozenset[str]) -> Category:
    """Read the output of a command that says nothing but text."""
    text = printable(text)
    for category, pattern in TEXTS:
        if pattern.search(text):
            if category is not Category.IMPORT_ERROR:
                return category
            absent = NO_MODULE.search(text)
            if absent is not None and not _ours(absent.group(1), modules):
                return Category.MISSING_DEPENDENCY
            return category
    return Category.TEST_FAILURE
