"""A program of Python's followed: each call of the project's functions, in the sandbox."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from clew.analysis.partings import FollowedCall
from clew.analysis.programs import PythonProgram
from clew.runners.deployment import deploy
from clew.runners.site import Site
from clew.sandbox import processes
from clew.sandbox.confinement import confine
from clew.sandbox.temporary import passing
from clew.words.redaction import without_secrets

__all__ = ["followed"]

LARGEST = 64 << 20  # bytes of records that are read


def followed(
    site: Site, python: str, program: PythonProgram, scratch: Path, timeout: float
) -> tuple[FollowedCall, ...]:
    """Run a program, and return its calls in the order of their ends; none where nothing was seen.

    Never raises for what the program does. Files that the worktree has laid over are left out.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    with passing("calls-", scratch) as folder:
        entry, out = deploy(scratch), folder / "out"
        out.mkdir()
        asked, results = folder / "request.json", out / "calls.jsonl"
        policy = site.policy(
            visible=(entry.parents[1], folder), writable=(out,), given=program.environment
        )
        confined = confine([python, str(entry), "calls", str(asked)], policy)
        root = site.root if confined.sees_target else site.worktree
        skip = [str(root / each.target.relative_to(site.root)) for each in site.overlays]
        words = {
            "results": str(results),
            "root": str(root),
            "cwd": str(confined.inside),
            "skip": skip,
            "kind": program.kind,
            "name": program.name,
            "args": program.args,
        }
        asked.write_bytes(msgspec.json.encode(words))
        processes.run(
            confined.argv,
            cwd=confined.cwd,
            env=site.environment(confined, program.environment),
            timeout=timeout,
            bounds=confined.bounds,
        )
        return tuple(_read(results))


def _read(results: Path) -> list[FollowedCall]:
    """Return the whole records; the last may be torn."""
    found: list[FollowedCall] = []
    if not results.is_file() or results.stat().st_size > LARGEST:
        return found
    for line in results.read_bytes().splitlines():
        with contextlib.suppress(msgspec.DecodeError, msgspec.ValidationError):
            found.append(without_secrets(msgspec.json.decode(line, type=FollowedCall)))
    return found
