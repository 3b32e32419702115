"""What a person's answer does, by what they were asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec.structs import asdict, replace

from clew.documents.debug_sessions.fields import fields, tidy, value
from clew.flows.investigation.events import Topic
from clew.flows.investigation.states.moving import found, look_again, moved, refuse
from clew.flows.investigation.states.record import DebugState, PersonsWords
from clew.words.debug_sessions import (
    PROMPT,
    WORKS,
    Aim,
    DebugStatus,
    Eliminated,
    Symptoms,
    command_in,
    working_in,
)
from clew.words.errors import TransitionRefused
from clew.words.investigations import RootCause
from clew.words.printable import one_line, shortened
from clew.words.records import Answered

__all__ = [
    "BY_HAND",
    "FOR_A_PERSON",
    "PROVEN_ONCE",
    "SAYS",
    "UNSHOWN",
    "WORDS",
    "answered",
    "told",
    "unshown",
]

WORDS = "words"  # the answer that is a person's own words
DONE = "it is done as asked, or looks right"
ASKED = 200  # characters of what an investigator wanted
FIXED = "fixed"
BY_HAND = "made by hand"
SAYS = "a person says: "
PROVEN_ONCE = " (its fix was proven, and not confirmed)"
UNSHOWN = "a person says so"
UNCONFIRMED = " (found before a person fixed it, and not confirmed)"
STOP = "stop"
LEFT = "a person stopped it"
FOR_A_PERSON = frozenset({Topic.CIRCLES, Topic.BUDGET, Topic.AGENT, Topic.TEST})  # bounds
NAMED = (*Symptoms.__struct_fields__, "works")  # what a person's words name


def answered(state: DebugState, event: Answered, at: datetime) -> DebugState:
    """Return the state after an answer. Raises TransitionRefused for one that was not offered."""
    question = state.question
    if question is None or question.id != event.id:
        raise TransitionRefused(f"no question {event.id} is open")
    if event.option not in (option.word for option in question.options):
        raise TransitionRefused(f"{event.option!r} is no answer to question {event.id}")
    before, state = state, replace(state, question=None)
    if not _is_beforehand(state, question.about, event):
        state = replace(state, granted=len(state.spent), allowed=state.worked)
    text = event.text or (DONE if event.option == "done" else "")
    if text and question.about is not Topic.SYMPTOMS:
        said = PersonsWords(about=str(question.about), text=text)
        what = f"asked a person ({_about(state, question.about)})"
        state = found(replace(state, words=(*state.words, said)), at, what, text, "as they say")
        state = corrected(state, named(event.text), at)
    if event.option == STOP:
        return replace(state, stopping=event.text or LEFT)
    if question.about is Topic.EDIT:
        taken = _taken(state, at) if event.option == "import" else state
        return replace(taken, edited=None)
    after = _BY_TOPIC[question.about](state, event)
    if _is_beforehand(state, question.about, event):
        after = replace(after, returns=before.returns)
    looks_on = after.status is DebugStatus.INVESTIGATING and after.cause is None
    return replace(after, base=None) if looks_on else after  # they may have changed their tree


def _is_beforehand(state: DebugState, about: Topic, event: Answered) -> bool:
    """Whether a setting said so, and nobody who knows what was done since: bounds count on."""
    said = state.settings.debug_answers.get(str(about))
    return about not in FOR_A_PERSON and not event.text and said == event.option


def _about(state: DebugState, topic: Topic) -> str:
    """Say what was asked: of a checkpoint, what the investigator wanted."""
    reached = state.unread.checkpoint if state.unread else None
    if topic is not Topic.CHECKPOINT or reached is None:
        return str(topic)
    return f"{topic}: {shortened(one_line(reached.details), ASKED)}"


def _taken(state: DebugState, at: datetime) -> DebugState:
    """Take what a person wrote into the document, as far as its rules let them.

    Entries that they added are added; what they took out stays. Symptoms are corrected with a
    trail, and what was thought and found to be the cause is theirs.
    """
    if state.edited is None:
        return state
    theirs = state.edited.document
    state = corrected(state, asdict(theirs.symptoms), at)
    known, out = set(state.evidence), set(state.eliminated)
    return replace(
        state,
        evidence=state.evidence + tuple(e for e in theirs.evidence if e not in known),
        eliminated=state.eliminated + tuple(e for e in theirs.eliminated if e not in out),
        focus=replace(theirs.focus, next_action=state.focus.next_action),
        returns=(),
    )


def corrected(state: DebugState, said: Mapping[str, str], at: datetime) -> DebugState:
    """Correct symptoms that are frozen, with a trail; what follows from them is found out anew."""
    new = {n: text for n, text in said.items() if text != getattr(state.symptoms, n)}
    if "reproduction" in new:  # what is not named anew stays
        named_now = Symptoms(reproduction=new["reproduction"])
        stays = named_now.shown_by(
            command_in(named_now) or state.command, working_in(named_now) or state.working
        )
        new["reproduction"] = stays.reproduction
    if not new:
        return state
    was = "; ".join(f"{n} was: {getattr(state.symptoms, n) or 'not said'}" for n in new)
    state = found(state, at, "a person corrected the symptoms", was, "what stands there now holds")
    symptoms, unmet = replace(state.symptoms, **new), state.unmet and "expected" not in new
    looked_at = {"mapped": None, "reproduced": None, "checked": None}
    return replace(state, symptoms=symptoms, unmet=unmet, **looked_at)


def named(text: str) -> dict[str, str]:
    """Return the symptoms that a person's words name: `expected: 6`, or a command after `$ `."""
    lines = [line.strip() for line in text.split("\n")]
    typed = [line for line in lines if line.startswith((PROMPT, WORKS))]
    said = fields((line for line in lines if line not in typed), NAMED)
    known = {n: _said(n, said[n]) for n in Symptoms.__struct_fields__ if n in said}
    if "works" in said:
        typed.append(f"{WORKS}{value(said['works']).removeprefix(PROMPT)}")
    if typed and "reproduction" not in known:
        known["reproduction"] = "\n".join(typed)
    return known


def _said(name: str, raw: str) -> str:
    """Return what a field says; quotes around what is expected say that it is printed so."""
    return raw.strip() if name == "expected" and "\n" not in raw else value(raw)


def told(text: str) -> Symptoms:
    """Return the symptoms that a text names, field by field; words without a field are what is.

    A line of these that is a command shows it.
    """
    found = fields(text.split("\n"), NAMED)
    if found and "actual" not in found:
        found = fields(("actual:", *text.split("\n")), NAMED)
    known = {n: _said(n, found[n]) for n in Symptoms.__struct_fields__ if n in found}
    known = known or {"actual": text.strip()}
    actual = known.get("actual", "").split("\n")
    typed = [line for line in actual if line.strip().startswith(PROMPT)]
    if typed and "reproduction" not in known:
        known["actual"] = "\n".join(line for line in actual if line not in typed).strip()
        known["reproduction"] = "\n".join(map(str.strip, typed))
    works = value(found.get("works", "")).removeprefix(PROMPT)
    said = Symptoms(**known)
    return said.shown_by(command_in(said), works) if works else said


def _symptoms(state: DebugState, event: Answered) -> DebugState:
    new = told(event.text) if event.text.strip() else Symptoms()
    given = {n: text for n in Symptoms.__struct_fields__ if (text := getattr(new, n))}
    status = moved(state, DebugStatus.INVESTIGATING)
    return replace(state, symptoms=replace(state.symptoms, **given), status=status)


def _go_on(state: DebugState, event: Answered) -> DebugState:
    state = replace(state, returns=(), unread=None)
    return _fixed(state, event) if event.option == FIXED else state


def _fix(state: DebugState, event: Answered) -> DebugState:
    match event.option:
        case "now":
            return replace(state, aim=Aim.FIX, status=moved(state, DebugStatus.FIXING))
        case "words":
            return _ruled_out(refuse(replace(state, returns=())), state.cause, event)
        case word if word == FIXED:
            return _fixed(state, event)
        case _:
            return replace(state, choice=event.option)


def _ruled_out(state: DebugState, cause: RootCause | None, event: Answered) -> DebugState:
    """Take a person's word that a root cause is none."""
    if cause is None:
        return state
    out = Eliminated(
        hypothesis=tidy(cause.root_cause),
        evidence=tidy(f"a person says: {event.text}"),
        timestamp=state.evidence[-1].timestamp if state.evidence else "",
    )
    return replace(state, eliminated=(*state.eliminated, out))


def _fixed(state: DebugState, event: Answered) -> DebugState:
    """Take a person's word that it is fixed, for their tree as it is now.

    What was proven before is no part of that. The cause is what they say; else what was found, of
    which nobody knows whether it is what they fixed.
    """
    found = state.resolution.root_cause.removesuffix(UNCONFIRMED).removesuffix(PROVEN_ONCE)
    said = event.text
    kept = f"{found.rstrip('. ')}{UNCONFIRMED}" if found else ""
    resolution = replace(
        state.resolution,
        root_cause=f"{SAYS}{said}" if said and not named(said) else kept,
        fix=f"made by plan {state.plan}" if state.plan else BY_HAND,
        verification=unshown(state),
        files_changed=(),
        oracle_type="person",
    )
    fixing = state.status is DebugStatus.FIXING
    to = DebugStatus.VERIFYING if fixing else DebugStatus.AWAITING_HUMAN_VERIFY
    status = moved(state, to)
    looked_at = {"base": None, "checked": None, "still_works": None, "fix": None}
    return replace(state, resolution=resolution, status=status, **looked_at)


def unshown(state: DebugState) -> str:
    """Say how it is known that the symptom is gone where a person says so."""
    return f"`{state.command}` does not show it" if state.command else UNSHOWN


def _agent(state: DebugState, _: Answered) -> DebugState:
    return replace(state, rung=0, failures=(), complaint="")


def _test(state: DebugState, event: Answered) -> DebugState:
    if event.option == "rewrite":
        return replace(state, rewrites=0)
    status = moved(state, DebugStatus.INVESTIGATING)
    return replace(refuse(state), status=status, returns=())


def _red(state: DebugState, event: Answered) -> DebugState:
    if event.option == "confirmed":
        return replace(state, confirmed=True)
    cause = replace(state.cause, failing_tests=()) if state.cause else None
    said = f"a person says: {event.text}"
    return replace(state, cause=cause, test=None, seen=None, complaint=said)


def _rejected(state: DebugState, event: Answered) -> DebugState:
    if event.option == FIXED:
        return _fixed(state, event)
    status = moved(state, DebugStatus.INVESTIGATING)
    return replace(refuse(state), status=status, returns=())


def _verify(state: DebugState, event: Answered) -> DebugState:
    if event.option == "confirmed":
        return replace(state, status=moved(state, DebugStatus.RESOLVED))
    status = moved(state, DebugStatus.INVESTIGATING)
    again = refuse(state) if state.fix else look_again(state)
    return replace(again, status=status, returns=(), base=None)


_BY_TOPIC: Mapping[Topic, Callable[[DebugState, Answered], DebugState]] = {
    Topic.SYMPTOMS: _symptoms,
    Topic.CHECKPOINT: _go_on,
    Topic.FIX: _fix,
    Topic.INCONCLUSIVE: _go_on,
    Topic.CIRCLES: _go_on,
    Topic.AGENT: _agent,
    Topic.BUDGET: _go_on,
    Topic.TEST: _test,
    Topic.RED: _red,
    Topic.REJECTED: _rejected,
    Topic.VERIFY: _verify,
}
