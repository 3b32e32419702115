"""What a fix makes less strict: checks that are gone, errors kept quiet, limits that are raised.

Each may be right. A test that is green with it does not say so: it would be green with less.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from clew.words.python_source import parsed

__all__ = ["loosened"]

ALL = frozenset({"BaseException", "Exception"})
OUT_OF = frozenset({"MemoryError", "RecursionError"})  # what ends work in the middle
DROPPING = ("ignore", "replace")
# Numbers by whose size a test waits longer, tries again or takes more for equal.
BOUNDS = re.compile(
    r"(?:.*_)?(?:abs_tol|attempts|delay|delta|eps|epsilon|precision|rel_tol|retries|tol|tolerance|"
    r"time_?out|tries|wait)(?:_.*)?",
    re.IGNORECASE,
)
WIDENED = frozenset({"setrecursionlimit", "setrlimit", "setdefaulttimeout"})
SHARED = frozenset({"chdir", "putenv", "setlocale", "tzset", "umask"})
WARNINGS = frozenset({"filterwarnings", "simplefilter"})
Texts = Mapping[str, tuple[str, str]]
Said = Iterator[tuple[str, int]]


def loosened(changes: Texts) -> tuple[str, ...]:
    """Name what a change of files makes less strict; each has its text before and after."""
    quiet = [words for path, texts in changes.items() for words in _newly(path, *texts)]
    filled = Counter(stub for was, now in changes.values() for stub in _filled(was, now))
    before = [
        *(Counter(c for was, _ in changes.values() for c in _checks(was)) - filled).elements()
    ]
    after = [check for _, now in changes.values() for check in _checks(now)]
    gone = (Counter(before) - Counter(after)) if len(after) < len(before) else Counter[str]()
    unread = [words for path, texts in changes.items() for words in _unread(path, *texts)]
    return (*quiet, *(f"`{check}` is gone" for check in gone), *unread)


def _newly(path: str, before: str, after: str) -> Iterator[str]:
    known = Counter(words for words, _ in _slack(before))
    for words, line in _slack(after):
        if known[words]:
            known[words] -= 1
        else:
            yield f"{path}:{line} {words}"
    was, now = _bounds(before), _bounds(after)
    for name, (number, line) in now.items():
        if name in was and number > was[name][0]:
            yield f"{path}:{line} `{name}` goes from {was[name][0]:g} to {number:g}"


def _slack(text: str) -> Said:
    for node in ast.walk(parsed(text)):
        match node:
            case ast.ExceptHandler() if not _raises(node):
                yield from _of_handler(node)
            case ast.Try(finalbody=[_, *_]) if (way := _leaves(node.finalbody)) is not None:
                yield f"`{ast.unparse(way)}` in `finally` keeps any error quiet", way.lineno
            case ast.Subscript(value=ast.Attribute(attr="environ"), ctx=ast.Store() | ast.Del()):
                yield f"`{ast.unparse(node)}` is set for the whole process", node.lineno
            case ast.FunctionDef(name="__exit__" | "__aexit__") if _may_be_true(node):
                yield f"`{node.name}` may keep any error quiet", node.lineno
            case ast.FunctionDef() | ast.AsyncFunctionDef() if (line := _skipped(node)) is not None:
                yield f"what is behind the `yield` of `{node.name}` is left out by an error", line
            case ast.FunctionDef(name="__getattr__") if not _fails(node):
                yield "`__getattr__` answers for whatever is asked for", node.lineno
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield from _of_call(name, node)
            case _:
                continue


def _of_call(name: str, call: ast.Call) -> Said:
    shown = f"`{ast.unparse(call)}`"
    for given in call.keywords:
        if given.arg == "errors" and any(_is_word(given.value, word) for word in DROPPING):
            yield f"{shown} drops what cannot be read as text", call.lineno
    if name == "suppress" and any(_is_one_of(each, ALL) for each in call.args):
        yield f"{shown} keeps any error quiet", call.lineno
    elif name in WARNINGS and call.args and _is_word(call.args[0], "ignore"):
        yield f"{shown} keeps warnings quiet", call.lineno
    elif name in WIDENED:
        yield f"{shown} changes a limit of the whole process", call.lineno
    elif name in SHARED:
        yield f"{shown} changes what the whole process shares", call.lineno
    elif name == "sleep" and call.args and isinstance(call.args[0], ast.Constant):
        yield f"{shown} waits for a time that was tried", call.lineno


def _of_handler(handler: ast.ExceptHandler) -> Said:
    kind = handler.type
    if kind is None:
        yield "`except:` keeps any error quiet", handler.lineno
    elif _is_one_of(kind, ALL):
        yield f"`except {ast.unparse(kind)}:` keeps any error quiet", handler.lineno
    elif _is_one_of(kind, OUT_OF):
        yield f"`except {ast.unparse(kind)}:` goes on with half of the work", handler.lineno


def _leaves(body: list[ast.stmt]) -> ast.stmt | None:
    """Return the statement of a `finally` that ends the function or a loop around it, if any."""
    todo: list[tuple[ast.AST, bool]] = [(each, False) for each in body]
    for node, looped in todo:
        if isinstance(node, ast.Return) or (
            isinstance(node, ast.Break | ast.Continue) and not looped
        ):
            return node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            inner = looped or isinstance(node, ast.For | ast.AsyncFor | ast.While)
            todo += ((child, inner) for child in ast.iter_child_nodes(node))
    return None


def _skipped(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int | None:
    """Return the line behind the `yield` of a context manager that an error in its block skips."""
    managers = [each for each in function.decorator_list if "contextmanager" in ast.unparse(each)]
    for at, each in enumerate(function.body if managers else ()):
        if isinstance(each, ast.Expr | ast.Assign) and isinstance(each.value, ast.Yield):
            return next((later.lineno for later in function.body[at + 1 :]), None)
    return None


def _unread(path: str, before: str, after: str) -> Iterator[str]:
    """Yield what is given and has no effect: it was read before, or the change forgets it too."""
    trees = parsed(before), parsed(after)
    was, now = map(_uses, trees)
    old, new = map(_answering, trees)
    for (function, name), used in was.items():
        if now.get((function, name)) is not False:
            continue
        if used:
            yield f"{path}: {_named(function, name)} is read nowhere any more"
        elif function in new and old.get(function) != new[function]:
            yield f"{path}: {_named(function, name)} is read nowhere"


def _named(function: str, name: str) -> str:
    return f"`{name}` of `{function}`" if function else f"`.{name}`"


def _uses(tree: ast.Module) -> dict[tuple[str, str], bool]:
    """Tell of each parameter of a function, and each attribute that is set, whether it is read."""
    found: dict[tuple[str, str], bool] = {}
    nodes = [*ast.walk(tree)]
    read = {each.attr for each in nodes if _loads(each) and isinstance(each, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found["", node.attr] = node.attr in read
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            own = [each.arg for each in given if each.arg not in ("self", "cls")]
            found |= {(node.name, name): name in names for name in own}
    return found


def _answering(tree: ast.Module) -> dict[str, str]:
    """Return the functions of a module that answer something, as they are, by their names.

    Those of a class may have to take what others of their name take.
    """
    functions = (n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return {
        each.name: ast.dump(each)
        for each in functions
        if not each.decorator_list and any(isinstance(n, ast.Return) for n in ast.walk(each))
    }


def _loads(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _is_word(node: ast.expr, word: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == word


def _may_be_true(function: ast.FunctionDef) -> bool:
    """Tell whether a function returns more than None and False."""
    returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
    return any(
        value is not None and not (isinstance(value, ast.Constant) and not value.value)
        for value in returned
    )


def _fails(function: ast.FunctionDef) -> bool:
    """Tell whether a function may raise an error, or passes the question on."""
    passed_on = (ast.Raise, ast.Subscript)
    asks = {"getattr", "import_module", "super"}
    return any(
        isinstance(each, passed_on) or (isinstance(each, ast.Name) and each.id in asks)
        for each in ast.walk(function)
    )


def _bounds(text: str) -> dict[str, tuple[float, int]]:
    """Return the largest number of each name that bounds something, with its line."""
    found: dict[str, tuple[float, int]] = {}
    for name, value in _numbers(parsed(text)):
        if BOUNDS.fullmatch(name):
            number = value.value
            if isinstance(number, int | float) and number >= found.get(name, (number, 0))[0]:
                found[name] = (number, value.lineno)
    return found


def _numbers(tree: ast.AST) -> Iterator[tuple[str, ast.Constant]]:
    """Yield what is named and a constant: defaults, what is given by keyword, what is assigned."""
    for node in ast.walk(tree):
        pairs: list[tuple[str, ast.expr | None]] = []
        match node:
            case ast.arguments():
                plain = [*node.posonlyargs, *node.args][::-1]
                pairs += zip((a.arg for a in plain), node.defaults[::-1], strict=False)
                named = (a.arg for a in node.kwonlyargs)
                pairs += zip(named, node.kw_defaults, strict=True)
            case ast.keyword(arg=str(name)):
                pairs.append((name, node.value))
            case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)]):
                pairs.append((name, node.value))
            case ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
                pairs.append((name, node.value))
            case _:
                continue
        yield from ((name, v) for name, v in pairs if isinstance(v, ast.Constant))


def _is_one_of(kind: ast.expr, names: frozenset[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(kind))


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for each in handler.body for node in ast.walk(each))


def _checks(text: str) -> Iterator[str]:
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Assert) or (isinstance(node, ast.Raise) and not _is_an_end(node)):
            yield ast.unparse(node)


def _filled(before: str, after: str) -> Iterator[str]:
    """Yield the stubs of functions that answer by now: `raise NotImplementedError` and no more."""
    written = {name for name, body in _bodies(after) if any(map(_answers_by_something, body))}
    for name, body in _bodies(before):
        match body:
            case [ast.Raise() as stub] if name in written and _is_a_stub(stub):
                yield ast.unparse(stub)
            case _:
                continue


def _bodies(text: str) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield the functions of a text by name, each with its statements but for a docstring."""
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.body[ast.get_docstring(node) is not None :]


def _answers_by_something(statement: ast.stmt) -> bool:
    """Tell whether a statement reads any name: a constant or `pass` fills nothing in."""
    if isinstance(statement, ast.Raise):
        return False
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return any(isinstance(name.ctx, ast.Load) for name in names)


def _is_a_stub(node: ast.Raise) -> bool:
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(kind, ast.Name) and kind.id == "NotImplementedError"


def _is_an_end(node: ast.Raise) -> bool:
    """Tell whether it says that an iterator has no more, which is no error."""
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(kind, ast.Name) and kind.id in ("StopIteration", "StopAsyncIteration")
