"""Which files decide what is tested, and how.

Most do so as a whole: tests, conftests, the settings of a runner, plug-ins that the settings name.
Some hold other things as well (`pyproject.toml`, `setup.cfg`, `package.json`, a file of variables):
there only what steers counts, so that a fix may declare a dependency.
"""

from __future__ import annotations

import ast
import configparser
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from clew.analysis.tampering.hosting import kept
from clew.analysis.tampering.rust import inline_tests
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.words.facts import Category, Diagnosis

__all__ = [
    "Read",
    "Steering",
    "belongs",
    "blames_tests",
    "plugins_named",
    "shadows",
    "steered",
    "steering",
]

Read = Callable[[str], bytes | None]

# Of `pyproject.toml`: what says nothing about how tests run. Of the rest every table counts.
FREE_TABLES = frozenset({"build-system", "dependency-groups"})
FREE_TOOLS = frozenset(
    {"bandit", "black", "bumpversion", "check-manifest", "codespell", "commitizen", "docformatter"}
    | {"flake8", "flit", "isort", "mypy", "pydocstyle", "pylint", "pyright", "ruff", "setuptools"}
    | {"setuptools-git-versioning", "setuptools_scm", "towncrier", "uv", "versioningit", "yapf"}
)
# Of these tools only some keys count.
KEYS_OF_TOOLS = {
    "hatch": ("envs",),
    "pdm": ("scripts", "options"),
    "poetry": ("plugins", "scripts"),
}
SECTIONS = re.compile(r"tool:.*|pytest|aliases|coverage:.*|options\.entry_points|test|nosetests")
FREE_CRATES = frozenset({"dependencies"})  # of `Cargo.toml`
# By these code in Go and JavaScript learns that a test runs it.
ASKING = re.compile(
    r"\btesting\.Testing\(|\bflag\.Lookup\(\s*[\"`]test\.|\bimport\.meta\.vitest\b"
    r"|\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST(?:_\w+)?)\b"
)
REQUIRED = re.compile(r"^require\s+(?:\([^)]*\)|.*)", re.MULTILINE)  # of `go.mod`
SCRIPTS = ("scripts", "jest", "vitest", "mocha", "ava", "c8", "nyc", "tap")
VARIABLE = re.compile(r"\s*(?:export\s+)?((?:PYTEST|PYTHON|COVERAGE)\w*\s*=.*)")
INSTALLED = re.compile(r".*\.(?:egg-link|pth)|__editable__.*")
METADATA = (".egg-info", ".dist-info")
PLUGIN_WORD = re.compile(r"(?:^|[\s\"',\[])-p[\s\"',=]*([A-Za-z_][\w.]*)")
RUNNER_SETTINGS = ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml")


class Steering(msgspec.Struct, frozen=True, kw_only=True):
    """What steers the tests of one tree beside the files that are known by name."""

    plugins: frozenset[str] = frozenset()  # files of plug-ins that its settings name
    linked: frozenset[str] = frozenset()  # files that a test is a link to
    named: tuple[str, ...] = ()  # what its settings name as tests, see `clew.analysis.testfiles`
    judges: frozenset[str] = frozenset()  # files that were seen to judge
    hosts: Mapping[str, frozenset[str]] = {}  # names of tests in code of the product, by its file

    def whole(self, path: str) -> bool:
        """Tell whether the file steers as a whole."""
        if path in self.plugins or path in self.linked or is_test_path(path, self.named):
            return True
        if path in self.judges and (path.endswith(_CODE) or not _mixed(path)):
            return True
        return (is_test_config(path) and not _mixed(path)) or _is_installed(path)


def steering(
    files: Iterable[str],
    links: Iterable[str],
    read: Read,
    said: str = "",
    named: tuple[str, ...] = (),
) -> Steering:
    """Find what steers the tests of a tree: its files, those that are links, and their contents.

    `said` are the words of the test command: it may name plug-ins, too. `named` is what a run told
    of the names of tests.
    """
    known = frozenset(files)
    names = {name for name in PLUGIN_WORD.findall(said) if not name.startswith("no:")}
    for path in known:
        if posixpath.basename(path) in RUNNER_SETTINGS:
            names |= set(_named_in_settings(path, _text(read(path))))
        elif path.endswith(".py") and is_test_path(path, named):
            content = read(path) or b""
            if b"pytest_plugins" in content:
                names |= set(plugins_named(_text(content)))
    plugins = {path for name in names for path in _files_of(name) if path in known}
    linked = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), _text(read(path))))
        for path in links
        if is_test_path(path, named) or is_test_config(path)
    }
    return Steering(plugins=frozenset(plugins), linked=frozenset(linked) & known, named=named)


def steered(rules: Steering, path: str, before: bytes | None, after: bytes | None) -> bool:
    """Tell whether a change of a file changes what is tested, or how."""
    if rules.whole(path):
        return True
    tests = rules.hosts.get(path)
    if tests is not None and not kept(tests, _text(before), _text(after)):
        return True
    compare = _mixed(path)
    return compare is not None and not _alike(compare, before, after)


def steers_in_part(rules: Steering, path: str) -> bool:
    """Tell whether only what a file holds tells if a change of it steers."""
    return path in rules.hosts or _mixed(path) is not None


def shadows(files: Iterable[str], places: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the top-level modules and packages that files make, as name and path.

    `places` are the folders that code is imported from, relative to the root; "" is the root.
    """
    where = frozenset(places)
    for path in files:
        folder, name = posixpath.split(path)
        if name == "__init__.py":
            folder, name = posixpath.split(folder)
        if folder in where and (name.endswith(".py") or path.endswith("/__init__.py")):
            yield name.removesuffix(".py"), path


def blames_tests(diagnosis: Diagnosis, named: Iterable[str] = ()) -> bool:
    """Tell whether a diagnosis says that the tests are wrong, not the code."""
    return (
        diagnosis.category is Category.TASK_SPEC_ERROR
        or diagnosis.out_of_scope
        or is_test_path(diagnosis.path, named)
    )


def belongs(test: str, path: str) -> bool:
    """Tell whether a test, by its id, stands in a file."""
    dotted = path.removesuffix(".py").replace("/", ".")
    return test == path or test.startswith((f"{path}::", f"{dotted}."))


Compare = Callable[[str], object]


def _mixed(path: str) -> Compare | None:
    """Return what reads the part of a file that steers, for a file of which only a part does."""
    name = posixpath.basename(path)
    if name == ".env" or name.endswith(".env") or name.startswith(".env"):
        return _variables
    return _MIXED.get(name) or _BY_ENDING.get(posixpath.splitext(name)[1])


def _alike(part: Compare, before: bytes | None, after: bytes | None) -> bool:
    try:
        return part(_text(before)) == part(_text(after))
    except (ValueError, configparser.Error, msgspec.DecodeError):
        return False


def _pyproject(text: str) -> object:
    document: dict[str, Any] = tomllib.loads(text)
    tools = document.pop("tool", {})
    project = document.pop("project", {})
    entries = project.get("entry-points", {}) if isinstance(project, dict) else project
    kept = {name: value for name, value in document.items() if name not in FREE_TABLES}
    for name, value in tools.items() if isinstance(tools, dict) else ():
        keys = KEYS_OF_TOOLS.get(name)
        if keys is not None and isinstance(value, dict):
            kept[name] = {key: value[key] for key in keys if key in value}
        elif name not in FREE_TOOLS:
            kept[name] = value
    return {key: value for key, value in kept.items() if value}, _plugins_of(entries)


def _setup_cfg(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections() if SECTIONS.fullmatch(name)}


def _package(text: str) -> object:
    document = msgspec.json.decode(text or "{}", type=dict[str, Any])
    return {name: document[name] for name in SCRIPTS if name in document}


def _cargo(text: str) -> object:
    document: dict[str, Any] = tomllib.loads(text)
    return {name: value for name, value in document.items() if name not in FREE_CRATES}


def _go_mod(text: str) -> object:
    return REQUIRED.sub("", text).split()


def _asking(text: str) -> object:
    return ASKING.findall(text)


def _variables(text: str) -> object:
    return [found[1] for line in text.splitlines() if (found := VARIABLE.match(line))]


_MIXED: dict[str, Compare] = {
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "package.json": _package,
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
}


_BY_ENDING: dict[str, Compare] = {
    ".rs": inline_tests,
    **dict.fromkeys((".go", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"), _asking),
}
_CODE = tuple(_BY_ENDING)


def _is_installed(path: str) -> bool:
    parts = path.split("/")
    return bool(INSTALLED.fullmatch(parts[-1])) or any(p.endswith(METADATA) for p in parts[:-1])


def _named_in_settings(path: str, text: str) -> Iterator[str]:
    """Yield the modules of plug-ins that a file of settings names."""
    yield from (name for name in PLUGIN_WORD.findall(text) if not name.startswith("no"))
    try:
        if path.endswith(".toml"):
            yield from _plugins_of(tomllib.loads(text).get("project", {}).get("entry-points", {}))
        elif path.endswith("setup.cfg"):
            parser = configparser.RawConfigParser(strict=False)
            parser.read_string(text)
            listed = parser.get("options.entry_points", "pytest11", fallback="")
            yield from (
                line.partition("=")[2].strip() for line in listed.splitlines() if "=" in line
            )
    except (ValueError, AttributeError, configparser.Error):
        return


def _plugins_of(entries: object) -> tuple[str, ...]:
    """Return the modules that entry points hand to pytest."""
    group = entries.get("pytest11", {}) if isinstance(entries, dict) else {}
    values = group.values() if isinstance(group, dict) else ()
    return tuple(sorted(str(value).partition(":")[0].strip() for value in values))


def plugins_named(text: str) -> Iterator[str]:
    """Yield the modules that `pytest_plugins` names."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if any(isinstance(t, ast.Name) and t.id == "pytest_plugins" for t in targets):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield inner.value


def _files_of(module: str) -> tuple[str, ...]:
    path = module.strip().replace(".", "/")
    return tuple(f"{place}{path}{end}" for place in ("", "src/") for end in (".py", "/__init__.py"))


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")
