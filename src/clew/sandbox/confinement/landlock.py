"""Landlock: the kernel refuses to open files, without any change to what the machine looks like."""

from __future__ import annotations

from pathlib import Path

from clew.sandbox.confinement import places
from clew.sandbox.confinement.installations import installed
from clew.sandbox.confinement.policy import Policy
from clew.sandbox.confinement.request import Files

__all__ = ["files"]


def files(policy: Policy) -> Files:
    """Return what a program may open under that policy.

    The person's own tree can be read: without a namespace the code cannot take its place.
    """
    hidden = (*places.hidden(), places.DEVICES)
    readable = [*policy.visible, *installed(), policy.target, *(o.source for o in policy.overlays)]
    writable = [*policy.writable_paths, *(o.source for o in policy.overlays if o.writable)]
    (writable if policy.writable else readable).append(policy.worktree)
    if policy.network:
        readable.append(places.RESOLVER)
    uncovered = (path.resolve() for path in readable)
    system = {Path(name).resolve() for name in places.SYSTEM} - set(hidden)
    return Files(
        system=[*sorted(map(str, system)), "/proc"],
        hidden=[str(place) for place in (*hidden, *places.closed())],
        readable=[str(path) for path in uncovered if places.may_be_shown(path)],
        writable=[str(path.resolve()) for path in writable],
    )
