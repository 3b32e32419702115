"""What a name or a docstring says of a change."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from candidatekit import BEST, bare_scene
from clew.evidence.explain.certainty import confidence_of
from clew.evidence.explain.prose import named
from clew.words.facts import Candidate, Category, Edit
from failurekit import failed, run

if TYPE_CHECKING:
    from clew.evidence.explain.scene import Scene


def function(name: str, says: str, body: str = "    return sorted(l)\n") -> str:
    docstring = indent(f'"""{says}"""\n', "    ") if says else ""
    return f"def {name}(l):\n{docstring}{body}"


def wrapped(by: str, line: int = 2) -> Candidate:
    edit = Edit(
        path="s.py", line=line, current="    return sorted(l)", should_be=f"    return sorted({by})"
    )
    return replace(BEST, path="s.py", line=line, family="wrap", edits=(edit,))


@pytest.mark.parametrize(
    ("source", "by", "said"),
    [
        (function("unique", ""), "set(l)", 'the name of `unique` says "unique"'),
        (
            function("names", "Return all names.\n\n    Without duplicates."),
            "set(l)",
            'the docstring of `names` says "duplicates"',
        ),
        (function("names", "Return all names."), "set(l)", ""),
        (function("names", "Return all names. They are not unique."), "set(l)", ""),
        (function("unique", ""), "list(l)", ""),
        (function("unique", "", "    set(l)\n    return sorted(l)\n"), "set(l)", ""),
        (function("unique", ""), "set(abs(i) for i in l)", ""),
        ("unique = sorted(l)\n\n", "set(l)", ""),
        ("def unique(:", "set(l)", ""),
        ("", "set(l)", ""),
    ],
)
def test_what_a_function_promises_speaks_for_the_call_that_does_it(
    source: str, by: str, said: str
) -> None:
    """The only one of its kind there; a sentence that denies something says nothing."""
    assert said == named(wrapped(by), {"s.py": source})


def test_one_short_test_is_enough_where_a_name_says_the_same() -> None:
    """Without it the change would be a guess; and it takes nothing from one that is sure."""
    test = failed("t.py::test_a")
    tests = {"t.py": "def test_a():\n    assert unique([1, 1]) == [1]\n"}
    best = replace(wrapped("set(l)"), turns_green=("t.py::test_a",), score=1.0)

    def told(name: str, best: Candidate) -> tuple[str, str]:
        sources = {"s.py": function(name, ""), **tests}
        scene = bare_scene(run=run(test), category=Category.TEST_FAILURE, sources=sources, reach=())
        return confidence_of(cast("Scene", scene), (best,))

    assert "low" == told("names", best)[0]
    confidence, why = told("unique", best)
    assert "medium" == confidence
    assert 'this speaks for the change: the name of `unique` says "unique".' in why
    twice = replace(best, turns_green=("a", "b"), family="constant")
    assert "high" == told("unique", twice)[0]
