"""However a project has set its tests up, they run as it wants them, and are mended.

On any Python from 3.9 on, with any pytest from 7 on: each pair of them is met by some project.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from matrix import PAIRS, environment
from shapes import events, person
from treestate import fingerprint

WRONG = (
    "def area(width, height):\n    return width * height\n\n\n"
    "def ring(width, height):\n    return (width + height) * 3\n"
)
BARE = (
    "from shapes import area, ring\n\n\n"
    "def test_area():\n    assert area(2, 3) == 6\n\n\n"
    "def test_ring():\n    assert ring(1, 2) == 6\n\n\n"
    "def test_square():\n    assert ring(2, 2) == 8\n"
)
ID = "a/b::c [d] é\n"
TESTS = "import pytest\n\n" + BARE.replace(
    "def test_square():\n    assert ring(2, 2)",
    f"@pytest.mark.parametrize('size', [pytest.param(2, id={ID!r})])\n"
    "def test_square(size):\n    assert ring(size, size)",
)
CLASS = (
    "from shapes import area, ring\n\n\n"
    "class TestFlat:\n"
    "    def test_none(self):\n        assert ring(0, 0) == 0\n\n"
    "    def test_area(self):\n        assert area(2, 3) == 6\n\n"
    "    def test_ring(self):\n        assert ring(1, 2) == 6\n"
)
IGNORE = {".gitignore": ".venv/\n*.egg-info/\n"}
BASE = IGNORE | {"shapes.py": WRONG, "test_shapes.py": TESTS}
LATER = TESTS.replace("def test", "async def test")
UNITTEST = (
    "import unittest\n\nfrom shapes import area, ring\n\n\n"
    "class Shapes(unittest.TestCase):\n"
    "    def test_area(self):\n        self.assertEqual(6, area(2, 3))\n\n"
    "    def test_ring(self):\n        for n in range(3):\n            with self.subTest(n=n):\n"
    "                self.assertEqual(4 * n, ring(n, n))\n\n\n"
    "class Later(unittest.IsolatedAsyncioTestCase):\n"
    "    async def test_later(self):\n        self.assertEqual(6, ring(1, 2))\n"
)
PARTS = (
    "\n\ndef test_parts(subtests):\n    for n in range(4):\n        with subtests.test(n=n):\n"
    "            assert ring(n, n) == 4 * n\n"
)
IDS = (
    *("", " ", "[", "]]", "::", "a/b.py::test", "new\nline", "é€", "\\", "%s {0} $x", "x" * 3000),
    *("-", "#", "\t", "\x00", '"', "'", "same", "same", "\ud800", "..", "/"),
)
ODD = (
    "import pytest\n\nfrom shapes import ring\n\n"
    f"IDS = {IDS!a}\nSIZES = [pytest.param(i + 1, id=x) for i, x in enumerate(IDS)]\n\n\n"
    "@pytest.mark.parametrize('n', SIZES)\n"
    "def test_square(n):\n    assert ring(n, n) == 4 * n\n\n\n"
    "@pytest.mark.parametrize('n', [0, 0.0, '', b'\\xff', None, ()])\n"
    "def test_nothing(n):\n    assert not ring(0, 0)\n"
)
REORDER = (
    "def pytest_collection_modifyitems(config, items):\n"
    "    out = [item for item in items if 'area' in item.name]\n"
    "    config.hook.pytest_deselected(items=out)\n"
    "    items[:] = [item for item in reversed(items) if item not in out]\n"
)
DOCTEST = WRONG.replace(
    "    return (", '    """Go around.\n\n    >>> ring(1, 2)\n    6\n    """\n    return ('
)


def ini(*lines: str) -> dict[str, str]:
    return {"pytest.ini": "\n".join(("[pytest]", *lines, ""))}


@dataclass(frozen=True)
class Setup:
    """A project, its environment, how its tests are run, and what is known of them."""

    files: dict[str, str]
    python: str = "3.13"
    major: str = "8"
    plugins: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    total: int = 3
    red: int = 2
    fault: str = "shapes.py"


SETUPS = {
    "plain": Setup(files=BASE, python="3.12"),
    "classes": Setup(files=BASE | {"test_shapes.py": CLASS}, python="3.12", major="9", red=1),
    "coroutines": Setup(
        files=BASE | ini("asyncio_mode = auto") | {"test_shapes.py": LATER}, plugins=("asyncio",)
    ),
    "marked coroutines": Setup(
        files=BASE
        | {"test_shapes.py": f"import pytest\n\npytestmark = pytest.mark.asyncio\n{LATER}"},
        python="3.9",
        plugins=("asyncio",),
    ),
    "several processes": Setup(
        files=BASE | ini("addopts = -n auto --dist loadfile --maxfail=1"),
        python="3.9",
        plugins=("randomly", "xdist"),
    ),
    "plug-ins switched off": Setup(
        files=BASE | ini("addopts = -p no:xdist -p no:cov -p no:randomly"),
        plugins=("cov", "randomly", "xdist"),
    ),
    "coverage demanded": Setup(
        files=BASE
        | ini("addopts = --cov=shapes --cov-branch --cov-fail-under=100 --randomly-seed=last"),
        python="3.9",
        plugins=("cov", "randomly"),
    ),
    "everything": Setup(
        files=BASE | ini("addopts = --cov -n 2 -W error --strict-config", "xfail_strict = true"),
        plugins=("asyncio", "cov", "randomly", "subtests", "xdist"),
    ),
    "warnings are errors": Setup(
        files=BASE | ini("filterwarnings = error"),
        python="3.9",
        major="7",
        words=("--test-command", "python -W error -m pytest -W error"),
    ),
    "namespace package, same names": Setup(
        files=IGNORE
        | ini("addopts = --import-mode=importlib", "pythonpath = src", "testpaths = tests")
        | {"src/acme/flat/shapes.py": WRONG}
        | {f"tests/{n}/test_shapes.py": TESTS.replace("shapes", "acme.flat.shapes") for n in "ab"},
        total=6,
        red=4,
        fault="src/acme/flat/shapes.py",
        python="3.10",
        major="7",
    ),
    "examples in docstrings": Setup(
        files=IGNORE
        | ini("addopts = --doctest-modules --doctest-glob=*.md")
        | {"shapes.py": DOCTEST, "guide.md": ">>> from shapes import ring\n>>> ring(2, 2)\n8\n"},
        total=2,
        python="3.11",
        major="7",
    ),
    "odd ids": Setup(
        files=BASE | {"test_shapes.py": ODD}, total=28, red=22, python="3.12", major="7"
    ),
    "parts, built in": Setup(
        files=BASE | {"test_shapes.py": TESTS + PARTS}, major="9", total=4, red=3
    ),
    "parts, by plug-in": Setup(
        files=BASE | {"test_shapes.py": UNITTEST + PARTS},
        python="3.9",
        plugins=("subtests",),
        total=4,
        red=3,
    ),
    "unittest": Setup(
        files=IGNORE | {"shapes.py": WRONG, "tests/test_shapes.py": UNITTEST},
        python="3.9",
        major="",
    ),
    "unittest in a package": Setup(
        files=IGNORE
        | {"shapes.py": WRONG, "tests/__init__.py": "", "tests/test_shapes.py": UNITTEST},
        major="",
    ),
    "reordered and deselected": Setup(
        files=BASE
        | {"conftest.py": REORDER}
        | ini(
            "addopts = -x --strict-markers -p no:cacheprovider -qq --tb=no -s --junitxml=all.xml"
        ),
        total=2,
        python="3.13",
        major="7",
    ),
    "setup.cfg": Setup(
        files=IGNORE
        | {
            "setup.cfg": "[tool:pytest]\ntestpaths = checks\npython_files = check_*.py\n"
            "python_functions = check_*\npythonpath = lib\naddopts = --lf --sw -rA -vv -l\n",
            "lib/shapes.py": WRONG,
            "checks/check_shapes.py": BARE.replace("def test_", "def check_"),
        },
        python="3.10",
        fault="lib/shapes.py",
    ),
    "native table": Setup(
        files=BASE | {"pyproject.toml": '[tool.pytest]\naddopts = ["-v"]\nstrict = true\n'},
        major="9",
        python="3.10",
    ),
    "rootdir above": Setup(
        files=IGNORE
        | ini()
        | {
            "part/shapes.py": WRONG,
            "part/test_shapes.py": TESTS,
            "other/test_other.py": "def test_other():\n    assert 0\n",
        },
        words=("part",),
        fault="part/shapes.py",
        python="3.11",
    ),
    "configuration elsewhere": Setup(
        files=IGNORE
        | {
            "part/shapes.py": WRONG,
            "part/test_shapes.py": TESTS,
            "conf/pytest.ini": "[pytest]\npythonpath = ../part\n",
        },
        words=("--test-command", "pytest -c conf/pytest.ini --rootdir=. part"),
        fault="part/shapes.py",
        python="3.11",
        major="9",
    ),
}


def mended(clew: CommandLine, said: Said, setup: Setup) -> None:
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    ran = {event["purpose"]: event for event in events(said, "TestsRan")}
    first, last = ran["baseline"], ran["verify"]
    own = clew.project / ".venv" / "bin" / "python"
    assert {str(own)} == {event["command"]["interpreter"] for event in ran.values()}
    assert (setup.total, setup.red) == (first["total"], len(first["red"])), first
    if any(repr(ID) in text for text in setup.files.values()):
        name = f"::test_square[{ID.encode('unicode_escape').decode()}]"
        assert any(red["id"].endswith(name) for red in first["red"]), first
    assert setup.total == last["passed"]
    assert [[setup.fault]] == [event["files"] for event in events(said, "FixApplied")]
    (diagnosed,) = events(said, "Diagnosed")
    suspect = diagnosed["suspects"][0]
    assert setup.fault == suspect["path"]
    assert "* 3" in setup.files[setup.fault].splitlines()[suspect["line"] - 1], suspect
    assert "Ochiai" in " ".join(diagnosed["diagnosis"]["evidence"])
    assert all(row["holds"] for row in said.summary["proof"]["rows"])


def test_every_python_is_met_with_every_pytest() -> None:
    """The projects below are spread over all pairs."""
    assert set() == set(PAIRS) - {(setup.python, setup.major) for setup in SETUPS.values()}


@pytest.mark.slow
@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", SETUPS)
def test_a_project_is_mended_as_it_is_set_up(tmp_path: Path, name: str) -> None:
    """Every test is seen, the fault is found where it is, and nothing is left behind.

    Tests are known by id, the fault by the lines that red tests run, the fix by a proof.
    """
    setup = SETUPS[name]
    clew = person(tmp_path, setup.files)
    environment(clew.project, setup.python, major=setup.major, plugins=setup.plugins)
    before = fingerprint(locate(clew.project))
    said = clew.run("fix", "--json", *setup.words)
    mended(clew, said, setup)
    assert before == fingerprint(locate(clew.project))


SETUP_PY = "from setuptools import setup\n\nsetup(name='shapes', version='1', {layout})\n"
OLD_STYLE = ("setup.py", "-q", "develop", "--no-deps")
NEW_STYLE = ("install", "-q", "--no-index", "--no-deps", "--no-build-isolation", "-e.")
STRICT = (*NEW_STYLE, "--config-settings", "editable_mode=strict")


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("python", "words", "layout", "left"),
    [
        ("3.9", OLD_STYLE, "packages=['shapes'], package_dir={'': 'src'}", "*.egg-link"),
        ("3.13", NEW_STYLE, "packages=['shapes'], package_dir={'shapes': 'src/shapes'}", "*er.py"),
        ("3.9", STRICT, "packages=['shapes'], package_dir={'': 'src'}", "__editable__.*.pth"),
        ("3.13", STRICT, "packages=['shapes'], package_dir={'': 'src'}", "__editable__.*.pth"),
    ],
)
def test_an_editable_install_of_any_style_is_mended(
    tmp_path: Path, python: str, words: tuple[str, ...], layout: str, left: str
) -> None:
    """Whether it is a path, an import hook or a tree of links that leads to the person's own."""
    setup = Setup(
        files=IGNORE
        | {
            "setup.py": SETUP_PY.format(layout=layout),
            "src/shapes/__init__.py": "from shapes.core import area, ring\n",
            "src/shapes/core.py": WRONG,
            "tests/test_shapes.py": TESTS,
        },
        fault="src/shapes/core.py",
    )
    clew = person(tmp_path, setup.files)
    own = environment(clew.project, python, plugins=("setuptools",))
    own_python = str(own / "bin" / "python")
    with_pip = (sys.executable, "-m", "pip", "--python", own_python)
    starter = with_pip if "install" in words else (own_python,)
    subprocess.run([*starter, *words], cwd=clew.project, check=True, capture_output=True)
    assert list(own.rglob(left))
    said = clew.run("fix", "--json")
    mended(clew, said, setup)
    assert 0 == clew.run("apply").code
    tested = subprocess.run([own_python, "-m", "pytest", "-q"], cwd=clew.project, check=False)
    assert 0 == tested.returncode


def test_a_broken_environment_is_said_with_the_next_step(tmp_path: Path) -> None:
    """The Python that it was made from is gone: no other is taken, and a person is asked."""
    clew = person(tmp_path, BASE)
    binaries = clew.project / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to("/gone/bin/python3.9")
    (binaries.parent / "pyvenv.cfg").touch()
    before = fingerprint(locate(clew.project))
    said, looked = clew.run("fix"), clew.run("localize")
    assert (3, 3) == (said.code, looked.code)
    assert "clew resume" in said.out
    for words in (said.out, looked.err):
        assert "its Python is gone (/gone/bin/python3.9)" in words
        assert f"python3 -m venv --clear {clew.project}/.venv" in words
    assert before == fingerprint(locate(clew.project))


@pytest.mark.slow
def test_the_question_names_the_remedy_of_a_folder_off_the_import_path(tmp_path: Path) -> None:
    """As the diagnosis does: no package is missing, and the person can mend it by one line."""
    clew = person(tmp_path, {"src/shapes.py": WRONG, "tests/test_shapes.py": BARE})

    said = clew.run("fix")

    assert 1 == said.code, said
    assert "For ModuleNotFoundError, install the project where the tests run." in said.out
    assert 'Set `pythonpath = ["src"]`' in said.out
    assert "no edit can fix" not in said.out
