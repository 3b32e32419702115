"""The first axis: which of eight kinds of failure a run shows."""

from __future__ import annotations

import pytest

from clew.analysis.failures import categorise, missing_module
from clew.analysis.failures.categories import RANK
from clew.words.facts import Category, Phase, Runner, TestCommand
from failurekit import crash, failed, frame, passed, run

MODULES = frozenset({"shop", "shop.cart"})

CASES = [
    ("SyntaxError", "invalid syntax (cart.py, line 3)", Category.SYNTAX_ERROR),
    ("IndentationError", "unexpected indent", Category.SYNTAX_ERROR),
    ("ModuleNotFoundError", "No module named 'shop.cartt'", Category.IMPORT_ERROR),
    ("ModuleNotFoundError", "No module named 'shpo'", Category.MISSING_DEPENDENCY),
    ("ModuleNotFoundError", "No module named 'shopp'", Category.IMPORT_ERROR),
    ("ModuleNotFoundError", "No module named 'json.decode'", Category.IMPORT_ERROR),
    ("ModuleNotFoundError", "No module named 'requests'", Category.MISSING_DEPENDENCY),
    ("ImportError", "cannot import name 'Cart' from 'shop.cart' (/p)", Category.IMPORT_ERROR),
    ("ImportError", "libfoo.so.1: cannot open shared object file", Category.MISSING_DEPENDENCY),
    (
        "AttributeError",
        "partially initialized module 'shop.cart' has no attribute 'x' (most likely …)",
        Category.IMPORT_ERROR,
    ),
    ("NameError", "name 'json' is not defined", Category.IMPORT_ERROR),
    ("NameError", "name 'cart' is not defined", Category.IMPORT_ERROR),
    ("NameError", "name 'totl' is not defined", Category.TEST_FAILURE),
    ("TypeError", "total() takes 1 positional argument but 2 were given", Category.TYPE_ERROR),
    ("AttributeError", "'NoneType' object has no attribute 'price'", Category.TYPE_ERROR),
    ("pydantic_core._pydantic_core.ValidationError", "1 error", Category.SCHEMA_MISMATCH),
    ("sqlite3.OperationalError", "no such column: total", Category.SCHEMA_MISMATCH),
    ("sqlite3.OperationalError", "database is locked", Category.TEST_FAILURE),
    ("AssertionError", "assert 3 == 4", Category.TEST_FAILURE),
    ("KeyError", "'a'", Category.TEST_FAILURE),
]


@pytest.mark.parametrize(("kind", "message", "category"), CASES)
def test_an_exception_says_what_kind_of_failure_it_is(
    kind: str, message: str, category: Category
) -> None:
    """Exception type first, its message where the type alone is not enough."""
    assert categorise(run(failed("t.py::a", crash(kind, message))), modules=MODULES) == category


def test_what_keeps_a_file_from_being_collected_speaks_first() -> None:
    """One broken import outweighs ten wrong answers: it hides the tests behind it."""
    wrong = [failed(f"t.py::t{n}", crash("AssertionError", "assert 1 == 2")) for n in range(10)]
    broken = failed("u.py", crash("ModuleNotFoundError", "No module named 'shop.x'"), Phase.COLLECT)

    assert categorise(run(*wrong, broken), modules=MODULES) == Category.IMPORT_ERROR


def test_the_kind_that_most_red_tests_show_is_the_kind_of_the_run() -> None:
    """Passing tests have no say, and ties go to what hides most, in any order."""
    typed = failed("t.py::a", crash("TypeError", "boom"))
    wrong = failed("t.py::b", crash("AssertionError", "assert 1 == 2"))
    again = failed("t.py::c", crash("AssertionError", "assert 1 == 3"))

    assert categorise(run(typed, wrong, again, *passed("t.py::d"))) == Category.TEST_FAILURE
    assert categorise(run(typed, wrong)) == Category.TYPE_ERROR
    assert categorise(run(wrong, typed)) == Category.TYPE_ERROR


def test_tests_that_contradict_each_other_are_a_fault_of_the_specification() -> None:
    """No code can give two answers to one call."""
    one = crash("AssertionError", "assert 5 == 3", frame("t.py:1", "a", "assert add(1, 2) == 3"))
    two = crash("AssertionError", "assert 5 == 4", frame("t.py:4", "b", "assert add(1, 2) == 4"))

    assert categorise(run(failed("a", one), failed("b", two))) == Category.TASK_SPEC_ERROR


@pytest.mark.parametrize(
    ("output", "category"),
    [
        ("E   SyntaxError: invalid syntax", Category.SYNTAX_ERROR),
        ("ModuleNotFoundError: No module named 'shop.z'", Category.IMPORT_ERROR),
        ("ModuleNotFoundError: No module named 'yaml'", Category.MISSING_DEPENDENCY),
        ("\x1b[31mTypeError\x1b[0m: boom", Category.TYPE_ERROR),
        ("1 failed, 3 passed; TypeError", Category.TEST_FAILURE),
        ("exit 2", Category.TEST_FAILURE),
    ],
)
def test_a_command_that_says_nothing_but_text_is_read_as_text(
    output: str, category: Category
) -> None:
    """The output decides only where there are no facts."""
    assert categorise(run(output=output), modules=MODULES) == category


@pytest.mark.parametrize("argv", [("ruff", "check"), ("python3", "-m", "mypy", "src")])
def test_a_linter_that_fails_is_a_lint_failure(argv: tuple[str, ...]) -> None:
    """Whatever it prints."""
    command = TestCommand(runner=Runner.COMMAND, argv=argv)

    assert categorise(run(output="TypeError", command=command)) == Category.LINT_FAILURE


def test_every_kind_has_its_rank() -> None:
    """Ties between any two kinds are settled."""
    assert sorted(RANK) == sorted(Category)


def test_the_missing_module_is_named() -> None:
    """From either form of the message, and not from other messages."""
    assert missing_module(crash("ModuleNotFoundError", "No module named 'a.b'")) == "a.b"
    assert missing_module(crash("ImportError", "cannot import name 'X' from 'a.c' (/p)")) == "a.c"
    assert missing_module(crash("KeyError", "'a'")) is None
