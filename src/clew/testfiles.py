"""Which files are tests, and which steer how tests are run.

Both questions are answered from a path alone: POSIX, relative to the project's root.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

__all__ = ["is_test_config", "is_test_path"]

FOLDERS = frozenset({"test", "tests", "__tests__"})
# `latest.py` and `contest.py` are no tests: the word stands alone, at an end.
NAME = re.compile(
    r"""
      tests?\.py                          # test.py, tests.py
    | test_.*\.py | .*_tests?\.py         # test_x.py, x_test.py, x_tests.py
    | .*_test\.go
    | .*[._-](?:test|spec)\.[cm]?[jt]sx?  # x.test.ts, x.spec.js
    | .*_spec\.rb
    """,
    re.VERBOSE,
)
CONFIGURATION = frozenset(
    {
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
        "jest.config.js",
        "jest.config.ts",
        "vitest.config.js",
        "vitest.config.ts",
    }
)


def is_test_config(path: str) -> bool:
    """Say whether the file steers the tests: a conftest, a runner's settings, a start-up hook."""
    name = PurePosixPath(path).name
    return name in CONFIGURATION or path.endswith(".pth")


def is_test_path(path: str) -> bool:
    """Say whether the file is a test, or lies among tests (their data and helpers).

    A `conftest.py` is one too. A package named `testing` may be code that is shipped: below it
    only names that are a test's count.
    """
    pure = PurePosixPath(path)
    if pure.name == "conftest.py" or NAME.fullmatch(pure.name):
        return True
    folders = {part.lower() for part in pure.parts[:-1]}
    return bool(folders & FOLDERS)
