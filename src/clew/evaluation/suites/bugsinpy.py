"""BugsInPy: bugs of real projects, by the commits before and after the fix.

A bug needs a clone of its project, in the first of these places below the checkout that has one:
`projects/NAME/checkout`, `checkouts/NAME`, `framework/bin/temp/NAME`, where `bugsinpy-checkout`
puts it. An environment `env` in the clone, as `bugsinpy-compile` makes it, is used. As there, the
tests of the fix are laid over the faulty commit, and those that `run_test.sh` names are the suite.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from clew.evaluation.tasks import Task
from clew.git.worktrees.git import git
from clew.runners.interpreters import is_environment
from clew.words.errors import UsageError

__all__ = ["BugsInPy"]

CLONES = ("projects/{}/checkout", "checkouts/{}", "framework/bin/temp/{}")
SCRIPT = "bugsinpy_run_test.sh"
RUNNERS = {"pytest": "pytest", "py.test": "pytest", "tox": "pytest", "unittest": "unittest"}
_PYTHON = re.compile(r"python[\d.]*")
_FIELD = re.compile(r'^(\w+)\s*=\s*"([^"]*)"', re.MULTILINE)
_CHANGED = re.compile(r"^(?:---|\+\+\+) (?:[ab]/(.*)|/dev/null)$", re.MULTILINE)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


class BugsInPy:
    """The bugs of those projects of which there is a clone; an id is `NAME-N`."""

    def __init__(self, path: Path) -> None:
        self.name = "bugsinpy"
        self._clones = {
            project.name: clone
            for project in sorted((path / "projects").iterdir())
            for clone in [path / place.format(project.name) for place in reversed(CLONES)]
            if (clone / ".git").exists()
        }
        if not self._clones:
            raise UsageError(
                f"{path} has bugs, but no clone of a project that they are in",
                hint=f"Clone one into {path / CLONES[1].format('NAME')}.",
            )
        self._bugs = {
            f"{name}-{bug.name}": bug
            for name in self._clones
            for bug in sorted(
                (path / "projects" / name / "bugs").glob("*"), key=lambda b: (len(b.name), b.name)
            )
            if (bug / "bug.info").is_file()
        }

    @staticmethod
    def recognises(path: Path) -> bool:
        """Whether projects with bugs are there."""
        return any((path / "projects").glob("*/bugs"))

    @property
    def ids(self) -> tuple[str, ...]:
        """All bugs, by project and number."""
        return tuple(self._bugs)

    def task(self, name: str) -> Task:
        """Read a bug: its two commits, the tests of the fix, the way they are run."""
        bug = self._bugs[name]
        clone = self._clones[bug.parent.parent.name]
        said = dict(_FIELD.findall(_text(bug / "bug.info")))
        commits = [said.get(f"{which}_commit_id", "") for which in ("buggy", "fixed")]
        if not all(_COMMIT.fullmatch(commit) for commit in commits):
            raise UsageError(f"{bug / 'bug.info'} does not name two commits")
        buggy, fixed = commits
        for commit in commits:
            _check_commit(clone, commit)
        changed = {path for path in _CHANGED.findall(_text(bug / "bug_patch.txt")) if path}
        tests = {path for path in re.split(r"[;\s]+", said.get("test_file", "")) if path}
        script = _text(bug / "run_test.sh").replace("\r\n", "\n")
        command = _command(script)
        laid = _files(clone, fixed, tests)
        environment = clone / "env"
        return Task(
            id=name,
            folder=str(clone),
            commit=buggy,
            buggy=_files(clone, buggy, changed - tests),
            fixed=_files(clone, fixed, changed - tests),
            tests=laid if command else laid | {SCRIPT: script},
            test_command=command or f"sh {SCRIPT}",
            python_path=tuple(_in_project(said.get("pythonpath", ""), bug.parent.parent.name)),
            environment=str(environment) if is_environment(environment) else "",
        )


def _command(script: str) -> str:
    """Join the lines of `run_test.sh` to one command; nothing if they are of several kinds.

    As `bugsinpy-test` reads them: words are what blanks part, a quote is a letter like any other.
    What tox is given goes to the project's pytest: tox itself would fetch packages first.
    """
    kinds, arguments = set(), []
    for line in script.splitlines():
        words = [] if line.lstrip().startswith("#") else line.split()
        if words[:1] and _PYTHON.fullmatch(words[0]) and words[1:2] == ["-m"]:
            words = words[2:]
        if not words:
            continue
        if words[0] not in RUNNERS:
            return ""
        kinds.add(RUNNERS[words[0]])
        arguments += [word for word in words[1:] if word not in arguments]
    return shlex.join(["python", "-m", *kinds, *arguments]) if len(kinds) == 1 else ""


def _in_project(folders: str, project: str) -> Iterator[str]:
    """Yield folders that are named from above the project, as `NAME/lib/;NAME/test/`."""
    for folder in folders.split(";"):
        inside = folder.strip().strip("/")
        inside = "" if inside == project else inside.removeprefix(f"{project}/")
        if inside:
            yield inside


def _check_commit(clone: Path, commit: str) -> None:
    if git("cat-file", "-e", f"{commit}^{{commit}}", cwd=clone, accept=(0, 1, 128)).exit_code != 0:
        raise UsageError(
            f"{clone} has no commit {commit}",
            hint=f"Clone the whole history, or: git -C {clone} fetch origin {commit}",
        )


def _files(clone: Path, commit: str, paths: set[str]) -> dict[str, str]:
    """Return those of the files that the commit has."""
    found = {}
    for path in sorted(paths):
        shown = git("cat-file", "blob", f"{commit}:{path}", cwd=clone, accept=(0, 128))
        if shown.exit_code == 0:
            found[path] = shown.stdout.decode("utf-8", "surrogateescape")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
