"""Red tests that a change has taken away: gone, skipped, or expected to fail.

Nothing is mended by that. A test is still there if it runs, red or green; under another name, too,
if it stands with the same body where none stood before. Of a file that did not load the tests are
known by its text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property

import msgspec

from clew.analysis.tampering.counting import Counts, counts
from clew.analysis.tampering.muting import Written, tests_of
from clew.analysis.tampering.places import Place, file_of, place_of, within
from clew.analysis.tampering.steering import belongs
from clew.analysis.testfiles import is_test_path
from clew.words.facts import CaseOutcome, Phase, Runner, TestResult, TestRun, Verdict

__all__ = ["Taken", "Texts", "taken_away"]

LIVE = (CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.ERROR)
HELPERS = ("conftest.py", "__init__.py")
GONE = "is gone"
IDLE = "runs no test"


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One red test, or a file with none that is left."""

    test: str
    how: str
    file: str = ""  # that did not load, and that it belongs to, by its id

    def __str__(self) -> str:
        return f"{self.test} {self.how}"


class Texts(msgspec.Struct, frozen=True, kw_only=True):
    """The files of the tests, before a change and after it."""

    files: tuple[str, ...]  # of the project, before
    changed: tuple[str, ...]
    edited: tuple[str, ...]  # of them those of tests, which a person let be changed
    before: Callable[[str], bytes | None]
    after: Callable[[str], bytes | None]
    selective: bool  # settings may choose among the tests of a file


def taken_away(
    first: TestRun, run: TestRun, failing: Collection[str], texts: Texts
) -> tuple[Taken, ...]:
    """Return which of the `failing` tests of a first run a later one does not run."""
    if run.verdict is Verdict.DID_NOT_RUN or run.timed_out:
        return ()
    look = _Look(first, run, texts)
    found: list[Taken] = []
    for result in first.red:
        if result.id not in failing:
            continue
        unloaded = result.phase is Phase.COLLECT
        found += look.of_file(result.id) if unloaded else look.of_test(result.id)
    if run.command.runner is Runner.COMMAND and failing:
        found += _by_text(texts)
    return tuple(found)


def _by_text(texts: Texts) -> Iterator[Taken]:
    """Look at files alone: a command does not say which tests it runs."""
    before, after = Counts(), Counts()
    paths = [path for path in texts.edited if is_test_path(path)]
    for path in paths:
        before = before.plus(counts(texts.before(path)))
        after = after.plus(counts(texts.after(path)))
        if texts.after(path) is None and not path.endswith(".py"):
            yield Taken(test=path, how=GONE)
    plain = [msgspec.structs.replace(each, assertions=0) for each in (before, after)]
    for how in plain[1].weaker(plain[0]):
        yield Taken(test=", ".join(paths), how=f"has other numbers: {how}")


class _Read:
    """The tests that are written in files, each read once."""

    def __init__(self, look: _Look, show: Callable[[str], bytes | None]) -> None:
        self.look = look
        self.show = show
        self.known: dict[str, dict[str, Written]] = {}

    def __call__(self, path: str) -> dict[str, Written]:
        if path not in self.known:
            text = self.show(path) if path.endswith(".py") else None
            self.known[path] = tests_of(text, self.look.ours)
        return self.known[path]


class _Look:
    def __init__(self, first: TestRun, run: TestRun, texts: Texts) -> None:
        self.first = first
        self.run = run
        self.texts = texts
        self.now = {result.id: result for result in run.results}
        self.before = _Read(self, texts.before)
        self.after = _Read(self, texts.after)
        self.files = tuple(dict.fromkeys((*texts.files, *texts.changed)))

    @cached_property
    def ours(self) -> frozenset[str]:
        """The names of the project's modules and folders."""
        return frozenset(p.removesuffix(".py") for file in self.files for p in file.split("/"))

    @cached_property
    def placed(self) -> dict[Place, list[TestResult]]:
        """What was run, by its place."""
        found: dict[Place, list[TestResult]] = {}
        for result in self.run.results:
            place = place_of(result.id, self.files)
            if result.phase is not Phase.COLLECT and place:
                found.setdefault(place, []).append(result)
        return found

    @cached_property
    def fresh(self) -> tuple[tuple[Place, Written], ...]:
        """The tests that stand where none stood before."""
        return tuple(
            ((path, name), test)
            for path in self.texts.changed
            for name, test in self.after(path).items()
            if name not in self.before(path)
        )

    @cached_property
    def news(self) -> bool:
        """Whether a test runs that was not known before."""
        known = {result.id for result in self.first.results}
        return any(r.outcome in LIVE and r.id not in known for r in self.run.results)

    def of_test(self, test: str) -> Iterator[Taken]:
        """Look for a test that is known by its id."""
        result = self.now.get(test)
        if result is not None:
            if result.outcome not in LIVE:
                yield Taken(test=test, how=_muted([result]))
        elif not self.hidden(test) and not self.replaced(test) and not self.moved(test):
            yield Taken(test=test, how=GONE)

    def hidden(self, test: str) -> bool:
        """Tell whether its file does not load: that is red, and no news of the test."""
        red = (result.id for result in self.run.red if result.phase is Phase.COLLECT)
        return any(within(test, file) or belongs(test, file) for file in red)

    def replaced(self, test: str) -> bool:
        """Tell whether a test has other cases, and no fewer: a case is named by its values."""
        name, found, _ = test.partition("[")
        if not found:
            return False
        then = sum(result.id.startswith(f"{name}[") for result in self.first.results)
        now = [result for result in self.run.results if result.id.startswith(f"{name}[")]
        return sum(result.outcome in LIVE for result in now) >= then

    def moved(self, test: str) -> bool:
        """Tell whether a test runs elsewhere, with the same case of it."""
        place = place_of(test, self.files)
        case = test[test.find("[") :] if "[" in test else ""
        return place is not None and any(
            result.id.endswith(case) for result in self.elsewhere(place)
        )

    def elsewhere(self, place: Place) -> tuple[TestResult, ...]:
        path, name = place
        test = self.before(path).get(name)
        return tuple(
            result
            for new, other in (self.fresh if test else ())
            if test and other.body == test.body
            for result in self.placed.get(new, ())
            if result.outcome in LIVE
        )

    def of_file(self, file: str) -> Iterator[Taken]:
        """Look for the tests of a file that did not load."""
        if file in self.now and self.now[file].outcome.red:
            return
        path = file_of(file, self.texts.files)
        inside = [
            result
            for result in self.run.results
            if within(result.id, file) or (path and belongs(result.id, path))
        ]
        if path.endswith(HELPERS):
            return
        lost = [taken for name in self.before(path) for taken in self.of_name(file, (path, name))]
        yield from lost
        runs = any(result.outcome in LIVE for result in inside)
        moved = any(self.elsewhere((path, name)) for name in self.before(path))
        expected = inside or (is_test_path(path) if path else self.texts.edited and not self.news)
        if (expected or self.before(path)) and not (lost or runs or moved):
            yield Taken(test=file, how=IDLE, file=file)

    def of_name(self, file: str, place: Place) -> Iterator[Taken]:
        path, name = place
        results = self.placed.get(place, [])
        if any(result.outcome in LIVE for result in results):
            return
        named = f"::{name.replace('.', '::')}" if file.endswith(".py") else f".{name}"
        test = f"{file}{named}"
        if results:
            if not self.before(path)[name].own:
                yield Taken(test=test, how=_muted(results), file=file)
        elif self.missed(place) and not self.elsewhere(place):
            yield Taken(test=test, how=GONE, file=file)

    def missed(self, place: Place) -> bool:
        """Tell whether a test should have been run; what a decorator makes of one is not known."""
        path, name = place
        if name not in self.after(path):
            return True
        return not self.texts.selective and self.before(path)[name].plain


def _muted(results: list[TestResult]) -> str:
    skipped = all(result.outcome is CaseOutcome.SKIPPED for result in results)
    return "is skipped" if skipped else "is expected to fail"
