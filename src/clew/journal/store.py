"""Where things lie on disk, and who may touch them.

<state>/projects/<name-hash>/       one folder a project, below the XDG state folder
journal.db                      every event
repository.git, worktrees/      code: see `clew.git.worktrees`
blobs/ab/abcdef…                large outputs, by their SHA-256
checkpoints/<session>/          events and state at a checkpoint
holders/<session>.json          held by the process that works on the session
runs/<session>/                 what running children write
logs/<session>.log              what the process of a child said on its way out

<state>/logins/                     renewed, where a person's own could not be written

<project>/.clew/                    documents for people; ignores itself
<project>/debug/<topic>/NNN_*.md    reports
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import platformdirs

from clew.sandbox.files import locked, write_atomically
from clew.sandbox.processes import Identity, alive, identify
from clew.sandbox.temporary import remove
from clew.words.errors import JournalDamaged, SessionHeld, UsageError
from clew.words.printable import printable

__all__ = ["Holder", "Store", "state_folder"]

T = TypeVar("T")


def state_folder() -> Path:
    """Return the folder of all state: `CLEW_STATE_HOME`, else below the XDG state folder.

    Raises UsageError for a relative one: it would be another folder in every folder.
    """
    chosen = os.environ.get("CLEW_STATE_HOME")
    if not chosen:
        return platformdirs.user_state_path("clew", appauthor=False)
    if not Path(chosen).is_absolute():
        raise UsageError(
            f"CLEW_STATE_HOME={chosen} is a relative path", hint="Set an absolute path."
        )
    return Path(chosen)


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """The process that holds a session; its start time tells it from a later one with its id."""

    pid: int
    started: str
    command: str

    @classmethod
    def me(cls) -> Holder | None:
        me = identify(os.getpid())
        words = printable(" ".join((Path(sys.argv[0]).name, *sys.argv[1:])))[:200]
        return cls(pid=me.pid, started=me.started, command=words) if me else None


class Store:
    """The folder of one project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal = folder / "journal.db"

    def create(self) -> None:
        """Make the folder, unless it is there. Raises UsageError if it cannot be written."""
        with self.usable():
            self.folder.mkdir(0o700, parents=True, exist_ok=True)  # a copy of what may be private
            if not os.access(self.folder, os.W_OK):
                raise PermissionError(errno.EACCES, "it is not writable")

    @contextlib.contextmanager
    def usable(self) -> Iterator[None]:
        """Raise UsageError where the folder refuses what the block does with it."""
        try:
            yield
        except OSError as error:
            raise UsageError(
                f"the state folder {self.folder} cannot be used: {error.strerror}",
                hint="Set CLEW_STATE_HOME or XDG_STATE_HOME to a writable folder.",
            ) from error

    @property
    def busy(self) -> bool:
        """Whether a living process works on any of the sessions."""
        return any(self.holder(path.stem) for path in self.folder.glob("holders/*.json"))

    @property
    def begun(self) -> bool:
        """Whether sessions have kept outputs here."""
        return (self.folder / "blobs").is_dir()

    @property
    def checkpointed(self) -> set[str]:
        """The sessions that have checkpoints here."""
        return {path.name for path in (self.folder / "checkpoints").glob("*")}

    def ensure_none_is_lost(self) -> None:
        """Raise JournalDamaged where checkpoints tell of a journal, and there is none."""
        if not self.journal.exists() and self.checkpointed:
            raise JournalDamaged(
                f"the journal {self.journal} is gone, but the project has sessions",
                hint="`clew recover` rebuilds it from its checkpoints; to start without them,"
                f" move {self.folder} away.",
            )

    def log(self, session: str) -> Path:
        """Return the file for what the process of a child says on its way out."""
        folder = self.folder / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{session}.log"

    def scratch(self, session: str) -> Path:
        """Return the session's folder for what running children write; it exists."""
        path = self.folder / "runs" / session
        path.mkdir(parents=True, exist_ok=True)
        return path

    def clear_scratch(self, session: str) -> None:
        """Remove what children of an earlier process left."""
        with contextlib.suppress(OSError):
            remove(self.folder / "runs" / session)

    def checkpoint(self, session: str, name: str) -> Path:
        """Return the folder of a checkpoint."""
        return self.folder / "checkpoints" / session / name

    def put(self, content: bytes) -> str:
        """Keep a blob; return its SHA-256 in hex. The same content is kept once."""
        key = hashlib.sha256(content).hexdigest()
        path = self._blob(key)
        if not path.exists():
            write_atomically(path, content)
        return key

    def get(self, key: str) -> bytes:
        """Return a blob. Raises JournalDamaged if it is gone or altered."""
        try:
            content = self._blob(key).read_bytes()
        except OSError as error:
            raise JournalDamaged(
                f"the stored output {key[:12]} cannot be read: {error}",
                hint="Was the state folder cleaned by hand? The session's events are still there.",
            ) from error
        if hashlib.sha256(content).hexdigest() != key:
            raise JournalDamaged(f"the stored output {key[:12]} was altered on disk")
        return content

    def put_record(self, record: msgspec.Struct) -> str:
        """Keep a record as JSON; return its key."""
        return self.put(msgspec.json.encode(record))

    def get_record(self, key: str, kind: type[T]) -> T:
        """Return a record kept by `put_record`."""
        return msgspec.json.decode(self.get(key), type=kind)

    def _blob(self, key: str) -> Path:
        return self.folder / "blobs" / key[:2] / key

    @contextlib.contextmanager
    def hold(self, session: str) -> Iterator[None]:
        """Hold a session while the block runs; the lock dies with its process.

        Raises SessionHeld, naming the living process that has it.
        """
        path = self.folder / "holders" / f"{session}.json"
        with contextlib.ExitStack() as stack:
            try:
                opened = stack.enter_context(locked(path, patience=0))
            except BlockingIOError:
                raise self._held(session, self.holder(session)) from None
            os.truncate(opened, 0)
            os.pwrite(opened, msgspec.json.encode(Holder.me()), 0)
            try:
                yield
            finally:
                os.truncate(opened, 0)

    def holder(self, session: str) -> Holder | None:
        """Return the living process that works on the session, if there is one."""
        path = self.folder / "holders" / f"{session}.json"
        try:
            holder = msgspec.json.decode(path.read_bytes(), type=Holder)
        except (OSError, msgspec.DecodeError):
            return None
        return holder if alive(Identity(holder.pid, holder.started)) else None

    @staticmethod
    def _held(session: str, holder: Holder | None) -> SessionHeld:
        who = (
            f"process {holder.pid} ({holder.command})" if holder else "another process of this user"
        )
        is_session = session[:1].isdigit()  # and no search or look, which nothing pauses
        stop = f"stop it with `clew pause {session}`" if is_session else "stop that process"
        return SessionHeld(
            f"session {session} is held by {who}",
            hint=f"Wait for it, or {stop}; `clew status` shows what it does.",
        )
