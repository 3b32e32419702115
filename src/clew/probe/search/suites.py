"""The tests as the search sees them: collected once, run any number of times in one process."""

from __future__ import annotations

import copy
import os
import random
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

__all__ = ["After", "Collected", "Suite", "Test", "TimeUp", "chained", "mutable_copy"]


class TimeUp(BaseException):
    """The processor time of one test is used up, or its time on the clock."""

    waited = False  # it was the clock


class SuiteOutcome(NamedTuple):
    """`error` is None when the test passed."""

    error: Optional[BaseException]
    phase: str = "call"
    skipped: bool = False

    @property
    def green(self) -> bool:
        return self.error is None and not self.skipped


class Test:
    """One collected test."""

    __test__ = False

    def __init__(self, identity: str, path: str) -> None:
        self.id = identity
        self.path = path  # absolute path of its file
        # What lives longer than a module is kept from run to run, unless set-up itself is red.
        self.keep_session = True
        # A bare call that is cut short may leave more behind than the test itself does.
        self.leaves_traces = False
        # Seconds of processor time it is given in any case.
        self.least = 0.0

    def run(self, seed: int = 0) -> SuiteOutcome:
        """Run as the runner would, all fixtures included."""
        raise NotImplementedError

    def fast(self) -> Optional[Callable[[], Any]]:
        """Return a bare call of the test, or None when nothing but a whole run will do."""
        return None


class After(Test):
    """A test that is red only once others ran in the same process: they run before it."""

    def __init__(self, test: Test, others: Sequence[Test]) -> None:
        super().__init__(test.id, test.path)
        self.test = test
        self.others = list(others)
        self.leaves_traces = True
        self.least = test.least

    def run(self, seed: int = 0) -> SuiteOutcome:
        """Run the others, whatever they come to, and then the test."""
        for other in self.others:
            other.run(seed)
        self.test.keep_session = self.keep_session
        return self.test.run(seed)


def chained(tests: Dict[str, Test], after: Dict[str, List[str]]) -> Dict[str, Test]:
    """Return tests by id, those that depend on earlier ones together with them."""
    found = dict(tests)
    for identity, others in after.items():
        if identity in tests:
            found[identity] = After(tests[identity], [tests[i] for i in others if i in tests])
    return found


class Collected(NamedTuple):
    """What a collection brought: tests in order, and the errors by the id of what failed."""

    tests: List[Test]
    errors: Dict[str, BaseException]


class Suite:
    """A runner. `collect` calls back in the middle of a session, with everything set up."""

    def collect(self, use: Callable[[Collected], None]) -> None:
        raise NotImplementedError


def settle(cwd: str, seed: int = 0) -> None:
    """Put back what a test may have moved."""
    random.seed(20230517 + seed)
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    if here != cwd:
        os.chdir(cwd)


IMMUTABLE = (int, float, str, bytes, bool, complex, type(None), frozenset, type, range)


def is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return all(is_plain(item) for item in value)
    return isinstance(value, IMMUTABLE) or callable(value)


def mutable_copy(values: Dict[str, Any]) -> Callable[[], Dict[str, Any]]:
    """Return a function that makes fresh arguments; what cannot be copied is passed as it is."""
    values = dict(values)
    if all(is_plain(value) for value in values.values()):
        return lambda: values
    kept: Dict[str, Any] = {}
    fresh: Dict[str, Any] = {}
    for name, value in values.items():
        try:
            fresh[name] = None if is_plain(value) else copy.deepcopy(value)
        except Exception:  # noqa: BLE001 - a project's objects may refuse in any way
            kept[name] = value
            continue
        if is_plain(value):
            kept[name] = value
            del fresh[name]

    def make() -> Dict[str, Any]:
        return {**kept, **{name: copy.deepcopy(value) for name, value in fresh.items()}}

    return make


def wanted(tests: Sequence[Test], ids: Sequence[str]) -> List[Test]:
    known = {test.id: test for test in tests}
    return [known[i] for i in ids if i in known]
