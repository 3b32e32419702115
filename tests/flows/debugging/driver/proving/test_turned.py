"""Which tests a proof calls flaky that were only perhaps so before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from clew.flows.debugging.driver.proving import _turned
from clew.flows.debugging.states import require
from clew.words import events as ev
from failurekit import failed, passed, run
from sessionplay import Play, Script


@pytest.mark.parametrize(
    ("known", "commit", "left_out", "expected"),
    [
        ((), "", 0, ("a",)),
        (("a",), "", 0, ()),
        ((), "another", 0, ()),
        ((), "", 3, ()),
    ],
    ids=["green before", "red before", "on other code", "not run before"],
)
def test_what_was_perhaps_flaky_and_turned_with_the_fix_is_flaky(
    known: tuple[str, ...], commit: str, left_out: int, expected: tuple[str, ...]
) -> None:
    """It was green in the run that judged the fix, and is red in the proof of the same code."""
    doubt = ev.Flake(test="a", kind=ev.FlakeKind.PERHAPS, evidence="red in all of 9 runs")
    state = Play(Script(flaky=("a", "c"), flakes=(doubt,))).run()
    before = require(state.kept)
    red = tuple(ev.FailingTest(id=test, error=f"{test}: E", fingerprint=test) for test in known)
    state = replace(state, verified=replace(before, red=red, left_out=left_out))
    green = run(failed("a"), failed("c"), *passed("b"))
    case: Any = SimpleNamespace(commit=commit or before.commit, green=green)

    assert expected == _turned(state, case)
