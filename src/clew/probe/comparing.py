"""By which methods values from changed code are compared, told true and shown: those not Python's.

Types are looked at, and no method of a value is called, but for one: whether a library's value
equals a thing that nobody has seen before.
"""

from __future__ import annotations

import dataclasses
import sys
import types
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set

from .answering import BASES, attributes
from .stacks import Root
from .wire import LINE, clean

__all__ = ["COMPARING", "Comparing"]

COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__class__")
TELLING = ("__bool__", "__len__", "__contains__", "__iter__", "__repr__", "__str__", "__format__")
COUNTING = ("__abs__", "__float__", "__index__", "__int__", "__round__", "__rsub__", "__sub__")
OF_CLASSES = ("__instancecheck__", "__subclasscheck__")
MAKING = frozenset({"__doc__", "__getnewargs__", "__init__", "__new__", "__reduce__"})
LOOKED = 400  # parts of one value
MOST = 50_000  # of all
PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, type, types.ModuleType})
SEQUENCES = (list, tuple, set, frozenset)
ATTRS = "<attrs generated"
TESTING = ("_pytest.approx", "_pytest.python_api", "dirty_equals", "hamcrest")
# A class may give its names other answers than these.
MRO, DICT, NAME = (vars(type)[name].__get__ for name in ("__mro__", "__dict__", "__qualname__"))
NO_VALUES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CodeType)


class Comparing:
    """Tells of each type, once, by which methods of the project, or of nobody, it is judged."""

    def __init__(self, place: Root, tell: Callable[..., None]) -> None:
        self.place = place
        self.tell = tell
        self.types: Set[type] = set(PLAIN)
        self.wild: Set[type] = set()
        self.left = MOST

    def look(self, value: Any, given: Iterable[Any] = ()) -> None:
        """Look at a value and its parts; what a library made is let be if it was `given`."""
        try:
            for each in self.parts([value]):
                kind = type(each)
                if kind not in self.types:
                    self.types.add(kind)
                    self.judge(kind)
                if kind in self.wild and is_wild(each) and not self.is_given(each, given):
                    self.wild.discard(kind)
                    self.tell("compared", **self.named(kind), slot="__eq__", wild=True)
        except Exception:  # noqa: BLE001  # the objects are anybody's
            return

    def is_given(self, value: Any, given: Iterable[Any]) -> bool:
        return any(each is value for each in self.parts(given))

    def parts(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield values and what they hold, each once."""
        seen: Set[int] = set()
        queue = list(values)
        room = LOOKED
        while queue and room and self.left:
            value = queue.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            room, self.left = room - 1, self.left - 1
            yield value
            queue += list(held(value))[:room]

    def judge(self, kind: type) -> None:
        slots = dict.fromkeys((*COMPARING, *TELLING, *COUNTING, *overriding(kind)))
        for slot in (*slots, *OF_CLASSES) if issubclass(kind, type) else slots:
            holder = next((each for each in MRO(kind) if slot in DICT(each)), object)
            if holder is not object:
                self.tell_slot(kind, slot, holder, DICT(holder)[slot])

    def tell_slot(self, kind: type, slot: str, holder: type, value: Any) -> None:
        function = plain_function(value)
        if function is None:
            if value is None or belongs(value, slot, kind):
                return
            lent = "{}.{}".format(
                getattr(getattr(value, "__objclass__", None), "__name__", type(value).__name__),
                getattr(value, "__name__", ""),
            )
            self.tell("compared", **self.named(kind, holder), slot=slot, lent=clean(lent, LINE))
            return
        code = function.__code__
        if self.place.scope.path(code.co_filename) is None:
            if is_library(function):
                if slot == "__eq__":
                    self.wild.add(kind)
                return
            if generated(holder, slot, code):
                return
        path = self.place.scope.path(code.co_filename)
        self.tell(
            "compared",
            **self.named(kind, holder),
            slot=slot,
            path="" if path is None else clean(self.place.relative(path)),
            line=max(code.co_firstlineno, 0),
        )

    def named(self, kind: type, holder: Optional[type] = None) -> Dict[str, str]:
        """Name a type and the class that has its method, each with its file."""
        holder = kind if holder is None else holder
        return {
            "type": clean(NAME(kind), LINE),
            "home": self.home(kind),
            "module": clean(str(DICT(kind).get("__module__")), LINE),
            "holder": clean(NAME(holder), LINE),
            "held": self.home(holder),
        }

    def home(self, kind: type) -> str:
        name = getattr(sys.modules.get(str(DICT(kind).get("__module__"))), "__file__", None) or ""
        path = self.place.scope.path(name) if name else None
        return "" if path is None else clean(self.place.relative(path))


def overriding(kind: type) -> Iterator[str]:
    """Yield the methods that a kind of text, number or collection has otherwise than Python's."""
    plain = next((each for each in BASES if issubclass(kind, each)), kind)
    for each in MRO(kind)[: MRO(kind).index(plain)]:
        yield from (name for name in DICT(each) if name in DICT(plain) and name not in MAKING)


def held(value: Any) -> Iterator[Any]:
    """Yield what a value holds, by no method of its own."""
    kind = type(value)
    if kind in PLAIN or isinstance(value, (type, *NO_VALUES)):
        return
    for base in SEQUENCES:
        if issubclass(kind, base):
            yield from base.__iter__(value)
    if issubclass(kind, dict):
        for key, each in dict.items(value):
            yield key
            yield each
    yield from attributes(value, kind).values()


def plain_function(value: Any) -> Any:
    for _ in range(4):
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        elif isinstance(value, property):
            value = value.fget
    return value if isinstance(value, types.FunctionType) else None


def belongs(value: Any, slot: str, kind: type) -> bool:
    """Tell whether a method is its type's: one written in C, or what the type's library makes."""
    own = getattr(value, "__objclass__", None)
    if own in MRO(kind):
        return bool(getattr(value, "__name__", slot) == slot)
    maker = type(value).__module__
    return maker != "builtins" and any(DICT(each).get("__module__") == maker for each in MRO(kind))


def is_library(function: Any) -> bool:
    """Tell a function of a module that was loaded from a file."""
    file, names = function.__code__.co_filename, function.__globals__
    if not file.startswith("<frozen") and file != names.get("__file__"):
        return False
    modules = (getattr(each, "__dict__", None) for each in list(sys.modules.values()))
    return any(each is names for each in modules)


def generated(holder: type, slot: str, code: types.CodeType) -> bool:
    """Tell a method that a decorator wrote, as it writes it where all that is held counts."""
    if "__attrs_attrs__" in DICT(holder):
        return code.co_filename.startswith(ATTRS)
    fields = DICT(holder).get("__dataclass_fields__")
    if not fields:
        return False
    names: List[Any] = [(name, object) for name, each in fields.items() if is_field(each)]
    fresh = dataclasses.make_dataclass("Fresh", names, order=True, unsafe_hash=True)
    made = vars(fresh).get(slot)
    return isinstance(made, types.FunctionType) and told(made.__code__) == told(code)


def is_field(field: Any) -> bool:
    return "ClassVar" not in str(field.type) and getattr(field, "_field_type", None) is plain_field


@dataclasses.dataclass
class _One:
    one: int


plain_field = getattr(dataclasses.fields(_One)[0], "_field_type", None)


def told(code: types.CodeType) -> Any:
    return code.co_code, code.co_names, code.co_varnames, code.co_consts


def is_wild(value: Any) -> bool:
    """Tell a library's value that equals anything, or what is near: only tests have use for it."""
    if (str(type(value).__module__) + ".").startswith(tuple(name + "." for name in TESTING)):
        return True
    same: Any = value == object()
    return same is True
