"""Whether a run says something about the code, or only about the machinery around it.

passed       every test that ran is green
failed       a test is red, or the code under test keeps tests from being loaded
did not run  nothing is known about the code: a person is asked
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

import msgspec

from clew.analysis.testfiles import is_test_config, is_test_path
from clew.words.facts import Crash, Frame, Verdict

__all__ = ["NotLoaded", "RunJudgement", "Seen", "blames_tests", "in_words", "judge"]

REFUSED, NO_TESTS = 4, 5
SIGNALS, LAST_SIGNAL = 128, 64
ENDED = {
    1: "the runner ended with exit code 1, though no test failed",
    2: "the run was interrupted",
    3: "the runner crashed",
    REFUSED: "the runner refused its command line or its configuration",
    NO_TESTS: "no test was collected",
}
TWINS = (
    "files of tests with one name need a `__init__.py` in their folders, or --import-mode=importlib"
)


class NotLoaded(msgspec.Struct, frozen=True, kw_only=True):
    """A file of tests, or a conftest, that could not be loaded."""

    id: str
    crash: Crash
    missing: str = ""  # the module that a failing import asked for
    home: str = ""  # the folder below, with a project of its own, that the file lies in


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What is known when a run is over."""

    started: bool = False  # the runner itself came up
    status: int | None = None  # the runner's exit status, when it came to its end
    exit_code: int | None = None  # of the process
    timed_out: bool = False
    ran: int = 0  # tests with an outcome
    red: int = 0  # tests that failed, files that did not load left out
    not_loaded: tuple[NotLoaded, ...] = ()
    foreign: tuple[tuple[str, str], ...] = ()  # module, file
    broken: str = ""  # the runner's own account of its trouble
    settings: str = ""  # the file that it has them from
    last_words: str = ""  # the end of what the process printed
    unreached: int = 0  # tests that were collected and never had their turn
    foreign_status: bool = False  # the status is not one of pytest's
    words: tuple[str, ...] = ()  # that a person gave the runner


class RunJudgement(msgspec.Struct, frozen=True):
    """A verdict; `infrastructure` only when the tests did not run; `reason` for a person.

    `misused` where the words that a person gave the runner are at fault.
    """

    verdict: Verdict
    infrastructure: bool = False
    reason: str = ""
    misused: bool = False


def judge(seen: Seen, own_modules: Collection[str]) -> RunJudgement:
    """Decide what a run says. `own_modules` are the top-level modules of the project's code."""
    if seen.foreign:
        return _did_not_run(_foreign(seen.foreign))
    for broken in seen.not_loaded:
        if blames_tests(broken, own_modules):
            why = f"{_in_words(broken.crash)}{_place(broken.crash)}"
            return _did_not_run(f"{broken.id} does not load: {why}{_at_home(broken)}")
    if seen.red or seen.not_loaded:
        return RunJudgement(Verdict.FAILED, reason=_incomplete(seen))
    if seen.timed_out:
        return _did_not_run("time was up before the tests were through: allow more with --timeout")
    if seen.status == 0 and seen.ran:
        return RunJudgement(Verdict.PASSED)
    misuse = _misuse(seen)
    ended = _crashed(seen) if seen.status is None else _ended(seen.status, seen)
    return _did_not_run(misuse or ended, misused=bool(misuse))


def blames_tests(broken: NotLoaded, own_modules: Collection[str]) -> bool:
    """Say whether the tests themselves, not the code they test, kept a file from being loaded.

    So it is if the innermost frame of the project (or the file that cannot be parsed) is a test, a
    conftest or test configuration, and the failing import asks for no module of the project.
    """
    if broken.missing.partition(".")[0] in own_modules:
        return False
    place = innermost(broken.crash)
    return place is None or is_test_path(place.path) or is_test_config(place.path)


def _at_home(broken: NotLoaded) -> str:
    if not broken.home:
        return ""
    where = shlex.quote(broken.home)
    return f"; {broken.home} is a project of its own: `clew fix {where}` runs its tests there"


def in_words(exit_code: int | None) -> str:
    """Name how a process ended; a sandbox, like a shell, adds 128 to the number of a signal."""
    if exit_code is None:
        return "no exit code at all, stuck in the kernel"
    signal = -exit_code if exit_code < 0 else exit_code - SIGNALS
    return f"signal {signal}" if 0 < signal <= LAST_SIGNAL else f"exit code {exit_code}"


def innermost(crash: Crash) -> Frame | None:
    return next((frame for frame in reversed(crash.frames) if frame.project), None)


def _did_not_run(reason: str, *, misused: bool = False) -> RunJudgement:
    return RunJudgement(Verdict.DID_NOT_RUN, infrastructure=True, reason=reason, misused=misused)


def _misuse(seen: Seen) -> str:
    """Say what is wrong with the words that a person gave the runner, if anything is."""
    given = f"the words after --: {shlex.join(seen.words)}"
    if seen.words and seen.status in (0, NO_TESTS):
        return f"{ENDED[NO_TESTS]} by {given}{_after(seen.broken)}"
    said = seen.broken or seen.last_words
    named = "|".join(re.escape(word.partition("=")[0]) for word in seen.words if word)
    if named and seen.status == REFUSED and re.search(rf"(?<![\w-])(?:{named})(?![\w-])", said):
        return f"the runner refused {given}{_after(said)}"
    return ""


def _ended(status: int, seen: Seen) -> str:
    known = {} if seen.foreign_status else ENDED
    if status == 0 or (status == NO_TESTS and known):
        return f"{ENDED[NO_TESTS]}{_after(seen.broken)}; `--test-command` names another command"
    how = known.get(status, f"the runner ended with {in_words(status)}, though no test failed")
    said = seen.broken or seen.last_words
    where = f" in {seen.settings}" if status == REFUSED and seen.settings not in said else ""
    return f"{how}{where}{_after(said)}"


def _after(words: str) -> str:
    return f": {words}" if words else ""


def _in_words(crash: Crash) -> str:
    first = (crash.message.splitlines() or [""])[0]
    said = f"{crash.type}: {first}" if first else crash.type
    return f"{said}: {TWINS}" if crash.type.endswith("ImportPathMismatchError") else said


def _place(crash: Crash) -> str:
    frame = innermost(crash)
    return f" ({frame.path}:{frame.line})" if frame else ""


def _incomplete(seen: Seen) -> str:
    if not seen.unreached:
        return ""
    why = "time was up" if seen.timed_out else "too many tests ended the process"
    return f"{seen.unreached} tests did not run: {why}"


def _crashed(seen: Seen) -> str:
    how = f"ended with {in_words(seen.exit_code)}"
    what = "the test process" if seen.started else "the tests could not be started: the process"
    return f"{what} {how}{_after(seen.last_words)}"


def _foreign(modules: tuple[tuple[str, str], ...]) -> str:
    name, path = modules[0]
    others = f" (and {len(modules) - 1} more)" if len(modules) > 1 else ""
    return (
        f"the tests ran against other code: module {name} was loaded from {path}{others}, not from"
        " the project. Install the project editable (`pip install -e .`) or remove the other copy"
    )
