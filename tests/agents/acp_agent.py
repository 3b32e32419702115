"""A scripted agent that speaks the Agent Client Protocol: `acp_agent.py WAY`.

It answers a prompt by the way it was started with; `asks KIND…` asks leave for a tool of each kind,
and answers with what it was told. `remembers HOW` is one that is to load an earlier session.
`works FOLDER` mends as that says: it answers with the files `diagnose` and `fix`, puts `edit` into
the file that `path` names, stays there if there is a `stays`, and loads as `remembers` does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WAY, *WORDS = sys.argv[1:]
ANSWERS = ("allow_always", "allow_once", "reject_once")


def say(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def lines() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def update(what: str, /, **more: object) -> None:
    params = {"sessionId": "s-1", "update": {"sessionUpdate": what, **more}}
    say(method="session/update", params=params)


def chunk(text: str) -> None:
    update("agent_message_chunk", content={"type": "text", "text": text})


def end(number: int, **more: object) -> None:
    say(id=number, result={"stopReason": "end_turn", **more})


def ask_leave(kind: str, heard: Iterator[dict[str, Any]]) -> str:
    call = {"toolCallId": f"call-{kind}", "kind": kind, "title": f"a {kind}"}
    options = [{"optionId": f"id-{each}", "name": each, "kind": each} for each in ANSWERS]
    params = {"sessionId": "s-1", "toolCall": call, "options": options}
    say(id=f"ask-{kind}", method="session/request_permission", params=params)
    outcome: dict[str, str] = next(heard)["result"]["outcome"]
    return outcome.get("optionId", outcome["outcome"])


def told(name: str) -> str:
    return (Path(WORDS[0]) / name).read_text()


def work(fixing: bool, going_on: bool) -> None:  # noqa: FBT001 -- what it was told
    if fixing:
        Path(told("path")).write_text(told("edit"))
        while (Path(WORDS[0]) / "stays").exists():
            signal.pause()
    chunk(told("fix" if fixing or going_on else "diagnose"))


def prompted(number: int, words: str, heard: Iterator[dict[str, Any]]) -> None:
    if WAY in ("echoes", "remembers"):
        chunk("I look.")
        update("tool_call", toolCallId="t", title="a.py", kind="read", status="completed")
        chunk(json.dumps({"prompt": words, "cwd": str(Path.cwd()), "home": os.environ["HOME"]}))
        usage = {"totalTokens": 37, "inputTokens": 10, "outputTokens": 20, "cachedReadTokens": 7}
        update("usage_update", used=1, size=2, cost={"amount": 0.25, "currency": "USD"})
        end(number, usage=usage)
    elif WAY == "works":
        work("carry out the recommended fix" in words, "You were cut off" in words)
        end(number)
    elif WAY == "asks":
        sys.stderr.write("read_file: EFBIG, file too large\n")
        chunk(json.dumps({kind: ask_leave(kind, heard) for kind in WORDS}))
        quota = {"token_count": {"input_tokens": 5, "output_tokens": 6}}
        end(number, _meta={"quota": quota})
    elif WAY == "is-refused":
        ask_leave("execute", heard)
        chunk("I may not.")
        end(number)
    elif WAY == "stops":
        say(id=number, result={"stopReason": WORDS[0]})
    elif WAY == "fails":
        say(id=number, error={"code": int(WORDS[0]), "message": WORDS[1]})
    elif WAY == "raves":
        say(id=number, **json.loads(WORDS[0]))
    elif WAY == "dies":
        sys.stderr.write("starting\nsegfault\n")
        sys.exit(3)
    elif WAY == "waits":
        assert "session/cancel" == next(heard)["method"]
        say(id=number, result={"stopReason": "cancelled"})


def load(number: int, name: str) -> None:
    """Load a session: tell all of it, and more after the answer, as some do; or fail."""
    how = told("load") if WAY == "works" else WORDS[0]
    if how == "errs":
        say(id=number, error={"code": -32603, "message": f"no session {name}"})
    elif how == "hangs":
        signal.pause()
    elif how == "dies":
        sys.exit(1)
    elif how == "chatters":
        say(id=number, result={})
        while True:
            chunk("and")
            time.sleep(0.1)
    elif how == "forgets":
        say(id=number, result={})
    else:
        update("user_message_chunk", content={"type": "text", "text": "what is wrong?"})
        chunk('{"prompt": "an earlier one"}')
        say(id=number, result={})
        update("tool_call", toolCallId="r", title="b.py", kind="read", status="completed")
        chunk("I looked.")


def main() -> None:
    heard = lines()
    for message in heard:
        number, method = message.get("id", -1), message["method"]
        params = message["params"]
        if method == "initialize":
            assert not params.get("clientCapabilities")
            version = 2 if WAY == "is-newer" else params["protocolVersion"]
            loads = WAY in ("remembers", "works") and WORDS != ["says nothing"]
            able = {"loadSession": True} if loads else {}
            say(id=number, result={"protocolVersion": version, "agentCapabilities": able})
        elif method == "session/load":
            load(number, params["sessionId"])
        elif method == "session/new" and WAY == "knows-nobody":
            say(id=number, error={"code": -32000, "message": "Authentication required"})
        elif method == "session/new":
            say(id=number, result={"sessionId": "s-1"})
            if WAY == "is-deaf":
                signal.pause()
        elif method == "session/prompt":
            sys.stdout.write("no message at all\n[1]\n")
            update("something_new", of="another version")
            prompted(number, params["prompt"][0]["text"], heard)


main()
