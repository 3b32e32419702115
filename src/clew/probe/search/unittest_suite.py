"""unittest: its own loader, our runner."""

from __future__ import annotations

import contextlib
import copy
import importlib
import os
import sys
import unittest
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..wire import label
from .properties import LEAST, hasten
from .pytest_suite import Collecting, run_case
from .suites import Collected, Suite, SuiteOutcome, Test, TimeUp, settle

__all__ = ["UnittestSuite"]


class UnittestTest(Test):
    """A case of unittest."""

    def __init__(self, case: unittest.TestCase, cwd: str, scratch: str) -> None:
        module = sys.modules.get(type(case).__module__)
        super().__init__(label(case.id()), os.path.abspath(getattr(module, "__file__", None) or ""))
        self.case = case
        self.cwd = cwd
        method = getattr(case, getattr(case, "_testMethodName", ""), None)
        if hasten(method, scratch):
            self.least = LEAST

    def fresh(self) -> unittest.TestCase:
        """Return the case as it was loaded: `load_tests` may have given it arguments."""
        case = copy.copy(self.case)
        vars(case)["_cleanups"] = []
        return case

    def run(self, seed: int = 0) -> SuiteOutcome:
        settle(self.cwd, seed)
        result = Collecting()
        unittest.TestSuite([self.fresh()]).run(result)
        settle(self.cwd)
        if isinstance(result.error, TimeUp):
            raise result.error
        return SuiteOutcome(result.error, "call", bool(result.skips))

    def fast(self) -> Optional[Callable[[], Any]]:
        cls: Any = type(self.case)
        module = sys.modules.get(cls.__module__)
        base: Any = unittest.TestCase
        if getattr(cls.setUpClass, "__func__", None) is not base.setUpClass.__func__:
            return None
        if hasattr(module, "setUpModule"):
            return None
        return lambda: run_case(self.fresh(), self.cwd)


class UnittestSuite(Suite):
    """`python -m unittest` with the person's arguments."""

    def __init__(self, args: Sequence[str], scratch: str) -> None:
        self.args = list(args)
        self.scratch = scratch

    def collect(self, use: Callable[[Collected], None]) -> None:
        cwd = os.getcwd()
        loaded: List[Any] = []

        class Runner:
            def run(self, suite: Any) -> unittest.TestResult:
                loaded.append(suite)
                return unittest.TestResult()

        runner: Any = Runner()
        with contextlib.suppress(SystemExit):
            unittest.main(
                module=None, argv=["python -m unittest", *self.args], exit=False, testRunner=runner
            )
        tests: List[Test] = []
        errors: Dict[str, BaseException] = {}
        for case in flat(loaded):
            if type(case).__name__ == "_FailedTest":
                errors[name_of(case)] = import_error(case)
            else:
                tests.append(UnittestTest(case, cwd, self.scratch))
        use(Collected(tests, errors))


def name_of(case: Any) -> str:
    """Return the name of a case's method; of a module that did not load, its own."""
    return str(case._testMethodName)  # noqa: SLF001 - unittest offers no other


def flat(suite: Any) -> List[Any]:
    if isinstance(suite, (list, unittest.TestSuite)):
        return [case for item in suite for case in flat(item)]
    return [suite]


def import_error(case: Any) -> BaseException:
    """Return the exception that kept a module from loading: the loader keeps only its text."""
    kept: BaseException = case._exception  # noqa: SLF001 - as above
    try:
        importlib.import_module(name_of(case))
    except Exception as error:  # noqa: BLE001 - whatever the import of the project raises
        return error
    return kept
