"""Which files are tests, and which steer how tests are run.

Both questions are answered from a path, POSIX and relative to the project's root, and the first
one from what a run of the tests said of their names as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

__all__ = ["is_named", "is_test_config", "is_test_path"]

FOLDERS = frozenset({"test", "tests", "testdata", "__tests__", "__mocks__", "__snapshots__"})
# `latest.py` and `contest.py` are no tests: the word stands alone, at an end.
NAME = re.compile(
    r"""
      tests?\.py                          # test.py, tests.py
    | test_.*\.py | .*_tests?\.py         # test_x.py, x_test.py, x_tests.py
    | .*_test\.go
    | .*[._-](?:test|spec)\.[cm]?[jt]sx?  # x.test.ts, x.spec.js
    | tests?\.[cm]?[jt]sx? | test-.*\.[cm]?[jt]sx?
    | .*\.snap
    | tests?\.rs | .*_tests?\.rs         # a module of tests beside the code
    | .*_spec\.rb | spec_helper\.rb | .*_test\.rb | test_.*\.rb
    | .*[a-z0-9](?:Tests?|IT|Spec|TestCase)\.(?:java|kts?|scala|groovy|cs|fs|vb|php|swift)
    | .*_tests?\.exs? | test_helper\.exs
    | .*_(?:unit)?tests?\.(?:c|cc|cpp|cxx)
    | .*\.bats
    """,
    re.VERBOSE,
)
CONFIGURATION = frozenset(
    {
        "clew.toml",
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "tox.ini",
        "tox.toml",
        "setup.cfg",
        "pyproject.toml",
        "noxfile.py",
        "sitecustomize.py",
        "usercustomize.py",
        ".coveragerc",
        "Makefile",
        "package.json",
        ".npmrc",
        "Cargo.toml",
        "rust-toolchain",
        "rust-toolchain.toml",
        "go.mod",
        "go.work",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradle.properties",
        "CMakeLists.txt",
        "CTestCustom.cmake",
        "phpunit.xml",
        "phpunit.xml.dist",
        ".rspec",
        "justfile",
        "Taskfile.yml",
    }
)
# `jest.config.js`, `vitest.workspace.ts`, `babel.config.json`, `.mocharc.yml` …
SETTINGS = re.compile(
    r"(?:jest|vitest|vite|babel|karma|playwright|cypress|ava|wdio|web-test-runner)"
    r"\.(?:config|conf|setup|workspace|projects|preset)\..+"
    r"|\.(?:babelrc|mocharc|swcrc|taprc)(?:\..+)?"
)
CARGO = frozenset({"config", "config.toml"})  # in a folder `.cargo`


def is_test_config(path: str) -> bool:
    """Say whether the file steers the tests: a conftest, a runner's settings, a start-up hook."""
    pure = PurePosixPath(path)
    name = pure.name
    cargo = pure.parent.name == ".cargo" and name in CARGO
    return name in CONFIGURATION or path.endswith(".pth") or cargo or bool(SETTINGS.fullmatch(name))


def is_test_path(path: str, named: Iterable[str] = ()) -> bool:
    """Say whether the file is a test, or lies among tests (their data and helpers).

    A `conftest.py` is one too. A package named `testing` may be code that is shipped: below it
    only names that are a test's count. `named` is a run's word for other names, see `is_named`.
    """
    if is_named(path, named):
        return True
    pure = PurePosixPath(path)
    if pure.name == "conftest.py" or NAME.fullmatch(pure.name):
        return True
    folders = {part.lower() for part in pure.parts[:-1]}
    return bool(folders & FOLDERS)


def is_named(path: str, named: Iterable[str]) -> bool:
    """Say whether the settings of the tests name the file, as a run told (`TestRun.named`)."""
    return any(_fits(path, each) for each in named)


def _fits(path: str, name: str) -> bool:
    if name.endswith("/"):
        return path.startswith(name)
    if not path.endswith(".py"):
        return False
    if "/" in name:
        return fnmatchcase(f"/{path}", f"*/{name}")
    return fnmatchcase(PurePosixPath(path).name, name)
