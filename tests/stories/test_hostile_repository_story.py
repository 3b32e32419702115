from __future__ import annotations

import os
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import git, write
from repositories import ANSWER, mended, person

HOOKS = (
    *("applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout"),
    *("post-commit", "post-index-change", "post-merge", "post-rewrite", "pre-applypatch"),
    *("pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase"),
    *("prepare-commit-msg", "reference-transaction", "update"),
)
ALIASES = ("apply", "cat-file", "commit", "diff", "diff-tree", "ls-files", "rev-parse", "status")
PROGRAMS = (
    *("core.askPass", "core.editor", "core.fsmonitor", "core.gitProxy", "core.pager"),
    *("core.sshCommand", "credential.helper", "diff.bent.command", "diff.bent.textconv"),
    *("diff.external", "filter.bent.clean", "filter.bent.process", "filter.bent.smudge"),
    *("gpg.program", "gpg.ssh.program", "merge.bent.driver", "pager.diff", "pager.log"),
    *("sequence.editor", "uploadpack.packObjectsHook"),
)
VARIABLES = (
    *("EDITOR", "GIT_ASKPASS", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND"),
    *("GIT_SSH", "GIT_SSH_COMMAND", "PAGER", "SSH_ASKPASS", "VISUAL"),
)


@pytest.fixture
def trapped(tmp_path: Path) -> CommandLine:
    """A repository in which whatever can run a program does, and misses objects, too.

    Each trap leaves its name in `canary`.
    """
    origin = person(tmp_path, {"old.txt": "old\n", "a.bent": "a\n"}, "origin").project
    git(origin, "config", "uploadpack.allowFilter", "true")
    write(origin, {"old.txt": "new\n", ".gitattributes": "*.bent filter=bent diff=bent\n"})
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "second")
    git(tmp_path, "clone", "-q", "--filter=blob:none", origin.as_uri(), "shape")
    root, home, canary = tmp_path / "shape", tmp_path / "home", tmp_path / "canary"
    trap = write(tmp_path, {"trap": f'#!/bin/sh\necho "$0 $*" >> {canary}\nexit 1\n'}) / "trap"
    trap.chmod(0o755)
    git(root, "remote", "set-url", "origin", "ssh://nowhere.invalid/x")
    included = "".join(f"[alias]\n\t{name} = !{trap} {name}\n" for name in ALIASES)
    write(home, {"included": included})
    (home / ".gitconfig").write_text(
        f'[includeIf "gitdir:{tmp_path}/**"]\n\tpath = included\n'
        f"[core]\n\thooksPath = {root / '.git' / 'hooks'}\n"
    )
    for hook in HOOKS:
        (root / ".git" / "hooks" / hook).symlink_to(trap)
    for name in PROGRAMS:
        git(root, "config", name, str(trap))
    git(root, "config", "filter.bent.required", "true")
    variables = dict.fromkeys(VARIABLES, str(trap)) | {
        "HOME": str(home),
        "GIT_DIR": str(origin / ".git"),
        "GIT_WORK_TREE": str(origin),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(trap),
    }
    return CommandLine(root, tmp_path / "state", variables)


@pytest.mark.slow
def test_nothing_that_is_set_up_runs(trapped: CommandLine, tmp_path: Path) -> None:
    """No hook, alias, filter, monitor, pager, diff, helper or transport; nothing is fetched."""
    mended(trapped)
    for word in ("doctor", "show", "log", "status", "list"):
        assert 0 == trapped.run(word).code
    canary = tmp_path / "canary"
    assert not canary.exists(), canary.read_text()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_files_of_somebody_else_are_mended(tmp_path: Path) -> None:
    """Git's doubts about another owner do not stop it; a file that is replaced stays theirs."""
    clew = person(tmp_path, {".gitignore": "ignored\n", "ignored": "x\n"})
    clew.env["HOME"] = str(tmp_path)
    for path in (clew.project, *clew.project.rglob("*")):
        os.chown(path, 4321, 4321)
    mended(clew)
    assert 4321 == (clew.project / ANSWER).stat().st_uid
