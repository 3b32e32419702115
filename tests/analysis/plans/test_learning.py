"""What failures of phases have in common, and whom it is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.analysis.context.counting import counter
from clew.analysis.plans.learning import BUDGET, PhaseFailure, lessons, told
from clew.words.lessons import Lesson
from clew.words.plans import PlanPhase

LINT = "FAIL: lint: 1 finding\ncommand: ruff check\nsrc/{}.py:{}  F401 `os` imported but unused"


def failure(phase: int, message: str) -> PhaseFailure:
    return PhaseFailure(seen=f"s phase {phase}", files=(f"src/p{phase}.py",), message=message)


def test_what_fails_alike_in_two_phases_concerns_all() -> None:
    """The place differs, the finding does not; what failed once teaches nothing."""
    found = lessons(
        [
            failure(1, LINT.format("a", 3)),
            failure(2, f"{LINT.format('b', 7)}\n\nFAIL: types: 1 finding\nsrc/b.py:1  no type"),
        ]
    )
    (lesson,) = found
    assert "lint: F401 `os` imported but unused" == lesson.title
    assert (2, (), ("s phase 1", "s phase 2")) == (lesson.weight, lesson.files, lesson.seen)
    assert "FAIL: lint: 1 finding\nsrc/b.py:7  F401 `os` imported but unused" == lesson.text


def test_what_fails_twice_in_one_phase_concerns_its_files() -> None:
    """What an agent ended with as well, without what differs each time."""
    (lesson,) = lessons([failure(1, f"no answer within {n} s") for n in (10, 20)])
    assert ("no answer within <duration>", ("src/p1.py",)) == (lesson.title, lesson.files)
    assert () == told([lesson], PlanPhase(id=2, creates=("src/p2.py",)), counter("estimate"))
    (text,) = told([lesson], PlanPhase(id=3, modifies=("src",)), counter("estimate"))
    assert text.startswith("no answer within <duration> (2 times)")


@given(st.lists(st.tuples(st.text(max_size=3_000), st.integers(1, 9)), max_size=30))
def test_no_phase_is_told_more_than_the_budget(known: list[tuple[str, int]]) -> None:
    """Whatever there is; what weighs most comes first."""
    found = [Lesson(title="t", text=text, weight=weight) for text, weight in known]
    texts = told(found, PlanPhase(id=1), counter("estimate"))
    assert sum(map(counter("estimate").count, texts)) <= BUDGET
