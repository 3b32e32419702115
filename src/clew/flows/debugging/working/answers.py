"""What a person typed, as the answer to a question."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from msgspec.structs import replace

from clew import agents
from clew.flows.debugging.driver import DebugRun, drive
from clew.flows.debugging.states import TRANSITIONS, State
from clew.flows.debugging.working.held import BEFORE_A_ROUND, halt
from clew.words import events as ev
from clew.words.errors import UsageError
from clew.words.settings import load

__all__ = ["GUIDANCE", "answered", "budget_of", "handed_on", "words_of"]

GUIDANCE = "guidance"


def answered(state: State, option: str, text: str) -> ev.QuestionAnswered:
    """Return the answer that was typed. Raises UsageError where it is none."""
    question = state.question
    if question is None:
        raise UsageError(
            f"session {state.session.session_id} asks nothing", hint="`clew status` shows it."
        )
    words = [o.word for o in question.options]
    number = int(option) if option.isdecimal() else 0
    word = words[number - 1] if 0 < number <= len(words) else option
    if word not in words and GUIDANCE in words and " " in word.strip():
        word, text = GUIDANCE, f"{word} {text}"
    if word not in words:
        if word == GUIDANCE and text.strip():
            raise UsageError(
                f"the question of session {state.session.session_id} takes no guidance:"
                f" {question.text.splitlines()[0]}",
                hint=" or ".join(o.command for o in question.options),
            )
        close = difflib.get_close_matches(word, words, 1)
        raise UsageError(
            f"{option!r} is not an answer to this question" if option else "the answer is missing",
            hint=(f"Did you mean {close[0]!r}? " if close else "")
            + "Answers: "
            + ", ".join(f"{n} {w}" for n, w in enumerate(words, 1)),
        )
    if word == GUIDANCE and not text.strip():
        raise UsageError(
            "the guidance text is missing",
            hint=f'clew answer {state.session.session_id} guidance "what you know"',
        )
    return ev.QuestionAnswered(id=question.id, option=word, text=words_of(text).strip())


def handed_on(debug_run: DebugRun, ladder: object, text: str) -> ev.QuestionAnswered:
    """Return the answer with which other agents go on. Raises UsageError where none can.

    An iteration that was cut off ends here: its question is how to go on.
    """
    named = load((), {}, {"agent": ladder}).agent
    settings = replace(debug_run.settings, agent=named)
    agents.check(settings, debug_run.project)
    for each in named:
        agents.ready(each, settings, debug_run.project)
    unbounded = agents.unconfined_agents(settings, debug_run.project)
    if debug_run.state.question is None and ev.Halted in TRANSITIONS[debug_run.state.stage]:
        halt(debug_run, "a person hands it to other agents")
        if debug_run.state.stage not in BEFORE_A_ROUND:
            drive(debug_run, until=lambda state: state.question is not None)
    state, session = debug_run.state, debug_run.id
    question = state.question
    if question is None or GUIDANCE not in (option.word for option in question.options):
        raise UsageError(
            f"session {session} takes other agents only where it asks how to go on",
            hint=f"`clew fix --agent {ladder}` begins anew with them."
            if state.ended
            else f"`clew resume {session}` continues with those that it has.",
        )
    return ev.QuestionAnswered(
        id=question.id,
        option=GUIDANCE,
        text=words_of(text).strip(),
        agents=named,
        unbounded=unbounded,
    )


def budget_of(state: State, bounds: Mapping[str, object]) -> ev.Budget | None:
    """Return what the next round may take, by these bounds and else the session's; None by those.

    Raises UsageError for a bound that is none, and where no round is about to begin.
    """
    if all(value is None for value in bounds.values()):
        return None
    typed, own = load((), {}, bounds), state.settings.budget
    if state.question is None:
        session = state.session.session_id
        raise UsageError(
            f"session {session} is not waiting, and its round keeps the limits it started with",
            hint=f"`clew resume {session}` continues without these options.",
        )
    return ev.Budget(
        seconds=typed.max_seconds or own.seconds,
        tokens=typed.max_tokens or own.tokens,
        usd=typed.max_usd or own.usd,
    )


def words_of(typed: str) -> str:
    """Return what was typed as a journal can hold it: bytes that are no UTF-8 become "?"."""
    return typed.encode("utf-8", "replace").decode()
