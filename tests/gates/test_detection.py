from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.gates.detection import chosen, detect, places
from clew.words.errors import UsageError
from clew.words.gates import GateCommand, GateKind


def commands(gates: tuple[GateCommand, ...]) -> dict[str, str]:
    return {gate.name: " ".join(gate.argv) for gate in gates}


def found(
    texts: dict[str, str], files: tuple[str, ...] = (), subdir: str = ""
) -> dict[str, GateCommand]:
    return {gate.name: gate for gate in detect(texts, (*texts, *files), subdir)}


def test_a_project_without_configuration_has_no_gates() -> None:
    """Nothing is guessed at: code alone asks for no linter."""
    assert () == detect({}, ("a.py",), "")


def test_tables_of_pyproject_are_gates() -> None:
    """Each tool that has a table is one, in the order lint, types, build."""
    text = (
        "[tool.mypy]\nstrict = true\n[tool.ruff.format]\n[tool.pyright]\n[tool.black]\n"
        "[build-system]\nrequires = ['hatchling']\n"
    )
    gates = detect({"pyproject.toml": text}, (), "")
    assert ["ruff", "ruff-format", "black", "mypy", "pyright", "build"] == [g.name for g in gates]
    assert {"pyproject.toml"} == {gate.source for gate in gates}
    assert [GateKind.LINT] * 3 + [GateKind.TYPES] * 2 + [GateKind.BUILD] == [g.kind for g in gates]


@pytest.mark.parametrize(
    ("texts", "end"),
    [
        ({"pyproject.toml": "[tool.mypy]\nfiles = ['src']\n"}, "{cache}"),
        ({"pyproject.toml": "[tool.mypy]\nstrict = true\n"}, "{cache} ."),
        ({"mypy.ini": "[mypy]\npackages = a\n"}, "{cache}"),
        ({"mypy.ini": "[mypy]\n"}, "{cache} ."),
        ({"setup.cfg": "[mypy]\nstrict = true\n"}, "{cache} ."),
    ],
)
def test_mypy_is_told_what_to_check_where_its_settings_do_not(
    texts: dict[str, str], end: str
) -> None:
    """With neither it would refuse."""
    assert commands(detect(texts, (), ""))["mypy"].endswith(end)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ({"ruff.toml": ""}, {"ruff"}),
        ({".ruff.toml": "[format]\nquote-style = 'single'\n"}, {"ruff", "ruff-format"}),
        ({"pyrightconfig.json": "{}"}, {"pyright"}),
        ({".flake8": "[flake8]\n"}, {"flake8"}),
        ({"tox.ini": "[flake8]\nmax-line-length = 100\n"}, {"flake8"}),
        ({"setup.cfg": "[isort]\nprofile = black\n"}, {"isort"}),
        ({"go.mod": "module x\n"}, {"go-vet", "go-build"}),
        ({"Cargo.toml": "[package]\n"}, {"cargo-clippy", "cargo-check"}),
    ],
)
def test_a_tools_own_file_is_a_gate(texts: dict[str, str], names: set[str]) -> None:
    """So is a section of a shared one, and what a language brings along."""
    assert names == commands(detect(texts, (), "")).keys()


def test_what_nobody_asked_for_is_optional() -> None:
    """A tool that comes with the language need not be there."""
    gates = found({"go.mod": "module x\n", "ruff.toml": ""})
    assert (True, False) == (gates["ruff"].required, gates["go-vet"].required)


def test_scripts_of_package_json_are_gates() -> None:
    """Those of the usual names; the lock file says who runs them."""
    scripts = {"lint": "eslint .", "typecheck": "tsc", "build": "vite build", "test": "jest"}
    manifest = json.dumps({"scripts": scripts})
    gates = found({"package.json": manifest})
    assert {"npm:lint", "npm:typecheck", "npm:build"} == gates.keys()
    assert ("npm", "run", "lint") == gates["npm:lint"].argv
    other = found({"web/package.json": manifest}, ("web/pnpm-lock.yaml",), "web")
    assert ("web", ("pnpm", "run", "lint")) == (
        other["pnpm:lint"].folder,
        other["pnpm:lint"].argv,
    )


HOOKS = """\
exclude: ^old/
repos:
  - repo: https://example.org/ruff-pre-commit
    rev: v1
    hooks: [{id: ruff}, {id: check-yaml}]
  - repo: local
    hooks:
      - {id: shapes, name: s, entry: python tools/shapes.py --strict, language: system,
         types: [python], args: [--fast]}
      - {id: whole, name: w, entry: ./check, language: script, pass_filenames: false}
      - {id: docs, name: d, entry: docs-check, language: system, files: '\\.md$'}
      - {id: pushed, name: p, entry: x, language: system, stages: [pre-push]}
      - {id: fetched, name: f, entry: x, language: python, additional_dependencies: [x]}
      - {id: types, name: t, entry: mypy src, language: system, pass_filenames: false}
      - {id: strange, name: st, entry: x, language: system, types: [plist]}
"""


def test_local_hooks_are_gates_and_others_are_named() -> None:
    """A hook is given the files that pre-commit would give it, of the whole project."""
    texts = {".pre-commit-config.yaml": HOOKS, "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n"}
    gates = found(texts, ("a.py", "old/b.py", "src/c.pyi", "d.js"))
    assert ("python", "tools/shapes.py", "--strict", "--fast", "a.py", "src/c.pyi") == (
        gates["shapes"].argv
    )
    assert ("./check",) == gates["whole"].argv
    assert "docs" not in gates, "no file of that kind"
    assert "pushed" not in gates, "not at a commit"
    assert ("language: python" in gates["fetched"].unread, False) == (
        True,
        gates["fetched"].required,
    )
    assert "plist" in gates["strange"].unread
    assert "check-yaml" in gates["pre-commit"].unread
    assert "ruff" not in gates["pre-commit"].unread, "it has a gate of its own"


def test_a_command_of_the_projects_own_wins() -> None:
    """What a hook or an environment runs takes the place of what would be chosen for its tool."""
    texts = {".pre-commit-config.yaml": HOOKS, "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n"}
    gates = found(texts)
    assert (("mypy", "src"), GateKind.TYPES) == (gates["mypy"].argv, gates["mypy"].kind)
    assert ".pre-commit-config.yaml" == gates["mypy"].source


LAUGHS = (
    "a0: &a0 [x, x]\n"
    + "".join(f"a{n}: &a{n}\n  - *a{n - 1}\n  - *a{n - 1}\n" for n in range(1, 60))
    + "files: *a59\nrepos:\n- repo: *a59\n  hooks:\n  - id: y\n"
    "- repo: local\n  hooks:\n  - id: x\n    entry: x\n    language: system\n"
    "    args: *a59\n    files: *a59\n    own: &own\n    - *own\n"
)


def test_aliases_of_yaml_are_not_followed() -> None:
    """A few lines may stand for more than a machine holds: only plain values are read."""
    gates = found({".pre-commit-config.yaml": LAUGHS}, ("a.py",))
    assert ("x", ".pre-commit-config.yaml", "a.py") == gates["x"].argv


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        (r"^(src|tests)/.*\.py$", True),
        (r"^[(*+)]+(a\)*)$", True),
        (r"^(a+)+$", False),
        (r"^((a|b))*$", False),
        (r"^(?:(?:x*)y)+$", False),
        (r"(", False),
    ],
)
def test_patterns_that_may_take_for_ever_are_not_tried(pattern: str, *, read: bool) -> None:
    """They are anybody's, and Python's patterns have no bound."""
    hook = {"id": "x", "entry": "x", "language": "system", "files": pattern, "always_run": True}
    text = json.dumps({"repos": [{"repo": "local", "hooks": [hook]}]})
    assert read == (not found({".pre-commit-config.yaml": text})["x"].unread)


TOX = """\
[tox]
env_list = lint
[testenv:lint]
deps = ruff
commands =
    ruff check {posargs:src}
    ruff check tests
    mypy src
[testenv:docs]
commands = sphinx-build docs out
[testenv:style]
commands = black --check {toxinidir}
"""


def test_plain_environments_of_tox_are_gates() -> None:
    """Several commands of one tool are several gates; what is not plain is named."""
    gates = found({"tox.ini": TOX, "pyproject.toml": "[tool.ruff]\n"})
    assert ("ruff", "check", "src") == gates["ruff"].argv
    assert ("ruff", "check", "tests") == gates["ruff-2"].argv
    assert ("mypy", "src") == gates["mypy"].argv
    assert "not plain" in gates["tox:style"].unread
    assert {"ruff", "ruff-2", "mypy", "tox:style"} == gates.keys()


NOX = """\
import nox

@nox.session
def lint(session):
    "Lint."
    session.install("ruff")
    session.run("ruff", "check", "src")

@nox.session(python="3.12")
def typing(session):
    for part in PARTS:
        session.run("mypy", part)

def black(session):
    session.run("black", ".")
"""


def test_plain_sessions_of_nox_are_gates() -> None:
    """A session that computes what it runs is named, and a function that is none is not."""
    gates = found({"noxfile.py": NOX})
    assert {"ruff", "nox:typing"} == gates.keys()
    assert ("ruff", "check", "src") == gates["ruff"].argv
    assert gates["nox:typing"].unread


def test_the_nearest_folder_wins() -> None:
    """A gate runs where its configuration lies; further up is what is not said below."""
    texts = {
        "web/ruff.toml": "",
        "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n",
    }
    gates = found(texts, (), "web/app")
    assert ("web", "") == (gates["ruff"].folder, gates["mypy"].folder)
    assert {"web/app/ruff.toml", "web/ruff.toml", "ruff.toml"} <= set(places("web/app"))


@given(st.dictionaries(st.sampled_from(places("")), st.text(), max_size=4))
def test_any_text_is_read_without_an_error(texts: dict[str, str]) -> None:
    """A file that cannot be read says nothing."""
    detect(texts, tuple(texts), "")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {"ruff": "ruff", "mypy": "mypy"}),
        ({"lint": "make lint"}, {"lint": "make lint", "mypy": "mypy"}),
        ({"ruff": "ruff check src"}, {"ruff": "ruff check src", "mypy": "mypy"}),
        ({"types": ""}, {"ruff": "ruff"}),
        ({"mypy": " "}, {"ruff": "ruff"}),
        ({"licences": "reuse lint"}, {"ruff": "ruff", "mypy": "mypy", "licences": "reuse lint"}),
    ],
)
def test_settings_replace_add_and_leave_out(
    settings: dict[str, str], expected: dict[str, str]
) -> None:
    """By the name of a gate or of a kind; an empty line is none."""
    gates = (
        GateCommand(name="ruff", kind=GateKind.LINT, argv=("ruff",)),
        GateCommand(name="mypy", kind=GateKind.TYPES, argv=("mypy",)),
    )
    assert expected == commands(chosen(gates, settings, ""))


def test_a_gate_of_the_settings_is_of_its_tools_kind() -> None:
    """So what a linter found before is not blamed on the work; other commands are the project's."""
    gates = chosen((), {"own": "flake8 src", "other": "./check"}, "sub")
    assert [GateKind.LINT, GateKind.PROJECT] == [gate.kind for gate in gates]
    assert {"sub"} == {gate.folder for gate in gates}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"own": "a | b"}, "the command of the gate own needs a shell"),
        ({"own": "a 'b"}, "the command of the gate own cannot be read"),
        ({"scope": "true"}, "scope is not a command"),
    ],
)
def test_settings_that_cannot_be_carried_out_are_refused(
    settings: dict[str, str], said: str
) -> None:
    """No line goes to a shell, and what is no command is not replaced by one."""
    with pytest.raises(UsageError, match=said):
        chosen((), settings, "")
