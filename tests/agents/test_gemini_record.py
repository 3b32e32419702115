"""What Gemini CLI has written down of a conversation: counted, and put right before it goes on."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from clew.agents.gemini_record import mend, taken
from clew.agents.protocol import Forgotten
from clew.words.facts import Usage

NAME = "0a1b2c3d-0000-8000-a000-000000000000"
CHATS = Path(".gemini/tmp/sums/chats")
TOLD = {"functionResponse": {"id": "c-1", "name": "read_file", "response": {"output": "x = 1"}}}
TOKENS = {"input": 100, "output": 20, "cached": 40, "thoughts": 5, "tool": 0, "total": 125}
ASKED = {"id": "m-1", "type": "user", "content": [{"text": "What is to be done"}]}
SAID = {"id": "m-2", "type": "gemini", "content": "", "tokens": TOKENS}
CALLED = {**SAID, "toolCalls": [{"id": "c-1", "name": "read_file", "result": [TOLD]}]}
ANSWER = {"id": "m-3", "type": "user", "content": [TOLD]}
LINES = (
    {"sessionId": NAME},
    ASKED,
    SAID,
    CALLED,
    ANSWER,
    {"$set": {"messages": [ASKED, CALLED, ANSWER], "lastUpdated": "now"}},
)


def write(home: Path, name: str, *lines: dict[str, Any]) -> Path:
    path = home / CHATS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    path.write_text(text + '\n{"cut off')
    return path


def test_each_result_of_a_tool_is_sent_once(tmp_path: Path) -> None:
    """The record gets a name that no new one has; what was begun and left stays where it is."""
    write(tmp_path, "session-2026-01-01T00-00-0a1b2c3d.jsonl", *LINES)
    hollow = write(tmp_path, "session-2026-01-01T00-01-0a1b2c3d.jsonl", {"sessionId": NAME}, ASKED)
    mend(tmp_path, NAME)
    mend(tmp_path, NAME)
    mended = tmp_path / CHATS / "session-0-0a1b2c3d.jsonl"
    assert {mended, hollow} == set((tmp_path / CHATS).iterdir())
    text = mended.read_text()
    assert 2 == text.count('"functionResponse"')
    assert [ASKED["id"], "m-2", "m-2", "m-3"] == [
        line["id"] for line in map(json.loads, text.splitlines()) if "id" in line
    ]


def test_what_was_taken_is_counted_once_for_each_answer(tmp_path: Path) -> None:
    """Thoughts are output; a conversation without an answer took nothing that is known."""
    write(tmp_path, "session-2026-01-01T00-00-0a1b2c3d.jsonl", *LINES)
    assert Usage(input=100, output=25, cached=40) == taken(tmp_path, NAME)
    assert taken(tmp_path, NAME.replace("0a1b", "ffff")) is None


@pytest.mark.parametrize(
    "bad",
    [
        '{"toolCalls":["x"]}',
        '{"toolCalls":null}',
        '{"$set":[]}',
        '{"$set":{"messages":[{"toolCalls":[1]}]}}',
        "[1]",
        "no JSON",
        '{"\udcff":1}',
        '{"deep":' + "[" * 5_000 + "]" * 5_000 + "}",
    ],
)
def test_a_record_of_another_form_is_not_gone_on_with(tmp_path: Path, bad: str) -> None:
    """It is the agent's own to write: the call is made anew, and the record stays as it is."""
    record = write(tmp_path, "session-2026-01-01T00-00-0a1b2c3d.jsonl", *LINES)
    text = record.read_text().replace("\n", f"\n{bad}\n", 1)
    record.write_text(text, errors="surrogateescape")
    with pytest.raises(Forgotten):
        mend(tmp_path, NAME)
    assert text == record.read_text(errors="surrogateescape")
    assert Usage(input=100, output=25, cached=40) == taken(tmp_path, NAME)


def test_what_is_not_read_of_a_record_stays_as_it_is(tmp_path: Path) -> None:
    """Numbers of any size, and a last line that was not cut off."""
    record = write(tmp_path, "session-2026-01-01T00-00-0a1b2c3d.jsonl", *LINES)
    huge = '{"id":"m-9","huge":' + "9" * 5_000 + "}"
    record.write_text(record.read_text().replace('{"cut off', huge))
    mend(tmp_path, NAME)
    assert huge == (tmp_path / CHATS / "session-0-0a1b2c3d.jsonl").read_text().splitlines()[-1]


def test_a_record_that_cannot_be_replaced_is_kept(tmp_path: Path) -> None:
    """Neither a full disk nor what stands in the way costs the conversation, or its usage."""
    record = write(tmp_path, "session-2026-01-01T00-00-0a1b2c3d.jsonl", *LINES)
    text = record.read_text()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        mend(tmp_path, NAME)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {record} == set(record.parent.iterdir())
    (record.parent / "session-0-0a1b2c3d.jsonl").mkdir()
    mend(tmp_path, NAME)
    assert text == record.read_text()
    assert Usage(input=100, output=25, cached=40) == taken(tmp_path, NAME)


def test_a_later_record_of_the_same_conversation_is_let_be(tmp_path: Path) -> None:
    """Both hold an answer: neither takes the other's place."""
    later = {**SAID, "id": "m-4"}
    write(tmp_path, "session-2026-01-01T00-00-0a1b2c3d.jsonl", *LINES)
    other = write(tmp_path, "session-2026-01-01T00-02-0a1b2c3d.jsonl", {"sessionId": NAME}, later)
    text = other.read_text()
    mend(tmp_path, NAME)
    mend(tmp_path, NAME)
    assert text == other.read_text()
    assert Usage(input=200, output=50, cached=80) == taken(tmp_path, NAME)


def test_a_link_in_place_of_a_record_is_not_followed(tmp_path: Path) -> None:
    """What it leads to is neither read nor put before the agent."""
    other = write(tmp_path / "other", "secret.jsonl", *LINES)
    (tmp_path / "home" / CHATS).mkdir(parents=True)
    link = tmp_path / "home" / CHATS / "session-2026-01-01T00-00-0a1b2c3d.jsonl"
    link.symlink_to(other)
    mend(tmp_path / "home", NAME)
    assert taken(tmp_path / "home", NAME) is None
    assert [link] == list(link.parent.iterdir())
    (tmp_path / "home" / ".gemini" / "tmp").rename(tmp_path / "home" / "tmp")
    (tmp_path / "home" / ".gemini" / "tmp").symlink_to(tmp_path / "other" / ".gemini" / "tmp")
    assert taken(tmp_path / "home", NAME) is None
