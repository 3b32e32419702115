"""What takes up too much is ended, long before its time is up."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from clew.sandbox import resource_usage
from clew.sandbox.processes import Completed, run
from clew.sandbox.resource_usage import UsageBounds, Whose
from sandbox.confinement import ordinary


def python(code: str, folder: Path, bounds: UsageBounds) -> Completed:
    return run(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=folder,
        env={"PATH": os.defpath},
        timeout=60,
        bounds=bounds,
    )


THREADS = """
import threading, time
for _ in range({count}):
    threading.Thread(target=time.sleep, args=({seconds},)).start()
"""


def test_a_program_that_multiplies_is_ended(tmp_path: Path) -> None:
    """Threads count, as they do for the kernel."""
    done = python(THREADS.format(count=80, seconds=50), tmp_path, UsageBounds(processes=40))

    assert (False, "it had more than 40 processes and threads at one time") == (
        done.timed_out,
        done.over_limit,
    )


def test_what_others_start_is_not_held_against_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that fills up makes it look closer, and count the program's own."""
    tasks = iter(range(0, 1_000_000, 1_000))
    monkeypatch.setattr(resource_usage, "_tasks", lambda: next(tasks))
    done = python(THREADS.format(count=5, seconds=0.3), tmp_path, UsageBounds(processes=40))

    assert (0, "") == (done.exit_code, done.over_limit)


FILL = """
import time
for number in range(60):
    open(f"{number}", "wb").write(b"x" * 1_000_000)
time.sleep(50)
"""


def test_processes_that_others_end_hide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine shows no growth; now and then the program's own are counted all the same."""
    monkeypatch.setattr(resource_usage, "WEIGHED", 2)
    monkeypatch.setattr(resource_usage, "_tasks", lambda: 0)
    done = python(THREADS.format(count=60, seconds=50), tmp_path, UsageBounds(processes=40))

    assert (False, "it had more than 40 processes and threads at one time") == (
        done.timed_out,
        done.over_limit,
    )


def test_a_program_that_fills_the_disk_is_ended(tmp_path: Path) -> None:
    """Many files count as one large file does."""
    bounds = UsageBounds(disk=20_000_000, folders=(tmp_path,))
    done = python(FILL, tmp_path, bounds)

    assert (False, "it wrote more than 20 MB") == (done.timed_out, done.over_limit)


def test_room_that_others_give_back_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine shows no growth; now and then its own part is counted all the same."""
    monkeypatch.setattr(resource_usage, "COUNTED", 2)
    monkeypatch.setattr(resource_usage._Room, "lost", False)
    done = python(FILL, tmp_path, UsageBounds(disk=20_000_000, folders=(tmp_path,)))

    assert (False, "it wrote more than 20 MB") == (done.timed_out, done.over_limit)


def test_where_little_room_was_no_setting_allows_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is full soon is the disk, whatever the bound."""
    room = iter([20_000_000])

    def free(_: Path) -> SimpleNamespace:
        return SimpleNamespace(f_bavail=next(room, 0), f_frsize=1)

    monkeypatch.setattr("clew.sandbox.resource_usage.os.statvfs", free)
    done = python(FILL, tmp_path, UsageBounds(whose=Whose.TESTS, disk=10**9, folders=(tmp_path,)))

    assert f"it wrote more than 15 MB: make room on the disk of {tmp_path}" == done.over_limit


def test_what_lay_there_before_is_not_held_against_it(tmp_path: Path) -> None:
    """A large worktree is no excess; nor is room that somebody else took."""
    (tmp_path / "old").mkdir()
    written = "open('big', 'wb').write(b'x' * 30_000_000); import time; time.sleep(0.3)"
    bounds = UsageBounds(disk=20_000_000, folders=(tmp_path / "old",))

    assert "" == python(written, tmp_path, bounds).over_limit


def test_a_program_that_finds_the_disk_full_is_not_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It wrote next to nothing: that there is no room is said as what it is."""
    room = iter([1_200_000])

    def free(_: Path) -> SimpleNamespace:
        return SimpleNamespace(f_bavail=next(room, 0), f_frsize=1)

    monkeypatch.setattr("clew.sandbox.resource_usage.os.statvfs", free)
    code = "import time; open('it', 'wb').write(bytes(1_000_000)); time.sleep(50)"
    with pytest.raises(OSError, match="No space left") as told:
        python(code, tmp_path, UsageBounds(disk=20_000_000, folders=(tmp_path,)))
    assert (errno.ENOSPC, str(tmp_path)) == (told.value.errno, told.value.filename)


HOLD = """
import os, time
held = b"x" * {size}
for _ in range({children}):
    os.fork()
time.sleep(50)
"""


def test_a_program_that_takes_too_much_memory_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its processes together: two that hold half of it each are as heavy as one."""
    monkeypatch.setattr(resource_usage, "WEIGHED", 1)  # whatever others give back meanwhile
    code = HOLD.format(size=200_000_000, children=0)
    both = f"import subprocess, sys; p = [sys.executable, '-c', {code!r}]\n"
    both += "subprocess.Popen(p); subprocess.run(p)"
    for program, said, most in ((both, Whose.AGENTS, 300), (code, Whose.TESTS, 150)):
        done = python(program, tmp_path, UsageBounds(whose=said, memory=most * 1_000_000))
        told = f"it used more than {most / 1000} GB of memory: allow {said} more"

        assert (False, told) == (done.timed_out, done.over_limit.partition(" with")[0])


def test_memory_that_processes_share_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight that were forked from a large one are as heavy as that one."""
    monkeypatch.setattr(resource_usage, "WEIGHED", 1)
    code = HOLD.format(size=200_000_000, children=3).replace("sleep(50)", "sleep(0.5)")
    done = python(code, tmp_path, UsageBounds(memory=400_000_000))

    assert (0, "") == (done.exit_code, done.over_limit)


HIDES = """
import ctypes, os, sys, time
from clew.sandbox.processes.trees import weight
read, write = os.pipe()
child = os.fork()
if child == 0:
    held = b"x" * 50_000_000
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    os.write(write, b"1")
    time.sleep(60)
os.read(read, 1)
print(weight(child) >= 50_000_000)
os.kill(child, 9)
"""


def test_a_program_that_hides_what_it_holds_weighs_something() -> None:
    """Browsers and keepers of keys do; an ordinary user sees of them what they hold in sum."""
    with ordinary.place() as place:
        assert "True" == ordinary.python(place, HIDES).strip()
