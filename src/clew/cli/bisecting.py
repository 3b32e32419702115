"""`clew bisect`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.streams import print_json
from clew.cli.wiring import FOLDER, as_json, settings_options
from clew.words.test_ids import parted

if TYPE_CHECKING:
    from clew.api import Bisection, FirstBad, TryCommit

__all__ = ["bisect", "first_bad_lines"]

FILES = 10  # of a commit, are listed
COMMITS = 20  # that it may be


@click.command()
@click.argument("path", type=FOLDER, default=Path())
@click.option(
    "--good", metavar="REV", help="A commit in which the tests pass; else Clew looks for one."
)
@click.option("--bad", metavar="REV", help="A commit in which they fail (default: HEAD).")
@click.option(
    "--test", "tests", multiple=True, metavar="ID", help="Only this failing test; repeatable."
)
@click.option("--present-tests", is_flag=True, help="Run today's test files on each commit.")
@click.option("--again", is_flag=True, help="Search again, even if the answer is known.")
@settings_options("test_command", "timeout")
@as_json
@click.pass_obj
def bisect(
    runner_args: tuple[str, ...],
    /,
    path: Path,
    good: str | None,
    bad: str | None,
    tests: tuple[str, ...],
    *,
    present_tests: bool,
    again: bool,
    json: bool,
    **flags: object,
) -> int:
    """Find the commit that made the tests of PATH fail; runs only the failing tests.

    Tries commits in a private worktree: your tree, your refs and your own `git bisect` stay as they
    are. Skips commits in which the tests cannot run. The same command continues an interrupted
    search.
    """
    wish = api.BisectRequest(
        good=good, bad=bad, tests=tests, runner_args=runner_args, present_tests=present_tests
    )
    sessions = api.sessions_at(path)
    settings = api.settings_for(sessions, flags)
    tell = (lambda *_: None) if json else _tell
    try:
        found = api.bisect(sessions, settings, wish, tell, again=again)
    except KeyboardInterrupt:
        click.echo("interrupted; the same command continues", err=True)
        raise
    return _show(found, json=json)


def _tell(search: Bisection, step: TryCommit | None) -> None:
    """Print what a commit said, on the way."""
    if step is not None:
        if (
            search.present_tests
            and not search.wish.present_tests
            and search.step(search.bad) is None
        ):
            _say("the tests have uncommitted changes: each commit gets your test files", err=True)
        return
    done = search.steps[-1]
    reason = f": {done.reason}" if done.reason else ""
    _say(f"{len(search.steps):>3}  {done.commit[:12]}  {done.answer.value}{reason}"[:200], err=True)


def _say(line: str, *, err: bool = False) -> None:
    from clew.cli.streams import say

    say(line, err=err)


def _show(found: Bisection, *, json: bool) -> int:
    if json:
        for step in found.steps:
            print_json(
                {
                    "type": "Tried",
                    "commit": step.commit,
                    "answer": step.answer,
                    "present_tests": step.present_tests,
                }
            )
        print_json(
            {
                "type": "Bisected",
                "end": found.end,
                "tests": found.tests,
                "runs": found.runs,
                "first_bad": found.first_bad,
                "commits": found.commits,
                "oldest_bad": found.oldest or None,
                "shallow": found.shallow,
            }
        )
    else:
        for line in _lines(found):
            _say(line)
    return (
        0
        if found.end
        in (api.BisectionEnd.FOUND, api.BisectionEnd.UNCOMMITTED, api.BisectionEnd.PASSING)
        else 1
    )


def _lines(found: Bisection) -> list[str]:
    """Say what came of a search, and what to do next."""
    from clew.cli.words import counted

    if found.first_bad is not None:
        lines = [*first_bad_lines(found.first_bad), *_later(found, found.first_bad)]
    elif found.end is api.BisectionEnd.NO_GOOD:
        lines = [*_no_good(found), *_by_present_tests(found)]
    elif found.end is api.BisectionEnd.AMONG:
        lines = [
            "The first bad commit is one of these; the tests could run only at the first:",
            *(f"  {commit}" for commit in found.commits[:COMMITS]),
            *_more(found.commits),
            *_by_one_file(found),
        ]
    else:
        return _otherwise(found)
    runs, tests = counted(found.runs, "run"), counted(len(found.tests), "failing test")
    return [*lines, f"{runs} of {tests}"]


def _later(found: Bisection, first: FirstBad) -> list[str]:
    """Say which of the failing tests another commit broke, and how to find it."""
    from clew.cli.words import counted
    from clew.words.printable import one_line

    later = [test for test in found.tests if test not in first.tests]
    if not later or not first.tests:
        return []
    fail = f"{counted(len(later), 'other failing test')} did not fail there"
    broke = f"another commit broke {'it' if len(later) == 1 else 'them'}"
    return [f"{fail}; {broke}: `clew bisect --test {shlex.quote(one_line(later[0]))}` finds it"]


def _otherwise(found: Bisection) -> list[str]:
    tip, good = found.bad[:12], (found.good or "")[:12]
    step = found.step(found.good or "")
    why = f": {step.reason}" if step and step.reason else "."
    said = {
        api.BisectionEnd.PASSING: ["All tests pass; there is no bad commit to find."],
        api.BisectionEnd.UNCOMMITTED: [
            f"The fault is not committed: at {tip} the failing tests pass or do not exist.",
            *(f"  changed  {path}" for path in found.commits[:COMMITS]),
            *_more(found.commits),
            "see it: git diff HEAD",
        ],
        api.BisectionEnd.FLAKY: [
            f"The failing tests passed in a second run on {tip}: they are flaky.",
            "Flaky tests cannot show which commit is bad.",
        ],
        api.BisectionEnd.GOOD_IS_BAD: [
            f"The tests fail at {good} already, which was named as good.",
            "Name an older commit, or leave --good out, and Clew looks for one.",
        ],
        api.BisectionEnd.GOOD_IS_SILENT: [
            f"The tests cannot run at {good}, which was named as good{why}",
            "Name another commit, or leave --good out, and Clew looks for one.",
        ],
    }
    return said.get(found.end or api.BisectionEnd.PASSING, [])


def _more(commits: tuple[str, ...]) -> list[str]:
    return [f"  and {len(commits) - COMMITS} more"] if len(commits) > COMMITS else []


def _no_good(found: Bisection) -> list[str]:
    oldest, before = found.oldest[:12], found.before[:12]
    if not before and found.shallow:
        return [
            f"The tests fail in every commit back to {oldest}, where this shallow clone ends.",
            "`git fetch --unshallow` gets the older ones.",
        ]
    if not before:
        return [f"The tests fail in every commit that was tried, back to the first, {oldest}."]
    step = found.step(found.before)
    if step is not None and step.answer.value == "missing":
        return [
            f"The tests have failed since they were added: {oldest} has them, {before} does not.",
            "--present-tests runs today's test files on older commits.",
        ]
    why = f" ({step.reason})" if step and step.reason else ""
    return [
        f"No good commit was found: the tests fail at {oldest}, and cannot run at {before}{why}.",
        "Name a commit in which they pass: --good REV.",
        *_by_one_file(found),
    ]


def _by_present_tests(found: Bisection) -> list[str]:
    """Doubt the tests where no code was good enough for what is not committed of them."""
    doubted = found.present_tests and found.dirty
    return ["Your uncommitted tests may be wrong: git diff HEAD shows them."] if doubted else []


def _by_one_file(found: Bisection) -> list[str]:
    """Advise to ask about one test, where another file than its own may be what does not load."""
    files = {parted(test)[0] for test in found.tests}
    broken = any(step.answer.value == "broken" for step in found.steps)
    told = "The tests are in several files, and some may load there: --test ID asks about one test."
    return [told] if broken and len(files) > 1 else []


def first_bad_lines(first: FirstBad) -> list[str]:
    """Return the first bad commit in lines; its author and subject are anybody's words."""
    from clew.words.printable import first_line

    lines = [
        f"first bad commit: {first.commit}",
        f"  author   {first_line(first.author)[:120]}",
        f"  date     {first.date:%Y-%m-%d %H:%M %z}",
        f"  subject  {first_line(first.subject)[:200]}",
    ]
    if len(first.parents) > 1:
        lines.append("  a merge: the tests pass on both sides")
    for file in first.files[:FILES]:
        why = f"  {file.reason}" if file.reason else ""
        lines.append(f"  file     {file.path}  +{file.added} -{file.removed}{why}"[:200])
    if len(first.files) > FILES:
        lines.append(f"  and {len(first.files) - FILES} more files")
    lines += [f"  red      {test}"[:200] for test in first.tests[:FILES]]
    return lines
