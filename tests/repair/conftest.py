from __future__ import annotations

from pathlib import Path

import pytest

from projectplay import Play


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep what is learnt about the interpreter from one test to the next."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture
def play(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    # The plug-ins of these tests' own environment have no part in the small projects.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Play(tmp_path, scratch)
