"""The first bad commit: found by running only the failing tests, in a worktree of its own.

What was learned stands in one small file, written whole after every run, so that a search that was
cut off, however rudely, goes on where it was. The person's tree, refs and bisections stay as they
are: commits are checked out beside the private repository, which borrows their objects.
"""

from clew.flows.debugging.bisection.records import (
    Bisection,
    BisectionEnd,
    BisectRequest,
    Step,
    known,
)
from clew.flows.debugging.bisection.searching import SearchGround, bisect

__all__ = ["BisectRequest", "Bisection", "BisectionEnd", "SearchGround", "Step", "bisect", "known"]
