from __future__ import annotations

from pathlib import Path

import pytest

from projectplay import Play


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    # The plug-ins of these tests' own environment have no part in the small projects.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Play(tmp_path)
