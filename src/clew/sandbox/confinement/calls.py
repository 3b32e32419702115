"""Which calls of the kernel a confined program may not make: a filter, assembled here.

Files are for mounts or Landlock. This is about what neither of them parts: kinds of sockets, key
rings, and what a program shares with all others of its user.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Sequence

import msgspec

__all__ = ["ABSENT", "ALLOW", "MACHINES", "REFUSE", "assembled", "can_refuse", "refusing"]

LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
REFUSE, ABSENT = ERROR | errno.EACCES, ERROR | errno.ENOSYS
OF_NUMBER, OF_MACHINE, OF_FIRST, OF_SECOND, OF_THIRD = 0, 4, 16, 24, 32
UPPER = 4  # where the upper half of a word stands
X32 = 0x40000000
IO_URING_SETUP = 425  # it opens sockets behind the filter's back
AF_UNIX, SOCK_DGRAM = 1, 2

Instruction = tuple[int, int, int, int]  # code, skip if true, skip if false, operand
Range = tuple[int, int]  # the first and the last number


class SyscallTable(msgspec.Struct, frozen=True, kw_only=True):
    """How one kind of processor numbers the calls."""

    word: int  # what a filter knows it by
    socket: int
    socketpair: int
    keys: Range
    prlimit: int
    queues: tuple[Range, ...]  # and memory and semaphores, of System V; and the queues of POSIX


def _newer(word: int) -> SyscallTable:
    """Return a kind whose calls Linux numbers in the way that is common to all newer ones."""
    return SyscallTable(
        word=word,
        socket=198,
        socketpair=199,
        keys=(217, 219),
        prlimit=261,
        queues=((180, 197),),
    )


MACHINES = {
    "x86_64": SyscallTable(
        word=0xC000003E,
        socket=41,
        socketpair=53,
        keys=(248, 250),
        prlimit=302,
        queues=((29, 31), (64, 71), (220, 220), (240, 245)),
    ),
    "aarch64": _newer(0xC00000B7),
    "riscv64": _newer(0xC00000F3),
}


def can_refuse() -> bool:
    """Say whether calls of this kind of machine are known."""
    return os.uname().machine in MACHINES and sys.maxsize > 1 << 32


def refusing(families: Sequence[int], *, alone: bool) -> bytes | None:
    """Return the filter for this machine, None where there is none: see `assembled`."""
    return assembled(MACHINES[os.uname().machine], families, alone=alone) if can_refuse() else None


def assembled(machine: SyscallTable, families: Sequence[int], *, alone: bool) -> bytes:
    """Assemble a filter that refuses sockets of other families, and the kernel's own key rings.

    A program inherits the key rings of the person's session. Without unix sockets, pairs of
    datagram sockets are refused too: they can be addressed anew. One that is to be `alone`, without
    a namespace that makes it so, has no part in the memory, semaphores and queues of others, and
    sets limits of nobody but itself.
    """
    program: list[Instruction] = [
        (LOAD, 0, 0, OF_MACHINE),
        (EQUAL, 1, 0, machine.word),
        _back(ABSENT),
        (LOAD, 0, 0, OF_NUMBER),
        (AT_LEAST, 0, 1, X32),
        _back(ABSENT),
        *_among(IO_URING_SETUP, IO_URING_SETUP),
        *_among(*machine.keys),
    ]
    if alone:
        for first, last in machine.queues:
            program += _among(first, last)
        program += _when(machine.prlimit, _own_limits())
    program += _when(machine.socket, _one_of(families))
    if AF_UNIX not in families:
        program += _when(machine.socketpair, _no_datagrams())
    program.append(_back(ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _back(answer: int) -> Instruction:
    return (RETURN, 0, 0, answer)


def _among(first: int, last: int) -> list[Instruction]:
    return [(AT_LEAST, 0, 2, first), (AT_LEAST, 1, 0, last + 1), _back(ABSENT)]


def _when(number: int, steps: Sequence[Instruction]) -> list[Instruction]:
    """Return the steps for one call; they have to end it."""
    return [(EQUAL, 0, len(steps), number), *steps]


def _one_of(families: Sequence[int]) -> list[Instruction]:
    steps: list[Instruction] = [(LOAD, 0, 0, OF_FIRST)]
    for family in families:
        steps += [(EQUAL, 0, 1, family), _back(ALLOW)]
    return [*steps, _back(REFUSE)]


def _no_datagrams() -> list[Instruction]:
    kind: list[Instruction] = [(LOAD, 0, 0, OF_SECOND), (AND, 0, 0, 0xF)]
    return [*kind, (EQUAL, 0, 1, SOCK_DGRAM), _back(REFUSE), _back(ALLOW)]


def _own_limits() -> list[Instruction]:
    """Allow to read anybody's limits, and to set those of the process that calls, which is 0."""
    return [
        (LOAD, 0, 0, OF_FIRST),
        (EQUAL, 4, 0, 0),
        (LOAD, 0, 0, OF_THIRD),
        (EQUAL, 0, 3, 0),
        (LOAD, 0, 0, OF_THIRD + UPPER),
        (EQUAL, 0, 1, 0),
        _back(ALLOW),
        _back(REFUSE),
    ]
