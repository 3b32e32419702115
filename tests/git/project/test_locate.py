"""Which project a folder belongs to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.git.project import Project, locate, state_key
from clew.words.errors import UsageError
from person import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    someone = Person(tmp_path / "project")
    someone.git("init", "-q")
    return someone


def test_the_root_is_the_top_of_the_work_tree(person: Person) -> None:
    """A folder inside a repository keeps its own path; the repository's top is the root."""
    person.write("pkg/core/a.py", "")
    assert locate(person.root / "pkg" / "core") == Project(
        root=person.root, path=person.root / "pkg" / "core", git=True, name="project"
    )
    assert locate(person.root / "pkg" / "core").subdir == "pkg/core"
    assert locate(person.root).subdir == ""


def test_a_folder_without_a_repository_stands_for_itself(tmp_path: Path) -> None:
    """No git is needed."""
    folder = tmp_path / "plain"
    folder.mkdir()
    assert locate(folder) == Project(root=folder, path=folder, git=False, name="plain")


def test_a_linked_worktree_is_a_root_of_its_own(person: Person, tmp_path: Path) -> None:
    """Its top counts, not the one of the main work tree."""
    person.commit()
    person.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert locate(tmp_path / "linked").root == tmp_path / "linked"
    assert locate(tmp_path / "linked").git


def test_a_work_tree_of_a_bare_repository_is_a_project(tmp_path: Path) -> None:
    """Bare is the repository, not the work tree."""
    someone = Person(tmp_path / "seed")
    someone.git("init", "-q")
    someone.commit()
    bare = tmp_path / "bare.git"
    someone.git("clone", "-q", "--bare", str(someone.root), str(bare))
    someone.git("-C", str(bare), "worktree", "add", "-q", str(tmp_path / "tree"))
    assert locate(tmp_path / "tree").git


def test_an_ignored_folder_stands_for_itself(person: Person) -> None:
    """Git would list none of its files."""
    person.write(".gitignore", "build/\n")
    person.write("build/copy/a.py", "")
    assert locate(person.root / "build" / "copy") == Project(
        root=person.root / "build" / "copy",
        path=person.root / "build" / "copy",
        git=False,
        name="copy",
    )


def test_an_ignored_folder_with_tracked_files_belongs_to_its_repository(person: Person) -> None:
    """What is tracked is not ignored."""
    person.write("build/a.py", "")
    person.commit()
    person.write(".gitignore", "build/\n")
    assert locate(person.root / "build").root == person.root


def test_a_repository_whose_git_folder_is_a_link_or_named_by_links(
    person: Person, tmp_path: Path
) -> None:
    """Paths are real ones, whatever way led there."""
    link = tmp_path / "link"
    link.symlink_to(person.root)
    assert locate(link) == locate(person.root)
    assert state_key(locate(link).root) == state_key(locate(person.root).root)


def test_variables_of_git_do_not_redirect_it(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell inside a hook has GIT_DIR set; the folder that was named counts."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert locate(person.root).root == person.root


@pytest.mark.parametrize("place", ["nowhere", "file.py", "project/.git", "project/.git/refs"])
def test_what_is_no_project_is_refused_by_name(person: Person, tmp_path: Path, place: str) -> None:
    """The message names the path, the hint the next step."""
    (tmp_path / "file.py").write_text("")
    with pytest.raises(UsageError) as refused:
        locate(tmp_path / place)
    assert place.rsplit("/", 1)[-1] in refused.value.message
    assert refused.value.hint != ""


def test_a_bare_repository_is_refused(person: Person, tmp_path: Path) -> None:
    """It has no files to test."""
    person.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    with pytest.raises(UsageError, match="holds no files to test"):
        locate(tmp_path / "bare.git")


def test_a_broken_repository_is_refused_with_the_words_of_git(
    person: Person, tmp_path: Path
) -> None:
    """Taking its files for a plain folder would test something else."""
    person.commit()
    linked = tmp_path / "linked"
    person.git("worktree", "add", "-q", str(linked))
    (linked / ".git").write_text("gitdir: /nowhere/at/all\n")
    with pytest.raises(UsageError, match="/nowhere/at/all"):
        locate(linked)


def test_an_unreadable_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything else is tried."""
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    with pytest.raises(UsageError, match="is not readable"):
        locate(tmp_path)


def test_state_keys_tell_roots_apart(tmp_path: Path) -> None:
    """Folders of one name in two places keep two states, and a key is a plain folder name."""
    keys = set()
    for name in ("x/my app", "y/my app", "x/ünï", "x/..dots"):
        (tmp_path / name).mkdir(parents=True)
        keys.add(state_key(locate(tmp_path / name).root))
    assert 4 == len(keys)
    assert all("/" not in key and not key.startswith(".") and key.isascii() for key in keys)


def test_a_current_folder_that_is_gone_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody typed the dot that does not exist; a path that was typed is named."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="the current folder is gone"):
        locate(Path())
    with pytest.raises(UsageError, match="nowhere does not exist"):
        locate(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("test_a.py", "to fix tests by name: clew fix -- test_a.py"),
        ("test_b.py::test_it", "; to fix tests by name: clew fix -- test_b.py::test_it"),
        ("a.py", "name its folder: "),
        ("gone", "name the project's folder"),
    ],
)
def test_a_test_that_is_named_as_the_project_is_told_its_place(
    person: Person, monkeypatch: pytest.MonkeyPatch, name: str, hint: str
) -> None:
    """Tests by name go behind `--`; any other file is in a folder that may be named."""
    person.write("a.py", "")
    person.write("test_a.py", "")
    monkeypatch.chdir(person.root)
    with pytest.raises(UsageError) as refused:
        locate(Path(name))
    assert hint in refused.value.hint
    assert ("clew fix" in refused.value.hint) == name.startswith("test_")
