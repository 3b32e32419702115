"""What comes next in a debug session; each step is held to the rules of its document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from clew.agents.replies import InvestigateReply
from clew.analysis.failures.pasted import MappedFrame
from clew.flows.investigation.events import (
    AgentsChosen,
    DocumentEdited,
    DocumentTakenOver,
    Investigated,
    MapTraceback,
    Reproduce,
    Reproduced,
    SeeRed,
    TestSeen,
    TestWritten,
    TracebackMapped,
)
from clew.flows.investigation.kind import status_of
from clew.flows.investigation.states.answers import told
from clew.flows.investigation.viewing import document_of
from clew.words.debug_sessions import (
    Aim,
    CurrentFocus,
    DebugStatus,
    EvidenceEntry,
    Symptoms,
    broken_rules,
    command_in,
    working_in,
)
from clew.words.errors import TransitionRefused
from clew.words.facts import Usage
from clew.words.investigations import FileIssue, FixClaim, RootCause, hint_of
from clew.words.oracles import awaited
from clew.words.records import (
    AgentCall,
    Answered,
    ChildAnswered,
    ChildAsked,
    RunSession,
    WentBack,
)
from clew.words.settings import Settings
from debugplay import TEST, DebugPlay, cause, continuing, inconclusive, returns, waiting

TEN = [{"checked": f"line {n}", "found": "f", "implication": "i"} for n in range(10)]
MANY = Settings(agent=("one", "two"), max_iterations=9)


def test_a_symptom_is_asked_for_where_nothing_but_a_description_is_given() -> None:
    """What the person says is read field by field, and frozen then."""
    play = DebugPlay(symptoms=Symptoms()).run()
    assert ("symptoms", DebugStatus.GATHERING) == (play.about, play.state.status)
    play.answered("words", "expected: 10.00\nactual: 9.99\nreproduction: $ shop 3")
    assert ("10.00", "shop 3") == (play.state.symptoms.expected, play.state.command)
    assert DebugStatus.INVESTIGATING is play.state.status


def test_words_without_fields_are_what_was_seen() -> None:
    """Nobody has to know the fields."""
    assert Symptoms(actual="it is red\nall over") == told("it is red\nall over\n")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('expected: "by post"', "by post"),
        ('expected: it prints "Bob (by post): 5.00"', "Bob (by post): 5.00"),
        ("expected: the line `none at all`", "none at all"),
        ('expected: {"name": "Bob", "domain": ""}', '{"name": "Bob", "domain": ""}'),
        ('expected: "one" or "two"', ""),
        ("expected: it's what we always had", ""),
    ],
)
def test_what_stands_in_quotes_is_what_is_printed(text: str, printed: str) -> None:
    """In a file of symptoms and in an answer, alone and between words, where it is one."""
    assert printed == awaited(told(f"{text}\nactual: KeyError: 'mail'"))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("$ shop 3", Symptoms(reproduction="$ shop 3")),
        ("it is off\n  $ shop 3", Symptoms(actual="it is off", reproduction="$ shop 3")),
        (
            "expected: 6\nactual: 5\n$ shop 3",
            Symptoms(expected="6", actual="5", reproduction="$ shop 3"),
        ),
        (
            "actual: 5\n$ shop 3\nworks: $ shop 4",
            Symptoms(actual="5", reproduction="$ shop 3\nworks: $ shop 4"),
        ),
        ("reproduction: as root:\n  $ shop 3", Symptoms(reproduction="as root:\n$ shop 3")),
    ],
)
def test_a_command_on_a_line_of_its_own_shows_it(text: str, seen: Symptoms) -> None:
    """As the question says, whatever stands around it."""
    assert seen == told(text)


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("open the till", "$ shop 3\nworks: $ shop 4\nopen the till"),
        ("at night:\n$ shop 3", "$ shop 3\nworks: $ shop 4\nat night:"),
        ("$ shop 5\nworks: $ shop 6", "$ shop 3\nworks: $ shop 4\n$ shop 5\nworks: $ shop 6"),
    ],
)
def test_a_command_stands_beside_the_words_about_it(words: str, whole: str) -> None:
    """It is the one that is run, and no word is lost."""
    symptoms = told(f"reproduction: {words}").shown_by("shop 3", "shop 4")
    assert whole == symptoms.reproduction
    assert ("shop 3", "shop 4") == (command_in(symptoms), working_in(symptoms))


def test_what_only_looks_like_a_field_stays_where_it_was_pasted() -> None:
    """The last line of a traceback names the error; words before the first field are what is."""
    pasted = (
        'Traceback (most recent call last):\n  File "pay.py", line 6, in cents\nValueError: 1,15'
    )
    told_in_full = told(f"it stops\nexpected: 115\nerrors: {pasted}\nstarted: May")
    assert Symptoms(expected="115", actual="it stops", errors=pasted, started="May") == told_in_full
    play = DebugPlay(rules=False).run().returned(inconclusive())
    play.answered("words", f"errors: {pasted}")
    assert pasted.split() == play.state.symptoms.errors.split()


def test_a_command_that_shows_it_is_run_before_anybody_is_asked() -> None:
    """How it ended is evidence."""
    play = DebugPlay(symptoms=Symptoms(reproduction="$ shop 3")).run()
    assert isinstance(play.doing, Reproduce)
    assert "run `shop 3`" == document_of(play.state).focus.next_action
    play.end(Reproduced(command="shop 3", commit="base", exit_code=1, tail="9.99", failed=1))
    assert isinstance(play.run().doing, AgentCall)
    assert ["exit code 1: 9.99"] == [each.found for each in play.state.evidence]


def test_the_way_of_the_fix_is_asked_once_the_cause_is_explained() -> None:
    """Now: a session makes it whose proof decides, and then the person says whether it is gone."""
    play = DebugPlay().run().returned(cause(TEST))
    assert "fix" == play.about
    play.answered("now")
    child = play.doing
    assert isinstance(child, RunSession)
    assert ("base", [TEST]) == (child.request["base"], child.request["runner_args"])
    assert "total takes one off" in child.request["guidance"][0]
    play.fixed()
    assert ("verify", DebugStatus.AWAITING_HUMAN_VERIFY) == (play.about, play.state.status)
    play.answered("confirmed")
    assert play.state.ended
    assert ("resolved", "fixed") == (play.state.ended.status, play.state.ended.commit)


@pytest.mark.parametrize(("option", "plan"), [("plan", "plans/fix-off.md"), ("manual", "")])
def test_a_fix_that_is_left_to_others_ends_as_diagnosed(option: str, plan: str) -> None:
    """With a plan that carries it out, or by hand."""
    play = DebugPlay().run().returned(cause()).answered(option)
    assert play.state.ended
    assert ("diagnosed", plan) == (play.state.ended.status, play.state.plan)


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize(
    ("option", "how"), [("plan", "by plan plans/fix-off.md"), ("manual", "by hand")]
)
def test_what_a_person_has_fixed_is_looked_at_in_their_tree_as_it_is(
    option: str, how: str, exit_code: int
) -> None:
    """The command that showed it decides whether they are asked; only their word resolves it."""
    shown = Reproduced(command="shop 3", commit="base", exit_code=1, failed=1)
    play = DebugPlay(symptoms=Symptoms(reproduction="$ shop 3")).run()
    play.end(shown)
    play.run().returned(cause()).answered(option)
    play.record(WentBack(checkpoint="diagnosed"))
    play.run()
    play.end(replace(shown, exit_code=exit_code, failed=exit_code))
    bases = play.run().state.bases
    play.tree = "t" if exit_code else "mended"
    play.answered("fixed")
    assert (Reproduce(command="shop 3", commit="base"), bases + 1) == (play.doing, play.state.bases)
    play.end(replace(shown, exit_code=exit_code, failed=exit_code))
    play.run()
    if exit_code:
        assert isinstance(play.doing, AgentCall)
        assert "`shop 3` still shows the symptom: it is not gone" == play.state.complaint
        return
    assert play.state.question
    assert ("verify", True) == (play.about, f"Fix: made {how}" in play.state.question.text)
    assert "resolved" == play.answered("confirmed").state.status


def test_what_a_person_has_fixed_is_not_called_proven_by_an_earlier_fix() -> None:
    """Neither is it run there, nor learnt from as if it were."""
    shown = Reproduced(command="shop 3", commit="base", exit_code=1, failed=1)
    play = DebugPlay(symptoms=Symptoms(reproduction="$ shop 3")).run()
    play.end(shown)
    play.run().returned(cause(TEST)).answered("now").fixed()
    play.end(replace(shown, exit_code=0, failed=0))
    play.run().answered("stop")
    play.record(WentBack(checkpoint="abandoned"))
    play.run()
    play.end(shown)
    play.run().answered("fixed")
    assert Reproduce(command="shop 3", commit="base") == play.doing
    play.end(replace(shown, exit_code=0, failed=0))
    play.run()
    assert play.state.question
    assert "The symptom is said to be gone." in play.state.question.text
    assert (None, ()) == (play.state.fix, play.state.resolution.files_changed)
    assert "with the fix" not in play.state.evidence[-1].checked


@pytest.mark.parametrize("field", ["blind_spots", "falsification_test", "candidate_causes"])
def test_nothing_is_fixed_before_the_reasoning_is_whole(field: str) -> None:
    """An empty field sends it back, and the next investigator is told which."""
    play = DebugPlay().run().returned(cause(lacks=field))
    assert ("", None) == (play.about, play.state.cause)
    assert field in play.state.complaint
    assert f"its reasoning says nothing under {field}" == play.state.evidence[-1].found
    play.returned(cause(lacks=field))
    assert play.state.question
    assert ("circles", True) == (play.about, field in play.state.question.text)
    assert "fix" == play.answered("continue").returned(cause()).about


@pytest.mark.parametrize(
    ("exit_code", "failed", "tail", "found", "implication"),
    [
        (0, 0, "115", "0 of 3 runs show the symptom: 115", "it does not show the symptom here"),
        (
            0,
            3,
            "114",
            "3 of 3 runs show the symptom, `114` in the output: 114",
            "it shows the symptom here too",
        ),
        (1, 2, "no", "2 of 3 runs show the symptom: no", "it shows the symptom now and then"),
    ],
)
def test_how_a_command_ended_is_said_in_words(
    exit_code: int, failed: int, tail: str, found: str, implication: str
) -> None:
    """Of a symptom that its output shows, as much as of one that its exit code does."""
    symptoms = Symptoms(expected="115", actual="114", reproduction="$ shop 3")
    play = DebugPlay(symptoms=symptoms).run()
    ran = Reproduced(command="shop 3", commit="base", exit_code=exit_code, tail=tail)
    play.end(replace(ran, runs=3, failed=failed))
    entry = play.state.evidence[-1]
    assert (f"exit code {exit_code}, {found}", implication) == (entry.found, entry.implication)


def test_a_goal_of_the_root_cause_only_persists_over_every_continuation() -> None:
    """Five of them; and only an explicit choice to fix it now changes it."""
    play = DebugPlay(aim=Aim.FIND, settings=MANY).run()
    for number in range(5):
        play.returned(cause()) if number % 2 else play.returned(inconclusive()).answered("stop")
        assert play.state.ended
        assert Aim.FIND is play.state.aim is document_of(play.state).goal
        play.record(WentBack(checkpoint="diagnosed", text=f"look again {number}"))
        play.run()
    play.returned(cause())
    play.record(WentBack(checkpoint="diagnosed"))
    assert "fix" == play.run().about
    assert Aim.FIND is play.state.aim
    assert Aim.FIX is play.answered("now").state.aim


def test_under_tdd_a_test_is_written_seen_red_and_confirmed_before_any_fix() -> None:
    """The way of the fix is not asked; the fix begins with the test, and has it to turn green."""
    play = DebugPlay(tdd=True).run().returned(cause())
    assert isinstance(play.doing, AgentCall)
    assert ("write-test", DebugStatus.FIXING) == (play.doing.role, play.state.status)
    play.wrote()
    assert isinstance(play.doing, SeeRed)
    assert ("tested", ("t.py::test_it",)) == (play.doing.commit, play.doing.tests)
    play.saw()
    assert play.state.question
    assert ("red", True) == (play.about, "assert 5 == 6" in play.state.question.text)
    child = play.answered("confirmed").doing
    assert isinstance(child, RunSession)
    assert ("tested", ["t.py::test_it"]) == (child.request["base"], child.request["runner_args"])


def test_the_fix_runs_a_new_test_beside_those_that_it_was_seen_red_beside() -> None:
    """What it alone runs stands out from them; a test of the project is run alone."""
    play = DebugPlay(tdd=True).run().returned(cause()).wrote()
    assert isinstance(play.doing, SeeRed)
    play.end(TestSeen(tests=play.doing.tests, words=("tests", "t.py::test_it")))
    child = play.run().answered("confirmed").doing
    assert isinstance(child, RunSession)
    assert ["tests", "t.py::test_it"] == child.request["runner_args"]


@pytest.mark.parametrize("known", [(), (TEST,)])
def test_under_tdd_only_confirmed_goes_on(known: tuple[str, ...]) -> None:
    """Any other answer goes back as data, and a test is written: anew, or beside the project's."""
    play = DebugPlay(tdd=True).run().returned(cause(*known))
    play = play.saw() if known else play.wrote().saw()
    play.answered("words", "it tests the wrong total")
    assert isinstance(play.doing, AgentCall)
    assert ("write-test", True) == (play.doing.role, "wrong total" in play.state.complaint)


@pytest.mark.parametrize(
    ("path", "test"), [("/r", "t.py::test_it"), ("/r/back", "../t.py::test_it")]
)
def test_a_new_test_is_run_from_the_folder_that_is_worked_on(path: str, test: str) -> None:
    """It may lie elsewhere in the repository."""
    play = DebugPlay().run().returned(cause()).answered("now").wrote()
    opened = replace(play.state.session, path=path)
    assert (test,) == replace(play.state, opened=opened).tests
    inside = TestWritten(agent="a", file="back/t.py", name="b", expects="", commit="c")
    within = replace(play.state, opened=replace(opened, path="/r/back"), test=inside)
    assert ("t.py::b",) == within.tests


def test_a_test_that_was_never_red_is_refused() -> None:
    """It is written anew, twice; then a person says whether the cause is another."""
    play = DebugPlay(tdd=True).run().returned(cause(TEST))
    for _ in range(3):
        play.saw("it is passed")
        if not play.about:
            play.wrote()
    assert "test" == play.about
    assert [] == [i for i in play.state.in_flight.values() if isinstance(i, RunSession)]
    assert DebugStatus.INVESTIGATING is play.answered("words", "elsewhere").state.status


def test_without_tdd_a_test_is_written_where_none_fails_and_no_person_is_asked() -> None:
    """A fix without a test that was red before proves nothing."""
    play = DebugPlay().run().returned(cause()).answered("now").wrote().saw()
    assert isinstance(play.doing, RunSession)


@pytest.mark.parametrize(("agent", "said"), [("repair", True), ("one", False)])
def test_a_test_that_asks_for_no_error_alone_is_called_that(agent: str, *, said: bool) -> None:
    """Where Clew made it of a command that crashed, nobody said what should be printed."""
    crash = Symptoms().shown_by("shop 3")
    play = DebugPlay(symptoms=crash, settings=Settings(agent=(agent,))).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run().returned(cause()).answered("now").wrote().saw().fixed()
    play.end(worked("hm", "shop 3"))
    assert "verify" == play.run().about
    assert play.state.question
    assert said is ("asks only that it ends without an error" in play.state.question.text)


def test_a_test_that_asks_for_what_works_is_called_that_all_the_same() -> None:
    """What it asks of the command that works says nothing of what the other one prints."""
    play = DebugPlay(symptoms=WORKING, settings=Settings(agent=("repair",))).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run().end(worked("a: 2"))
    play.run().returned(cause()).answered("now").wrote().saw().fixed()
    play.end(worked("hm", "shop 3"))
    play.run().end(worked("a: 2"))
    asked = play.run().state.question
    assert asked
    assert "Of `shop 3` the test asks only that it ends without an error" in asked.text


def test_a_plan_is_said_to_need_an_agent_where_there_is_none() -> None:
    """The built-in repairer carries out no phase."""
    for agents, said in ((("repair",), True), (("repair", "one"), False)):
        play = DebugPlay(settings=Settings(agent=agents)).run().returned(cause(TEST))
        assert play.state.question
        texts = {option.word: option.text for option in play.state.question.options}
        assert said is ("with `--agent NAME`" in texts["plan"])


def test_a_test_that_asks_for_what_should_be_printed_is_not_called_that() -> None:
    """Of a crash, where the person said what they expect."""
    crash = Symptoms(expected="total 6").shown_by("shop 3")
    play = DebugPlay(symptoms=crash, settings=Settings(agent=("repair",))).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run().returned(cause()).answered("now").wrote(prints="total 6").saw().fixed()
    play.end(worked("total 6", "shop 3"))
    assert "verify" == play.run().about
    assert play.state.question
    assert "asks only" not in play.state.question.text


@pytest.mark.parametrize(("agent", "words"), [("repair", []), ("one", [TEST])])
def test_the_fix_of_what_is_red_is_looked_for_beside_what_passes(
    agent: str, words: list[str]
) -> None:
    """The built-in investigator names all red tests; another agent those that show the symptom."""
    play = DebugPlay(settings=Settings(agent=(agent,))).run().returned(cause(TEST)).answered("now")
    assert isinstance(play.doing, RunSession)
    assert words == play.doing.request["runner_args"]


def test_the_fix_leaves_out_red_tests_of_another_matter() -> None:
    """By their names, and files that do not load; the person is told in either question."""
    play = DebugPlay(settings=Settings(agent=("repair",))).run()
    found = msgspec.convert(cause(TEST)["says"], InvestigateReply).told
    play.end(Investigated(agent="repair", told=found, aside=("t.py::test_b", "u.py")))
    asked = play.run().state.question
    assert asked
    assert "Red as well, and left aside: t.py::test_b, u.py" in asked.text
    fix = play.answered("now").doing
    assert isinstance(fix, RunSession)
    assert ["--deselect=t.py::test_b", "--ignore=u.py"] == fix.request["runner_args"]
    asked = play.fixed().state.question
    assert asked
    assert "Red as well, and left aside: t.py::test_b, u.py" in asked.text


def test_nobody_who_can_write_a_test_is_a_question() -> None:
    """The built-in repairer writes none."""
    play = DebugPlay(tdd=True, settings=Settings(agent=("repair",))).run().returned(cause())
    play.failed("unsupported")
    assert play.state.question
    advised = "`clew debug continue off --agent NAME` goes on with another one."
    assert ("agent", True) == (play.about, advised in play.state.question.text)


def test_what_only_a_person_knows_is_asked_and_kept_as_data() -> None:
    """In the document, and for the next investigator."""
    play = DebugPlay().run().returned(waiting())
    assert "checkpoint" == play.about
    assert "which currency" in document_of(play.state).question.text  # type: ignore[union-attr]
    play.answered("words", "euros")
    assert ["euros"] == [said.text for said in play.state.words]
    assert "euros" == play.state.evidence[-1].found
    assert isinstance(play.doing, AgentCall)


@pytest.mark.parametrize(
    ("said", "tree", "shown"),
    [("done", "t", True), ("done", "with it", False), ("words", "t", True)],
)
def test_after_an_answer_the_tree_is_looked_at_as_it_is(said: str, tree: str, shown: bool) -> None:  # noqa: FBT001 - a parameter
    """What a person was asked to do is in it; a command that showed the symptom is run again."""
    play = DebugPlay(symptoms=Symptoms(reproduction="$ shop 3")).run()
    play.end(Reproduced(command="shop 3", commit="base", exit_code=1, failed=1, runs=1))
    play.run().returned(waiting("put data/prices.json there"))
    play.state = replace(
        play.state, base=play.state.base and replace(play.state.base, commit="old")
    )
    play.tree = tree
    play.answered(said, "it is there" if said == "words" else "")
    assert isinstance(play.doing, AgentCall if shown else Reproduce)
    assert play.state.base
    assert "base" == play.state.base.commit
    entry = play.state.evidence[-1]
    assert "asked a person (checkpoint: put data/prices.json there)" == entry.checked
    assert entry.found == play.state.words[-1].text
    assert "done" in entry.found or said == "words"


@pytest.mark.parametrize("turn", [waiting(), inconclusive()])
def test_what_a_person_fixed_meanwhile_is_resolved_without_a_cause(turn: dict[str, Any]) -> None:
    """Whatever they are asked by then: their tree is looked at, and they are asked whether so."""
    play = DebugPlay().run().returned(turn)
    play.tree = "mended"
    play.answered("fixed")
    assert "verify" == play.run().about
    assert "resolved" == play.answered("confirmed").run().state.status
    assert "made by hand" == play.state.resolution.fix


def test_an_inconclusive_investigation_goes_on_or_stops() -> None:
    """Stopped it is abandoned, and everything is kept."""
    play = DebugPlay().run().returned(inconclusive())
    assert "inconclusive" == play.about
    assert isinstance(play.answered("continue").doing, AgentCall)
    play.returned(inconclusive()).answered("stop")
    assert play.state.ended
    assert "abandoned" == play.state.ended.status


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ([continuing("same"), continuing("Same ")], "same next action"),
        ([continuing(str(n)) for n in range(3)], "ran out of room"),
        (
            [returns("continue_required", "a", evidence=TEN)],
            "no root cause",
        ),
    ],
)
def test_going_in_circles_asks_a_person(turns: list[dict[str, object]], why: str) -> None:
    """By the same next action, by resumptions in a row, by evidence that leads nowhere."""
    play = DebugPlay(settings=MANY).run()
    for turn in turns:
        assert "" == play.about
        play.returned(turn)
    assert play.state.question
    assert ("circles", True) == (play.about, why in play.state.question.text)
    assert isinstance(play.answered("continue").doing, AgentCall)


@pytest.mark.parametrize("retries", [0, 2])
def test_a_malformed_return_is_asked_for_as_often_as_a_setting_says(retries: int) -> None:
    """Then the next agent has its turn; and without one a person is asked."""
    settings = Settings(agent=("one", "two"), agent_retries=retries)
    play = DebugPlay(settings=settings).run()
    for agent in ("one", "two"):
        for attempt in range(1, retries + 2):
            assert isinstance(play.doing, AgentCall)
            called = (play.doing.agent, play.doing.attempt, play.state.cycles)
            assert (agent, attempt, 0) == called
            play.failed()
    assert "agent" == play.about
    assert isinstance(play.answered("again").doing, AgentCall)


def test_an_agent_that_reached_its_limit_twice_is_not_asked_again() -> None:
    """Told of it, it may do with less once."""
    play = DebugPlay().run().failed("limit")
    assert isinstance(play.doing, AgentCall)
    assert ("one", 2) == (play.doing.agent, play.doing.attempt)
    play.failed("limit")
    assert isinstance(play.doing, AgentCall)
    assert "two" == play.doing.agent


def test_an_agent_that_cannot_do_it_is_not_asked_again() -> None:
    """No call mends what is not installed."""
    play = DebugPlay().run().failed("not_installed")
    assert isinstance(play.doing, AgentCall)
    assert "two" == play.doing.agent


def test_a_fix_that_is_not_proven_goes_back_to_investigating() -> None:
    """With why, as evidence."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now").fixed("terminated", "")
    assert "rejected" == play.about
    play.answered("revise")
    assert (DebugStatus.INVESTIGATING, None) == (play.state.status, play.state.cause)
    assert "terminated" == play.state.evidence[-1].found


def test_what_a_fix_teaches_is_written_once_a_person_confirmed_it() -> None:
    """Not by the session that makes it: they may refuse it."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now")
    assert isinstance(play.doing, RunSession)
    assert not play.doing.request["teaches"]
    refused = play.fixed().answered("words", "still 9.99").state
    assert refused.filed is None
    play.returned(cause(TEST)).answered("now").fixed()
    assert play.answered("confirmed").state.filed


def test_what_a_person_settled_of_a_fix_stands_in_the_document() -> None:
    """Nothing else than that is proven."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now")
    play.fixed(result={"doubts": ['"it is written plainly" does not hold: f']})
    known = document_of(play.state).resolution.verification
    assert known == (
        "proven, except that a person settled the doubt: the tests pass, and fail without the fix;"
        ' the proof doubts: "it is written plainly" does not hold: f'
    )


def test_what_the_tests_leave_open_of_a_fix_stands_in_the_document() -> None:
    """It is proven, and no more than that."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now")
    play.fixed(result={"weak": ["no test notices shop/total.py:3 other number"]})
    assert document_of(play.state).resolution.verification == (
        "proven: the tests pass, and fail without the fix;"
        " weakly tested: no test notices shop/total.py:3 other number"
    )


def test_a_fix_that_helped_in_part_is_kept_and_can_be_taken() -> None:
    """The person is told where it is; once it is in their tree, it is called what it is."""
    part = {"fix": "take nothing off", "files": ["shop/total.py"]}
    play = DebugPlay().run().returned(cause(TEST)).answered("now")
    play.fixed("skipped", commit="part", result=part)
    asked = play.state.question
    assert asked
    text = " ".join(asked.text.split())
    assert "What helped in part is kept: take nothing off" in text
    assert "`clew apply 2026-03-14-off-fix` puts that into your tree; then answer `fixed`" in text
    play.tree, play.holds = "applied", "2026-03-14-off-fix"
    play.answered("revise").returned(inconclusive()).answered("fixed")
    resolution = play.state.resolution
    assert ("total takes one off", "take nothing off", ("shop/total.py",)) == (
        resolution.root_cause,
        resolution.fix,
        resolution.files_changed,
    )
    assert "verify" == play.about


def test_a_fix_of_which_nothing_helped_offers_nothing_to_take() -> None:
    """By hand it can be fixed all the same."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now").fixed("terminated", commit="c")
    asked = play.state.question
    assert asked
    assert "clew apply" not in asked.text
    play.tree = "mended"
    assert "made by hand" == play.answered("fixed").state.resolution.fix


def test_a_fix_that_asks_a_person_is_waited_for_in_the_document_too() -> None:
    """Until it is answered."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now")
    (number,) = play.state.in_flight
    play.record(ChildAsked(of=number, id="q1", text="which way?"))
    waits = "wait for the answer of a person in its fix: clew status 2026-03-14-off-fix"
    assert waits == document_of(play.state).focus.next_action
    play.record(ChildAnswered(of=number, id="q1"))
    assert waits != document_of(play.state).focus.next_action


def mended(play: DebugPlay, patch: str) -> DebugPlay:
    """Have the built-in investigator come back with a repair that it found."""
    told = msgspec.convert(cause()["says"], InvestigateReply).told
    play.end(Investigated(agent="repair", told=told, patch=patch))
    return play.run()


def test_a_repair_that_a_person_refused_is_left_out_from_then_on() -> None:
    """By whoever investigates, and by the session that makes the next fix; why is kept."""
    play = mended(DebugPlay(settings=Settings(agent=("repair",))).run(), "first")
    play.answered("words", "it is the tax")
    assert ("first",) == play.state.refused
    assert ("total takes one off", "a person says: it is the tax") == (
        play.state.eliminated[-1].hypothesis,
        play.state.eliminated[-1].evidence,
    )
    mended(play, "second").answered("now").wrote().saw()
    assert isinstance(play.doing, RunSession)
    assert ["first"] == play.doing.request["refused"]


def test_a_fix_that_did_not_help_is_refused_as_it_was_made() -> None:
    """By a person, or by the command that still shows it; a person's own is nobody's proposal."""
    play = mended(DebugPlay(settings=Settings(agent=("repair",))).run(), "found")
    play.answered("now").wrote().saw().fixed(edits="made").answered("words", "still 9.99")
    assert ("found", "made") == play.state.refused
    by_hand = mended(DebugPlay(settings=Settings(agent=("repair",))).run(), "found")
    by_hand.answered("fixed").answered("words", "still 9.99")
    assert () == by_hand.state.refused
    shown = Symptoms().shown_by("shop 3")
    play = DebugPlay(symptoms=shown, settings=Settings(agent=("repair",))).run()
    play.end(worked("boom", "shop 3", code=1))
    mended(play.run(), "found").answered("now").wrote().saw().fixed()
    play.end(worked("boom", "shop 3", code=1))
    assert ("found",) == play.run().state.refused
    play.returned(cause()).answered("now").wrote().saw().fixed(status="terminated", commit="")
    assert ("found",) == play.answered("revise").state.refused


def test_a_symptom_that_is_still_there_is_looked_into_again() -> None:
    """On the person's tree as it is then."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now").fixed()
    play.answered("words", "still 9.99")
    assert (DebugStatus.INVESTIGATING, 2) == (play.state.status, play.state.bases)
    assert isinstance(play.doing, AgentCall)


def test_a_claim_that_it_is_fixed_is_for_a_person_to_confirm() -> None:
    """A return never resolves anything."""
    claim = {"root_cause": "one off", "fix": "by hand", "verification": "it says 6"}
    play = DebugPlay().run().returned(returns("debug_complete", completed=claim))
    assert ("verify", DebugStatus.AWAITING_HUMAN_VERIFY) == (play.about, play.state.status)


def test_what_is_said_to_be_gone_is_run_once_more() -> None:
    """A command that still shows it sends the next investigator in, who is told so."""
    claim = {"root_cause": "one off", "fix": "by hand", "verification": "it says 6"}
    done = returns("debug_complete", completed=claim)
    shown = Reproduced(command="shop 3", commit="base", exit_code=1, failed=1)
    play = DebugPlay(symptoms=Symptoms(reproduction="$ shop 3")).run()
    play.end(shown)
    play.run().returned(done)
    assert Reproduce(command="shop 3", commit="base") == play.doing
    play.end(shown)
    assert isinstance(play.run().doing, AgentCall)
    assert ("", "the symptom is still there") == (
        play.state.resolution.fix,
        play.state.evidence[-1].implication,
    )
    assert "`shop 3` still shows the symptom: it is not gone" == play.state.complaint
    play.returned(returns("debug_complete", "look at the tax", completed=claim))
    play.end(replace(shown, exit_code=0, failed=0))
    assert "verify" == play.run().about
    assert play.state.question
    assert "How that is known: it says 6" in play.state.question.text


WORKING = Symptoms().shown_by("shop 3", "shop 1")


def worked(tail: str, command: str = "shop 1", code: int = 0) -> Reproduced:
    """How a command ended, the same each time."""
    return Reproduced(
        command=command, commit="c", exit_code=code, output=tail, tail=tail, failed=code, alike=True
    )


@pytest.mark.parametrize(
    ("said", "command", "works"),
    [
        ("still wrong\n$ shop 4", "shop 4", "shop 1"),
        ("works: shop 2", "shop 3", "shop 2"),
        ("$ shop 4\nworks: $ shop 2", "shop 4", "shop 2"),
    ],
)
def test_the_command_that_is_not_named_anew_stays(said: str, command: str, works: str) -> None:
    """In whatever answer the other one is corrected."""
    play = DebugPlay(symptoms=WORKING, rules=False).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run().end(worked("a: 2"))
    play.run().returned(waiting()).answered("words", said)
    assert (command, works) == (play.state.command, play.state.working)
    assert Reproduce(command=command, commit="base") == play.doing


def test_a_command_that_is_said_to_show_it_and_to_work_only_shows_it() -> None:
    play = DebugPlay(symptoms=Symptoms().shown_by("shop 3", "shop 3")).run()
    play.end(worked("boom", "shop 3", code=1))
    assert isinstance(play.run().doing, AgentCall)


def test_a_fix_that_was_sent_back_is_told_of_in_the_next_question() -> None:
    """Until another one is begun."""
    play = DebugPlay(symptoms=WORKING).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run().end(worked("a: 2"))
    play.run().returned(cause(TEST)).answered("now").fixed()
    play.end(worked("", "shop 3"))
    play.run().end(worked("a: 18"))
    assert "fix" == play.run().returned(cause(TEST)).about
    assert play.state.question
    text = " ".join(play.state.question.text.split())
    assert "The fix was proven, and sent back: `shop 1` worked before" in text
    assert not play.answered("now").state.sent_back


def test_one_that_nobody_works_on_counts_as_interrupted() -> None:
    """As a session of any kind; while it waits, a person is needed."""
    assert 130 == status_of(DebugPlay().run().state).exit_code
    assert 1 == status_of(DebugPlay().run().returned(inconclusive()).state).exit_code


def test_who_goes_on_with_what_is_fixed_is_told_that_it_does_not_show() -> None:
    """Of a session that was left with its cause explained."""
    play = DebugPlay(symptoms=Symptoms().shown_by("shop 3")).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run().returned(cause(TEST)).answered("manual").run()
    play.tree = "fixed"
    play.record(WentBack(checkpoint="diagnosed"))
    play.run().end(worked("", "shop 3"))
    assert "fix" == play.run().about
    assert play.state.question
    assert play.state.question.text.startswith("`shop 3` does not show it in your tree")


def test_a_fix_that_breaks_what_worked_is_looked_into_again() -> None:
    """However well it is proven; one that leaves it goes on to a person."""
    play = DebugPlay(symptoms=WORKING).run()
    play.end(worked("boom", "shop 3", code=1))
    play.run()
    assert Reproduce(command="shop 1", commit="base") == play.doing
    play.end(worked("a: 2"))
    play.run().returned(cause(TEST)).answered("now").fixed()
    play.end(worked("", "shop 3"))
    play.run()
    assert Reproduce(command="shop 1", commit="fixed") == play.doing
    play.end(worked("a: 18"))
    assert DebugStatus.INVESTIGATING is play.run().state.status
    assert "worked before (exit code 0: a: 2), and does not" in play.state.complaint
    assert play.state.fix is None


def test_a_fix_that_prints_something_else_than_expected_is_looked_into_again() -> None:
    """The first one, however well it is proven; of a later one a person is told, and decides."""
    expected = "{'name': 'Bob'}"
    play = DebugPlay(symptoms=Symptoms(expected=expected).shown_by("shop 3")).run()
    play.end(worked("KeyError: 2", "shop 3", code=1))
    play.run().returned(cause(TEST)).answered("now").fixed(edits="one")
    play.end(worked("{'name': 'Ann'}", "shop 3"))
    why = "`shop 3` prints {'name': 'Ann'} with the fix, and not what is expected: {'name': 'Bob'}"
    assert (DebugStatus.INVESTIGATING, why) == (play.run().state.status, play.state.complaint)
    assert ("one",) == play.state.refused
    asked = play.returned(inconclusive()).state.question
    assert asked
    assert f"The fix was proven, and sent back: {why}" in " ".join(asked.text.split())
    play.answered("continue").returned(cause(TEST)).answered("now").fixed(edits="two")
    play.end(worked("{'name': 'Eve'}", "shop 3"))
    asked = play.run().state.question
    assert asked
    assert asked.text.startswith("The test of it passes. It does not print what is expected.\n")
    assert "not what is expected: {'name': 'Bob'}" in " ".join(asked.text.split())


def test_what_is_expected_may_be_met_by_no_fix_once_one_was_not_proven() -> None:
    """Not where one was proven and sent back; and what is expected may be corrected."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now").fixed()
    play.answered("words", "still 9.99").returned(cause(TEST)).answered("now")
    assert not play.state.unmet
    assert play.fixed("terminated", "").state.unmet
    assert play.answered("revise").state.unmet
    play.returned(waiting()).rules = False  # a person corrects what is frozen
    assert not play.answered("words", "expected: 9.98").state.unmet


@pytest.mark.parametrize(
    ("expected", "tail"),
    [
        ("total 6", "the total 6"),
        ("it does not crash", "total 6"),
        ("total 6", "\n".join(f"line {n}" for n in range(12))),
        ("total 6", ""),
    ],
)
def test_a_fix_that_may_print_what_is_expected_is_asked_about(expected: str, tail: str) -> None:
    """Words may be about what is printed; of a long output only the end is known."""
    play = DebugPlay(symptoms=Symptoms(expected=expected).shown_by("shop 3")).run()
    play.end(worked("KeyError: 2", "shop 3", code=1))
    play.run().returned(cause(TEST)).answered("now").fixed()
    play.end(worked(tail, "shop 3"))
    asked = play.run().state.question
    assert asked
    assert asked.text.startswith("Fixed, and proven.\n")


def test_who_fixed_it_by_hand_sees_what_it_prints_now() -> None:
    """Also what is neither wrong as before nor right; and what worked, and does something else."""
    told = replace(WORKING, expected="total: 12", actual="total: 9")
    play = DebugPlay(symptoms=told).run()
    play.end(worked("total: 9", "shop 3"))
    play.run().end(worked("a: 2"))
    play.run().returned(cause(TEST)).answered("fixed")
    play.end(worked("total: 13", "shop 3"))
    play.run().end(worked("a: 18"))
    assert "verify" == play.run().about
    assert play.state.question
    text = " ".join(play.state.question.text.split())
    assert "`shop 3` prints: total: 13" in text
    assert "That is not what is expected: total: 12" in text
    assert "`shop 1` worked, and printed: a: 2 And prints now: a: 18" in text


def test_who_says_it_is_fixed_is_told_that_nothing_changed() -> None:
    """Neither is a fix made by hand, nor does the command show it gone that prints another text."""
    play = DebugPlay(symptoms=replace(WORKING, expected="total: 12", actual="total: 9")).run()
    play.end(worked("total: 9", "shop 3"))
    play.run().end(worked("a: 2"))
    play.run().returned(cause(TEST)).answered("fixed")
    play.end(worked("", "shop 3"))
    play.run().end(worked("a: 2"))
    assert "verify" == play.run().about
    assert play.state.question
    text = " ".join(play.state.question.text.split())
    assert "Fix: none in the project's files: they are as they were when the" in text
    assert "How that is known: a person says so `shop 3` prints: nothing" in text
    assert "That is not what is expected: total: 12" in text


def test_a_proven_fix_that_is_in_the_tree_is_named_as_what_it_is() -> None:
    """Whatever was said of it: its cause and its proof are kept."""
    proven = {"fix": "take nothing off", "files": ["shop/total.py"]}
    play = DebugPlay().run().returned(cause(TEST)).answered("now").fixed(result=proven)
    play.answered("words", "still 9.99").returned(inconclusive())
    play.tree, play.holds = "mended", "2026-03-14-off-fix"
    play.answered("fixed")
    resolution = play.state.resolution
    assert ("total takes one off", "take nothing off", ("shop/total.py",)) == (
        resolution.root_cause,
        resolution.fix,
        resolution.files_changed,
    )
    assert "a person says so; session 2026-03-14-off-fix proved it" == resolution.verification
    assert play.state.question
    assert "The fix of this session is in your tree, and was proven." in play.state.question.text


def test_a_closed_session_keeps_the_cause_whose_fix_was_proven() -> None:
    """Also where a person said that it is not gone."""
    play = DebugPlay().run().returned(cause(TEST)).answered("now").fixed()
    play.answered("words", "still 9.99").returned(inconclusive()).answered("stop")
    assert play.state.ended
    kept = "total takes one off (its fix was proven, and not confirmed)"
    assert ("abandoned", kept) == (play.state.ended.status, play.state.resolution.root_cause)
    play.record(WentBack(checkpoint="abandoned"))
    play.run().returned(inconclusive()).answered("fixed")
    found = "total takes one off (found before a person fixed it, and not confirmed)"
    assert found == play.state.resolution.root_cause


def test_each_fix_is_tried_with_the_command_that_shows_the_symptom() -> None:
    """Not the first alone."""
    shown = Reproduced(command="shop 3", commit="fixed", exit_code=1, failed=1)
    play = DebugPlay(symptoms=Symptoms(reproduction="$ shop 3")).run()
    play.end(shown)
    play.run().returned(cause(TEST)).answered("now").fixed()
    play.end(shown)
    play.run().returned(cause(TEST)).answered("now").fixed(commit="other")
    assert Reproduce(command="shop 3", commit="other") == play.doing


def test_questions_are_answered_beforehand_only_where_a_setting_says_so() -> None:
    """By what is asked: the fix is begun, and whether it is gone is still a person's word."""
    play = DebugPlay(settings=replace(MANY, debug_answers={"fix": "now"})).run()
    play.returned(cause(TEST))
    assert isinstance(play.doing, RunSession)
    assert "verify" == play.fixed().about


@pytest.mark.parametrize(
    ("known", "about"), [(cause(), "fix"), (waiting("which currency?"), "checkpoint")]
)
def test_what_a_document_asks_is_asked_again_where_its_session_is_lost(
    known: dict[str, Any], about: str
) -> None:
    """Nobody investigates anew what was found, and its reasoning stays."""
    before = DebugPlay().run().returned(known)
    assert about == before.about
    play = DebugPlay()
    play.record(DocumentTakenOver(document=document_of(before.state)))
    assert about == play.run().about
    assert before.state.focus.reasoning_checkpoint == play.state.focus.reasoning_checkpoint
    assert play.state.question
    assert before.state.question
    asked = before.state.question.text.splitlines()[1 if about == "fix" else -1]
    assert asked.strip() in play.state.question.text
    assert before.state.cycles == play.state.cycles


def test_who_is_asked_by_a_document_whether_it_is_gone_is_asked_that_again() -> None:
    """Of a fix by hand, and of a proven one, which is in their tree; nothing is found out anew."""
    for ended in ("hand", "proven"):
        before = DebugPlay().run().returned(cause(TEST))
        before = before.answered("fixed") if ended == "hand" else before.answered("now").fixed()
        assert "verify" == before.run().about
        play = DebugPlay()
        play.record(DocumentTakenOver(document=document_of(before.state)))
        assert "verify" == play.run().about
        assert before.state.resolution.fix == play.state.resolution.fix
        assert "resolved" == play.answered("confirmed").run().state.status


def test_a_resolved_session_that_only_its_document_knows_is_looked_into_again() -> None:
    """Its evidence stays, its root cause did not hold."""
    before = DebugPlay().run().returned(cause(TEST)).answered("fixed").run()
    before.answered("confirmed").run()
    document = document_of(before.state)
    assert DebugStatus.RESOLVED is document.status
    play = DebugPlay()
    play.record(DocumentTakenOver(document=document))
    assert isinstance(play.run().doing, AgentCall)
    assert (document.evidence, "") == (play.state.evidence, play.state.resolution.root_cause)


def test_no_setting_says_that_a_symptom_is_gone_without_a_proof() -> None:
    """An investigator's word is for a person to judge."""
    sure = replace(MANY, debug_answers={"verify": "confirmed"})
    claim = FixClaim(root_cause="a", fix="b", verification="it says 6", files_changed=())
    play = DebugPlay(settings=sure).run()
    play.returned(returns("debug_complete", "look at the tax", completed=claim))
    assert ("verify", False) == (play.run().about, bool(play.state.ended))
    play = DebugPlay(settings=sure).run().returned(cause(TEST)).answered("now").fixed()
    assert "resolved" == play.run().state.status


@pytest.mark.parametrize(
    ("about", "word", "turn"),
    [("checkpoint", "done", waiting()), ("inconclusive", "continue", inconclusive())],
)
def test_no_setting_goes_on_beyond_a_bound(about: str, word: str, turn: dict[str, Any]) -> None:
    """What it answers counts on: who returns the same again is for a person to judge."""
    sure = {about: word, "circles": "continue", "budget": "continue"}
    play = DebugPlay(settings=replace(MANY, debug_answers=sure, max_usd=1.0)).run()
    play.returned(turn)
    assert isinstance(play.doing, AgentCall)
    assert "circles" == play.returned(turn).about
    play.answered("continue")
    play.state = replace(play.state, spent=(*play.state.spent, Usage(usd=2.0)))
    assert "budget" == play.returned(turn).about


def test_what_is_only_to_be_found_is_not_fixed_because_a_setting_answers() -> None:
    """Over a continuation, too; the person's own word does."""
    play = DebugPlay(settings=replace(MANY, debug_answers={"fix": "now"}), aim=Aim.FIND)
    play.run().returned(cause(TEST))
    play.record(WentBack(checkpoint="diagnosed"))
    assert ("fix", Aim.FIND) == (play.run().about, play.state.aim)
    play.answered("now")
    assert isinstance(play.doing, RunSession)


def test_an_answer_that_was_not_offered_is_refused() -> None:
    """And nothing changes."""
    play = DebugPlay().run().returned(cause())
    with pytest.raises(TransitionRefused, match="no answer"):
        play.record(Answered(id="q1", option="confirmed"))


def test_what_is_said_again_is_written_once() -> None:
    """A fresh investigator may find the same."""
    play = DebugPlay().run().returned(cause(lacks="blind_spots")).returned(cause())
    weighed = "weighed the root cause that was named: total takes one off"
    assert ["shop/total.py:6", weighed] == [each.checked for each in play.state.evidence]
    assert 1 == len(play.state.eliminated)


def test_a_pasted_traceback_is_looked_up_before_anybody_is_asked() -> None:
    """Where it ended in this version is evidence."""
    pasted = (
        'Traceback (most recent call last):\n  File "/srv/shop/a.py", line 9, in f\n    g()\nE: x'
    )
    play = DebugPlay(symptoms=Symptoms(errors=pasted)).run()
    assert isinstance(play.doing, MapTraceback)
    frame = MappedFrame(
        path="shop/a.py", line=3, function="f", code="g()", pasted="/srv/shop/a.py:9"
    )
    play.end(TracebackMapped(error="E: x", frames=(frame,)))
    assert "E: x at shop/a.py:3 in f: g()" == play.state.evidence[-1].found
    assert isinstance(play.run().doing, AgentCall)


def test_a_person_may_go_on_with_other_agents() -> None:
    """From there on, and for the fix too."""
    play = DebugPlay().run().returned(inconclusive())
    play.record(AgentsChosen(agents=("three",)))
    play.answered("continue")
    assert isinstance(play.doing, AgentCall)
    assert "three" == play.doing.agent
    child = play.returned(cause(TEST)).answered("now").doing
    assert isinstance(child, RunSession)
    assert ["three"] == list(child.request["settings"]["agent"])


def test_an_edit_of_the_document_is_offered_and_taken_over_by_the_rules() -> None:
    """Entries are added, symptoms corrected with a trail, and nothing that was known is lost."""
    play = DebugPlay().run().returned(waiting()).answered("words", "euros")
    play.returned(inconclusive())
    known = document_of(play.state)
    added = EvidenceEntry(checked="the log", found="a rounding", implication="look there")
    theirs = replace(
        known,
        evidence=(added,),
        symptoms=replace(known.symptoms, actual="9.98"),
        focus=CurrentFocus(hypothesis="rounding"),
    )
    broken = tuple(broken_rules(known, theirs))
    assert 2 == len(broken)
    play.record(DocumentEdited(document=theirs, broken=broken))
    assert "edit" == play.answered("continue").about
    play.rules = False
    play.answered("import")
    assert ("9.98", "rounding") == (play.state.symptoms.actual, play.state.focus.hypothesis)
    assert ["euros", "actual was: 9.99", "a rounding"] == [e.found for e in play.state.evidence]
    assert isinstance(play.doing, AgentCall)


def test_an_edit_that_is_not_wanted_changes_nothing() -> None:
    """The person's file is kept beside it."""
    play = DebugPlay().run().returned(inconclusive())
    before = play.state.evidence
    play.record(DocumentEdited(document=replace(document_of(play.state), evidence=())))
    play.answered("continue").answered("discard")
    assert before == play.state.evidence
    assert isinstance(play.doing, AgentCall)


def test_a_specialist_s_suggestion_reaches_whoever_fixes_it() -> None:
    """It is written into the document, by the hint; under TDD nobody is asked."""
    reviewing = replace(MANY, review="expert")
    play = DebugPlay(settings=reviewing).run().returned(cause(TEST))
    assert isinstance(play.doing, AgentCall)
    assert ("review", "expert") == (play.doing.role, play.doing.agent)
    assert "fix" == play.reviewed().about
    assert ("python: SUGGEST_CHANGE: use Decimal",) == document_of(play.state).review
    child = play.answered("now").doing
    assert isinstance(child, RunSession)
    assert "use Decimal" in child.request["guidance"][1]
    under = DebugPlay(settings=reviewing, tdd=True).run().returned(cause())
    assert isinstance(under.doing, AgentCall)
    assert "write-test" == under.doing.role


def test_a_reviewer_that_fails_holds_nothing_up_and_counts_as_none() -> None:
    """Never as one that found it good."""
    play = DebugPlay(settings=replace(MANY, review="expert")).run().returned(cause(TEST))
    play.failed("not_installed")
    assert ("fix", ()) == (play.about, document_of(play.state).review)


@pytest.mark.parametrize("test", ["-p evil", "--rootdir=/", " t.py", "t.py\nx", ""])
def test_what_an_investigator_names_as_a_test_is_no_option_of_the_runner(test: str) -> None:
    """It goes on the runner's command line: anything else is a malformed return."""
    with pytest.raises(msgspec.ValidationError, match="names no test"):
        msgspec.convert(cause(test)["says"], InvestigateReply)


def test_a_person_corrects_frozen_symptoms_in_any_answer() -> None:
    """What stood there is an entry of the evidence; the command is run anew."""
    play = DebugPlay(rules=False).run()
    play.returned(waiting())
    play.answered("words", "expected: 10\n$ shop 1 2 3")
    assert ("10", "$ shop 1 2 3", "9.99") == (
        play.state.symptoms.expected,
        play.state.symptoms.reproduction,
        play.state.symptoms.actual,
    )
    trail = play.state.evidence[-1]
    assert "a person corrected the symptoms" == trail.checked
    assert "expected was: not said; reproduction was: not said" == trail.found
    assert isinstance(play.doing, Reproduce)


@pytest.mark.parametrize(
    ("files", "said", "hint"),
    [
        (("a.ts", "b.py", "c.ts"), "", "typescript"),
        (("a.tsx",), "", "react"),
        (("a.swift",), "", "swift"),
        (("a.swift",), "a list is waited for", "swift"),
        (("a.swift",), "it lacks an await", "swift_concurrency"),
        (("a.rs",), "", "rust"),
        (("a.kt",), "", "android"),
        (("Makefile",), "", "general"),
        ((), "", "general"),
    ],
)
def test_a_specialist_is_chosen_by_the_files(files: tuple[str, ...], said: str, hint: str) -> None:
    """Where the investigator names none."""
    assert hint == hint_of(files, said)
    found = RootCause(
        root_cause=said or "it is off",
        fix_direction="mend it",
        files=tuple(FileIssue(file=file) for file in files),
    )
    assert (hint, "go") == (found.specialist, replace(found, specialist_hint="go").specialist)


def test_words_that_correct_nothing_leave_the_symptoms() -> None:
    play = DebugPlay().run()
    before = play.state.symptoms
    play.returned(waiting())
    play.answered("words", "it is euros: always")
    assert before == play.state.symptoms


def test_the_goal_to_find_the_cause_only_survives_five_continuations() -> None:
    """Without an explicit Fix now nothing is fixed, however often a person goes on."""
    play = DebugPlay(aim=Aim.FIND).run()
    for number in range(5):
        play.returned(cause(TEST))
        if play.state.question is not None:
            play.answered("words", f"not that, {number}")
            play.returned(cause(TEST))
        if play.state.question is not None:
            play.answered("manual")
        assert (Aim.FIND, DebugStatus.DIAGNOSED, 0) == (
            play.state.aim,
            play.state.status,
            play.state.fixes,
        )
        play.record(WentBack(checkpoint="diagnosed", text=f"look further, {number}"))
        play.run()
    assert Aim.FIND is play.state.aim


ASKING: dict[str, Callable[[], DebugPlay]] = {
    "symptoms": lambda: DebugPlay(symptoms=Symptoms(), rules=False).run(),
    "checkpoint": lambda: DebugPlay().run().returned(waiting()),
    "fix": lambda: DebugPlay().run().returned(cause(TEST)),
    "inconclusive": lambda: DebugPlay().run().returned(inconclusive()),
    "circles": lambda: DebugPlay().run().returned(continuing()).returned(continuing()),
    "agent": lambda: DebugPlay().run().failed("refusal").failed("refusal"),
    "test": lambda: (
        DebugPlay(tdd=True)
        .run()
        .returned(cause(TEST))
        .saw("no")
        .wrote()
        .saw("no")
        .wrote()
        .saw("no")
    ),
    "red": lambda: DebugPlay(tdd=True).run().returned(cause(TEST)).saw(),
    "rejected": lambda: (
        DebugPlay().run().returned(cause(TEST)).answered("now").fixed("stopped", "")
    ),
    "verify": lambda: DebugPlay().run().returned(cause(TEST)).answered("now").fixed(),
}


@pytest.mark.parametrize("about", ASKING)
def test_no_answer_leads_back_to_the_question_at_once(about: str) -> None:
    """Each ends the session, or begins something, or leads to another question."""
    question = ASKING[about]().state.question
    assert question
    assert about == question.about
    for option in question.options:
        play = ASKING[about]()
        play.rules = False
        state = play.answered(option.word, "what I know").state
        assert state.question is None or state.question.text != question.text
        assert state.ended or state.in_flight or state.question, option.word
