"""The order of the folders: each imports only those above it in the map of CONTRIBUTING.md."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import clew

ROOT = Path(clew.__file__).parent
MAP = Path(__file__).parents[1] / "CONTRIBUTING.md"

FOLDERS = re.findall(r"^\| `([a-z]+)` \|", MAP.read_text("utf-8"), re.MULTILINE)
ENTRY = "__main__"
DEPTH = {name: depth for depth, name in enumerate([*FOLDERS, ENTRY])}
FLOWS = "flows"

RULES = (
    *("words.edits", "words.papers", "words.phases", "words.plans", "words.retry_policy"),
    *("analysis", "documents", "evidence", "agents.prompts"),
    *(
        ".".join(p.relative_to(ROOT).with_suffix("").parts)
        for name in ("states", "decisions")
        for p in (*ROOT.glob(f"{FLOWS}/**/{name}"), *ROOT.glob(f"{FLOWS}/**/{name}.py"))
    ),
)

# What rules do without: the clock, chance, the disk, other processes, the network.
IMPURE = frozenset(
    {"asyncio", "glob", "multiprocessing", "os", "psutil", "random", "secrets", "shutil", "signal"}
    | {"socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib.request", "uuid"}
)

PROBE = "probe"
FORMULAS = "probe.formulas"
PROBE_MAY_IMPORT = sys.stdlib_module_names | {"pytest", "_pytest"}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name, the probe's left out."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] == PROBE:
            continue
        if parts[-1] == "__init__":
            parts = parts[:-1]
        found[".".join(("clew", *parts))] = path
    return found


def part(name: str) -> str:
    """`clew.sandbox.limits` belongs to `sandbox`; the package itself to ``."""
    return name.split(".")[1] if "." in name else ""


def kind_of_session(name: str) -> str:
    """`clew.flows.debugging.states` belongs to `debugging`, what is no flow's to ``."""
    parts = name.split(".")
    return parts[2] if len(parts) > 2 and part(name) == FLOWS else ""


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(name: str, path: Path) -> Iterator[str]:
    """Dotted names that a module imports, wherever in it the statement stands."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            yield from (f"{base}.{alias.name}" for alias in node.names)


def own(imported: str, known: dict[str, Path]) -> str | None:
    """The module of ours that an imported name is or lives in."""
    while imported:
        if imported in known:
            return imported
        imported = imported.rpartition(".")[0]
    return None


@functools.cache
def graph() -> dict[str, set[str]]:
    known = modules()
    return {
        name: {target for each in imports(name, path) if (target := own(each, known))} - {name}
        for name, path in known.items()
    }


def test_the_map_names_every_folder() -> None:
    """A new folder is placed in the map before anything can use it."""
    assert {*FOLDERS, ENTRY} == {part(name) for name in modules() if part(name)}
    assert len(FOLDERS) == len(set(FOLDERS))


ROW = re.compile(r"(?P<names>[a-z_]+(?:, [a-z_]+)*)/? {2,}\S")


def test_what_a_folder_says_of_its_modules_is_there() -> None:
    """Where its docstring is a map, no row of it names what was moved or renamed."""
    gone = set()
    for init in ROOT.rglob("__init__.py"):
        said = ast.get_docstring(tree(init)) or ""
        rows = [row["names"] for line in said.splitlines()[1:] if (row := ROW.match(line))]
        names = {name for row in rows for name in row.split(", ")}
        there = {path.stem for path in init.parent.iterdir()} & names
        gone |= {f"{init.parent.name}: {name}" for name in names - there if there}
    assert gone == set()


def test_imports_run_downhill() -> None:
    """A module imports only from its own folder and those above it."""
    uphill = {
        f"{name} imports {target}"
        for name, targets in graph().items()
        for target in targets
        if part(name) and part(target) and DEPTH[part(target)] > DEPTH[part(name)]
    }
    assert uphill == set()


def test_no_kind_of_session_knows_another() -> None:
    """What two of them need stands above both."""
    crossed = {
        f"{name} imports {target}"
        for name, targets in graph().items()
        for target in targets
        if len({kind_of_session(name), kind_of_session(target)} - {""}) == 2
    }
    assert crossed == set()


# What the command line takes from beside the interface, each with a reason.
BESIDE_THE_API = {
    "clew.agents.form": "a diagnosis is printed in the form that agents answer in",
    "clew.documents.templating": "a moment is written as in documents",
    "clew.evidence": "evidence is told to people in the words that agents have",
    "clew.gates": "so is the result of a gate",
}


def test_the_command_line_stands_on_the_interface() -> None:
    """It parses, asks and shows; what is decided and done any other face can do as well."""
    beside = {
        target
        for name, targets in graph().items()
        for target in targets
        if part(name) == "cli" and part(target) not in ("", "words", "cli")
    }
    assert {"clew.api", *BESIDE_THE_API} == beside


def test_no_module_imports_itself_in_a_circle() -> None:
    """The imports form no cycle, those inside functions included."""
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(reversed(error.args[1]))) from None


def test_packages_form_no_circle() -> None:
    """Nor do the packages within a folder, each taken as one."""
    packages: dict[str, set[str]] = {}
    for name, targets in graph().items():
        packages.setdefault(package(name), set()).update(package(target) for target in targets)
    for name, targets in packages.items():
        targets -= {name, ""}
    try:
        TopologicalSorter(packages).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(reversed(error.args[1]))) from None


def package(name: str) -> str:
    """`clew.sandbox.limits` is one of its own, `clew.flows.debugging.states.table` is in `states`.

    A folder that is a package itself is one with what stands in it.
    """
    depth = 4 if kind_of_session(name) else 3
    first = name.split(".")[:depth]
    return ".".join(first) if ROOT.joinpath(*first[1:]).is_dir() else name


def test_rules_touch_nothing_outside() -> None:
    """Rules import nothing that reads a clock, a disk, chance or another process."""
    impure = {
        f"{name} imports {imported}"
        for name, path in modules().items()
        if f"{name}.".startswith(tuple(f"clew.{each}." for each in RULES))
        for imported in imports(name, path)
        if any(f"{imported}.".startswith(f"{each}.") for each in IMPURE)
    }
    assert impure == set()


def test_nobody_imports_from_the_probe_but_its_formulas() -> None:
    """It is asked where it lies: it runs in another interpreter."""
    reached = {
        name
        for name, path in modules().items()
        for imported in imports(name, path)
        if imported.startswith(f"clew.{PROBE}.")
        if not f"{imported}.".startswith(f"clew.{FORMULAS}.")
    }
    assert reached == set()


def probe_files() -> list[Path]:
    return sorted((ROOT / PROBE).rglob("*.py"))


def test_the_probe_needs_nothing_but_the_standard_library_and_pytest() -> None:
    """Nothing has to be installed for it, and it knows nothing of Clew."""
    strangers = {
        f"{path.name} imports {name}"
        for path in probe_files()
        for node in ast.walk(tree(path))
        for name in probe_imports(node)
        if name.split(".")[0] not in PROBE_MAY_IMPORT | {"clew_probe"}
    }
    assert strangers == set()


def probe_imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module or ""]
    return []


def test_the_probe_is_written_for_python_3_9() -> None:
    """Every file of it parses with the grammar of the oldest interpreter it serves."""
    for path in probe_files():
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))


def test_no_two_public_classes_have_one_name() -> None:
    """A class is known by its name alone, wherever it is read."""
    names = Counter(
        node.name
        for path in ROOT.rglob("*.py")
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert set() == {name for name, count in names.items() if count > 1}


IDS_READ = ("probe/", "runners/dialects/", "evaluation/", "words/test_ids.py")
"""Where ids of tests are taken apart: by those that make them, and in one module for all others.

The evaluation has entries of its own that are written alike."""


def test_ids_of_tests_are_taken_apart_in_one_place() -> None:
    apart = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("partition", "rpartition", "split", "rsplit")
        and any(isinstance(a, ast.Constant) and a.value == "::" for a in node.args)
    }
    assert {"analysis/context/resolving.py"} == {
        path for path in apart if not path.startswith(IDS_READ)
    }  # modules of Rust, which are spelled alike
