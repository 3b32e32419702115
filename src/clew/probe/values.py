"""Short pictures of values, made without running a line of the project's code.

A project's own `__repr__` may raise, hang or change what it shows, and `__class__` may lie. So the
true type decides, containers are walked with the methods of the built-in types, and an object of
any other class is shown by its name and the attributes in its `__dict__`.
"""

from __future__ import annotations
import __future__

import types
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

from .wire import clean

__all__ = ["picture", "pictures"]

WIDTH = 160  # characters of one value
LOCALS = 24  # values of one frame
DEPTH = 3
ITEMS = 8
BITS = 1_000
PLAIN = frozenset(
    {
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "time"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("pathlib", "PosixPath"),
        ("pathlib", "PurePosixPath"),
        ("pathlib._local", "PosixPath"),
        ("pathlib._local", "PurePosixPath"),
        ("re", "Match"),
        ("re", "Pattern"),
        ("uuid", "UUID"),
    }
)
UNSAID = (
    types.ModuleType,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    type(__future__.annotations),
)


def pictures(values: Dict[str, Any]) -> Dict[str, str]:
    """Return pictures of a frame's locals; modules, classes and functions go without saying."""
    found: Dict[str, str] = {}
    for name, value in list(values.items()):
        if len(found) == LOCALS:
            break
        # `@py_assert1` and its kind are pytest's.
        if name.startswith(("@", "__")) or issubclass(type(value), UNSAID):
            continue
        found[clean(name, 80)] = picture(value)
    return found


def picture(value: Any) -> str:
    """Return a short text for any value at all, as deep as there is room for; never raises."""
    text = ""
    for depth in (DEPTH + 1, DEPTH):
        try:
            text = render(value, depth)
        except Exception as problem:  # noqa: BLE001  # e.g. changed by another thread while walked
            text = "<{}: {}>".format(title(type(value)), type(problem).__name__)
        text = " ".join(filter(None, map(str.strip, text.splitlines())))
        if len(text) <= WIDTH:
            break
    return clean(text if len(text) <= WIDTH else text[: WIDTH - 1] + "…", WIDTH)


def title(kind: type) -> str:
    return str(own(kind, "__qualname__"))


def own(kind: type, name: str) -> Any:
    """Read an attribute of a class as `type` has it, whatever its metaclass says."""
    return type.__dict__[name].__get__(kind)


def home(kind: type) -> str:
    found = own(kind, "__module__")
    return found if type(found) is str else ""


def render(value: Any, depth: int) -> str:
    kind = type(value)
    for base, draw in DRAWN:
        if issubclass(kind, base):
            text = draw(value, depth)
            return text if kind is base else "{}({})".format(title(kind), text)
    if value is None or value is Ellipsis or value is NotImplemented:
        return repr(value)
    if (home(kind), own(kind, "__name__")) in PLAIN:
        return repr(value)[: WIDTH * 2]
    if home(kind) == "numpy" and own(kind, "__name__") == "ndarray":
        return "<ndarray shape={} dtype={}>".format(value.shape, value.dtype)
    return thing(value, depth)


def thing(value: Any, depth: int) -> str:
    kind = type(value)
    held = attributes(value)
    label = held.get("_name_")
    if "_value_" in held and type(label) is str:
        return "{}.{}".format(title(kind), label)  # a member of an enumeration
    if not held or depth <= 1:
        return "<{}>".format(title(kind))
    shown = ["{}={}".format(k, render(v, depth - 1)) for k, v in first(held.items())]
    return "{}({})".format(title(kind), ", ".join(shown + more(len(held))))


def attributes(value: Any) -> Dict[str, Any]:
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        held = {}
        for base in own(type(value), "__mro__"):
            for name, member in own(base, "__dict__").items():
                if type(member) is types.MemberDescriptorType and not name.startswith("__"):
                    try:
                        held[name] = member.__get__(value)
                    except AttributeError:
                        continue
    if type(held) is not dict:
        return {}
    return {name: item for name, item in held.items() if type(name) is str}


def first(items: Iterable[Any]) -> Iterator[Any]:
    for count, item in enumerate(items):
        if count == ITEMS:
            return
        yield item


def more(size: int) -> List[str]:
    return ["… {} in all".format(size)] if size > ITEMS else []


def integer(value: Any, _depth: int) -> str:
    bits = int.bit_length(value)
    return int.__repr__(value) if bits <= BITS else "<int of {} bits>".format(bits)


def text(value: Any, _depth: int) -> str:
    size = str.__len__(value)
    shown = str.__repr__(str.__getitem__(value, slice(0, WIDTH)))
    return shown if size <= WIDTH else "{}… of {} characters".format(shown[: WIDTH - 40], size)


def octets(kind: Any) -> Callable[[Any, int], str]:
    def draw(value: Any, _depth: int) -> str:
        size = kind.__len__(value)
        shown = repr(bytes(kind.__getitem__(value, slice(0, WIDTH))))
        return shown if size <= WIDTH else "{}… of {} bytes".format(shown[: WIDTH - 40], size)

    return draw


def sequence(kind: Any, ends: str) -> Callable[[Any, int], str]:
    def draw(value: Any, depth: int) -> str:
        size = kind.__len__(value)
        if not size:
            return ends if kind in (list, tuple) else "{}()".format(kind.__name__)
        if depth <= 0:
            return ends[0] + "…" + ends[1]
        shown = [render(item, depth - 1) for item in first(kind.__iter__(value))]
        comma = "," if kind is tuple and size == 1 else ""
        return ends[0] + ", ".join(shown + more(size)) + comma + ends[1]

    return draw


def mapping(value: Any, depth: int) -> str:
    size = dict.__len__(value)
    if size and depth <= 0:
        return "{…}"
    shown = [
        "{}: {}".format(render(key, depth - 1), render(item, depth - 1))
        for key, item in first(dict.items(value))
    ]
    return "{" + ", ".join(shown + more(size)) + "}"


def native(kind: Any) -> Callable[[Any, int], str]:
    def draw(value: Any, _depth: int) -> str:
        return str(kind.__repr__(value))

    return draw


DRAWN: Tuple[Tuple[Any, Callable[[Any, int], str]], ...] = (
    (bool, native(bool)),
    (int, integer),
    (float, native(float)),
    (complex, native(complex)),
    (str, text),
    (bytes, octets(bytes)),
    (bytearray, octets(bytearray)),
    (list, sequence(list, "[]")),
    (tuple, sequence(tuple, "()")),
    (set, sequence(set, "{}")),
    (frozenset, sequence(frozenset, "{}")),
    (dict, mapping),
    (range, native(range)),
)
