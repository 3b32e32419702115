"""Whether what judges is, at the end of a test, what it was before any code of the project ran.

That is the runner, the built-in functions, and the modules of the library that tests compare with:
the functions and classes of each, and what is in these. A name that stands for something else is
told, and so is one that newly hides a built-in function from the runner.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import sys
import types
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Tuple

from .wire import LINE, clean

__all__ = ["Whole", "overridden"]

RUNNERS = frozenset({"_pytest", "pytest", "pluggy", "unittest"})
LIBRARY = frozenset(
    {"builtins", "operator", "math", "cmath", "decimal", "_pydecimal", "fractions", "numbers"}
    | {"json", "re", "difflib", "pprint", "reprlib", "copy", "collections", "itertools", "enum"}
    | {"functools", "statistics", "string", "doctest", "dataclasses", "inspect", "ast"}
    # What tests look at files, programs and the time with.
    | {"contextlib", "csv", "datetime", "genericpath", "glob", "hashlib", "io", "os", "pathlib"}
    | {"posixpath", "random", "shutil", "subprocess", "tempfile", "time", "warnings"}
)
SURE = ("operator", "math", "decimal", "fractions", "json")  # a project may be first to load them
MOST = 20  # names that are told
LEGACY = "_pytest.legacypath"
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
HELD = (*FUNCTIONS, type, staticmethod, classmethod, property)
VALUES = (bool, bytes, float, int, str, tuple)
DICT = vars(type)["__dict__"].__get__

Things = Dict[str, Any]


class Whole:
    """Knows how things were when it was made."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self.tell = tell
        self.told: Dict[str, None] = {}
        for name in SURE:
            importlib.import_module(name)
        # The real names: a class may call itself what it likes.
        self.modules = [(name, vars(module), kept(vars(module))) for name, module in loaded()]
        self.classes: List[Tuple[str, Any, Things]] = [
            ("{}.{}".format(name, key), each, kept(DICT(each)))
            for name, _, things in self.modules
            for key, each in things.items()
            if isinstance(each, type) and each.__module__ == name
        ]
        held = [things for _, _, things in (*self.modules, *self.classes)]
        functions = [plain(each) for things in held for each in things.values()]
        self.insides = [(each, inside(each)) for each in functions if each is not None]
        names = frozenset(vars(builtins)) - SPECIAL
        self.hidable = [
            (name, now, names - now.keys())
            for name, now, _ in self.modules
            if name.split(".", 1)[0] in RUNNERS
        ]

    def keep(self, things: Mapping[str, Any], name: str) -> None:
        """Remember a module of tests as it was loaded: its functions, and its plain values."""
        held = kept(things)
        own = {key: each for key, each in held.items() if getattr(each, "__module__", "") == name}
        known = {key: each for key, each in things.items() if type(each) in VALUES}
        theirs = {key for each in own.values() for key in sets(each)}
        then = {key: each for key, each in {**known, **own}.items() if key not in theirs}
        self.modules.append((name, things, then))
        functions = [plain(each) for each in own.values()]
        self.insides += [(each, inside(each)) for each in functions if each is not None]

    def check(self, more: Iterable[str] = ()) -> None:
        """Tell what is other than it was, each once, and `more`."""
        for name in (*self.differences(), *more):
            if name not in self.told and len(self.told) < MOST:
                self.told[name] = None
                self.tell("replaced", name=clean(name, LINE))

    def differences(self) -> Iterator[str]:
        for name, now, then in self.modules:
            if getattr(sys.modules.get(name), "__dict__", None) is not now:
                yield name
            yield from others(name, now, then)
        for name, now, hidable in self.hidable:
            yield from ("{}.{}".format(name, key) for key in sorted(hidable & now.keys()))
        for name, kind, then in self.classes:
            for other in others(name, DICT(kind), then):
                if not legacy(kind, other.rpartition(".")[2]):
                    yield other
        for function, was in self.insides:
            if inside(function) != was:
                yield "{}.{}".format(function.__module__, function.__qualname__)


SPECIAL = frozenset({"__doc__", "__loader__", "__name__", "__package__", "__spec__"})


def loaded() -> Iterator[Tuple[str, Any]]:
    for name, module in list(sys.modules.items()):
        if name.split(".", 1)[0] in RUNNERS | LIBRARY:
            yield name, module


def kept(things: Mapping[str, Any]) -> Things:
    return {name: each for name, each in list(things.items()) if isinstance(each, HELD)}


def others(name: str, now: Mapping[str, Any], then: Things) -> Iterator[str]:
    for key, each in then.items():
        if now.get(key) is not each:
            yield "{}.{}".format(name, key)


def legacy(kind: type, name: str) -> bool:
    """Tell a method that pytest itself replaces when it starts."""
    function = plain(DICT(kind).get(name))
    known = "{}_{}".format(kind.__name__, name)
    return function is not None and getattr(sys.modules.get(LEGACY), known, None) is function


def plain(value: Any) -> Any:
    """Return the Python function that is, or is in, a thing; None where there is none."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    return value if isinstance(value, types.FunctionType) else None


def sets(thing: Any) -> Iterator[str]:
    """Yield the names of its module that a function sets, or a class by its methods."""
    if isinstance(thing, type):
        for each in list(DICT(thing).values()):
            yield from sets(each)
    codes = [getattr(plain(thing), "__code__", None)]
    while codes:
        code = codes.pop()
        if isinstance(code, types.CodeType):
            codes += code.co_consts
            found = dis.get_instructions(code)
            yield from (each.argval for each in found if each.opname == "STORE_GLOBAL")


def inside(function: Any) -> Tuple[Any, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def overridden(thing: Any) -> List[str]:
    """Return the functions that an object has in the place of methods of its class."""
    own = [name for name, each in vars(thing).items() if callable(each)]
    kinds = [DICT(kind) for kind in type(thing).__mro__]
    return [name for name in own if any(isinstance(each.get(name), FUNCTIONS) for each in kinds)]
