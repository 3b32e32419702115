from __future__ import annotations

import pytest

from clew.analysis.tampering import belongs, blames_tests, shadows, steered, steering
from clew.words.facts import Category, Diagnosis

FILES = {
    "pyproject.toml": b'[project.entry-points.pytest11]\nown = "app.plugin:Hooks"\n',
    "pytest.ini": b"[pytest]\naddopts = -q -p tools.calm -p no:cacheprovider\n",
    "setup.cfg": b"[options.entry_points]\npytest11 =\n    other = app.other\n",
    "tests/conftest.py": b'pytest_plugins = ["checks.fixtures"]\n',
    "tests/test_linked.py": b"../checks/common.py",
    "app/plugin.py": b"",
    "app/other.py": b"",
    "app/core.py": b"",
    "tools/calm.py": b"",
    "tools/said.py": b"",
    "src/checks/fixtures/__init__.py": b"",
    "checks/common.py": b"",
}
RULES = steering(FILES, ["tests/test_linked.py"], FILES.get, "pytest -p tools.said")


@pytest.mark.parametrize(
    "path",
    [
        "app/plugin.py",
        "app/other.py",
        "tools/calm.py",
        "tools/said.py",
        "src/checks/fixtures/__init__.py",
        "checks/common.py",
        "tests/data/table.json",
        "sitecustomize.py",
        "deep/conftest.py",
        "x.pth",
        "app.egg-info/entry_points.txt",
        "lib/app-1.dist-info/METADATA",
        "__editable___app_finder.py",
    ],
)
def test_what_steers_does_so_as_a_whole(path: str) -> None:
    """Plug-ins that settings name, targets of links, installed metadata, whatever is a test."""
    assert steered(RULES, path, b"a", b"b")


def test_code_steers_nothing() -> None:
    """It may be fixed."""
    assert not steered(RULES, "app/core.py", b"a", b"b")


def test_what_the_settings_name_as_tests_steers() -> None:
    """As tests of the usual names do; a diagnosis may blame them."""
    rules = steering(FILES, [], FILES.get, named=("spec_*.py", "specs/"))
    paths = ("app/spec_core.py", "specs/table.json", "app/core.py")
    assert [True, True, False] == [steered(rules, path, b"a", b"b") for path in paths]
    blamed = Diagnosis(
        title="t", category=Category.TEST_FAILURE, root_cause="c", path="specs/table.json"
    )
    assert [True, False] == [blames_tests(blamed, rules.named), blames_tests(blamed)]


PYTEST = "[tool.pytest.ini_options]\naddopts = '-q'\n"
MIXED = [
    ("pyproject.toml", "", "[project]\ndependencies = ['attrs']\n", False),
    ("pyproject.toml", PYTEST, PYTEST + "[tool.ruff]\nline-length = 90\n", False),
    ("pyproject.toml", PYTEST, PYTEST + "[tool.poetry.dependencies]\nattrs = '*'\n", False),
    ("pyproject.toml", PYTEST, PYTEST.replace("-q", "-k sound"), True),
    ("pyproject.toml", PYTEST, "", True),
    ("pyproject.toml", "", "[project.entry-points.pytest11]\na = 'a'\n", True),
    ("pyproject.toml", "", "[tool.poetry.plugins.pytest11]\na = 'a'\n", True),
    ("pyproject.toml", "", "[tool.coverage.run]\nomit = ['*']\n", True),
    ("pyproject.toml", "", "[tool.clew]\ntest-command = 'true'\n", True),
    ("pyproject.toml", PYTEST, PYTEST + "[", True),
    ("setup.cfg", "", "[metadata]\nname = a\n", False),
    ("setup.cfg", "", "[tool:pytest]\naddopts = -q\n", True),
    ("setup.cfg", "", "[options.entry_points]\npytest11 =\n    a = a\n", True),
    ("package.json", "{}", '{"dependencies": {"a": "1"}}', False),
    ("package.json", "{}", '{"scripts": {"test": "true"}}', True),
    (".env", "A=1\n", "A=2\n", False),
    ("ci/test.env", "", "export PYTHONOPTIMIZE=2\n", True),
    ("tox.ini", "", "[flake8]\n", True),
]


@pytest.mark.parametrize(("path", "before", "after", "expected"), MIXED)
def test_of_some_files_a_part_steers(path: str, before: str, after: str, *, expected: bool) -> None:
    """A dependency may be declared; what pytest is told may not change."""
    assert expected == steered(RULES, path, before.encode(), after.encode())


def test_a_new_file_makes_a_module_where_code_is_imported_from() -> None:
    """At the root, in `src`, as a package; deeper it stands before nothing."""
    files = ["pytest.py", "src/numpy/__init__.py", "app/json.py", "numpy/core.py", "notes.txt"]
    assert {"pytest": "pytest.py", "numpy": "src/numpy/__init__.py"} == dict(
        shadows(files, ("", "src"))
    )


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/test_a.py::test_b[1]", True),
        ("tests.test_a.TestB.test_c", True),
        ("tests/test_a.py", True),
        ("tests/test_ab.py::test_b", False),
    ],
)
def test_a_test_belongs_to_its_file(test: str, *, expected: bool) -> None:
    """By pytest's ids and by unittest's."""
    assert expected == belongs(test, "tests/test_a.py")


@pytest.mark.parametrize(
    ("category", "path", "expected"),
    [
        (Category.TEST_FAILURE, "a.py", False),
        (Category.TASK_SPEC_ERROR, "a.py", True),
        (Category.TEST_FAILURE, "tests/test_a.py", True),
    ],
)
def test_a_diagnosis_says_whether_it_blames_the_tests(
    category: Category, path: str, *, expected: bool
) -> None:
    """By its category, or by the place of the cause."""
    diagnosis = Diagnosis(title="t", category=category, root_cause="c", path=path)
    assert expected == blames_tests(diagnosis)


RUST = """\
pub fn double(n: i32) -> i32 {
    let brace = '{'; // }
    n + n
}

/// Twice as much.
///
/// ```
/// assert_eq!(shop::double(2), 4);
/// ```
pub fn documented<'a>(text: &'a str) -> &'a str {
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn doubles() {
        assert_eq!(super::double(3), 6, "}");
    }
}
"""


@pytest.mark.parametrize(
    ("current", "should_be", "steers"),
    [
        ("n + n", "n * 2", False),
        ("Twice as much.", "Two times.", False),
        ("    text\n", "    text.trim()\n", False),
        ("double(3), 6", "double(3), 7", True),
        ("double(2), 4", "double(2), 5", True),
        ("    #[test]\n", "    #[test]\n    #[ignore]\n", True),
        ("n + n", "if cfg!(test) { 6 } else { n }", True),
        ("pub fn double", "#[cfg(not(test))]\npub fn double", True),
    ],
)
def test_tests_in_rust_steer_where_they_stand(current: str, should_be: str, steers: bool) -> None:  # noqa: FBT001 - a case
    """The code beside them may be fixed; unit tests, doc tests and what asks for them may not."""
    assert current in RUST
    after = RUST.replace(current, should_be)

    assert steers is steered(RULES, "src/lib.rs", RUST.encode(), after.encode())


@pytest.mark.parametrize(
    ("path", "before", "after", "steers"),
    [
        ("go.mod", "module a\n\nrequire b v1\n", "module a\n\nrequire (\n\tb v2\n)\n", False),
        ("go.mod", "module a\n", "module a\n\nreplace b => ./c\n", True),
        ("Cargo.toml", "[package]\n", "[package]\n[dependencies]\nb = '1'\n", False),
        ("Cargo.toml", "[package]\n", "[package]\nautotests = false\n", True),
        ("cart.go", "return 1", "return 2", False),
        ("cart.go", "return 1", "if testing.Testing() { return 2 }", True),
        ("cart.ts", "return 1", "if (process.env.JEST_WORKER_ID) return 2", True),
    ],
)
def test_a_dependency_steers_nothing(path: str, before: str, after: str, steers: bool) -> None:  # noqa: FBT001 - a case
    """What else such a file says does, and so does code that asks whether a test runs it."""
    assert steers is steered(RULES, path, before.encode(), after.encode())
