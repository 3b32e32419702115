"""What a session has for itself."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from clew.journal.store import Store
from clew.sessions.belongings import belongings, give_back

NAME = "2026-11-24-a-till-that-adds-and-prints-receipts-for-customers-p10-2"


def test_no_two_sessions_of_a_project_have_anything_in_common(tmp_path: Path) -> None:
    """Also where their names hardly differ; asked again, each has what it had."""
    store = Store(tmp_path)
    found = [belongings(store, f"{NAME}{number}") for number in range(30)]
    for variable in ("CLEW_PHASE", "CLEW_PHASE_PORT", "CLEW_PHASE_TMP"):
        assert 30 == len({each[variable] for each in found})
    assert found == [belongings(store, f"{NAME}{number}") for number in range(30)]
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{8,62}", each["CLEW_PHASE"]) for each in found)


def test_a_port_is_one_that_nobody_listens_at(tmp_path: Path) -> None:
    """The next one is taken; what was given back is free again."""
    first = belongings(Store(tmp_path), "s")["CLEW_PHASE_PORT"]
    give_back(Store(tmp_path), "s")
    with socket.socket() as door:
        door.bind(("127.0.0.1", int(first)))
        door.listen()
        assert first != belongings(Store(tmp_path), "s")["CLEW_PHASE_PORT"]
        give_back(Store(tmp_path), "s")
    assert first == belongings(Store(tmp_path), "s")["CLEW_PHASE_PORT"]


def test_what_is_given_back_leaves_the_others_theirs(tmp_path: Path) -> None:
    """The folder goes with all in it."""
    store = Store(tmp_path)
    one, other = belongings(store, "one"), belongings(store, "other")
    folder = Path(one["CLEW_PHASE_TMP"])
    (folder / "deep").mkdir(parents=True)
    give_back(store, "one")
    assert not folder.exists()
    assert [other["CLEW_PHASE_PORT"]] == [path.name for path in (tmp_path / "ports").iterdir()]
