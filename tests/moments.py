"""A story that many tests begin with, told once: its end is kept, and each begins there."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from commandline import CommandLine, Said

__all__ = ["Moment"]


@dataclass(frozen=True)
class Moment:
    """What a person had just been told, and the folder with all that was theirs then."""

    clew: CommandLine
    said: Said
    folder: Path

    def __post_init__(self) -> None:
        subprocess.run(["cp", "-a", self.folder, self._kept], check=True)

    @property
    def _kept(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-kept")

    def again(self) -> CommandLine:
        """Put the folder back as it was, in its place; whatever a test did to it is gone."""
        shutil.rmtree(self.folder)
        subprocess.run(["cp", "-a", self._kept, self.folder], check=True)
        return self.clew
