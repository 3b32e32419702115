"""Which command runs the project's tests.

In this order: what the person said (flag, then settings), the Testing section of the project's
notes for agents, the project's own configuration, what is there to be found.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from clew.analysis.testfiles import is_test_path
from clew.runners import interpreters
from clew.runners.commands import Invocation, recognise, split
from clew.runners.guides import NAMES, commands_in
from clew.runners.recipes import MAKEFILES, Unclear, behind
from clew.runners.site import CACHES, ProjectPlace
from clew.runners.writers import writer
from clew.sandbox.temporary import passing, walk
from clew.words.errors import NoTestsFound, TestsDidNotRun, UsageError
from clew.words.facts import Runner, TestCommand
from clew.words.settings import TestSettings

__all__ = ["command_of", "detect", "pattern"]

# Programs whose name alone says that a line in the notes is a test command.
RUNNERS = frozenset(
    {"bun", "cargo", "go", "hatch", "just", "make", "npm", "nox", "pnpm", "task", "tox", "yarn"}
)
# What a file in the project's folder means, and the wrapper that may lie beside it.
OTHERS = (
    ("go.mod", ("go", "test", "./...")),
    ("go.work", ("go", "test", "./...")),
    ("Cargo.toml", ("cargo", "test")),
    ("pom.xml", ("mvn", "test")),
    ("build.gradle", ("gradle", "test")),
    ("build.gradle.kts", ("gradle", "test")),
    ("phpunit.xml", ("vendor/bin/phpunit",)),
    ("phpunit.xml.dist", ("vendor/bin/phpunit",)),
)
WRAPPERS = {"gradle": "gradlew", "mvn": "mvnw"}
SAID = ("flag", "settings")  # by a person
MAKE = ("gmake", "make")
SHORT = ("make", "test")
UNREAD = "Clew does not look into it; to see each test, name what it runs with --test-command"
PYTEST = ("python", "-m", "pytest")
UNITTEST = ("python", "-m", "unittest")
DJANGO = ("python", "manage.py", "test", "--noinput")
SETTINGS = "DJANGO_SETTINGS_MODULE"
HEAR_DJANGO = (
    f"it names Django's settings; with pytest-django and {SETTINGS} in pytest's configuration"
    " every test is heard by itself"
)
SCRIPTS = ("run_tests.sh", "run-tests.sh", "test.sh", "bin/test", "script/test", "scripts/test.sh")
BEHIND_SCRIPTS = frozenset({Runner.JEST, Runner.NODE, Runner.VITEST})
NARROW = frozenset({"-g", "--grep", "-run", "-t", "--testNamePattern", "--watch"})
FILES = 20_000  # looked at, at most
DEPTH, ENTRIES = 3, 2_000  # of folders below one without tests that are looked at
STRANGE = CACHES | {"node_modules"}  # folders that hold none of the project's own tests
OLDEST_PYTEST = (7,)
UPGRADE = 'Clew works with pytest 7 or newer: {python} -m pip install --upgrade "pytest>=7"'
INSTALL = (
    "install it there ({python} -m pip install pytest), or name another command: --test-command"
)


def command_of(
    project: ProjectPlace, worktree: Path, settings: TestSettings, scratch: Path
) -> TestCommand:
    """Find how the tests of a worktree are run, by the settings if they say it."""
    return detect(
        project.path,
        worktree / project.path.relative_to(project.root),
        flag=settings.test_command,
        settings=None,
        junit=settings.junit,
        root=project.root,
        scratch=scratch,
    )


def detect(
    project_path: Path,
    worktree_path: Path,
    *,
    flag: str | None,
    settings: str | None,
    junit: str | None = None,
    root: Path | None = None,
    scratch: Path | None = None,
) -> TestCommand:
    """Return the project's test command, and where it was found.

    `worktree_path` is the folder of the worktree that shows what `project_path` holds; `root` is
    the top of the project (the repository's, unless told). `junit` is where the command writes
    JUnit's XML: a path or pattern below the folder where tests run. Facts about interpreters are
    kept in `scratch`, if told. Raises UsageError on a command that needs a shell or a pattern that
    leads out of the folder, TestsDidNotRun where its runner is not installed, and NoTestsFound
    where there is no command.
    """
    top = root or _top(project_path)
    with contextlib.ExitStack() as stack:
        place = scratch or stack.enter_context(passing("clew-detect-"))
        search = RunnerSearch(project_path, worktree_path, top, place, junit)
        for text, source in ((flag, "flag"), (settings, "settings")):
            if text is not None:
                return search.given(split(text), source)
        return next(search.found())


def pattern(text: str) -> str:
    """Return a pattern of reports below the folder where tests run. Raises UsageError."""
    parts = Path(text).parts
    if not parts or Path(text).is_absolute() or ".." in parts:
        raise UsageError(
            f"reports of tests are looked for in the project: {text!r} is not a path or pattern"
            " in it",
            hint='name it from the folder where tests run, such as --junit "build/reports/*.xml"',
        )
    return text


class RunnerSearch:
    """Looks through one project."""

    def __init__(
        self, path: Path, worktree: Path, root: Path, scratch: Path, junit: str | None = None
    ) -> None:
        self.path = path
        self.reports = () if junit is None else (pattern(junit),)
        self.root = root
        self.scratch = scratch
        depth = len(path.relative_to(root).parts)
        self.folders = [worktree, *worktree.parents][: depth + 1]  # ours first, then upwards

    @property
    def worktree(self) -> Path:
        return self.folders[0]

    def found(self) -> Iterator[TestCommand]:
        """Yield candidates, the best first; the last resort raises."""
        yield from self.noted()
        source = self.configured()
        if source:
            yield self.given(PYTEST, source)
        tests = [self.worktree / name for name in self.test_files()]
        if tests and self.django_alone():
            whole = self.given(DJANGO, "manage.py")
            yield msgspec.structs.replace(whole, reason=HEAR_DJANGO)
        if tests:
            python = interpreters.find(self.path, self.root)
            known = interpreters.facts(python, self.scratch)
            if known.pytest:
                plain = self.given(PYTEST, "detected")
                yield msgspec.structs.replace(plain, reason=_unread(self.root))
            if any(map(_subclasses_testcase, tests)):
                yield self.given(self.unittest(tests), "detected")
        yield from self.other_languages()
        if tests:
            self.require_pytest(interpreters.find(self.path, self.root))
        there = self.below()
        which = f"{there} has tests: name that folder, or the" if there else "name the"
        raise NoTestsFound(
            f"no tests were found in {self.path}",
            hint=f'{which} command that runs them: --test-command "…"',
        )

    def below(self) -> Path | None:
        """Return the nearest folder below that has a test command of its own; looks at a few."""
        level, seen = [self.worktree], 0
        for _ in range(DEPTH):
            level = [each for folder in level for each in _own_folders(folder)]
            for folder in level:
                place = self.path / folder.relative_to(self.worktree)
                inner = RunnerSearch(place, folder, self.root, self.scratch)
                with contextlib.suppress(OSError, TestsDidNotRun):
                    seen += len(list(folder.iterdir()))
                    if seen > ENTRIES:
                        return None
                    if next(inner.other_languages(), None):
                        return place
        return None

    def given(self, argv: tuple[str, ...], source: str) -> TestCommand:
        """Complete a command with the interpreter that it means."""
        meant = recognise(argv)
        if meant.launcher and interpreters.environment(self.path, self.root) is None:
            meant = Invocation(runner=Runner.COMMAND, program=meant.launcher)
        if self.reports:
            return TestCommand(runner=Runner.JUNIT, argv=argv, source=source, reports=self.reports)
        if not meant.runner.python:
            known = writer((meant.program, *meant.arguments))
            return TestCommand(
                runner=self.behind(meant),
                argv=argv,
                source=source,
                reports=known.places if known else (),
            )
        python = self.interpreter(meant)
        if source not in SAID:
            python = interpreters.yours(python, self.root)
        if meant.runner is Runner.PYTEST:
            python = self.require_pytest(python)
        else:
            python = Path(interpreters.facts(python, self.scratch).executable)
        return TestCommand(runner=meant.runner, argv=argv, interpreter=str(python), source=source)

    def looked_through(self, argv: tuple[str, ...], source: str) -> TestCommand:
        """Complete a command that no person gave; for `make TARGET` what it leads to, if plain."""
        whole = self.given(argv, source)
        if whole.runner is not Runner.COMMAND:
            return whole
        if argv[0] not in MAKE or len(argv) != len(SHORT):
            return msgspec.structs.replace(whole, reason=UNREAD)
        makefile = self.makefile(self.worktree)
        if makefile is None:
            return whole
        try:
            inner = self.given(behind(_text(makefile), argv[1]), source)
        except (TestsDidNotRun, Unclear) as error:
            return msgspec.structs.replace(whole, reason=f"it is not looked through: {error}")
        return msgspec.structs.replace(inner, reason=f"`{' '.join(argv)}` runs it")

    def behind(self, meant: Invocation) -> Runner:
        """Return the runner of a command; what a script of package.json runs, if that is known."""
        if not meant.script:
            return meant.runner
        scripts = _json(self.worktree / "package.json").get("scripts", {})
        text = scripts.get(meant.script) if isinstance(scripts, dict) else None
        try:
            inner = recognise(split(text)) if isinstance(text, str) else meant
        except UsageError:
            return Runner.COMMAND  # a line for a shell
        # Node is told by a variable what to write; a script that sets it would undo that.
        deaf = "NODE_OPTIONS" in inner.environment or any("-reporter" in w for w in inner.arguments)
        if inner.runner is Runner.NODE and deaf:
            return Runner.COMMAND
        return inner.runner if inner.runner in BEHIND_SCRIPTS else Runner.COMMAND

    def interpreter(self, meant: Invocation) -> Path:
        program = meant.program
        if "/" in program:
            path = Path(os.path.normpath(self.path / program))
            if meant.as_module and path.name.startswith(("python", "pypy")):
                return path
            return self.beside(path)
        versioned = program.rstrip("0123456789.") != program and program != "python3"
        if versioned and (found := shutil.which(program)):
            return Path(found)
        return interpreters.find(self.path, self.root)

    def beside(self, script: Path) -> Path:
        """Return the interpreter that a runner's script belongs to."""
        if not script.exists():
            raise TestsDidNotRun(
                f"the test command does not exist: {script}",
                hint="check the path in --test-command, or in the settings",
            )
        for name in ("python", "python3"):
            if (python := script.parent / name).exists():
                return python
        with script.open("rb") as file:
            first = file.readline(1_000).decode("utf-8", "replace")
        python = Path(first.removeprefix("#!").strip().split(" ")[0])
        return (
            python if python.name.startswith("python") else interpreters.find(self.path, self.root)
        )

    def require_pytest(self, python: Path) -> Path:
        known = interpreters.facts(python, self.scratch)
        if not known.pytest:
            raise TestsDidNotRun(
                f"pytest is not installed for {known.executable}",
                hint=INSTALL.format(python=known.executable),
            )
        if () < interpreters.release(known.pytest) < OLDEST_PYTEST:
            raise TestsDidNotRun(
                f"pytest {known.pytest} is too old for Clew: it is what {known.executable} has",
                hint=UPGRADE.format(python=known.executable),
            )
        return Path(known.executable)

    def noted(self) -> Iterator[TestCommand]:
        """Yield commands from the notes for agents, nearest first; plain runs of all tests only."""
        for folder in self.folders:
            for name in NAMES:
                text = _text(folder / name)
                for command in commands_in(text) if text else ():
                    try:
                        argv = split(command)
                    except UsageError:
                        continue  # prose, or a line for a shell
                    if _plain(argv):
                        yield self.looked_through(argv, name)

    def configured(self) -> str:
        """Return the file that configures pytest, if any, the nearest one."""
        path = _pytest_settings(self.folders)
        return path.name if path else ""

    def django_alone(self) -> bool:
        """Say whether tests need settings that only the project's manage.py names."""
        if SETTINGS in os.environ or (self.worktree / "conftest.py").is_file():
            return False
        text = _text(self.worktree / "manage.py")
        return SETTINGS in text and "django" in text

    def test_files(self) -> list[str]:
        """Return Python files named as tests, relative to the folder where tests run, sorted."""
        found, seen = [], 0
        for folder, folders, names in walk(self.worktree):
            skip = {name for name in folders if interpreters.is_environment(Path(folder, name))}
            skip |= STRANGE
            folders[:] = sorted(name for name in folders if name not in skip)
            seen += len(names)
            for name in names:
                named = name.endswith(".py") and is_test_path(name) and name != "conftest.py"
                if named:
                    path = Path(folder, name).relative_to(self.worktree)
                    found.append(path.as_posix())
            if seen > FILES:
                break
        return sorted(found)

    def unittest(self, tests: list[Path]) -> tuple[str, ...]:
        """Return the unittest command that finds the tests; a folder without a package is named."""
        folders = sorted({path.parent for path in tests})
        for folder in folders:
            inside = folder != self.worktree and not (folder / "__init__.py").is_file()
            if inside and not any((each / "__init__.py").is_file() for each in folder.parents[:1]):
                where = folder.relative_to(self.worktree).as_posix()
                return (*UNITTEST, "discover", "-s", where)
        return UNITTEST

    def other_languages(self) -> Iterator[TestCommand]:
        here = self.worktree
        scripts = _json(here / "package.json").get("scripts", {})
        test = scripts.get("test") if isinstance(scripts, dict) else None
        if isinstance(test, str) and "no test specified" not in test:
            yield self.given(("npm", "test"), "package.json")
        for name, words in OTHERS:
            if (here / name).is_file():
                wrapper = here / WRAPPERS.get(words[0], "/nothing")
                first = f"./{wrapper.name}" if os.access(wrapper, os.X_OK) else words[0]
                yield self.given((first, *words[1:]), name)
        for name in SCRIPTS:
            if os.access(here / name, os.X_OK):
                yield self.looked_through((f"./{name}",), name)
        makefile = self.makefile(here)
        if makefile and "\ntest:" in "\n" + _text(makefile):
            yield self.looked_through(("make", "test"), makefile.name)

    @staticmethod
    def makefile(folder: Path) -> Path | None:
        """Return the one that make takes."""
        return next((path for name in MAKEFILES if (path := folder / name).is_file()), None)


def _own_folders(folder: Path) -> list[Path]:
    """Return the folders of a folder that may hold tests of the project, sorted."""
    with contextlib.suppress(OSError), os.scandir(folder) as scan:
        found = sorted(Path(each) for each in scan if each.is_dir(follow_symlinks=False))
        return [
            each
            for each in found
            if each.name not in STRANGE
            and not each.name.startswith(".")
            and not interpreters.is_environment(each)
        ]
    return []


def _top(path: Path) -> Path:
    return next((each for each in (path, *path.parents) if (each / ".git").exists()), path)


def _plain(argv: tuple[str, ...]) -> bool:
    """Say whether a noted command runs the whole suite, without a gap to be filled in."""
    meant = recognise(argv)
    if any(mark in word for word in argv for mark in ("::", "<", ">", "…", "...", "path/to", "$")):
        return "./..." in argv and meant.program == "go"
    if meant.runner.python:
        return not {"-k", "--help", "--version", "--lf", "--collect-only"} & set(argv)
    if NARROW & set(argv):
        return False
    named = any("test" in word for word in argv[1:]) or meant.runner is not Runner.COMMAND
    return (
        (meant.program in RUNNERS and (named or meant.program in ("tox", "nox")))
        or (meant.runner is not Runner.COMMAND)
        or (meant.program.startswith("./") and "test" in meant.program)
    )


def _pytest_settings(folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"):
            if (folder / name).is_file():
                return folder / name
        tool = _toml(folder / "pyproject.toml").get("tool", {})
        if isinstance(tool, dict) and "pytest" in tool:
            return folder / "pyproject.toml"
        for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
            if section in _sections(folder / name):
                return folder / name
    return None


def _unread(root: Path) -> str:
    """Name the settings that pytest takes from above a project without any; Clew runs it alone."""
    path = _pytest_settings(root.parents)
    return f"without {path}: what tests need of it belongs in {root.name}" if path else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def _toml(path: Path) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 - seldom needed

    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:
        return {}


def _json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _sections(path: Path) -> list[str]:
    import configparser  # noqa: PLC0415 - seldom needed

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(_text(path))
    except configparser.Error:
        return []
    return parser.sections()


def _subclasses_testcase(path: Path) -> bool:
    try:
        tree = ast.parse(_text(path))
    except (SyntaxError, ValueError):
        return False
    bases = [
        base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases
    ]
    names = [
        base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in bases
    ]
    return any(name.endswith("TestCase") for name in names)
