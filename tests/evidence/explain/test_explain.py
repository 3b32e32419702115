"""A diagnosis written from evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.documents import report
from clew.documents.views import IterationView
from clew.evidence.explain import explain
from clew.evidence.explain.exhausted import ruled_out
from clew.evidence.explain.scene import code, whole
from clew.words.facts import (
    Candidate,
    CandidatePart,
    CaseOutcome,
    Category,
    Coverage,
    Crash,
    Demand,
    Diagnosis,
    EarlierText,
    Edit,
    Findings,
    Parting,
    Phase,
    Runner,
    Suspect,
    TestCommand,
    TestRun,
)
from failurekit import PYTEST, crash, failed, frame, passed, run
from storykit import META

CART = """\
def total(items, rate=0):
    price = 0
    for n in range(len(items) - 1):
        price += items[n]
    return price * (1 + rate)


def lookup(table, key):
    return table[key]
"""
TESTS = """\
from shop.cart import total


def test_total():
    assert total([5, 10]) == 15
"""
SOURCES = {"shop/cart.py": CART, "shop/__init__.py": "", "tests/test_cart.py": TESTS}
TEST = "tests/test_cart.py::test_total"
WRONG = failed(
    TEST,
    crash(
        "AssertionError",
        "assert 5 == 15\n +  where 5 = total([5, 10])",
        frame("tests/test_cart.py:5", "test_total", "assert total([5, 10]) == 15"),
    ),
)
COVERAGE = Coverage(
    lines={TEST: {"shop/cart.py": (2, 3, 4, 5)}, "t::b": {"shop/cart.py": (2, 5, 9)}},
    outcomes={TEST: CaseOutcome.FAILED, "t::b": CaseOutcome.PASSED},
)
BEST = Candidate(
    description="replace `len(items) - 1` by `len(items)`",
    family="arithmetic",
    path="shop/cart.py",
    line=3,
    function="total",
    edits=(Edit(path="shop/cart.py", line=3, current="len(items) - 1", should_be="len(items)"),),
    turns_green=(TEST,),
    complete=True,
)
SPECIAL = Candidate(
    description="return `15` early if `rate == 0`",
    family="early return",
    path="shop/cart.py",
    line=2,
    function="total",
    edits=(
        Edit(
            path="shop/cart.py",
            line=2,
            current="    price = 0\n",
            should_be="    if rate == 0:\n        return 15\n    price = 0\n",
        ),
    ),
    turns_green=(TEST,),
    complete=True,
)


def told(
    tests: TestRun, *candidates: Candidate, history: tuple[IterationView, ...] = ()
) -> Diagnosis:
    findings = Findings(
        candidates=candidates,
        tried=321,
        seconds=2.31,
        families={"comparison": 40, "arithmetic": 100},
        exhausted=True,
    )
    suspects = rank(tests, COVERAGE, is_test=is_test_path)
    return explain(tests, suspects, findings, SOURCES, history)


RED = run(WRONG, *passed("t::b"))


def test_a_wrong_answer_is_told_by_expected_actual_and_where_they_part() -> None:
    """With the place, the line, and what changing it does."""
    found = told(RED, BEST)

    assert found.title == "`total` returns 5 instead of 15"
    assert found.root_cause == (
        "`total([5, 10])` returns `5` where `test_total` expects `15`: 10 too small. The fault most"
        " likely lies at shop/cart.py:3 in `total`, `for n in range(len(items) - 1):`: replace"
        " `len(items) - 1` by `len(items)`, and the red test passes."
    )
    assert (found.category, found.path, found.line) == (Category.TEST_FAILURE, "shop/cart.py", 3)
    assert "> 3      for n in range(len(items) - 1):" in found.context
    assert found.evidence[0] == (
        "tests/test_cart.py:5 in `test_total`: `assert total([5, 10]) == 15`"
    )


def test_what_is_put_back_in_several_places_names_none_of_them_as_the_fault() -> None:
    """It points at the most suspicious one; the others may be innocent."""
    edits = tuple(
        Edit(path="shop/cart.py", line=line, current=current, should_be="")
        for line, current in ((9, "x"), (4, "y"))
    )
    back = replace(
        BEST,
        description="put back the file as it was before 1a2b3c4d5e",
        family="history",
        line=9,
        edits=edits,
    )
    found = told(RED, back)
    assert "The fault most likely lies in what was changed since: put back the file" in (
        found.root_cause
    )
    assert found.root_cause.endswith("is at fault, the search does not tell.")
    assert ("shop/cart.py", 4) == (found.path, found.line)


def test_a_put_back_tells_what_the_commit_calls_itself() -> None:
    """In its author's words, where they are known."""
    back = replace(BEST, description="put back `f` as it was before 1a2b3c4d5e", family="history")
    findings = Findings(candidates=(back,), tried=1)
    subjects = {"1a2b3c4d5e": "Share the zone", "ffffffffff": "Another"}
    earlier = [
        EarlierText(path="a.py", commit=commit, text="", subject=subject)
        for commit, subject in subjects.items()
    ]
    cause = explain(RED, (), findings, SOURCES, earlier=earlier).root_cause
    assert cause.endswith(" Commit `1a2b3c4d5e` is titled `Share the zone`.")
    assert "titled" not in explain(RED, (), findings, SOURCES).root_cause


BUDGET = """\
class Budget:
    def exact(self, items):
        return {}

    def fits(self, items):
        return {}
"""


@pytest.mark.parametrize(
    ("today", "after", "said"),
    [
        ("sum(items) <= self.limit", "sum(items) <= self.limit", True),
        ("self.left(items) > -1", "sum(items) <= self.limit", False),  # it has it again
        ("sum(items) <= self.limit", "self.left(items) >= 0", False),  # a later commit did it
    ],
)
def test_what_the_same_commit_took_out_elsewhere_is_told(
    today: str, after: str, *, said: bool
) -> None:
    """The tests ask for one of the functions alone."""
    was, is_ = "self.left(items) == 0", "sum(items) == self.limit"
    path = "shop/cart.py"
    edit = Edit(path=path, line=3, current=f"return {is_}", should_be=f"return {was}")
    back = replace(BEST, description="put back `Budget.exact` as it was before 1a2b3c4d5e")
    earlier = [
        EarlierText(path=path, commit="ffffffffff", text=BUDGET.format(is_, after)),
        EarlierText(
            path=path, commit="1a2b3c4d5e", text=BUDGET.format(was, "self.left(items) >= 0")
        ),
    ]
    sources = SOURCES | {path: BUDGET.format(is_, today)}
    findings = Findings(candidates=(replace(back, family="history", edits=(edit,)),))
    cause = explain(RED, (), findings, sources, earlier=earlier).root_cause
    words = (
        "`Budget.fits` lost `self.left(items)` by that commit as well, and stays without it: see"
    )
    assert said == (words in cause), cause


def test_failing_tests_that_a_commit_left_as_they_were_may_be_what_is_wrong() -> None:
    """It changed the code that they run with what other tests expect: no change of it is sure."""
    meant = Demand(commit="1234", subject="Ten", tests=("t::b",), code=("shop/cart.py",))
    found = Findings(candidates=(replace(BEST, turns_green=(TEST, "t::c")),))
    suspects = (Suspect(path="shop/cart.py", line=3, score=1.0),)
    words = "titled `Ten`, changed code together with what `b` expects, and left the failing tests"

    told = explain(RED, suspects, found, SOURCES, demand=meant)

    assert words in told.root_cause
    assert "low" == told.confidence
    assert told.confidence_reason.startswith("The code was changed on purpose")
    put_back = Findings(candidates=(replace(found.candidates[0], family="history"),))
    told = explain(RED, suspects, put_back, SOURCES, demand=meant)
    assert "high" == told.confidence, "the tests that were changed pass with it"
    elsewhere = replace(meant, code=("shop/other.py",))
    assert "high" == explain(RED, suspects, found, SOURCES, demand=elsewhere).confidence


def test_a_value_that_a_commit_changed_alone_was_changed_on_purpose() -> None:
    """Old tests that fail since may be stale: what puts the value back is asked about."""
    decided = Demand(
        commit="1234", subject="Ten", tests=(), code=("shop/cart.py",), values=("FREE", "DAY", "A")
    )
    suspects = (Suspect(path="shop/cart.py", line=3, score=1.0),)
    found = Findings(candidates=(replace(BEST, turns_green=(TEST, "t::c"), family="history"),))

    told = explain(RED, suspects, found, SOURCES, demand=decided)

    words = "titled `Ten`, changed nothing of the code but `FREE`, `DAY` and 1 more, and left"
    assert words in told.root_cause
    assert told.confidence_reason.startswith("The newest change of this code is a value")
    elsewhere = replace(decided, code=("shop/other.py",))
    assert "high" == explain(RED, suspects, found, SOURCES, demand=elsewhere).confidence


@pytest.mark.parametrize(
    ("current", "should_be", "said"),
    [
        ("def total(items, sleep=time.sleep):", "def total(items):", True),
        ("def total(items, sleep=time.sleep):", "def total(items, wait=0, sleep=None):", False),
        ("    sleep(2)", "    time.sleep(2)", False),
        ("def sleep():\n    pass", "", True),
        ("    self.sleep = 2", "    self.nap = 2", True),
    ],
)
def test_what_an_earlier_iteration_took_away_is_said_of_it(
    current: str, should_be: str, *, said: bool
) -> None:
    """Else the code is told as if it had always been without that."""
    asks = crash("TypeError", "total() got an unexpected keyword argument 'sleep'")
    edit = Edit(path="shop/cart.py", line=1, current=current, should_be=should_be)
    before = IterationView(number=1, result="Fewer errors", progress=True, edits=(edit,))
    lost = "Iteration 1 took `sleep` away, and was kept since it mended other tests"
    red = run(failed(TEST, asks))
    assert said == (lost in explain(red, (), None, SOURCES, (before,)).root_cause)
    undone = (replace(before, progress=False, taken_back=True),)
    assert lost not in explain(red, (), None, SOURCES, undone).root_cause


def test_a_test_that_a_commit_left_behind_is_left_to_a_person_at_once() -> None:
    """Nobody else may change it; where only a test changed, code may be found that it asks for."""
    meant = Demand(commit="1234", subject="Ten", tests=("t::b",), code=("shop/cart.py",))
    suspects = (Suspect(path="shop/cart.py", line=3, score=1.0),)
    told = explain(RED, suspects, None, SOURCES, demand=meant)
    assert "revise the expectation of `test_total`" == told.options[0].title
    why = f"the built-in repairer recommends to {told.options[0].title}, which only a person may do"
    assert (why, False) == (told.exhausted, told.searched)
    assert not explain(RED, suspects, None, SOURCES, demand=replace(meant, code=())).exhausted
    found = Findings(candidates=(BEST,))
    assert not explain(RED, suspects, found, SOURCES, demand=meant).exhausted


def test_tests_that_changed_last_may_be_what_is_wrong() -> None:
    """A change is rated less then, and without one to revise the test comes first."""
    changed = Demand(commit="d791ee883b", subject="Three books", tests=(TEST,))
    found = Findings(candidates=(replace(BEST, turns_green=(TEST, "t::b")),))
    newer = "What changed last is what the tests ask, not the code"
    whose = "Commit `d791ee883b`, titled `Three books`, changed what `test_total` asks"

    told = explain(RED, (), found, SOURCES, demand=changed)

    assert f"{whose}, and no code came since: the test may be what is wrong." in told.root_cause
    assert "medium" == told.confidence
    assert told.confidence_reason.startswith(newer)
    assert "high" == explain(RED, (), found, SOURCES).confidence
    two = Demand(commit="your uncommitted changes", tests=(TEST, "t::b"))
    told = explain(RED, (), None, SOURCES, demand=two)
    assert "Your uncommitted changes changed what `test_total` and `b` ask," in told.root_cause
    assert told.options[0].title.startswith("revise the expectation")
    assert "settle which is right, the code or what the tests ask" in told.confidence_reason


def test_what_is_read_of_a_result_is_not_told_as_the_result() -> None:
    wrong = crash(
        "AssertionError",
        "assert 5 == 15\n +  where 5 = <Cart object at 0x7f01>.size",
        frame("tests/test_cart.py:5", "test_total", "assert cart([5]).size == 15"),
    )

    found = told(run(failed(TEST, wrong)))

    assert found.title == "`cart(…).size` is 5 instead of 15"
    assert "`cart([5]).size` is `5` where `test_total` expects `15`" in found.root_cause


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("two().top_speed()", "two().top_speed()"),
        ("list(cart([5], rate=2).top.speed(3))", "cart(…).top.speed(…)"),
        ("shop.cart(two().speed())", "cart"),
        ("make(3)[0].total(2)", "make(…)[0].total(…)"),
    ],
)
def test_a_chain_of_calls_is_named_whole(call: str, name: str) -> None:
    """What the first of them returns is not what the last one does."""
    wrong = crash(
        "AssertionError",
        f"assert 900.0 == 15\n +  where 900.0 = {call}",
        frame("tests/test_cart.py:5", "test_total", f"assert {call} == 15"),
    )
    assert f"`{name}` returns 900.0 instead of 15" == told(run(failed(TEST, wrong))).title


def test_what_collects_values_is_not_what_gives_them() -> None:
    """`list` returns what it is given: what it collects from is told."""
    wrong = crash(
        "AssertionError",
        "assert ['a'] == ['a', 'b']\n +  where ['a'] = list(lines(3))",
        frame("tests/test_cart.py:5", "test_total", "assert list(lines(3)) == ['a', 'b']"),
    )
    assert "`lines` returns ['a'] instead of ['a', 'b']" == told(run(failed(TEST, wrong))).title


def test_two_values_that_are_cut_to_the_same_are_told_by_where_they_part() -> None:
    """The title said that one was there instead of itself."""
    wrong = crash(
        "AssertionError",
        "assert [('a', ..., 'ml')] == [('a', ..., 'ml')]\n  \n"
        "  At index 1 diff: ('b', 80, 'ml') != ('b', 800, 'ml')",
        frame("tests/test_cart.py:5", "test_total", "assert cart(3) == MENU"),
    )
    found = told(run(failed(TEST, wrong)))
    title = found.title
    assert "`cart(3)` returns something else than `test_total` expects: at index 1" in (
        found.root_cause
    )
    assert (
        "`cart` returns what differs: at index 1 ('b', 80, 'ml') instead of ('b', 800, 'ml')"
        == title
    )


def test_each_of_several_faults_is_told_with_its_tests() -> None:
    """The place is that of the part that mends the test which is told of."""
    other = "t::c"
    parts = tuple(
        CandidatePart(description=words, path=path, line=line, function=name, turns_green=(test,))
        for words, path, line, name, test in (
            ("replace `key` by `str(key)`", "shop/cart.py", 9, "lookup", other),
            (BEST.description, BEST.path, BEST.line, BEST.function, TEST),
        )
    )
    joined = replace(BEST, line=9, function="lookup", turns_green=(other, TEST), parts=parts)
    found = told(run(WRONG, failed(other, crash("KeyError", "3")), *passed("t::b")), joined)

    assert (
        "2 changes are combined, each for red tests of its own: (1) shop/cart.py:9 in `lookup`:"
        " replace `key` by `str(key)`, for `c`. (2) shop/cart.py:3 in `total`: replace"
        " `len(items) - 1` by `len(items)`, for `test_total`. With all of them, all 2 red"
        " tests pass."
    ) in found.root_cause
    assert (found.path, found.line, found.confidence) == ("shop/cart.py", 3, "medium")
    assert "a part of the change" in found.confidence_reason
    asked = tuple(replace(p, turns_green=(*p.turns_green, f"{p.line}")) for p in parts)
    twice = replace(joined, turns_green=(other, TEST, "9", "3"), parts=asked)
    red = (failed(each, crash("KeyError", "3")) for each in (other, "9", "3"))
    sure = told(run(WRONG, *red), twice)
    assert "There are 2 faults, each with red tests of its own: (1)" in sure.root_cause


def test_a_fault_that_another_one_hid_is_told_as_that() -> None:
    """Its tests were not red: they could not run."""
    parts = tuple(
        CandidatePart(description=words, path=BEST.path, line=line, turns_green=(test,))
        for words, line, test in (("add `:`", 2, TEST), ("replace `+` by `*`", 9, "t::hidden"))
    )
    joined = replace(BEST, turns_green=(TEST, "t::hidden"), parts=parts)

    assert (
        "There are 2 faults: (1) shop/cart.py:2: add `:`, for `test_total`. (2) shop/cart.py:9:"
        " replace `+` by `*`, for `hidden`, which could not run so far. With all of them mended,"
        " all tests that are known pass."
    ) in told(RED, joined).root_cause


def test_faults_of_which_one_hides_another_are_told_as_that() -> None:
    """The same test is red for both."""
    parts = tuple(
        CandidatePart(description=words, path=BEST.path, line=line, turns_green=(TEST,))
        for words, line in (("replace `pricse` by `prices`", 2), ("replace `+` by `*`", 9))
    )

    misspelt = run(failed(TEST, crash("NameError", "name 'pricse' is not defined")))
    both = replace(BEST, parts=parts)
    assert (
        "There are 2 faults on the way of the same tests, and one hides another: (1)"
        " shop/cart.py:2: replace `pricse` by `prices`, for `test_total`. (2) shop/cart.py:9:"
    ) in told(misspelt, both).root_cause
    combined = "2 changes are combined on the way of the same tests: (1) shop/cart.py:2:"
    assert combined in told(RED, both).root_cause, "no crash that one hides"


def test_lines_that_are_put_in_are_missing_before_the_line_that_follows() -> None:
    """That line itself is right."""
    text = "    for n in range(len(items) - 1):\n"
    edit = Edit(path="shop/cart.py", line=3, current=text, should_be=f"    price += 1\n{text}")
    found = told(RED, replace(BEST, description="insert `price += 1`", edits=(edit,)))
    where = "most likely lies just before shop/cart.py:3 in `total`, `for n in range("
    assert where in found.root_cause
    assert "adds one line" in found.options[0].pros
    gone = replace(edit, current=f"    price = 0\n{text}", should_be=text, line=2)
    assert "removes one line" in told(RED, replace(BEST, edits=(gone,))).options[0].pros


def test_three_lines_for_one_are_not_one_line_that_changes() -> None:
    """What is put back may be shorter than what it takes the place of."""
    body = "    price = 0\n    for n in range(len(items) - 1):\n        price += items[n]\n"
    edit = Edit(path="shop/cart.py", line=2, current=body, should_be="    price = sum(items)\n")
    pros = told(RED, replace(BEST, edits=(edit,))).options[0].pros
    assert not [each for each in pros if "one line" in each], pros
    assert any("changes one line" in each for each in told(RED, BEST).options[0].pros)


def test_the_best_candidate_comes_first_with_its_diff_and_its_price() -> None:
    """One failing test is thin ground, and that is said."""
    found = told(RED, BEST)
    first = found.options[0]

    assert found.recommended == 1
    assert first.edits == BEST.edits
    assert "-    for n in range(len(items) - 1):\n+    for n in range(len(items)):\n" in first.diff
    assert "turns the red test green, and red none of the tests that the search ran" in first.pros
    assert "only one failing test speaks for it; other inputs are not tested" in first.cons
    assert (found.confidence, found.confidence_reason[:8]) == ("medium", "Only one")


def test_rivals_are_shown_and_lower_the_confidence() -> None:
    """What the tests cannot settle is not settled by fiat; a special case is called one."""
    found = told(RED, BEST, SPECIAL)

    assert [option.edits for option in found.options[:2]] == [BEST.edits, SPECIAL.edits]
    assert found.confidence == "medium"
    assert "1 other change" in found.confidence_reason
    assert "it treats a special case apart, which may hide the cause" in found.options[1].cons


@pytest.mark.parametrize(
    ("kind", "gave"), [("ZeroDivisionError", "gave `1.5` before, "), ("AssertionError", "")]
)
def test_where_tests_end_in_an_error_it_is_told_what_worked_before(kind: str, gave: str) -> None:
    """A change that mends the error and gives something else there may be wrong."""
    red = failed(TEST, crash(kind, "boom", frame("shop/cart.py:3", "total", "for n in range(…):")))
    parting = Parting(call="mean([1, 2])", best="6", this="1.5", before="1.5")
    found = told(run(red), BEST, replace(SPECIAL, parting=parting))
    shown = f"`mean([1, 2])` {gave}gives `6` with this change, and gives `1.5` with: return `15`"
    assert shown in found.confidence_reason


def test_several_failing_tests_that_agree_make_it_sure() -> None:
    """Two tests, one change."""
    other = replace(WRONG, id=f"{TEST}_again")
    best = replace(BEST, turns_green=(TEST, other.id))

    found = told(run(WRONG, other), best)

    assert found.confidence == "high"
    assert (
        "turns all 2 red tests green, and red none of the tests that the search ran"
        in found.options[0].pros
    )


def test_a_partial_change_is_not_sold_as_a_whole_one() -> None:
    """What stays red is named, as a price and among what came close."""
    other = replace(WRONG, id="tests/test_cart.py::test_other")
    partial = replace(BEST, complete=False, still_red=(other.id,))

    found = told(run(WRONG, other), partial)

    assert "leaves `test_other` red" in found.options[0].cons
    assert any(line.startswith("came close: ") for line in found.tried)
    assert found.confidence == "medium"
    assert "1 of 2 red tests passes" in found.root_cause


def test_the_test_may_be_wrong_but_a_person_has_to_say_so() -> None:
    """The last option, without edits."""
    last = told(RED, BEST).options[-1]

    assert last.title == "revise the expectation of `test_total`"
    assert last.edits == ()
    assert any("needs a person" in con for con in last.cons)


def test_without_a_candidate_nothing_is_made_up() -> None:
    """No edits, low confidence, and what to look at next."""
    found = told(RED)

    assert [option.edits for option in found.options] == [()] * len(found.options)
    assert found.confidence == "low"
    assert "Next: stop at shop/cart.py:3 while `test_total` runs" in found.confidence_reason
    assert "The strongest suspects are lines 3 and 4 of shop/cart.py in `total`" in found.root_cause
    assert found.options[0].title == "fix `total` by hand"


def test_what_an_earlier_iteration_tried_is_left_out() -> None:
    """A fix that failed is not proposed again."""
    entry = IterationView(number=1, result="Still failing", edits=BEST.edits)

    found = told(RED, BEST, SPECIAL, history=(entry,))

    assert found.options[0].edits == SPECIAL.edits
    assert "left out: 1 change that an earlier iteration tried" in found.tried


def test_only_changes_that_are_left_are_counted_as_different_ones() -> None:
    """One that an earlier iteration tried is no other change that passes."""
    entry = IterationView(number=1, result="Still failing", edits=BEST.edits)
    line = "2 different changes turn every red test green"
    assert line in told(RED, BEST, SPECIAL).evidence
    assert line not in told(RED, BEST, SPECIAL, history=(entry,)).evidence


def test_what_only_a_doubt_spoke_against_is_proposed_again_once_a_person_changed_something() -> (
    None
):
    """A test that they added may be what settles it."""
    entry = IterationView(number=1, result="Proof refused", edits=BEST.edits, open=True)

    assert BEST.edits == told(RED, BEST, SPECIAL, history=(entry,)).options[0].edits


@pytest.mark.parametrize(
    ("exhausted", "searched", "said"),
    [
        (True, True, "ruled out"),
        (False, True, "looked at before"),
        (True, False, "looked at before"),
    ],
)
def test_only_a_search_that_came_to_its_end_rules_out(
    *, exhausted: bool, searched: bool, said: str
) -> None:
    """One that a limit ended looked there, and others may find more."""
    entry = IterationView(
        number=1, result="No fix", path="shop/cart.py", line=3, exhausted=exhausted
    )

    (line,) = ruled_out((entry,), SOURCES, others=True, searched=searched)

    suspected = "iteration 1 suspected shop/cart.py:3 in `total`, and found no fix there"
    assert line == f"{said}: {suspected}"


def test_where_an_earlier_iteration_looked_in_vain_no_later_one_looks() -> None:
    """The next diagnosis points elsewhere, and says what was seen; with nothing left it says so."""

    def told(*history: IterationView) -> Diagnosis:
        suspects = tuple(Suspect(path="shop/cart.py", line=n, score=1 / n) for n in (3, 4, 9))
        return explain(RED, suspects, None, SOURCES, history)

    first = told()
    entry = IterationView(number=1, result="No fix", path=first.path, line=first.line)
    second = told(entry)
    other = IterationView(number=2, result="No fix", path=second.path, line=second.line)
    third = told(entry, other)

    assert (3, 9) == (first.line, second.line)
    assert first.root_cause != second.root_cause
    line = "iteration 1 suspected shop/cart.py:3 in `total`, and found no fix there"
    assert f"looked at before: {line}" in second.tried
    assert "no other place is suspected" in third.tried[-1]
    helped = IterationView(number=2, result="Fewer errors", progress=True)
    assert first == told(entry, helped)


def test_what_was_tried_is_counted_by_kind() -> None:
    """Most tried first; whether that was all is said."""
    assert told(RED, BEST).tried[0] == (
        "321 changes tried in 2.3 s; that is all there were."
        " By kind: arithmetic (100) and comparison (40)"
    )
    assert explain(RED, (), None, SOURCES).tried == ("no search for a patch was made",)


@pytest.mark.parametrize(
    ("family", "description", "said"),
    [
        ("keyword", "pass `zone=zone`", "add one with another value of `zone`."),
        ("argument", "drop the argument `zone`", "add one with another value of `zone`."),
        ("argument", "pass `f(1)` too", "none, one, many, those at the edge."),
        ("comparison", "replace `<` by `<=`", "where both sides of `<=` are equal."),
        ("comparison", "replace `==` by `!=`", "none, one, many, those at the edge."),
        ("history", "put back `f` as it was", "it is red without what is put back."),
        ("fresh default", "make `kept = []` anew for each call", "add one that calls it twice"),
        ("swap arguments", "swap `a` and `b`", "add one in which `a` and `b` differ."),
    ],
)
def test_what_guards_against_it_follows_from_the_change(
    family: str, description: str, said: str
) -> None:
    """Where its kind says more than that of the failure."""
    assert said in told(RED, replace(BEST, family=family, description=description)).prevention


PART = replace(BEST, complete=False, still_red=("t::c",))
OTHER_PART = replace(SPECIAL, turns_green=("t::c",), complete=False, still_red=(TEST,))


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        (Findings(exhausted=True), "that is all there were"),
        (Findings(), "then its time was up"),
        (Findings(candidates=(PART,)), "then its time was up"),
        (Findings(candidates=(PART, OTHER_PART)), "then a limit ended the search"),
        (Findings(candidates=(BEST,)), "the search ended soon after it found a change that passes"),
        (Findings(refused=1), "the search ended soon after it found a change that passes"),
        (Findings(notes=("the search did not end in time",)), "then it ended early"),
    ],
)
def test_what_ended_a_search_is_told(findings: Findings, said: str) -> None:
    """Its time, an early end, or what it found."""
    found = explain(RED, (), replace(findings, tried=9, seconds=1.0), SOURCES)
    assert f"9 changes tried in 1.0 s; {said}" == found.tried[0]


IMPORTS = frame("tests/test_cart.py:1", "<module>", "from shop.cartt import total")
CASES = [
    (
        crash("ModuleNotFoundError", "No module named 'shop.cartt'", IMPORTS),
        Category.IMPORT_ERROR,
        "module shop.cartt does not exist",
        "the project has no such module. The closest that exists: `shop.cart`.",
    ),
    (
        crash("ModuleNotFoundError", "No module named 'shop.cart'", IMPORTS),
        Category.IMPORT_ERROR,
        "module shop.cart is not found",
        "though the project has that module",
    ),
    (
        crash("ImportError", "cannot import name 'totl' from 'shop.cart' (/p/c.py)", IMPORTS),
        Category.IMPORT_ERROR,
        "shop.cart does not define totl",
        "It has `total`.",
    ),
    (
        crash(
            "ImportError",
            "cannot import name 'x' from partially initialized module 'shop.cart' (most likely due"
            " to a circular import)",
            IMPORTS,
            frame("shop/cart.py:1", "<module>", "import shop.tax"),
        ),
        Category.IMPORT_ERROR,
        "circular import of shop.cart",
        "The imports run tests/test_cart.py → shop/cart.py.",
    ),
    (
        crash("NameError", "name 'json' is not defined", frame("shop/cart.py:2", "total")),
        Category.IMPORT_ERROR,
        "`json` is used but not imported",
        "not imported there",
    ),
    (
        crash("ModuleNotFoundError", "No module named 'yaml'", IMPORTS),
        Category.MISSING_DEPENDENCY,
        "package PyYAML is missing",
        "of the package `PyYAML`",
    ),
    (
        crash("SyntaxError", "expected ':'", IMPORTS, frame("shop/cart.py:3", "")),
        Category.SYNTAX_ERROR,
        "syntax error in cart.py",
        "The line reads `for n in range(len(items) - 1):`.",
    ),
    (
        crash("TypeError", "total() missing 1 required positional argument: 'items'", IMPORTS),
        Category.TYPE_ERROR,
        "`total` is called without 'items'",
        "It is defined at shop/cart.py:1 as `def total(items, rate=0)`.",
    ),
    (
        crash("TypeError", "total() got an unexpected keyword argument 'rates'", IMPORTS),
        Category.TYPE_ERROR,
        "`total` knows no argument rates",
        "The closest it knows is `rate`.",
    ),
    (
        crash("TypeError", "total() takes 2 positional arguments but 3 were given", IMPORTS),
        Category.TYPE_ERROR,
        "`total` takes 2 arguments, not 3",
        "The call gives 3 arguments; `total` takes 2.",
    ),
    (
        crash(
            "AttributeError",
            "'NoneType' object has no attribute 'price'",
            frame("shop/cart.py:4", "total", "price += item.price", item="None", n="1"),
        ),
        Category.TYPE_ERROR,
        "`total` raises AttributeError",
        "`item` is None: what was to be given is missing before `.price` is asked for.",
    ),
    (
        crash(
            "TypeError",
            "unsupported operand type(s) for +=: 'int' and 'str'",
            frame("shop/cart.py:4", "total", "price += items[n]", price="0"),
        ),
        Category.TYPE_ERROR,
        "`total` raises TypeError",
        "`+=` is asked to join a `int` and a `str`. There, `price` = `0`.",
    ),
    (
        crash(
            "KeyError",
            "'aple'",
            frame("shop/cart.py:9", "lookup", "return table[key]", table="{'apple': 1}"),
        ),
        Category.TEST_FAILURE,
        "`lookup` raises KeyError",
        "`table` has no key `'aple'`; the closest is `'apple'`.",
    ),
    (
        crash(
            "IndexError",
            "list index out of range",
            frame("shop/cart.py:4", "total", "price += items[n]", items="[5, 10]", n="2"),
        ),
        Category.TEST_FAILURE,
        "`total` raises IndexError",
        "`items` holds 2, and is asked for index `2`.",
    ),
    (
        crash(
            "ZeroDivisionError",
            "division by zero",
            frame("shop/cart.py:5", "total", "return price / count", count="0", price="3"),
        ),
        Category.TEST_FAILURE,
        "`total` raises ZeroDivisionError",
        "`count` is 0.",
    ),
    (
        crash("Timeout", "still running after 60 s", frame("shop/cart.py:3", "total", "for n in")),
        Category.TEST_FAILURE,
        "`total` does not come to an end",
        "was stopped when its time ran out at shop/cart.py:3",
    ),
    (
        crash("sqlite3.OperationalError", "no such column: rate", frame("shop/cart.py:5", "total")),
        Category.SCHEMA_MISMATCH,
        "data and schema disagree: no such column: rate",
        "It is at shop/cart.py:1.",
    ),
    (
        crash("AssertionError", "DID NOT RAISE <class 'ValueError'>", IMPORTS),
        Category.TEST_FAILURE,
        "",
        "raises nothing where `test_total` expects `ValueError`",
    ),
]


@pytest.mark.parametrize(("trouble", "category", "title", "words"), CASES)
def test_each_kind_of_failure_is_told_in_its_own_way(
    trouble: Crash, category: Category, title: str, words: str
) -> None:
    """What is missing, which names are close, what was called with what."""
    tests = run(failed(TEST, trouble))
    found = explain(tests, rank(tests, is_test=is_test_path), None, SOURCES)

    assert found.category == category
    assert found.title.startswith(title)
    assert words in found.root_cause


@pytest.mark.parametrize("trouble", [case[0] for case in CASES])
def test_every_diagnosis_makes_a_sound_report(trouble: Crash) -> None:
    """Two or three options with trade-offs, one recommended, a cause, a place that exists."""
    tests = run(failed(TEST, trouble))
    found = explain(tests, rank(tests, is_test=is_test_path), None, SOURCES)
    text = report.render(found, META)

    assert 2 <= len(found.options) <= 3
    assert report.problems(text, lambda path: len(SOURCES.get(path, "").splitlines())) == ()


def test_what_should_have_raised_is_read_from_the_test() -> None:
    """The runner names the `with` line; the call stands below it."""
    text = "with pytest.raises(ValueError):\n    total([])\n"
    at = frame("tests/test_cart.py:1", "test_total", "with pytest.raises(ValueError):")
    tests = run(failed(TEST, crash("Failed", "DID NOT RAISE <class 'ValueError'>", at)))

    found = explain(tests, (), None, {"tests/test_cart.py": text})

    assert found.title == "`total` does not raise ValueError"


def test_suspects_of_the_told_failure_come_before_those_of_others() -> None:
    """In a run with many faults the strongest line may belong to another one."""
    here = frame("shop/cart.py:9", "lookup", "return table[key]")
    tests = run(failed("t.py::a", crash("KeyError", "'x'", here)))
    strong = Suspect(path="shop/cart.py", line=2, score=0.9, reasons=("run by all",))
    own = Suspect(path="shop/cart.py", line=9, score=0.4, reasons=("innermost frame",))

    found = explain(tests, (strong, own), None, SOURCES)

    assert (found.path, found.line) == ("shop/cart.py", 9)
    assert found.options[0].title == "fix `lookup` by hand"


def test_what_no_edit_can_mend_is_out_of_scope() -> None:
    """A package, or two tests that contradict each other."""
    package = run(failed(TEST, crash("ModuleNotFoundError", "No module named 'yaml'", IMPORTS)))
    one = crash("AssertionError", "", frame("t.py:1", "a", "assert total(1) == 3"))
    two = crash("AssertionError", "", frame("t.py:4", "b", "assert total(1) == 4"))
    torn = explain(run(failed("t.py::a", one), failed("t.py::b", two)), (), None, SOURCES)

    assert explain(package, (), None, SOURCES).out_of_scope is True
    assert (torn.category, torn.out_of_scope) == (Category.TASK_SPEC_ERROR, True)
    assert "No code gives both answers" in torn.root_cause
    assert [option.title for option in torn.options] == [
        "keep `a`, revise `b`",
        "keep `b`, revise `a`",
    ]
    assert told(RED, BEST).out_of_scope is False


def test_a_command_that_reports_as_one_is_told_honestly() -> None:
    """Its last words, the places that it names, and no more."""
    command = TestCommand(runner=Runner.COMMAND, argv=("make", "test"))
    tests = run(output="src/a.c:12: error: x\nmake: *** [test] Error 1", command=command)

    found = explain(tests, (), None, {})

    assert "`make: *** [test] Error 1`" in found.root_cause
    assert "the output names src/a.c:12" in found.evidence
    assert found.confidence == "low"


hostile = st.text(max_size=40)


@given(hostile, hostile, hostile, hostile, st.sampled_from(Phase))
def test_any_evidence_can_be_told(
    kind: str, message: str, text: str, value: str, phase: Phase
) -> None:
    """Whatever a test prints or a value looks like, there is a diagnosis and no crash."""
    trouble = crash(
        kind,
        message,
        frame("tests/test_cart.py:1", text, f"assert {text}"),
        frame("shop/cart.py:1", text, text, a=value),
        details=message,
    )
    for each in (trouble, replace(trouble, type="KeyError"), replace(trouble, type="IndexError")):
        tests = run(failed(TEST, each, phase))
        found = explain(tests, rank(tests, is_test=is_test_path), None, {"shop/cart.py": text})
        assert 2 <= len(found.options) <= 3
        assert found.root_cause != ""
        assert "\x1b" not in report.render(found, META)


def test_the_same_evidence_makes_the_same_diagnosis() -> None:
    """Whatever the order of the results."""
    other = failed("t.py::z", crash("KeyError", "'x'", frame("shop/cart.py:9", "lookup")))
    turned = TestRun(verdict=RED.verdict, command=PYTEST, results=(other, WRONG), exit_code=1)
    straight = replace(turned, results=(WRONG, other))

    assert told(turned, BEST).options == told(straight, BEST).options


def test_of_several_failures_the_plainest_is_told() -> None:
    """Values that the runner cut say nothing: a short comparison does."""
    cut = crash(
        "AssertionError",
        "assert ['07:00... 13.20'] == ['07:00... 13.20']",
        frame("tests/test_cart.py:5", "test_board", "assert board() == ["),
    )
    diagnosis = explain(
        run(failed("tests/test_cart.py::test_board", cut), WRONG), (), None, SOURCES
    )
    assert "15" in diagnosis.title


def test_a_function_without_a_name_is_told_by_its_test() -> None:
    """JavaScript calls it after what holds it, which says nothing of the project."""
    nobody = frame("sum.test.js:5", "TestContext.<anonymous>", "test('adds', () => f());")
    thrown = failed("sum.test.js::adds", crash("TypeError", "f is not a function", nobody))
    said = "Expected values to be strictly equal:\n\n1 !== 0\n"
    there = frame("sum.test.js:6", "TestContext.<anonymous>", "assert.strictEqual(n, 0);")
    equal = failed("sum.test.js::adds", crash("AssertionError", said, there))

    for red, title in ((thrown, "`adds` raises TypeError"), (equal, "`adds` gets 1 instead of 0")):
        told = explain(run(red), (), None, {})
        assert title == told.title
        assert "look at the failure by hand" == told.options[0].title


def test_a_file_that_cannot_be_parsed_is_named_whatever_is_changed() -> None:
    """Another test fails for a fault of its own, in another file."""
    broken = crash("SyntaxError", "expected ':'", IMPORTS, frame("shop/report.py:3", ""))

    found = told(run(failed("tests/test_report.py", broken), WRONG), BEST)

    assert "`total` returns 5 instead of 15" == found.title
    assert Category.TEST_FAILURE is found.category
    other = "Another fault is there as well: shop/report.py:3 cannot be parsed: expected ':'."
    assert other in found.root_cause


def test_blanks_within_a_line_are_kept() -> None:
    assert "`f('a  b')`" == code("f('a  b')")
    assert "`if a: b`" == whole("  if a:\n        b\n")
