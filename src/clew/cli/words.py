"""Sessions in words: the same lines for a terminal, a pipe and a log."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from clew.api import State, Tally, by_agent
from clew.cli.handwork import by_hand, edits_kept, is_alone, is_together, set_aside, tried
from clew.cli.streams import indented
from clew.words import events as ev
from clew.words.facts import BUILT_IN, ONE_FACT, PYTHON_ALONE, Runner, TestCommand, Verdict
from clew.words.printable import first_line, one_line, printable, shortened
from clew.words.records import AgentOutcome
from clew.words.verdicts import verdict

__all__ = [
    "counted",
    "models_line",
    "network_line",
    "outcome_line",
    "plain",
    "question_lines",
    "red_words",
    "spent_lines",
]

HANGS = "still running after "  # in the error of a test that was stopped
FEWER_SECONDS = " (`--test-timeout S` gives each test fewer seconds)"
SOME = 5  # of what was left out is named
ASKED_ABOUT = (ev.Purpose.BASELINE, ev.Purpose.RECHECK, ev.Purpose.CARRIED)


plain = printable


def counted(number: int, thing: str) -> str:
    """Return "1 test", "2 tests"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def red_words(red: Sequence[ev.FailingTest]) -> str:
    """Say how many are red; of a file that could not be loaded nobody knows how many it has."""
    files, many = sum(each.file for each in red), len(red)
    if not files:
        return f"{many} red"
    of = f"{files} of them " if files < many else ""
    what = "a file" if files == 1 else "files"
    return f"{many} red ({of}{what} of tests that could not be loaded)"


def outcome_line(event: ev.AnyEvent, state: State) -> str:
    """Return what a person wants to read about an event; nothing for most of them."""
    return indented(_outcome(event, state) + _strays(event))


def _outcome(event: ev.AnyEvent, state: State) -> str:  # noqa: C901, PLR0911, PLR0912 -- one line an event
    match event:
        case ev.SessionOpened():
            part = event.path and event.path != event.root
            where = f"in {event.path}; reports lie below {event.root}" if part else ""
            beforehand = (where, network_line(event.unbounded), models_line(event.unasked))
            return "\n".join(filter(None, (f"session {event.session_id}", *beforehand)))
        case ev.SnapshotTaken():
            left_out = _left_out(event.skipped)
            said = f"  snapshot {event.base[:10]}{left_out}" + by_hand(event, state)
            return said + (set_aside(state) if event.left_behind else "")
        case ev.SnapshotOutdated():
            return f"  changed since the session was interrupted: {', '.join(event.files)}"
        case ev.TestsRan():
            judged = event.purpose is ev.Purpose.CARRIED and not state.carrying
            gone = judged and is_together(event.commit, state) and state.head != event.commit
            aside = set_aside(state) if gone else ""
            advice = "" if "test_timeout" in state.settings.sources else FEWER_SECONDS
            return f"  {_run(event, tried(event, state), advice)}{aside}"
        case ev.Bisected():
            found = f"first bad commit {event.commit[:12]}" if event.commit else event.reason
            return f"  bisect: {found} ({counted(event.runs, 'run')})"
        case ev.IterationBegan():
            return f"iteration {event.number} of {state.cap}"
        case ev.Diagnosed():
            told = event.diagnosis
            place = f" ({told.path}:{told.line})" if told.line else ""
            return f"  {event.agent}: {shortened(first_line(told.title), 120)}{place}"
        case ev.AgentErred():
            return f"  {event.agent} failed ({event.kind}): {shortened(event.message, 300)}"
        case ev.ReportWritten():
            return f"  report {event.path}"
        case ev.RungPassed():
            return f"  {event.agent} is skipped: {event.reason}"
        case ev.Narrated():
            return f"  {event.agent} writes what happened"
        case ev.Reviewed():
            said = shortened(first_line(event.suggestion or event.reason), 200)
            return f"  {event.agent} reviews: {event.opinion}: {said}"
        case ev.Challenged():
            many = counted(len(event.counterexamples), "test")
            return f"  {event.agent} looked for what the fix gets wrong: {many} to try"
        case ev.FixApplied():
            files = _some(event.files) or "nothing"
            more = f"; not recommended: {_some(event.beyond)}" if event.beyond else ""
            more += _left_out(event.skipped)
            return f"  fix {shortened(first_line(event.summary), 120)} [{files}{more}]"
        case ev.RolledBack():
            return f"  rolled back to {event.commit[:10]}"
        case ev.IterationEnded():
            note = f": {shortened(_briefly(event.note), 200)}" if event.note else ""
            return f"  result: {event.result}{note}"
        case ev.Proved():
            said = verdict(event.rows, accepted=event.accepted)
            network = f", network: {event.network}" if event.network else ""
            aside = set_aside(state) if is_alone(event.commit, state) else ""
            return f"  proof: {said} (sandbox: {event.sandbox}{network}){aside}"
        case ev.Halted():
            return f"  halted: {_briefly(event.reason)}"
        case ev.WentBack():
            return f"back to checkpoint {event.checkpoint}{_unread(event.text, state)}"
        case ev.QuestionAnswered():
            return "" if event.test else _unread(event.text, state).lstrip()
        case ev.QuestionAsked():
            return f"a person is needed: {event.text}"
        case ev.EditsKept():
            return edits_kept(event, state)
        case ev.Interrupted():
            return f"interrupted; `clew resume {state.session.session_id}` continues"
        case ev.SessionEnded():
            reason = f": {event.reason}" if event.reason else ""
            return f"{event.status.replace('_', ' ')}{reason}"
        case _:
            return ""


def _unread(guidance: str, state: State) -> str:
    """Say that nobody reads a person's words, where the built-in repairer is alone."""
    if not guidance or state.opened is None or set(state.settings.agent) - {BUILT_IN}:
        return ""
    return "\nthe built-in repairer reads no guidance; `clew agents` lists agents that read it"


def _strays(event: ev.AnyEvent) -> str:
    match event:
        case AgentOutcome():
            return f"; by itself it {' and '.join(event.strays)}" if event.strays else ""
        case _:
            return ""


def network_line(names: tuple[str, ...]) -> str:
    """Return what a person is to know of agents that reach every host; nothing without any."""
    if not names:
        return ""
    whose = ", ".join(map(one_line, names))
    return f"network: open to {whose}; `agent_hosts` names hosts, `clew doctor` what that needs"


def models_line(unasked: tuple[str, ...]) -> str:
    """Return what a person is to know of models that nobody is asked for; nothing without any."""
    if not unasked:
        return ""
    named = ", ".join(map(one_line, unasked))
    return f"models: {named}: ignored, no agent in that role supports it; the profile decides"


def _briefly(said: str) -> str:
    """Leave the example of an open choice to where Clew asks about it."""
    _, settled, _ = said.partition("settle which change is right")
    return said.partition(": ")[0] if settled else said


def _left_out(skipped: tuple[ev.Skipped, ...]) -> str:
    named = [f"{each.path} ({each.reason}{_size(each.bytes)})" for each in skipped]
    return f"; left out: {_some(named)}" if named else ""


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(names[:SOME]) + more


def _size(count: int) -> str:
    return f", {count / 1e6:,.1f} MB" if count else ""


def _run(event: ev.TestsRan, tried: str, advice: str) -> str:
    if event.verdict is Verdict.DID_NOT_RUN:
        ran = event.passed or any(not each.file for each in event.red)
        some = f"did not all run: {red_words(event.red)}, {event.passed} passed"
        # Why, the question says that follows.
        said = f"tests ({event.purpose}{tried}) {some if ran else 'did not run'}"
        return said if event.purpose in ASKED_ABOUT else f"{said}: {event.reason}"
    red = f"{red_words(event.red)}, {event.passed} passed"
    chosen = _chosen(event.command) if event.purpose is ev.Purpose.BASELINE else ""
    if event.command.runner is Runner.COMMAND:
        red = event.verdict.value
        if event.purpose is ev.Purpose.BASELINE and event.red:
            return f"tests ({event.purpose}): {red} in {event.seconds:.1f} s; {ONE_FACT}{chosen}"
    elif not event.command.runner.python and event.purpose is ev.Purpose.BASELINE and event.red:
        return f"tests ({event.purpose}): {red} in {event.seconds:.1f} s; {PYTHON_ALONE}"
    kinds = {flake.test: f" ({flake.kind})" for flake in event.flakes}
    named = ", ".join(test + kinds.get(test, "") for test in event.flaky)
    flaky = f"; flaky: {named}" if named else ""
    why = f"; {event.reason}" if event.reason else ""
    hangs = [each.id for each in event.red if HANGS in each.error]
    why += f"; stopped, since it was still running: {_some(hangs)}" if hangs else ""
    if hangs and event.purpose is ev.Purpose.BASELINE:
        why += advice
    if event.left_out:
        why += f"; {counted(event.left_out, 'test')} left out: {event.why_left_out}"
    said = f"tests ({event.purpose}{tried})"
    return f"{said}: {red} in {event.seconds:.1f} s{flaky}{why}{chosen}"


def _chosen(command: TestCommand) -> str:
    """Say which command was chosen, and why, where the project's own led to it or might have."""
    if not command.reason:
        return ""
    said = f"{shlex.join(command.argv)} ({shortened(command.reason, 200)})"
    return f"\n{said}; `--test-command` sets another"


def question_lines(question: ev.QuestionAsked) -> list[str]:
    """Return the question with its options, numbered as `clew answer` takes them."""
    lines = [indented(question.text), ""]
    for number, option in enumerate(question.options, 1):
        lines.append(f"  {number} {one_line(option.word):<12} {one_line(option.text)}")
        if option.available:
            lines.append(f"      {one_line(option.command)}")
    return lines


def spent_lines(state: State) -> list[str]:
    """Return a line for each agent that asks a model: calls, tokens, money; and their sum."""
    taken = {agent: took for agent, took in by_agent(state.usages).items() if agent != BUILT_IN}
    if len(taken) > 1:
        taken["in all"] = sum(taken.values(), Tally())
    return [
        one_line(
            f"{agent}: {counted(took.calls, 'call')}; tokens {took.tokens}; money {took.money}"
        )
        for agent, took in taken.items()
    ]
