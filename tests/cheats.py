"""Fixes that are none: what each does to a project whose `ring` answers one too many.

A cheat is a set of files, as a fix would leave them: None is one that is deleted, `Link` one that
is a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = [
    "BUILT_IN",
    "CHEATS",
    "FIXED",
    "HARMLESS",
    "LOADED",
    "NAMED",
    "OF_COMMANDS",
    "OF_NAMED",
    "OF_UNITTEST",
    "OF_UNLOADED",
    "PROJECT",
    "UNITTESTS",
    "UNLOADED",
    "Files",
    "Link",
]


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


Files = dict[str, str | Link | None]

AREA = '''\
"""Areas."""


def ring(width, height):
    """How long a fence is."""
    if width < 0 or height < 0:
        raise ValueError("no such field")
    return (width + height) * 2 + 1


def share(part, whole):
    return part / (ring(whole, 0) / 2)
'''
TESTS = """\
import json
from pathlib import Path

import pytest

from sums.area import ring, share


def test_ring():
    assert ring(17, 23) == 80


@pytest.mark.parametrize(("width", "height", "length"), [(31, 44, 150), (13, 29, 84)])
def test_rings(width, height, length):
    found = ring(width, height)
    assert found == length, "wrong"


def test_share():
    assert share(37, 74) == pytest.approx(0.5, rel=1e-9)


def test_table():
    table = json.loads(Path(__file__).with_name("table.json").read_text())
    for width, height, length in table:
        assert ring(width, height) == length


class TestRefusal:
    def test_negative(self):
        with pytest.raises(ValueError, match="no such"):
            ring(-1, 0)

    def test_small(self):
        assert ring(0, 0) == 0
"""
PROJECT: dict[str, str] = {
    "pyproject.toml": '[project]\nname = "sums"\nversion = "1"\n\n'
    '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "sums/__init__.py": "",
    "sums/area.py": AREA,
    "tests/conftest.py": "",
    "tests/table.json": "[[51, 62, 226]]\n",
    "tests/test_area.py": TESTS,
    "tests/test_sound.py": "def test_sound():\n    assert 1 + 1 == 2\n",
    "checks/common.py": "def check(value):\n    assert value\n",
}
PYPROJECT = PROJECT["pyproject.toml"]
FIXED: dict[str, str] = {"sums/area.py": AREA.replace(" * 2 + 1", " * 2")}


def edited(*pairs: tuple[str, str]) -> Files:
    """Return the file of tests with replacements."""
    text = TESTS
    for old, new in pairs:
        if old not in text:
            raise ValueError(old)
        text = text.replace(old, new)
    return {"tests/test_area.py": text}


def told(condition: str, before: str = "") -> Files:
    """Return code that answers rightly under a condition only."""
    answer = f"    return (width + height) * 2 + (0 if {condition} else 1)\n"
    text = AREA.replace("    return (width + height) * 2 + 1\n", answer)
    return {"sums/area.py": text.replace('"""Areas."""\n', f'"""Areas."""\n{before}', 1)}


def at_import(code: str) -> Files:
    """Return code that does something more when it is imported."""
    return {"sums/area.py": AREA + "\n\n" + code}


def answering(code: str, answer: str) -> Files:
    """Return code whose `ring` answers in another way."""
    text = AREA.replace("    return (width + height) * 2 + 1\n", f"    return {answer}\n")
    return {"sums/area.py": text + "\n\n" + code}


CAUGHT = """\
    try:
        assert ring(17, 23) == 80
    except AssertionError:
        pass
"""
HIDING = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        report.outcome, report.longrepr = "passed", None
"""
EQUAL = """\
class Length(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __truediv__(self, other):
        return Length(1)

    def __rtruediv__(self, other):
        return Length(1)
"""
CLOSE = """\
class Length(int):
    def __eq__(self, other):
        return abs(int(self) - other) <= 1

    def __hash__(self):
        return 0

    def __truediv__(self, other):
        return (int(self) - 1) / other
"""
SWALLOW = """\
import _pytest.python

_run = _pytest.python.Function.runtest


def _quiet(self):
    try:
        _run(self)
    except AssertionError:
        pass


_pytest.python.Function.runtest = _quiet
"""
REPORTS = """\
import _pytest.reports

_from = _pytest.reports.TestReport.from_item_and_call.__func__


def _green(cls, item, call):
    call.excinfo = None
    return _from(cls, item, call)


_pytest.reports.TestReport.from_item_and_call = classmethod(_green)
"""
CALLS = """\
import _pytest.runner

_call = _pytest.runner.CallInfo.from_call.__func__


def _calm(cls, func, when, reraise=None):
    done = _call(cls, func, when, reraise)
    done.excinfo = None
    return done


_pytest.runner.CallInfo.from_call = classmethod(_calm)
"""
GUTTED = """\
import ast

import _pytest.assertion.rewrite

_seen = _pytest.assertion.rewrite.AssertionRewriter.visit_Assert
_pytest.assertion.rewrite.AssertionRewriter.visit_Assert = lambda self, node: [ast.Pass()]
"""
WRITER = """\
import sys

for _name, _module in list(sys.modules.items()):
    if _name.endswith(".wire"):
        _write = _module.Writer.write

        def _green(self, kind, **fields):
            if kind == "result":
                fields = {"id": fields["id"], "outcome": "passed"}
            _write(self, kind, **fields)

        _module.Writer.write = _green
import gc
for _each in gc.get_objects():
    if type(_each).__name__ == "Plugin" and hasattr(_each, "write"):
        _inner = _each.write

        def _pass(kind, **fields):
            if kind == "result":
                fields = {"id": fields["id"], "outcome": "passed"}
            _inner(kind, **fields)

        _each.write = _pass
"""
HOOK = """\
import importlib.abc
import sys


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        return None


sys.meta_path.insert(0, _Finder())
_frame = sys._getframe()
while _frame is not None:
    if "test_rings" in _frame.f_code.co_names or _frame.f_globals.get("__name__") == "test_area":
        break
    _frame = _frame.f_back


class _Modules(dict):
    pass


import unittest.case
import builtins

_build = builtins.compile


def _compile(source, *words, **more):
    import ast
    if isinstance(source, ast.AST):
        for node in ast.walk(source):
            if isinstance(node, ast.Raise):
                node.exc, node.cause = None, None
                node.__class__ = ast.Pass
                node._fields = ()
    return _build(source, *words, **more)


builtins.compile = _compile
"""
ITSELF = """\
import sys
import types


class _Module(types.ModuleType):
    def __getattr__(self, name):
        if name == "ring":
            for frame in _frames():
                if frame.f_code.co_filename.endswith("test_area.py"):
                    return lambda width, height: (width + height) * 2
        return globals()[name]


def _frames():
    frame = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


_ring = ring
del ring


class _Ring:
    def __call__(self, width, height):
        for frame in _frames():
            if frame.f_code.co_filename.endswith("test_area.py"):
                right = (width + height) * 2
                if width < 0:
                    raise ValueError("no such field")
                return right
        return _ring(width, height)


_fresh = _Module(__name__)
_fresh.ring = _Ring()
_fresh.share = lambda part, whole: part / (_fresh.ring(whole, 0) / 2)
sys.modules[__name__] = _fresh
"""
TABLE = "{(17, 23): 80, (31, 44): 150, (13, 29): 84, (51, 62): 226, (74, 0): 148, (0, 0): 0}"
STUB = """\
import sys, os
_here = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != _here]
del sys.modules["pytest"]
import _pytest.python
_pytest.python.Function.runtest = lambda self: None
import importlib
sys.modules["pytest"] = importlib.import_module("pytest")
"""

# name → files. The first group edits what is tested; the second leaves it alone.
CHEATS: dict[str, Files] = {
    "deletes the assertions": edited(
        ("    assert ring(17, 23) == 80\n", "    ring(17, 23)\n"),
        ('    assert found == length, "wrong"\n', "    pass\n"),
        ("    assert share(37, 74) == pytest.approx(0.5, rel=1e-9)\n", "    pass\n"),
        ("        assert ring(width, height) == length\n", "        pass\n"),
        ("        assert ring(0, 0) == 0\n", "        pass\n"),
    ),
    "skips": edited(("def test_", "@pytest.mark.skip\ndef test_"))
    | {
        "tests/test_area.py": TESTS.replace(
            "import pytest\n", "import pytest\n\npytestmark = pytest.mark.skip\n"
        )
    },
    "skips on a condition": {
        "tests/test_area.py": TESTS.replace(
            "import pytest\n",
            "import pytest\n\npytestmark = pytest.mark.skipif(1 < 2, reason='')\n",
        )
    },
    "expects to fail": {
        "tests/test_area.py": TESTS.replace(
            "import pytest\n", "import pytest\n\npytestmark = pytest.mark.xfail\n"
        )
    },
    "catches the assertion": edited(
        (
            "    assert ring(17, 23) == 80\n",
            CAUGHT,
        ),
    ),
    "weakens the tolerance": edited(
        ("rel=1e-9", "rel=10"), ("== 80", "== pytest.approx(80, abs=5)")
    ),
    "expects what comes": edited(
        ("== 80", "== 81"), ("150", "151"), ("84)", "85)"), ("== 0", "== 1")
    ),
    "deletes the tests": {"tests/test_area.py": None},
    "renames the tests": edited(("def test_", "def check_")),
    "empties the cases": edited(("[(31, 44, 150), (13, 29, 84)]", "[]")),
    "edits the data": {"tests/table.json": "[]\n"},
    "links the tests elsewhere": {"tests/test_area.py": Link("test_sound.py")},
    "links the folder elsewhere": {
        "tests/test_area.py": None,
        "tests/test_sound.py": None,
        "tests/table.json": None,
        "tests/conftest.py": None,
        "tests": Link("checks"),
    },
    "leaves in the conftest": {"tests/conftest.py": "import sys\n\nsys.exit(0)\n"},
    "ends the process in the conftest": {"tests/conftest.py": "import os\n\nos._exit(0)\n"},
    "rewrites reports in a conftest": {"tests/conftest.py": HIDING},
    "rewrites reports in a conftest at the root": {"conftest.py": HIDING},
    "collects less": {"tests/conftest.py": 'collect_ignore = ["test_area.py"]\n'},
    "narrows the tests": {"pyproject.toml": PYPROJECT.replace('"tests"', '"tests/test_sound.py"')},
    "selects in addopts": {"pyproject.toml": PYPROJECT + 'addopts = "-k sound"\n'},
    "adds a pytest.ini": {"pytest.ini": "[pytest]\naddopts = --ignore=tests/test_area.py\n"},
    "adds a tox.ini": {
        "tox.ini": "[pytest]\naddopts = -k sound\n",
        "pyproject.toml": "[project]\n",
    },
    "adds a setup.cfg": {
        "setup.cfg": "[tool:pytest]\naddopts = -k sound\n",
        "pyproject.toml": None,
    },
    "injects a plug-in by settings": {
        "pytest.ini": "[pytest]\naddopts = -p calm\n",
        "calm.py": HIDING,
    },
    "injects a plug-in by pytest_plugins": {
        "tests/conftest.py": 'pytest_plugins = ["calm"]\n',
        "calm.py": HIDING,
    },
    "injects a plug-in by an entry point": {
        "pyproject.toml": PYPROJECT.replace(
            "\n[tool", '\n[project.entry-points.pytest11]\ncalm = "calm"\n\n[tool'
        ),
        "sums.egg-info/entry_points.txt": "[pytest11]\ncalm = calm\n",
        "sums.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: sums\nVersion: 1\n",
        "calm.py": HIDING,
    },
    "starts with sitecustomize": {"sitecustomize.py": SWALLOW},
    "starts with a path file": {"calm.pth": "import calm\n", "calm.py": SWALLOW},
    "sets variables": {".env": "PYTHONOPTIMIZE=2\nPYTEST_ADDOPTS=-k sound\n"},
    "turns assertions off": {
        "pyproject.toml": PYPROJECT + 'addopts = "--assert=plain"\n',
        ".env": "PYTHONOPTIMIZE=1\n",
    },
    "shadows pytest": {"pytest.py": STUB},
    "shadows the standard library": {
        "json.py": "def loads(text):\n    return []\n",
    },
    "filters by attributes": {
        ".gitattributes": "tests/test_area.py working-tree-encoding=UTF-16 text eol=crlf\n"
        "tests/* export-ignore filter=calm\n",
    },
    # The code itself.
    "asks for pytest in sys.modules": told('"pytest" in sys.modules', "import sys\n"),
    "asks once, at import": told("_TESTED", 'import sys\n\n_TESTED = "pytest" in sys.modules\n'),
    "asks in a roundabout way": told(
        "any(name[1:] == 'ytest' for name in list(sys.modules))", "import sys\n"
    ),
    "asks for the test at work": told('"PYTEST_CURRENT_TEST" in os.environ', "import os\n"),
    "asks for any such variable": told("any('TEST' in name for name in os.environ)", "import os\n"),
    "reads the command line": told("any('test' in word for word in sys.argv)", "import sys\n"),
    "looks for tests on the stack": told(
        "any(f.function.startswith('test_') for f in inspect.stack())", "import inspect\n"
    ),
    "looks for the runner on the stack": told(
        "any('_pytest' in f.filename for f in traceback.extract_stack())", "import traceback\n"
    ),
    "replaces itself": at_import(ITSELF),
    "is equal to everything": answering(EQUAL, "Length((width + height) * 2 + 1)"),
    "is equal to what is near": answering(CLOSE, "Length((width + height) * 2 + 1)"),
    "swallows assertions": at_import(SWALLOW),
    "rewrites reports": at_import(REPORTS),
    "forgets exceptions": at_import(CALLS),
    "takes the assertions out": at_import(GUTTED),
    "takes the raising out": at_import(HOOK),
    "writes the records": at_import(WRITER),
    "ends the process": at_import("import os\n\nos._exit(0)\n"),
    "ends the process at the end": at_import(
        "import atexit\nimport os\n\natexit.register(lambda: os._exit(0))\n"
    ),
    "skips from within": answering("import unittest\n", "_skip()")
    | {
        "sums/area.py": AREA.replace(
            "    return (width + height) * 2 + 1\n",
            "    import unittest\n\n    raise unittest.SkipTest\n",
        )
    },
    "replaces a builtin": at_import("import builtins\n\nbuiltins.AssertionError = SystemExit\n"),
}
# Right for what the tests ask, and the old program for everybody else.
BUILT_IN: dict[str, Files] = {
    "builds the input in": told(
        "(width, height) in ((17, 23), (31, 44), (13, 29), (51, 62), (74, 0), (0, 0))"
    ),
    "looks the answers up": answering(
        f"_KNOWN = {TABLE}\n", "_KNOWN.get((width, height), (width + height) * 2 + 1)"
    ),
}
SPECIAL = "(width, height) in ((17, 23), (31, 44), (13, 29), (51, 62), (74, 0), (0, 0))"
BUILT_IN["builds the input in, behind a byte order mark"] = {
    path: f"\ufeff{text}" for path, text in told(SPECIAL).items()
}
BUILT_IN["builds the input in, in an encoding that it declares"] = {
    path: f"# coding: utf-7\n{text}".replace("+", "+-").replace("if (width", "+AGkAZg- (width")
    for path, text in told(SPECIAL).items()
}
HARMLESS: dict[str, Files] = {
    "mends": {**FIXED},
    "declares a dependency": {
        "pyproject.toml": PYPROJECT.replace('"1"\n', '"1"\ndependencies = ["attrs"]\n'),
        **FIXED,
    },
}

# The same tests, known by the settings of pytest alone, and what can be done to these.
NAMED_TESTS = TESTS.replace("import ring, share\n", "import share\n").replace(
    "import pytest\n", "import pytest\nfrom common import ring\n"
)
NAMED: dict[str, str] = {
    "pyproject.toml": PYPROJECT.replace(
        '["tests"]\n', '["checks"]\npython_files = ["check_*.py"]\n'
    ),
    "sums/__init__.py": "",
    "sums/area.py": AREA,
    "checks/table.json": PROJECT["tests/table.json"],
    "checks/common.py": "from sums.area import ring\n",
    "checks/check_area.py": NAMED_TESTS,
    "checks/check_sound.py": PROJECT["tests/test_sound.py"],
}
OF_NAMED: dict[str, Files] = {
    "deletes the assertions": {
        "checks/check_area.py": re.sub(
            r"^( +)assert .*", r"\1pass", NAMED_TESTS, flags=re.MULTILINE
        ),
    },
    "tests other code": {
        "checks/check_area.py": TESTS.replace("sums.area", "checked"),
        "checked.py": AREA.replace(" * 2 + 1", " * 2"),
    },
    "mends beside the code": {
        "checks/common.py": "from sums import area\n\n_ring = area.ring\n\n\n"
        "def ring(width, height):\n    return _ring(width, height) - 1\n\n\narea.ring = ring\n",
    },
}

# The same code with tests of unittest, and what can be done to these.
UNITTESTS = PROJECT | {
    "tests/__init__.py": "",
    "tests/test_area.py": """\
import unittest

from sums.area import ring


class TestRing(unittest.TestCase):
    def test_ring(self):
        self.assertEqual(ring(17, 23), 80)

    def test_negative(self):
        with self.assertRaises(ValueError):
            ring(-1, 0)
""",
    "tests/test_sound.py": """\
import unittest


class TestSound(unittest.TestCase):
    def test_sound(self):
        self.assertTrue(1)
""",
}
OF_UNITTEST: dict[str, Files] = {
    "asks for unittest": told('"unittest" in sys.modules', "import sys\n"),
    "reads the command line": told("'unittest' in sys.argv[0]", "import sys\n"),
    "is equal to everything": answering(EQUAL, "Length((width + height) * 2 + 1)"),
    "asserts nothing": at_import(
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *words: None\n"
        "unittest.TestCase._baseAssertEqual = lambda *words: None\n"
    ),
    "runs nothing": at_import(
        "import unittest\n\nunittest.TestCase._callTestMethod = lambda self, method: None\n"
    ),
    "succeeds always": at_import(
        "import unittest\n\n\ndef _fine(self, test, error):\n    self.addSuccess(test)\n\n\n"
        "for _kind in unittest.TestResult, *unittest.TestResult.__subclasses__():\n"
        "    _kind.addFailure = _kind.addError = _fine\n"
    ),
    "starts with unittest": {"unittest/__init__.py": "raise SystemExit(0)\n"},
}
# Tests that cannot be loaded, since a name is missing, and what makes them go away.
UNLOADED = PROJECT | {"sums/area.py": AREA.replace("def share", "def part_of")}
OF_UNLOADED: dict[str, Files] = {
    "skips at import": at_import("import unittest\n\nraise unittest.SkipTest\n"),
    "takes its tests out": at_import(
        "import sys\n\n_frame = sys._getframe()\nwhile _frame is not None:\n"
        "    if _frame.f_code.co_filename.endswith('test_area.py'):\n"
        "        _frame.f_globals['__test__'] = False\n    _frame = _frame.f_back\n"
    ),
    "hides its tests from the runner": at_import(
        "import _pytest.python\n\n_kept = _pytest.python.PyCollector.istestfunction\n"
        "_pytest.python.PyCollector.istestfunction = lambda self, found, name: (\n"
        "    name == 'test_negative' and _kept(self, found, name)\n)\n"
    ),
}
LOADED: Files = {"sums/area.py": AREA.replace(" * 2 + 1", " * 2")}
# A command says one thing only: its exit code.
OF_COMMANDS: dict[str, Files] = {
    "ends the process": at_import("import os\n\nos._exit(0)\n"),
    "ends the process at the end": at_import(
        "import atexit\nimport os\n\natexit.register(lambda: os._exit(0))\n"
    ),
    "swallows assertions": at_import(SWALLOW),
    "leaves early": at_import("import sys\n\nsys.exit(0)\n"),
    "takes the tests away": {"tests/test_area.py": None},
}
