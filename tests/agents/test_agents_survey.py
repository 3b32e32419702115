"""Which agents can be called here, whatever the settings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.agents import survey
from clew.git.project import locate
from clew.words.settings import Settings


@pytest.mark.parametrize(("line", "why"), [("", "is empty"), ("sh -c 'x", "quotation")])
def test_a_command_that_cannot_be_read_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, why: str
) -> None:
    """It is not ready, and why is told beside it."""
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(survey, "BACK_ENDS", {})
    settings = Settings(commands={"own": line, "good": "sh agent.sh"})
    own, good = survey.survey(settings, locate(tmp_path))

    assert ("own", False, "") == (own.name, own.ready, own.network)
    assert why in own.missing
    assert ("good", True, "open") == (good.name, good.ready, good.network)
