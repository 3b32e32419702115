import pytest

from clew.testfiles import is_test_config, is_test_path

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
