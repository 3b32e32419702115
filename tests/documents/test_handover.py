"""The escalation message and the workflow summary."""

from __future__ import annotations

from msgspec.structs import replace

from clew.analysis.failures import Contradiction
from clew.documents import summary
from clew.documents.escalation import Escalation, next_steps, render
from clew.documents.markdown import sections
from clew.documents.views import IterationView
from clew.words.events import OptionOffered
from clew.words.facts import Option
from storykit import FIRST, ITERATIONS, OPTIONS, PROOF, SECOND, SESSION, SUMMARY, VIEW

UNRESOLVED = ("tests/test_a.py::b: KeyError: 'x'", "tests/test_a.py::c: KeyError: 'y'")
ESCALATION = Escalation(options=OPTIONS, checkpoint="escalation", unresolved=UNRESOLVED)


def attempts(*entries: IterationView) -> tuple[str, ...]:
    return next_steps(replace(VIEW, iterations=entries), ESCALATION)


def test_an_escalation_tells_the_whole_story() -> None:
    """The problem first diagnosed, what is unresolved, each attempt, checkpoint, next steps."""
    text = render(VIEW, ESCALATION)

    assert "**Original problem**: the loop stops before the last item" in text
    assert all(error in text for error in UNRESOLVED)
    for entry in ITERATIONS:
        assert f"### Iteration {entry.number}" in text
        assert str(entry.report_path) in text
        assert entry.fix_attempted in text
        assert entry.result in text
        assert all(error in text for error in entry.new_errors)
    assert "**Checkpoint id**: `escalation`" in text
    assert f"`clew resume {SESSION}`" in text


def test_five_options_each_a_command_or_said_to_come_later() -> None:
    """No option is a promise that does not hold."""
    (options,) = (s.body for s in sections(render(VIEW, ESCALATION)) if s.title == "Your options")

    assert [n for n in range(9) if f"\n{n}. **" in f"\n{options}"] == [1, 2, 3, 4, 5]
    for option in OPTIONS:
        assert (f"`{option.command}`" in options) == option.available
    assert "(comes with a later version)" in options


def test_every_round_is_told() -> None:
    """With the code that an attempt was made on; only what they have in common is of the last."""
    first, second = ITERATIONS
    second = replace(second, round=2, code="the code as it stands now")
    view = replace(VIEW, iterations=(first, second))
    text = render(view, replace(ESCALATION, first_iteration=2))

    assert "after 1 debugging iteration of this round, 2 in all" in text
    assert "### Iteration 1 (round 1)\n" in text
    assert "### Iteration 2 (round 2)\n" in text
    assert "- **Applied to**: the code as it stands now\n" in text
    assert "Both attempts" not in text


def test_the_newest_report_comes_first() -> None:
    """It knows most."""
    assert next_steps(VIEW, ESCALATION)[0] == f"Read the newest report first: `{SECOND}`."


def test_a_test_to_revise_stands_among_the_next_steps() -> None:
    """Where it comes first in what the newest diagnosis knows, with the command that goes on."""
    title = "revise the expectation of `test_a`"
    revise = Option(title=title, approach="If `1` is what is wanted, the test at a.py:2 is wrong.")
    other = Option(title="fix `a` by hand", approach="Look at a.py:1.")
    words = (
        "If `1` is what is wanted, the test at a.py:2 is wrong: revise the expectation of `test_a`"
        f" yourself, and `clew resume {SESSION}`."
    )
    assert words in next_steps(VIEW, replace(ESCALATION, remedies=(revise, other)))
    assert words not in next_steps(VIEW, replace(ESCALATION, remedies=(other, revise)))


def test_what_the_attempts_have_in_common_is_found() -> None:
    """One cause, one file, one error, a chain, or no effect at all."""
    first = replace(ITERATIONS[0], progress=False, new_errors=("a: KeyError",))
    second = replace(first, number=2)
    shown = "\n".join(attempts(first, second))

    assert "Both attempts assume one root cause" in shown
    assert "Both attempts changed `shop/cart.py`: look at the code that they left as it is" in shown
    assert "callers" not in shown  # what was changed may have none
    assert "Both attempts ended in the same error: `a: KeyError`." in shown
    assert "No attempt improved anything" in shown
    assert "Both attempts made progress" in "\n".join(attempts(*ITERATIONS))
    assert "All 3 attempts" in "\n".join(attempts(first, second, replace(first, number=3)))


def test_a_doubt_that_is_a_sentence_ends_with_one_full_stop() -> None:
    accept = OptionOffered(word="accept-1", text="", command="clew answer ID accept-1")
    for note in ("nothing tells them apart", "A test would settle it."):
        view = replace(VIEW, iterations=(replace(ITERATIONS[0], note=note, red_after=0),))
        steps = next_steps(view, replace(ESCALATION, options=(accept,)))
        (step,) = (each for each in steps if note in each)
        assert step.endswith(f": {note.removesuffix('.')}.")


def test_an_agent_that_has_no_other_proposal_is_named() -> None:
    """Where the last ones were refused as tried; one alone may have been a slip."""
    again = replace(
        ITERATIONS[0], progress=False, result="Same change again, not tried", commit=None
    )
    words = "The last 2 proposals had been tried before"
    assert words in "\n".join(attempts(ITERATIONS[0], again, replace(again, number=3)))
    assert words[:8] not in "\n".join(attempts(ITERATIONS[0], again))


def test_contradictory_tests_are_named() -> None:
    """With both answers; then nothing else is said of the tests."""
    pair = Contradiction(
        call="add(1, 2)", first="a", first_expects="3", second="b", second_expects="4"
    )
    steps = next_steps(VIEW, replace(ESCALATION, contradictions=(pair,)))

    assert any("`add(1, 2)`" in step and "no code can satisfy both" in step for step in steps)


def test_what_lies_outside_the_code_is_said() -> None:
    """No edit installs a package."""
    escalation = replace(ESCALATION, unresolved=("a::b: ModuleNotFoundError: No module named 'x'",))

    assert any("outside the code" in step for step in next_steps(VIEW, escalation))
    assert not any("outside the code" in step for step in next_steps(VIEW, ESCALATION))


def test_a_remedy_that_the_diagnosis_knows_takes_the_place_of_that() -> None:
    """The project's own module is not found: the import path is settled, no package is missing."""
    ways = (
        Option(title="install the project", approach="Run `pip install -e .`."),
        Option(title="put `src` on the import path", approach='Set `pythonpath = ["src"]`.'),
    )
    errors = ("a::b: ModuleNotFoundError: No module named 'till'",)

    steps = next_steps(VIEW, replace(ESCALATION, unresolved=errors, remedies=ways))

    told = steps.index("For ModuleNotFoundError, install the project. Run `pip install -e .`.")
    assert 'Or put `src` on the import path. Set `pythonpath = ["src"]`.' == steps[told + 1]
    assert not any("outside the code" in step for step in steps)


def test_a_plan_revision_has_the_reports_as_its_context() -> None:
    """The approach may be wrong, not its execution."""
    assert any(
        "revise the plan" in step and FIRST in step and SECOND in step
        for step in next_steps(VIEW, ESCALATION)
    )


def test_an_iteration_without_a_report_says_why() -> None:
    """A message can be written even if nothing worked."""
    entry = IterationView(number=1, result="Agent failed", note="timed out after 600 s")
    text = render(replace(VIEW, iterations=(entry,)), ESCALATION)

    assert "none: timed out after 600 s" in text


def test_a_summary_shows_what_was_done_and_why_it_is_believed() -> None:
    """Errors, changes, iterations, proof, flakes, and how to take it over."""
    text = summary.render(VIEW, PROOF, SUMMARY)

    assert all(error in text for error in SUMMARY.original_errors)
    assert "| `shop/cart.py` | 1 | 1 |" in text
    assert "| every baseline test collected again | 7 of 7 | yes |" in text
    assert "**Verdict**: proven. Sandbox: namespace." in text
    assert "`tests/test_net.py::test_ping`" in text
    assert f"`clew apply {SESSION}`" in text
    assert f"[{FIRST}](../{FIRST})" in text
    assert "1 min 15 s" in text


def test_a_refused_proof_is_not_dressed_up() -> None:
    """The row that does not hold stands out, and nothing is offered to apply."""
    row = replace(PROOF.rows[0], measured="6 of 7", holds=False)
    text = summary.render(VIEW, replace(PROOF, rows=(row,), accepted=False), SUMMARY)

    assert "| every baseline test collected again | 6 of 7 | **no** |" in text
    assert "**Verdict**: not proven: " in text
    assert "clew apply" not in text


def test_without_a_proof_none_is_claimed() -> None:
    """As when there was nothing to do."""
    text = summary.render(
        replace(VIEW, iterations=(), reports=()), None, replace(SUMMARY, changes=())
    )

    assert "Nothing was proved." in text
    assert "None was needed." in text
    assert summary.file_name(1) == "001_workflow_summary.md"


def test_what_has_to_be_done_first_elsewhere_is_named_with_the_way_on() -> None:
    """An edit of this code would not help."""
    *before, last = VIEW.iterations
    view = replace(VIEW, iterations=(*before, replace(last, upstream="price-service")))
    steps = next_steps(view, ESCALATION)
    assert f"Do price-service first; then `clew resume {VIEW.session_id}` goes on here." in steps
    assert not any("goes on here" in step for step in next_steps(VIEW, ESCALATION))
