"""Nothing that was confined outlives the program that confined it, however that one ends."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from clew.sandbox.confinement import (
    Level,
    Limits,
    Policy,
    cgroups,
    clean_environment,
    confine,
    examine,
)
from clew.sandbox.processes import run
from sandbox.confinement import ordinary

# Confines a program that leaves its family and its environment behind, and is killed meanwhile.
KILLED = """
import os, signal, subprocess, sys, time
from pathlib import Path
from clew.sandbox.confinement import Level, Policy, clean_environment, confine
held, worktree = int(sys.argv[1]), Path(sys.argv[2])
policy = Policy(worktree=worktree, target=worktree, writable=sys.argv[4] == "fix",
                writable_paths=(worktree / "out",))
script = f"setsid -f env -i sh -c 'touch {worktree}/out/up; exec sleep 600'; sleep 600"
confined = confine(["sh", "-c", script], policy, Level(sys.argv[3]))
subprocess.Popen(confined.argv, cwd=confined.cwd, pass_fds=[held], start_new_session=True,
                 env={**clean_environment(), **confined.env})
while not (worktree / "out" / "up").exists():
    time.sleep(0.001)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("role", ["diagnose", "fix"])
def test_after_a_kill_nothing_confined_lives_on(tmp_path: Path, level: Level, role: str) -> None:
    """Not even what left its session, its parent and its environment behind."""
    if why := examine(level):
        pytest.skip(" ".join(why))
    (tmp_path / "out").mkdir()
    read, write = os.pipe()
    command = [sys.executable, "-c", KILLED, str(write), str(tmp_path), level.value, role]
    subprocess.run(command, pass_fds=[write], check=False, timeout=60)
    os.close(write)

    # The pipe closes when its last holder is gone.
    ended, _, _ = select.select([read], [], [], 30)
    os.close(read)

    assert [read] == ended


def test_nothing_starts_once_the_starter_is_gone(tmp_path: Path) -> None:
    """A request that is carried out by anybody else was left behind by one that died."""
    policy = Policy(worktree=tmp_path, target=tmp_path, writable=True)
    confined = confine(["touch", "ran"], policy, Level.NONE)
    line = " ".join(f"'{word}'" for word in confined.argv)
    done = run(["sh", "-c", f"{line}; true"], cwd=tmp_path, env=clean_environment(), timeout=30)

    assert (False, True) == ((tmp_path / "ran").exists(), "is gone" in done.stderr)


# Where the kernel refuses, it is chance which processes are left; they go before time is up.
BOMB = """
import os, time
for _ in range(9):
    os.fork()
time.sleep(20)
"""


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("held_by", ["cgroup", "nothing"])
def test_a_fork_bomb_is_ended(
    tmp_path: Path, level: Level, held_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For root too, with a cgroup and where there is none."""
    if why := examine(level):
        pytest.skip(" ".join(why))
    if held_by == "nothing":
        monkeypatch.setattr(cgroups, "parent", lambda: None)
    limits = Limits(processes=60)
    visible = (Path(sys.prefix), Path(sys.base_prefix))
    policy = Policy(
        worktree=tmp_path, target=tmp_path, writable=True, limits=limits, visible=visible
    )
    confined = confine([sys.executable, "-I", "-S", "-c", BOMB], policy, level)
    done = run(
        confined.argv,
        cwd=confined.cwd,
        env={**clean_environment(), **confined.env},
        timeout=50,
        bounds=confined.bounds,
    )

    assert (False, True) == (
        done.timed_out,
        "processes" in done.over_limit or "Resource temporarily unavailable" in done.stderr,
    )


# Confines what takes too much, as a user whom permissions bind, and says what became of it.
BOUNDED = """
from clew.sandbox.processes import run
from clew.sandbox.confinement import Level, Limits, Policy, clean_environment, confine, examine
here, level = Path(sys.argv[1]) / "worktree", Level({level!r})
here.mkdir()
limits = Limits(processes=60, disk_bytes=20_000_000)
visible = (Path(sys.prefix), Path(sys.base_prefix))
policy = Policy(worktree=here, target=here, writable=True, limits=limits, visible=visible)
if why := examine(level):
    print("not here:", *why)
else:
    confined = confine([sys.executable, "-I", "-S", "-c", {code!r}], policy, level)
    done = run(confined.argv, cwd=confined.cwd, env={{**clean_environment(), **confined.env}},
               timeout=50, bounds=confined.bounds)
    print(done.timed_out, done.over_limit, done.stderr[-200:])
"""
FILLER = """
import time
for number in range(40):
    open(str(number), "wb").write(bytes(1_000_000))
time.sleep(60)
"""


@pytest.mark.parametrize("level", [Level.NAMESPACE, Level.LANDLOCK])
@pytest.mark.parametrize(
    ("code", "ends"),
    [
        pytest.param(BOMB, ("processes", "Resource temporarily unavailable"), id="forks"),
        pytest.param(FILLER, ("wrote more than 20 MB",), id="fills the disk"),
    ],
)
def test_what_takes_too_much_is_ended_for_an_ordinary_user(
    level: Level, code: str, ends: tuple[str, ...]
) -> None:
    """Somebody who has no cgroup to hold it, and whose processes the kernel counts together."""
    with ordinary.place() as place:
        told = ordinary.python(place, BOUNDED.format(level=level.value, code=code))

    assert told.startswith("False ")
    assert any(words in told for words in ends), told


def test_groups_that_were_left_behind_are_removed() -> None:
    """A killed process cannot remove its own; the next one does."""
    above = cgroups.parent() if os.getuid() == 0 else None
    if above is None:
        return
    left = above / "clew-4194305-77"
    left.mkdir(exist_ok=True)
    made = cgroups.group(77)

    assert (True, False) == (made is not None, left.exists())
