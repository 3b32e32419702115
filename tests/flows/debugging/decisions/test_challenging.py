"""A fix that passes is challenged once before its proof, and never at anybody's cost."""

from __future__ import annotations

import pytest

from clew.words import events as ev
from clew.words.events import Result, Status
from clew.words.models import AUTO, NOBODY, SAME, AgentRole
from clew.words.settings import Cap
from sessionplay import Play, Script, opened

CRITIC = "critic"


def played(script: Script, **how: object) -> Play:
    play = Play(script, opened(challenge=CRITIC, **how))  # type: ignore[arg-type]
    play.run()
    return play


def asked(play: Play) -> list[ev.CallAgent]:
    started = [e for e in play.of(ev.Started) if isinstance(e, ev.Started)]
    return [e.intent for e in started if ev.calls(e.intent, AgentRole.CHALLENGE)]


def test_it_is_challenged_on_its_commit_after_the_tests_and_before_the_proof() -> None:
    """With a model by its role, and counted like any call."""
    play = played(Script(), profile="balanced")
    (intent,) = asked(play)
    names = [type(record.event).__name__ for record in play.records]
    at = names.index("Challenged")
    assert ["TestsRan", "Started", "Challenged", "Started", "Proved"] == names[at - 2 : at + 3]
    (told,) = play.state.challenges
    assert (intent.base, "middle") == (told.commit, intent.model)
    assert intent.base == play.state.fixes[-1].commit
    assert (Status.GREEN, 5.0) == (play.state.status, play.state.spent_by[CRITIC].seconds)


def test_no_fix_is_challenged_with_which_tests_still_fail() -> None:
    play = played(Script(verify=["same_errors", "passing"]))
    assert [2] == [intent.iteration for intent in asked(play)]


@pytest.mark.parametrize(("kind", "calls"), [("error", 3), ("timeout", 3), ("not_installed", 1)])
def test_a_challenger_that_fails_leaves_the_proof_to_itself(kind: str, calls: int) -> None:
    """It is asked again as others are, and what it said is no note of the iteration."""
    play = played(Script(challenge=[f"fails {kind}"]))
    assert (Status.GREEN, calls, ()) == (play.state.status, len(asked(play)), play.state.challenges)
    (entry,) = play.state.history
    assert (Result.PASSING, "") == (entry.result, entry.note)


@pytest.mark.parametrize(
    ("script", "bound", "calls"),
    [
        (Script(proof=[False, True]), {"ladder": {CRITIC: Cap(calls=1)}}, 1),
        (Script(diagnose=["edited"]), {"budget": ev.Budget(tokens=110)}, 0),
    ],
    ids=["cap", "budget"],
)
def test_a_bound_that_is_reached_leaves_it_unasked_and_the_fix_is_proven(
    script: Script, bound: dict[str, object], calls: int
) -> None:
    """What passes its tests is not given up for want of a challenger."""
    play = played(script, **bound)
    (passed,) = play.of(ev.RungPassed)
    assert isinstance(passed, ev.RungPassed)
    assert (CRITIC, calls) == (passed.agent, len(asked(play)))
    assert (Status.GREEN, "") == (play.state.status, play.state.history[-1].note)


@pytest.mark.parametrize(
    ("who", "ladder", "challenger"),
    [
        (AUTO, ("claude:opus",), ["claude:opus"]),
        (AUTO, ("repair",), []),
        (AUTO, ("command:./mine",), []),
        (AUTO, ("replay:./old",), []),
        (SAME, ("command:./mine",), ["command:./mine"]),
        (SAME, ("repair",), []),
        (NOBODY, ("claude",), []),
        ("", ("claude",), []),
    ],
)
def test_who_wrote_a_fix_challenges_it_where_that_is_a_model(
    who: str, ladder: tuple[str, ...], challenger: list[str]
) -> None:
    play = Play(Script(), opened(challenge=who, agents=ladder))
    play.run()
    assert (Status.GREEN, challenger) == (play.state.status, [i.agent for i in asked(play)])


def test_the_hand_that_carried_a_diagnosis_out_challenges_it() -> None:
    """Its own change is judged, not what was proposed."""
    caps = {"claude": Cap(calls=1)}
    play = Play(Script(), opened(challenge=AUTO, agents=("claude", "codex"), ladder=caps))
    play.run()
    assert [("codex", "codex")] == [
        (intent.agent, play.state.fixes[-1].agent) for intent in asked(play)
    ]
