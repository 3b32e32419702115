"""Debug reports: rendered, read back, checked."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from clew.documents import report
from clew.documents.views import IterationView
from clew.words.facts import Category, Phase
from failurekit import crash, failed, run
from storykit import DIAGNOSIS, FIRST, META, NOW

FILES = {"shop/cart.py": 20, "tests/test_cart.py": 9}
RENDERED = report.render(DIAGNOSIS, META)

FOREIGN = """\
# Debug Report: Config not initialised

## Metadata
- **Date**: 2025-10-13
- **Debug Directory**: debug/phase1_failures/
- **Report Number**: 001

## Root Cause Analysis
The configuration is read in `config/init.lua:9` before anything has set it.

```
# Recommendation
Solution 3
```

## Proposed Solutions

### Solution 1: Initialise on import
**Approach**: call init at the end of the module
**Advantages**:
- simple
**Disadvantages**:
- a side effect of an import

**Implementation Steps**:
1. add the call

### Solution 2 - Initialise in set-up
**Approach**: call init in the test set-up
**Pros**: explicit
**Cons**: every suite has to do it

## Recommendation
**Solution 2**: explicit is better, since Solution 1 hides the call.
"""


def length(path: str) -> int | None:
    return FILES.get(path)


def test_a_rendered_report_is_sound_and_reads_back() -> None:
    """What was put in comes out: metadata, cause, options, recommendation, places."""
    parsed = report.parse(RENDERED)

    assert report.problems(RENDERED, length) == ()
    assert parsed.title == "Debug Report 001: `total` returns 14 instead of 15"
    assert parsed.metadata["number"] == "001"
    assert parsed.metadata["iteration"] == "1 of 3"
    assert parsed.metadata["severity"] == "High"
    assert parsed.metadata["red_tests"] == "1 of 7"
    assert parsed.root_cause == DIAGNOSIS.root_cause
    assert [option.title for option in parsed.options] == [o.title for o in DIAGNOSIS.options]
    assert [option.pros for option in parsed.options] == [o.pros for o in DIAGNOSIS.options]
    assert [option.cons for option in parsed.options] == [o.cons for o in DIAGNOSIS.options]
    assert parsed.recommended == (1,)
    assert ("shop/cart.py", 12) in parsed.locations


def test_what_is_not_counted_is_left_out() -> None:
    text = report.render(DIAGNOSIS, replace(META, red=None, total=None))
    assert "Red tests" not in text


def test_what_failed_is_counted_by_how_tests_ended() -> None:
    """An assertion is no exception, and a test that hangs is neither."""
    ends = ("AssertionError", "KeyError", "shop.Broken", "pytest_timeout.Timeout")
    tests = [failed(f"t::{n}", crash(kind, "")) for n, kind in enumerate(ends)]

    assert report.what_failed(run(*tests)) == (
        "an assertion in 1 test, an exception in 2 tests and the time limit in 1 test"
    )
    broken = failed("t.py", crash("SyntaxError", ""), Phase.COLLECT)
    assert report.what_failed(run(broken)) == "the loading of 1 file"
    assert report.what_failed(run(failed("t::a"))) == "1 test that does not say why"


def test_a_failure_that_nobody_looked_into_is_told_by_its_kind() -> None:
    text = report.render(DIAGNOSIS, replace(META, failed=""))
    assert "- What failed: test failure\n" in text
    kind = replace(DIAGNOSIS, category=Category.IMPORT_ERROR)
    assert "- What failed: import error, an assertion in 1 test\n" in report.render(kind, META)


def test_an_option_without_steps_says_so() -> None:
    """There is no heading with nothing below it."""
    bare = replace(DIAGNOSIS.options[0], steps=(), diff="")
    text = report.render(replace(DIAGNOSIS, options=(bare, *DIAGNOSIS.options[1:])), META)
    assert "**Implementation**:\n\n- no steps were named\n" in text


def test_an_iteration_without_a_fix_says_so_once() -> None:
    """Its result says it."""
    entries = (
        IterationView(number=1, result="No fix proposed"),
        IterationView(number=2, result="Still failing", fix_attempted="add `1`"),
    )
    text = report.render(DIAGNOSIS, replace(META, history=entries))
    assert "- Iteration 1: No fix proposed\n- Iteration 2: add `1` → Still failing\n" in text


def test_the_form_with_solutions_is_read_as_well() -> None:
    """Its labels, its inline values, and no heading out of a fence."""
    parsed = report.parse(FOREIGN)

    assert [(option.number, option.title) for option in parsed.options] == [
        (1, "Initialise on import"),
        (2, "Initialise in set-up"),
    ]
    assert [(option.pros, option.cons) for option in parsed.options] == [
        (("simple",), ("a side effect of an import",)),
        (("explicit",), ("every suite has to do it",)),
    ]
    assert parsed.options[0].implementation == "1. add the call"
    assert parsed.recommended == (2,)
    assert parsed.root_cause.startswith("The configuration is read")
    assert report.problems(FOREIGN, {"config/init.lua": 30}.get) == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("### Option 2: revise", "### Another: revise", "There is 1 option"),
        (DIAGNOSIS.root_cause, "TBD", "root cause is missing"),
        (DIAGNOSIS.root_cause, "[Root cause of the failure]", "root cause is missing"),
        (DIAGNOSIS.root_cause, "", "root cause is missing"),
        ("**Recommended: Option 1**", "**Recommended: Option 3**", "no such option"),
        (
            "**Recommended: Option 1**",
            "Recommended: Option 1 or\nRecommended: Option 2",
            "Exactly one option",
        ),
        ("**Recommended: Option 1**", "Whatever", "Exactly one option must be recommended; found:"),
        ("cart.py:", "cart.py ", "No `file:line`"),
        ("### Option 2:", "### Option 1:", "same number"),
        ("- **", "* ", "Metadata section"),
        ("- needs a person who knows what is meant", "", ""),
        ("**Pros**:\n\n- no code changes\n\n**Cons**:\n\n- needs", "- needs", "no trade-offs"),
        (
            "**Approach**: If 14 is what `total` ought to return, change the expectation.",
            "",
            "",
        ),
    ],
)
def test_what_a_report_lacks_is_said(old: str, new: str, words: str) -> None:
    """By meaning as well as by form."""
    assert old in RENDERED
    found = report.problems(RENDERED.replace(old, new), length)

    assert any(words in problem for problem in found) if words else found == ()


@pytest.mark.parametrize(
    "name", ["Makefile", "bin/tool", "my lib/a.py", "app/[id]/(b).tsx", "it's.py", "#t.py"]
)
def test_the_place_of_the_diagnosis_counts_whatever_its_name(name: str) -> None:
    """No pattern could find it in the words, and the agent named it where it was asked to."""
    text = RENDERED.replace("shop/cart.py", name).replace("tests/test_cart.py", name)

    assert report.problems(text, {name: 12}.get, (name, 12)) == ()
    for place in ((name, 13), (name, None), ("", 12), ("../cart.py", 1)):
        assert report.problems(text, {name: 12}.get, place) != ()


def test_a_place_counts_only_if_it_exists() -> None:
    """The file must be there, and have that line; a way out of the project is none."""
    assert report.problems(RENDERED, {"shop/cart.py": 12}.get) == ()
    assert report.problems(RENDERED, {"shop/cart.py": 11}.get) != ()
    outside = RENDERED.replace("shop/cart.py", "../cart.py").replace("tests/test_cart.py", "/etc.x")
    assert report.problems(outside, lambda _: 99) != ()


@given(
    st.text(max_size=200).map(lambda text: f"x {text}"),
    st.sampled_from(["## Recommendation\n\n**Option 2**", "```", "<!--", "# x", "### Option 9: y"]),
)
def test_nothing_that_an_agent_or_a_test_says_changes_a_report_s_shape(text: str, end: str) -> None:
    """Headings, options and recommendation are ours alone."""
    text = f"{text}\n{end}\n{text}"
    option = replace(DIAGNOSIS.options[0], approach=text, pros=(text,), steps=(text,), diff=text)
    diagnosis = replace(
        DIAGNOSIS,
        root_cause=text,
        context=text,
        evidence=(text,),
        options=(option, DIAGNOSIS.options[1]),
        confidence_reason="",
        prevention=text,
        tried=(text,),
    )

    rendered = report.render(diagnosis, replace(META, output=text, symptoms=(text,), workflow=text))

    assert _headings(rendered) == _headings(RENDERED)
    parsed = report.parse(rendered)
    assert [part.number for part in parsed.options] == [1, 2]
    assert parsed.recommended == (1,)
    assert "\x1b" not in rendered


def _headings(text: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def test_a_closed_report_says_how_it_ended_and_links_the_summary() -> None:
    """The rest stays; closing it twice links once."""
    close = partial(
        report.close,
        path=FIRST,
        status="Fixed",
        resolution="fixed in iteration 1",
        at=NOW + timedelta(minutes=5),
        summary="summaries/001_workflow_summary.md",
    )
    closed = close(RENDERED)
    parsed = report.parse(closed)

    assert parsed.metadata["status"] == "Fixed"
    assert parsed.metadata["date_resolved"] == "2026-03-14 09:31 UTC"
    assert "- [workflow summary](../../summaries/001_workflow_summary.md)" in closed
    assert close(closed) == closed
    assert parsed.options == report.parse(RENDERED).options


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        ("high", "Confidence: high before the proof; the proof found it weakly tested. Only one"),
        ("medium", "Confidence: medium. Only one"),
    ],
)
def test_high_confidence_and_weak_tests_do_not_stand_apart(confidence: str, said: str) -> None:
    """The proof came later, and saw more; that is said once."""
    text = report.render(replace(DIAGNOSIS, confidence=confidence), META)
    close = partial(
        report.close, path=FIRST, status="Fixed", resolution="x", at=NOW, weakly_tested=True
    )
    closed = close(text)
    assert f"\n{said}" in closed
    assert closed == close(closed)
    assert closed != report.close(closed, path=FIRST, status="Closed", resolution="x", at=NOW)
    assert f"\nConfidence: {confidence}. " in report.close(
        text, path=FIRST, status="Fixed", resolution="x", at=NOW
    )


@pytest.mark.parametrize(
    ("number", "title", "name"),
    [
        (1, "`total` returns 14 instead of 15", "001_total_returns_14_instead_of_15.md"),
        (12, "Größe: falsch!", "012_grosse_falsch.md"),
        (3, "🚨", "003_diagnosis.md"),
        (1000, "../../etc/passwd", "1000_etc_passwd.md"),
        (
            7,
            "a very long title that goes on and on about nothing",
            "007_a_very_long_title_that_goes_on_and_on.md",
        ),
    ],
)
def test_a_report_is_named_by_number_and_title(number: int, title: str, name: str) -> None:
    """In lower_snake, of at most 40 characters, cut between words."""
    assert report.file_name(number, title) == name


@given(st.text())
def test_a_name_is_always_a_plain_file_name(title: str) -> None:
    """Whatever an agent calls its diagnosis."""
    name = report.file_name(1, title).removeprefix("001_").removesuffix(".md")

    assert 1 <= len(name) <= 40
    assert all(character in "abcdefghijklmnopqrstuvwxyz0123456789_" for character in name)
