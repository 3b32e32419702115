"""A program run as an ordinary user, also where the tests run as root."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import clew
from clew.sandbox.temporary import remove

__all__ = ["UID", "give", "line", "place", "python"]

UID = 64_123  # nobody's


def give(folder: Path) -> None:
    """Make a folder, and what is in it, that user's own."""
    for top, folders, names in os.walk(folder):
        for name in (".", *folders, *names):
            os.lchown(Path(top, name), UID, UID)


def line(command: Iterable[str], needed: Iterable[Path], stage: Path) -> list[str]:
    """Return the command that runs another as that user, who can reach the paths it needs.

    Folders on the way that are closed to others, as root's home is, get a cover that is open, in
    a view of the file system that is the command's own.
    """
    paths = sorted({path.resolve() for path in needed})
    covers = sorted({cover for path in paths for cover in _closed(path)})
    behind = [path for path in paths if any(path.is_relative_to(cover) for cover in covers)]
    steps = []
    for number, path in enumerate(behind):
        held = stage / str(number)
        held.mkdir(parents=True, exist_ok=True)
        steps.append(["mount", "--bind", path, held])
    steps += [["mount", "-t", "tmpfs", "-o", "mode=755", "none", cover] for cover in covers]
    for number, path in enumerate(behind):
        steps += [["mkdir", "-p", path], ["mount", "--bind", stage / str(number), path]]
    user = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--"]
    script = [*(shlex.join(map(str, step)) for step in steps), f'exec {shlex.join(user)} "$@"']
    view = ["unshare", "-m", "--propagation", "private"]
    return [*view, "sh", "-ec", "\n".join(script), "sh", *command]


def _closed(path: Path) -> Iterator[Path]:
    """Yield the outermost folder above a path that others may not pass."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & 0o001:
            yield folder
            return


# What an agent or a test may leave: it is asked for a folder's name, and fills that folder.
MESS = """
import os, sys
from pathlib import Path

def mess(folder):
    outside = folder.parent / "outside"
    if not outside.exists():
        outside.mkdir()
        (outside / "file").write_text("theirs")
        outside.chmod(0o555)
    for name, mode in (("locked", 0o555), ("blind", 0o311), ("shut", 0), ("0", 0o700)):
        (folder / name / "below" / "1").mkdir(parents=True)
        (folder / name / "below" / "file").write_text("x")
        (folder / name / "to a file").symlink_to(outside / "file")
        (folder / name / "to a folder").symlink_to(outside)
        (folder / name / "below").chmod(mode)
        (folder / name).chmod(mode)
    folder.chmod(0o555)

def outside(folder):
    there = folder.parent / "outside"
    return f"{there.stat().st_mode & 0o777:o} {(there / 'file').read_text()}"
"""


@contextlib.contextmanager
def place() -> Iterator[Path]:
    """Lend a folder that an ordinary user can reach, and owns."""
    folder = Path(tempfile.mkdtemp(prefix="clew-locked-"))
    if os.geteuid() == 0:
        give(folder)
    try:
        yield folder
    finally:
        remove(folder)


def python(place: Path, code: str) -> str:
    """Return what Python code prints that runs as a user whom permissions bind.

    It may call `mess` and `outside`; its argument is the place, which that user owns.
    """
    script = place / "script.py"
    script.write_text(MESS + code, encoding="utf-8")
    command = [sys.executable, "-B", str(script), str(place)]
    with tempfile.TemporaryDirectory() as stage:
        if os.geteuid() == 0:
            needed = (Path(clew.__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix))
            command = line(command, needed, Path(stage))
        done = subprocess.run(
            command,
            cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": str(place), "TMPDIR": str(place)},
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
        )
    assert ("", 0) == (done.stderr, done.returncode)
    return done.stdout.strip()
