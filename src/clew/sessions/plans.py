"""Plans on disk: read whole, known by a hash of what they say, and approved by it.

An approval is of content: a plan that was edited since has none, and one that is put back has it
again. Approvals are a file each, so that nobody's is lost to somebody else's.
"""

from __future__ import annotations

import hashlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from clew.git.project import Project
from clew.journal.store import Store
from clew.sandbox.files import create_exclusively, write_atomically
from clew.sessions.project_sessions import ProjectSessions
from clew.words.errors import UsageError

__all__ = ["PlanApproval", "PlanApprovals", "PlanFile", "read_file"]

LARGEST = 4 << 20  # bytes of a plan's file
GIVEN = Path("/dev/fd")  # files that are open when Clew begins
MOST = 10_000  # files of a folder
TASKS = ".json"


class PlanFile(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as it lies on the disk: one file, or a folder of files with a task each."""

    path: Path
    texts: dict[str, str]  # by the name of the file, as it was reached
    digest: str  # SHA-256 of it all, in hex

    @classmethod
    def at(cls, path: Path) -> PlanFile:
        """Read a plan's file or folder. Raises UsageError."""
        files = sorted(path.glob(f"*{TASKS}"), key=_by_number) if path.is_dir() else [path]
        if not files:
            raise UsageError(
                f"{path} holds no task file, which ends in {TASKS}", hint="Name the plan's file."
            )
        if len(files) > MOST:
            raise UsageError(f"{path} holds more than {MOST} files", hint="Name the plan's folder.")
        contents = {str(each): _content(each) for each in files}
        whole = hashlib.sha256()
        for name, content in contents.items():
            whole.update(f"{Path(name).name}\0{len(content)}\0".encode() if path.is_dir() else b"")
            whole.update(content)
        texts = {name: _text(name, content) for name, content in contents.items()}
        return cls(path=path, texts=texts, digest=whole.hexdigest())

    @property
    def folder(self) -> Path:
        """The folder that the plan lies in, or is."""
        return self.path if self.path.is_dir() else self.path.absolute().parent


class PlanApproval(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody approved a plan."""

    digest: str
    path: str  # relative to the project's root
    at: datetime


class PlanApprovals:
    """Which plans of a project a person approved."""

    def __init__(self, project: Project, store: Store) -> None:
        self._project, self._store = project, store

    @classmethod
    def around(cls, plan: PlanFile) -> PlanApprovals:
        """Return those of the project that a plan lies in. Raises UsageError."""
        sessions = ProjectSessions.at(plan.folder)
        return cls(sessions.project, sessions.store)

    def approve(self, plan: PlanFile) -> PlanApproval:
        """Approve a plan as it is now; one that is approved stays so."""
        approval = PlanApproval(
            digest=plan.digest, path=self._name(plan), at=datetime.now(UTC).replace(microsecond=0)
        )
        self._store.create()
        with self._store.usable():
            try:
                create_exclusively(self._file(plan.digest), msgspec.json.encode(approval))
            except FileExistsError:
                if approved := self.of(plan):
                    return approved
                write_atomically(self._file(plan.digest), msgspec.json.encode(approval))
        return approval

    def of(self, plan: PlanFile) -> PlanApproval | None:
        """Return the approval of a plan as it is now."""
        return _read(self._file(plan.digest))

    def before(self, plan: PlanFile) -> PlanApproval | None:
        """Return the newest approval of what a plan's file held before."""
        name = self._name(plan)
        found = [_read(path) for path in self._folder.glob("*.json")]
        same = [each for each in found if each and each.path == name and each.digest != plan.digest]
        return max(same, key=lambda each: each.at, default=None)

    @property
    def _folder(self) -> Path:
        return self._store.folder / "approvals"

    def _file(self, digest: str) -> Path:
        return self._folder / f"{digest}.json"

    def _name(self, plan: PlanFile) -> str:
        return os.path.relpath(plan.path.resolve(), self._project.root)


def _read(path: Path) -> PlanApproval | None:
    """Return an approval; None for a file that is none, which approves nothing."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=PlanApproval)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.digest == path.stem else None


def read_file(path: Path, what: str, most: int, *, hint: str, lacking: str = "") -> bytes:
    """Return a file that a person named, of at most `most` bytes. Raises UsageError.

    `what` it should be is said with the error, and `hint`; `lacking` where it cannot be read.
    """
    try:
        given = path.parent == GIVEN  # as a shell has it for `<(…)`, which writes to it
        if path.exists() and not path.is_file() and not given:  # a pipe may have no writer
            raise UsageError(f"{path} is not a file", hint=hint)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise UsageError(
            f"the {what} {path} cannot be read: {error.strerror}", hint=lacking or hint
        ) from error
    if len(content) > most:
        raise UsageError(f"{path} is larger than {most >> 20} MB", hint=hint)
    return content


def _content(path: Path) -> bytes:
    lacking = "Name the plan's file, or `clew plan new NAME` makes one."
    return read_file(path, "plan", LARGEST, hint="Name the plan's file.", lacking=lacking)


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name} is not UTF-8 text: see line {line}", hint="Save it as UTF-8."
        ) from error


def _by_number(path: Path) -> list[tuple[bool, int, str]]:
    """Order names so that 10 comes after 9."""
    return [
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split(r"([0-9]{1,18})", path.name)
    ]
