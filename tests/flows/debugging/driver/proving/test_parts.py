"""What is said of a change kept earlier, where another one passes in its place."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from clew.flows.debugging.driver.proving import parts
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.near import MadeAgain
from clew.flows.debugging.driver.proving.parts import parted, settled_rows, undecided_parts
from clew.words.facts import BUILT_IN, Category, Diagnosis, Edit, Unsettled

WAS, MADE, FIRST, SECOND = (f"return fee {end}" for end in ("- 1", "+ 1", "* 2", "^ 1"))
TOLD = "2 other changes turn the same tests green: `fee(1)` gives `2` with this change"

UNSURE = Diagnosis(title="x", category=Category.TEST_FAILURE, root_cause="x")


def rival(call: str, text: str) -> Unsettled:
    edit = Edit(path="a.py", line=1, current=WAS, should_be=text)
    return Unsettled(
        call=call, module="a", gives="2", other=f"use `{text}`", other_gives="3", edits=(edit,)
    )


def diagnosed(told: Diagnosis = UNSURE, agent: str = BUILT_IN) -> SimpleNamespace:
    return SimpleNamespace(iteration=1, agent=agent, diagnosis=told)


def mended(folder: Path, red: tuple[str, ...] = (), last: SimpleNamespace | None = None) -> Case:
    """Play a fix of which iteration 1 made a part; the tests are `red` with these lines."""
    file = folder / "a.py"
    file.write_text(f"{MADE}\n")
    rivals = (rival("fee(1)", FIRST), rival("fee(5)", SECOND))
    first = diagnosed(replace(UNSURE, rivals=rivals, undecided=TOLD))
    state = SimpleNamespace(
        by_hand=False,
        accepted=(),
        answers=(),
        diagnosed=last or diagnosed(agent="another"),
        diagnoses=(first,),
        helpful=(SimpleNamespace(iteration=1, commit="kept", doubtful=False),),
        settings=SimpleNamespace(accept="high"),
    )
    repository = SimpleNamespace(
        before=lambda _: "before",
        texts=lambda commit, _: {"a.py": f"{MADE if commit == 'kept' else WAS}\n".encode()},
    )

    def report(*_: object) -> SimpleNamespace:
        passed = set() if file.read_text().strip() in red else {"test_fee"}
        return SimpleNamespace(run=SimpleNamespace(passed=passed))

    debug_run = SimpleNamespace(state=state, repository=repository)
    return cast(
        "Case",
        SimpleNamespace(
            commit="x", turned=("test_fee",), report=report, debug_run=debug_run, stood_before=""
        ),
    )


@pytest.fixture(autouse=True)
def doubted(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """What was attempted on this code before, and only a doubt refused."""
    found: list[SimpleNamespace] = []
    monkeypatch.setattr(parts, "acceptable", lambda _: tuple(found))
    monkeypatch.setattr(parts, "on_this", lambda *_: True)
    return found


@pytest.mark.parametrize(
    ("before", "now", "red", "said"),
    [
        ("medium", "medium", 0, True),
        ("high", "medium", 0, True),
        ("low", "medium", 0, False),
        ("medium", "high", 0, False),
        ("medium", "medium", 1, False),
    ],
)
def test_a_likelier_change_that_was_only_doubted_is_asked_about(
    tmp_path: Path, doubted: list[SimpleNamespace], before: str, now: str, red: int, *, said: bool
) -> None:
    """Two pass: that the proof doubts the first one does not make the second one right."""
    entry = SimpleNamespace(iteration=1, red_after=red, fix_attempted="replace `a` by `a - 1`")
    told = diagnosed(replace(UNSURE, confidence=before))
    doubted.append(SimpleNamespace(entry=entry, diagnosed=told))
    case = mended(tmp_path, last=diagnosed(replace(UNSURE, confidence=now)))
    state = cast("Any", case.debug_run.state)
    state.helpful, state.overall, state.settings.accept = (), 2, "medium"

    rows = settled_rows(case, ())

    words = "the change of iteration 1 passes as well, and is only doubted: replace `a` by `a - 1`"
    assert [words] * said == [row.measured for row in rows]
    cast("Any", case).stood_before = "a1b2c3"
    assert () == settled_rows(case, ()), "what stood there once passed its tests then"


def test_what_is_doubted_is_the_call_that_a_person_is_asked_about(tmp_path: Path) -> None:
    """A test settles the first call, as one that an answer became; then it is said of the next."""
    case = mended(tmp_path, red=(FIRST,))

    (part,) = undecided_parts(case, tmp_path)
    (row,) = settled_rows(case, (part,))

    assert "fee(5)" == part.other.call
    assert "fee(1)" not in row.measured
    assert row.measured.startswith("iteration 1: another change passes in its place")
    assert (
        f"`fee(5)` gives `2` with this change, and gives `3` with: use `{SECOND}`." in row.measured
    )


def test_where_no_test_settles_the_first_call_all_is_said_as_it_was(tmp_path: Path) -> None:
    case = mended(tmp_path)

    parts = undecided_parts(case, tmp_path)

    assert [("fee(1)", TOLD)] == [(part.other.call, part.told) for part in parts]
    assert f"{MADE}\n" == (tmp_path / "a.py").read_text()
    assert () == undecided_parts(mended(tmp_path, red=(FIRST, SECOND)), tmp_path)


def test_what_the_last_change_leaves_open_is_asked_about_first(tmp_path: Path) -> None:
    told = replace(UNSURE, unsettled=rival("tax(1)", FIRST), confidence_reason="of `tax(1)`")
    case = mended(tmp_path, last=diagnosed(told))

    (row,) = settled_rows(case, undecided_parts(case, tmp_path))

    assert f"of `tax(1)`; iteration 1: {TOLD}" == row.measured


@pytest.mark.parametrize(("accepted", "said"), [(False, "iteration 1: a guess"), (True, "")])
def test_a_guess_that_was_kept_as_progress_is_asked_about_in_the_end(
    tmp_path: Path, *, accepted: bool, said: str
) -> None:
    """Else a person would be told of the last change only, and the proof forgets the first."""
    case = mended(tmp_path)
    state = cast("Any", case.debug_run.state)
    guess = replace(UNSURE, confidence="low", confidence_reason="a guess", rivals=())
    state.settings.accept = "medium"
    state.diagnoses = (diagnosed(guess),)
    state.helpful = tuple(
        SimpleNamespace(iteration=e.iteration, commit=e.commit, doubtful=accepted)
        for e in state.helpful
    )

    rows = settled_rows(case, ())

    assert ([said] if said else []) == [row.measured for row in rows]


@pytest.mark.parametrize(("option", "said"), [("accept", None), ("accept-1", "of `tax(1)`")])
def test_what_a_person_made_and_accepted_is_not_told_by_an_older_diagnosis(
    tmp_path: Path, option: str, said: str | None
) -> None:
    told = replace(UNSURE, unsettled=rival("tax(1)", FIRST), confidence_reason="of `tax(1)`")
    case = mended(tmp_path)
    state = cast("Any", case.debug_run.state)
    state.by_hand, state.accepted = True, (case.commit,)
    state.helpful = (SimpleNamespace(iteration=1, commit="kept", doubtful=True),)
    state.answers = (SimpleNamespace(option=option),)
    state.diagnoses = (diagnosed(told),)
    state.diagnosed = SimpleNamespace(
        iteration=2, agent=BUILT_IN, diagnosis=replace(UNSURE, confidence_reason="none is known")
    )

    rows = settled_rows(case, ())

    assert ([said] if said else []) == [row.measured for row in rows]


def called(name: str, *given: int) -> str:
    told = [["int", str(each)] for each in given]
    return json.dumps({"name": name, "given": ["tuple", told], "more": ["dict", []]})


def gave(number: int) -> str:
    return json.dumps({"end": ["gave", ["int", str(number)]], "left": []})


@pytest.mark.parametrize(
    ("steady", "other", "known"), [(True, 9, True), (True, 4, False), (False, 9, False)]
)
def test_calls_that_the_proof_makes_part_what_nothing_parted(
    tmp_path: Path, other: int, *, steady: bool, known: bool
) -> None:
    """It would say that no call was found, and show one above; one that varies is none."""
    case = mended(tmp_path)
    (part,) = undecided_parts(case, tmp_path)
    part = part._replace(told="no call was found", other=replace(part.other, call=""))
    lines = (called("fee", 1), called("fee", 3))
    right = {0: gave(2), 1: gave(4)}

    def answers(place: Path, _: object, *, timeout: float) -> dict[int, str]:
        assert timeout
        if (place / "a.py").read_text() == f"{MADE}\n":
            return right if steady else {0: gave(2), 1: gave(5)}
        return {0: json.dumps({"end": ["gave", ["float", "2.0"]], "left": []}), 1: gave(other)}

    cast("Any", case).answers = answers

    (told,) = parted(case, tmp_path, (part,), MadeAgain(lines, (), right))

    assert f"{MADE}\n" == (tmp_path / "a.py").read_text()
    assert known == ("`fee(3)` gives `4` with this change, and gives `9` with" in told.told)
    assert known == (told.other.call == "fee(3)")
