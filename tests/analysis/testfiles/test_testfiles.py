import pytest

from clew.analysis.testfiles import is_named, is_test_config, is_test_path

TESTS = [
    "test_a.py",
    "a_test.py",
    "tests.py",
    "app/tests.py",
    "tests/data/input.txt",
    "tests/helpers.py",
    "pkg/test/__init__.py",
    "conftest.py",
    "pkg/conftest.py",
    "web/button.test.tsx",
    "web/__tests__/button.js",
    "store_test.go",
]
CODE = [
    "latest.py",
    "contest.py",
    "src/pkg/testing/fake.py",
    "attest/core.py",
    "testament.py",
    "a.py",
]


@pytest.mark.parametrize("path", TESTS)
def test_a_test_is_known_by_name_or_folder(path: str) -> None:
    """A file counts as a test by its own name or by a folder it lies in."""
    assert is_test_path(path)


@pytest.mark.parametrize("path", CODE)
def test_code_with_test_in_its_name_is_code(path: str) -> None:
    """The letters alone make no test."""
    assert not is_test_path(path)


@pytest.mark.parametrize("path", ["setup.cfg", "a/conftest.py", "pyproject.toml", "x/extra.pth"])
def test_configuration_is_known_anywhere(path: str) -> None:
    """A file that steers the runner counts in any folder."""
    assert is_test_config(path)
    assert not is_test_config("src/app.py")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("check_a.py", True),
        ("app/check_a.py", True),
        ("check_a.json", False),
        ("check_a/core.py", False),
        ("app/unit/a.py", True),
        ("unit.py", False),
        ("checks/table.json", True),
        ("app/checks/table.json", False),
        ("app/core.py", False),
    ],
)
def test_the_settings_of_the_tests_name_files_and_folders(path: str, *, expected: bool) -> None:
    """A pattern is one of Python files, anywhere; a folder stands for all that lies below it."""
    named = ("check_*.py", "unit/*.py", "checks/")
    assert (expected, expected) == (is_named(path, named), is_test_path(path, named))
