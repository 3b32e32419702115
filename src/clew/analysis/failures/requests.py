"""Requests of a web server's log that somebody pasted, and the routes that they reached.

A log names a method, a path and a status. A route is a text in the code that such a path fits: its
parts are the path's, or stand for any part (`<id>`, `{id}`, `:id`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.words.facts import Fact

__all__ = ["LoggedRequest", "MappedRequest", "read_requests", "routed"]

_REQUEST = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:https?://[^/\s]+)?(/[^\s\"?#]{0,500})"
    r"(?:\?[^\s\"]*)?(?: HTTP/[\d.]+)?\"?(?:\D{0,20}?\b([1-5]\d\d)\b)?"
)
_TEXT = re.compile(r"""["']([^"'\s]{1,200})["']""")
_ANY = re.compile(r"<[^<>]+>|\{[^{}]*\}|:\w+|\(\?P<.+\)|\(.+\)")
_FUNCTION = re.compile(r"^\s*(?:async\s+)?(?:def|func|function|fn)\s+(\w+)")
MOST = 50  # requests
NEAR = 8  # lines below a route where its function begins
FAILED = 500


class LoggedRequest(Fact, frozen=True, kw_only=True):
    """A request, and how often the log has it."""

    method: str
    path: str
    status: int = 0  # 0 where the log says none
    times: int = 1


class MappedRequest(Fact, frozen=True, kw_only=True):
    """A request with the route in this version that it reaches."""

    request: LoggedRequest
    route: str
    path: str  # of the file
    line: int
    function: str = ""

    @property
    def place(self) -> str:
        """Where the route is: `path:line in function`."""
        return f"{self.path}:{self.line}" + (f" in {self.function}" if self.function else "")


def read_requests(text: str) -> tuple[LoggedRequest, ...]:
    """Return the requests of a text, those that the server failed at first, else in their order."""
    counted: dict[tuple[str, str, int], int] = {}
    for found in _REQUEST.finditer(text):
        key = (found[1], found[2], int(found[3] or 0))
        counted[key] = counted.get(key, 0) + 1
    requests = [
        LoggedRequest(method=method, path=path, status=status, times=times)
        for (method, path, status), times in counted.items()
    ]
    return tuple(sorted(requests, key=lambda each: each.status < FAILED)[:MOST])


def routed(request: LoggedRequest, texts: Mapping[str, str]) -> MappedRequest | None:
    """Return the route that fits a request best, among sources by their paths; None for none.

    The more of its parts are written out the better; one that a part of the path is put before, as
    by a mount, fits as well, though less; and of equals the one whose line names the method.
    """
    wanted = _parts(request.path)
    found = [
        (fits, request.method.lower() in line.lower(), path, number, route)
        for path, text in texts.items()
        for number, line, route in _routes(text)
        if (fits := _fit(_parts(route), wanted))
    ]
    if not found:
        return None
    _, _, path, number, route = max(found, key=lambda each: (each[0], each[1], each[2]))
    function = _function(texts[path].splitlines(), number)
    return MappedRequest(request=request, route=route, path=path, line=number, function=function)


def _routes(text: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if "/" in line:
            for said in _TEXT.finditer(line):
                if "/" in said[1] and "://" not in said[1]:
                    yield number, line, said[1]


def _parts(path: str) -> list[str]:
    return [part for part in path.strip("^$").split("/") if part]


def _fit(route: list[str], wanted: list[str]) -> float:
    """Return how well a route fits: a point for each part that is written out, less for a mount."""
    if not route or len(route) > len(wanted):
        return 0.0
    tail = wanted[len(wanted) - len(route) :]
    same = [part == want for part, want in zip(route, tail, strict=True)]
    any_ = [_ANY.fullmatch(part) is not None for part in route]
    if not all(s or a for s, a in zip(same, any_, strict=True)):
        return 0.0
    return sum(same) - 0.5 * (len(route) < len(wanted)) if any(same) else 0.0


def _function(lines: list[str], number: int) -> str:
    found = (_FUNCTION.match(line) for line in lines[number - 1 : number + NEAR])
    return next((each[1] for each in found if each), "")
