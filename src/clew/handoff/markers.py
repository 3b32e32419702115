"""What the last message of an agent asks to be started next.

A marker is a whole line of its own: `GSD_SPAWN: /gsd:plan-phase 6`. Where the message only speaks
of one (in a code block or a comment, quoted, between back-ticks, with prose behind a closing
back-tick or `**`) there is none. Of several, all the same, it is that one; of several that differ,
none: an agent that wants two things wants nothing that may be guessed.
"""

from __future__ import annotations

__all__ = ["MARKER", "MarkerCommand", "allowed", "find"]

MARKER = "GSD_SPAWN:"
LONGEST = 2000
OPENS, CLOSES = "<!--", "-->"
FENCES = ("```", "~~~")
NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/")


class MarkerCommand:
    """One command with its arguments, or the reason why a marker is none. Never changed."""

    __slots__ = ("command", "wrong")

    def __init__(self, command: str, wrong: str = "") -> None:
        self.command = command
        self.wrong = wrong

    @property
    def name(self) -> str:
        """The command without its arguments: `/gsd:plan-phase`."""
        return self.command.partition(" ")[0]


def find(message: str) -> MarkerCommand | None:
    """Return what a message asks for; None if it holds no line that is a marker."""
    if MARKER not in message:
        return None
    asked = list(dict.fromkeys(_marked_lines(message)))
    if not asked:
        return None
    if len(asked) > 1:
        return MarkerCommand(asked[0], f"the message asks for {len(asked)} different commands")
    return MarkerCommand(asked[0], _wrong(asked[0]))


def _marked_lines(message: str) -> list[str]:
    """Return what stands behind each marker outside of code blocks."""
    found, fence, hidden = [], "", False
    at, last = 0, message.rfind(CLOSES)
    for line in message.split("\n"):
        at += len(line) + 1
        bare = line.rstrip("\r").strip(" ")
        if hidden:
            _, closed, bare = bare.partition(CLOSES)
            hidden = not closed or _opens(bare, closes=last >= at)
            continue
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
            continue
        opening = next((each for each in FENCES if bare.startswith(each)), "")
        if opening:
            fence = opening[0] * (len(bare) - len(bare.lstrip(opening[0])))
            # A fence that opens and closes in its own line is a span of code.
            if opening[0] == "`" and "`" in bare[len(fence) :]:
                fence = ""
            continue
        indented = len(line) - len(line.lstrip(" "))
        if indented < 4 and bare.startswith(MARKER):  # noqa: PLR2004 -- from four on it is code
            found.append(bare[len(MARKER) :].strip(" \t"))
        hidden = _opens(bare, closes=last >= at)
    return found


def _opens(line: str, *, closes: bool) -> bool:
    """Return whether a comment goes on behind a line; one that stands first need never close."""
    outside = "".join(line.split("`")[::2])  # without spans of code
    while OPENS in outside:
        _, _, rest = outside.partition(OPENS)
        _, closed, outside = rest.partition(CLOSES)
        if not closed:
            return closes or line.lstrip(" ").startswith(OPENS)
    return False


def _wrong(command: str) -> str:
    """Return why a command is invalid; empty if it is not."""
    name, _, arguments = command.partition(" ")
    parts = name[1:].replace(":", "/").split("/")
    if name[:1] != "/" or not NAME.issuperset(name) or not all(part.strip(".") for part in parts):
        return "no command follows the marker"
    if MARKER in arguments:
        return "two markers on one line"
    if len(command) > LONGEST:
        return f"the command is longer than {LONGEST} characters"
    if any(not char.isprintable() for char in command):
        return "the command contains control characters"
    if "`" in arguments or arguments.endswith(("**", "__")):
        return "the line continues after the command, as prose does"
    return ""


def allowed(name: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a list of commands names this one; a `*` at the end stands for anything."""
    return any(
        name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
        for pattern in patterns
    )
