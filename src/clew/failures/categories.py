"""The first axis: which of eight kinds of failure a run shows."""

from __future__ import annotations

import difflib
import re
import sys
from collections import Counter

from clew.facts import Category, Crash, Phase, Runner, TestResult, TestRun
from clew.failures.assertions import contradictions
from clew.printable import printable

__all__ = ["categorise", "category_of", "missing_module"]

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
SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
TYPES = frozenset({"TypeError", "AttributeError"})
SCHEMAS = frozenset({"ValidationError", "SchemaError", "SchemaErrors", "UndefinedColumn"}) | {
    "UndefinedTable",
    "NoSuchTableError",
    "NoSuchColumnError",
    "ValidationException",
}
DATABASES = frozenset({"OperationalError", "ProgrammingError", "IntegrityError"})
DATABASE_SHAPE = re.compile(
    r"no such (?:table|column)|has no column named|unknown column"
    r"|(?:column|relation) \S+ (?:of \S+ )?does not exist|table \S+ has \d+ columns",
    re.IGNORECASE,
)
LINTERS = frozenset({"ruff", "flake8", "pylint", "mypy", "pyright", "black", "isort", "eslint"}) | {
    "pycodestyle",
    "pydocstyle",
    "bandit",
    "basedpyright",
    "pytype",
    "shellcheck",
    "golangci-lint",
    "clippy",
    "prettier",
    "biome",
}
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
CLOSE = 0.8

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


def categorise(run: TestRun, *, modules: frozenset[str] = frozenset()) -> Category:
    """Return the kind of failure that the run as a whole shows.

    `modules` are the dotted names of the project's own modules: a failing import of one of them is
    an `import_error`, of any other a `missing_dependency`. What keeps files from being collected
    speaks first, since it hides the rest; then the kind that most red tests show; ties go to the
    kind that hides most. `task_spec_error` needs red tests that contradict each other.
    """
    red = [result for result in run.red if result.crash or result.output]
    if _lints(run):
        return Category.LINT_FAILURE
    if not red:
        return _from_text(f"{run.reason}\n{run.output}", modules)
    kinds = {result.id: category_of(result, modules=modules) for result in red}
    collecting = {kinds[result.id] for result in red if result.phase is Phase.COLLECT}
    if collecting:
        return min(collecting, key=RANK.index)
    disputed = {name for pair in contradictions(run) for name in (pair.first, pair.second)}
    if disputed and disputed >= kinds.keys():
        return Category.TASK_SPEC_ERROR
    counts = Counter(kinds.values())
    return min(counts, key=lambda kind: (-counts[kind], RANK.index(kind)))


def category_of(result: TestResult, *, modules: frozenset[str] = frozenset()) -> Category:
    """Return the kind of failure that one red test shows."""
    if LINT_ITEM.search(result.id):
        return Category.LINT_FAILURE
    crash = result.crash
    if crash is None:
        return _from_text(result.output, modules)
    if result.phase is Phase.COLLECT and not crash.frames and "Error" not in crash.type:
        return _from_text(f"{crash.message}\n{crash.details}", modules)
    return _of_crash(crash, modules)


def missing_module(crash: Crash) -> str | None:
    """Return the dotted name of the module that a failing import was after."""
    match = NO_MODULE.search(crash.message) or FROM_MODULE.search(crash.message)
    return match.group(1) if match else None


def _of_crash(crash: Crash, modules: frozenset[str]) -> Category:
    kind = crash.type.rpartition(".")[2]
    database = kind in DATABASES and bool(DATABASE_SHAPE.search(crash.message))
    circular = kind == "AttributeError" and "partially initialized module" in crash.message
    category = Category.TEST_FAILURE
    if kind in SYNTAX:
        category = Category.SYNTAX_ERROR
    elif kind in ("ModuleNotFoundError", "ImportError"):
        category = _of_import(crash, modules)
    elif circular or (kind == "NameError" and _unimported(crash, modules)):
        category = Category.IMPORT_ERROR
    elif kind in SCHEMAS or database:
        category = Category.SCHEMA_MISMATCH
    elif kind in TYPES:
        category = Category.TYPE_ERROR
    return category


def _of_import(crash: Crash, modules: frozenset[str]) -> Category:
    if NO_LIBRARY.search(crash.message) or NO_PACKAGE.search(crash.message):
        return Category.MISSING_DEPENDENCY
    absent = NO_MODULE.search(crash.message)
    if absent is None or _ours(absent.group(1), modules):
        return Category.IMPORT_ERROR
    return Category.MISSING_DEPENDENCY


def _ours(name: str, modules: frozenset[str]) -> bool:
    """Tell whether the name belongs to the project, or to Python, or is a slip of one of ours."""
    top = name.partition(".")[0]
    tops = {module.partition(".")[0] for module in modules}
    return (
        top in tops
        or top in sys.stdlib_module_names
        or bool(difflib.get_close_matches(top, tops, n=1, cutoff=CLOSE))
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


def _lints(run: TestRun) -> bool:
    """Tell whether the command itself is a linter or a type checker."""
    if run.command.runner is not Runner.COMMAND:
        return False
    words = [word.rpartition("/")[2] for word in run.command.argv[:4]]
    if words and re.fullmatch(r"(?:python[\d.]*|npx|uv|uvx|poetry|pipx|hatch|cargo)", words[0]):
        words = [word for word in words[1:] if word not in ("-m", "run", "exec")]
    return bool(words) and words[0] in LINTERS


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
