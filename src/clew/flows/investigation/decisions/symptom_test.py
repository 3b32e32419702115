"""A reproduction as a test: a program that shows the symptom, run where tests are."""

from __future__ import annotations

import ast
import posixpath
import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from clew.analysis.programs import ProgramKind, PythonProgram, python_program
from clew.analysis.testfiles import is_test_path
from clew.flows.investigation.states import DebugState
from clew.words.oracles import ASSERTED, LAST_LINES, ending_of, printed
from clew.words.slugs import names_after

__all__ = ["SymptomTest", "asks_the_same", "symptom_test"]

_FOLDERS = "PYTHONPATH"  # what names the folders of modules
# Variables that a program reads once when it starts: a test would set them too late.
_READ_FIRST = re.compile(
    r"PYTHON(?!PATH$|DONTWRITEBYTECODE$|UNBUFFERED$)\w*|TZ|LANG|LANGUAGE|LC_\w+|LD_\w+"
)
KILLED = 126  # exit codes from here on say that it was not run, or killed
_RUNS = """\
    monkeypatch.syspath_prepend({folder!r})
    monkeypatch.setattr(sys, "argv", {argv!r})
    try:
        runpy.{how}({name!r}, run_name="__main__")
    except SystemExit as ended:
        assert not ended.code
"""
_SAYS = "said = capsys.readouterr().out\nassert {expected!r} in said"
_IS = "said = capsys.readouterr().out\nassert said.strip() == {expected!r}"
_STAYS = "capsys.readouterr()\n{lines}\nassert capsys.readouterr().out.strip() == {expected!r}"


class SymptomTest(NamedTuple):
    """A file with one test; its path is below the project's root."""

    file: str
    name: str
    text: str
    prints: str = ""  # what it asks to be printed, of a program that crashed
    within: str = ""  # the folder of the project that is worked on

    @property
    def id(self) -> str:
        """As the tests' runner is given it, in that folder."""
        return f"{posixpath.relpath(self.file, self.within or '.')}::{self.name}"


def symptom_test(state: DebugState, files: Collection[str], subdir: str) -> SymptomTest | None:
    """Return the reproduction as a test, where Python runs it and it shows the symptom each time.

    `files` are the project's, `subdir` the folder of it that is worked on. None for any other
    command. A file of that name that is there, of an earlier command, stays: the new one has a
    number. It asks as well for what the command that works has printed, where that is known, and of
    a crash for what the person expects; no more once a fix was not proven: none may meet that.
    """
    seen = state.reproduced
    if seen is None or not seen.failed or seen.failed < seen.runs:
        return None
    if seen.exit_code not in range(KILLED):
        return None
    program = _program(state.command)
    body = _body(program)
    if program is None or not body:
        return None
    fixtures = []
    if isinstance(body, str) or program.environment:
        fixtures = ["monkeypatch"]
    works = "" if state.unmet else _works(state, program)
    prints = "" if state.unmet else _awaited(state, program)
    if not seen.exit_code or works or prints:
        fixtures.append("capsys")
    if isinstance(works, str) and works and "monkeypatch" not in fixtures:
        fixtures.insert(0, "monkeypatch")
    first, folder = f"test_{state.session.slug.replace('-', '_')}", _folder(files, subdir)
    name = next(n for n in names_after(first, "_") if f"{folder}{n}.py" not in files)
    file = f"{folder}{name}.py"
    says = _SAYS.format(expected=prints) if prints else "" if seen.exit_code else _says(state)
    text = _text(state, name, fixtures, program, says=says, works=works)
    return SymptomTest(file, name, text, prints, subdir)


def asks_the_same(name: str, text: str, test: SymptomTest) -> bool:
    """Whether a test, in a file of the project, asks all that a symptom's test does: it is one."""
    try:
        there, made = _function(text, name), _function(test.text, test.name)
    except (ValueError, SyntaxError, RecursionError):
        return False
    return bool(made) and there[: len(made)] == made


def _function(text: str, name: str) -> list[str]:
    """Return the statements of a function, each as a text; none where it is not there."""
    body = ast.parse(text).body
    found = [each for each in body if isinstance(each, ast.FunctionDef) and each.name == name]
    return [ast.unparse(statement) for each in found for statement in each.body]


def _awaited(state: DebugState, program: PythonProgram) -> str:
    """Return what should be printed instead of a crash; nothing of code that prints nothing."""
    crashed = state.reproduced is not None and state.reproduced.exit_code
    silent = program.kind is ProgramKind.CODE and not _prints(program.name)
    return state.awaited if crashed and not silent else ""


def _prints(code: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "print" for n in ast.walk(ast.parse(code)))


def _works(state: DebugState, fails: PythonProgram) -> str | list[ast.stmt]:
    """Return what runs the command that works, where all that it printed is known.

    One that sets another environment is none for the same test.
    """
    ran, program = state.works, _program(state.working)
    if program is None or program.environment != fails.environment:
        return ""
    known = (
        ran is not None
        and ran.exit_code == 0
        and ran.alike
        and ran.tail.count("\n") < LAST_LINES - 1
    )
    return _body(program) if known else ""


def _text(
    state: DebugState,
    name: str,
    fixtures: list[str],
    program: PythonProgram,
    *,
    says: str,
    works: str | list[ast.stmt],
) -> str:
    body, environment = _body(program), program.environment
    text = body if isinstance(body, str) else "    pass"
    test = ast.parse(f"def {name}({', '.join(fixtures)}):\n{text}")
    (function,) = test.body
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - as it was just written
    if not isinstance(body, str):
        known = _is_imported(state) and not environment
        head = list(takewhile(_imports, body)) if known else []
        function.body = body[len(head) :]
        test.body = [*head, function]
    function.body = [*ast.parse("\n".join(_given(environment))).body, *function.body]
    function.body = [*function.body, *ast.parse(says).body]
    if works and state.works is not None:
        lines = (
            textwrap.dedent(works) if isinstance(works, str) else ast.unparse(ast.Module(works, []))
        )
        asked = _STAYS.format(lines=lines, expected=state.works.tail.strip())
        function.body = [*function.body, *ast.parse(asked).body]
    function.body = [ast.Expr(ast.Constant(state.session.trigger)), *function.body]
    runs = any(isinstance(each, str) and each for each in (body, works))
    begin = "import runpy\nimport sys\n\n\n" if runs else ""
    return f"{begin}{ast.unparse(ast.fix_missing_locations(test))}\n"


def _given(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines that give a test the environment of a command."""
    for name, value in environment.items():
        yield f"monkeypatch.setenv({name!r}, {value!r})"
    for folder in reversed(environment.get(_FOLDERS, "").split(":")):
        if folder:
            yield f"monkeypatch.syspath_prepend({folder!r})"


def _imports(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def _is_imported(state: DebugState) -> bool:
    """Whether what the program imports first is known to load: it is not what fails."""
    seen = state.reproduced
    return seen is not None and (not seen.exit_code or ending_of(seen.tail) == ASSERTED)


def _says(state: DebugState) -> str:
    """Ask for what should be printed: for all of it, where all of it is what is wrong."""
    actual, expected = printed(state.symptoms)
    whole = state.reproduced is not None and state.reproduced.tail.strip() == actual
    return (_IS if whole else _SAYS).format(expected=expected)


def _program(command: str) -> PythonProgram | None:
    """Return the program that a command runs, where a test can set all that the command sets."""
    try:
        program = python_program(shlex.split(command))
    except ValueError:
        return None
    late = program is not None and any(map(_READ_FIRST.fullmatch, program.environment))
    return None if late else program


def _body(program: PythonProgram | None) -> str | list[ast.stmt]:
    """Return what the test does: the statements of code, or the text that runs a program."""
    if program is None:
        return ""
    try:
        return _code(program) if program.kind is ProgramKind.CODE else _run(program)
    except (ValueError, SyntaxError, RecursionError):
        return ""


def _code(program: PythonProgram) -> list[ast.stmt]:
    """Return statements; none of what a function cannot hold, or of code with arguments."""
    body = ast.parse(program.name).body
    star = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in body)
    return [] if star or program.args else body


def _run(program: PythonProgram) -> str:
    script = program.kind is ProgramKind.SCRIPT
    return _RUNS.format(
        folder=(posixpath.dirname(program.name) or ".") if script else ".",
        argv=[program.name, *program.args],
        how="run_path" if script else "run_module",
        name=program.name,
    )


def _folder(files: Collection[str], subdir: str) -> str:
    """Return the folder that most tests are in, as what a path begins with."""
    begin = f"{subdir}/" if subdir not in ("", ".") else ""
    tests = [file for file in files if file.startswith(begin) and is_test_path(file)]
    parents = Counter(str(PurePosixPath(file).parent) for file in tests if file.endswith(".py"))
    most = min(parents, key=lambda each: (-parents[each], each), default=begin.rstrip("/"))
    return f"{most}/" if most not in ("", ".") else ""
