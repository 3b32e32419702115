"""What is told from the text around a failure: examples, records, what checkers print."""

from __future__ import annotations

import pytest

from clew.analysis.failures import categorise, contradictions
from clew.analysis.failures.assertions import carried
from clew.analysis.failures.linting import findings
from clew.words.facts import Category, Runner, TestCommand
from failurekit import crash, failed, frame, run

MODULES = frozenset({"shop", "shop.cart"})
CART = '''\
from dataclasses import dataclass


@dataclass
class Item:
    name: str
    cents: int


def shown(cents):
    """Return an amount.

    >>> shown(5)
    '0.05'
    """
    return f"{cents / 100:.2f}"
'''
TESTS = """\
import pytest

from shop.cart import shown


def test_small():
    assert shown(7) == "0.07"


@pytest.mark.parametrize(("cents", "text"), [(100, "1.00"), (100, "1")])
def test_table(cents, text):
    assert shown(cents) == text
"""
SOURCES = {"shop/cart.py": CART, "tests/test_cart.py": TESTS}


def claim(name: str, code: str, got: str, **values: str) -> object:
    at = frame("tests/test_more.py:5", name, code, **values)
    return failed(f"tests/test_more.py::{name}", crash("AssertionError", f"assert {got}", at))


@pytest.mark.parametrize(
    ("code", "got", "values", "second"),
    [
        ("assert shown(7) == '7'", "'0.07' == '7'", {}, "tests/test_cart.py::test_small"),
        (
            "assert shown(n) == want",
            "'1.00' == '1.0'",
            {"n": "100", "want": "'1.0'"},
            "tests/test_cart.py::test_table",
        ),
        ("assert shown(1) != shown(1)", "'0.01' != '0.01'", {}, "tests/test_more.py::test_it"),
    ],
    ids=["another test", "a row of a table", "itself"],
)
def test_a_red_test_that_nobody_agrees_with_is_a_fault_of_the_specification(
    code: str, got: str, values: dict[str, str], second: str
) -> None:
    """Other tests count though they pass, and so do the rows of their tables."""
    tests = run(claim("test_it", code, got, **values))  # type: ignore[arg-type]

    assert Category.TASK_SPEC_ERROR == categorise(tests, modules=MODULES, sources=SOURCES)
    assert second in {pair.second for pair in contradictions(tests, SOURCES)}
    if second != "tests/test_more.py::test_it":
        assert Category.TEST_FAILURE == categorise(tests, modules=MODULES)


def test_an_example_counts_while_the_code_agrees_with_it() -> None:
    """Code that is wrong by the example too is a fault of the code."""
    docs = {"shop/cart.py": CART}
    agreed = run(claim("test_it", "assert shown(5) == '5'", "'0.05' == '5'"))  # type: ignore[arg-type]
    broken = run(claim("test_it", "assert shown(5) == '5'", "'0.50' == '5'"))  # type: ignore[arg-type]

    assert "the example at shop/cart.py" in contradictions(agreed, docs)[0].second
    assert () == contradictions(broken, docs)


@pytest.mark.parametrize(
    ("code", "category"),
    [
        ("return Item(**row)", Category.SCHEMA_MISMATCH),
        ("return Item(name=row['name'], cents=row['cents'])", Category.SCHEMA_MISMATCH),
        ("return Item(name, cents, 5)", Category.TYPE_ERROR),
        ("return Basket(**row)", Category.TYPE_ERROR),
    ],
)
def test_a_record_made_from_data_is_a_schema(code: str, category: Category) -> None:
    """What somebody wrote out is a slip in a call; so is one of a class that is no record."""
    name = code.partition("(")[0].rpartition(" ")[2]
    at = frame("shop/load.py:4", "load", code, row="{'name': 'a'}")
    message = f"{name}.__init__() got an unexpected keyword argument 'price'"
    tests = run(failed("t.py::a", crash("TypeError", message, at)))
    sources = SOURCES | {"shop/basket.py": "class Basket:\n    pass\n"}

    assert category == categorise(tests, modules=MODULES, sources=sources)


CASES = [
    ("KeyError", "'day'", "row['day']", {"row": "{'date': 1}"}, Category.SCHEMA_MISMATCH),
    ("KeyError", "'day'", "PLANS[plan]", {"plan": "'day'"}, Category.TEST_FAILURE),
    ("ValueError", "'x' is not a valid Kind", "Kind(row['kind'])", {}, Category.SCHEMA_MISMATCH),
    ("ValueError", "'x' is not a valid Kind", "Kind(word)", {}, Category.TEST_FAILURE),
    ("sqlite3.OperationalError", "4 values for 5 columns", "run(x)", {}, Category.SCHEMA_MISMATCH),
    ("sqlite3.IntegrityError", "UNIQUE constraint failed: a.b", "x", {}, Category.TEST_FAILURE),
    ("ModuleNotFoundError", "No module named 'textwrapp'", "import", {}, Category.IMPORT_ERROR),
    ("ModuleNotFoundError", "No module named 'orjson'", "import", {}, Category.MISSING_DEPENDENCY),
    (
        "importlib.metadata.PackageNotFoundError",
        "No package metadata was found for x",
        "version('x')",
        {},
        Category.MISSING_DEPENDENCY,
    ),
    (
        "FileNotFoundError",
        "[Errno 2] No such file or directory: '/home/me/shop/rates.json'",
        "open(RATES)",
        {},
        Category.IMPORT_ERROR,
    ),
    (
        "FileNotFoundError",
        "[Errno 2] No such file or directory: '/tmp/pytest-of-me/pytest-1/shop/out.json'",
        "open(out)",
        {},
        Category.TEST_FAILURE,
    ),
    (
        "sqlite3.OperationalError",
        "unable to open database file",
        "sqlite3.connect(path)",
        {},
        Category.IMPORT_ERROR,
    ),
    ("AssertionError", "assert not TypeError('boom')", "assert not r.exc", {}, Category.TYPE_ERROR),
]


@pytest.mark.parametrize(("kind", "message", "code", "values", "category"), CASES)
def test_what_lies_around_an_exception_counts(
    kind: str, message: str, code: str, values: dict[str, str], category: Category
) -> None:
    """The same exception is of another kind where data, packages or files are at stake."""
    at = frame("shop/load.py:4", "load", code, **values)
    tests = run(failed("t.py::a", crash(kind, message, at)))

    assert category == categorise(tests, modules=MODULES)


@pytest.mark.parametrize(
    ("output", "category"),
    [
        ("a.py:1:8: F401 `os` imported but unused\n", Category.LINT_FAILURE),
        ("F401 [*] `os` imported\n --> a.py:1:8\n", Category.LINT_FAILURE),
        ("a.py:3: error: Incompatible types  [arg-type]\n", Category.LINT_FAILURE),
        ("Would reformat: a.py\n1 file would be reformatted\n", Category.LINT_FAILURE),
        ("a.c:3: error: expected ';'\n", Category.TEST_FAILURE),
        ("a.py:1:8: W100 x\nTraceback (most recent call last):\nAssertionError", "test_failure"),
    ],
)
def test_a_script_is_known_by_what_it_prints(output: str, category: str) -> None:
    """What a checker found, unless tests failed as well; a compiler is none."""
    command = TestCommand(runner=Runner.COMMAND, argv=("sh", "check.sh"))

    assert category == categorise(run(output=output, command=command))
    assert (category == Category.LINT_FAILURE) <= any(f.path == "a.py" for f in findings(output))


def test_an_exception_that_a_runner_caught_is_taken_out_again() -> None:
    """With the place where a file could not be parsed."""
    text = "assert not SyntaxError('invalid syntax', ('/p/shop/cart.py', 3, 1, 'x', 3, 2))"
    found = carried(crash("AssertionError", text))

    assert found is not None
    assert ("SyntaxError", "invalid syntax") == (found.type, found.message)
    assert 'File "/p/shop/cart.py", line 3' == found.details
    assert carried(crash("AssertionError", "assert 3 == 4")) is None
