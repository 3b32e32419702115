"""unittest, with records. Works without pytest, with the arguments `python -m unittest` takes."""

from __future__ import annotations

import sys
import time
import unittest
import unittest.loader
from typing import Any, Dict, Iterator, List, Tuple

from .naming import named
from .observer import Observer
from .stacks import Root
from .wire import PRINTED, Writer, clean, label

__all__ = ["UnittestSession"]

REFUSED, NO_TESTS = 4, 5


class UnittestSession(Observer):
    """One run of `python -m unittest`; the status is 0 green, 1 red, 5 without any test.

    4 says that unittest did not take its command line.
    """

    def __init__(self, request: Dict[str, Any], writer: Writer, place: Root) -> None:
        super().__init__(request, writer, place)
        self.arguments = list(request["args"])
        self.broken: Dict[str, BaseException] = {}
        self.red = False
        self.unknown = False  # a name on the command line
        self.told: Any = None

    def run(self) -> int:
        self.remember_import_failures()
        self.look_at_judges()
        self.collecting(".")
        self.write(
            "start",
            python=sys.version.split()[0],
            executable=sys.executable,
            runner="unittest",
            rootdir=clean(self.place.roots[0]),
            held=self.levers.held,
        )
        try:
            program = UnittestProgram(self)
        except (Exception, SystemExit) as error:
            if self.by_project(error):
                raise
            return self.end_unread(error)
        self.disarm()
        pattern = getattr(program, "pattern", None)
        self.write("named", names=named([pattern] if pattern else [], (), "", self.place))
        tests = self.sound(list(flat(program.test)))
        if self.unknown:
            return REFUSED
        self.told = UnittestResult(self, tests)
        unittest.TestSuite(tests).run(self.told)
        if self.red:
            return 1
        return 0 if tests or self.done else NO_TESTS

    def end_unread(self, error: BaseException) -> int:
        """Return the status of a command line that unittest refused, or took for a question."""
        self.disarm()
        if isinstance(error, SystemExit):  # unittest itself says why
            return REFUSED if error.code else NO_TESTS
        self.write("broken", text="{type}: {message}".format(**self.place.crash(error)))
        return REFUSED

    def by_project(self, error: BaseException) -> bool:
        """Say whether the project's own code was at work."""
        return any(frame.get("project") for frame in self.place.crash(error)["frames"])

    def halt(self) -> None:
        self.told.stop()

    def sound(self, tests: List[unittest.TestCase]) -> List[unittest.TestCase]:
        found = []
        for test in tests:
            if isinstance(test, unittest.loader._FailedTest):  # type: ignore[attr-defined] # noqa: SLF001  # its only name
                self.not_loaded(test)
            else:
                found.append(test)
        kept: List[unittest.TestCase] = self.ordered(found, name)
        self.collected([(name(test), file_of(test)) for test in kept])
        return kept

    def not_loaded(self, test: Any) -> None:
        label = clean(test._testMethodName)  # noqa: SLF001
        error = self.broken.get(test._testMethodName, test._exception)  # noqa: SLF001
        crash = self.place.crash(error, str(test._exception))  # noqa: SLF001
        named = [word for word in self.arguments if label in word]
        lacking = isinstance(error, (ModuleNotFoundError, AttributeError))
        if named and lacking and not self.by_project(error):
            self.unknown = True
            self.write("broken", text="{}: {}".format(named[0], crash["message"]))
            return
        self.red = True
        self.result(label, outcome="error", phase="collect", crash=crash)

    def remember_import_failures(self) -> None:
        """Keep the exceptions that unittest turns into text."""
        for maker in ("_make_failed_import_test", "_make_failed_test"):
            inner = getattr(unittest.loader, maker, None)
            if inner is not None:
                setattr(unittest.loader, maker, self.remembering(inner))

    def remembering(self, inner: Any) -> Any:
        def make(label: str, *rest: Any) -> Any:
            error = sys.exc_info()[1]
            error = (
                error
                if error is not None
                else next((item for item in rest if isinstance(item, BaseException)), None)
            )
            if error is not None:
                self.broken[label] = error
            return inner(label, *rest)

        return make


class UnittestProgram(unittest.TestProgram):
    """Reads the arguments and loads the tests; running them is the session's."""

    test: Any

    def __init__(self, session: UnittestSession) -> None:
        super().__init__(module=None, argv=["python -m unittest", *session.arguments], exit=False)

    def runTests(self) -> None:  # noqa: N802  # the name it is called by
        """Leave the loaded tests where they are."""


class UnittestResult(unittest.TestResult):
    """Tells the session how each test ended."""

    def __init__(self, session: UnittestSession, tests: List[unittest.TestCase]) -> None:
        super().__init__()
        self.session = session
        self.tests = tests
        self.buffer = True
        self.clock = time.perf_counter
        self.began = 0.0
        self.story: Dict[str, Any] = {}

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802  # the name it is called by
        super().startTest(test)
        self.story = {}
        self.session.running(name(test))
        self.session.phase = "call"
        self.began = self.clock()

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802  # the name it is called by
        seconds = self.clock() - self.began
        output = self.printed()
        super().stopTest(test)
        story = {"outcome": "passed", "phase": "call", **self.story}
        if output:
            story["output"] = clean(output, PRINTED)
        self.session.ran(seconds=round(seconds, 6), **story)

    def printed(self) -> str:
        parts = [getattr(self, "_stdout_buffer", None), getattr(self, "_stderr_buffer", None)]
        return "\n".join(part.getvalue() for part in parts if part is not None and part.getvalue())

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802  # the name it is called by
        super().addError(test, err)
        if type(test).__name__ == "_ErrorHolder":
            self.fixture(str(test.id()), err)
        else:
            self.failed("error" if self.own_setup(err) else "failed", err)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802  # the name it is called by
        super().addFailure(test, err)
        self.failed("failed", err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802  # the name it is called by
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed("failed", err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802  # the name it is called by
        super().addSkip(test, reason)
        if not self.story:
            self.story = {"outcome": "skipped"}
        if not self.testsRun or type(test).__name__ == "_ErrorHolder":
            for label in self.concerned(str(test.id())):
                self.session.result(label, outcome="skipped", phase="setup")

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802  # the name it is called by
        super().addExpectedFailure(test, err)
        self.story = {"outcome": "xfailed"}

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802  # the name it is called by
        super().addUnexpectedSuccess(test)
        crash = {"type": "UnexpectedSuccess", "message": "marked expectedFailure, yet it passes"}
        self.session.red = True
        self.story = {"outcome": "failed", "crash": {**crash, "frames": []}}

    def failed(self, outcome: str, err: Tuple[Any, BaseException, Any]) -> None:
        self.session.red = True
        if self.story.get("outcome") not in ("failed", "error"):
            phase = "setup" if outcome == "error" else "call"
            crash = self.session.place.crash(err[1])
            self.story = {"outcome": outcome, "phase": phase, "crash": crash}

    def own_setup(self, err: Tuple[Any, BaseException, Any]) -> bool:
        """Say whether the exception came out of `setUp`, `tearDown` or a clean-up."""
        tb = err[2]
        while tb is not None:
            if tb.tb_frame.f_code.co_name in ("setUp", "asyncSetUp", "tearDown", "asyncTearDown"):
                return True
            tb = tb.tb_next
        return False

    def fixture(self, label: str, err: Tuple[Any, BaseException, Any]) -> None:
        """Record that a class or module fixture raised: none of its tests ran, or all have."""
        self.session.red = True
        crash = self.session.place.crash(err[1])
        before = label.startswith("setUp")
        names = self.concerned(label) if before else []
        for test in names or [clean(label)]:
            phase = "setup" if before else "teardown"
            self.session.result(test, outcome="error", phase=phase, crash=crash)

    def concerned(self, label: str) -> List[str]:
        kind, _, rest = label.partition(" (")
        owner = rest.rstrip(")")
        if kind not in ("setUpClass", "setUpModule") or not owner:
            return []
        return [name(test) for test in self.tests if name(test).startswith(owner + ".")]


def name(test: unittest.TestCase) -> str:
    return label(test.id())


def file_of(test: unittest.TestCase) -> str:
    module = sys.modules.get(type(test).__module__)
    return getattr(module, "__file__", None) or ""


def flat(suite: Any) -> Iterator[unittest.TestCase]:
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flat(item)
        else:
            yield item
