"""A traceback that somebody pasted: read, and found again in another version of the code.

It comes from another machine, with other paths, and from another day, with other line numbers. So a
file is found by the end of its path, and a line by its code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from clew.words.facts import Fact

__all__ = ["MappedFrame", "PastedFrame", "PastedTraceback", "find_again", "read_traceback"]

_FRAME = re.compile(r'^\s*File "([^"\n]{1,500})", line (\d{1,9})(?:, in (\S[^\n]*))?\s*$')
_ERROR = re.compile(r"^([A-Za-z_][\w.]*)(?::\s*(.*))?$")
_DEF = re.compile(r"([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")
_WORD = re.compile(r"\w{3,}")
MOST = 100  # frames


class PastedFrame(Fact, frozen=True, kw_only=True):
    """One frame, as it stands there."""

    path: str
    line: int
    function: str = ""
    code: str = ""


class PastedTraceback(Fact, frozen=True, kw_only=True):
    """A traceback, outermost frame first, and the exception that ended it."""

    frames: tuple[PastedFrame, ...]
    error: str = ""


class MappedFrame(Fact, frozen=True, kw_only=True):
    """A frame found again: `line` is None where its code is not in the file any more."""

    path: str
    line: int | None
    function: str
    code: str
    pasted: str  # path:line there

    @property
    def place(self) -> str:
        """Where it is today: `path:line in function`, as far as that is known."""
        return f"{self.path}{f':{self.line}' if self.line else ''} in {self.function}"


def read_traceback(text: str) -> PastedTraceback | None:
    """Return the last traceback in a text; None where there is none."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.strip().startswith("Traceback (most")]
    begin = starts[-1] + 1 if starts else 0
    frames, error = list[PastedFrame](), ""
    at = begin
    while at < len(lines):
        found = _FRAME.match(lines[at])
        at += 1
        if found is None:
            ends = _ERROR.match(lines[at - 1].strip()) if frames else None
            if ends and not lines[at - 1].startswith((" ", "\t")):
                error = lines[at - 1].strip()
                break
            continue
        code = lines[at].strip() if at < len(lines) and lines[at].startswith((" ", "\t")) else ""
        code = "" if _FRAME.match(lines[at] if at < len(lines) else "") else code
        frames.append(
            PastedFrame(path=found[1], line=int(found[2]), function=found[3] or "", code=code)
        )
    return PastedTraceback(frames=tuple(frames[-MOST:]), error=error) if frames else None


def find_again(
    traceback: PastedTraceback, files: Collection[str], text_of: Callable[[str], str | None]
) -> tuple[MappedFrame, ...]:
    """Return the frames whose file is among `files`, in their order, at the lines of today."""
    return tuple(_found(traceback, files, text_of))


def _found(
    traceback: PastedTraceback, files: Collection[str], text_of: Callable[[str], str | None]
) -> Iterator[MappedFrame]:
    for frame in traceback.frames:
        path = _file(frame.path, files)
        text = text_of(path) if path else None
        if path and text is not None:
            ends = traceback.error if frame is traceback.frames[-1] else ""
            yield MappedFrame(
                path=path,
                line=_line(frame, text, ends),
                function=frame.function,
                code=frame.code,
                pasted=f"{frame.path}:{frame.line}",
            )


def _file(pasted: str, files: Collection[str]) -> str:
    """Return the one file that shares the longest end of the path; none where two share as much.

    A name alone is enough only for what lies at the top there, too.
    """
    parts = PurePosixPath(pasted.replace("\\", "/")).parts
    best, longest, twice = "", 0, False
    for file in files:
        own = PurePosixPath(file).parts
        shared = 0
        while shared < min(len(own), len(parts)) and own[-1 - shared] == parts[-1 - shared]:
            shared += 1
        if shared > longest:
            best, longest, twice = file, shared, False
        elif shared == longest and shared:
            twice = True
    whole = len(PurePosixPath(best).parts)
    return best if longest and not twice and (longest > 1 or whole == 1) else ""


def _line(frame: PastedFrame, text: str, error: str) -> int | None:
    """Return the line with the frame's code; without code, that of its number.

    Of several it is one in the frame's function, whose statement shares most words with the error
    that it ended with, nearest to the number.
    """
    lines = text.splitlines()
    if not frame.code:
        return frame.line if frame.line <= len(lines) else None
    same = [at for at, line in enumerate(lines, 1) if line.strip() == frame.code]
    said = frozenset(_WORD.findall(error))

    def order(at: int) -> tuple[bool, int, int]:
        shared = said.intersection(_WORD.findall(_statement(lines, at))) if said else ()
        return _function(lines, at) != frame.function, -len(shared), abs(at - frame.line)

    return min(same, key=order, default=None) if len(same) > 1 else next(iter(same), None)


def _function(lines: Sequence[str], at: int) -> str:
    """Return the name of the function around a line, as a traceback has it."""
    depth = _depth(lines[at - 1])
    above = (_DEF.match(line) for line in reversed(lines[: at - 1]))
    return next((found[2] for found in above if found and len(found[1]) < depth), "<module>")


def _statement(lines: Sequence[str], at: int) -> str:
    """Return a line with what follows it and is indented deeper."""
    depth = _depth(lines[at - 1])
    return "\n".join((lines[at - 1], *takewhile(lambda line: _depth(line) > depth, lines[at:])))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
