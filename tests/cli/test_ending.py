"""What is said at the end of a session."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from clew.cli.showing import show_diff, show_end, show_session, show_status
from clew.cli.words import outcome_line
from clew.documents import knowledge, summary
from clew.documents.views import ProofView
from clew.flows.debugging.driver import summary_meta
from clew.flows.debugging.sessions import Whereabouts
from clew.flows.debugging.states import Stage, State
from clew.words import events as ev
from clew.words.facts import Diagnosis, Verdict
from filling import filled
from storykit import ENTRY, NOW, PROOF, SUMMARY, VIEW

UNAPPLIED = SimpleNamespace(
    still_applied=lambda _: None, differing=lambda *_: (), is_cut_off=lambda _: False
)


@pytest.mark.parametrize(
    ("confidence", "helped", "said"),
    [("medium", 1, ["unsure:  four more"]), ("high", 1, []), ("medium", 2, [])],
)
def test_the_end_says_what_the_tests_leave_open(
    capsys: pytest.CaptureFixture[str], confidence: str, helped: int, said: list[str]
) -> None:
    """A fix that helped and has rivals is called so where it is offered, beside its proof."""
    told: ev.Diagnosed = filled(ev.Diagnosed, "x")
    doubted: Diagnosis = msgspec.structs.replace(
        told.diagnosis, confidence=confidence, confidence_reason="four more", partial=False
    )
    end: ev.SessionEnded = filled(ev.SessionEnded, "x")
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        snapshot=None,
        proof=None,
        ended=msgspec.structs.replace(end, status=ev.Status.GREEN),
        helped=frozenset({helped}),
        diagnoses=(msgspec.structs.replace(told, iteration=1, diagnosis=doubted),),
    )

    show_end(SimpleNamespace(repository=UNAPPLIED), state)  # type: ignore[arg-type]

    assert said == [x for x in capsys.readouterr().out.splitlines() if x.startswith("unsure")]


def test_the_end_says_of_what_was_perhaps_flaky_that_it_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And calls it flaky no longer."""
    doubt = ev.Flake(test="t::a", kind=ev.FlakeKind.PERHAPS, evidence="red in all of 9 runs")
    other = ev.Flake(test="t::c", kind=ev.FlakeKind.RANDOM, evidence="by its seed")
    ended = filled(ev.SessionEnded, "x")
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        snapshot=None,
        proof=PROVED,
        closing=ev.Status.GREEN,
        ended=msgspec.structs.replace(ended, status=ev.Status.GREEN),
        kept=msgspec.structs.replace(filled(ev.TestsRan, "x"), commit="c", red=()),
        flaky=frozenset({"t::a", "t::c"}),
        flakes=(doubt, other),
    )

    show_end(SimpleNamespace(repository=UNAPPLIED), state)  # type: ignore[arg-type]

    said = capsys.readouterr().out.splitlines()
    assert ["flaky:   t::c, random: by its seed"] == [x for x in said if x.startswith("flaky")]
    assert ["passing: t::a; red in each run before the fix, perhaps by chance"] == [
        x for x in said if x.startswith("passing")
    ]


def test_a_test_that_is_red_by_chance_when_the_fix_is_judged_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At the end as well as later, and the counts say that it was red."""
    red: ev.FailingTest = msgspec.structs.replace(filled(ev.FailingTest, "x"), id="t::late")
    run: ev.TestsRan = msgspec.structs.replace(filled(ev.TestsRan, "x"), passed=11, red=(red,))
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        snapshot=None,
        proof=PROVED,
        closing=ev.Status.GREEN,
        ended=ev.SessionEnded(status=ev.Status.GREEN),
        kept=run,
        flaky=frozenset({"t::late"}),
        flakes=(),
    )
    store = SimpleNamespace(holder=lambda _: None)
    sessions: Any = SimpleNamespace(store=store, repository=UNAPPLIED)

    show_end(sessions, state)
    end = capsys.readouterr().out
    show_session(sessions, state, json=False)
    later = capsys.readouterr().out

    said = "flaky:   t::late: passed and failed on the same code\n"
    assert said in end
    assert said in later
    assert "  0 red beside 1 called flaky, 11 passed\n" in later


@pytest.mark.parametrize(
    ("red", "taken", "said"),
    [((), (), "fixed"), (("t::b",), (), "partly fixed"), ((), ("t::b: gone",), "partly fixed")],
)
def test_what_is_fixed_in_part_is_said_to_be_so(
    capsys: pytest.CaptureFixture[str], red: tuple[str, ...], taken: tuple[str, ...], said: str
) -> None:
    """A session may end with progress, and a test that is red still: in its status and summary."""
    ended: ev.IterationEnded = filled(ev.IterationEnded, "x")
    left: ev.FailingTest = filled(ev.FailingTest, "x")
    run: ev.TestsRan = filled(ev.TestsRan, "x")
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        proof=None,
        ended=ev.SessionEnded(status=ev.Status.TERMINATED),
        kept=msgspec.structs.replace(
            run, red=tuple(msgspec.structs.replace(left, id=name) for name in red), taken=taken
        ),
        flaky=frozenset(),
        history=(msgspec.structs.replace(ended, iteration=1, agent="repair", model=""),),
        helped=frozenset({1}),
    )

    show_status(state, None, Whereabouts(), json=False)

    assert f"  {said} by repair" in capsys.readouterr().out.splitlines()
    meta = msgspec.structs.replace(SUMMARY, solvers=("repair",), left=red, taken=taken)
    assert f"- **{said.capitalize()} by**: repair" in summary.render(VIEW, None, meta)


@pytest.mark.parametrize("stage", Stage)
def test_what_an_interrupted_session_did_is_said_in_plain_words(
    capsys: pytest.CaptureFixture[str], stage: Stage
) -> None:
    """A stage that is named by what came last is told by what came next."""
    state: Any = msgspec.structs.replace(
        filled(State, "x"), stage=stage, question=None, ended=None, proof=None
    )
    show_status(state, None, Whereabouts(), json=False)

    (did,) = re.findall("interrupted while ([^_\n]+)$", capsys.readouterr().out, re.MULTILINE)
    assert did.split()[0].endswith("ing") or stage is Stage.ENDED


@pytest.mark.parametrize(("sources", "advised"), [({}, True), ({"test_timeout": "x"}, False)])
def test_a_bound_that_the_person_set_is_not_advised(
    sources: dict[str, str], *, advised: bool
) -> None:
    left: ev.FailingTest = filled(ev.FailingTest, "x")
    hangs = msgspec.structs.replace(left, error="still running after 5 s")
    run: Any = msgspec.structs.replace(
        filled(ev.TestsRan, "x"),
        purpose=ev.Purpose.BASELINE,
        verdict=Verdict.FAILED,
        red=(hangs,),
    )
    begun: Any = filled(State, "x")
    settings = msgspec.structs.replace(begun.settings, sources=sources)
    started = msgspec.structs.replace(begun.session, settings=settings)
    state: Any = msgspec.structs.replace(begun, opened=started)

    assert advised == ("--test-timeout" in outcome_line(run, state))


ROWS = (
    ev.ProofRow(claim="it holds", measured="2 of 2", holds=True),
    ev.ProofRow(claim="it may", measured="no copy could be made", holds=True, tested=False),
)
PROVED = ev.Proved(commit="c", accepted=True, rows=ROWS, sandbox="none")


def test_a_document_that_was_written_again_is_shown_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A session that ended, was rolled back and ended again has one summary."""
    written = [
        msgspec.structs.replace(filled(ev.DocumentWritten, "x"), kind=kind, path=f"{kind}.md")
        for kind in ("knowledge", "summary")
    ]
    state: Any = msgspec.structs.replace(
        filled(State, "x"), question=None, snapshot=None, documents=(*written, *written)
    )
    store = SimpleNamespace(holder=lambda _: None)

    show_session(SimpleNamespace(store=store, repository=UNAPPLIED), state, json=False)  # type: ignore[arg-type]

    shown = capsys.readouterr().out.splitlines()
    assert 1 == shown.count("knowledge: knowledge.md") == shown.count("summary: summary.md")


def test_a_claim_that_could_not_be_measured_is_not_ticked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Neither in the terminal nor in the summary, nor in the count of those that hold."""
    state: Any = msgspec.structs.replace(filled(State, "x"), question=None, proof=PROVED)
    store = SimpleNamespace(holder=lambda _: None)

    show_session(SimpleNamespace(store=store, repository=UNAPPLIED), state, json=False)  # type: ignore[arg-type]

    shown = capsys.readouterr().out
    assert "  ✓ it holds: 2 of 2\n" in shown
    assert "  – it may: not measured, no copy could be made\n" in shown  # noqa: RUF001 -- as shown
    said = "proven, except that 1 claim was not measured"
    assert f"  proof: {said} (sandbox: none)" == outcome_line(PROVED, State())
    text = summary.render(VIEW, ProofView(rows=ROWS, accepted=True), SUMMARY)
    assert "| it may | no copy could be made | not measured |" in text
    assert f"**Verdict**: {said}." in text


def test_a_session_of_a_folder_says_where_its_reports_lie() -> None:
    """They lie at the root of the repository, and are named from there."""
    opened: ev.SessionOpened = filled(ev.SessionOpened, "x")
    whole = msgspec.structs.replace(opened, root="/r", path="/r", unbounded=(), unasked=())
    part = msgspec.structs.replace(whole, path="/r/services/billing")
    assert "session x" == outcome_line(whole, State())
    lines = outcome_line(part, State()).splitlines()
    assert ["session x", "in /r/services/billing; reports lie below /r"] == [*map(str.strip, lines)]


def test_a_verdict_and_a_doubt_of_the_diagnosis_stand_side_by_side(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nobody reads "proven" alone, and the doubt further down: so it is in the summary."""
    told: ev.Diagnosed = filled(ev.Diagnosed, "x")
    doubted: Diagnosis = msgspec.structs.replace(
        told.diagnosis, confidence="medium", confidence_reason="four more", partial=False
    )
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        proof=msgspec.structs.replace(PROVED, rows=ROWS[:1]),
        ended=ev.SessionEnded(status=ev.Status.GREEN),
        helped=frozenset({1}),
        diagnoses=(msgspec.structs.replace(told, iteration=1, diagnosis=doubted),),
    )
    store = SimpleNamespace(holder=lambda _: None)

    show_session(SimpleNamespace(store=store, repository=UNAPPLIED), state, json=False)  # type: ignore[arg-type]

    lines = capsys.readouterr().out.splitlines()
    assert "  proven, but unsure: four more" in lines
    assert "proof: proven, but unsure, see below (sandbox: none)" in lines
    meta = msgspec.structs.replace(SUMMARY, doubts=state.doubts)
    text = summary.render(VIEW, ProofView(rows=ROWS[:1], accepted=True), meta)
    assert "**Verdict**: proven, but unsure, see below." in text


def test_what_a_green_session_has_mended_since_is_no_doubt_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """That the first change mended a part was so then; a rival of a change is one still."""
    told: ev.Diagnosed = filled(ev.Diagnosed, "x")
    rivals: Diagnosis = msgspec.structs.replace(
        told.diagnosis,
        confidence="medium",
        confidence_reason="four others do as well",
        partial=False,
    )
    part = msgspec.structs.replace(rivals, confidence_reason="3 stay red", partial=True)
    state: Any = msgspec.structs.replace(
        filled(State, "x"),
        question=None,
        proof=None,
        ended=ev.SessionEnded(status=ev.Status.GREEN),
        helped=frozenset({1, 2}),
        diagnoses=tuple(
            msgspec.structs.replace(told, iteration=n, diagnosis=diagnosis)
            for n, diagnosis in ((1, part), (2, rivals))
        ),
    )
    store = SimpleNamespace(holder=lambda _: None)

    show_session(SimpleNamespace(store=store, repository=UNAPPLIED), state, json=False)  # type: ignore[arg-type]

    said = [x for x in capsys.readouterr().out.splitlines() if x.startswith("unsure")]
    assert ["unsure:  four others do as well"] == said
    meta = summary_meta(state, "", NOW)
    assert ("four others do as well",) == meta.doubts
    assert "- four others do as well" in summary.render(VIEW, PROOF, meta)
    entry = msgspec.structs.replace(ENTRY, doubts=meta.doubts)
    assert "- **Left open**: four others do as well\n" in knowledge.append(b"", entry).decode()


def test_an_empty_diff_names_an_iteration_only_where_one_changed_something(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The newest of these, kept or not."""
    show_diff("")
    assert "nothing was changed\n" == capsys.readouterr().err
    show_diff(b"", None, (1, 3))
    more = "`--iteration 3` shows what iteration 3 changed"
    assert f"nothing was changed; {more}\n" == capsys.readouterr().err
