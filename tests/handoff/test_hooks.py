"""The hooks as an agent calls them: a process each, JSON on standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clew.handoff.courier import Courier
from clew.handoff.orders import Order
from clew.handoff.records import TOKEN
from clew.hooks.installing import ENTRY
from handoffkit import Hands, Tmux, until

MARKED = "Planned.\n\nGSD_SPAWN: /gsd:plan-phase 6"


class Session:
    """A session of Claude Code as its hooks see it, with the payloads that the binary sends."""

    def __init__(self, hands: Hands, place: Path) -> None:
        self.hands = hands
        self.name = str(uuid.uuid4())
        self.transcript = place / f"{self.name}.jsonl"
        self.env: dict[str, str] = {}
        self.prompt: str | None = "p"

    def payload(self, event: str, **more: object) -> dict[str, object]:
        return {
            "session_id": self.name,
            "transcript_path": str(self.transcript),
            "cwd": str(self.hands.root),
            "hook_event_name": event,
            **more,
        }

    def start(self, source: str = "startup") -> dict[str, Any]:
        return self._said(self.payload("SessionStart", source=source, model="model"))

    def stop(self, message: str | None = MARKED, **more: object) -> dict[str, Any]:
        said = {} if message is None else {"last_assistant_message": message}
        return self._said(
            self.payload(
                "Stop",
                **({} if self.prompt is None else {"prompt_id": self.prompt}),
                permission_mode="default",
                stop_hook_active=False,
                **said,
                **more,
            )
        )

    def end(self, reason: str) -> dict[str, Any]:
        turn = {} if self.prompt is None else {"prompt_id": self.prompt}
        return self._said(self.payload("SessionEnd", reason=reason, **turn))

    def user(self, words: str, **more: object) -> None:
        named = {} if self.prompt is None else {"promptId": self.prompt}
        self._record("user", words, {**named, **more})

    def agent(self, words: str, **more: object) -> None:
        self._record("assistant", [{"type": "text", "text": words}], more)

    def _record(self, kind: str, content: object, more: Mapping[str, object]) -> None:
        record = {"type": kind, "uuid": str(uuid.uuid4()), "isSidechain": False, **more}
        with self.transcript.open("a") as file:
            file.write(json.dumps({**record, "message": {"role": kind, "content": content}}) + "\n")

    def _said(self, payload: Mapping[str, object]) -> dict[str, Any]:
        done = self.hands.hook(payload, **self.env)
        assert (0, "") == (done.returncode, done.stderr)
        return json.loads(done.stdout) if done.stdout else {}


@pytest.fixture
def session(hands: Hands, tmp_path: Path) -> Session:
    """A session that began; hand-offs are decided, written down, and not carried out."""
    hands.configure(dry_run=True)
    session = Session(hands, tmp_path)
    session.start()
    session.user("go on")
    return session


def asked(hands: Hands) -> list[str]:
    return [line["command"] for line in hands.events("asked")]


def claims(hands: Hands) -> list[str]:
    return [path.name for path in Path(hands.desk.folder, "claims").iterdir()]


def test_the_last_message_comes_before_the_transcript(session: Session) -> None:
    """The stop hook may run before the transcript is on the disk."""
    session.agent("old words, not flushed further")
    session.stop()
    assert ["/gsd:plan-phase 6"] == asked(session.hands)


def test_the_transcript_serves_where_the_message_is_absent(session: Session) -> None:
    """Older binaries send no message."""
    session.agent(MARKED)
    session.stop(None)
    assert ["/gsd:plan-phase 6"] == asked(session.hands)


def test_a_message_without_a_marker_is_believed_over_the_transcript(session: Session) -> None:
    """Whatever stood there before."""
    session.agent(MARKED)
    session.stop("Nothing more to do.")
    assert [] == asked(session.hands)


def test_several_stops_of_one_turn_are_one_hand_off(session: Session) -> None:
    """With the message, without it, and once more at the session's end."""
    session.agent(MARKED)
    session.stop()
    session.stop(None)
    session.stop(MARKED + "\n")
    session.end("other")
    assert ["/gsd:plan-phase 6"] == asked(session.hands)


def test_a_turn_keeps_its_name_while_the_transcript_catches_up(session: Session) -> None:
    """Neither what was typed nor the answer need be on the disk when the first hook runs."""
    session.prompt = "q"
    session.stop()
    session.user("go on with it")
    session.agent(MARKED)
    session.stop()
    session.stop(None)
    session.end("other")
    assert ["/gsd:plan-phase 6"] == asked(session.hands)


def test_the_same_command_asked_for_again_is_another_hand_off(session: Session) -> None:
    """Somebody typed in between: it is meant again."""
    session.stop()
    session.prompt = "q"
    session.user("again, please")
    session.stop()
    assert ["/gsd:plan-phase 6"] * 2 == asked(session.hands)


def test_binaries_that_do_not_name_the_turn_are_served_by_the_transcript(session: Session) -> None:
    """The last record that a person typed names it."""
    session.prompt = None
    session.stop()
    session.stop()
    session.user("again, please")
    session.stop()
    assert ["/gsd:plan-phase 6"] * 2 == asked(session.hands)


def test_a_marker_of_an_earlier_turn_is_stale(session: Session) -> None:
    """Nobody asks for what was asked for before the last words were typed."""
    session.agent(MARKED)
    session.user("no, wait")
    session.stop(None)
    session.end("other")
    assert [] == asked(session.hands)


def test_a_marker_of_an_earlier_turn_is_stale_while_the_transcript_catches_up(
    session: Session,
) -> None:
    """The turn that stops now is not in it yet: what stands there last is of another one."""
    session.agent(MARKED)
    session.prompt = "q"
    session.stop(None)
    assert [] == asked(session.hands)


@pytest.mark.parametrize(
    "more", [{"agent_id": "a1", "agent_type": "Explore"}, {"agent_id": "a1", "agent_type": ""}]
)
def test_a_subagent_hands_nothing_off(session: Session, more: dict[str, object]) -> None:
    """Its hooks say whose they are."""
    session.stop(MARKED, **more)
    assert [] == asked(session.hands)


def test_words_of_others_in_the_transcript_are_no_marker(session: Session) -> None:
    """A person quotes the marker, a tool prints it, a subagent says it, a torn line holds it."""
    session.agent("I am done.")
    session.agent(MARKED, isSidechain=True)
    session.user(MARKED, isMeta=True)
    with session.transcript.open("a") as file:
        result = [{"type": "tool_result", "content": MARKED}]
        record = {"type": "user", "uuid": "r", "message": {"role": "user", "content": result}}
        file.write(
            json.dumps(record) + '\n{"type": "assistant", "message": {"content": "GSD_SPAWN:'
        )
    session.stop(None)
    session.user("do not print\nGSD_SPAWN: /gsd:plan-phase 6")
    session.stop(None)
    session.end("other")
    assert [] == asked(session.hands)


def test_the_end_hands_off_what_no_stop_saw(session: Session) -> None:
    """The stop hook was killed, or never ran."""
    session.agent(MARKED)
    session.end("other")
    assert ["/gsd:plan-phase 6"] == asked(session.hands)
    assert {} == session.hands.desk.sessions()


@pytest.mark.parametrize("reason", ["prompt_input_exit", "logout", "clear", "resume"])
def test_a_person_who_leaves_has_left(session: Session, reason: str) -> None:
    """After their own exit nothing starts, whatever stands in the transcript."""
    session.agent(MARKED)
    session.end(reason)
    assert [] == asked(session.hands)
    assert {} == session.hands.desk.sessions()


def test_interactive_prints_what_to_type(session: Session) -> None:
    """The person gets the command, and why it is theirs to type."""
    session.hands.configure("interactive")
    assert {
        "systemMessage": "clew: next is /gsd:plan-phase 6: type it in a new session."
        " Hand-offs are by hand here: mode is interactive"
    } == session.stop()
    assert [] == asked(session.hands)


def test_a_malformed_configuration_is_interactive_and_logged(session: Session) -> None:
    """Nothing is started on a guess."""
    (session.hands.root / ".planning/config.json").write_text('{"mode": "yolo",}')
    said = session.stop()["systemMessage"]
    assert "config.json cannot be read" in said
    assert "config.json cannot be read" in session.hands.log()


def test_a_refusal_is_said_in_the_session(session: Session) -> None:
    """With its rule; the marker is used up."""
    said = session.stop("GSD_SPAWN: /exit now")["systemMessage"]
    assert "clew: no hand-off to /exit now: /exit is not an allowed command" == said
    assert {} == session.stop("GSD_SPAWN: /exit now")


def test_a_program_that_is_not_there_is_said_in_the_session(session: Session) -> None:
    """Before anything is started, and whether there is a terminal or not; it is used up."""
    session.hands.configure(dry_run=False)
    session.hands.prefer(program="no-such-agent")
    said = session.stop()["systemMessage"]
    assert said.startswith(
        "clew: no hand-off to /gsd:plan-phase 6: no-such-agent is not on the PATH"
    )
    assert ["asked", "failed"] == session.hands.seen()
    assert {} == session.stop()


def test_a_hand_off_that_failed_is_said_at_the_next_turn(session: Session) -> None:
    """Once, to whoever goes on in the session that asked; others hear nothing of it."""
    session.stop()
    (line,) = session.hands.events("asked")
    order = Order.of(session.hands.desk.claimed(line["token"]) or {})
    session.hands.configure(backend="tmux")
    Courier(session.hands.desk, line["token"], order).run()
    other = Session(session.hands, session.transcript.parent)
    other.start()
    assert {} == other.stop("Hello.")
    session.prompt = "q"
    said = session.stop("Hello.")
    why = "the session does not run in tmux, and `backend` allows nothing else"
    assert {"systemMessage": f"clew: the hand-off to /gsd:plan-phase 6 failed: {why}"} == said
    assert {} == session.stop("Hello again.")


def test_a_question_stops_the_chain_and_is_named(session: Session) -> None:
    """A debug document awaits a person's word."""
    debug = session.hands.root / ".planning" / "debug"
    debug.mkdir()
    (debug / "slow-login.md").write_text("---\nstatus: awaiting_human_verify\n---\n# Slow login\n")
    said = session.stop()["systemMessage"]
    assert ".planning/debug/slow-login.md waits for a person (awaiting_human_verify)" in said
    assert ["question"] == [line["word"] for line in session.hands.events("refused")]


def test_the_kill_switch_ends_what_has_begun_and_nothing_later(
    session: Session, tmp_path: Path
) -> None:
    """A session that a person starts afterwards hands off again."""
    said = session.hands.clew.run("chain", "stop")
    assert 0 == said.code
    assert session.name in said.out
    assert "`clew chain stop` was called" in session.stop()["systemMessage"]
    later = Session(session.hands, tmp_path)
    later.start()
    assert "would hand off" in later.stop()["systemMessage"]


def test_a_session_that_was_cleared_stays_in_its_chain(session: Session, tmp_path: Path) -> None:
    """`/clear` gives the process a new session; its bounds go along."""
    session.stop()
    (chain,) = session.hands.desk.chains()
    (token,) = claims(session.hands)
    for _ in range(2):
        follower = Session(session.hands, tmp_path)
        follower.env[TOKEN] = f"{chain}/{token}"
        follower.start("clear")
        follower.stop()
    assert (chain,) == session.hands.desk.chains()
    assert 3 == len(asked(session.hands))
    assert 1 == len(session.hands.events("started"))


def test_the_window_is_recorded_and_cleared(hands: Hands, terminal: Tmux, tmp_path: Path) -> None:
    """The id of the pane's own window, whichever has the focus; gone with the session."""
    window, pane = terminal.open(hands.root, "sleep", "900")
    session = Session(hands, tmp_path)
    session.env = {"TMUX": f"{terminal.socket},1,0", "TMUX_PANE": pane}
    session.start()
    record = hands.root / ".planning" / ".current-window-id"
    assert window == record.read_text().strip()
    session.end("prompt_input_exit")
    assert not record.exists()


def test_a_window_that_another_session_recorded_is_left(
    hands: Hands, terminal: Tmux, tmp_path: Path
) -> None:
    """The earlier session ends after the later one has begun."""
    record = hands.root / ".planning" / ".current-window-id"
    sessions = []
    for _ in range(2):
        _, pane = terminal.open(hands.root, "sleep", "900")
        session = Session(hands, tmp_path)
        session.env = {"TMUX": f"{terminal.socket},1,0", "TMUX_PANE": pane}
        session.start()
        sessions.append(session)
    later = record.read_text()
    sessions[0].end("prompt_input_exit")
    assert later == record.read_text()


def test_a_link_in_the_project_leads_nowhere(hands: Hands, terminal: Tmux, tmp_path: Path) -> None:
    """A repository cannot have a hook write elsewhere."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in (".current-window-id", ".spawn-marker-processed"):
        (hands.root / ".planning" / name).symlink_to(victim)
    hands.configure(dry_run=True)
    session = Session(hands, tmp_path)
    _, pane = terminal.open(hands.root, "sleep", "900")
    session.env = {"TMUX": f"{terminal.socket},1,0", "TMUX_PANE": pane}
    session.start()
    session.stop()
    assert "mine" == victim.read_text()


def test_a_project_that_hands_nothing_off_is_left_alone(hands: Hands, tmp_path: Path) -> None:
    """No file appears, neither there nor in the state folder."""
    (hands.root / ".planning" / "config.json").unlink()
    (hands.root / ".planning").rmdir()
    session = Session(hands, tmp_path)
    session.start()
    session.stop("done")
    session.end("other")
    assert [] == [*hands.root.iterdir(), *hands.clew.state.iterdir()]


def test_a_session_in_a_folder_below_is_of_the_project(session: Session) -> None:
    """The agent has changed its folder; the configuration is the one above."""
    below = session.hands.root / "src" / "deep"
    below.mkdir(parents=True)
    session.stop(MARKED, cwd=str(below))
    assert ["/gsd:plan-phase 6"] == asked(session.hands)


def test_gemini_says_the_same_in_other_fields(hands: Hands) -> None:
    """Its event after a turn is `AfterAgent`, its words `prompt_response`."""
    hands.configure(dry_run=True)
    payload = {
        "session_id": "g",
        "transcript_path": str(hands.root / "chat.json"),
        "cwd": str(hands.root),
        "hook_event_name": "AfterAgent",
        "timestamp": "2026-01-02T03:04:05.678Z",
        "prompt": "GSD_SPAWN: /gsd:evil",
        "prompt_response": MARKED,
        "stop_hook_active": False,
    }
    said = [hands.start_hook(payload, "gemini")().stdout for _ in range(2)]
    assert [True, False] == ["would hand off" in each for each in said]
    assert ["/gsd:plan-phase 6"] == asked(hands)


HARMLESS: list[bytes] = [
    b"",
    b"nonsense",
    b"[]",
    b"{}",
    b"\xff\xfe",
    b'{"hook_event_name": "Stop"}',
    b'{"hook_event_name": "Stop", "session_id": "../x", "last_assistant_message": "%s"}'
    % MARKED.encode("unicode_escape"),
    b'{"hook_event_name": "SessionStart", "session_id": 7, "cwd": "."}',
    b'{"hook_event_name": ["Stop"]}',
    b'{"hook_event_name": "Stop", "transcript_path": "/dev/zero", "cwd": "."}',
]


@pytest.mark.parametrize("payload", HARMLESS)
@pytest.mark.parametrize("agent", ["claude", "unknown"])
def test_no_payload_disturbs_the_agent(hands: Hands, payload: bytes, agent: str) -> None:
    """Exit 0, and nothing on either stream; a fault is a line in the log."""
    words = [sys.executable, "-I", "-S", str(ENTRY), agent]
    done = subprocess.run(
        words, input=payload, env=hands.env, cwd=hands.root, capture_output=True, check=False
    )
    assert 0 == done.returncode
    assert b"" == done.stderr
    assert not done.stdout or b"systemMessage" in done.stdout


def test_a_state_folder_that_cannot_be_written_disturbs_nobody(session: Session) -> None:
    """The disk is full, or belongs to somebody else."""
    session.env["CLEW_STATE_HOME"] = "/dev/null/nowhere"
    assert {} == session.stop()


@pytest.mark.slow
def test_a_hook_that_hangs_gives_up(session: Session) -> None:
    """Standard input that never ends, for one: after some seconds the agent goes on."""
    read, write = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ENTRY), "claude"],
            stdin=read,
            env=session.hands.env,
            capture_output=True,
            timeout=30,
            check=False,
        )
    finally:
        os.close(read)
        os.close(write)
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)
    assert "gave up after" in session.hands.log()


@pytest.mark.parametrize("races", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_of_two_hooks_at_once_one_hands_off(session: Session, races: int) -> None:
    """The hooks are registered twice, or an agent runs them twice: one claim, however they race."""
    for number in range(races):
        session.prompt = f"{number}"
        session.user(f"turn {number}")
        payload = session.payload("Stop", prompt_id=session.prompt, last_assistant_message=MARKED)
        both = [session.hands.start_hook(payload) for _ in range(2)]
        said = [done().stdout for done in both]
        assert 1 == sum("would hand off" in each for each in said), number
        assert "" in said
    assert races == len(asked(session.hands)) == len(claims(session.hands))
    assert "" == session.hands.log()


@pytest.mark.parametrize("message", ["done", MARKED])
def test_the_hook_imports_next_to_nothing(session: Session, message: str) -> None:
    """Standard library and its own few modules; nothing that takes long to load."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(ENTRY), "claude"],
        input=json.dumps(session.payload("Stop", last_assistant_message=message)),
        env=session.hands.env,
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "clew.hooks.receiving" in loaded
    strangers = {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names}
    assert {"clew.hooks", "clew.handoff"} >= {
        ".".join(name.split(".")[:2]) for name in strangers - {"clew", "imported package"}
    }
    slow = "json re typing subprocess pathlib dataclasses hashlib enum sqlite3 signal"
    assert set() == loaded & set(slow.split())


def test_hooks_that_begin_together_lose_no_line(session: Session, tmp_path: Path) -> None:
    """Ten sessions begin and ask at once; each is written down whole."""
    sessions = [Session(session.hands, tmp_path) for _ in range(10)]
    waits = [
        session.hands.start_hook(each.payload("Stop", last_assistant_message=MARKED))
        for each in sessions
    ]
    assert {0} == {wait().returncode for wait in waits}
    until(lambda: len(asked(session.hands)) == 10)
    assert 10 == len(session.hands.events("would"))
