"""A machine that lacks something is told what, and how to get it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BARE = "bash cat cut dirname env id mktemp rm sha256sum".split()  # noqa: SIM905 -- reads better

OLD = "#!/bin/sh\nexit 1\n"
WITHOUT_VENV = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; *print*) echo 3.12;; esac\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout on a machine with git, but without apt and without any Python."""
    folder = tmp_path / "checkout"
    for name in ("scripts/setup", ".ci/packages", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in (*BARE, "git"):
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    return folder


def program(checkout: Path, name: str, script: str) -> None:
    path = checkout.parent / "bin" / name
    path.write_text(script)
    path.chmod(0o755)


def setup(checkout: Path, want: str = "demo") -> tuple[int, list[str]]:
    done = subprocess.run(
        [str(checkout / "scripts" / "setup"), want],
        env={"PATH": str(checkout.parent / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line.removeprefix("setup: ") for line in done.stderr.splitlines()]


def test_without_python_it_says_which_packages_bring_it(checkout: Path) -> None:
    """A Python that is too old counts as none."""
    program(checkout, "python3", OLD)
    code, said = setup(checkout)
    assert code == 1
    assert said[-2] == "no Python from 3.11 on was found"
    assert "sudo apt-get install python3 python3-venv" in said[-1]


def test_without_the_venv_module_it_names_the_package_of_that_version(checkout: Path) -> None:
    """Debian ships `venv` apart from Python."""
    program(checkout, "python3", WITHOUT_VENV)
    code, said = setup(checkout)
    assert code == 1
    assert said[-2] == "python3 is new enough, but cannot create environments"
    assert "sudo apt-get install python3.12-venv" in said[-1]


@pytest.mark.parametrize(
    ("want", "missing"),
    [("demo", "bubblewrap"), ("test", "bubblewrap tmux npm nodejs golang-go cargo faketime bats")],
)
def test_missing_system_packages_are_named_together(
    checkout: Path, want: str, missing: str
) -> None:
    """Who is not root gets one command for all of them, and goes on without."""
    _, said = setup(checkout, want)
    assert said[0] == f"missing: {missing}  (sudo apt-get install {missing}); going on without"


def test_without_git_nothing_goes(checkout: Path) -> None:
    """That is said before anything is installed."""
    (checkout.parent / "bin" / "git").unlink()
    code, said = setup(checkout)
    assert (code, said[-1]) == (1, "Clew cannot work without git")


def test_anything_else_is_refused(checkout: Path) -> None:
    """There are four ways to set up, and no fifth."""
    assert setup(checkout, "prod") == (2, ["`prod` is none of demo, test, bench, mutants"])
