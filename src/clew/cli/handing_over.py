"""What was tried, in the terminal; of an escalation, the next steps as well."""

from __future__ import annotations

from clew import api
from clew.api import ProjectSessions, State
from clew.cli.streams import fitted, say
from clew.words import events as ev

__all__ = ["handed_over", "show_history", "show_next_steps"]

SOME = 2  # errors of an attempt that are named


def handed_over(state: State) -> bool:
    """Whether the session waits with the question that an escalation ends in."""
    return bool(state.question and state.question.kind is ev.QuestionKind.ESCALATION)


def show_history(state: State) -> None:
    """Show each iteration of the session in a few lines."""
    for entry in api.iteration_views(state):
        say()
        in_round = f" (round {entry.round})" if state.round > 1 else ""
        back = ", undone since" if entry.taken_back else ""
        say(f"iteration {entry.number}{in_round}: {fitted(entry.result)}{back}")
        for label, text in (
            ("cause", entry.root_cause),
            ("fix", entry.fix_attempted or "none"),
            ("made on", entry.code),
            ("report", entry.report_path),
            ("note", entry.note),
        ):
            if text:  # a note ends with the tests that it is about
                told = fitted(text, 400) if label == "note" else fitted(text)
                say(f"  {label:<7} {told}")
        for error in entry.new_errors[:SOME]:
            say(f"  left    {fitted(error)}")
        if len(entry.new_errors) > SOME:
            say(f"          and {len(entry.new_errors) - SOME} more")


def show_next_steps(sessions: ProjectSessions, state: State) -> None:
    """Show the checkpoint that keeps the work, and the next steps."""
    steps = api.next_steps(sessions, state)
    if steps is None:
        return
    say()
    say(f"checkpoint: {steps.checkpoint}; `clew checkpoints {state.session.session_id}` has all")
    for number, step in enumerate(steps.steps):
        if not number:
            say("next steps:")
        say(f"  - {fitted(step, 400)}")
