from __future__ import annotations

import pytest

from clew.gates import integrity
from clew.words.gates import GateCommand, GateFinding, GateKind
from gatekit import FAIL, PASS, WARN


def gate(name: str = "ruff", definition: str = "{}", **fields: str) -> GateCommand:
    source, folder = fields.get("source", "pyproject.toml"), fields.get("folder", "")
    return GateCommand(
        name=name, kind=GateKind.LINT, source=source, folder=folder, definition=definition
    )


def command(line: str, folder: str = "") -> GateCommand:
    return GateCommand(name="own", kind=GateKind.PROJECT, argv=tuple(line.split()), folder=folder)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([gate()], []),
        ([gate(), gate("mypy")], []),
        ([gate(definition="{1}")], ["web/pyproject.toml  the gate ruff was changed"]),
        ([gate("mypy")], ["web/pyproject.toml  the gate ruff was taken away"]),
    ],
)
def test_a_gate_that_is_not_what_it_was_is_named(after: list[GateCommand], said: list[str]) -> None:
    """A new one changes nothing; one that is gone would let everything pass."""
    before = [gate(folder="web")]
    found = integrity.redefined(before, after)
    assert said == [f"{each.path}  {each.text}" for each in found]


def test_settings_for_a_folder_are_named_where_their_tool_is_in_use() -> None:
    """The nearest settings win, so new ones further down change what is measured."""
    used = [gate()]
    below = [gate(source="ruff.toml", folder="src"), gate("black", folder="src")]
    found = list(integrity.nested_settings(used, [], below))
    assert ["src/ruff.toml"] == [each.path for each in found]
    assert [] == list(integrity.nested_settings(used, below, below))


def test_a_plug_in_that_a_test_newly_has_loaded_is_named() -> None:
    """It judges all tests; a conftest is settings of theirs, which a phase may declare."""
    loads = 'pytest_plugins = ["app.left", "pytester"]\n'
    was = {"tests/test_old.py": 'pytest_plugins = "pytester"\n'}
    now = {"tests/test_old.py": loads, "tests/test_new.py": loads, "tests/conftest.py": loads}
    found = list(integrity.loaded_plugins(was, now))
    assert ["app.left", "app.left", "pytester"] == [each.path for each in found]
    assert FAIL is integrity.judged(found, ["tests/test_new.py", "app/left.py"]).status
    assert [] == list(integrity.loaded_plugins(now, now))


@pytest.mark.parametrize(
    ("line", "changed", "found"),
    [
        ("./check --all", "check", True),
        ("tools/check", "tools/check", True),
        ("python3.12 -B tools/check.py a.py", "tools/check.py", True),
        ("python tools/check.py a.py", "a.py", False),
        ("make lint", "Makefile", True),
        ("ruff check", "ruff", False),
        ("python -m mypy", "mypy", True),
        ("", "a.py", False),
    ],
)
def test_a_script_that_a_gate_runs_is_part_of_it(line: str, changed: str, *, found: bool) -> None:
    """As far as the command's words tell; what it is to look at is not."""
    assert found == bool(list(integrity.rewritten_scripts([command(line)], {changed})))
    deeper = command(line, "web")
    assert found == bool(list(integrity.rewritten_scripts([deeper], {f"web/{changed}"})))


@pytest.mark.parametrize(
    ("paths", "declared", "status"),
    [
        ((), frozenset[str](), PASS),
        (("ruff.toml",), frozenset({"a.py"}), FAIL),
        (("ruff.toml",), frozenset({"ruff.toml"}), WARN),
        (("ruff.toml", "check"), frozenset({"ruff.toml"}), FAIL),
        (("ruff.toml",), None, WARN),
    ],
)
def test_work_that_changes_its_gates_has_to_declare_it(
    paths: tuple[str, ...], declared: frozenset[str] | None, status: str
) -> None:
    """A declared change is for a person to see; where nothing is declared so is any."""
    findings = [GateFinding(path=path, text="x") for path in paths]
    assert status == integrity.judged(findings, declared).status
