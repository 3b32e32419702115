"""What a model may do: look at files of the worktree, and for a fix edit them.

All that a tool returns is wrapped as data. Nothing here runs a command, and no path leads out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from clew.agents import prompts
from clew.agents.filing import carry_out
from clew.agents.llm.tree import Refused, Tree
from clew.analysis.context import definitions, language_of
from clew.words.errors import AgentFailed
from clew.words.facts import Edit

__all__ = ["Toolbox"]

LONGEST = 24_000  # characters that one tool returns
MOST_LINES = 400  # of a file, unless it is asked for more
MOST_FOUND = 100
MOST_READ = 64 << 20  # characters that one search looks at
WIDEST = 300  # characters of a line that was found

Tool = Callable[..., Coroutine[Any, Any, str]]


class Toolbox:
    """The tools of one call: `nonce` is that of its prompt, `seen` where agents see the files.

    `may_edit` says which files may be changed, `told` hears what is done.
    """

    def __init__(
        self,
        worktree: Path,
        nonce: str,
        seen: Path | None = None,
        *,
        may_edit: Callable[[str], bool] = lambda _: True,
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._worktree = worktree
        self._tree = Tree(worktree, seen)
        self._may_edit = may_edit
        self._told = told
        self._nonce = nonce

    def tools(self, *, writes: bool) -> dict[str, Tool]:
        """Return what the model is offered, by name: to edit only where that is asked for."""
        tools: dict[str, Callable[..., tuple[str, str]]] = {
            "read": self.read,
            "grep": self.grep,
            "list": self.entries,
            "find_definition": self.find_definition,
        }
        if writes:
            tools["edit"] = self.edit
        return {name: self._wrapped(name, tool) for name, tool in tools.items()}

    def read(self, path: str, first_line: int = 1, lines: int = MOST_LINES) -> tuple[str, str]:
        """Read a text file of the project.

        Args:
            path: relative to the project's root
            first_line: counts from 1
            lines: how many of them
        """
        every = self._tree.text(path).splitlines(keepends=True)
        first = max(1, first_line)
        shown = every[first - 1 : first - 1 + max(1, lines)]
        return f"{path}, lines {first} to {first + len(shown) - 1} of {len(every)}", "".join(shown)

    def grep(self, text: str, path: str = ".") -> tuple[str, str]:
        """Find the lines that hold a text, in all files below a path.

        Args:
            text: taken literally, no regular expression; `*` stands for anything within the line
            path: a file or folder, relative to the project's root
        """
        words = [word for word in re.split(r"\.?\*", text) if word]
        if not words:
            raise Refused("there is nothing to look for")
        lines = (
            f"{name}:{number}: {line.strip()[:WIDEST]}"
            for name, content in self._searched(path)
            if all(word in content for word in words)
            for number, line in enumerate(content.splitlines(), 1)
            if _holds(line, words)
        )
        return f"lines with {text}", _some(lines)

    def entries(self, path: str = ".") -> tuple[str, str]:
        """List a folder of the project: folders end with `/`, links with `@`.

        Args:
            path: relative to the project's root
        """
        return f"entries of {path}", "\n".join(self._tree.entries(path)) or "it is empty"

    def find_definition(self, name: str) -> tuple[str, str]:
        """Find where a function, class, method or constant is defined.

        Args:
            name: its bare name, without what it belongs to
        """
        lines = (
            f"{path}:{line}: {content.splitlines()[line - 1].strip()[:WIDEST]}"
            for path, content in self._searched(".")
            if name and name in content and (language := language_of(path))
            for line in definitions(content.encode(), language, name)
        )
        return f"definitions of {name}", _some(lines)

    def edit(self, path: str, old: str, new: str) -> tuple[str, str]:
        """Replace a text in a file, or create a file.

        Args:
            path: relative to the project's root
            old: stands in the file exactly once; empty for a file that is not there yet
            new: what replaces it
        """
        path = self._tree.relative(path)
        if not self._may_edit(path):
            raise Refused(f"{path}: that file is not yours to change")
        carry_out(self._worktree, [Edit(path=path, line=None, current=old, should_be=new)])
        return f"edit of {path}", "done"

    def _searched(self, path: str) -> Iterator[tuple[str, str]]:
        left = MOST_READ
        for name, content in self._tree.files(path):
            left -= len(content)
            if left < 0:
                return
            yield name, content

    def _wrapped(self, name: str, tool: Callable[..., tuple[str, str]]) -> Tool:
        """Return a tool whose answers and refusals are data."""

        @wraps(tool)
        async def called(*given: Any, **named: Any) -> str:  # noqa: ANN401 - as the tool declares
            from pydantic_ai import ToolFailed  # noqa: PLC0415 - an extra, and slow

            first = next(iter((*given, *named.values())), "")
            self._told(f"{name} {first}"[:WIDEST])
            try:
                label, text = tool(*given, **named)
            except (Refused, AgentFailed) as error:
                why = prompts.wrap_data(name, str(error), self._nonce)
                raise ToolFailed(why) from error
            return prompts.wrap_data(label, prompts.clip(text, LONGEST), self._nonce)

        return called


def _holds(line: str, words: list[str]) -> bool:
    at = 0
    for word in words:
        at = line.find(word, at)
        if at < 0:
            return False
        at += len(word)
    return True


def _some(lines: Iterator[str]) -> str:
    found: list[str] = []
    for line in lines:
        if len(found) == MOST_FOUND:
            return "\n".join([*found, f"[the first {MOST_FOUND} only]"])
        found.append(line)
    return "\n".join(found) or "nothing was found"
