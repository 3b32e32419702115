from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clew.journal.store import Store
from clew.words.errors import JournalDamaged, SessionHeld

HOLD = """
import signal, sys
from pathlib import Path
from clew.journal.store import Store
with Store(Path(sys.argv[1])).hold("s"):
    print("held", flush=True)
    signal.pause()
"""


def test_a_session_is_held_by_one_process_and_its_death_frees_it(tmp_path: Path) -> None:
    """The second is told who has it; a killed holder blocks nobody."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert "held\n" == other.stdout.readline()
        store = Store(tmp_path)
        with pytest.raises(SessionHeld, match=f"process {other.pid}"), store.hold("s"):
            pass
        holder = store.holder("s")
        assert holder is not None
        assert other.pid == holder.pid
        other.kill()
    assert None is store.holder("s")
    with store.hold("s"):
        pass


@pytest.mark.parametrize(
    ("name", "way"),
    [("2026-03-14-fix-it", "`clew pause 2026-03-14-fix-it`"), ("bisect", "process")],
)
def test_how_what_holds_a_session_is_stopped_is_said(name: str, way: str) -> None:
    """A search or a look is no session: nothing pauses it."""
    hint = Store._held(name, None).hint
    assert way in hint
    assert ("clew pause" in hint) is name[0].isdigit()


def test_a_blob_is_kept_once_and_checked_when_read(tmp_path: Path) -> None:
    """Content addresses: an altered or missing blob is damage, not data."""
    store = Store(tmp_path)
    key = store.put(b"output")
    assert key == store.put(b"output")
    assert b"output" == store.get(key)
    path = tmp_path / "blobs" / key[:2] / key
    path.write_bytes(b"altered")
    with pytest.raises(JournalDamaged, match="altered"):
        store.get(key)
    path.unlink()
    with pytest.raises(JournalDamaged, match="cannot be read"):
        store.get(key)
