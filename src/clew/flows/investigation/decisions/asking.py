"""Every question that a debug session asks a person, with its answers.

What an agent said is data, for the person and for agents: no line of it stands where Clew's own do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.flows.investigation.events import DebugAsked, DocumentEdited, TestSeen, Topic
from clew.flows.investigation.states import DebugState
from clew.journal.flow import Record
from clew.words.events import OptionOffered
from clew.words.facts import BUILT_IN
from clew.words.investigations import CheckpointReached, Inconclusive
from clew.words.oracles import lacks
from clew.words.printable import below, shortened
from clew.words.verdicts import BUT_SETTLED

__all__ = [
    "ask_about_agents",
    "ask_about_bounds",
    "ask_about_checkpoint",
    "ask_about_edit",
    "ask_about_fix",
    "ask_about_inconclusive",
    "ask_about_red",
    "ask_about_rejection",
    "ask_about_symptoms",
    "ask_about_test",
    "ask_to_verify",
]

STOP = ("stop", "leave it; everything is kept, and `clew debug continue` goes on")
ANSWER = ("words", "answer in your own words")
FIXED = ("fixed", "it is fixed, by hand or by a plan: your tree is looked at as it is now")
UNSAID = "no reason was given"


def ask_about_symptoms(state: DebugState) -> Record:
    """Ask what only the person has seen."""
    text = (
        "What exactly did you see? A line each, as far as you know it:\n"
        "expected: what should happen\nactual: what happens\nerrors: messages, a traceback\n"
        "reproduction: how to make it happen; `$ command` is run by Clew\nstarted: since when"
    )
    skip = ("skip", "that is all that is known")
    return _asked(state, Topic.SYMPTOMS, text, ANSWER, skip, STOP)


def ask_about_checkpoint(state: DebugState, reached: CheckpointReached) -> Record:
    """Hand over what an investigator needs a person for."""
    text = _lines(
        "Debug checkpoint reached:",
        f"Type: {reached.type}",
        below(reached.details),
        below(reached.awaiting),
    )
    done = ("done", "it is done as asked, or looks right")
    return _asked(state, Topic.CHECKPOINT, text, ANSWER, done, FIXED, STOP)


def ask_about_inconclusive(state: DebugState, told: Inconclusive) -> Record:
    """Say what was looked at, and what is left."""
    text = _lines(
        _sent_back(state),
        "Investigation inconclusive.",
        below("; ".join(told.checked), "Checked:"),
        below("; ".join(told.remaining), "Remaining:"),
        below(told.recommendation),
    )
    go_on = ("continue", "a fresh investigator looks further")
    context = ("words", "add what you know, and look further")
    return _asked(state, Topic.INCONCLUSIVE, text, go_on, context, FIXED, STOP)


def ask_about_fix(state: DebugState) -> Record:
    """Ask which way the fix is to be made."""
    cause, now = state.cause, state.reproduced
    gone = now is not None and now.exit_code == 0 and not now.failed and state.reopened
    text = _lines(
        _sent_back(state),
        f"`{state.command}` does not show it in your tree as it is now: `fixed`, if it is gone."
        if gone
        else "",
        "Root cause identified:",
        below(cause.root_cause) if cause else "",
        below(cause.fix_direction, "Fix:") if cause else "",
        _aside(state),
        "How would you like to proceed?",
    )
    return _asked(
        state,
        Topic.FIX,
        text,
        ("now", "Fix now: Clew has it made and proven in a private copy"),
        ("plan", f"Plan fix: a plan that `clew run` carries out{_by_an_agent(state)}"),
        ("manual", "Manual fix: you make it yourself"),
        ("words", "it is not that: say why, and look further"),
        FIXED,
    )


def _by_an_agent(state: DebugState) -> str:
    """Say that a plan needs an agent, where the session has none but the built-in repairer."""
    alone = set(state.settings.agent) == {BUILT_IN}
    return ", with `--agent NAME`: the built-in repairer only mends tests" if alone else ""


def ask_about_bounds(state: DebugState, topic: Topic, why: str) -> Record:
    """Ask whether to go on beyond a bound."""
    text = _lines(
        f"{why[0].upper()}{why[1:]}.",
        below(state.complaint, "Sent back:"),
        below(state.focus.next_action, "Next:"),
        "Go on?",
    )
    return _asked(
        state, topic, text, ("continue", "go on"), ("words", "go on, with what you know"), STOP
    )


def ask_about_agents(state: DebugState) -> Record:
    """Say that no agent can go on, and why."""
    last = state.given_up
    failed = f"{last.agent} failed ({last.kind}):" if last else ""
    why = below(shortened(last.message, 400) or UNSAID, failed) if last else ""
    other = f"`clew debug continue {state.session.slug} --agent NAME` goes on with another one."
    text = _lines("No agent can go on.", why, other)
    return _asked(state, Topic.AGENT, text, ("again", "ask them again"), STOP)


def ask_about_edit(state: DebugState, edited: DocumentEdited) -> Record:
    """Offer to take over what a person wrote into the document."""
    broken = "; ".join(edited.broken)
    text = _lines(
        f"{state.session.document} was edited by hand since the last cycle.",
        f"Not all of it can hold: {broken}." if broken else "",
        "Entries that you added, symptoms that you corrected, and what you think now can be taken"
        " over. Your file is kept beside it in any case.",
    )
    take = ("import", "take it over")
    leave = ("discard", "go on as it was")
    return _asked(state, Topic.EDIT, text, take, leave)


def ask_about_test(state: DebugState) -> Record:
    """Say why no test goes red: it is written anew, or the cause is another."""
    why = "No test shows the fault, and a test that was never red proves nothing."
    text = _lines(why, below(state.complaint))
    rewrite = ("rewrite", "have it written once more")
    words = ("words", "look for the cause again, with what you know")
    return _asked(state, Topic.TEST, text, rewrite, words, STOP)


def ask_about_red(state: DebugState, seen: TestSeen) -> Record:
    """Show the failing test before anything is fixed."""
    test = state.test
    text = _lines(
        "TDD gate: failing test written." if test else "TDD gate: a failing test is there.",
        below(test.file, "Test file:") if test else "",
        below(test.name, "Test name:") if test else below(", ".join(seen.tests), "Tests:"),
        below(seen.written),
        below(seen.place, "All of it:"),
        "Status: RED (failing: it shows the fault)",
        "Failure output:",
        below(seen.output),
        "Is it the right test, and red for the right reason?",
    )
    confirmed = ("confirmed", "go on: have it fixed")
    words = ("words", "say what is wrong with it; it is written anew")
    return _asked(state, Topic.RED, text, confirmed, words, STOP)


def ask_about_rejection(state: DebugState) -> Record:
    """Say why a fix is not proven."""
    ended = state.rejected
    text = _lines(
        "The fix is not proven: nothing of it is in your tree.",
        below(ended.reason or UNSAID, f"Session {ended.child} ended {ended.status}:")
        if ended
        else "",
        _kept(state),
    )
    revise = ("revise", "look for the cause again, with that")
    words = ("words", "look again, with what you know")
    return _asked(state, Topic.REJECTED, text, revise, words, FIXED, STOP)


def _kept(state: DebugState) -> str:
    """Say where a fix is that helped in part, and how a person takes it."""
    ended, part = state.rejected, state.in_part
    if part is None or part.ended != ended:
        return ""
    child = part.ended.child
    return _lines(
        below(part.ended.result["fix"], "What helped in part is kept:"),
        f"`clew diff {child}` shows it, `clew apply {child}` puts that into your tree; then answer"
        " `fixed`, and what it leaves red is another matter.",
    )


def ask_to_verify(state: DebugState) -> Record:
    """Ask whether the symptom is gone; nothing but the person's word resolves it."""
    session = state.session.session_id
    proven = state.fix is not None
    told = state.fix.result if state.fix else {}
    text = _lines(
        _how_fixed(state),
        below(state.resolution.fix, "Fix:"),
        "" if proven else below(", ".join(state.resolution.files_changed), "Files:"),
        below(str(told.get("sure", "")), "How sure:"),
        below("; ".join(state.doubts), "The proof doubts:"),
        below("; ".join(state.weak), "Weakly tested:"),
        _aside(state),
        "" if proven else below(state.resolution.verification, "How that is known:"),
        *_seen(state),
        f"`clew diff {session}` shows it, `clew apply {session}` puts it into your tree, where you"
        " can try it, and with `--undo` takes it out again."
        if proven
        else "",
        below(f"{state.session.trigger}?", "Is this gone:"),
    )
    return _asked(
        state,
        Topic.VERIFY,
        text,
        ("confirmed", "it is gone: the session is resolved, and Clew learns from it"),
        ("words", "it is not: say what you still see, and look further"),
        STOP,
    )


def _how_fixed(state: DebugState) -> str:
    if state.fix is None:
        kept, held = state.proven, state.base.holds if state.base else ""
        proof = "The fix of this session is in your tree, and was proven."
        is_proven = kept is not None and held == kept.ended.child
        return _lines("The symptom is said to be gone.", proof if is_proven else "")
    if state.checked is not None and lacks(state.checked.tail, state.awaited):
        return "The test of it passes. It does not print what is expected."
    return f"Fixed, and proven, {BUT_SETTLED}." if state.doubts else "Fixed, and proven."


def _sent_back(state: DebugState) -> str:
    return below(state.sent_back, "The fix was proven, and sent back:") if state.sent_back else ""


def _aside(state: DebugState) -> str:
    """Say which red tests are left as they are."""
    return below(", ".join(state.aside or ()), "Red as well, and left aside:")


def _seen(state: DebugState) -> Iterator[str]:
    """Yield how what showed the symptom ends now, and what worked, where it does otherwise."""
    now, expected = state.checked, state.expected
    if now is not None and now.exit_code is not None:
        yield below(now.tail or "nothing", f"`{now.command}` prints:")
        if expected and expected not in now.tail:
            known = state.misses(now.tail)
            yield below(expected, "That is not what is expected:" if known else "Expected is:")
    failed, test = state.reproduced, state.test
    made = test is not None and test.agent == BUILT_IN and not test.prints
    if made and failed is not None and failed.exit_code:
        whose = f"Of `{failed.command}` the" if state.works else "The"
        yield f"{whose} test asks only that it ends without an error: is what it prints right?"
    before, still = state.works, state.still_works
    if before is not None and still is not None and not still.ended_as(before):
        yield below(before.tail or "nothing", f"`{before.command}` worked, and printed:")
        yield below(still.tail or still.why_not or "nothing", "And prints now:")


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _asked(state: DebugState, about: Topic, text: str, *answers: tuple[str, str]) -> Record:
    session = state.session.session_id
    return Record(
        event=DebugAsked(
            id=f"q{state.asked + 1}",
            about=about,
            text=text,
            options=tuple(_options(session, answers)),
        )
    )


def _options(session: str, answers: Iterable[tuple[str, str]]) -> Iterable[OptionOffered]:
    for word, text in answers:
        said = '"your words"' if word == "words" else word
        yield OptionOffered(word=word, text=text, command=f"clew answer {session} {said}")
