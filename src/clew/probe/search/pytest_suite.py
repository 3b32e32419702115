"""pytest: its own collection, then our loop in place of its own."""

from __future__ import annotations

import contextlib
import os
import unittest
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..wire import label
from .fixtures import Made, makeable
from .properties import LEAST, hasten
from .suites import Collected, Suite, SuiteOutcome, Test, TimeUp, mutable_copy, settle

__all__ = ["PytestSuite", "Served"]

# What every run pays for and no candidate's outcome depends on.
RESTING = {"cov_source": None, "randomly_reset_seed": False, "randomly_reorganize": False}
ASYNC = 0x80 | 0x100 | 0x200  # generator, coroutine, iterable coroutine, asynchronous generator


class PytestTest(Test):
    """An item of pytest."""

    def __init__(self, item: Any, plugin: "SuitePlugin", cwd: str) -> None:
        super().__init__(label(item.nodeid), str(getattr(item, "path", None) or item.fspath))
        self.item = item
        self.plugin = plugin
        self.cwd = cwd
        # Nobody reads the text of a failure here, and it costs as much as the test.
        item.repr_failure = unread
        if hasten(getattr(item, "function", None), plugin.suite.scratch):
            self.least = LEAST
        callspec = getattr(item, "callspec", None)
        self.stores: List[Dict[str, Any]] = [
            store
            for store in (getattr(callspec, "params", None), getattr(callspec, "funcargs", None))
            if store
        ]
        self.fresh = [mutable_copy(store) for store in self.stores]
        # The examples of a docstring empty their namespace behind them.
        self.namespace = getattr(getattr(item, "dtest", None), "globs", None)
        self.names = dict(self.namespace or {})

    def run(self, seed: int = 0) -> SuiteOutcome:
        from _pytest.runner import runtestprotocol  # noqa: PLC0415

        settle(self.cwd, seed)
        for store, make in zip(self.stores, self.fresh):
            store.update(make())
        if self.namespace is not None:
            self.namespace.clear()
            self.namespace.update(self.names)
        self.plugin.errors = []
        outer: Any = Outer(self.item) if self.keep_session else None
        self.end_others()
        warnings = self.plugin.guarded(self.item)
        with warnings:
            reports = runtestprotocol(self.item, log=False, nextitem=outer)
        settle(self.cwd)
        skipped = any(report.skipped for report in reports)
        for report in reports:
            if report.failed:
                error = self.plugin.errors[0] if self.plugin.errors else AssertionError(report.when)
                if isinstance(error, TimeUp):
                    raise error
                return SuiteOutcome(error, report.when, skipped)
        # Only parts of it failed: their reports go elsewhere.
        return SuiteOutcome(next(iter(self.plugin.errors), None), "call", skipped)

    def end_others(self) -> None:
        """Tear down what earlier tests left standing in packages that this one is not part of."""
        state = self.item.session._setupstate  # noqa: SLF001 - there is no other way to tell it
        if set(state.stack) - set(self.item.listchain()):
            with contextlib.suppress(Exception):  # it is none of this test's
                state.teardown_exact(self.item)

    def fast(self) -> Optional[Callable[[], Any]]:
        item = self.item
        if isinstance(getattr(item, "cls", None), type) and issubclass(item.cls, unittest.TestCase):
            return self.fast_case()
        if type(item).__name__ != "Function":
            return None
        function = item.function
        code = getattr(function, "__code__", None)
        if code is None or code.co_flags & (ASYNC | 0x20):
            return None
        parameters: Dict[str, Any] = {}
        for store, make in zip(self.stores, self.fresh):
            parameters.update({**store, **make()})
        # Parametrised directly; a fixture with parameters is made like any other.
        known = item._fixtureinfo.name2fixturedefs  # noqa: SLF001 - there is no other way to tell
        given = {
            name: value
            for name, value in parameters.items()
            if all(d.func.__name__ == "get_direct_param_fixture_func" for d in known.get(name, ()))
        }
        definitions = makeable(item, given)
        names = item._fixtureinfo.argnames  # noqa: SLF001 - as above
        if definitions is None or "request" in names:
            return None
        self.leaves_traces = bool(definitions)
        make = mutable_copy(given)
        cls, name, cwd = item.cls, item.originalname, self.cwd

        def call() -> Any:
            settle(cwd)
            instance = None if cls is None else cls()
            test = function if cls is None else getattr(instance, name)
            if not definitions:
                return test(**{each: value for each, value in make().items() if each in names})
            made = Made(item, definitions, make(), instance)
            try:
                for each in item.fixturenames:
                    if each != "request":
                        made.value(each)
                return test(**{each: made.value(each) for each in names})
            finally:
                made.end()

        return call

    def fast_case(self) -> Optional[Callable[[], Any]]:
        cls: Any = self.item.cls
        base = unittest.TestCase
        plain = (
            getattr(cls.setUpClass, "__func__", None) is base.setUpClass.__func__  # type: ignore[attr-defined]
            and not hasattr(self.item.module, "setUpModule")
            and not hasattr(self.item.module, "setup_module")
            and not issubclass(cls, getattr(unittest, "IsolatedAsyncioTestCase", ()))
        )
        marked = {mark.name for mark in self.item.iter_markers()} - {"filterwarnings"}
        fixtures = [n for n in self.item.fixturenames if not n.startswith("_unittest_")]
        if not plain or marked or any(not n.lower().startswith("_unittest") for n in fixtures):
            return None
        name = getattr(self.item, "originalname", None) or self.item.name
        return lambda: run_case(cls(name), self.cwd)


def unread(*_args: Any, **_kwargs: Any) -> str:
    return "failed"


def run_case(case: unittest.TestCase, cwd: str) -> None:
    """Run one case of unittest and raise what it met."""
    settle(cwd)
    result = Collecting()
    case.run(result)
    if result.error is not None:
        raise result.error
    if result.skips:
        raise unittest.SkipTest(result.skips)


class Collecting(unittest.TestResult):
    """Keeps the exception itself where the base keeps text."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Optional[BaseException] = None
        self.skips = ""

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's own name
        del test
        self.error = self.error or err[1]

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        del test
        self.error = self.error or err[1]

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        del test, subtest
        if err is not None:
            self.error = self.error or err[1]

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        del test
        self.skips = reason or "skipped"

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        del test
        self.error = self.error or AssertionError("unexpected success")


class Outer:
    """Stands for a next item of another module, so that only longer-lived set-up is kept."""

    def __init__(self, item: Any) -> None:
        chain = item.listchain()
        names = [type(node).__name__ for node in chain]
        end = next((i for i, n in enumerate(names) if n in ("Module", "DoctestModule")), 1)
        self.chain = chain[:end]

    def listchain(self) -> List[Any]:
        return list(self.chain)


class SuitePlugin:
    """Our loop in pytest's session, and the exceptions themselves."""

    def __init__(self, suite: "PytestSuite", use: Callable[[Collected], None]) -> None:
        self.suite = suite
        self.use = use
        self.errors: List[BaseException] = []
        self.collect_errors: Dict[str, BaseException] = {}
        self.only = {os.path.basename(path) for path in suite.only}
        self.used = False
        self.config: Any = None

    def pytest_configure(self, config: Any) -> None:
        self.config = config

    def pytest_ignore_collect(self, collection_path: Any) -> Optional[bool]:
        """Pass over test files that are not asked for; conftests and folders are kept."""
        if self.only and collection_path.is_file() and collection_path.name not in self.only:
            return True
        return None

    def pytest_exception_interact(self, node: Any, call: Any, report: Any) -> None:
        if call.excinfo is None:
            return
        if getattr(report, "when", "collect") in (None, "collect"):
            self.collect_errors.setdefault(label(node.nodeid), deepest(call.excinfo.value))
        else:
            self.errors.append(call.excinfo.value)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            error = AssertionError(str(report.longrepr)[:2000])
            self.collect_errors.setdefault(label(report.nodeid), error)

    def guarded(self, item: Any) -> Any:
        """Return the context in which pytest's own protocol runs an item: its warning filters."""
        from _pytest import warnings  # noqa: PLC0415

        if not self.config.pluginmanager.hasplugin("warnings"):
            return Nothing()
        return warnings.catch_warnings_for_item(
            config=self.config, ihook=item.ihook, when="runtest", item=item
        )

    def pytest_runtestloop(self, session: Any) -> bool:
        self.used = True
        cwd = os.getcwd()
        tests: List[Test] = [PytestTest(item, self, cwd) for item in session.items]
        self.use(Collected(tests, self.collect_errors))
        return True


# Ours comes before any other loop: a distributed one would send the tests elsewhere.
SuitePlugin.pytest_runtestloop.pytest_impl = {"tryfirst": True}  # type: ignore[attr-defined]


class Served(Exception):
    """The body of a server is done: pytest need not go on."""


class Server:
    """Stops right before the first conftest."""

    def __init__(self, body: Callable[[], None]) -> None:
        self.body = body

    def pytest_load_initial_conftests(self) -> None:
        self.body()
        raise Served


Server.pytest_load_initial_conftests.pytest_impl = {"tryfirst": True}  # type: ignore[attr-defined]


class Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *details: object) -> None:
        return None


def resting() -> Any:
    """Return the plug-in that puts others out of force, those that only cost time among them."""
    from ..muting import Muting  # noqa: PLC0415 - it imports pytest

    return Muting(RESTING)


def deepest(error: BaseException) -> BaseException:
    """Return the cause of pytest's own collection errors."""
    seen = 0
    while type(error).__name__ == "CollectError" and seen < 10:
        cause = error.__cause__ or error.__context__
        if cause is None:
            break
        error, seen = cause, seen + 1
    return error


class PytestSuite(Suite):
    """pytest with the person's arguments. Plug-ins that would get in the way are told to rest."""

    def __init__(self, args: Sequence[str], scratch: str, only: Sequence[str] = ()) -> None:
        self.args = list(args)
        self.scratch = scratch
        self.only = list(only)

    def options(self) -> List[str]:
        found = ["-s", "-o", "cache_dir=" + os.path.join(self.scratch, "cache")]
        found += ["-o", "faulthandler_timeout=0", "--tb=native", "-q"]
        found += ["--basetemp", os.path.join(self.scratch, "tmp-{}".format(os.getpid()))]
        return found

    def serve(self, body: Callable[[], None]) -> None:
        """Set pytest up as far as it goes without loading a conftest, then call `body`.

        Collections in forks of that place are quick: plug-ins are imported and rewritten already.
        """
        import pytest  # noqa: PLC0415 - the person's own, and only where it is the runner

        try:
            pytest.main([*self.args, *self.options()], plugins=[resting(), Server(body)])
        except Served:
            return

    def collect(self, use: Callable[[Collected], None]) -> None:
        import pytest  # noqa: PLC0415 - the person's own, and only where it is the runner
        from _pytest import config  # noqa: PLC0415

        plugin = SuitePlugin(self, use)
        conftest: List[BaseException] = []
        failure = config.ConftestImportFailure
        before = failure.__init__

        def keep(self: Any, *args: Any, **kwargs: Any) -> None:
            before(self, *args, **kwargs)
            cause = kwargs.get("cause") or getattr(self, "cause", None)
            if cause is None and getattr(self, "excinfo", None):
                cause = self.excinfo[1]
            if isinstance(cause, BaseException):
                conftest.append(cause)

        failure.__init__ = keep  # type: ignore[method-assign]
        try:
            pytest.main([*self.args, *self.options()], plugins=[resting(), plugin])
        finally:
            failure.__init__ = before  # type: ignore[method-assign]
        if not plugin.used:
            errors = dict(plugin.collect_errors)
            if conftest:
                errors["conftest.py"] = deepest(conftest[0])
            use(Collected([], errors))
