"""Every back-end that speaks with a model: its name, and how a scripted model uses its tools.

A further back-end is one entry in `BACK_ENDS`; the contract in tests/stories holds for it then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from commandline import REPOSITORY, CommandLine
from modelserver import Asked, ModelServer, ToolCall

__all__ = ["BACK_ENDS", "KEY", "NOTHING", "PATH", "SECRET", "BackEnd", "person", "role", "text"]

PATH = f"{REPOSITORY / '.venv' / 'agents' / 'bin'}:{os.environ['PATH']}"
KEY = "sk-none-0123456789abcdef"
NOTHING = '{"counterexamples": []}'  # what a challenger says that finds none
SECRET = "hunter2"  # noqa: S105 -- nobody's

Change = Mapping[str, Any]


@dataclass(frozen=True)
class BackEnd:
    """One back-end, as the contract needs it."""

    name: str
    agent: str  # on the ladder
    environment: Callable[[ModelServer], dict[str, str]]
    read: Callable[[Path], ToolCall]
    edit: Callable[[Path, Change], ToolCall]
    writes: Callable[[Path], tuple[ToolCall, ...]]  # what a diagnosis tries in vain
    models: frozenset[str] = frozenset()  # that the server is asked for
    patience: int = 8  # seconds in which it has begun, on a busy machine
    usage: bool = True  # what calls took is told, and adds up
    written: Callable[[Path], int] | None = None  # results of tools, if that takes it a while

    @property
    def word(self) -> str:
        return self.agent.partition(":")[0]


def person(clew: CommandLine, back_end: BackEnd, server: ModelServer) -> dict[str, str]:
    """Return the environment of a person who has the program, a key that is none, and a secret."""
    home = clew.state.parent / "home"
    home.mkdir(exist_ok=True)
    own = {"PATH": PATH, "HOME": str(home), "SECRET_OF_THE_PERSON": SECRET}
    return own | back_end.environment(server)


def role(asked: Asked) -> str:
    """Return what an agent was called for."""
    if "find what the fix gets wrong" in asked.whole:
        return "challenge"
    return "fix" if "carry out the recommended fix" in asked.whole else "diagnose"


def text(line: Mapping[str, Any]) -> str:
    """Return what a model says, from a line of a recording."""
    return json.dumps(line["reply"])


def _claude(server: ModelServer) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY}


def _gemini(server: ModelServer) -> dict[str, str]:
    return {"GOOGLE_GEMINI_BASE_URL": server.url, "GEMINI_API_KEY": KEY}


def _openai(server: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY}


def _patch(file: Path, change: Change, word: str = "input") -> ToolCall:
    """Return an edit as models of OpenAI make one: lines that go, lines that come."""
    gone, come = change["current"].rstrip("\n"), change["should_be"].rstrip("\n")
    old = next(line for line in file.read_text().splitlines() if gone in line)
    lines = ("*** Begin Patch", f"*** Update File: {file}", "@@")
    patch = (*lines, f"-{old}", f"+{old.replace(gone, come)}", "*** End Patch")
    return ToolCall("apply_patch", {word: "\n".join(patch)})


def _count(pattern: str, sign: str) -> Callable[[Path], int]:
    """Return what counts a sign in the one of an agent's own records that has the most."""

    def counted(below: Path) -> int:
        return max((path.read_text().count(sign) for path in below.rglob(pattern)), default=0)

    return counted


CLAUDE = BackEnd(
    name="claude",
    agent="claude:model-1",
    environment=_claude,
    read=lambda file: ToolCall("Read", {"file_path": str(file)}),
    edit=lambda file, change: ToolCall(
        "Edit",
        {
            "file_path": str(file),
            "old_string": change["current"],
            "new_string": change["should_be"],
        },
    ),
    writes=lambda file: (
        ToolCall("Write", {"file_path": str(file), "content": "x"}),
        ToolCall("Bash", {"command": f"touch {file}"}),
    ),
    models=frozenset({"model-1"}),
    written=_count("projects/*/*.jsonl", '"type":"tool_result"'),
)

GEMINI = BackEnd(
    name="gemini",
    agent="gemini:gemini-2.5-flash",
    environment=_gemini,
    read=lambda file: ToolCall("read_file", {"file_path": str(file)}),
    edit=lambda file, change: ToolCall(
        "replace",
        {
            "file_path": str(file),
            "instruction": "mend it",
            "old_string": change["current"],
            "new_string": change["should_be"],
        },
    ),
    writes=lambda file: (
        ToolCall("write_file", {"file_path": str(file), "content": "x"}),
        ToolCall("run_shell_command", {"command": f"touch {file}"}),
    ),
    models=frozenset({"gemini-2.5-flash"}),
    written=_count("chats/*.jsonl", '"type":"user","content":[{"functionResponse"'),
)

LLM = BackEnd(
    name="llm-anthropic",
    agent="llm:anthropic:model-1",
    environment=_claude,
    read=lambda file: ToolCall("read", {"path": str(file)}),
    edit=lambda file, change: ToolCall(
        "edit",
        {"path": str(file), "old": change["current"], "new": change["should_be"]},
    ),
    writes=lambda file: (
        ToolCall("edit", {"path": str(file), "old": "", "new": "x"}),
        ToolCall("bash", {"command": f"touch {file}"}),
    ),
    models=frozenset({"model-1"}),
)

CODEX = BackEnd(
    name="codex",
    agent="codex:gpt-5.5",
    environment=_openai,
    read=lambda file: ToolCall("exec_command", {"cmd": f"cat {file}"}),
    edit=_patch,
    writes=lambda file: (
        ToolCall("exec_command", {"cmd": f"touch {file}"}),
        ToolCall(
            "apply_patch",
            {"input": f"*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch"},
        ),
    ),
    models=frozenset({"gpt-5.5"}),
    written=_count("sessions/**/*.jsonl", '_call_output"'),
)

OPENCODE = BackEnd(
    name="opencode",
    agent="opencode:openai/model-1",
    environment=_openai,
    read=lambda file: ToolCall("read", {"filePath": str(file)}),
    edit=lambda file, change: ToolCall(
        "edit",
        {
            "filePath": str(file),
            "oldString": change["current"],
            "newString": change["should_be"],
        },
    ),
    writes=lambda file: (
        ToolCall("write", {"filePath": str(file), "content": "x"}),
        ToolCall("bash", {"command": f"touch {file}", "description": "plant it"}),
    ),
    models=frozenset({"model-1"}),
    patience=30,
)

# The protocol's side of two agents, and one tool box with three providers.
ACP_GEMINI = replace(
    GEMINI, name="acp-gemini", agent="acp:gemini --acp -m gemini-2.5-flash", patience=20
)
# It takes no model: it asks for one of OpenAI's, and those it has edit by patches. Of what a prompt
# took it tells the last step.
ACP_OPENCODE = replace(
    OPENCODE,
    name="acp-opencode",
    agent="acp:opencode acp",
    edit=lambda file, change: _patch(file, change, "patchText"),
    models=frozenset(),
    usage=False,
)
LLM_OPENAI = replace(LLM, name="llm-openai", agent="llm:openai:model-1", environment=_openai)
LLM_GOOGLE = replace(LLM, name="llm-google", agent="llm:google:model-1", environment=_gemini)

BACK_ENDS = {
    each.name: each
    for each in (
        CLAUDE,
        GEMINI,
        ACP_GEMINI,
        LLM,
        LLM_OPENAI,
        LLM_GOOGLE,
        CODEX,
        OPENCODE,
        ACP_OPENCODE,
    )
}
