"""What a program tells while it works: shown to people, counted, and never journalled.

A back-end reads one line of its program's output as a `Notice`; a `Listener` follows the lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from clew.agents.protocol import Call
from clew.words.facts import Tick, Usage
from clew.words.printable import one_line

__all__ = ["Listener", "Notice", "decoded", "doing"]

T = TypeVar("T")

NAME = re.compile(r"[A-Za-z0-9_][\w.:-]{0,199}", re.ASCII)  # of a conversation
LONGEST = 200  # characters of what it says of its doings

ABOUT = ("file_path", "path", "absolute_path", "filePath", "pattern", "query", "command")
DOINGS = {
    "reading": ("read", "read_file", "read_many_files", "view", "cat"),
    "searching": ("grep", "glob", "search", "search_file_content", "list", "list_directory", "ls"),
    "editing": ("edit", "multiedit", "replace", "patch", "apply_patch", "file_change"),
    "writing": ("write", "write_file"),
    "running": ("bash", "shell", "run_shell_command", "command_execution"),
}
_DOING = {tool: word for word, tools in DOINGS.items() for tool in tools}


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What one line tells; all of it may be missing."""

    doing: str = ""  # "reading src/x.py"
    waits: str = ""  # why it waits, and for how long
    conversation: str = ""  # the name by which it goes on with this conversation
    usage: Usage | None = None  # of the message `message`, as far as it got
    message: str = ""  # a later line about the same one counts in its place


def decoded(line: bytes | str, kind: type[T]) -> T | None:
    """Return what a line of a program tells; None if it is no JSON of that kind."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (ValueError, RecursionError):  # a UnicodeDecodeError is no DecodeError, but a ValueError
        return None


def doing(tool: str, arguments: Mapping[str, object]) -> str:
    """Say in words what a call of a tool does: "reading src/x.py"."""
    found = (arguments.get(name) for name in ABOUT)
    about = next((each for each in found if isinstance(each, str)), "")
    return f"{_DOING.get(tool.lower(), tool)} {about}".strip()


class Listener:
    """Follows a program's lines during one call."""

    def __init__(self, call: Call[Any], name: str, read: Callable[[bytes], Notice | None]) -> None:
        self._call = call
        self._name = name
        self._read = read
        self._usages: dict[str, Usage] = {}

    def line(self, line: bytes) -> None:
        """Take note of a line. Raises what `read` raises: then the program is ended."""
        notice = self._read(line)
        if notice is None:
            return
        if notice.usage is not None:
            self._usages[notice.message] = notice.usage
        if NAME.fullmatch(notice.conversation):
            self._call.began(notice.conversation)
        if notice.doing:
            self._tell("agent", notice.doing)
        if notice.waits:
            self._tell("waiting", notice.waits)

    def _tell(self, phase: str, words: str) -> None:
        words = words.replace(f"{self._call.site.root}/", "")
        self._call.tick(Tick(phase=phase, text=one_line(f"{self._name}: {words}")[:LONGEST]))

    @property
    def usage(self) -> Usage | None:
        """What was counted so far: the sum over messages; None if no line told."""
        return Usage.total(self._usages.values()) if self._usages else None
