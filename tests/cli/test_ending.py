"""What is said at the end of a session."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from clew import events as ev
from clew.cli.showing import show_end
from clew.facts import Diagnosis
from clew.states import State
from filling import filled


@pytest.mark.parametrize(
    ("confidence", "helped", "said"),
    [("medium", 1, ["unsure:  four more"]), ("high", 1, []), ("medium", 2, [])],
)
def test_the_end_says_what_the_tests_leave_open(
    capsys: pytest.CaptureFixture[str], confidence: str, helped: int, said: list[str]
) -> None:
    """A fix that helped and has rivals is called so where it is offered, beside its proof."""
    told: ev.Diagnosed = filled(ev.Diagnosed, "x")
    doubted: Diagnosis = msgspec.structs.replace(
        told.diagnosis, confidence=confidence, confidence_reason="four more"
    )
    end: ev.SessionEnded = filled(ev.SessionEnded, "x")
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        snapshot=None,
        ended=msgspec.structs.replace(end, status=ev.Status.GREEN),
        helped=frozenset({helped}),
        diagnoses=(msgspec.structs.replace(told, iteration=1, diagnosis=doubted),),
    )

    show_end(SimpleNamespace(), state)  # type: ignore[arg-type]

    assert said == [x for x in capsys.readouterr().out.splitlines() if x.startswith("unsure")]
