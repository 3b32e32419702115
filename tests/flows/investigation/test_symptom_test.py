"""A reproduction that is code becomes a test, where the project's tests are."""

from __future__ import annotations

import ast

import pytest
from msgspec.structs import replace

from clew.flows.investigation.decisions.symptom_test import asks_the_same, symptom_test
from clew.flows.investigation.events import Reproduced
from clew.flows.investigation.states import DebugState
from clew.words.debug_sessions import Symptoms
from debugplay import DebugPlay

FILES = ("shop/total.py", "tests/test_a.py", "tests/test_b.py", "test_c.py")


def reproduced(
    command: str, code: int = 1, failed: int = 3, symptoms: Symptoms | None = None
) -> DebugState:
    state = DebugPlay().run().state
    seen = Reproduced(command=command, commit="c", exit_code=code, runs=3, failed=failed)
    told = (symptoms or Symptoms()).shown_by(command)
    return replace(state, symptoms=told, reproduced=seen)


def test_code_that_fails_each_time_is_a_test() -> None:
    """What was seen is its docstring, whatever the words are; the name is the session's."""
    state = reproduced("""python3 -c 'import os; from shop import total; assert total([1]) == 1'""")
    test = symptom_test(state, FILES, "")
    assert test
    slug = state.session.slug.replace("-", "_")
    assert (f"tests/test_{slug}.py", f"test_{slug}") == (test.file, test.name)
    (function,) = ast.parse(test.text).body
    assert isinstance(function, ast.FunctionDef)
    assert state.session.trigger == ast.get_docstring(function)
    assert "assert total([1]) == 1" in test.text


SUMS = "python -c 'import os; from shop import total; x = 1; import sys; assert total([x]) == 2'"


@pytest.mark.parametrize(
    ("tail", "head"),
    [
        ("Traceback …\nAssertionError", ["Import", "ImportFrom", "FunctionDef"]),
        ("Traceback …\nImportError: no total", ["FunctionDef"]),
    ],
)
def test_what_is_imported_first_stands_at_the_top_where_it_does_load(
    tail: str, head: list[str]
) -> None:
    """So that a run of the test is what its code does, and no more; a failing import is in it."""
    state = reproduced(SUMS)
    assert state.reproduced
    test = symptom_test(replace(state, reproduced=replace(state.reproduced, tail=tail)), FILES, "")
    assert test
    assert head == [type(each).__name__ for each in ast.parse(test.text).body]


def test_of_a_part_of_a_repository_it_lies_there() -> None:
    test = symptom_test(reproduced("python -c 'assert 0'"), ("a/test_x.py", "b/test_y.py"), "a")
    assert test
    assert test.file.startswith("a/test_")
    assert f"a/{test.id}" == f"{test.file}::{test.name}"  # its runner is in that folder


@pytest.mark.parametrize(
    "command",
    [
        "python -W error -m shop 1 2",
        "node -c 'assert'",
        "python -c 'from a import *; assert 0'",
        "python -c 'assert 0' more",
        "python -c 'assert ('",
        'python -c "assert 0',
    ],
)
def test_what_is_no_code_of_python_is_none(command: str) -> None:
    assert symptom_test(reproduced(command), FILES, "") is None


def test_a_test_of_the_project_is_that_of_the_command_where_it_asks_all_of_it() -> None:
    """Also with another name, and where it asks for what works as well."""
    made = symptom_test(reproduced("python -m shop 1 2"), FILES, "")
    assert made
    kept = made.text.replace(made.name, "test_kept") + "    assert True\n"
    assert asks_the_same("test_kept", kept, made)
    assert not asks_the_same(made.name, kept, made)
    assert not asks_the_same("test_kept", kept.replace("'2'", "'3'"), made)
    assert not asks_the_same("test_kept", "def test_kept(:", made)


def test_what_does_not_fail_each_time_or_is_there_already_is_none() -> None:
    command = "python -c 'assert 0'"
    assert symptom_test(reproduced(command, failed=2), FILES, "") is None
    assert symptom_test(reproduced(command, code=0, failed=0), FILES, "") is None
    there = symptom_test(reproduced(command), FILES, "")
    assert there
    second = symptom_test(reproduced(command), (*FILES, there.file), "")
    assert second
    assert (f"{there.name}_2", there.file.replace(".py", "_2.py")) == (second.name, second.file)


@pytest.mark.parametrize(
    ("command", "how", "argv"),
    [
        ("python -m shop 1 2", "run_module('shop'", ["shop", "1", "2"]),
        ("python3 tools/run.py -x", "run_path('tools/run.py'", ["tools/run.py", "-x"]),
    ],
)
def test_a_program_is_run_as_it_was(command: str, how: str, argv: list[str]) -> None:
    """With its arguments, and its own folder first; it may not end with a status of its own."""
    test = symptom_test(reproduced(command), FILES, "")
    assert test
    ast.parse(test.text)
    assert how in test.text
    assert f"'argv', {argv!r}" in test.text
    assert "assert not ended.code" in test.text


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("PYTHONPATH=src RATE=2 python3 -m shop 1", ["run_module('shop'", "['shop', '1']"]),
        ("PYTHONPATH=src RATE=2 python3 -c 'import shop; shop.go()'", ["    import shop\n"]),
    ],
)
def test_what_a_command_sets_is_set_in_the_test(command: str, lines: list[str]) -> None:
    """Before anything is imported; a folder of modules is found as it was."""
    state = reproduced(command)
    assert state.reproduced
    loads = replace(state, reproduced=replace(state.reproduced, tail="Traceback …\nAssertionError"))
    test = symptom_test(loads, FILES, "")
    assert test
    assert "(monkeypatch)" in test.text
    given = test.text.index("monkeypatch.setenv('RATE', '2')")
    path = test.text.index("monkeypatch.syspath_prepend('src')")
    for line in lines:
        assert max(given, path) < test.text.index(line)


def test_folders_of_modules_keep_their_order() -> None:
    """The first of them is looked into first, after the program's own."""
    test = symptom_test(reproduced("PYTHONPATH=a:b python3 tools/run.py"), FILES, "")
    assert test
    order = [test.text.index(f"syspath_prepend('{each}')") for each in ("b", "a", "tools")]
    assert sorted(order) == order


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "PYTHONOPTIMIZE", "TZ", "LC_ALL"])
def test_what_is_read_once_when_a_program_starts_makes_no_test(name: str) -> None:
    """Set in the test it would come too late."""
    assert symptom_test(reproduced(f"{name}=0 python3 -m shop"), FILES, "") is None


def test_what_works_with_another_environment_is_not_asked_for() -> None:
    """One test has one of them."""
    command, works = "RATE=2 python -m shop 1", "RATE=1 python -m shop 1"
    state = reproduced(command)
    good = Reproduced(command=works, commit="c", exit_code=0, tail="a: 2", runs=3, alike=True)
    known = replace(state, symptoms=Symptoms().shown_by(command, works), works=good)
    test = symptom_test(known, FILES, "")
    assert test
    assert "readouterr" not in test.text


def test_what_is_printed_wrongly_is_asked_for_as_it_should_be() -> None:
    """Where the program fails in nothing else."""
    told = Symptoms(expected="total 6", actual="total 5")
    test = symptom_test(reproduced("python -m shop 1", code=0, symptoms=told), FILES, "")
    assert test
    assert "(monkeypatch, capsys)" in test.text
    assert "assert 'total 6' in said" in test.text
    code = symptom_test(reproduced("python -c 'print(5)'", code=0, symptoms=told), FILES, "")
    assert code
    assert "(capsys)" in code.text


def test_all_that_is_printed_is_asked_for_where_all_of_it_is_wrong() -> None:
    told = Symptoms(expected="6", actual="16")
    state = reproduced("python -c 'import shop; print(shop.n)'", code=0, symptoms=told)
    assert state.reproduced
    whole = symptom_test(replace(state, reproduced=replace(state.reproduced, tail="16")), FILES, "")
    assert whole
    assert "assert said.strip() == '6'" in whole.text
    assert whole.text.startswith("import shop\n")


def test_a_program_that_was_killed_is_no_test() -> None:
    """It would end the tests with it."""
    assert symptom_test(reproduced("python -m shop", code=139), FILES, "") is None
    assert symptom_test(reproduced("python -m shop", code=-9), FILES, "") is None


@pytest.mark.parametrize(
    ("command", "works", "lines"),
    [
        ("python stats.py none.json", "python stats.py good.json", ["['stats.py', 'good.json']"]),
        ("python -c 'import a; a.b(0)'", "python -c 'import a; print(a.b(1))'", ["print(a.b(1))"]),
        ("python -c 'import a; a.b(0)'", "python -m a 1", ["import runpy", "['a', '1']"]),
    ],
)
def test_it_asks_for_what_the_command_that_works_printed(
    command: str, works: str, lines: list[str]
) -> None:
    """Where that is the same each time, and short enough to be known whole."""
    state = reproduced(command)
    state = replace(state, symptoms=Symptoms().shown_by(command, works))
    good = Reproduced(command=works, commit="c", exit_code=0, tail="a: 2", runs=3, alike=True)
    known = replace(state, works=good)
    test = symptom_test(known, FILES, "")
    assert test
    for line in (*lines, "assert capsys.readouterr().out.strip() == 'a: 2'"):
        assert line in test.text
    assert test == symptom_test(replace(known, fixes=1), FILES, "")
    plain = symptom_test(replace(known, fixes=1, unmet=True), FILES, "")
    assert plain
    assert "readouterr" not in plain.text
    for other in (replace(good, alike=False), replace(good, exit_code=1), None):
        assert plain == symptom_test(replace(state, works=other), FILES, "")


CRASH = "Traceback …\nZeroDivisionError: division by zero"


def crashed(command: str, expected: str, tail: str = CRASH) -> DebugState:
    state = reproduced(command, symptoms=Symptoms(expected=expected))
    assert state.reproduced
    return replace(state, reproduced=replace(state.reproduced, tail=tail))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m shop", "{'name': 'Bob'}"),
        ("python -m stats", "mean 0.0"),
        ("python -m stats", "0"),
        ("python stats.py", '"no values at all"'),
        ("python -c 'import stats; print(stats.mean([]))'", "`none`"),
    ],
)
def test_of_a_crash_what_should_be_printed_is_asked_for(command: str, expected: str) -> None:
    """Until a fix was not proven: it may be what none can meet."""
    state = crashed(command, expected)
    test = symptom_test(state, FILES, "")
    assert test
    assert "capsys" in test.text
    assert (True, expected.strip('`"')) == ("in said" in test.text, test.prints)
    assert repr(test.prints) in test.text
    assert test == symptom_test(replace(state, fixes=1), FILES, "")
    plain = symptom_test(replace(state, fixes=1, unmet=True), FILES, "")
    assert plain
    assert (False, "") == ("capsys" in plain.text, plain.prints)


@pytest.mark.parametrize(
    ("command", "expected", "tail"),
    [
        ("python -m stats", "it does not crash", CRASH),
        ("python -m stats", "it should print 0", CRASH),
        ("python -c 'import stats; stats.mean([])'", "0", CRASH),
        ("python -m stats", "0", "Traceback …\nAssertionError"),
        ("python -m stats", "0", "stats: no values"),
    ],
)
def test_what_may_never_be_printed_is_not_asked_for(command: str, expected: str, tail: str) -> None:
    """Words about it; code that prints nothing; a program that checks it by itself."""
    test = symptom_test(crashed(command, expected, tail), FILES, "")
    assert test
    assert "capsys" not in test.text
