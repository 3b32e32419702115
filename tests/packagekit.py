"""Real packages as their developers have them: the source, an environment of its own, the tests.

`scripts/packages.py` fetches them beforehand.
"""

from __future__ import annotations

import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

from projects import commit_all

__all__ = ["FAULTS", "PACKAGES", "Package", "changed", "checkout", "python", "seed"]

ROOT = Path(__file__).resolve().parent.parent
FETCHED = ROOT / ".packages"
FAULTS = Path(__file__).with_name("faults")
IGNORED = ".venv/\n__pycache__/\n*.egg-info/\n*.so\nbuild/\n.hypothesis/\n.pytest_cache/\n"


@dataclass(frozen=True)
class Package:
    """One package: which tests are run, and how, where its own notes name what is not here."""

    name: str
    tests: tuple[str, ...] = ()
    command: str = ""

    @property
    def version(self) -> str:
        text = (FETCHED / "sources" / self.name / "PKG-INFO").read_text(encoding="utf-8")
        return next(
            line.removeprefix("Version: ")
            for line in text.splitlines()
            if line.startswith("Version: ")
        )

    def faults(self) -> list[Path]:
        return sorted((FAULTS / self.name).glob("*.diff"))


VERSIONS = "tests/test_version.py::TestVersion"

# Of the big suites the part that is near the mistakes, so that many fit into one measurement.
PACKAGES = {
    package.name: package
    for package in (
        Package("attrs", ("tests/test_validators.py", "tests/test_funcs.py")),
        Package(
            "boltons",
            ("tests/test_urlutils.py", "tests/test_iterutils.py", "tests/test_cacheutils.py"),
        ),
        Package("click", ("tests/test_types", "tests/test_formatting.py", "tests/test_basic.py")),
        Package("idna", ("tests/test_idna.py", "tests/test_idna_codec.py")),
        Package("jinja2"),
        Package("markupsafe"),
        Package("more-itertools", ("tests/test_more.py", "-k", "indow or locate or chunk or nth")),
        Package("networkx", ("networkx/classes", "networkx/algorithms/shortest_paths")),
        # Two tests compare each of its versions with each other, 50,784 times.
        Package(
            "packaging",
            (
                "tests/test_specifiers.py",
                "tests/test_utils.py",
                f"{VERSIONS}::test_normalized_versions",
            ),
        ),
        Package("pluggy"),
        Package("pyrsistent", ("tests/deque_test.py", "tests/list_test.py", "tests/map_test.py")),
        # Its notes for agents say `make test`, which needs uv and five Pythons.
        Package("sqlparse", command="python -m pytest"),
        Package("toolz"),
        Package("werkzeug", ("tests/test_http.py", "tests/test_utils.py")),
    )
}


def checkout(package: Package, folder: Path, *, git: bool = True) -> Path:
    """Put the source into a new folder, installed for editing in an environment of its own.

    With git all of it is committed, but for what developers ignore.
    """
    source = FETCHED / "sources" / package.name
    if not source.is_dir():
        raise FileNotFoundError(f"{source} is not there: run scripts/packages.py first")
    subprocess.run(["cp", "-R", str(source), str(folder)], check=True)
    environment = folder / ".venv"
    venv.create(environment, symlinks=True)
    installed = next(environment.glob("lib/python*/site-packages"))
    tools = next((FETCHED / "tools").glob("lib/python*/site-packages"))
    # The last one on the path: the package itself comes before a released copy of it.
    (installed / "zz_tools.pth").write_text(f"{tools}\n", encoding="utf-8")
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-qq"]
    subprocess.run(
        [*pip, "install", "--no-index", "--no-deps", "--no-build-isolation", "--editable", "."],
        cwd=folder,
        check=True,
    )
    if git:
        ignore = folder / ".gitignore"
        before = ignore.read_text(encoding="utf-8") if ignore.is_file() else ""
        ignore.write_text(f"{before}\n{IGNORED}", encoding="utf-8")
        commit_all(folder)
    return folder


def seed(folder: Path, fault: Path) -> None:
    """Make one mistake in a checkout."""
    subprocess.run(["patch", "-s", "-p1", "-i", str(fault)], cwd=folder, check=True)


def changed(fault: Path) -> str:
    """Return the file that a fault changes."""
    line = next(x for x in fault.read_text(encoding="utf-8").splitlines() if x.startswith("+++ "))
    return line.removeprefix("+++ b/")


def python(folder: Path) -> str:
    return str(folder / ".venv" / "bin" / "python")
