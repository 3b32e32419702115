"""Calls made again where nobody tests: values as plain data, and back.

This file is also run alone, under another name: it reads calls from its input, one JSON object a
line, and writes an answer a line. So it needs nothing of its package. With two words, the file of
the levers and a moment, it does so then, and in another folder.

A value is a list whose first item tells its type, exactly. It is read without a method of its own;
what cannot be read so, or made again from it, is `Unplain`.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import runpy
import signal
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Tuple

__all__ = ["Unplain", "exact", "reachable", "value_of"]

DEEP = 12
LARGE = 5_000  # items of one value
BITS = 10_000  # of a number
SECONDS = 5  # that a call may take
HEAP, IMMUTABLE = 1 << 9, 1 << 8  # flags of types: made by Python's `class`, and by C
Plain = List[Any]
Own = Callable[[str], bool]
COLLECTIONS: Dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}
ATOMS: Dict[type, Callable[[Any], str]] = {
    int: int.__repr__,
    float: float.hex,
    str: str,
    bytes: lambda value: base64.b64encode(value).decode("ascii"),
}
BASES: Tuple[Any, ...] = (int, float, str, bytes, list, tuple, set, frozenset, dict)
DESCRIPTOR = type(str.upper)  # of methods of types that are made by C
SINGLE = {repr(each): each for each in (None, True, False, Ellipsis, NotImplemented)}


def by_reduction(value: Any) -> Tuple[Any, ...]:
    return tuple(value.__reduce_ex__(4)[1])


def by_parts(*names: str) -> Callable[[Any], Tuple[Any, ...]]:
    """Tell a moment by numbers, as it is written; one in an hour that is there twice by its bytes.

    Seconds and their parts are left out where they are nothing.
    """

    def told(value: Any) -> Tuple[Any, ...]:
        if getattr(value, "fold", 0):
            return by_reduction(value)
        parts = [getattr(value, name) for name in names]
        zone = getattr(value, "tzinfo", None)
        if zone is not None:
            return (*parts, zone)
        while len(parts) > len(names) - 2 and parts[-1] == 0:
            parts.pop()
        return tuple(parts)

    return told


DAY, CLOCK = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")

# What the library's types are made of: with these words each makes an equal one.
LIBRARY: Dict[str, Callable[[Any], Tuple[Any, ...]]] = {
    "array.array": lambda value: (value.typecode, list(value)),
    "builtins.bytearray": lambda value: (bytes(value),),
    "builtins.complex": lambda value: (value.real, value.imag),
    "builtins.range": lambda value: (value.start, value.stop, value.step),
    "builtins.slice": lambda value: (value.start, value.stop, value.step),
    "collections.Counter": lambda value: (dict(value),),
    "collections.OrderedDict": lambda value: (list(value.items()),),
    "collections.defaultdict": lambda value: (value.default_factory, dict(value)),
    "collections.deque": lambda value: (list(value), value.maxlen),
    "datetime.date": by_parts(*DAY),
    "datetime.datetime": by_parts(*DAY, *CLOCK),
    "datetime.time": by_parts(*CLOCK),
    "datetime.timedelta": by_reduction,
    "datetime.timezone": by_reduction,
    "decimal.Decimal": lambda value: (str(value),),
    "fractions.Fraction": lambda value: (value.numerator, value.denominator),
    "pathlib.PosixPath": lambda value: (str(value),),
    "pathlib.PurePosixPath": lambda value: (str(value),),
    "uuid.UUID": lambda value: (value.hex,),
}


class Unplain(Exception):
    """A value that no plain data stand for."""


# --- telling a value ------------------------------------------------------------------------------


def exact(value: Any, own: Own, depth: int = 0) -> Plain:
    """Tell a value; `own` says of a module's name whether its types can be found elsewhere.

    Raises Unplain.
    """
    kind = type(value)
    if value is None or kind is bool or value is Ellipsis or value is NotImplemented:
        return ["one", repr(value)]
    if kind in ATOMS and not (kind is int and value.bit_length() > BITS):
        return [kind.__name__, ATOMS[kind](value)]
    if depth > DEEP:
        raise Unplain("it is deep")

    def inner(part: Any) -> Plain:
        return exact(part, own, depth + 1)

    if kind is dict or (kind.__name__ in COLLECTIONS and kind is COLLECTIONS[kind.__name__]):
        return collection(value, kind, inner)
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, DESCRIPTOR)):
        return ["named", *named(value, own)]
    return instance(value, kind, own, inner)


def collection(value: Any, kind: Any, inner: Callable[[Any], Plain]) -> Plain:
    if len(value) > LARGE:
        raise Unplain("it is large")
    if kind is dict:
        return ["dict", [[inner(key), inner(held)] for key, held in value.items()]]
    items = [inner(each) for each in value]
    ordered = kind in (list, tuple)
    return [kind.__name__, items if ordered else sorted(items, key=json.dumps)]


def instance(value: Any, kind: type, own: Own, inner: Callable[[Any], Plain]) -> Plain:
    """Tell what a class of the project made, or one of the library that is known."""
    place = list(named(kind, own))
    if ".".join(place) in LIBRARY:
        return ["made", *place, inner(LIBRARY[".".join(place)](value))]
    held = attributes(value, kind)
    if isinstance(value, BaseException):
        return ["error", *place, inner(value.args), inner(held)]
    if "enum" in sys.modules and isinstance(value, sys.modules["enum"].Enum):
        return ["member", *place, held["_name_"]]
    for base in BASES:
        if issubclass(kind, base):
            return ["sub", *place, inner(base_value(base, value)), inner(held)]
    flags = [each.__flags__ for each in kind.__mro__ if each is not object]
    made = getattr(kind, "__new__", None) is object.__new__
    if not made or any(each & IMMUTABLE or not each & HEAP for each in flags):
        raise Unplain("a {} is no plain value".format(kind.__name__))
    return ["object", *place, inner(held)] if held else bare(value, kind, place)


def bare(value: Any, kind: type, place: List[str]) -> Plain:
    """Tell an object that holds nothing: the one that its module keeps, or any of its class."""
    kept = [name for name, each in list(vars(sys.modules[place[0]]).items()) if each is value]
    if kept:
        return ["named", place[0], kept[0]]
    if kind is object:
        raise Unplain("a bare object() is nothing but itself")
    return ["object", *place, ["dict", []]]


def base_value(base: Any, value: Any) -> Any:
    """Return what a subclass of a built-in type holds, as that type itself would."""
    if base in (int, float, str):
        return {int: int.__index__, float: float.__float__, str: str.__str__}[base](value)
    if base is bytes:
        return bytes.__getitem__(value, slice(None))
    return dict(dict.items(value)) if base is dict else base(base.__iter__(value))


def attributes(value: Any, kind: type) -> Dict[str, Any]:
    """Return what an object holds by names, in its dictionary and in its slots."""
    found: Dict[str, Any] = {}
    for each in kind.__mro__:
        for name, kept in vars(each).items():
            if type(kept) is types.MemberDescriptorType and each.__module__ != "builtins":
                try:
                    found[name] = kept.__get__(value, kind)
                except AttributeError:
                    continue
            elif name == "__dict__" and type(kept) is types.GetSetDescriptorType:
                found.update(kept.__get__(value, kind))
    return found


def named(value: Any, own: Own) -> Tuple[str, str]:
    """Return module and name of a class or function that is found there; else raise Unplain."""
    owner = getattr(value, "__objclass__", value) if type(value) is DESCRIPTOR else value
    module, name = getattr(owner, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str:
        raise Unplain("a {} has no name".format(type(value).__name__))
    if not own(module):
        raise Unplain("{}.{} is there only while tests run".format(module, name))
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        try:
            found = vars(found)[part]
        except (KeyError, TypeError):
            raise Unplain("{}.{} is found nowhere".format(module, name)) from None
    if found is not value:
        raise Unplain("{}.{} is another".format(module, name))
    return module, name


# --- making it again ------------------------------------------------------------------------------


def value_of(told: Plain) -> Any:
    """Make a value again from what was told of it."""
    kind, *rest = told
    if kind in PLAINLY:
        return PLAINLY[kind](rest[0])
    return MAKERS[kind](found_at(rest[0], rest[1]), *rest[2:])


def sub(kind: Any, told: Plain, held: Plain) -> Any:
    """Make a value of a subclass of a built-in type, without its constructor."""
    inner = value_of(told)
    value = next(base for base in BASES if issubclass(kind, base)).__new__(kind, inner)
    if isinstance(value, list):
        list.extend(value, inner)
    elif isinstance(value, dict):
        dict.update(value, inner)
    elif isinstance(value, set):
        set.update(value, inner)
    return filled(value, held)


def error(kind: Any, told: Plain, held: Plain) -> Any:
    words = value_of(told)
    value = kind.__new__(kind, *words)
    value.args = words
    return filled(value, held)


def filled(value: Any, held: Plain) -> Any:
    """Give a bare object what it held."""
    for name, each in value_of(held).items():
        object.__setattr__(value, name, each)
    return value


def items(kind: Any) -> Callable[[Any], Any]:
    return lambda told: kind(value_of(each) for each in told)


PLAINLY: Dict[str, Callable[[Any], Any]] = {
    "one": SINGLE.__getitem__,
    "int": int,
    "str": str,
    "float": float.fromhex,
    "bytes": base64.b64decode,
    "dict": lambda told: {value_of(key): value_of(held) for key, held in told},
    **{name: items(kind) for name, kind in COLLECTIONS.items()},
}
MAKERS: Dict[str, Callable[..., Any]] = {
    "named": lambda found: found,
    "member": lambda kind, name: kind[name],
    "made": lambda kind, told: kind(*value_of(told)),
    "error": error,
    "sub": sub,
    "object": lambda kind, held: filled(object.__new__(kind), held),
}


def found_at(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found)[part]
    return found


# --- functions ------------------------------------------------------------------------------------


def reachable(module: Any, code: types.CodeType) -> "Tuple[str, Any] | None":
    """Return the name of the function of a module that has this code, as `C.name` in a class."""
    for name, value in list(vars(module).items()):
        if has_code(value, code):
            return name, value
    for name, value in list(vars(module).items()):
        if not issubclass(type(value), type) or value.__module__ != module.__name__:
            continue
        for inner, held in list(vars(value).items()):
            if has_code(held, code):
                return "{}.{}".format(name, inner), held
    return None


def has_code(value: Any, code: types.CodeType) -> bool:
    functions = (each for each in unwrapped(value) if type(each) is types.FunctionType)
    return any(each.__code__ is code for each in functions)


def unwrapped(value: Any) -> Iterator[Any]:
    """Yield a function, and what it was made of by decorators.

    No object is asked in its own way: it may refuse to answer, and the test that runs would fail.
    """
    for _ in range(8):
        if issubclass(type(value), (staticmethod, classmethod)) or type(value) is types.MethodType:
            value = value.__func__
        elif issubclass(type(value), property):
            value = value.fget
        if value is None:
            return
        yield value
        try:
            held = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
        plain = type(held) in (dict, types.MappingProxyType)
        value = held.get("__wrapped__") if plain else None


def callable_at(module: str, name: str) -> Any:
    found = found_at(module, name)
    if isinstance(found, (staticmethod, classmethod)):
        return found.__func__
    return found.fget if isinstance(found, property) else found


# --- alone ----------------------------------------------------------------------------------------


class TooLong(BaseException):
    """A call takes too long."""


def answers(lines: List[str]) -> Iterator[Dict[str, Any]]:
    """Make each call, and tell what it gave and what became of its arguments."""
    for line in lines:
        call = json.loads(line)
        work = tried if "test" in call else answer
        yield {"number": call["number"], **bounded(work, call)}


def bounded(work: Callable[[Dict[str, Any]], Dict[str, Any]], call: Dict[str, Any]) -> Any:
    """Return what is told of a call; if it takes too long, or nothing can be told, then that."""
    try:
        signal.setitimer(signal.ITIMER_REAL, call.get("seconds", SECONDS))
        told = work(call)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TooLong:
        told = {"end": ["late"]}
    except BaseException as error:  # noqa: BLE001  # the code is anybody's
        signal.setitimer(signal.ITIMER_REAL, 0)
        told = {"end": ["lost", type(error).__name__]}
    return told


def answer(call: Dict[str, Any]) -> Dict[str, Any]:
    function = function_of(call)
    given, more = value_of(call["given"]), value_of(call["more"])
    try:
        end = ended(function, given, more)[0]
    except Unplain as error:
        return {"end": ["unplain", str(error)]}
    try:
        return {"end": end, "left": exact([given, more], anywhere)}
    except Unplain as error:
        return {"end": ["unplain", str(error)]}


def function_of(call: Dict[str, Any]) -> Any:
    for place in call["path"]:
        if place not in sys.path:
            sys.path.insert(0, place)
    return callable_at(call["module"], call["name"])


def ended(function: Any, given: Any, more: Any) -> Tuple[List[Any], Any]:
    """Make a call; return how it ended, and what it gave. Raises Unplain, and TooLong."""
    gave = None
    try:
        gave = function(*given, **more)
        return ["gave", exact(gave, anywhere)], gave
    except (TooLong, Unplain):
        raise
    except BaseException as error:  # noqa: BLE001  # that is the answer
        return ["raised", type(error).__module__, type(error).__qualname__], gave


def tried(call: Dict[str, Any]) -> Dict[str, Any]:
    """Call a test of a file that is loaded under a name of nobody's."""
    places = [os.path.abspath(place) for place in call["path"]]
    sys.path[:0] = [place for place in places if place not in sys.path]
    module = sys.modules.get(call["as"])
    if module is None:
        module = types.ModuleType(call["as"])
        with open(call["file"], "rb") as file:
            code = compile(file.read(), call["as"], "exec")
        module.__file__ = os.path.abspath(call["file"])
        exec(code, vars(module))  # noqa: S102 - that is what is asked
        sys.modules[call["as"]] = module
    test = vars(module)[call["test"]]
    try:
        test()
    except TooLong:
        raise
    except BaseException as error:  # noqa: BLE001  # that is the answer
        return {"end": ["failed", type(error).__name__]}
    return {"end": ["passed"]}


def anywhere(_: str) -> bool:
    return True


def late(_number: int, _frame: Any) -> None:
    raise TooLong


def move(levers: str, moment: float) -> None:
    """Set the clock, by the file of what can, and stand in a folder of nobody's."""
    runpy.run_path(levers)["Clock"](moment).install()
    os.chdir(os.path.dirname(levers))
    os.unlink(levers)


def main() -> None:
    os.environ.pop("PYTHONHASHSEED", None)
    if sys.argv[1:]:
        move(sys.argv[1], float(sys.argv[2]))
        del sys.argv[1:]
    serve(answers)


def serve(told_of: Callable[[List[str]], Iterator[Dict[str, Any]]]) -> None:
    """Read lines to the end, tell what becomes of each, and end; the code is heard by nobody."""
    lines = sys.stdin.read().splitlines()
    out = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    signal.signal(signal.SIGALRM, late)
    found = told_of(lines)
    while True:
        told = next(found, None)
        if told is None:
            break
        os.write(out, json.dumps(told).encode("ascii") + b"\n")
    os._exit(0)


if __name__ == "__main__":
    main()
