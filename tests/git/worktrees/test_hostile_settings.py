"""Nothing that a repository or a person has set up runs, or changes a byte."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from person import Person, contents
from treestate import fingerprint

HOOKS = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file that every trap writes to."""
    return tmp_path / "canary"


@pytest.fixture
def trapped(person: Person, canary: Path, own_home: Path, tmp_path: Path) -> Person:
    """A repository in which every setting that can run a program does, and all content is bent."""
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n', encoding="utf-8")
    trap.chmod(0o755)
    template = tmp_path / "template" / "hooks"
    for folder in (person.root / ".git" / "hooks", template):
        folder.mkdir(parents=True, exist_ok=True)
        for hook in HOOKS:
            (folder / hook).write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
            (folder / hook).chmod(0o755)
    person.write(".gitattributes", "* text=auto eol=lf ident filter=bent diff=bent merge=bent\n")
    person.write("crlf.txt", b"one\r\ntwo\r\n$Id$\r\n")
    for where in ("--local", "--global"):
        for key, value in {
            "alias.ls-files": f"!{trap}",
            "alias.snapshot": f"!{trap}",
            "commit.gpgsign": "true",
            "commit.template": str(tmp_path / "no-template"),
            "core.autocrlf": "true",
            "core.editor": str(trap),
            "core.fsmonitor": str(trap),
            "core.pager": str(trap),
            "core.sshCommand": str(trap),
            "diff.bent.command": str(trap),
            "diff.bent.textconv": str(trap),
            "diff.external": str(trap),
            "filter.bent.clean": str(trap),
            "filter.bent.process": str(trap),
            "filter.bent.required": "true",
            "filter.bent.smudge": str(trap),
            "gpg.program": str(trap),
            "init.templateDir": str(template.parent),
            "merge.bent.driver": str(trap),
            "tag.gpgsign": "true",
            "uploadpack.packObjectsHook": str(trap),
        }.items():
            person.git("config", where, key, value)
    person.git("config", "--global", "core.hooksPath", str(template))
    return person


def session(private: PrivateRepository) -> tuple[str, str]:
    """Everything that a session does to a repository; gives base and tip."""
    taken = private.snapshot("s")
    worktree = private.add_worktree("s", taken.commit)
    (worktree / "a.py").write_bytes(b"fixed\r\n$Id$\n")
    (worktree / "new").write_bytes(b"x\r\n")
    made = private.commit("s", "fix")
    assert made is not None
    private.reset("s", taken.commit)
    private.reset("s", made.id)
    assert private.is_clean("s")
    private.pristine("s", "proof", made.id, restore_from=taken.commit)
    private.diff(taken.commit, made.id)
    private.patch(taken.commit, made.id)
    private.ref("s", "checkpoint", made.id)
    return taken.commit, made.id


def test_a_session_runs_nothing_of_theirs(
    trapped: Person, opened: Callable[[Person], PrivateRepository], canary: Path
) -> None:
    """No hook, monitor, filter, signer, alias, pager, driver or template; and their tree stays."""
    before = fingerprint(trapped.project)
    session(opened(trapped))
    assert not canary.exists(), canary.read_text()
    assert before == fingerprint(trapped.project)


def test_content_is_raw_bytes(
    trapped: Person, opened: Callable[[Person], PrivateRepository]
) -> None:
    """No line ending, keyword or filter is applied on the way to a worktree and into a commit."""
    private = opened(trapped)
    taken = private.snapshot("s")
    worktree = private.add_worktree("s", taken.commit)
    assert contents(trapped.root) == contents(worktree)
    assert private.show(taken.commit, "crlf.txt") == b"one\r\ntwo\r\n$Id$\r\n"


def test_applying_runs_nothing_of_theirs(
    trapped: Person, opened: Callable[[Person], PrivateRepository], canary: Path
) -> None:
    """The files come byte by byte and the branch without a hook."""
    private = opened(trapped)
    base, tip = session(private)
    applied = private.apply("s", base, tip)
    assert ("a.py", "new") == applied.files
    assert (trapped.root / "a.py").read_bytes() == b"fixed\r\n$Id$\n"
    assert not canary.exists(), canary.read_text()


def test_variables_do_not_redirect_git(
    person: Person,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: Callable[[Person], PrivateRepository],
) -> None:
    """Run from inside a hook, Clew sees a dozen variables of git's and heeds none."""
    elsewhere = Person(tmp_path / "elsewhere")
    elsewhere.git("init", "-q")
    before = fingerprint(elsewhere.project), fingerprint(person.project)
    for name, value in {
        "GIT_DIR": str(elsewhere.root / ".git"),
        "GIT_WORK_TREE": str(elsewhere.root),
        "GIT_INDEX_FILE": str(elsewhere.root / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(elsewhere.root / ".git" / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.worktree",
        "GIT_CONFIG_VALUE_0": str(elsewhere.root),
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_TEMPLATE_DIR": str(elsewhere.root),
        "GIT_EXEC_PATH": str(elsewhere.root),
        "GIT_TRACE": str(elsewhere.root / "trace"),
    }.items():
        monkeypatch.setenv(name, value)
    private = opened(person)
    base, tip = session(private)
    assert {"a.py", "run"} == set(private.files(base))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    assert before == (fingerprint(locate(elsewhere.root)), fingerprint(person.project))
    assert tip != base


def test_commits_of_ours_are_neutral(person: Person, private: PrivateRepository) -> None:
    """The person is not made the author of what they did not write."""
    base, tip = session(private)
    private.apply("s", base, tip)
    shown = person.git("show", "-s", "--format=%an <%ae> %cn <%ce> %G?", tip)
    assert "Clew <clew@localhost> Clew <clew@localhost> N" == shown
