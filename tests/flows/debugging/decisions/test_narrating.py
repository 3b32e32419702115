"""Words about a proven fix: asked for at the very end, and never at anybody's cost."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.analysis.spending import by_agent
from clew.flows.debugging.decisions import Action, decide
from clew.words import events as ev
from clew.words.events import Status
from clew.words.models import AgentRole
from clew.words.settings import Cap
from sessionplay import Play, Script, opened

TELLER = "teller"


def played(script: Script, **how: object) -> Play:
    play = Play(script, opened(document=TELLER, **how))  # type: ignore[arg-type]
    play.run()
    return play


def next_of(play: Play) -> frozenset[Action]:
    return decide(play.state, play.now)


def asked(play: Play) -> list[ev.CallAgent]:
    started = [e for e in play.of(ev.Started) if isinstance(e, ev.Started)]
    return [e.intent for e in started if ev.calls(e.intent, AgentRole.DOCUMENT)]


def test_what_happened_is_told_once_after_the_proof_and_before_the_summary() -> None:
    """With the commit that was proven, and it is counted like any call."""
    play = played(Script(), profile="balanced")
    (intent,) = asked(play)
    last = [type(record.event).__name__ for record in play.records[-6:]]
    assert ["Narrated", "Started", "DocumentWritten", "SessionEnded"] == last[-4:]
    assert (play.state.head, "cheap", 1) == (intent.base, intent.model, intent.attempt)
    assert (Status.GREEN, TELLER) == (play.state.status, play.state.narrations[0].agent)
    assert (1, 10) == (
        by_agent(play.state.usages)[TELLER].calls,
        by_agent(play.state.usages)[TELLER].input,
    )
    assert 5.0 == play.state.spent_by[TELLER].seconds


@pytest.mark.parametrize(
    ("kind", "calls"),
    [
        ("invalid_output", 3),  # it is told what was wrong
        ("error", 3),
        ("timeout", 1),  # nothing waits for it
        ("rate_limited", 1),
        ("not_installed", 1),
        ("sandbox", 1),
    ],
)
def test_a_teller_that_fails_delays_nothing_and_harms_nothing(kind: str, calls: int) -> None:
    """The session is as green as without it, at once."""
    play = played(Script(narrate=[f"fails {kind}"]))
    assert (calls, Status.GREEN, []) == (len(asked(play)), play.state.status, play.pauses)
    assert ["knowledge", "summary"] == [d.kind for d in play.state.documents]
    assert calls == by_agent(play.state.usages)[TELLER].calls


def test_an_answer_of_no_use_may_be_mended() -> None:
    """Once it is usable it counts."""
    play = played(Script(narrate=["fails invalid_output", "tells"]))
    assert [1, 2] == [intent.attempt for intent in asked(play)]
    assert 1 == len(play.state.narrations)


@pytest.mark.parametrize(
    ("script", "how"),
    [
        (Script(diagnose=["nothing"]), {}),  # a person is asked
        (Script(verify=["same_errors"], answers=["skip"]), {}),
        (Script(), {"budget": ev.Budget(seconds=10.0)}),  # which the diagnosis took
        (Script(), {"ladder": {TELLER: Cap(max_usd=0.01)}, "agents": (TELLER,)}),
    ],
)
def test_nothing_is_told_where_nothing_was_mended_or_a_bound_is_reached(
    script: Script, how: dict[str, object]
) -> None:
    """And nobody is asked for it."""
    assert [] == asked(played(script, **how))


def test_a_call_for_words_that_is_cut_off_is_made_again_and_both_count() -> None:
    """Of the first nothing is known but its time."""
    play = Play(Script(), opened(document=TELLER))
    intent = next(action for action in play.steps() if ev.calls(action, AgentRole.DOCUMENT))
    play.append(ev.Started(intent=intent))
    play.append(ev.Abandoned(intent=intent, reason="cut", seconds=7.0))
    play.run()
    assert (2, 1) == (
        by_agent(play.state.usages)[TELLER].calls,
        by_agent(play.state.usages)[TELLER].untold,
    )
    assert (Status.GREEN, 12.0) == (play.state.status, play.state.spent_by[TELLER].seconds)


def test_a_call_for_words_that_is_cut_off_again_and_again_is_not_made_for_ever() -> None:
    """It is made as often as one that fails."""
    play = Play(Script(), opened(document=TELLER, retries=2))
    intent = next(action for action in play.steps() if ev.calls(action, AgentRole.DOCUMENT))
    for attempt in (1, 2, 3):
        assert attempt == intent.attempt
        play.append(ev.Started(intent=intent))
        play.append(ev.Abandoned(intent=intent, reason="cut"))
        intent = next((a for a in next_of(play) if ev.calls(a, AgentRole.DOCUMENT)), intent)
    assert {ev.WriteDocument(kind="summary")} == next_of(play)


def test_a_person_who_interrupts_it_declines_the_words() -> None:
    """The session ends as green, and nobody is asked again."""
    play = Play(Script(), opened(document=TELLER))
    intent = next(action for action in play.steps() if ev.calls(action, AgentRole.DOCUMENT))
    play.append(ev.Started(intent=intent))
    play.append(ev.Interrupted(reason="enough"))
    play.append(ev.Abandoned(intent=intent, reason="cut"))
    play.run()
    assert (1, Status.GREEN) == (len(asked(play)), play.state.status)


def test_calls_are_numbered_in_their_order() -> None:
    """The teller's go on where the others end, and each is settled once."""
    play = played(Script(narrate=["fails invalid_output", "tells"]))
    starts = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    calls = [i.call for i in starts if isinstance(i, ev.CallAgent)]
    assert [1, 2, 3, 4] == calls
    assert 4 == len(play.state.settled) == play.state.calls


@pytest.mark.parametrize(
    ("teaches", "written"), [(True, ["knowledge", "summary"]), (False, ["summary"])]
)
def test_a_child_leaves_what_its_fix_teaches_to_a_parent_that_says_so(
    *, teaches: bool, written: list[str]
) -> None:
    """A person may refuse there what is proven here."""
    play = Play(Script(), replace(opened(), teaches=teaches))
    play.run()
    begun = [e.intent for e in play.of(ev.Started) if isinstance(e, ev.Started)]
    kinds = [intent.kind for intent in begun if isinstance(intent, ev.WriteDocument)]
    assert (Status.GREEN, written) == (play.state.status, kinds)
