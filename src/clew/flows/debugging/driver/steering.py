"""Which changes of a commit steer the tests: what is put back for a proof, and flagged in a fix."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from clew import runners
from clew.analysis.tampering import (
    Steering,
    by_command,
    by_opening,
    by_product,
    by_reading,
    hosts,
    is_code,
    is_data,
    names_of,
    shadows,
    started_by,
    steered,
    steering,
    steers_in_part,
)
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.git.worktrees import ChangeKind, TreeChange, path_text
from clew.words.errors import ClewError
from clew.words.facts import TestRun

__all__ = ["approved", "judging", "judging_code", "looked_up", "seen", "touched"]

READ = frozenset({".pytest.ini", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"})
LINK = "120000"
MANY = 200  # files that are read to learn what steers


def approved(debug_run: DebugRun, commit: str, paths: Iterable[str]) -> frozenset[str]:
    """Return which files still are, in a commit, as a person approved them."""
    agreed = {a.path: a.commit for a in debug_run.state.approved}
    show = debug_run.repository.show
    return frozenset(
        path
        for path in paths
        if (then := agreed.get(path_text(path))) and show(commit, path) == show(then, path)
    )


def touched(debug_run: DebugRun, before: str, after: str) -> tuple[str, ...]:
    """Return the files that differ between two commits and steer the tests, sorted."""
    repository = debug_run.repository
    changes = repository.changed(before, after)
    if not changes:
        return ()
    rules = _rules(debug_run, before)
    mixed = {change.path for change in changes if steers_in_part(rules, change.path)}
    old, new = (repository.texts(commit, mixed) for commit in (before, after))
    found = {
        path
        for path in (change.path for change in changes)
        if steered(rules, path, old.get(path), new.get(path))
    }
    return tuple(sorted(found | _shadowing(debug_run, before, changes)))


def judging(debug_run: DebugRun, before: str, after: str, run: TestRun) -> tuple[str, ...]:
    """Return the changed files that only what judges was seen to read in a run."""
    rules = _rules(debug_run, before)
    seen = by_reading(run.read, run.named, rules.plugins)
    changed = {change.path for change in debug_run.repository.changed(before, after)}
    if changed & set(run.opened or ()):
        seen |= _opened(debug_run, after, run, _named(debug_run, before, run))
    return tuple(path for path in sorted(changed & seen) if not steers_in_part(rules, path))


def looked_up(debug_run: DebugRun, before: str, run: TestRun) -> tuple[str, ...]:
    """Return what only judges read on the baseline, and the product reads in a run of a fix."""
    baseline = debug_run.state.baseline
    if baseline is None:
        return ()
    own, known = _rules(debug_run, before).plugins, debug_run.run_of(baseline)
    judged = by_reading(known.read, known.named, own)
    return tuple(sorted(judged & by_product(run.read, known.named, own)))


def seen(debug_run: DebugRun, before: str, paths: Iterable[str]) -> bool:
    """Tell whether all of these files are known to steer by watching alone, none by its name."""
    rules = _rules(debug_run, before)
    known = msgspec.structs.replace(rules, judges=frozenset(), hosts={})
    return all(
        (path in rules.judges or path in rules.hosts)
        and not (known.whole(path) or is_test_config(path))
        for path in paths
    )


def judging_code(debug_run: DebugRun, commit: str) -> tuple[str, ...]:
    """Return the code that a command runs to judge, and the tests that were read, sorted."""
    rules = _rules(debug_run, commit)
    run = debug_run.run_of(debug_run.state.baseline) if debug_run.state.baseline else None
    tests = {path for path in (run and run.opened) or () if is_test_path(path, rules.named)}
    return tuple(sorted(path for path in rules.judges | tests if is_code(path)))


def _rules(debug_run: DebugRun, commit: str) -> Steering:
    """Return what steers the tests of a commit; it is read once for each baseline."""
    baseline = debug_run.state.baseline
    key = (commit, baseline.run if baseline else "")
    if key not in debug_run.steering:
        debug_run.steering[key] = _read(debug_run, commit)
    return debug_run.steering[key]


def _read(debug_run: DebugRun, commit: str) -> Steering:
    repository, state = debug_run.repository, debug_run.state
    blobs = repository.blobs(commit)
    links = [path for path, blob in blobs.items() if blob.mode == LINK]
    named = repository.mentioning(commit, ("pytest_plugins",))
    settings = [path for path in blobs if posixpath.basename(path) in READ]
    wanted = [path for path in dict.fromkeys((*links, *settings, *named)) if path in blobs][:MANY]
    contents = repository.contents({blobs[path].name for path in wanted})
    run = debug_run.run_of(state.baseline) if state.baseline else None
    rules = steering(
        blobs,
        links,
        lambda path: contents.get(blobs[path].name, b""),
        " ".join((*(run.command.argv if run else ()), *state.session.runner_args)),
        run.named if run else (),
    )
    return _judging(debug_run, commit, rules, run) if run else rules


def _judging(debug_run: DebugRun, commit: str, rules: Steering, run: TestRun) -> Steering:
    """Add what the run of the baseline was seen to be judged by."""
    seen = by_reading(run.read, run.named, rules.plugins)
    if not run.command.runner.python:
        named = _named(debug_run, commit, run)
        seen |= named | _opened(debug_run, commit, run, named)
    holding = hosts(run)
    return msgspec.structs.replace(
        rules,
        judges=frozenset(seen | {path for path in holding if not path.endswith(".py")}),
        hosts={path: names for path, names in holding.items() if path.endswith(".py")},
    )


def _named(debug_run: DebugRun, commit: str, run: TestRun) -> set[str]:
    """Return what the test command names of the project: its scripts, and what they name."""
    return by_command(
        run.command.argv,
        debug_run.repository.files(commit),
        lambda path: debug_run.repository.show(commit, path),
        debug_run.project.subdir,
        runners.recognise(run.command.argv).script,
    )


def _opened(debug_run: DebugRun, commit: str, run: TestRun, named: set[str]) -> set[str]:
    """Return the data that was read and that no code of the product names; `named` judges.

    Where no code of the product was read at all, the data are the product.
    """
    repository, holding = debug_run.repository, hosts(run)
    files = repository.files(commit)
    below = debug_run.project.subdir

    def read(path: str) -> bytes | None:
        return repository.show(commit, path)

    opened = set(run.opened or ()).intersection(files)
    data = {path for path in opened if is_data(path, read)}
    own = named | started_by(named, files, read, below) | holding.keys()
    if not any(path not in own and not is_test_path(path, run.named) for path in opened - data):
        return set()
    naming = [
        path
        for path in repository.mentioning(commit, names_of(data))
        if not is_data(path, read) and path not in own and not is_test_path(path, run.named)
    ]
    texts = repository.texts(commit, naming)
    product = {path: text.decode("utf-8", "replace") for path, text in texts.items()}
    return by_opening(data, product)


def _shadowing(debug_run: DebugRun, before: str, changes: Iterable[TreeChange]) -> set[str]:
    """Return new files that stand before a library of the same name where code is imported."""
    added = [change.path for change in changes if change.kind is ChangeKind.CREATED]
    below = debug_run.project.path.relative_to(debug_run.project.root).as_posix()
    places = ("", "src", "" if below == "." else below)
    made = dict(shadows(added, places))
    if not made:
        return set()
    ours = dict(shadows(debug_run.repository.files(before), places))
    libraries = _libraries(debug_run)
    return {
        path for name, path in made.items() if name not in ours and _is_library(name, libraries)
    }


def _libraries(debug_run: DebugRun) -> tuple[Path, ...]:
    """Return the folders outside of the project's code that its Python imports from."""
    try:
        python = debug_run.command.interpreter
        known = runners.facts(Path(python), debug_run.scratch) if python else None
    except ClewError:
        return ()
    root = debug_run.project.root
    own = {root, root / "src", debug_run.project.path}
    return tuple(path for path in map(Path, known.path if known else ()) if path not in own)


def _is_library(name: str, folders: tuple[Path, ...]) -> bool:
    if name in sys.stdlib_module_names:
        return True
    for folder in folders:
        if (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file():
            return True
        if any(folder.glob(f"{name}.*.so")):
            return True
    return False
