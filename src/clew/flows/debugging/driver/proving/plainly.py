"""Tests of Node's own runner, run by Node alone: under a name of nobody's, and no runner about.

Code that knows its tests by the runner's variables, by the stack or by the file that was started
does not know these. Where they fail then just as they did without the fix, the fix knows them.
"""

from __future__ import annotations

import posixpath
import secrets
import shutil
from itertools import islice
from pathlib import Path, PurePosixPath

from clew import runners
from clew.analysis.tampering import alike
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.proving.case import Case, own_file
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.sandbox.temporary import walk
from clew.words import events as ev
from clew.words.facts import Runner, TestCommand, TestRun, Verdict
from clew.words.test_ids import home_of

__all__ = ["plainly"]

CLAIM = "they pass where the fix cannot recognise the test runner"
FILES = 3  # of tests that are run so
MANY = 1_000  # files that lie among tests, and are copied with them
SECONDS = 20.0  # that one may take


def plainly(case: Case, trial: Path, reverted: Path) -> ev.ProofRow:
    """Return the claim that the fixed tests pass so."""
    if case.baseline.command.runner is not Runner.NODE:
        return untested(CLAIM, "only Python's runners and Node's can be left out")
    told, name = _told(case), f"m{secrets.token_hex(4)}"
    passed, failed = 0, list[str]()
    for path, said in islice(told.items(), FILES):
        fixed = _run(case, trial, path, name)
        if fixed is not None and fixed.verdict is Verdict.PASSED:
            passed += 1
            continue
        without = _run(case, reverted, path, name) if fixed else None
        if fixed and without and said in without.output and alike(fixed.output, without.output):
            failed.append(f"{path} fails as without the fix")
    if failed:
        return ev.ProofRow(claim=CLAIM, measured=shown(failed), holds=False, doubt=True)
    if not passed:
        return untested(CLAIM, "they do not run without a runner")
    files = min(len(told), FILES)
    measured = f"{passed} of {files} {'file' if files == 1 else 'files'}, by Node alone"
    return ev.ProofRow(claim=CLAIM, measured=measured, holds=True, doubt=True)


def _told(case: Case) -> dict[str, str]:
    """Return the files of tests that the fix turned green, with what one of each said before."""
    found: dict[str, str] = {}
    for result in case.baseline.red:
        path = home_of(result.id)
        if result.id in case.turned and result.crash and path not in case.readable:
            lines = result.crash.message.strip().splitlines()
            found.setdefault(path, lines[0] if lines else "")
    return {path: said for path, said in found.items() if said}


def _run(case: Case, place: Path, path: str, name: str) -> TestRun | None:
    """Run a copy of a file of tests; None where there can be none."""
    if own_file(place, path) is None:
        return None
    debug_run = case.debug_run
    among = _among(place, path)
    top = posixpath.join(posixpath.dirname(among), name) if among else ""
    rest = path.removeprefix(f"{among}/") if among else path
    new = posixpath.join(top, posixpath.dirname(rest), f"{name}{_suffix(path)}")
    try:
        if among:
            shutil.copytree(place / among, place / top, symlinks=True)
        shutil.copyfile(place / path, place / new)
        words = ("node", posixpath.relpath(new, debug_run.project.subdir or "."))
        command = TestCommand(runner=Runner.COMMAND, argv=words)
        request = runners.Request(timeout=min(SECONDS, debug_run.settings.timeout))
        return runners.run(debug_run.site(place), command, request, debug_run.scratch).run
    finally:
        (place / new).unlink(missing_ok=True)
        if among:
            shutil.rmtree(place / top, ignore_errors=True)


def _among(place: Path, path: str) -> str:
    """Return the folder of tests that a file lies in, if it can be copied whole; or nothing."""
    folders = [str(each) for each in reversed(PurePosixPath(path).parents)]
    found = next((each for each in folders if is_test_path(f"{each}/x")), "")
    if not found or any((place / each).is_symlink() for each in folders):
        return ""
    files = (name for _, _, names in walk(place / found) for name in names)
    return found if sum(1 for _ in islice(files, MANY + 1)) <= MANY else ""


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]
