"""What every test can rely on: in CI nothing is skipped without being listed.

Of sweeps a part is run, if a run has a number.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import settings

import sweeps

ALLOWED_SKIPS = Path(__file__).with_name("allowed_skips.txt")


# Whatever the shell says: each process would rewrite the assertions of every test file again.
sys.dont_write_bytecode = False

MADE = pytest.StashKey[str]()

settings.register_profile("untimed", settings(), deadline=None)  # a busy machine is no fault
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Give all tests of one run the same caches, which are nobody's."""
    if "CLEW_CACHE_HOME" not in os.environ:
        config.stash[MADE] = os.environ["CLEW_CACHE_HOME"] = tempfile.mkdtemp(prefix="clew-cache-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if MADE in config.stash:
        shutil.rmtree(config.stash[MADE], ignore_errors=True)
        del os.environ["CLEW_CACHE_HOME"]


def pytest_report_header() -> str:
    return sweeps.header()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = sweeps.left_out(items)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def allowed_skips() -> list[str]:
    lines = ALLOWED_SKIPS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def refuse_unlisted_skip(report: pytest.CollectReport | pytest.TestReport) -> None:
    """Turn a skip into a failure when CI is set and its reason matches no listed pattern."""
    if not os.environ.get("CI") or not report.skipped or hasattr(report, "wasxfail"):
        return
    longrepr = report.longrepr
    reason = str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not any(fnmatchcase(reason, pattern) for pattern in allowed_skips()):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI ({reason}), and {ALLOWED_SKIPS.name} does not list that"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_unlisted_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_unlisted_skip(report)
    return report
