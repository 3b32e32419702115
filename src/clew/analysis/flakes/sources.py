"""Sources of chance: what may turn a test, as the lines that it ran are written.

They decide how often a red test is run again, and nothing else: a test that touches one may be as
deterministic as any other, and is flaky only when it was seen red and green on the same code.

A line touches a source that names it: a function of `random` or the clock, a thread, an iteration
over a set. Code of a module outside of its functions runs when the module loads, so it counts for
every test that runs anything of the file.

One event loop of asyncio is no thread: it runs what is ready in the order in which it became so,
and timers in that of their times. It touches the clock where a limit of time decides, and the order
of sets where tasks come as one. trio shuffles what is ready, and anyio may run on it.

A library is known by its name, and a project may have a package of that name: what is the project's
own is read where it stands. Names of the standard library are its own: it is found first.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Collection, Iterator
from enum import StrEnum

__all__ = ["Chance", "imported", "never_of", "touched"]


class Chance(StrEnum):
    """Something that may be otherwise when the same code runs once more."""

    RANDOM = "random numbers"
    CLOCK = "the clock"
    THREADS = "threads"
    HASHES = "the order of sets"
    NETWORK = "the network"
    NAMES = "temporary names"
    FILES = "the order of files"
    ADDRESSES = "addresses of objects"
    UNSEEN = "something that its lines do not show"


# A dotted name, and everything below it.
_NAMED: dict[Chance, frozenset[str]] = {
    Chance.RANDOM: frozenset(
        {"random", "secrets", "numpy.random", "os.urandom", "os.getrandom", "uuid.uuid1"}
        | {"uuid.uuid4", "faker", "factory", "mimesis", "hypothesis", "scipy.stats"}
        | {"torch.rand", "torch.randn", "torch.randint", "torch.randperm"}
    ),
    Chance.CLOCK: frozenset(
        {f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")}
        | {f"time.{name}" for name in ("time", "monotonic", "perf_counter", "process_time")}
        | {f"time.{n}_ns" for n in ("time", "monotonic", "perf_counter", "process_time")}
        | {f"time.{name}" for name in ("localtime", "gmtime", "ctime", "strftime", "asctime")}
        | {"datetime.date.today", "time.clock_gettime", "time.clock_gettime_ns", "timeit"}
        | {"time.thread_time", "time.thread_time_ns", "os.times", "pendulum", "arrow"}
        | {"asyncio.wait_for", "asyncio.timeout", "asyncio.timeout_at"}
    ),
    Chance.THREADS: frozenset(
        {"threading.Thread", "threading.Timer", "_thread", "concurrent.futures", "multiprocessing"}
        | {"asyncio.to_thread", "asyncio.run_coroutine_threadsafe", "signal.alarm"}
        | {"signal.setitimer", "trio", "anyio", "gevent"}
    ),
    Chance.NETWORK: frozenset(
        {"socket", "ssl", "http.client", "urllib.request", "xmlrpc.client", "ftplib", "smtplib"}
        | {"requests", "httpx", "aiohttp", "urllib3", "websockets", "grpc", "paramiko"}
        | {"asyncio.open_connection", "asyncio.start_server"}
    ),
    Chance.HASHES: frozenset({"asyncio.as_completed"}),  # it begins a set of them
    Chance.NAMES: frozenset({"tempfile"}),
    Chance.FILES: frozenset({"os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"}),
}
_OF_NAME = {name: chance for chance, names in _NAMED.items() for name in names}
_BUILT_IN = {"hash": Chance.HASHES, "id": Chance.ADDRESSES}
# Methods of something whose origin the file does not tell.
_METHODS = {
    **dict.fromkeys(("choice", "choices", "shuffle", "randint", "randrange"), Chance.RANDOM),
    **dict.fromkeys(("getrandbits", "uniform", "gauss", "sample", "random"), Chance.RANDOM),
    **dict.fromkeys(("now", "utcnow", "today"), Chance.CLOCK),
    **dict.fromkeys(("iterdir", "rglob", "glob"), Chance.FILES),
    **dict.fromkeys(("run_in_executor", "call_soon_threadsafe"), Chance.THREADS),
}
_STEADY = frozenset({"sorted", "len", "min", "max", "sum", "any", "all", "set", "frozenset"})
_IN_ORDER = frozenset({"list", "tuple", "iter", "enumerate", "zip", "map", "filter", "join"})
_WAIT = "asyncio.wait"  # it returns two sets
_OF_SETS = frozenset({"union", "intersection", "difference", "symmetric_difference"})
_WORDS = re.compile(
    r"\brandom\b|\bsecrets\b|\buuid[14]\b|\burandom\b|\btime\.\w|\bdatetime\b|\.now\(|\.today\("
    r"|\bthreading\b|\bto_thread\b|\brun_in_executor\b|\bsocket\b|\btempfile\b|\bset\(|\bhash\(|\bid\("
)

# A time is of the same type at any moment.
_OF_TYPES = frozenset({"TypeError", "AttributeError", "NameError", "ImportError"})

_PASSING_ON = (ast.GeneratorExp, ast.ListComp, ast.Starred)
Site = tuple[int, int, Chance]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def touched(
    source: str, lines: Collection[int] | None, own: Collection[str] = ()
) -> frozenset[Chance]:
    """Return the sources of chance that the given lines of a file touch; of all, for None.

    `own` are the dotted names, as `imported` returns them, that lead to files of the project.
    """
    found = _sites(source, frozenset(map(_top, own)) - sys.stdlib_module_names)
    return frozenset(
        chance
        for first, last, chance in found
        if lines is None or not first or any(n in lines for n in range(first, last + 1))
    )


def never_of(error: str) -> frozenset[Chance]:
    """Return the sources that do not turn a test that ends with an error of this type."""
    return frozenset({Chance.CLOCK} if error.rpartition(".")[2] in _OF_TYPES else ())


@functools.lru_cache(maxsize=1_000)
def _sites(source: str, own: frozenset[str]) -> frozenset[Site]:
    """Return where a file touches what: first and last line, or 0 where it does when it loads."""
    try:
        return frozenset(_File(ast.parse(source), own).sites())
    except (SyntaxError, ValueError, RecursionError):  # written for another Python, or endless
        return frozenset((0, 0, each) for each in Chance) if _WORDS.search(source) else frozenset()


def imported(source: str) -> frozenset[str]:
    """Return the dotted names that a file imports, with a dot before those of its own package."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(dotted for _, dotted in _imports(tree))


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that imports bind, and what each stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname or top), (alias.name if alias.asname else top)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                dotted = f"{base}{'' if base.endswith('.') or not base else '.'}{alias.name}"
                yield (alias.asname or alias.name), dotted


class _File:
    """One file, read for what its lines touch; `own` are modules that are the project's."""

    def __init__(self, tree: ast.Module, own: frozenset[str]) -> None:
        self.tree = tree
        self.own = own
        self.names = dict(_imports(tree))
        self.sets = frozenset(self._named_sets())

    def sites(self) -> Iterator[Site]:
        yield from self._below(self.tree, within=False, steady=False)

    def _below(self, node: ast.AST, *, within: bool, steady: bool) -> Iterator[Site]:
        """Look at what is `within` a function or not, and at what order does not matter to."""
        for child in ast.iter_child_nodes(node):
            inside = within or isinstance(node, Function)
            for chance in self._at(child, steady=steady):
                yield (*(_lines(child) if inside else (0, 0)), chance)
            calm = isinstance(child, ast.SetComp) or (steady and isinstance(child, _PASSING_ON))
            calm |= isinstance(child, ast.Call) and _last(child.func) in _STEADY
            yield from self._below(child, within=inside, steady=calm)

    def _at(self, node: ast.AST, *, steady: bool) -> Iterator[Chance]:
        match node:
            case ast.Name() | ast.Attribute():
                found = self._chance(node)
                if found and found is not Chance.FILES:
                    yield found
            case ast.Call():
                yield from self._call(node, steady=steady)
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                if not steady and self._is_set(node.iter):
                    yield Chance.HASHES
            case ast.Starred():
                if not steady and self._is_set(node.value):
                    yield Chance.HASHES

    def _call(self, call: ast.Call, *, steady: bool) -> Iterator[Chance]:
        name = _last(call.func)
        if isinstance(call.func, ast.Name) and name not in self.names and name in _BUILT_IN:
            yield _BUILT_IN[name]
        if not steady and self._chance(call.func) is Chance.FILES:
            yield Chance.FILES
        if isinstance(call.func, ast.Attribute):
            found = None if self._of_module(call.func) else _METHODS.get(name)
            if found and not (steady and found is Chance.FILES):
                yield found
            if name == "pop" and not call.args and self._is_set(call.func.value):
                yield Chance.HASHES
        if self._dotted(call.func) == _WAIT and any(k.arg == "timeout" for k in call.keywords):
            yield Chance.CLOCK
        if name in _IN_ORDER and not steady and any(map(self._is_set, call.args)):
            yield Chance.HASHES

    def _chance(self, node: ast.AST) -> Chance | None:
        """Return the source that a name belongs to, unless the project has a module so called."""
        dotted = self._dotted(node)
        return None if _top(dotted) in self.own else _chance(dotted)

    def _dotted(self, node: ast.AST) -> str:
        """Return what a name stands for by the imports of the file; nothing if they say nothing."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, "")
        if isinstance(node, ast.Attribute):
            base = self._dotted(node.value)
            return f"{base}.{node.attr}" if base else ""
        return ""

    def _of_module(self, function: ast.Attribute) -> bool:
        """Tell whether a function is a module's: then its whole name says what it touches."""
        dotted = self._dotted(function.value)
        return bool(dotted) and not dotted.startswith(".") and dotted.islower()

    # Sets

    def _named_sets(self) -> Iterator[str]:
        """Yield the names of what is bound to a set somewhere in the file, and what returns one."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Await(value=call)):
                    if isinstance(call, ast.Call) and self._dotted(call.func) == _WAIT:
                        yield from map(_last, names)
                case ast.Assign(targets=targets, value=value) if _makes_set(value):
                    yield from map(_last, targets)
                case ast.AnnAssign(target=target, value=value, annotation=kind):
                    if (value is not None and _makes_set(value)) or _is_set_type(kind):
                        yield _last(target)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    if _returns_set(node):
                        yield node.name
                case ast.arg(arg=name, annotation=kind) if kind is not None and _is_set_type(kind):
                    yield name

    def _is_set(self, node: ast.AST) -> bool:
        if _makes_set(node):
            return True
        if isinstance(node, ast.BinOp):
            return self._is_set(node.left) or self._is_set(node.right)
        return _last(node.func if isinstance(node, ast.Call) else node) in self.sets


def _lines(node: ast.AST) -> tuple[int, int]:
    node = node.iter if isinstance(node, ast.comprehension) else node
    first = int(getattr(node, "lineno", 0))
    return first, int(getattr(node, "end_lineno", 0) or first)


def _chance(dotted: str) -> Chance | None:
    """Return the source that a dotted name belongs to, by the longest name that is known."""
    parts = dotted.split(".") if dotted else []
    for length in range(len(parts), 0, -1):
        if found := _OF_NAME.get(".".join(parts[:length])):
            return found
    return None


def _top(dotted: str) -> str:
    return dotted.partition(".")[0]


def _last(node: ast.AST) -> str:
    """Return the last name of an expression."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case _:
            return ""


def _makes_set(node: ast.AST) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call():
            known = isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
            return known or (isinstance(node.func, ast.Attribute) and node.func.attr in _OF_SETS)
        case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
            return _makes_set(node.left) or _makes_set(node.right)
        case _:
            return False


def _returns_set(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returned = (n.value for n in ast.walk(function) if isinstance(n, ast.Return))
    declared = function.returns is not None and _is_set_type(function.returns)
    return declared or any(value is not None and _makes_set(value) for value in returned)


def _is_set_type(node: ast.AST) -> bool:
    kind = node.value if isinstance(node, ast.Subscript) else node
    return _last(kind) in ("set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet")
