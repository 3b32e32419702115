"""What is asked of a run, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from clew.analysis.testfiles import is_test_path
from clew.words.facts import Compared, Coverage, Crossed, MadeCode, TestResult, TestRun

__all__ = ["CopyResult", "Disguise", "Report", "Request", "places_of_hangs"]

INNERMOST = 2  # frames of the project that say where a test hung, as the probe has it
SHARES = 20  # of the time of a run: one is what a test is given in any case


class Disguise(msgspec.Struct, frozen=True, kw_only=True):
    """A run that does not announce itself to the files that a fix changed, relative to the root."""

    changed: tuple[str, ...]
    alone: bool = False  # tests are called where the stack shows no runner


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run, and how long it may take. Times are seconds."""

    only: tuple[str, ...] = ()  # ids; empty is all
    extra: tuple[str, ...] = ()  # further arguments for the runner
    timeout: float = 600.0
    test_timeout: float = 60.0
    trace: bool = False  # record the lines that each test runs
    reading: bool = False  # record which files of the project are read, and by whom
    crossing: tuple[str, ...] = ()  # files, relative to the root: record the calls into them
    whole: bool = False  # look whether the runner is whole after each test
    first: tuple[str, ...] = ()  # ids to run before all others
    gate: tuple[str, ...] = ()  # ids: if all are red, nothing is run after the last of them
    near: tuple[str, ...] = ()  # ids: if one is red, nothing is run after the last of them
    done: tuple[str, ...] = ()  # ids that are not to be run
    hung: tuple[tuple[str, str], ...] = ()  # path and function of where tests of this code hang
    seed: int | None = None  # what chance begins with in every test
    clock: float | None = None  # the time that every test begins at, since the epoch
    copies: int = 0  # runs in copies of one process, each as if it were new; 0 is a plain run
    disguise: Disguise | None = None
    hashing: int | None = None  # what texts are hashed with

    def limit_of_test(self, left: float) -> float:
        """Return the seconds for one test, where so many are left of the run.

        Several tests may hang, and each is to be named before the time of the run is up.
        """
        return min(self.test_timeout, max(left / 2, self.timeout / SHARES))


class CopyResult(msgspec.Struct, frozen=True, kw_only=True):
    """How tests ended in one copy of a run; one in neither set said nothing."""

    red: frozenset[str]
    passed: frozenset[str]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run said; `coverage` if it was traced."""

    run: TestRun
    coverage: Coverage | None = None
    collected: int = 0  # tests that the runner found, and would run
    stopped: bool = False  # before all that was asked for had run
    held: bool = True  # seed and clock were settled as asked for
    looked: bool = False  # in disguise: changed code looked at the stack
    crossed: tuple[Crossed, ...] = ()  # the calls into the files asked for
    compared: tuple[Compared, ...] = ()  # how values are judged that come out of these
    replaced: tuple[str, ...] = ()  # what of the runner, and of what tests compare with, is not
    made: tuple[MadeCode, ...] = ()  # files that were loaded, and code that ran and is in no file
    swallowed: tuple[str, ...] = ()  # functions that kept a test's failure to themselves
    copies: tuple[CopyResult, ...] = ()  # those that came to an end, if any were asked for


def places_of_hangs(results: Iterable[TestResult]) -> tuple[tuple[str, str], ...]:
    """Return path and function of where tests hung in code that is no test's."""
    found: set[tuple[str, str]] = set()
    for result in results:
        if result.crash is not None and result.crash.type == "Timeout":
            ours = [frame for frame in result.crash.frames if frame.project][-INNERMOST:]
            found |= {(at.path, at.function) for at in ours if not is_test_path(at.path)}
    return tuple(sorted(found))
