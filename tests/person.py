"""A person who works on a project with real git, and how to look at what is on disk."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

from clew.git.project import Project, locate

__all__ = ["Person", "contents"]


class Person:
    """Works in `root` with a home and settings of their own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir(parents=True, exist_ok=True)

    def git(self, *arguments: str, fails: bool = False, stdin: str | None = None) -> str:
        """Run git as the person does; the environment is the test's."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert fails or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, path: str, content: str | bytes, mode: int | None = None) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            file.chmod(mode)
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    @property
    def project(self) -> Project:
        return locate(self.root)


def contents(
    root: Path, *, without: tuple[str, ...] = (".git", ".clew")
) -> dict[bytes, tuple[str, bytes]]:
    """Every file of a project: its kind as git knows kinds, and its bytes."""
    found = {}
    top = os.fsencode(root)
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if os.fsdecode(name) not in without]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118 - names are bytes
        for name in (*names, *links):
            if os.fsdecode(name) in without:
                continue
            path = folder + b"/" + name
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                entry = ("link", os.readlink(path))  # noqa: PTH115 - as bytes
            else:
                kind = "executable" if status.st_mode & stat.S_IXUSR else "file"
                entry = (kind, Path(os.fsdecode(path)).read_bytes())
            found[path[len(top) + 1 :]] = entry
    return found
