"""Whatever a text wants, a terminal that shows it obeys nothing; no line of it looks like ours."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import click
import msgspec
import pytest
from rich.console import Console

from clew import api, cli
from clew.cli import applied, diagnosing, github, showing, suspecting, watching
from clew.cli.streams import json_line, say
from clew.cli.words import outcome_line, question_lines
from clew.flows.debugging.diagnosing import FailureDiagnosis
from clew.flows.debugging.sessions import Whereabouts
from clew.flows.debugging.states import State
from clew.git.worktrees import Applied, TreeChange
from clew.journal.streams import ListedSession
from clew.words import events as ev
from clew.words.errors import ClewError
from clew.words.events import AnyEvent
from clew.words.facts import Suspect, TestRun, Tick, Verdict
from filling import filled
from injections import INJECTIONS, obeyed

EVENTS: tuple[type[ev.Event], ...] = get_args(AnyEvent)
INTENTS = ev.INTENTS
BY_NAME = pytest.mark.parametrize("text", INJECTIONS.values(), ids=list(INJECTIONS))


def state(text: str) -> State:
    """Everything that a session can hold, made of one text."""
    whole: State = filled(State, text)
    return msgspec.structs.replace(whole, head="c1")


def sessions(text: str) -> Any:  # noqa: ANN401 -- as much of a sessions as is looked at
    changed = (filled(TreeChange, name_of(text)),)
    return SimpleNamespace(
        store=SimpleNamespace(holder=lambda _: None, get_record=lambda _, kind: filled(kind, text)),
        repository=SimpleNamespace(
            changed=lambda *_: changed,
            diff=lambda *_: text,
            still_applied=lambda *_: None,
            is_cut_off=lambda _: False,
        ),
    )


def name_of(text: str) -> str:
    """The text as the name of a file can be: bytes that are no UTF-8 are halves of one kind."""
    return text.encode("utf-8", "replace").decode() + "\udc80"


def event_lines(text: str) -> None:
    whole = state(text)
    for kind in EVENTS:
        say(outcome_line(filled(kind, text), whole))


def log(text: str) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    happened = [filled(kind, text) for kind in EVENTS]
    happened += [ev.Started(intent=filled(kind, text)) for kind in INTENTS]
    showing.show_log(
        (
            ev.Recorded(session=text, seq=number, at=moment, event=event)
            for number, event in enumerate(happened, 1)
        ),
        json=False,
    )


def status(text: str) -> None:
    there = Whereabouts(otherwise=(text,))
    showing.show_status(state(text), None, there, json=False)
    answered = msgspec.structs.replace(state(text), question=None)
    showing.show_status(answered, None, there, json=False)


def end(text: str) -> None:
    known = msgspec.structs.replace(filled(ev.SessionEnded, text), status=ev.Status.GREEN)
    showing.show_end(sessions(text), state(text))
    showing.show_end(
        sessions(text), msgspec.structs.replace(state(text), question=None, ended=known)
    )


def suspects(text: str) -> None:
    for verdict in (Verdict.FAILED, Verdict.PASSED):
        run = msgspec.structs.replace(filled(TestRun, text), verdict=verdict)
        suspecting.show_suspects(run, (filled(Suspect, text),), json=False)


def lines(text: str) -> None:
    out = io.StringIO()
    watcher = watching.Lines(out)
    watcher.tick(Tick(phase=text, text=text, best=text))
    whole = state(text)
    for number, kind in enumerate(EVENTS, 1):
        event = filled(kind, text)
        recorded = ev.Recorded(session=text, seq=number, at=datetime.now(UTC), event=event)
        watcher.saw(recorded, whole)
    click.echo(out.getvalue())


def live(text: str) -> None:
    display = watching.Live()
    console = Console(file=(out := io.StringIO()), width=50_000)
    display._live.console = display._console = console
    display.saw(
        ev.Recorded(session=text, seq=1, at=datetime.now(UTC), event=filled(ev.Halted, text)),
        state(text),
    )
    display.tick(Tick(phase=text, text=text, best=text, tried=1))
    console.print(display._panel())
    click.echo(out.getvalue())


def errors(text: str) -> None:
    faults = (ClewError(text, hint=text), click.UsageError(text), KeyError(text), OSError(5, text))
    for fault in faults:
        cli._explain(fault)


def diagnosed(text: str) -> None:
    diagnosing._show(filled(FailureDiagnosis, text), json=False)


def annotated(text: str) -> None:
    for line in github.annotated(state(text)):
        click.echo(line)


CHANNELS: dict[str, Callable[[str], None]] = {
    "events": event_lines,
    "log": log,
    "status": status,
    "show": lambda text: showing.show_session(sessions(text), state(text), json=False),
    "list": lambda text: showing.show_list(
        (api.SessionRow(listed=filled(ListedSession, text), stands=text),)
    ),
    "end": end,
    "checkpoints": lambda text: showing.show_checkpoints(state(f"c{text}"), json=False),
    "applied": lambda text: applied.show_applied(
        api.Delivery(
            session=text,
            kind=text,
            applied=filled(Applied, name_of(text)),
            complete=False,
            guesses=(text,),
        ),
        json=False,
    ),
    "suspects": suspects,
    "diagnosis": diagnosed,
    "annotations": annotated,
    "question": lambda text: click.echo("\n".join(question_lines(filled(ev.QuestionAsked, text)))),
    "lines": lines,
    "live": live,
    "errors": errors,
    "doctor": lambda text: say(f"✓ x {filled(api.Finding, text).says}"),
}


def ours(out: str) -> int:
    """How many lines stand where lines of Clew's own stand."""
    return sum(not line.startswith(" " * 6) for line in out.split("\n"))


@pytest.mark.parametrize("channel", CHANNELS)
def test_no_text_reaches_the_terminal_as_it_is(
    channel: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Whatever event, record or error it stands in; and it adds no line that passes for one."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path))
    whole = state("x")
    monkeypatch.setattr(showing, "fold", lambda *_: whole)
    CHANNELS[channel]("x")
    usual = ours("".join(capsys.readouterr()))
    told = {}
    for name, text in INJECTIONS.items():
        CHANNELS[channel](text)
        shown = "".join(capsys.readouterr())
        told[name] = (obeyed(shown), ours(shown))

    assert dict.fromkeys(INJECTIONS, ([], usual)) == told


@BY_NAME
def test_a_diff_in_a_terminal_is_harmless_and_in_a_pipe_exact(
    text: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A program that applies it needs each byte."""
    exact = text.encode("utf-8", "replace") + b"\xe9"
    showing.show_diff(exact)
    assert exact == capfdbinary.readouterr().out
    showing.show_diff(text)
    assert [] == obeyed(capfdbinary.readouterr().out.decode())


@BY_NAME
def test_json_is_one_line_with_the_same_values_and_nothing_to_obey(text: str) -> None:
    """A person may look at it, too."""
    for kind in EVENTS:
        event = filled(kind, text.encode("utf-8", "replace").decode())
        line = json_line(event)

        assert json.loads(line) == json.loads(msgspec.json.encode(event))
        assert [] == obeyed(line.decode())
        assert b"\n" not in line


def test_what_a_diff_has_that_nobody_sees_is_named_in_a_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Who judges a fix by its diff sees that there is more."""
    showing.show_diff("+a = '\u202e\x1b[8m'\r\n+# one\rb = 2\n")
    assert "+a = '<U+202E><U+001B>[8m'\n+# one<U+000D>b = 2\n" == capfd.readouterr().out
