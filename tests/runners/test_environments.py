"""Where a project's environment is, and what is said when it is of no use."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from clew.runners.interpreters import find
from clew.words.errors import TestsDidNotRun
from clew.words.facts import Runner, Verdict
from projectplay import Play
from projects import commit_all, write
from sandbox.confinement import ordinary

GREEN = {".gitignore": ".venv\n", "test_a.py": "def test_a(): pass\n"}


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no environment active, and none kept by a tool."""
    for name in ("CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV", "WORKON_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in (
        "HATCH_DATA_DIR",
        "POETRY_CACHE_DIR",
        "POETRY_VIRTUALENVS_PATH",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def make(folder: Path) -> Path:
    """Make an environment that borrows pytest; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (library,) = folder.glob("lib/python*/site-packages")
    (library / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin" / "python"


def pretend(folder: Path) -> Path:
    """Make what looks like an environment; return its Python."""
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/sh")
    (folder / "pyvenv.cfg").touch()
    return python


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("place", [".venv", ".tox/py", ".nox/tests-3"])
def test_tests_run_in_an_environment_wherever_it_is(play: Play, tmp_path: Path, place: str) -> None:
    """Be it a link to a folder elsewhere, or among what is otherwise left out as a cache."""
    play.write(GREEN)
    shutil.copytree(play.root, play.worktree)
    elsewhere = tmp_path / "kept" / "shop"
    link = play.root / place
    link.parent.mkdir(exist_ok=True)
    if place == ".venv":
        make(elsewhere)
        link.symlink_to(elsewhere)
    else:
        make(link)

    run = play.run(flag=f"{place}/bin/python -m pytest")

    assert (Verdict.PASSED, "") == (run.verdict, run.reason)


def test_an_environment_without_its_python_is_named(tmp_path: Path) -> None:
    """The Python that it was made from is gone: it is said, and not worked around."""
    python = pretend(tmp_path / ".venv")
    python.unlink()
    python.symlink_to("python3")
    python.with_name("python3").symlink_to("/gone/bin/python3.9")

    with pytest.raises(TestsDidNotRun) as caught:
        find(tmp_path, tmp_path)

    assert f"{tmp_path}/.venv is broken" in str(caught.value)
    assert "/gone/bin/python3.9" in str(caught.value)
    assert f"python3 -m venv --clear {tmp_path}/.venv" in caught.value.hint


def test_a_link_to_an_environment_that_is_gone_is_named(tmp_path: Path) -> None:
    """No other Python takes its place unasked."""
    (tmp_path / ".venv").symlink_to(tmp_path / "gone")

    with pytest.raises(TestsDidNotRun) as caught:
        find(tmp_path, tmp_path)

    assert f"{tmp_path}/.venv is broken" in str(caught.value)
    assert f"{tmp_path}/gone" in str(caught.value)


def test_a_command_of_another_kind_needs_no_python(play: Play) -> None:
    """A broken environment is no hindrance to `make test`."""
    play.write({"Makefile": "test:\n\ttrue\n"})
    pretend(play.root / ".venv").unlink()

    assert Verdict.PASSED is play.run(flag="make test").verdict


def test_a_sound_environment_serves_for_a_broken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another beside it, or the one that the person has activated."""
    pretend(tmp_path / ".venv").unlink()
    active = pretend(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert active == find(tmp_path, tmp_path)

    beside = pretend(tmp_path / "venv")
    assert beside == find(tmp_path, tmp_path)


def mark(project: Path) -> str:
    return urlsafe_b64encode(sha256(bytes(project)).digest()).decode()[:8]


def poetry(project: Path, home: Path) -> Path:
    return home / f".cache/pypoetry/virtualenvs/shop-{mark(project)}-py3.11"


def pipenv(project: Path, home: Path) -> Path:
    folder = home / ".local/share/virtualenvs/shop-xSmVJ8zu"
    folder.mkdir(parents=True)
    (folder / ".project").write_text(str(project))
    return folder


def pdm(project: Path, home: Path) -> Path:
    folder = home / ".local/share/pdm/venvs/shop-3.11"
    (project / ".pdm-python").write_text(f"{folder}/bin/python\n")
    return folder


def hatch(project: Path, home: Path) -> Path:
    return home / f".local/share/hatch/env/virtual/shop/{mark(project)}/shop"


def hatch_test(project: Path, home: Path) -> Path:
    pretend(hatch(project, home))
    return hatch(project, home).with_name("hatch-test.py3.11")


@pytest.mark.parametrize("tool", [poetry, pipenv, pdm, hatch, hatch_test])
def test_an_environment_that_a_tool_keeps_elsewhere_is_found(
    tmp_path: Path, tool: Callable[[Path, Path], Path]
) -> None:
    """By its name or its folder's, the project that it names, or the project's file."""
    project = tmp_path / "shop"
    (project / "inner").mkdir(parents=True)
    other = find(project, project)

    python = pretend(tool(project, tmp_path / "home"))

    assert other != python
    assert python == find(project / "inner", project)
    assert other == find(tmp_path, tmp_path)


def test_a_launcher_means_the_environment_that_it_would_use(play: Play, tmp_path: Path) -> None:
    """`poetry run pytest` is pytest in the environment that Poetry keeps."""
    play.write(GREEN)
    python = make(poetry(play.root, tmp_path / "home"))

    command = play.detect("poetry run pytest -q")

    assert (Runner.PYTEST, str(python)) == (command.runner, command.interpreter)


def test_uv_s_own_variable_and_conda_s_folder_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment in the project may bear another name."""
    conda = tmp_path / ".conda" / "bin" / "python"
    conda.parent.mkdir(parents=True)
    conda.symlink_to(sys.executable)
    (tmp_path / ".conda" / "conda-meta").mkdir()
    assert conda == find(tmp_path, tmp_path)

    named = pretend(tmp_path / "build" / "env")
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", "build/env")
    assert named == find(tmp_path, tmp_path)


@pytest.mark.parametrize("version", ["2.7.18", "3.8.20"])
def test_a_python_that_is_too_old_is_refused_by_its_version(play: Play, version: str) -> None:
    """Whether it cannot read the probe at all, or could with luck."""
    play.write(GREEN)
    python = play.root / "python2"
    python.write_text(f"#!/bin/sh\ncase $1 in -c) echo {version};; *) exit 1;; esac\n")
    python.chmod(0o755)

    with pytest.raises(TestsDidNotRun) as caught:
        play.detect(f"{python} -m pytest")

    assert str(caught.value).endswith(f"{python} is Python {version}")
    assert "3.9 or newer" in caught.value.hint


def test_a_pytest_that_is_too_old_is_refused_by_its_version(play: Play) -> None:
    """The environment is named, and how to bring it up to date."""
    play.write(GREEN)
    python = make(play.root / ".venv")
    (library,) = python.parents[1].glob("lib/python*/site-packages")
    (library / "pytest.py").touch()
    (library / "pytest-6.2.5.dist-info").mkdir()
    (library / "pytest-6.2.5.dist-info" / "METADATA").write_text("Name: pytest\nVersion: 6.2.5\n")

    with pytest.raises(TestsDidNotRun, match=r"pytest 6\.2\.5 is too old") as caught:
        play.detect(f"{python} -m pytest")

    assert f"{python} -m pip install --upgrade" in caught.value.hint


SHIM = "#!/bin/sh\nexec {python} -c \"print('$(cat .python-version)')\"\n"


def test_a_shim_means_the_python_that_the_project_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What version managers put on the path is asked in the project's folder."""
    shim = tmp_path / "shims" / "python3"
    shim.parent.mkdir()
    shim.write_text(SHIM.format(python=sys.executable))
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    (tmp_path / ".python-version").write_text("/opt/python-3.9.18/bin/python3.9")

    assert Path("/opt/python-3.9.18/bin/python3.9") == find(tmp_path, tmp_path)

    shim.write_text("#!/bin/sh\necho version 3.9.99 is not installed >&2\nexit 1\n")
    with pytest.raises(TestsDidNotRun, match=r"version 3\.9\.99 is not installed"):
        find(tmp_path, tmp_path)


def test_an_environment_that_came_with_the_repository_is_not_run_as_the_persons(
    tmp_path: Path,
) -> None:
    """Whoever can change the repository would choose a program that runs outside the sandbox."""
    marker = tmp_path / "ran"
    files = {".venv/pyvenv.cfg": "home = /usr/bin\n", "test_a.py": "def test_a(): pass\n"}
    project = write(tmp_path / "p", files)
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\ntouch {marker}\n")
    python.chmod(0o755)
    commit_all(project)
    with pytest.raises(TestsDidNotRun, match="is part of the repository"):
        find(project, project)
    assert not marker.exists()


def test_a_folder_that_is_closed_to_a_person_is_no_environment() -> None:
    """As what a container leaves in a project; it keeps no tests from being found."""
    code = (
        "from clew.runners.environments import is_environment\n"
        "closed = Path(sys.argv[1], 'closed')\n"
        "closed.mkdir(0)\n"
        "print(is_environment(closed))\n"
    )
    with ordinary.place() as place:
        assert "False" == ordinary.python(place, code)
