"""What a session that runs beside others has for itself: a name, a port, a folder.

Its agents, its tests and its gates find them in their environment, so that what they start does not
meet what another phase started: a database, a server, a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import socket
from pathlib import Path

from clew.journal.store import Store
from clew.sandbox.files import create_exclusively
from clew.sandbox.temporary import remove
from clew.words.errors import UsageError
from clew.words.settings import OWN_FOLDER, OWN_NAME, OWN_PORT

__all__ = ["belongings", "give_back"]

PORTS = range(20_000, 30_000)  # below those that the kernel deals out by itself
LONGEST = 54  # characters of a name before its hash: databases take 63


def belongings(store: Store, session: str) -> dict[str, str]:
    """Return what is a session's own until it is given back, as variables.

    The port is free now, and no other session of the project is given it. Raises UsageError where
    none is left.
    """
    mark = hashlib.sha256(f"{store.folder}\0{session}".encode()).hexdigest()
    words = re.sub(r"[^a-z0-9]+", "_", session.lower()).strip("_")
    return {
        OWN_NAME: f"p{words[-LONGEST + 1 :]}_{mark[:8]}",
        OWN_PORT: str(_port(store.folder / "ports", session, int(mark[:8], 16))),
        OWN_FOLDER: str(store.folder / "own" / session),
    }


def give_back(store: Store, session: str) -> None:
    """Remove a session's folder, and let others have its port."""
    with contextlib.suppress(OSError):
        remove(store.folder / "own" / session)
    for taken in (store.folder / "ports").glob("*"):
        with contextlib.suppress(OSError):
            if taken.read_text() == session:
                taken.unlink()


def _port(folder: Path, session: str, first: int) -> int:
    """Take the first port from a place on that is free, and that nobody has."""
    for number in range(len(PORTS)):
        port = PORTS[(first + number) % len(PORTS)]
        if not _is_free(port):
            continue
        try:
            create_exclusively(folder / str(port), session.encode())
        except FileExistsError:
            if (folder / str(port)).read_text() != session:
                continue
        return port
    raise UsageError(f"no port is left for {session}", hint=f"{folder} tells whose they are.")


def _is_free(port: int) -> bool:
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
