"""What is kept of hand-offs, in files that every hook can read and write at once.

<state>/hand-off/hooks.log          what went wrong in a hook
<state>/hand-off/<name-hash>/       one folder a project
sessions/<session>              where a living session runs, and its chain: replaced whole
claims/<token>                  one hand-off, made once: who asked for what, and when
failures/<session>              why its hand-off came to nothing, until it was told
receipts/<token>                the session that this hand-off started, written by its start hook
chains/<chain>.jsonl            every step of a chain: only appended, one write a line
stops                           each use of the kill switch

A claim is the one place where two hooks meet: it is linked into place, and only one link succeeds.
"""

from __future__ import annotations

import os
import time

from clew.handoff.quick import number, parse, table, text, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.handoff.quick import Record

__all__ = ["TOKEN", "Chain", "HandoffStore", "complain", "digest", "project_of", "state_folder"]

TOKEN = "CLEW_HAND_OFF"  # noqa: S105 -- the variable that tells a new session which hand-off it is
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
LONGEST_NAME = 128
LARGEST_LOG = 1 << 20


def state_folder() -> str:
    """Return the folder of all state, the same that the rest of Clew uses."""
    chosen = os.environ.get("CLEW_STATE_HOME")
    if chosen:
        return chosen
    base = os.environ.get("XDG_STATE_HOME", "").strip()
    if not base:
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "clew")


def project_of(folder: str) -> str:
    """Return the nearest folder, here or above, that has `.planning`; not beyond its repository."""
    here = os.path.realpath(folder)
    at = here
    while True:
        if os.path.isdir(os.path.join(at, ".planning")):
            return at
        above = os.path.dirname(at)
        if above == at or os.path.exists(os.path.join(at, ".git")):
            return here
        at = above


def digest(*words: str) -> str:
    """Return a name for some texts: 24 hexadecimal digits."""
    try:
        from _blake2 import blake2b  # what `hashlib` has, without the load of OpenSSL
    except ImportError:
        from hashlib import blake2b

    return blake2b("\0".join(words).encode("utf-8", "replace"), digest_size=12).hexdigest()


def complain(words: str) -> None:
    """Write one line to the log of faults; if that fails too, nothing is left to do."""
    path = os.path.join(state_folder(), "hand-off", "hooks.log")
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_LOG:
            os.replace(path, f"{path}.1")
        _append(path, f"{stamp} {os.getpid()} {words}")
    except OSError:
        pass


class Chain:
    """Where a chain stands: a fold over its lines. Never changed."""

    __slots__ = ("begun", "hops", "lines", "name", "tokens")

    def __init__(self, name: str, lines: tuple[Mapping[str, object], ...]) -> None:
        self.name = name
        self.lines = lines
        self.begun = number(lines[0], "at") if lines else None  # seconds since the epoch
        opened = (n for n, line in enumerate(lines) if line.get("event") == "opened")
        self.hops = len({text(lines[n], "token") or n for n in opened})
        spent: dict[str, float] = {}
        for line in lines:
            if line.get("event") == "spent":
                spent[text(line, "session")] = number(line, "tokens") or 0
        self.tokens = int(sum(spent.values()))  # of all its sessions, as far as they are counted


class HandoffStore:
    """The files of one project."""

    def __init__(self, project: str) -> None:
        self.project = project
        name = "".join(c if c in PLAIN else "-" for c in os.path.basename(project)).strip("-")
        key = f"{name[:60] or 'project'}-{digest(project)[:12]}"
        self.folder = os.path.join(state_folder(), "hand-off", key)

    # --- sessions --------------------------------------------------------------------------------

    def session(self, name: str) -> Mapping[str, object] | None:
        """Return what is known of a living session."""
        return _read(self._path("sessions", name))

    def sessions(self) -> dict[str, Mapping[str, object]]:
        """Return all sessions that began and were not seen to end."""
        names = _listed(os.path.join(self.folder, "sessions"))
        return {name: found for name in names if (found := self.session(name)) is not None}

    def keep_session(self, name: str, record: Record) -> None:
        """Write down where a session runs."""
        path = self._path("sessions", name)
        staged = self._staged(path, write(record))
        os.replace(staged, path)

    def forget_session(self, name: str) -> None:
        """Strike out a session that has ended."""
        _remove(self._path("sessions", name))

    def keep_failure(self, name: str, words: str) -> None:
        """Keep what a session is to be told when somebody goes on in it."""
        path = self._path("failures", name)
        os.replace(self._staged(path, write({"words": words})), path)

    def failure(self, name: str) -> str:
        """Return what was kept for a session, once; nothing if there is nothing to tell."""
        path = self._path("failures", name)
        found = _read(path)
        if found is None:
            return ""
        _remove(path)
        return text(found, "words")

    # --- claims and receipts ---------------------------------------------------------------------

    def claim(self, token: str, order: Record) -> bool:
        """Take a hand-off; return whether it was free. Of any number at once, one gets it."""
        return self._once("claims", token, order)

    def claimed(self, token: str) -> Mapping[str, object] | None:
        """Return the order that a claim was made with."""
        return _read(self._path("claims", token))

    def confirm(self, token: str, session: str) -> bool:
        """Say that a hand-off has arrived; the first session that says so is the one."""
        return self._once("receipts", token, {"session": session, "at": time.time()})

    def receipt(self, token: str) -> Mapping[str, object] | None:
        """Return the receipt of a hand-off, if there is one yet."""
        return _read(self._path("receipts", token))

    # --- chains ----------------------------------------------------------------------------------

    def note(self, chain: str, event: str, **fields: str | float | bool | None) -> None:
        """Add a line to a chain."""
        path = self._path("chains", chain) + ".jsonl"
        _append(path, write({"at": round(time.time(), 3), "event": event, **fields}))

    def chain(self, name: str) -> Chain:
        """Read a chain; one that nothing was written of is empty."""
        return Chain(name, _lines(self._path("chains", name) + ".jsonl"))

    def chains(self) -> tuple[str, ...]:
        """Return the names of all chains, the oldest first."""
        names = _listed(os.path.join(self.folder, "chains"))
        return tuple(name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl"))

    # --- the kill switch -------------------------------------------------------------------------

    def stop(self, by: str) -> None:
        """End all chains that have begun by now."""
        _append(os.path.join(self.folder, "stops"), write({"at": time.time(), "by": by}))

    def stopped(self) -> float | None:
        """Return when the kill switch was used last."""
        found = [number(line, "at") for line in _lines(os.path.join(self.folder, "stops"))]
        return max((at for at in found if at is not None), default=None)

    # --- paths -----------------------------------------------------------------------------------

    def _path(self, kind: str, name: str) -> str:
        """Return a path for a name from outside. Raises ValueError for one that is none."""
        if not name or len(name) > LONGEST_NAME or not PLAIN.issuperset(name):
            raise ValueError(f"{name[:LONGEST_NAME]!r} is not a file name")
        return os.path.join(self.folder, kind, name)

    def _staged(self, path: str, content: str) -> str:
        """Write a file that is to become `path`, and make the folder for it."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        staged = os.path.join(self.folder, f".staged-{os.getpid()}-{os.urandom(6).hex()}")
        with open(staged, "x", encoding="utf-8") as file:
            file.write(content)
        return staged

    def _once(self, kind: str, name: str, record: Record) -> bool:
        path = self._path(kind, name)
        staged = self._staged(path, write(record))
        try:
            os.link(staged, path)
        except FileExistsError:
            return False
        finally:
            _remove(staged)
        return True


def _append(path: str, line: str) -> None:
    """Add a line in one write; behind one that is torn, on a line of its own."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        words = ("\n" if torn else "") + line.replace("\n", " ") + "\n"
        os.write(handle, words.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def _read(path: str) -> Mapping[str, object] | None:
    try:
        with open(path, "rb") as file:
            return table(parse(file.read()))
    except (OSError, ValueError):
        return None


def _lines(path: str) -> tuple[Mapping[str, object], ...]:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return ()
    found = []
    for line in content.split(b"\n"):
        try:
            record = parse(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return tuple(found)


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
