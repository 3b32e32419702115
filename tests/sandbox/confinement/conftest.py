"""Cells at every level that promises to hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.sandbox.confinement import Level, examine
from sandbox.confinement.cell import Cell


@pytest.fixture(params=[Level.NAMESPACE, Level.LANDLOCK])
def cell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cell]:
    level: Level = request.param
    if why := examine(level):
        pytest.skip(" ".join(why))
    made = Cell(tmp_path, level)
    yield made
    made.close()


@pytest.fixture
def namespace_cell(tmp_path: Path) -> Iterator[Cell]:
    if why := examine(Level.NAMESPACE):
        pytest.skip(" ".join(why))
    made = Cell(tmp_path, Level.NAMESPACE)
    yield made
    made.close()
