"""Changes that are one change to a person."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.evidence.explain import explain
from clew.evidence.explain.doubles import without_doubles
from clew.words.facts import Candidate, Edit, Findings, Parting
from failurekit import crash, failed, run

STORED = "        self.items[name] = value"
COUNTED = "        total = len(self.items)"
APPENDED = "        self.order.append(name)"


def inserted(line: int, beside: str, text: str = APPENDED, *, before: bool = False) -> Candidate:
    """Return the patch that puts a line in after another one, or before it."""
    lines = [text, beside] if before else [beside, text]
    return Candidate(
        description=f"insert `{text.strip()}` at {line}",
        family="insert",
        path="reg.py",
        line=line,
        function="Registry.add",
        edits=(Edit(path="reg.py", line=line, current=beside, should_be="\n".join(lines)),),
        turns_green=("t",),
        complete=True,
    )


FIRST = inserted(7, STORED)
PARTED = Parting(call="Registry().add('a', 1)", best="1", this="2")


@pytest.mark.parametrize(
    ("other", "is_double"),
    [
        (inserted(8, COUNTED), True),
        (inserted(7, STORED, before=True), True),
        (inserted(8, f"    {COUNTED}", f"    {APPENDED}"), True),
        (replace(inserted(8, COUNTED), parting=PARTED), False),
        (inserted(8, COUNTED, "        self.order.insert(0, name)"), False),
        (inserted(20, COUNTED), False),
        (replace(inserted(8, COUNTED), function="Registry.put"), False),
        (replace(inserted(8, COUNTED), turns_green=("t", "u")), False),
    ],
)
def test_a_line_put_in_a_little_further_down_is_no_other_change(
    other: Candidate, *, is_double: bool
) -> None:
    """Unless a call is known on which the two part."""
    kept = (FIRST,) if is_double else (FIRST, other)

    assert without_doubles((FIRST, other)) == kept


def test_two_others_that_are_one_change_are_one_rival() -> None:
    """Each parts from the best one by the same call, in the same way."""
    best = replace(FIRST, edits=(Edit(path="reg.py", line=7, current="a", should_be="b"),))
    one, two = (replace(inserted(n, STORED), parting=PARTED) for n in (7, 8))

    assert without_doubles((best, one, two)) == (best, one)


def test_a_diagnosis_tells_of_no_rival_that_is_the_same_change() -> None:
    """Neither as a doubt nor among the evidence nor as an option."""
    red = run(failed("t", crash("AssertionError", "assert [] == ['a']")))
    found = Findings(candidates=(FIRST, inserted(8, COUNTED)))

    told = explain(red, (), found, {"reg.py": f"{STORED}\n{COUNTED}\n"})

    assert "other change turns" not in told.confidence_reason
    assert not any("different changes" in line for line in told.evidence)
    assert not any("at 8" in option.title for option in told.options)
