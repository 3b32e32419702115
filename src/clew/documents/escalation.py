"""The message that hands over to a person, when the loop has come to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clew.analysis.failures import Contradiction, normalise
from clew.documents.markdown import code
from clew.documents.templating import fill
from clew.documents.views import IterationView, SessionView
from clew.words.events import ACCEPT, CHALLENGED, SETTLED, OptionOffered, Result
from clew.words.facts import REVISE, Fact, Option

__all__ = ["Escalation", "next_steps", "render"]

_NAMED = 3  # files in one sentence
OUTSIDE = ("ModuleNotFoundError", "ConnectionError", "ConnectionRefusedError", "PermissionError")


class Escalation(Fact, frozen=True, kw_only=True):
    """What the message says beside the session, which has the iterations of every round."""

    options: tuple[OptionOffered, ...]
    checkpoint: str
    unresolved: tuple[str, ...] = ()
    original_problem: str = ""  # by default the root cause that was diagnosed first
    reason: str = ""
    halted: bool = False  # before the last iteration: by a bound, the scope or a person
    contradictions: tuple[Contradiction, ...] = ()
    remedies: tuple[Option, ...] = ()  # that the newest diagnosis knows, and that edit no code
    against_tests: str = ""  # what else points at the tests rather than at the code
    first_iteration: int = 1  # of the round, over all rounds
    take_back: str = ""  # the command that takes back what a person chose, where it led to nothing
    repairer_alone: bool = False  # no agent was asked but the built-in repairer
    another_agent: str = ""  # the command that asks one as well, where there is one


def render(view: SessionView, escalation: Escalation) -> str:
    """Return the message: the problem, each attempt, five ways to go on, what to look at first."""
    problem = escalation.original_problem or next(
        (entry.root_cause for entry in view.iterations if entry.root_cause), ""
    )
    return fill(
        "clew.documents",
        "escalation",
        view=view,
        escalation=escalation,
        last=_last_round(view, escalation),
        rounds=max((entry.round for entry in view.iterations), default=1),
        problem=problem or next(iter(escalation.unresolved), "the tests fail"),
        options=escalation.options,
        changed=any(entry.progress for entry in view.iterations),
        steps=next_steps(view, escalation),
    )


def next_steps(view: SessionView, escalation: Escalation) -> tuple[str, ...]:
    """Return what is worth doing next, computed from the attempts, most concrete first."""
    last = _last_round(view, escalation)
    newest = next((e.report_path for e in reversed(last) if e.report_path), None)
    steps = [f"Read the newest report first: {code(newest)}."] if newest else []
    if escalation.take_back:
        steps.append(
            f"Your answer led to no fix. If you meant another, {code(escalation.take_back)} takes"
            " it back, and offers the choices before it again."
        )
    steps += _doubted(view, escalation)
    steps += _revision(view, escalation)
    steps += _scope(escalation)
    steps += _ignored(view, last)
    steps += _upstream(view, last)
    steps += _agents(view, last, escalation)
    steps += _repeats(view, last)
    steps += _patterns(view, last, escalation)
    steps += _tests(escalation)
    steps += _approach(last)
    return tuple(steps)


def _last_round(view: SessionView, escalation: Escalation) -> tuple[IterationView, ...]:
    return tuple(e for e in view.iterations if e.number >= escalation.first_iteration)


def _doubted(view: SessionView, escalation: Escalation) -> Iterator[str]:
    """Say what a person can do about fixes that a proof doubts."""
    tried = {str(entry.number): entry for entry in view.iterations}
    for option in escalation.options:
        number = option.word.removeprefix(f"{ACCEPT}-")
        if number == option.word:
            continue
        entry, name = tried[number], view.session_id
        shown = CHALLENGED in entry.note
        test = (
            "copy the test that it fails among yours (as test_….py)"
            if shown
            else "add a test that shows it"
        )
        yield (
            f"{code(f'clew diff {name} --iteration {number}')} shows the change of iteration"
            f" {number}. If it is right, {code(option.command)} takes it; if it is not, {test},"
            f" and {code(f'clew resume {name}')}. {_against(entry).removesuffix('.')}."
        )


def _against(entry: IterationView) -> str:
    if entry.red_after:
        return entry.note[:1].upper() + entry.note[1:]
    if SETTLED in entry.note:
        return "All tests pass with it, and do not settle which change is right."
    return f"All tests pass with it, and only a doubt speaks against it: {entry.note}"


def _ignored(view: SessionView, last: tuple[IterationView, ...]) -> Iterator[str]:
    """Say what to do about files that fixers made, and that no fix holds."""
    paths = dict.fromkeys(path for entry in last for path in entry.ignored)
    if paths and not any(entry.progress and entry.red_after == 0 for entry in last):
        named = ", ".join(map(code, list(paths)[:_NAMED])) + ", …" * (len(paths) > _NAMED)
        yield (
            f"git ignores {named}, which a fix made or changed: a fix cannot hold that. Make the"
            " change by hand in your own tree, or let git see the file (`.gitignore`); then"
            f" {code(f'clew resume {view.session_id}')}."
        )


def _upstream(view: SessionView, last: tuple[IterationView, ...]) -> Iterator[str]:
    """Say what has to be done first, and how to go on then."""
    if last and last[-1].upstream:
        name = view.session_id
        yield f"Do {last[-1].upstream} first; then {code(f'clew resume {name}')} goes on here."


def _agents(
    view: SessionView, last: tuple[IterationView, ...], escalation: Escalation
) -> Iterator[str]:
    """Say how another agent is asked, where the built-in repairer was the only one, and why."""
    if not escalation.repairer_alone:
        return
    goes_on = escalation.another_agent or _other(view)
    lists = (
        f"`clew agents` lists the agents that can be called here; {code(goes_on)} goes on with one"
    )
    yield (
        "Only the built-in repairer was asked. It fixes small faults and reads no guidance; other"
        f" agents read and design. One more would get {_unread(last)}: {lists}."
    )


def _unread(last: tuple[IterationView, ...]) -> str:
    """Say what an agent is given that the built-in repairer did not use."""
    reports = sum(bool(entry.report_path) for entry in last)
    told = "the report" if reports == 1 else f"the {reports} reports"
    known = [f"{told} of what was tried"] if reports else []
    parts = ["the code around the failure", "what was changed since it last passed", *known]
    return f"{', '.join(parts)} and your guidance"


def _other(view: SessionView) -> str:
    return f"clew resume {view.session_id} --agent NAME"


def _repeats(view: SessionView, last: tuple[IterationView, ...]) -> Iterator[str]:
    """Say that an agent has no other proposal, where the last ones were refused as tried."""
    again = tuple(entry for entry in last if entry.result == Result.REPEATED)
    if len(again) > 1 and again == last[-len(again) :]:
        yield (
            f"The last {len(again)} proposals had been tried before. This agent has nothing new:"
            f" give it guidance, or go on with another: {code(_other(view))}."
        )


def _patterns(
    view: SessionView, last: tuple[IterationView, ...], escalation: Escalation
) -> Iterator[str]:
    """Yield what the attempts have in common; a change says something only where it was tried."""
    if last and not any(entry.fix_attempted for entry in last):
        if not escalation.repairer_alone:
            yield _no_fix(view, last)
        return
    doubted = {option.word for option in escalation.options}
    tried = tuple(
        entry
        for entry in last
        if entry.commit
        and entry.red_after is not None
        and f"{ACCEPT}-{entry.number}" not in doubted
    )
    if len(tried) < 2:  # noqa: PLR2004 - one attempt has no pattern
        return
    many = f"All {len(tried)} attempts" if len(tried) > 2 else "Both attempts"  # noqa: PLR2004
    if len(tried) < len(last):
        many = f"All {len(tried)} attempts that were tested"
    causes = Counter(normalise(e.root_cause).lower() for e in tried if e.root_cause)
    helped = any(entry.progress or entry.red_after == 0 for entry in tried)
    if len(causes) == 1 and causes.total() == len(tried) and not helped:
        yield (
            f"{many} assume one root cause, and no change helped: look for another change, or"
            " another cause."
        )
    files = set.intersection(*(set(entry.files) for entry in tried))
    if files:
        named = ", ".join(map(code, sorted(files)))
        yield (
            f"{many} changed {named}: look at the code that they left as it is, and at what"
            " comes to the code that they changed."
        )
    shared = set.intersection(*({normalise(each) for each in e.new_errors} for e in tried))
    errors = sorted(each for each in tried[-1].new_errors if normalise(each) in shared)
    if errors:
        yield f"{many} ended in the same error: {code(errors[0])}."
    if all(entry.progress for entry in tried):
        yield f"{many} made progress: there may be several faults, and another round may finish."
    elif not helped:
        yield "No attempt improved anything: the cause may lie somewhere else."


def _no_fix(view: SessionView, last: tuple[IterationView, ...]) -> str:
    if all(entry.result == Result.AGENT_FAILED for entry in last):
        return (
            "The agent failed in each iteration of this round: repair its set-up, or go on with"
            f" another: {code(_other(view))}."
        )
    return (
        "No iteration of this round proposed a fix: give a hint, or go on with another agent:"
        f" {code(_other(view))}."
    )


def _tests(escalation: Escalation) -> Iterator[str]:
    for pair in escalation.contradictions[:2]:
        yield (
            f"{code(pair.first)} wants {code(pair.first_expects)} of {code(pair.call)} and"
            f" {code(pair.second)} wants {code(pair.second_expects)}: no code can satisfy both."
            " Decide which test is right."
        )
    if escalation.against_tests and not escalation.contradictions:
        yield f"{escalation.against_tests}: check that the tests demand what you want."


def _scope(escalation: Escalation) -> Iterator[str]:
    """Say how to settle what no edit of the code does."""
    outside = sorted({kind for kind in OUTSIDE if any(kind in e for e in escalation.unresolved)})
    if outside and escalation.remedies:
        first, *others = (f"{o.title}. {o.approach}" for o in escalation.remedies)
        yield f"For {', '.join(outside)}, {first}"
        yield from (f"Or {other}" for other in others)
    elif outside:
        yield (
            f"{', '.join(outside)} points outside the code: to a missing package, service or"
            " permission, which no edit can fix."
        )


def _revision(view: SessionView, escalation: Escalation) -> Iterator[str]:
    """Say which test to revise, where that is what the newest diagnosis recommends."""
    first = next(iter(escalation.remedies), None)
    if first and first.title.startswith(REVISE):
        yield (
            f"{first.approach.removesuffix('.')}: {first.title} yourself, and"
            f" {code(f'clew resume {view.session_id}')}."
        )


def _approach(last: tuple[IterationView, ...]) -> Iterator[str]:
    reports = [entry.report_path for entry in last if entry.report_path]
    if reports:
        yield (
            "If the reports show that the approach itself is wrong, decide on another one with them"
            f" as context, and revise the plan if there is one: {', '.join(map(code, reports))}."
        )
