"""Calls made again in a new interpreter: no runner, no test, and nothing that a run is known by."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

import clew.probe
from clew.runners.site import Site
from clew.sandbox import processes
from clew.sandbox.confinement import confine
from clew.sandbox.temporary import passing

__all__ = ["answered"]

LARGEST = 64 << 20  # bytes of answers
ZONE = "ELSEWHERE-12:45"  # that of the Chatham Islands, without a summer, by no file
TELLING = ("PYTEST", "CLEW", "COVERAGE", "UNITTEST", "TOX", "NOX", "PYTHONHASHSEED")


class NumberedAnswer(msgspec.Struct, frozen=True):
    number: int


def answered(
    site: Site,
    python: str,
    calls: Sequence[str],
    scratch: Path,
    *,
    timeout: float,
    moment: float | None = None,
    hashing: int | None = None,
    in_sequence: bool = False,
) -> dict[int, str]:
    """Make calls in their order; return the answers, JSON as it was told, by their numbers.

    With a `moment`, in seconds, they are made then, in another folder and another time zone.
    `hashing` is what texts are hashed with. Calls `in_sequence` are made on the same objects, see
    `clew.probe.sequences`: a line has several, and the answer is that of the last.

    Never raises for what the calls do: one that ends the process has no answer, nor have the rest.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    with passing("main-", scratch) as folder:
        place = folder / secrets.token_hex(4)
        place.mkdir()
        program = place / f"{secrets.token_hex(4)}.py"
        probe = Path(clew.probe.__file__).parent
        argv, writable = [python, str(program)], tuple[Path, ...]()
        answering = (probe / "answering.py").read_bytes()
        if in_sequence:
            tools = place / secrets.token_hex(4)
            tools.write_bytes(answering)
            argv.append(str(tools))
            answering = (probe / "sequences.py").read_bytes()
        program.write_bytes(answering)
        if moment is not None:
            empty = place / secrets.token_hex(4)
            empty.mkdir()
            levers = empty / secrets.token_hex(4)
            levers.write_bytes((probe / "levers.py").read_bytes())
            argv, writable = [*argv, str(levers), str(moment)], (empty,)
        policy = site.policy(visible=(folder,), writable=writable, given={})
        confined = confine(argv, policy)
        lines: list[bytes] = []
        own = {} if hashing is None else {"PYTHONHASHSEED": str(hashing)}
        own |= {} if moment is None else {"TZ": ZONE}
        processes.run(
            confined.argv,
            cwd=confined.cwd,
            env=_plain(site.environment(confined, {})) | own,
            stdin="".join(f"{call}\n" for call in calls).encode(),
            timeout=timeout,
            on_stdout_line=lines.append,
            bounds=confined.bounds,
        )
    return dict(_read(lines))


def _plain(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in env if not name.startswith(TELLING)}


def _read(lines: Sequence[bytes]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    room = LARGEST
    for line in lines:
        room -= len(line)
        try:
            number = msgspec.json.decode(line, type=NumberedAnswer).number
        except (msgspec.DecodeError, msgspec.ValidationError):
            continue
        if room > 0:
            found.append((number, line.decode("ascii", "replace")))
    return found
