"""The only place that runs git.

Theory of operation: a command sees an environment that is built from nothing. No settings of the
person or the machine, no hook, no signing, no file-system monitor, no transport, no repository
named by a variable. `as_person` is the exception: their own git as they would type it, for the
commit that they ask for. `excludes_of` reads one of their settings.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from clew.words.errors import GitFailed

__all__ = ["GitOutput", "as_person", "excludes_of", "git"]

SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.autocrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "core.quotePath=false",
    "commit.gpgsign=false",
    "tag.gpgsign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
)
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_DEFAULT_REF_FORMAT": "files",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # what `GIT_NO_LAZY_FETCH` says is news to older ones
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_AUTHOR_NAME": "Clew",
    "GIT_AUTHOR_EMAIL": "clew@localhost",
    "GIT_COMMITTER_NAME": "Clew",
    "GIT_COMMITTER_EMAIL": "clew@localhost",
    "LC_ALL": "C",
}
# variables that tie a command to a repository, as `git rev-parse --local-env-vars` lists them
TIES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    },
)
# variables that say where a person's settings are
SOURCES = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "HOME",
    "PATH",
    "XDG_CONFIG_HOME",
)
TIMEOUT = 600.0
DAMAGED = "A git object is damaged or missing: `git fsck` in the repository shows which."
FULL = ("No space left on device", "Disk quota exceeded")
ROOM = (
    "Make room there, and try again; a running session continues with `clew resume`."
    " Nothing was lost."
)
HINTS = {
    "bad config": "Fix the file that git names: git cannot read it.",
    "is corrupt": DAMAGED,
    "is empty": DAMAGED,
    "inflate: data stream error": DAMAGED,
    "unable to read tree": DAMAGED,
    "bad object": DAMAGED,
}


class GitOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a git command said."""

    exit_code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        """Standard output as one value: file-system decoding, no newline at its end."""
        return os.fsdecode(self.stdout.removesuffix(b"\n"))

    @property
    def items(self) -> list[bytes]:
        """Standard output of a command with `-z`."""
        return [item for item in self.stdout.split(b"\0") if item]


def git(
    *arguments: str | bytes,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    accept: Collection[int] = (0,),
    hold: Collection[int] = (),
) -> GitOutput:
    """Run git cut off from every setting but those of the repository it works on.

    `hold` are file descriptors that stay open in the command: locks that must outlive this process
    as long as the command does. An exit code outside `accept` raises GitFailed.
    """
    environment = {"PATH": os.environ.get("PATH", os.defpath), **ENVIRONMENT, **(variables or {})}
    settings = [word for setting in SETTINGS for word in ("-c", setting)]
    return _run(
        ["git", *settings, *arguments],
        cwd=cwd,
        environment=environment,
        stdin=stdin,
        accept=accept,
        hold=hold,
        timeout=TIMEOUT,
    )


def as_person(
    *arguments: str | bytes,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    accept: Collection[int] = (0,),
) -> GitOutput:
    """Run git with the person's own settings, identity and hooks, in the repository of `cwd`."""
    own = {name: value for name, value in os.environ.items() if name not in TIES}
    return _run(
        ["git", *arguments],
        cwd=cwd,
        environment={**own, **(variables or {})},
        stdin=stdin,
        accept=accept,
        hold=(),
        timeout=None,
    )


def excludes_of(root: Path) -> Path:
    """Ask the person's git for their global list of ignored files; it need not exist."""
    asking = ["config", "--type=path", "--get", "core.excludesFile"]
    asked = _run(
        ["git", "-c", "safe.directory=*", *asking],
        cwd=root,
        environment={name: os.environ[name] for name in SOURCES if name in os.environ},
        stdin=b"",
        accept=(0, 1),
        hold=(),
        timeout=TIMEOUT,
    )
    if asked.exit_code == 0 and asked.text:
        return root / asked.text
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - stays as it is where there is no home
    return Path(settings) / "git" / "ignore"


def _run(
    command: list[str | bytes],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    stdin: bytes,
    accept: Collection[int],
    hold: Collection[int],
    timeout: float | None,
) -> GitOutput:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
            pass_fds=tuple(hold),
            # Ctrl-C is for us; a git of ours ends its step, the person's own may ask at a terminal
            start_new_session=timeout is not None,
        )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise GitFailed(f"{_name(command)}: the folder {cwd} is gone") from error
        raise GitFailed("git was not found", hint="install git, 2.30 or newer") from error
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"{_name(command)} in {cwd} took more than {timeout:.0f} s") from error
    words = done.stderr.decode(errors="replace").strip()
    if done.returncode not in accept and any(sign in words for sign in FULL):
        raise GitFailed(f"the disk is full: git cannot write in {cwd}", hint=ROOM)
    if done.returncode not in accept:
        raise GitFailed(
            f"{_name(command)} in {cwd} failed with {done.returncode}: {words or 'no message'}",
            hint=next((hint for sign, hint in HINTS.items() if sign in words), ""),
        )
    return GitOutput(exit_code=done.returncode, stdout=done.stdout, stderr=words)


def _name(command: list[str | bytes]) -> str:
    words = [word if isinstance(word, str) else os.fsdecode(word) for word in command]
    while "-c" in words[:2]:
        del words[1:3]
    if "-m" in words:
        del words[2:]  # a message is no name
    name = ascii(" ".join(words[:6])).strip("'\"")
    return name + (" …" if len(words) > 6 else "")  # noqa: PLR2004 - enough to know it by
