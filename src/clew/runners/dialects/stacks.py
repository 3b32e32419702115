"""The frames of stacks, as other languages print them; outermost first, as everywhere in Clew."""

from __future__ import annotations

import re

from clew.runners.dialects.protocol import RunLocation
from clew.words.facts import Frame

__all__ = ["anywhere", "go", "javascript", "rust", "trace"]

MOST = 60  # frames of one stack

GO = re.compile(
    r"^(?P<function>\S.*?)\((?:0x|\.\.\.|\{|\)).*\n\t(?P<path>\S+\.go):(?P<line>\d+)", re.MULTILINE
)
PLACE = re.compile(r"(?P<path>\S.*\.go):(?P<line>\d+)")
GO_TEST = re.compile(r"^\s+(?P<path>[\w.-]+\.go):(?P<line>\d+): ", re.MULTILINE)
JAVASCRIPT = re.compile(
    r"^\s+at (?:async )?(?:(?P<function>[^\n(]+?) \()?(?P<path>(?:file://)?[^\s():][^\n():]*)"
    r":(?P<line>\d+):\d+\)?$",
    re.MULTILINE,
)
RUST = re.compile(
    r"^ +\d+: (?:0x[0-9a-f]+ - )?(?P<function>.+)\n +at (?P<path>[^\n:]+):(?P<line>\d+)",
    re.MULTILINE,
)
# `Cart.java:12`, `cart.rb:12:in`, `/src/cart.php:12`, `Cart.cs:line 12`, `cart.c(12)`,
# `cart.sh: line 12:`, `cart.bats, line 12`.
ANYWHERE = re.compile(
    r"(?P<path>[\w./@+-]*[\w-]\.(?:[cm]?[jt]sx?|java|kts?|scala|groovy|clj|go|rs|rb|php|cs|fs|vb|swift"
    r"|exs?|erl|c|cc|cpp|cxx|h|hh|hpp|m|mm|py|pl|pm|lua|dart|zig|nim|hs|ml|jl|r|sh|bats))"
    r"(?:: ?line |:|\(|\"?, line )(?P<line>\d+)"
)
JAVA = re.compile(
    r"at (?:[\w.]+/)?(?P<class>[\w.$]+)\.(?P<method>[\w$<>]+)\((?P<file>[\w]+\.\w+):(?P<line>\d+)\)"
)


def go(text: str, ground: RunLocation, folder: str) -> tuple[Frame, ...]:
    """Read the stack of a panic, or the lines that `t.Error` marks; `folder` is the package's."""
    panic = text.partition("panic: ")[2]
    running = panic.partition("[running]:\n")[2].partition("\n\n")[0]
    found = [
        ground.frame(each["path"], int(each["line"]), each["function"].rpartition("/")[2])
        for each in GO.finditer(running)
    ]
    own = [frame for frame in found if frame.project][:MOST]
    if own:
        return tuple(reversed(own))
    prefix = f"{folder}/" if folder else ""
    return tuple(
        ground.frame(prefix + each["path"], int(each["line"])) for each in GO_TEST.finditer(text)
    )[:1]


def trace(text: str, ground: RunLocation) -> tuple[Frame, ...]:
    """Read places that stand one a line, as Go's testify tells where it was called from."""
    found = (each for line in text.splitlines() if (each := PLACE.fullmatch(line.strip())))
    frames = [ground.frame(each["path"], int(each["line"])) for each in found]
    return tuple(reversed([frame for frame in frames if frame.project][:MOST]))


def javascript(stack: str, ground: RunLocation) -> tuple[Frame, ...]:
    found = [
        ground.frame(each["path"], int(each["line"]), (each["function"] or "").strip())
        for each in JAVASCRIPT.finditer(stack)
    ]
    return tuple(reversed([frame for frame in found if frame.project][:MOST]))


def rust(text: str, ground: RunLocation) -> tuple[Frame, ...]:
    found = [
        ground.frame(each["path"], int(each["line"]), _plain(each["function"]))
        for each in RUST.finditer(text)
    ]
    return tuple(reversed([frame for frame in found if frame.project][:MOST]))


def _plain(function: str) -> str:
    return re.sub(r"::h[0-9a-f]{16}$", "", function.strip())


def anywhere(text: str, ground: RunLocation) -> tuple[Frame, ...]:
    """Read the places that any text names: those of files that the project has.

    Most runners print the innermost frame first, Python last.
    """
    innermost_last = "Traceback (most recent call last)" in text
    found: dict[tuple[str, int], Frame] = {}
    for each in JAVA.finditer(text):
        package = each["class"].replace(".", "/").rpartition("/")[0]
        own = ground.find(f"{package}/{each['file']}".lstrip("/"))
        if own:
            found.setdefault(
                (own, int(each["line"])), ground.frame(own, int(each["line"]), each["method"])
            )
    for each in ANYWHERE.finditer(text):
        frame = ground.frame(each["path"], int(each["line"]))
        if frame.project:
            found.setdefault((frame.path, frame.line), frame)
        if len(found) > MOST:
            break
    frames = tuple(found.values())
    return frames if innermost_last else tuple(reversed(frames))
