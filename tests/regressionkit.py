"""Faults with a history: commits of a real package, one of which is at fault, and a judge.

tests/regressions/PACKAGE/NAME/
    0001-….patch …   the commits, for `git am` onto the released source; the last one is red
    right.patch      what mends it, as a maintainer would
    judge.py         passes exactly where a fix is right; whoever mends never sees it
    about.toml       what kind of fault it is, and which tests of the package are run

tests/newcomers/NAME/ has the same of small projects that somebody wrote who knew the guides alone,
and whose fixes went wrong or were not found; `history.patch` holds all commits of one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from packagekit import Package, checkout

__all__ = ["REGRESSIONS", "Regression", "judge", "mend", "newcomers", "prepare", "regressions"]

NEWCOMERS = Path(__file__).with_name("newcomers")
REGRESSIONS = Path(__file__).with_name("regressions")
COMMITTER = {"GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.com"}


@dataclass(frozen=True)
class Regression:
    """One case: `history` says whether the right code stands in an earlier commit."""

    package: str
    name: str
    kind: str
    history: bool
    tests: tuple[str, ...]
    folder: Path

    @property
    def patches(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.patch")) or [self.folder / "history.patch"]

    @property
    def is_released(self) -> bool:
        """Whether the commits lie on a package that was released."""
        return self.folder.parent.parent == REGRESSIONS


def regressions() -> list[Regression]:
    """Return every case, by package and name."""
    return [_read(about.parent) for about in sorted(REGRESSIONS.glob("*/*/about.toml"))]


def newcomers() -> list[Regression]:
    """Return the small projects, by name."""
    return [_read(about.parent) for about in sorted(NEWCOMERS.glob("*/about.toml"))]


def _read(folder: Path) -> Regression:
    said = tomllib.loads((folder / "about.toml").read_text(encoding="utf-8"))
    return Regression(
        package=folder.parent.name,
        name=folder.name,
        kind=said["kind"],
        history=said["history"],
        tests=tuple(said["tests"]),
        folder=folder,
    )


def prepare(case: Regression, folder: Path) -> Path:
    """Put the package with the commits of a case into a new folder, ready to be worked on."""
    if case.is_released:
        checkout(Package(case.package, case.tests), folder)
    else:
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    subprocess.run(
        ["git", "am", "--quiet", "--committer-date-is-author-date", *map(str, case.patches)],
        cwd=folder,
        env={**os.environ, **COMMITTER},
        check=True,
    )
    return folder


def mend(case: Regression, folder: Path) -> None:
    """Make the right fix in a prepared folder."""
    subprocess.run(["git", "apply", str(case.folder / "right.patch")], cwd=folder, check=True)


def judge(case: Regression, folder: Path, python: str) -> bool:
    """Say whether the code in a folder is right; the judge itself is never put there."""
    sources = [str(place) for place in (folder / "src", folder) if place.is_dir()]
    with tempfile.TemporaryDirectory(prefix="clew-judge-") as outside:
        shutil.copy(case.folder / "judge.py", outside)
        options = ["-q", "-p", "no:cacheprovider", "--noconftest", "--rootdir", outside]
        done = subprocess.run(
            [python, "-B", "-m", "pytest", *options, "judge.py"],
            cwd=outside,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sources)},
            capture_output=True,
            check=False,
        )
    return done.returncode == 0
