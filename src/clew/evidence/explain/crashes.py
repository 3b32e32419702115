"""What went wrong, told of an exception: what was called with what, which name is missing."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator

from clew.evidence.explain.scene import (
    Explanation,
    Scene,
    clipped,
    code,
    listed,
    own_name,
    place,
    values,
)
from clew.evidence.explain.sources import Definition, definitions, named
from clew.words.facts import Crash, Frame
from clew.words.printable import printable

__all__ = ["callee", "crash_account"]

MISSING = re.compile(r"([\w.<>]+)\(\) missing \d+ required .*?arguments?: (.+)")
TOO_MANY = re.compile(
    r"([\w.<>]+)\(\) takes (.+?) positional arguments? but (\d+) (?:was|were) given"
)
UNEXPECTED = re.compile(r"([\w.<>]+)\(\) got an unexpected keyword argument '(\w+)'")
OPERANDS = re.compile(r"unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'")
COMPARED = re.compile(r"'(\S+)' not supported between instances of '(\w+)' and '(\w+)'")
ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
MODULE_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'")
NOT_ABLE = re.compile(r"'(\w+)' object is not (callable|iterable|subscriptable)")
JOINED = re.compile(r"can only concatenate (\w+) \(not \"(\w+)\"\)")
NAME = re.compile(r"(?:name|variable) '(\w+)'")


def crash_account(scene: Scene, crash: Crash) -> Explanation:
    """Return title and cause of a failure that is an exception."""
    kind = crash.type.rpartition(".")[2]
    message = clipped(printable(crash.message), 200)
    frame = next(iter(scene.frames), None) or scene.test_frame
    name = "" if frame is None or frame.function.endswith("<anonymous>") else frame.function
    where = code(own_name(name) or scene.test_name)
    at = f" at {place(frame.path, frame.line)}" if frame else ""
    line = f", in {code(frame.code)}" if frame and frame.code.strip() else ""
    told = next((words for words in _explained(scene, kind, message, frame) if words), "")
    if scene.result is not None and scene.result.hung:
        return Explanation(
            f"{where} does not come to an end",
            f"{code(scene.test_name)} was stopped when its time ran out{at}{line}."
            f"{_at_hand(frame)}",
        )
    said = f": {message}" if message else ""
    cause = f"{where} raises {code(f'{kind}{said}')}{at}{line}."
    title = _title(scene, message) or f"{where} raises {kind}"
    return Explanation(title, f"{cause}{told}{_at_hand(frame)}")


def _at_hand(frame: Frame | None) -> str:
    shown = values(frame) if frame else ""
    return f" There, {shown}." if shown else ""


def _explained(scene: Scene, kind: str, message: str, frame: Frame | None) -> Iterator[str]:
    """Yield what the message means here; the first that says something counts."""
    for teller in (_call, _attribute, _operands):
        yield teller(scene, message, frame)
    if frame is None:
        return
    special: dict[str, Callable[[str, Frame], str]] = {
        "KeyError": _key,
        "IndexError": _index,
        "ZeroDivisionError": _zero,
        "NameError": _name,
        "UnboundLocalError": _unbound,
        "RecursionError": _recursion,
    }
    if kind in special:
        yield special[kind](message, frame)


def callee(scene: Scene) -> Definition | None:
    """Return the definition of the function that was called with arguments that do not fit."""
    message = printable(scene.crash.message) if scene.crash else ""
    found = MISSING.search(message) or TOO_MANY.search(message) or UNEXPECTED.search(message)
    if found is None:
        return None
    owner, _, name = found.group(1).rpartition(".")
    # A class is called by its own name.
    named = owner.rpartition(".")[2] if name == "__init__" and owner else name
    found_one = next(definitions(scene.sources, named), None)
    return found_one or Definition("", 0, named, "")


def _call(scene: Scene, message: str, _: Frame | None) -> str:
    known = callee(scene)
    if known is None:
        return ""
    name = code(known.name)
    at = f" It is defined at {place(known.path, known.line)}" if known.path else ""
    head = f"{at} as {code(known.head)}." if known.path else ""
    if missing := MISSING.search(message):
        return f" The call of {name} leaves out {missing.group(2)}.{head}"
    if many := TOO_MANY.search(message):
        return f" The call gives {many.group(3)} arguments; {name} takes {many.group(2)}.{head}"
    strange = UNEXPECTED.search(message)
    wrong = strange.group(2) if strange else ""
    takes = re.findall(r"\w+", known.head.partition("(")[2])
    near = difflib.get_close_matches(wrong, takes, n=1, cutoff=0.6)
    slip = f" The closest it knows is {code(near[0])}." if near else ""
    return f" {name} knows no argument {code(wrong)}.{slip}{head}"


def _title(scene: Scene, message: str) -> str:
    """Return a title for a call that does not fit; empty for all else."""
    known = callee(scene)
    if known is None:
        return ""
    if missing := MISSING.search(message):
        return f"{code(known.name)} is called without {missing.group(2)}"
    if many := TOO_MANY.search(message):
        return f"{code(known.name)} takes {many.group(2)} arguments, not {many.group(3)}"
    strange = UNEXPECTED.search(message)
    return f"{code(known.name)} knows no argument {strange.group(2)}" if strange else ""


def _attribute(scene: Scene, message: str, frame: Frame | None) -> str:
    module = MODULE_ATTRIBUTE.search(message)
    if module:
        return f" The module {code(module.group(1))} defines no {code(module.group(2))}."
    found = ATTRIBUTE.search(message)
    if found is None:
        return ""
    owner, name = found.groups()
    if owner == "NoneType":
        holders = _holding(frame, ("None",))
        who = listed([code(holder) for holder in holders], last="or")
        who = f"{who} is None" if who else "The object is None"
        return f" {who}: what was to be given is missing before {code(f'.{name}')} is asked for."
    names = {
        each
        for text in scene.sources.values()
        for each in re.findall(r"(?:def |self\.)(\w+)", text)
        if not each.startswith("__")
    }
    near = [each for each in difflib.get_close_matches(name, sorted(names), n=2) if each != name]
    slip = f" Close names in the project: {listed([code(n) for n in near])}." if near else ""
    return f" A {code(owner)} has no {code(name)}.{slip}"


def _operands(_: Scene, message: str, __: Frame | None) -> str:
    found = OPERANDS.search(message) or COMPARED.search(message)
    if found:
        sign, left, right = found.groups()
        return f" {code(sign)} is asked to join a {code(left)} and a {code(right)}."
    joined = JOINED.search(message)
    if joined:
        kind, other = joined.groups()
        return f" {code(kind)} and {code(other)} are joined; one of them has to be converted."
    unable = NOT_ABLE.search(message)
    if unable:
        kind, what = unable.groups()
        verb = {"callable": "called", "iterable": "iterated over", "subscriptable": "indexed"}[what]
        return f" A {code(kind)} is {verb}, which it cannot be."
    return ""


def _key(message: str, frame: Frame) -> str:
    key = message.strip()
    for name, value in named(frame).items():
        try:
            table = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if isinstance(table, dict) and key not in map(repr, table):
            near = difflib.get_close_matches(key, list(map(repr, table)), n=1)
            slip = f"; the closest is {code(near[0])}" if near else ""
            return f" {code(name)} has no key {code(key)}{slip}."
    return f" The key {code(key)} is not there."


def _index(_: str, frame: Frame) -> str:
    for name, index in re.findall(r"(\w+)\[([^\[\]]+)\]", frame.code):
        rows = frame.values.get(name, "")
        try:
            length = len(ast.literal_eval(rows))
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        at = frame.values.get(index.strip(), index.strip())
        return f" {code(name)} holds {length}, and is asked for index {code(at)}."
    return ""


def _zero(_: str, frame: Frame) -> str:
    holders = [n for n in _holding(frame, ("0", "0.0")) if re.search(rf"\b{n}\b", frame.code)]
    return f" {listed([code(n) for n in holders], last='or')} is 0." if holders else ""


def _name(message: str, frame: Frame) -> str:
    found = NAME.search(message)
    if found is None:
        return ""
    near = difflib.get_close_matches(found.group(1), sorted(frame.values), n=1, cutoff=0.6)
    slip = f" The closest known name is {code(near[0])}." if near else ""
    return f" Nothing of the name {code(found.group(1))} is defined there.{slip}"


def _unbound(message: str, _: Frame) -> str:
    found = NAME.search(message)
    name = code(found.group(1)) if found else "A variable"
    return f" {name} is set on another path through the function, not on this one."


def _recursion(_: str, frame: Frame) -> str:
    return f" {code(own_name(frame.function))} keeps calling itself: nothing ends the recursion."


def _holding(frame: Frame | None, texts: tuple[str, ...]) -> list[str]:
    """Return the variables of the line that hold one of these values."""
    if frame is None:
        return []
    words = set(re.findall(r"[A-Za-z_]\w*", frame.code))
    return [name for name, value in named(frame).items() if value in texts and name in words]
