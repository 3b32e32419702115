"""The search by importing anew: how long it goes on."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from clew.probe.search.importing import RIVALS, Importer
from clew.probe.search.source import Patch
from clew.probe.search.workers import RED

if TYPE_CHECKING:
    from collections.abc import Callable

PATCHES = [Patch("a.py", line, "constant", 1.0, f"change {line}", ()) for line in range(100)]


def test_what_another_search_cut_off_is_tried_once_a_change_passes() -> None:
    """A change that passes has rivals: without them it looks surer than it is."""
    asked: list[list[Patch]] = []

    def tried_one(chunk: list[Patch], _deadline: float, stop: Callable[[], bool]) -> list[Patch]:
        asked.append(chunk)
        importer.tried += 1 if len(asked) == 1 else len(chunk)
        if len(asked) == 1:
            importer.first_complete, importer.alone = time.monotonic(), 1
        assert not stop() or len(asked) > 1
        return chunk[1:] if len(asked) == 1 else []

    importer = SimpleNamespace(
        suggested=PATCHES, known=SimpleNamespace(after={}), tried=0, alone=0, first_complete=0.0,
        exhausted=False, frontier=SimpleNamespace(reorder=list), next=lambda _count: [],
        round=tried_one,
    )  # fmt: skip

    Importer.search(cast("Importer", importer), lambda: True, time.monotonic() + 60)

    assert [PATCHES[:16], PATCHES[1 : 1 + RIVALS]] == asked


def test_a_round_that_is_cut_off_gives_back_what_it_did_not_try() -> None:
    importer = SimpleNamespace(
        tried=0, families={}, targets=[], survivors=[], attempt=None, confirm=None, batch=[],
        frontier=SimpleNamespace(learn=list), onward=lambda _told: [PATCHES[9]],
        pool=SimpleNamespace(run=lambda *_, **__: ({0: RED, 2: RED}, [])),
    )  # fmt: skip

    left = Importer.round(cast("Importer", importer), PATCHES[:4], 0.0, lambda: True)

    assert [PATCHES[1], PATCHES[3], PATCHES[9]] == left
