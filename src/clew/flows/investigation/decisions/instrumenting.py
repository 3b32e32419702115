"""What to log, and where, for a symptom that does not show here: it waits until it comes again."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from itertools import islice

from clew.analysis.failures.pasted import MappedFrame
from clew.analysis.mentioned import NamedFunction
from clew.flows.investigation.states import DebugState
from clew.words.investigations import CheckpointReached, WaitsFor
from clew.words.oracles import printed
from clew.words.printable import shortened

__all__ = ["not_reproduced"]

SOME = 3  # places to log at
SHOWN = 300  # characters of what was printed
AWAITING = (
    "Then answer with what it logged when it happened again; or with a command that shows it, on a"
    " line of its own: `$ command`. Fields correct the symptoms: `expected: …`, `actual: …`."
)


def not_reproduced(
    state: DebugState, checked: Collection[str], meant: Collection[NamedFunction]
) -> CheckpointReached:
    """Return what a person is asked to log; `meant` are functions that their words may mean."""
    points = list(dict.fromkeys((*_pasted(state), *_by_name(meant))))[:SOME]
    where = "\n".join(f"- {point}" for point in points) or (
        "- at the start of what you did when you saw it: what it was given, and the time"
    )
    seen, ran = "; ".join(checked), state.reproduced
    head, log = f"It does not show here ({seen}).", "Log this"
    if ran is not None and ran.exit_code == 0 and not printed(state.symptoms)[0]:
        head = (
            f"`{ran.command}` does not fail ({seen}). Whether its output is wrong can be told only"
            " by both `expected: …` and `actual: …`, each a short text as it is printed."
        )
        log = "Or log this"
    head = f"{head}{_printed(state)}"
    return CheckpointReached(
        type=WaitsFor.ACTION,
        progress=seen,
        details=f"{head} {log} where it happens:\n{where}",
        awaiting=AWAITING,
    )


def _printed(state: DebugState) -> str:
    """Say what the command printed, in one line: a person may see that they saw something else."""
    ran = state.reproduced
    if ran is None or ran.exit_code is None:
        return ""
    said = shortened(" / ".join(ran.tail.split("\n")), SHOWN) if ran.tail.strip() else ""
    return f" It printed: {said}." if said else " It printed nothing."


def _pasted(state: DebugState) -> Iterator[str]:
    """Yield the places of what was pasted, and the values that they work with."""
    mapped = state.mapped
    for frame in reversed(mapped.frames if mapped else ()):
        names = ", ".join(_names(frame))
        yield f"{frame.place}, before that line: {names or 'its arguments'}"
    for each in mapped.requests if mapped else ():
        yield f"{each.place}: the request, its parameters, and what it answers"


def _by_name(meant: Collection[NamedFunction]) -> Iterator[str]:
    for each in islice(meant, SOME):
        yield f"{each}: its arguments and its result"


def _names(frame: MappedFrame) -> Iterator[str]:
    """Yield the names that a line works with; those that it calls are left out."""
    try:
        code = frame.code.strip().removeprefix("el")
        tree = ast.parse(f"{code}\n    pass" if code.endswith(":") else code)
    except (SyntaxError, ValueError, RecursionError):
        return
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = (n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called)
    yield from dict.fromkeys(names)
