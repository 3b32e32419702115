"""The same graph of tasks for every contender: layers, of which each task waits for two below."""

from __future__ import annotations

WIDE = 10


def waits(count: int) -> dict[int, tuple[int, ...]]:
    """Return the tasks that each waits for, which come before it."""
    return {n: _below(n) for n in range(1, count + 1)}


def _below(number: int) -> tuple[int, ...]:
    layer, place = divmod(number - 1, WIDE)
    if not layer:
        return ()
    first = (layer - 1) * WIDE + 1
    return tuple(sorted({first + place, first + (place + 3) % WIDE}))
