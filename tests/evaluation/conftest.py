from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def lean(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Clew is tested with has plug-ins that take longer to load than a task's tests take."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
