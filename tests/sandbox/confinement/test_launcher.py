"""The small program that gives up rights before it becomes the command."""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.sandbox.confinement import calls, launcher, places
from clew.sandbox.confinement.request import ConfinementRequest, KernelLimits, command_line

NOTHING: ConfinementRequest = {
    "limits": {"memory": None, "file": None, "processes": None, "cpu": None},
    "files": None,
    "tcp": True,
    "scope": 0,
    "calls": None,
    "capabilities": True,
    "tmp": None,
    "parent": None,
    "group": None,
    "yields": False,
    "stay": False,
}


def launch(request: ConfinementRequest, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command_line(request, command),
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_becomes_the_command() -> None:
    """Arguments and exit code are the command's own."""
    done = launch(NOTHING, "sh", "-c", 'echo "$1"; exit 3', "sh", "a  b")

    assert ("a  b\n", "", 3) == (done.stdout, done.stderr, done.returncode)


def test_what_it_cannot_do_it_says() -> None:
    """A command never runs with more rights than it was to have."""
    done = launch({**NOTHING, "tmp": "/proc/no/such/folder"}, "echo", "ran")

    assert ("", launcher.REFUSED, True) == (
        done.stdout,
        done.returncode,
        done.stderr.startswith(launcher.COMPLAINT),
    )


def test_a_bound_beyond_what_the_kernel_counts_is_none() -> None:
    """As one is that a person wrote in bytes, where gigabytes are asked for."""
    most = 10**20
    beyond: KernelLimits = {"memory": most, "file": most, "processes": most, "cpu": None}
    done = launch({**NOTHING, "limits": beyond}, "echo", "ran")

    assert ("ran\n", "", 0) == (done.stdout, done.stderr, done.returncode)


def test_a_missing_command_is_told() -> None:
    """By name, with a code of its own."""
    done = launch(NOTHING, "no-such-program")

    assert (launcher.NOT_FOUND, True) == (done.returncode, "no-such-program" in done.stderr)


def test_a_command_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    """Even if that was killed and could clean up nothing."""
    read, write = os.pipe()
    line = command_line(NOTHING, ())
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *line, "sh", "-c", "touch up; exec sleep 60"],
        cwd=tmp_path,
        pass_fds=[write],
        env={**os.environ, "HELD": str(write)},
    )
    os.close(write)
    parent.wait()

    # The pipe closes when its last holder, the command, is gone.
    ended, _, _ = select.select([read], [], [], 30)
    os.close(read)

    assert [read] == ended


PARENT = """
import os, signal, subprocess, sys, time
subprocess.Popen(sys.argv[1:], pass_fds=[int(os.environ["HELD"])])
while not os.path.exists("up"):
    time.sleep(0.001)
os.kill(os.getpid(), signal.SIGKILL)
"""


def verdict(program: bytes, machine: int, number: int, *arguments: int) -> int:
    """Run a filter as the kernel does."""
    data = struct.pack("<IIQ6Q", number, machine, 0, *arguments, *(0,) * (6 - len(arguments)))
    code: list[calls.Instruction] = list(struct.iter_unpack("HBBI", program))
    at = accumulator = 0
    while True:
        kind, yes, no, operand = code[at]
        at += 1
        if kind == calls.LOAD:
            accumulator = int.from_bytes(data[operand : operand + 4], "little")
        elif kind == calls.AND:
            accumulator &= operand
        elif kind == calls.EQUAL:
            at += yes if accumulator == operand else no
        elif kind == calls.AT_LEAST:
            at += yes if accumulator >= operand else no
        else:
            assert calls.RETURN == kind
            return operand


KINDS = st.sampled_from(sorted(calls.MACHINES))
PC = calls.MACHINES["x86_64"]


@given(KINDS, st.lists(st.integers(0, 45), max_size=5, unique=True), st.integers(0, 45))
def test_only_the_families_named_pass_the_filter(
    kind: str, families: list[int], family: int
) -> None:
    """Whatever the list, the rest is refused."""
    machine = calls.MACHINES[kind]
    program = calls.assembled(machine, families, alone=True)

    expected = calls.ALLOW if family in families else calls.REFUSE
    assert expected == verdict(program, machine.word, machine.socket, family, 1)


@given(KINDS, st.integers(0, 500), st.booleans())
def test_other_calls_pass_the_filter(kind: str, number: int, alone: bool) -> None:  # noqa: FBT001 - hypothesis names it
    """It is about sockets, key rings, and where it is alone, what users share."""
    machine = calls.MACHINES[kind]
    program = calls.assembled(machine, [], alone=alone)
    ranges = [machine.keys, *(machine.queues if alone else ())]
    absent = {n for first, last in ranges for n in range(first, last + 1)}
    expected = calls.ABSENT if number in absent | {calls.IO_URING_SETUP} else calls.ALLOW

    if number != machine.socket:
        assert expected == verdict(program, machine.word, number)


@pytest.mark.parametrize(
    ("pid", "new", "expected"),
    [
        (0, 0, calls.ALLOW),
        (0, 1 << 40, calls.ALLOW),
        (7, 0, calls.ALLOW),
        (7, 8, calls.REFUSE),
        (7, 1 << 40, calls.REFUSE),
    ],
)
@pytest.mark.parametrize("machine", calls.MACHINES.values())
def test_limits_are_set_by_a_process_for_itself_alone(
    machine: calls.SyscallTable, pid: int, new: int, expected: int
) -> None:
    """Those of others can be read: then there is no new one, in either half of the word."""
    program = calls.assembled(machine, [], alone=True)

    assert expected == verdict(program, machine.word, machine.prlimit, pid, 7, new, 0)
    elsewhere = calls.assembled(machine, [], alone=False)
    assert calls.ALLOW == verdict(elsewhere, machine.word, machine.prlimit, pid, 7, new, 0)


@pytest.mark.parametrize(
    ("families", "kind", "expected"),
    [
        ([], 1, calls.ALLOW),
        ([], 2, calls.REFUSE),
        ([], 0o2000002, calls.REFUSE),
        ([1], 2, calls.ALLOW),
    ],
)
def test_pairs_of_datagram_sockets_need_unix_sockets(
    families: list[int], kind: int, expected: int
) -> None:
    """Streams cannot be addressed anew, datagrams can."""
    program = calls.assembled(PC, families, alone=True)

    assert expected == verdict(program, PC.word, PC.socketpair, 1, kind)


@pytest.mark.parametrize(("machine", "number"), [(0x40000003, 41), (PC.word, 0x40000029)])
def test_other_ways_of_calling_the_kernel_are_absent(machine: int, number: int) -> None:
    """32-bit calls would be numbered differently."""
    program = calls.assembled(PC, [1, 2], alone=False)

    assert calls.ABSENT == verdict(program, machine, number)


@pytest.mark.parametrize(
    ("abi", "highest"), [(1, "MAKE_SYM"), (2, "REFER"), (3, "TRUNCATE"), (5, "IOCTL_DEV"), (9, "")]
)
def test_a_kernel_is_asked_only_for_what_it_knows(abi: int, highest: str) -> None:
    """Rights are numbered in the order in which they came."""
    bits = {"MAKE_SYM": 12, "REFER": 13, "TRUNCATE": 14, "IOCTL_DEV": 15, "": 15}

    assert (1 << bits[highest] + 1) - 1 == launcher.rights(abi)


def test_open_places_cover_everything_but_what_is_hidden(tmp_path: Path) -> None:
    """Neither hidden places, nor what leads to them, nor links."""
    for name in ("a/secret", "a/open", "b/c", "home/me/.ssh", "home/you"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("home")
    hidden = [str(tmp_path / name) for name in ("a/secret", "home/me", "home/me/.ssh", "absent")]

    found = sorted(launcher.open_places(str(tmp_path), hidden))

    assert [str(tmp_path / name) for name in ("a/open", "b", "file", "home/you")] == found


@given(
    st.dictionaries(
        st.sampled_from("abcde"),
        st.lists(st.sampled_from([*"abcde", "..", "/"]), min_size=1, max_size=4),
        max_size=5,
    ),
    st.lists(st.sampled_from([*"abcde", ".."]), max_size=5),
)
def test_a_trail_ends_where_the_path_leads(
    tmp_path_factory: pytest.TempPathFactory, links: dict[str, list[str]], path: list[str]
) -> None:
    """For any tangle of links that has an end, the real path is that of the system."""
    folder = tmp_path_factory.mktemp("links")
    for name, text in links.items():
        parts = [str(folder) if part == "/" else part for part in text]
        (folder / name).symlink_to(os.path.join(*parts))  # noqa: PTH118 - texts as they are
    start = folder.joinpath(*path)
    try:
        expected = start.resolve(strict=True)
    except (FileNotFoundError, RuntimeError, NotADirectoryError):
        return

    assert expected == places.trail(start)[0]
