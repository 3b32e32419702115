"""The second axis: why the failure came about, settled before any agent is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from clew.analysis.failures.categories import categorise, missing_module
from clew.analysis.failures.fingerprints import errors
from clew.words.facts import Category, Cause, Fact, TestRun, Verdict

__all__ = ["AuthorNotes", "cause"]

NOTHING: Mapping[str, str] = {}
FEWEST_LOG_LINES = 10
MOST_EXPLORING = 0.8
LEAST_CODE = 0.1
UNDECLARED = 3
EXPLORING = re.compile(
    r"^\W*(?:tool(?:_use| call)?: *)?(?:read|grep|glob|search|list|ls|cat|find|head|tail"
    r"|sed -n|rg|cd|tree|view|open|fetch|look(?:ing)?|explor\w+"
    r"|examin\w+|let me (?:look|check|read|see))\b",
    re.IGNORECASE,
)
CODE = re.compile(
    r"^\W*(?:tool(?:_use| call)?: *)?(?:write|edit|multiedit|create|apply_patch|str_replace|insert"
    r"|patch)\b|^[+-](?![+-])|^diff --git |^@@ ",
    re.IGNORECASE,
)
CHECKS = {
    Category.SYNTAX_ERROR: "syntax",
    Category.LINT_FAILURE: "lint",
    Category.TYPE_ERROR: "types",
}


class AuthorNotes(Fact, frozen=True, kw_only=True):
    """What the author of the failing code left behind, as far as there is one; all optional."""

    log: str = ""  # the agent's own output
    cut_files: tuple[str, ...] = ()  # files it was shown shortened, or not at all
    declared_files: tuple[str, ...] = ()  # files its task names
    touched_files: tuple[str, ...] = ()  # files it truly changed
    foreign_files: tuple[str, ...] = ()  # changed files that another task owns
    uncertain_about: str = ""  # why it stopped, in its own words
    waits_for: str = ""  # what it says is missing
    timed_out: bool = False


def cause(
    run: TestRun | None,
    *,
    account: AuthorNotes | None = None,
    modules: frozenset[str] = frozenset(),
    sources: Mapping[str, str] = NOTHING,
) -> Cause:
    """Return class, subclass and evidence of the cause; of several that fit, the first counts.

    In this order: context_cut, exploration_death, decomposition_error, ambiguous_spec,
    missing_dependency, exceeded_capacity, implementation_error, unclassified.
    """
    account = account or AuthorNotes()
    kind = categorise(run, modules=modules, sources=sources) if run is not None else None
    for rule in RULES:
        found = rule(run, account, kind)
        if found is not None:
            return found
    return Cause(cause_class="unclassified", evidence="no rule fits what is known")


def _context_cut(run: TestRun | None, account: AuthorNotes, _: Category | None) -> Cause | None:
    output = _said(run) + account.log
    for path in account.cut_files:
        if re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", output):
            return Cause(
                cause_class="context_cut",
                subclass="file_not_seen_in_full",
                evidence=f"{path} appears in the output, and its author saw only a part of it"
                " or none",
            )
    return None


def _exploration_death(
    run: TestRun | None, account: AuthorNotes, _: Category | None
) -> Cause | None:
    del run
    lines = [line for line in account.log.splitlines() if line.strip()]
    if len(lines) < FEWEST_LOG_LINES:
        return None
    coding = sum(bool(CODE.search(line)) for line in lines)
    exploring = sum(bool(EXPLORING.search(line)) and not CODE.search(line) for line in lines)
    if exploring <= MOST_EXPLORING * len(lines) or coding >= LEAST_CODE * len(lines):
        return None
    return Cause(
        cause_class="exploration_death",
        subclass="read_without_writing",
        evidence=f"{exploring} of {len(lines)} log lines explore, {coding} write code",
    )


def _decomposition_error(
    run: TestRun | None, account: AuthorNotes, _: Category | None
) -> Cause | None:
    del run
    if account.foreign_files:
        return Cause(
            cause_class="decomposition_error",
            subclass="ownership",
            evidence=f"changed files that another task owns: {', '.join(account.foreign_files)}",
        )
    undeclared = sorted(set(account.touched_files) - set(account.declared_files))
    if len(undeclared) >= UNDECLARED and len(undeclared) > len(set(account.declared_files)):
        return Cause(
            cause_class="decomposition_error",
            subclass="scope",
            evidence=f"{len(undeclared)} files changed that the task does not name:"
            f" {', '.join(undeclared)}",
        )
    return None


def _ambiguous_spec(_: TestRun | None, account: AuthorNotes, kind: Category | None) -> Cause | None:
    if account.uncertain_about:
        return Cause(
            cause_class="ambiguous_spec",
            subclass="agent_blocked",
            evidence=f"the agent stopped, unsure about: {account.uncertain_about}",
        )
    if kind is Category.TASK_SPEC_ERROR:
        return Cause(
            cause_class="ambiguous_spec",
            subclass="tests_contradict",
            evidence="what the red tests ask contradicts what else is asked",
        )
    return None


def _missing_dependency(
    run: TestRun | None, account: AuthorNotes, kind: Category | None
) -> Cause | None:
    if account.waits_for:
        return Cause(cause_class="missing_dependency", subclass="task", evidence=account.waits_for)
    if run is None or kind is not Category.MISSING_DEPENDENCY:
        return None
    names = {missing_module(result.crash) for result in run.red if result.crash} - {None}
    shown = ", ".join(sorted(name for name in names if name))
    return Cause(
        cause_class="missing_dependency",
        subclass="package",
        evidence=f"not installed: {shown}" if shown else _first(run),
    )


def _exceeded_capacity(
    run: TestRun | None, account: AuthorNotes, _: Category | None
) -> Cause | None:
    if account.timed_out:
        return Cause(
            cause_class="exceeded_capacity",
            subclass="agent_timeout",
            evidence="the agent did not finish in time",
        )
    if run is not None and run.timed_out:
        return Cause(
            cause_class="exceeded_capacity",
            subclass="run_timeout",
            evidence=f"the test run was stopped after {run.seconds:.0f} s",
        )
    if run is not None and run.red and all(result.hung for result in run.red):
        return Cause(
            cause_class="exceeded_capacity",
            subclass="test_timeout",
            evidence=f"every red test ran out of time, {run.red[0].id} first",
        )
    return None


def _implementation_error(
    run: TestRun | None, account: AuthorNotes, kind: Category | None
) -> Cause | None:
    del account
    if run is None or run.verdict is not Verdict.FAILED:
        return None
    return Cause(
        cause_class="implementation_error",
        subclass=CHECKS.get(kind, "test") if kind else "test",
        evidence=_first(run),
    )


Rule = Callable[[TestRun | None, AuthorNotes, Category | None], Cause | None]
RULES: tuple[Rule, ...] = (
    _context_cut,
    _exploration_death,
    _decomposition_error,
    _ambiguous_spec,
    _missing_dependency,
    _exceeded_capacity,
    _implementation_error,
)


def _first(run: TestRun) -> str:
    found = errors(run)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{found[0]}{more}" if found else run.reason


def _said(run: TestRun | None) -> str:
    """Return all that the run printed, with the files its tracebacks pass through."""
    if run is None:
        return ""
    parts = [run.output]
    for result in run.red:
        parts.append(result.output)
        if result.crash is not None:
            parts += [result.crash.message, result.crash.details]
            parts += [frame.path for frame in result.crash.frames]
    return "\n".join(parts) + "\n"
