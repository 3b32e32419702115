"""The pytest plug-in: what each test did, as records. Works with pytest 7, 8 and 9."""

from __future__ import annotations

import os
import re
import sys
import traceback
from typing import Any, Dict, Iterator, List, Optional, Set

import pytest

from .naming import named
from .observer import Observer
from .stacks import Root
from .whole import overridden
from .wire import OUTPUT, PRINTED, TEXT, Writer, clean, label

__all__ = ["Plugin", "arguments"]

CONFTEST = "conftest.py"
TRACEBACK = re.compile(r"^Traceback \(.*\n(?: .*\n)+", re.MULTILINE)
ATTRIBUTE = "clew_crash"  # survives pytest's own copying of reports
SUBTESTS = ("SubtestReport", "SubTestReport")  # pytest's own, and the plug-in's


def arguments(given: List[str], cache: str) -> List[str]:
    """Return pytest's arguments: those given, then ours."""
    return [
        *given,
        "--maxfail=0",
        "--continue-on-collection-errors",
        "-o",
        "cache_dir=" + cache,
        "-o",
        "faulthandler_timeout=0",
    ]


class Story:
    """What the reports of one test add up to."""

    def __init__(self) -> None:
        self.outcome = ""
        self.phase = "call"
        self.seconds = 0.0
        self.crash: Optional[Dict[str, Any]] = None
        self.output = ""

    def add(self, report: Any) -> None:
        part = type(report).__name__ in SUBTESTS
        if part and not report.failed:
            return  # the whole says it
        self.seconds += float(getattr(report, "duration", 0.0) or 0.0)
        text = "\n".join("{}\n{}".format(*section) for section in report.sections)
        if len(text) > len(self.output):  # later reports repeat what earlier ones held
            self.output = text
        if report.outcome == "rerun":
            self.outcome, self.crash = "", None
        elif report.failed and self.outcome not in ("failed", "error"):
            self.outcome = "failed" if report.when == "call" else "error"
            self.phase = report.when
            self.crash = getattr(report, ATTRIBUTE, None) or told(report)
        elif report.skipped and self.outcome in ("", "passed"):
            self.outcome = "xfailed" if hasattr(report, "wasxfail") else "skipped"
            self.phase = report.when
        elif report.passed and report.when == "call" and not self.outcome:
            self.outcome = "xpassed" if hasattr(report, "wasxfail") else "passed"

    def record(self, outcome: str = "") -> Dict[str, Any]:
        found: Dict[str, Any] = {
            "outcome": self.outcome or outcome,
            "phase": self.phase,
            "seconds": round(self.seconds, 6),
        }
        if self.crash is not None:
            found["crash"] = self.crash
        if self.output:
            found["output"] = clean(self.output, PRINTED)
        return found


def told(report: Any) -> Dict[str, Any]:
    """Make do with what a report says when its exception is out of reach."""
    long = report.longrepr
    crash = getattr(long, "reprcrash", None)
    text = str(getattr(crash, "message", "") or long or "")
    kind, _, rest = text.partition(":")
    if text.startswith("[XPASS(strict)]"):
        kind, rest = "XPASS(strict)", text[len("[XPASS(strict)]") :]
    elif not rest or not kind.isidentifier():
        kind, rest = "Failed", text
    return {
        "type": clean(kind, 200),
        "message": clean(rest.strip(), TEXT),
        "frames": [],
        "details": clean(getattr(report, "longreprtext", "") or "", OUTPUT),
    }


class Plugin(Observer):
    """Handed to `pytest.main`; writes records as tests go by."""

    def __init__(self, request: Dict[str, Any], writer: Writer, place: Root) -> None:
        super().__init__(request, writer, place)
        self.story: Optional[Story] = None
        self.config: Any = None
        self.item: Any = None  # the one that ran last
        self.at_work: Any = None
        self.configured = False  # what loads before the first test file has loaded
        self.refused = False  # pytest's command line, or its settings
        self.plugins: Set[int] = set()  # that were there before the first file of tests

    # The command line

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_parse(self, pluginmanager: Any) -> Any:
        self.config = pluginmanager.get_plugin("pytestconfig")
        outcome = yield
        self.refusal(outcome)

    def refusal(self, outcome: Any) -> None:
        """Write down what pytest does not take of its command line, or of its settings."""
        error = outcome.excinfo[1] if outcome.excinfo else None
        if not isinstance(error, pytest.UsageError):
            return
        if error.__cause__ is not None and self.unquoted(error.__cause__):
            self.broke_down(error.__cause__)  # told by newer ones without the setting
        else:
            self.broken(error, self.config)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> Any:
        self.look_again()
        self.collecting(CONFTEST)
        outcome = yield
        self.disarm()
        if outcome.excinfo is not None:
            self.broken(outcome.excinfo[1], early_config)
        self.configured = outcome.excinfo is None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config: Any) -> Any:
        if self.only:
            config.args = self.files(config) or config.args
        outcome = yield
        self.refusal(outcome)

    def files(self, config: Any) -> List[str]:
        """Return the files that hold the tests asked for, so that no others are collected."""
        found: List[str] = []
        for name in sorted(self.only):
            path = os.path.join(str(config.rootpath), name.split("::", 1)[0])
            if path not in found and os.path.exists(path):
                found.append(path)
        return found

    # Collection

    def pytest_sessionstart(self, session: Any) -> None:
        self.plugins = {id(each) for each in session.config.pluginmanager.get_plugins()}
        self.write(
            "start",
            python=sys.version.split()[0],
            executable=sys.executable,
            runner="pytest " + pytest.__version__,
            rootdir=clean(str(session.config.rootpath)),
            held=self.levers.held,
        )

    def strange(self) -> Iterator[str]:
        """Name methods that the test at work has of its own, and plug-ins of the product."""
        yield from (
            "{}.{}".format(type(self.at_work).__name__, n) for n in overridden(self.at_work)
        )
        for each in self.config.pluginmanager.get_plugins():
            name = getattr(each, "__name__", None) or type(each).__module__
            path = getattr(sys.modules.get(name), "__file__", None) or ""
            inside = self.place.scope.path(path) if path else None
            if id(each) not in self.plugins and inside and not self.is_test(inside):
                yield "the plug-in {}".format(name)

    def names(self, config: Any) -> List[str]:
        """Return what the settings say of which files are tests."""
        known = config.pluginmanager.hasplugin("python")  # it can be switched off
        patterns = config.getini("python_files") if known else ()
        return named(patterns, config.getini("testpaths"), str(config.rootpath), self.place)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        self.collecting(label(collector.nodeid) or ".")
        outcome = yield
        self.disarm()
        report = outcome.get_result() if outcome.excinfo is None else None
        call = getattr(report, "call", None)
        error = getattr(getattr(call, "excinfo", None), "value", None)
        if report is not None and report.failed and error is not None:
            report.__dict__[ATTRIBUTE] = self.place.crash(cause(error), report.longreprtext)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            crash = getattr(report, ATTRIBUTE, None) or told(report)
            self.unloaded(label(report.nodeid), crash)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: Any, items: List[Any]) -> None:
        kept = self.ordered(items, lambda item: label(item.nodeid))
        dropped = [item for item in items if not self.wanted(label(item.nodeid))]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
        items[:] = kept

    def pytest_collection_finish(self, session: Any) -> None:
        self.write("named", names=self.names(session.config))
        self.collected([(label(item.nodeid), file_of(item)) for item in session.items])

    # Tests

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.story = Story()
        self.keep_tests(getattr(item, "module", None))
        self.running(label(item.nodeid))
        self.at_work = item
        outcome = yield
        if outcome.excinfo is None:
            self.item = item
            self.ran(**self.story.record("error"))

    def halt(self) -> None:
        """Begin no further test: a status of its own for that would be an interruption."""
        items = self.item.session.items
        del items[items.index(self.item) + 1 :]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self.phase = "setup"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self) -> None:
        self.phase = "call"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self) -> None:
        self.phase = "teardown"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        outcome = yield
        if outcome.excinfo is None and call.excinfo is not None:
            report = outcome.get_result()
            if report.failed:
                crash = self.place.crash(call.excinfo.value, report.longreprtext)
                if not any(frame.get("project") for frame in crash["frames"]):
                    crash["frames"].append(self.home(item))
                report.__dict__[ATTRIBUTE] = crash

    def home(self, item: Any) -> Dict[str, Any]:
        """Return where a test stands: an example in a docstring has no frame of its own."""
        path, line, name = item.location
        return self.place.point(
            os.path.join(str(item.config.rootpath), path), (line or 0) + 1, name
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if self.story is not None:
            self.story.add(report)

    # What goes wrong

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        """Count a test that stops pytest as failed; a fixture that does has its reasons."""
        planned = isinstance(excinfo.value, pytest.exit.Exception)
        if self.phase == "collect" or (planned and self.phase != "call"):
            self.write("broken", text=clean(str(excinfo.value)))
            return
        crash = self.place.crash(excinfo.value)
        self.result(self.now, outcome="failed", phase=self.phase, crash=crash)
        self.leave_by_test()

    def pytest_internalerror(self, excrepr: Any, excinfo: Any) -> None:
        if self.configured and self.now == CONFTEST and not self.by_code(excinfo.value):
            self.broke_down(excinfo.value)
        elif self.phase == "collect" and self.now:
            self.broken(excinfo.value, self.config)
        else:
            self.write("broken", text=clean(str(excrepr), OUTPUT))

    def broke_down(self, error: BaseException) -> None:
        """Write down that something raised where pytest does not expect it."""
        crash = self.place.crash(error)
        setting = self.unquoted(error)
        where = ["{path}:{line}: ".format(**frame) for frame in crash["frames"][-1:]]
        if setting or self.by_pytest(error):
            self.refused = True
            where = [setting + ": "] if setting else []
        step = ""
        if isinstance(error, Warning):
            step = "\na warning is an error here: mend its cause, or except it in filterwarnings"
        text = "{}{type}: {message}{}".format("".join(where), step, **crash)
        self.write("broken", text=text, settings=self.settings())

    def settings(self) -> str:
        """Return the file of pytest's settings, where it came so far as to find it."""
        return clean(self.place.relative(str(getattr(self.config, "inipath", None) or "")))

    def by_pytest(self, error: BaseException) -> bool:
        """Say whether pytest raised before it was set up: neither the project did, nor a plug-in.

        What is called first inside the last hook is its own then.
        """
        stack = [frame.f_globals for frame, _ in traceback.walk_tb(error.__traceback__)]
        names = [str(known.get("__name__")).partition(".")[0] for known in stack]
        inner = names[::-1][: names[::-1].index("pluggy")] if "pluggy" in names else []
        own = any(frame.get("project") for frame in self.place.crash(error)["frames"])
        return inner[-1:] == ["_pytest"] and not own and self.now in ("", CONFTEST)

    def unquoted(self, error: BaseException) -> str:
        """Name the setting, and its file, that pytest could not split into words."""
        known: Dict[str, Any] = {}
        for frame, _ in traceback.walk_tb(error.__traceback__):
            config = known.get("self")
            splitting = frame.f_globals.get("__name__") == "shlex"
            if splitting and isinstance(config, pytest.Config):
                if "env_addopts" in known:
                    return "PYTEST_ADDOPTS"
                where = str(config.inipath or "the command line")
                return "{} in {}".format(known["name"], self.place.relative(where))
            known = frame.f_locals
        return ""

    def by_code(self, error: BaseException) -> bool:
        """Say whether an exception may come from the code under test, not from who called it."""
        frames = self.place.crash(error)["frames"]
        ours = [frame["path"] for frame in frames if frame.get("project")]
        called = bool(ours) and not ours[-1].endswith(CONFTEST)
        return called or isinstance(error, ImportError)

    def broken(self, error: BaseException, config: Any) -> None:
        """Write down that a conftest, or what it imports, does not load."""
        if type(error).__name__ == "UsageError":
            text = TRACEBACK.sub("", clean(str(error)))
            self.write("broken", text=text, settings=self.settings())
            return
        name, path = self.now, getattr(error, "path", None)
        if path is not None and hasattr(config, "rootpath"):
            name = os.path.relpath(str(path), str(config.rootpath)).replace(os.sep, "/")
        crash = self.place.crash(cause(error))
        self.unloaded(clean(name), crash)

    def unloaded(self, name: str, crash: Any) -> None:
        """Write down that a file of tests does not load."""
        root = str(getattr(self.config, "rootpath", ""))
        path = os.path.join(root, name.split("::", 1)[0])
        file = clean(self.place.relative(path)) if os.path.isfile(path) else ""
        self.result(name, file=file, outcome="error", phase="collect", crash=crash)

    def heard(self) -> str:
        capture = self.config and self.config.pluginmanager.getplugin("capturemanager")
        if not capture:
            return ""
        return clean("\n".join(part for part in capture.read_global_capture() if part), OUTPUT)


def cause(error: BaseException) -> BaseException:
    """Return the exception that pytest wrapped to say that a file does not load."""
    name = type(error).__name__
    if name == "CollectError" and error.__cause__ is not None:
        return error.__cause__
    if name == "ConftestImportFailure":
        inner = getattr(error, "cause", None)
        if inner is None:
            inner = error.__cause__ or (getattr(error, "excinfo", None) or (None, None))[1]
        if isinstance(inner, BaseException):
            return inner
    return error


def file_of(item: Any) -> str:
    return str(getattr(item, "path", None) or getattr(item, "fspath", ""))
