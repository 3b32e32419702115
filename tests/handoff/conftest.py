from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handoffkit import Hands, Tmux, project, tmux


@pytest.fixture
def hands(tmp_path: Path) -> Hands:
    """A project with hand-off switched on, and a person with a home of their own."""
    return project(tmp_path)


@pytest.fixture
def terminal(tmp_path: Path, hands: Hands) -> Iterator[Tmux]:
    """A tmux server of the test's own."""
    with tmux(tmp_path, hands.env) as server:
        yield server
