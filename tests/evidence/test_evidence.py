"""The evidence as a record, and the same for people."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.bisecting import FirstBad, Touched
from clew.analysis.flakes import FlakeHistory
from clew.documents.knowledge import Match
from clew.documents.markdown import sections
from clew.evidence import Classified, Evidence, SinceGreen, assemble, facts, render, told_before
from clew.words.facts import Category, Cause, Suspect
from failurekit import crash, failed, frame, passed, run

NOW = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
RED = failed(
    "tests/test_cart.py::test_total",
    crash(
        "AssertionError",
        "assert 14 == 15",
        frame("tests/test_cart.py:7", "test_total", "assert total([5, 10]) == 15"),
        frame("shop/cart.py:12", "total", "return price", items="[5, 10]", price="14"),
    ),
)
FIRST_BAD = FirstBad(
    commit=COMMIT,
    parents=("1" * 40,),
    author="Ada",
    date=NOW,
    subject="Faster carts",
    tests=(RED.id,),
    files=(Touched(path="shop/cart.py", added=1, removed=1, score=0.9, reason="line 12"),),
)
MATCH = Match(slug="carts", title="carts lose an item", shared=("cart", "total"), cause="a loop")
CLASSIFIED = Classified(
    category=Category.TEST_FAILURE, cause=Cause(cause_class="implementation_error", subclass="test")
)
PAST = FlakeHistory(test=RED.id, runs=9, red=2, flaky=True, kind="random", last_seen=NOW)


def gathered() -> Evidence:
    return assemble(
        run(RED, failed("tests/test_net.py::test_ping"), *passed("tests/test_cart.py::test_none")),
        classified=CLASSIFIED,
        suspects=(Suspect(path="shop/cart.py", line=12, score=0.9, reasons=("innermost",)),),
        commit=COMMIT,
        flaky={"tests/test_net.py::test_ping"},
        since_green=SinceGreen(
            commit=COMMIT, source="green in session s", at=NOW, files=("a.py",), diff="-a\n+b\n"
        ),
        first_bad=FIRST_BAD,
        known=(MATCH,),
        past=(PAST,),
    )


def test_flaky_tests_have_no_say() -> None:
    """They are named, and nothing else is told of them."""
    evidence = gathered()
    assert ([RED.id], 1, 1) == ([t.id for t in evidence.tests], evidence.red, evidence.passed)
    assert ("tests/test_net.py::test_ping",) == evidence.flaky
    assert Category.TEST_FAILURE is evidence.category


def test_everything_is_shown_and_read_back() -> None:
    """Trace with values, suspects, patterns, commit, change, earlier ends; JSON gives it back."""
    evidence = gathered()
    shown = render(evidence)
    for words in (
        "**Kind of failure**: test_failure",
        "shop/cart.py:12 in total: return price",
        "price = 14",
        "carts lose an item",
        "first bad commit: 0123456789ab",
        "+b",
        "red in 2 of 9 runs, flaky (random)",
    ):
        assert words in shown
    assert evidence == msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence)


def test_a_trace_begins_in_the_project_and_is_shown_once() -> None:
    """What the runner and the import system add in front says nothing; tests alike share one."""
    own = frame("shop/cart.py:12", "total", "return price")
    outside = replace(frame("/lib/importlib.py:9", "load"), project=False)
    there = crash("KeyError", "'x'", outside, outside, own, outside)
    shown = render(
        assemble(
            run(failed("t::a", there), failed("t::b", there), failed("t::c", crash("E", "", own))),
            classified=CLASSIFIED,
            suspects=(),
        )
    )
    assert (1, 1) == (shown.count("\nKeyError: 'x'"), shown.count("importlib"))
    assert ["t::a", "t::c"] == [p.title for p in sections(shown) if p.title.startswith("t::")]
    assert "- `t::b`" in shown


def test_what_is_not_known_is_said() -> None:
    """And nothing is made up in its place."""
    evidence = assemble(run(RED), classified=CLASSIFIED, suspects=())
    assert ("no commit is known on which these tests passed",) == evidence.notes[:1]
    assert "clew bisect" in evidence.notes[1]
    assert () == facts(evidence) == told_before(evidence)
    assert [] == [part for part in sections(render(evidence)) if part.title == "Seen before"]


def test_facts_are_one_line_each() -> None:
    """A pattern is a candidate, never the cause."""
    told = facts(gathered())
    commit = "first bad commit: 0123456789ab of 2026-03-14 09:26 UTC, 'Faster carts'"
    assert [
        "changed since 0123456789ab (green in session s): a.py",
        f"{commit}, which changed shop/cart.py",
        f"{RED.id} was flaky before (random): red in 2 of 9 runs",
        "seen before, to be tested first: carts (cart, total): a loop",
    ] == list(told)
    assert told_before(gathered()) == told[1:3]


def test_what_a_session_changed_is_told_apart() -> None:
    """A test that its fixes turned green is not flaky for that."""
    past = replace(PAST, runs=6, red=6, changed_runs=3)
    told = "red in 6 of 6 runs; with the changes of a session, green in 3 of 3 runs"
    assert f"{RED.id}`: {told}, flaky" in render(replace(gathered(), past=(past,)))
    assert told in "\n".join(facts(replace(gathered(), past=(past,))))


@given(st.text(max_size=120), st.sampled_from(["## x", "```", "<b>", "\x1b[31m", "- **Fix**: y"]))
def test_nothing_from_outside_changes_its_shape(text: str, end: str) -> None:
    """Messages, values, subjects, patterns, differences: each stays in its place."""
    hostile = f"{text}\n{end}\n{text}"
    evidence = gathered()
    there = crash(
        "E", hostile, frame("shop/cart.py:1", "f", hostile, name=hostile), details=hostile
    )
    changed = replace(
        evidence,
        tests=(failed(RED.id, there),),
        first_bad=replace(FIRST_BAD, subject=hostile, author=hostile),
        known=(replace(MATCH, title=hostile, cause=hostile, fix=hostile),),
        since_green=replace(evidence.since_green, diff=hostile) if evidence.since_green else None,
    )
    titles = [part.title for part in sections(render(evidence))]
    assert titles == [part.title for part in sections(render(changed))]
    assert "\x1b" not in render(changed)
