"""What the interface names: all of it is there, says what it promises, and prints nothing."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

from clew import api

NAMES = {
    name: home for homes in api.SECTIONS.values() for home, names in homes.items() for name in names
}
FOLDER = Path(api.__file__).parent


def test_what_is_loaded_is_what_is_checked() -> None:
    """The table that names are loaded by, and the imports that the type checker reads, agree."""
    tree = ast.parse(Path(api.__file__).read_text("utf-8"))
    (checked,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    read = {
        alias.asname: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert read == NAMES


def test_no_name_is_that_of_a_module_beside_it() -> None:
    """The module would be found in its place, as soon as that is loaded."""
    assert set() == {path.stem for path in FOLDER.glob("*.py")} & set(NAMES)


def test_no_name_is_there_twice() -> None:
    listed = [n for homes in api.SECTIONS.values() for names in homes.values() for n in names]
    assert sorted(set(listed)) == sorted(listed)


@pytest.mark.parametrize("name", NAMES)
def test_each_name_says_what_it_promises(name: str) -> None:
    """It is there, and has a docstring of its own."""
    assert (inspect.getdoc(getattr(api, name)) or "").strip()


@pytest.mark.parametrize("name", [n for n in NAMES if inspect.isfunction(getattr(api, n))])
def test_what_a_function_takes_and_returns_is_there_too(name: str) -> None:
    """Each type of a signature is in the interface, in `clew.words`, or is Python's own."""
    function = getattr(api, name)
    module = importlib.import_module(function.__module__)
    tree = ast.parse(inspect.getsource(module))
    homes = {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    } | {node.name: module.__name__ for node in tree.body if isinstance(node, ast.ClassDef)}
    named = {
        node.id
        for said in inspect.get_annotations(function).values()
        for node in ast.walk(ast.parse(said, mode="eval"))
        if isinstance(node, ast.Name)
    }
    assert set() == {
        name
        for name in named - set(NAMES)
        if (home := homes.get(name, "")).startswith("clew") and not home.startswith("clew.words")
    }


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'fx'"):
        api.fx  # noqa: B018 -- to ask for it is all


def test_it_neither_prints_nor_asks() -> None:
    """Whatever is to be said stands in a record or an error."""
    loud = {
        f"{path.name}: {ast.unparse(node)}"
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Name) and node.id in ("print", "input"))
        or ast.unparse(node) in ("sys.stdout", "sys.stderr", "sys.stdin")
        or (isinstance(node, ast.Import | ast.ImportFrom) and _imports_face(node))
    }
    assert set() == loud


def _imports_face(node: ast.Import | ast.ImportFrom) -> bool:
    names = [alias.name for alias in node.names]
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
    return any(name.split(".")[0] in ("click", "rich") for name in names)
