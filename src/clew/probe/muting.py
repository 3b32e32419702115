"""Options that would hide failures or need what a run here lacks, put out of force.

They are put out of force where pytest keeps them, not on its command line: a plug-in may be
installed, and yet be switched off by the project.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional

import pytest

__all__ = ["Muting"]

MUTED: Dict[str, Any] = {
    # Stopping early, or running a part
    "maxfail": 0,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "stepwise": False,
    "stepwise_skip": False,
    "stepwise_reset": False,
    "usepdb": False,
    "trace": False,
    # Several processes
    "numprocesses": None,
    "dist": "no",
    "distload": False,
    "tx": [],
    "looponfail": False,
    "forked": False,
    # Being red for another reason than a test
    "cov_fail_under": 0,
    "faulthandler_timeout": 0,
    # Ending the run with a test
    "timeout_method": "signal",
    # Reports, to places that cannot be written to
    "xmlpath": None,
    "htmlpath": None,
    "report_log": None,
    "json_report": False,
}


class Muting:
    """The plug-in that does it; `more` are options of one kind of run alone."""

    def __init__(self, more: Optional[Dict[str, Any]] = None) -> None:
        self.options = {**MUTED, **(more or {})}

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> Any:
        # Some plug-ins begin here, on options of their own.
        self.mute(early_config.known_args_namespace)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: Any) -> Any:
        self.mute(config.option)
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: Any) -> None:
        # Hypothesis's plug-in loads all of Hypothesis to sum up, used or not: a second of each run.
        plugins, unused = session.config.pluginmanager, sys.modules.get("_hypothesis_pytestplugin")
        is_there = unused is not None and plugins.is_registered(unused)  # None is a blocked one
        if is_there and "hypothesis" not in sys.modules:
            plugins.unregister(unused)

    def mute(self, options: Any) -> None:
        for name, value in self.options.items():
            if hasattr(options, name):
                setattr(options, name, value)
        if getattr(options, "randomly_seed", None) in ("default", "last"):
            options.randomly_seed = 1  # runs are compared: the order must not change
