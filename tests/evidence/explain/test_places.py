"""What a diagnosis names: the places of a change, and what the failing test ran."""

from __future__ import annotations

from clew.evidence.explain import explain
from clew.words.facts import Candidate, Edit, Findings, Reach, Suspect
from clew.words.facts import TestRun as Run
from failurekit import crash, failed, frame, passed, run

PRICE = """\
def cut(amount, percent):
    return (
        amount
        - amount / percent
    )


def share(part, whole):
    return part / whole


def total(items):
    return cut(sum(items), 25)
"""
SOURCES = {"price.py": PRICE, "test_price.py": ""}
CUT, TOTAL = "test_price.py::test_cut", "test_price.py::test_total"


def wrong(name: str, line: int) -> Run:
    said = crash("AssertionError", "assert 1 == 2", frame(f"test_price.py:{line}", "test", "x"))
    return run(failed(name, said), *passed("test_price.py::test_share"))


def candidate(*edits: Edit, line: int) -> Findings:
    best = Candidate(
        description="drop `percent`",
        family="arguments",
        path="price.py",
        line=line,
        function="cut",
        edits=edits,
        turns_green=(CUT,),
        complete=True,
    )
    return Findings(candidates=(best,), tried=1)


def test_each_place_of_a_change_is_named() -> None:
    """A parameter that goes away goes from the definition and from each call."""
    edits = (
        Edit(path="price.py", line=13, current="cut(sum(items), 25)", should_be="cut(sum(items))"),
        Edit(
            path="price.py",
            line=1,
            current="def cut(amount, percent):\n    return (\n        amount\n"
            "        - amount / percent\n    )",
            should_be="def cut(amount):\n    return (\n        amount\n"
            "        - amount / 10\n    )",
        ),
    )
    told = explain(wrong(CUT, 5), (), candidate(*edits, line=2), SOURCES)
    option = told.options[0]
    assert "drop `percent`, at price.py:1, price.py:4 and price.py:13" == option.title
    assert option.approach.startswith("At price.py:1, price.py:4 and price.py:13: drop `percent`.")
    assert (
        "At price.py:13, replace `cut(sum(items), 25)` by `cut(sum(items))`.",
        "At price.py:1, replace `def cut(amount, percent):` by `def cut(amount):`.",
        "At price.py:4, replace `- amount / percent` by `- amount / 10`.",
    ) == option.steps
    assert ("price.py", 1) == (told.path, told.line)


def test_the_place_of_a_change_is_its_line_and_not_where_its_statement_begins() -> None:
    """In the title, in the steps, and where the fault is said to lie."""
    edit = Edit(
        path="price.py",
        line=2,
        current="    return (\n        amount\n        - amount / percent\n    )\n",
        should_be="    return (\n        amount\n        - amount * percent / 100\n    )\n",
    )
    told = explain(wrong(CUT, 5), (), candidate(edit, line=2), SOURCES)
    assert ("price.py", 4) == (told.path, told.line)
    assert "price.py:4 in `cut`" in told.root_cause
    assert told.options[0].approach.startswith("At price.py:4 in `cut`: ")
    assert (
        "At price.py:4, replace `- amount / percent` by `- amount * percent / 100`.",
    ) == told.options[0].steps


def test_a_diagnosis_names_no_function_that_its_test_never_ran() -> None:
    """What another red test ran is its own affair."""
    suspects = (
        Suspect(path="price.py", line=4, function="cut", score=1.0),
        Suspect(path="price.py", line=13, function="total", score=0.7),
        Suspect(path="price.py", line=9, function="share", score=0.6),
    )
    reach = Reach(path="price.py", tests=(CUT, TOTAL), groups=(((2, 3, 4), (0, 1)), ((13,), (1,))))
    told = explain(wrong(CUT, 5), suspects, Findings(reach=(reach,)), SOURCES)
    said = " ".join(
        [told.root_cause, *told.evidence, *(o.title + o.approach for o in told.options)]
    )
    assert "`cut`" in said
    assert "`total`" not in said
    assert "`share`" not in said


def test_nobody_is_sent_to_the_head_of_a_function() -> None:
    """Where nothing happens: its first line that does something is named; a default is there."""
    text = (
        'def plain(a):\n    """Add."""\n\n    return a\n\n\ndef kept(a, b=[]):\n    return b\n\n\n'
        "def one(): return 1\n"
    )
    suspects = tuple(
        Suspect(path="code.py", line=line, score=score)
        for line, score in ((1, 0.9), (4, 0.8), (7, 0.7), (11, 0.6))
    )
    red = run(failed("t::a", crash("ValueError", "no")))
    found = explain(red, suspects, None, {"code.py": text})

    assert ("code.py", 4) == (found.path, found.line)
    assert "Look at code.py:4 in `plain`" in found.options[0].approach
    named = [line for line in found.evidence if line.startswith("suspect")]
    assert ["suspect code.py:4", "suspect code.py:7", "suspect code.py:11"] == [
        line.partition(" in ")[0] for line in named
    ]


def test_a_project_that_is_not_installed_is_to_be_installed() -> None:
    """The import is right: the recommendation says what the cause says."""
    said = crash(
        "ModuleNotFoundError",
        "No module named 'shop'",
        frame("tests/test_cart.py:1", "", "from shop.cart import total"),
    )
    modules = frozenset({"src", "src.shop", "src.shop.cart", "shop", "shop.cart"})
    told = explain(run(failed("tests/test_cart.py", said)), (), None, {}, modules=modules)
    assert "the project is not installed where the tests run, and `src` is not" in told.root_cause
    first, second = told.options
    assert "install the project where the tests run" == first.title
    assert "`pip install -e .`" in first.approach
    assert '`pythonpath = ["src"]`' in second.approach
    assert "install the project" in told.confidence_reason
    assert not any("correct the import" in option.title for option in told.options)
