"""What an exception tells: its type, its frames in the project, and names that were at hand."""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ..tracer import own

__all__ = [
    "MOST_NAMES",
    "Place",
    "SearchCrash",
    "crash_of",
    "denied",
    "place_of",
    "revive",
    "text_of",
]

MOST_NAMES = 400
MOST_FRAMES = 60  # the outermost few, and the innermost
OUTERMOST = 4
Place = Tuple[str, int, str]  # absolute path, line, function
DENIALS = (
    "Read-only file system", "Permission denied", "readonly database",
    "unable to open database file",
)  # fmt: skip


class SearchCrash(NamedTuple):
    """One exception, with what a fixer needs of it."""

    type: str
    message: str
    frames: Tuple[Place, ...]  # outermost first
    names: Tuple[str, ...] = ()  # what could have been meant
    target: str = ""  # of an attribute or an import: the module or class that lacks it
    missing: str = ""  # the name that is not there
    syntax: Tuple[str, int, int] = ("", 0, 0)  # path, line, column of a file that is no Python


def crash_of(error: BaseException, root: str) -> SearchCrash:
    """Describe an exception. Never raises for what the project's objects do when asked."""
    places = places_of(error, root)
    syntax = ("", 0, 0)
    if isinstance(error, SyntaxError) and error.filename:
        path = own(error.filename, root)
        syntax = (path, error.lineno or 1, error.offset or 0)
    names, target, missing = at_hand(error, places[-1][0] if places else None)
    return SearchCrash(
        type=type(error).__name__,
        message=text_of(error)[:2000],
        frames=tuple(place for _, place in places),
        names=tuple(names[:MOST_NAMES]),
        target=target,
        missing=missing,
        syntax=syntax,
    )


def place_of(error: BaseException, root: str) -> SearchCrash:
    """Describe where an exception was raised, without what a fixer needs: that takes longer."""
    missing = quoted(text_of(error)) if isinstance(error, NameError) else ""
    frames = tuple(place for _, place in places_of(error, root))
    return SearchCrash(type(error).__name__, "", frames, missing=missing)


def places_of(error: BaseException, root: str) -> List[Tuple[types.FrameType, Place]]:
    found: List[Tuple[types.FrameType, Place]] = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        path = place_in(code.co_filename, root)
        if path.startswith(root + os.sep):
            found.append((traceback.tb_frame, (path, traceback.tb_lineno, code.co_name)))
        traceback = traceback.tb_next
    if len(found) > MOST_FRAMES:
        found[OUTERMOST : OUTERMOST - MOST_FRAMES] = []
    return found


# Code comes from few files, and to follow each link anew takes longer than to run many a test.
place_in = functools.lru_cache(maxsize=None)(own)


def revive(crash: Any) -> Any:
    """Return a crash that came as a list, or None as it is."""
    if crash is None:
        return None
    fields = list(crash)
    fields[2] = tuple((p, n, f) for p, n, f in fields[2])
    fields[3] = tuple(fields[3])
    fields[6] = tuple(fields[6])
    return SearchCrash(*fields)


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as failure:  # noqa: BLE001 - a project's __str__ may raise anything
        return "<{} while printing>".format(type(failure).__name__)


def denied(message: str) -> bool:
    """Say whether an exception's text tells of a file that could not be written."""
    return any(words in message for words in DENIALS)


def at_hand(error: BaseException, frame: Optional[types.FrameType]) -> Tuple[List[str], str, str]:
    if isinstance(error, NameError):
        names: Dict[str, None] = {}
        if frame is not None:
            names.update(dict.fromkeys(frame.f_locals))
            names.update(dict.fromkeys(frame.f_globals))
        return list(names), "", quoted(text_of(error))
    if isinstance(error, AttributeError):
        return attributes(error)
    if isinstance(error, ImportError):
        module = sys.modules.get(error.name or "")
        missing = getattr(error, "name_from", None) or ""
        if not missing and "cannot import name" in text_of(error):
            missing = quoted(text_of(error))
        return safe_dir(module) if missing else [], error.name or "", missing
    if isinstance(error, KeyError) and frame is not None and error.args:
        keys: Dict[str, None] = {}
        for value in list(frame.f_locals.values()):
            inner = list(vars(value).values()) if hasattr(value, "__dict__") else []
            for item in [value, *inner[:50]]:
                if type(item) is dict and len(item) < MOST_NAMES:
                    keys.update(dict.fromkeys(k for k in item if isinstance(k, str)))
        key = error.args[0]
        return list(keys), "", key if isinstance(key, str) else ""
    if isinstance(error, TypeError) and frame is not None:
        return parameters(text_of(error), frame), "", ""
    return [], "", ""


def attributes(error: AttributeError) -> Tuple[List[str], str, str]:
    message = text_of(error)
    missing = getattr(error, "name", None) or message.rsplit("attribute", 1)[-1].strip(" '\"")
    owner: Any = getattr(error, "obj", None)
    target = ""
    if owner is None and message.startswith("module "):
        owner = sys.modules.get(quoted(message))
    if isinstance(owner, types.ModuleType):
        target = owner.__name__
    elif owner is not None:
        target = type(owner).__name__
    elif "'" in message:
        target = quoted(message)
    return safe_dir(owner), target, missing if isinstance(missing, str) else ""


def parameters(message: str, frame: types.FrameType) -> List[str]:
    """Return the parameters of the function that a TypeError names, when it can be found."""
    name = message.split("(", 1)[0].rsplit(".", 1)[-1].strip()
    if not name.isidentifier():
        return []
    for space in (frame.f_locals, frame.f_globals):
        for value in list(space.values()):
            function = getattr(value, name, None) if name != "__init__" else None
            if getattr(value, "__name__", "") == name:
                function = value
            if name == "__init__" and isinstance(value, type):
                function = value.__init__  # type: ignore[misc]
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            if isinstance(code, types.CodeType):
                return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return []


def safe_dir(value: Any) -> List[str]:
    if value is None:
        return []
    try:
        return list(dir(value))
    except Exception:  # noqa: BLE001 - a project's __dir__ may raise anything
        return []


def quoted(message: str) -> str:
    parts = message.split("'")
    return parts[1] if len(parts) > 2 else ""
