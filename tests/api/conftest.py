from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import api
from projects import commit_all, write

FILES = {
    "sums.py": "def add(a, b):\n    return a - b\n",
    "test_sums.py": "import sums\n\n\ndef test():\n    assert sums.add(1, 1) == 2\n",
    "pytest.ini": "[pytest]\n",
}


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A state folder, and room for projects beside what is in it."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEW_STATE_HOME", str(folder))
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        yield folder


@pytest.fixture(scope="session")
def mended(state: Path) -> api.ProjectSessions:
    """A project with one fault, which the built-in repairer has mended; nothing is applied."""
    sessions = api.sessions_at(commit_all(write(state / "sums", FILES)))
    chosen = {"test_command": f"{sys.executable} -m pytest"}
    api.fix(sessions, api.settings_for(sessions, chosen))
    return sessions
