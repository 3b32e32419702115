"""What a proven fix taught, written into the project's knowledge base once."""

from __future__ import annotations

import posixpath
from pathlib import Path
from urllib.parse import quote

from clew.analysis import failures
from clew.documents import knowledge
from clew.documents.templating import moment
from clew.flows.debugging.collect import last_own_green
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.documenting import changes
from clew.flows.debugging.driver.holding import proven_state
from clew.flows.debugging.states import ChosenChange, State, require
from clew.git.worktrees import path_text
from clew.sessions import knowledge_base
from clew.words import events as ev
from clew.words.facts import Diagnosis
from clew.words.papers import KNOWLEDGE_BASE
from clew.words.verdicts import VOUCHED

__all__ = ["learn"]

MOST_PATTERNS = 12
MOST_GUARDS = 8


def learn(debug_run: DebugRun) -> tuple[Path, str]:
    """Add the entry of the fix that was proven; return the file, and the entry's slug.

    An entry that is there is not written again: not after a crash, and not by hand-made edits.
    """
    session, commit = _learned_before(debug_run)
    return knowledge_base.learn(
        debug_run.project.root,
        session,
        commit,
        lambda taken: _entry(debug_run, taken),
    )


def _learned_before(debug_run: DebugRun) -> tuple[str, str]:
    """Return the session and the commit of the entry: those that made the fix, whoever took it."""
    state = debug_run.state
    if state.held:
        made = (e.commit for e in state.history if e.iteration == max(state.held))
        return debug_run.id, next(made, None) or state.head
    other = proven_state(debug_run, state.held_of) if state.held_of else None
    return (state.held_of, other.head) if other is not None else (debug_run.id, state.head)


def _entry(debug_run: DebugRun, taken: frozenset[str]) -> knowledge.KnowledgeEntry:
    state = debug_run.state
    helped, choice = state.helpful, state.choice
    if choice:
        instead = choice.iteration
        helped = tuple(e for e in state.history if e in helped or e.iteration == instead)
    told = {event.iteration: event.diagnosis for event in state.diagnoses}
    diagnoses = [told[entry.iteration] for entry in helped if entry.iteration in told]
    titles = "; ".join(dict.fromkeys(d.title for d in diagnoses))
    title = titles or _made_elsewhere(state) or "Fixed by hand"
    files = tuple(path_text(change.path) for change in changes(debug_run))
    by_hand = state.snapshot.by_hand if state.snapshot else ()
    rows = state.proof.rows if state.proof else ()
    vouched = (f"{VOUCHED}{r.refusal}" for r in rows if r.vouched)
    return knowledge.KnowledgeEntry(
        slug=knowledge.name_of(title, taken),
        title=title,
        date=debug_run.clock(),
        session=debug_run.id,
        commit=state.head,
        patterns=_patterns(state, helped),
        causes=tuple(dict.fromkeys(entry.root_cause for entry in helped if entry.root_cause)),
        fixes=_fixes(state, helped),
        files=files or by_hand,
        by=tuple(dict.fromkeys(entry.worker for entry in helped if entry.agent)),
        why_not_caught=_why_not_caught(debug_run),
        doubts=(*state.doubts, *vouched),
        guards=_guards(state, diagnoses),
        in_place=state.in_place,
        links=_links(debug_run),
    )


def _made_elsewhere(state: State) -> str:
    """Name the other session whose fix it is, if it is of one."""
    return f"The fix of session {state.held_of}" if state.held_of else ""


def _fixes(state: State, helped: tuple[ev.IterationEnded, ...]) -> tuple[str, ...]:
    """Return what was changed, of iterations or by another session; nothing where by hand."""
    made = (*(_fix(entry, state.choice) for entry in helped), _made_elsewhere(state))
    return tuple(filter(None, made))


def _fix(entry: ev.IterationEnded, choice: ChosenChange | None) -> str:
    """Say what mended it: an iteration's change, or the one that a person took in its place."""
    if choice is None or entry.iteration != choice.iteration:
        return entry.fix_attempted
    other = f"; the other one: {entry.fix_attempted}" if entry.fix_attempted else ""
    return f"{choice.told.other}, which a person chose of two changes that pass{other}"


def _why_not_caught(debug_run: DebugRun) -> str:
    """Say what is known of the time before: no more."""
    state = debug_run.state
    argv = require(state.baseline).command.argv
    green = last_own_green(debug_run, argv, debug_run.id)
    if green is None:
        return "No passing run of these tests on the code without a fix is on record."
    return (
        f"The tests last passed, as far as Clew ran them, on {moment(green.at)}"
        f" ({green.session}); what broke them came later."
    )


def _patterns(state: State, helped: tuple[ev.IterationEnded, ...]) -> tuple[str, ...]:
    first = require(state.baseline).red
    lines = [red.error for red in first if red.id not in state.flaky]
    lines += [error for entry in helped for error in entry.new_errors]
    return tuple(dict.fromkeys(failures.normalise(line) for line in lines))[:MOST_PATTERNS]


def _guards(state: State, diagnoses: list[Diagnosis]) -> tuple[str, ...]:
    """Return what would tell of the fault if it came back."""
    tests = [red.id for red in require(state.baseline).red if red.id not in state.flaky]
    shown = [f"`{test}` is red without the fix" for test in tests[:MOST_GUARDS]]
    more = len(tests) - MOST_GUARDS
    if more > 0:
        shown.append(f"and {more} more tests are")
    return (*shown, *dict.fromkeys(d.prevention for d in diagnoses if d.prevention))


def _links(debug_run: DebugRun) -> dict[str, str]:
    """Return the way to the summary and to each report."""
    summary = (debug_run.documents / "summary.md").relative_to(debug_run.project.root).as_posix()
    paths = {"workflow summary": summary}
    paths |= {f"report {r.number:03}": r.path for r in debug_run.state.reports}
    here = posixpath.dirname(KNOWLEDGE_BASE)
    return {label: quote(posixpath.relpath(path, here)) for label, path in paths.items()}
