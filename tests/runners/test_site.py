from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from clew.runners import Site, build
from clew.sandbox.temporary import remove
from projectplay import Folder, Play

IGNORED = ".venv/\nnode_modules/\n*.egg-info/\n_version.py\n.env\n__pycache__/\n.tox/\ndata/\n"


@pytest.fixture
def project(play: Play) -> Play:
    play.write(
        {
            ".gitignore": IGNORED,
            "src/shop.py": "",
            "src/_version.py": "v = 1\n",
            "src/shop.egg-info/PKG-INFO": "x",
            "src/__pycache__/shop.pyc": "x",
            ".env": "A=1\n",
            ".venv/pyvenv.cfg": "",
            ".tox/py/x": "",
            "web/node_modules/x/index.js": "",
        }
    )
    subprocess.run(["git", "init", "-q", str(play.root)], check=True)
    play.worktree.mkdir()
    return play


def site(play: Play, *, git: bool) -> Site:
    command = play.detect(f"{sys.executable} -m pytest")
    return build(Folder(play.root, play.root, git), play.worktree, command, scratch=play.scratch)


def test_what_git_ignores_is_there_for_tests(project: Play) -> None:
    """Small files are copied, installed things laid over read-only, caches left out."""
    found = site(project, git=True)

    assert (".env", "src/_version.py", "src/shop.egg-info", "web") == found.copied
    assert [".venv", "web/node_modules"] == [
        overlay.target.relative_to(project.root).as_posix() for overlay in found.overlays
    ]
    assert not any(overlay.writable for overlay in found.overlays)
    assert "v = 1\n" == (project.worktree / "src/_version.py").read_text()
    assert not (project.worktree / ".tox").exists()
    assert not (project.worktree / "src/__pycache__").exists()


def test_building_again_changes_nothing(project: Play) -> None:
    """What was copied once is the worktree's own from then on."""
    first = site(project, git=True)
    (project.worktree / ".env").write_text("A=2\n")

    assert first == site(project, git=True)
    assert "A=2\n" == (project.worktree / ".env").read_text()


def test_nothing_is_put_where_a_link_leads(project: Play, tmp_path: Path) -> None:
    """A test that ran in the worktree may have left one in the place of any folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("src", "web"):
        (project.worktree / name).symlink_to(outside)
    found = site(project, git=True)

    assert [] == list(outside.iterdir())
    assert (".env", "web") == found.copied  # that one as the link it is


def test_big_things_are_not_copied(project: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a bound an ignored folder is laid over, not copied."""
    monkeypatch.setattr("clew.runners.site.ROOM", 100)
    project.write({"data/big.bin": "x" * 200})

    found = site(project, git=True)

    assert project.root / "data" in [overlay.source for overlay in found.overlays]
    assert ".env" in found.copied


def test_an_ignored_folder_a_thousand_deep_is_laid_over(project: Play) -> None:
    """Whatever tests or tools have left there keeps none from running."""
    project.write({".gitignore": "deep/\n"})
    at = os.open(project.root, os.O_RDONLY)
    for name in ("deep", *("d" for _ in range(1_200))):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    try:
        found = site(project, git=True)
    finally:
        remove(project.root / "deep")

    assert project.root / "deep" in [overlay.source for overlay in found.overlays]


def test_of_installed_things_the_links_at_the_top_are_followed(
    project: Play, tmp_path: Path
) -> None:
    """Those of a maker's packages too, and those beside; no deeper ones, and each folder once."""
    for name in ("pkg", "own", "beside", "deeper"):
        (tmp_path / "linked" / name).mkdir(parents=True)
    modules = project.root / "node_modules"
    project.write({".gitignore": "node_modules\nout/\n", "out/x": "", "node_modules/y/x.js": ""})
    (modules / "@maker").mkdir()
    for place, name in (
        (modules, "pkg"),
        (modules / "@maker", "own"),
        (project.root / "out", "beside"),
        (modules / "y", "deeper"),
    ):
        (place / name).symlink_to(tmp_path / "linked" / name)

    found = site(project, git=True)

    linked = {path.name for path in found.visible if path.parent == tmp_path / "linked"}
    assert {"pkg", "own", "beside"} == linked


def test_installed_things_that_no_list_ignores_are_laid_over(project: Play) -> None:
    """The worktree leaves them out, and what runs there needs them all the same."""
    project.write({".gitignore": ".venv/\n", "node_modules/y/index.js": "", "data/x.json": ""})

    targets = [each.target.relative_to(project.root) for each in site(project, git=True).overlays]

    assert ["node_modules", "web/node_modules"] == [
        each.as_posix() for each in targets if each.name == "node_modules"
    ]
    assert not (project.worktree / "data").exists()


def test_without_git_only_installed_things_are_laid_over(project: Play) -> None:
    """The worktree of a plain folder holds all else already."""
    found = site(project, git=False)

    assert () == found.copied
    assert [".venv", "web/node_modules"] == [
        overlay.target.relative_to(project.root).as_posix() for overlay in found.overlays
    ]


def test_the_tests_own_environment_is_laid_over_even_if_git_knows_it(project: Play) -> None:
    """A forgotten line in .gitignore does not turn an environment into code."""
    project.write({".gitignore": ""})
    python = project.root / ".venv" / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    command = project.detect(f"{sys.executable} -m pytest")
    command = msgspec.structs.replace(command, interpreter=str(python))

    found = build(
        Folder(project.root, project.root, git=True),
        project.worktree,
        command,
        scratch=project.scratch,
    )

    sources = [overlay.source.relative_to(project.root).as_posix() for overlay in found.overlays]
    assert [".venv", "web/node_modules"] == sources


def test_the_environment_is_built_and_not_inherited(
    project: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys of the person's stay with the person; what steers Python comes along."""
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("PYTHONHASHSEED", "7")

    env = site(project, git=True).env

    assert "SOME_API_KEY" not in env
    assert ("7", "1") == (env["PYTHONHASHSEED"], env["PYTHONDONTWRITEBYTECODE"])
    assert str(Path(sys.executable).parent) == env["PATH"].split(os.pathsep)[0]


def test_the_interpreter_is_visible_and_the_person_is_not(project: Play) -> None:
    """Tests see where Python finds code; nothing visible lies in the person's tree."""
    found = site(project, git=True)

    assert Path(sys.prefix) in found.visible
    assert not any(path.is_relative_to(project.root) for path in found.visible)
