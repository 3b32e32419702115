"""Put a candidate into the running program: recompile one function, exchange its code."""

from __future__ import annotations
import __future__ as features

import functools
import gc
import os
import types
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ..tracer import own
from .source import Source, Splice, Unit

__all__ = ["Swapper", "compile_unit", "fingerprint"]

FUTURE = 0
for _name in features.all_feature_names:
    FUTURE |= getattr(features, _name).compiler_flag


def compile_unit(
    source: Source, unit: Unit, changes: Tuple[Splice, ...], flags: int
) -> types.CodeType:
    """Compile one outermost function with the changes made. Raises SyntaxError or ValueError."""
    text = source.text
    above = source.line_of(unit.start) - unit.scaffold.count("\n") - 1
    parts = ["\n" * above, unit.scaffold, unit.head]
    position = unit.rest
    for start, end, new in sorted(changes):
        parts += [text[position:start], new]
        position = end
    parts += [text[position : max(unit.end, position)], "\n"]
    code: Any = compile("".join(parts), source.path, "exec", flags=flags, dont_inherit=True)
    for name in (*unit.chain, unit.name):
        code = next(called(name, code))
    return code  # type: ignore[no-any-return]


def called(name: str, code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the codes of a name; those of generic functions and classes lie one level deeper."""
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            if each.co_name == name:
                yield each
            elif each.co_name == "<generic parameters of {}>".format(name):
                yield from called(name, each)


def fingerprint(code: types.CodeType) -> Tuple[Any, ...]:
    """Return what two codes that behave alike share: all but positions."""
    constants = tuple(
        fingerprint(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c))
        for c in code.co_consts
    )
    return (code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants)


class Swapper:
    """Knows the living functions of the project and exchanges their code, also in closures."""

    def __init__(self, root: str) -> None:
        self.functions: Dict[Tuple[str, int, str], List[types.FunctionType]] = {}
        self.caches: List[Any] = []
        known: Dict[str, Optional[str]] = {}
        lru: Any = type(functools.lru_cache(maxsize=1)(len))
        for item in gc.get_objects():
            kind = type(item)
            if kind is types.FunctionType:
                code = item.__code__
                name = code.co_filename
                if name not in known:
                    path = own(name, root)
                    known[name] = path if path.startswith(root + os.sep) else None
                found = known[name]
                if found is not None:
                    key = (found, code.co_firstlineno, code.co_name)
                    self.functions.setdefault(key, []).append(item)
            elif kind is lru:
                inner: Any = getattr(getattr(item, "__wrapped__", None), "__code__", None)
                path = own(inner.co_filename, root) if inner is not None else ""
                if path.startswith(root + os.sep):
                    self.caches.append(item)

    def living(self, path: str, unit: Unit) -> List[types.FunctionType]:
        return self.functions.get((path, unit.first_line, unit.name), [])

    def inner(self, path: str, unit: Unit) -> Dict[Tuple[str, ...], List[types.FunctionType]]:
        """Return functions that the unit made earlier (decorated, registered), by their place."""
        found: Dict[Tuple[str, ...], List[types.FunctionType]] = {}
        for function in self.living(path, unit):
            for place, code in nested(function.__code__, ()):
                key = (path, code.co_firstlineno, code.co_name)
                living = [f for f in self.functions.get(key, []) if f.__code__ == code]
                if living:
                    found.setdefault(place, living)
        return found

    def clear_caches(self) -> None:
        for cache in self.caches:
            cache.cache_clear()


def nested(
    code: types.CodeType, place: Tuple[str, ...]
) -> Iterator[Tuple[Tuple[str, ...], types.CodeType]]:
    counts: Dict[str, int] = {}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            count = counts[constant.co_name] = counts.get(constant.co_name, 0) + 1
            inner = (*place, "{}#{}".format(constant.co_name, count))
            yield inner, constant
            yield from nested(constant, inner)
