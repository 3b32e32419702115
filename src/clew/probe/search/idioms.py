"""What people do and do not write, whatever stands around it: of one function, counted.

A parameter is there to be read, and a value before the next takes its place. Nobody takes a value
from itself, and who keeps the largest replaces it by a larger one, not by its equal.
"""

from __future__ import annotations

import ast
from typing import Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set

from .deadstores import blocks, dead_stores
from .source import FUNCTIONS, own_nodes, stored

__all__ = ["idle", "neat", "overwritten", "slips", "unheeded"]

BOUND = ("self", "cls")
# What makes texts alike is done where a text is taken, not at one of the places that compare it.
CLEANING = frozenset(["casefold", "lower", "lstrip", "rstrip", "strip", "upper"])
IDLE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.BitXor, ast.BitAnd, ast.BitOr)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# What done twice does nothing more.
AT_ONCE = frozenset(["abs", "bool", "float", "int", "list", "set", "sorted", "str", "tuple"])
MAKERS = frozenset(["set", "frozenset", "list", "tuple", "str", "sorted"])  # of a collection
OPPOSITES: Dict[type, Callable[[], ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def unheeded(tree: ast.AST) -> FrozenSet[str]:
    """Return the parameters that nothing reads, and the variables set anew before anything did.

    So it is with functions made within a function, that nothing calls or hands out.
    """
    return unread(tree) | overwritten(tree) | uncalled(tree)


def neat(tree: ast.AST) -> int:
    """Count what people write where others would go about it: `any(xs)`, quotients rounded up.

    And elements that stand as far before a place as others behind it: `xs[i - 1]`, `xs[i + 1]`.
    """
    return rounded_up(tree) + facing(tree) - bare(tree)


def idle(tree: ast.AST) -> int:
    """Count the operations on one value and itself, or its opposite: constants, in more words.

    And what is done twice at once, as `sorted(sorted(xs))`.
    """
    count = 0
    for node in ast.walk(tree):
        count += is_done_twice(node)
        sides: List[ast.AST] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, IDLE):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.BoolOp):
            sides = list(node.values)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            inner = node.left  # `a + b + b`
            again = isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add)
            sides = [getattr(inner, "right"), node.right] if again else []  # noqa: B009 - a sum
        texts = [ast.dump(each) for each in sides if not isinstance(each, ast.Constant)]
        count += any(one == other for one, other in zip(texts, texts[1:]))
        if isinstance(node, ast.BoolOp):
            count += any(opposite(each) in texts for each in sides)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            count += ast.dump(node.left) in map(ast.dump, held_by(node.comparators[0]))
    return count


def is_done_twice(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return False
    outer, inner = node.func, node.args[0]
    return (
        isinstance(outer, ast.Name)
        and outer.id in AT_ONCE
        and isinstance(inner, ast.Call)
        and ast.dump(inner.func) == ast.dump(outer)
        and not inner.keywords
    )


def held_by(node: ast.AST) -> Sequence[ast.AST]:
    """Return what a collection is made of, where it is made at once: `set(x)`, `[x, y]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
        return node.args
    return node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else ()


def opposite(node: ast.AST) -> str:
    """Return the dump of what is true where a condition is false; empty where it is no such."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.dump(node.operand)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES and len(node.ops) == 1:
        turned = ast.Compare(node.left, [OPPOSITES[type(node.ops[0])]()], node.comparators)
        return ast.dump(turned)
    return ""


def slips(tree: ast.AST) -> int:
    """Count what holds for most values only: those that tests give, as a rule."""
    of_one = sum(is_from_end(node) + is_unordered(node) for node in ast.walk(tree))
    whole = (lax, strayed, half_cleaned, misplaced, before_first)
    return sum(count(tree) for count in whole) + of_one


def before_first(tree: ast.AST) -> int:
    """Count the elements before the first one: `a[i - 1]` where `i` counts from 0, unguarded.

    That is the last one, or none.
    """
    count = 0
    for loop in ast.walk(tree):
        if isinstance(loop, (ast.For, ast.comprehension)) and is_from_zero(loop.iter):
            name = plain(loop.target)
            nodes = list(ast.walk(loop if isinstance(loop, ast.For) else tree))
            if not any(name in map(plain, asked(node)) for node in nodes):
                count += sum(is_less(node, name) for node in nodes)
    return count


def asked(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a condition asks about, and what that is reckoned from."""
    sides: Sequence[ast.AST] = ()
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
    elif isinstance(node, ast.BoolOp):
        sides = node.values
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        sides = (node.test,)
    for side in sides:
        yield from (side.left, side.right) if isinstance(side, ast.BinOp) else (side,)


def is_less(node: ast.AST, name: str) -> bool:
    """Tell an element some places before one that is named."""
    place = node.slice if isinstance(node, ast.Subscript) else None
    minus = isinstance(place, ast.BinOp) and isinstance(place.op, ast.Sub)
    sides = [getattr(place, side) for side in ("left", "right") if minus]
    return minus and isinstance(sides[1], ast.Constant) and plain(sides[0]) == name


def is_from_zero(node: ast.AST) -> bool:
    """Tell `range(n)` and `range(0, n)`."""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "range":
        return False
    first = [getattr(each, "value", None) for each in node.args[:1]]
    return len(node.args) == 1 or first == [0]


def misplaced(tree: ast.AST) -> int:
    """Count the collections that are asked for one key and keep values by others alone.

    What was kept is then never found again: `if a in b: return b[a]`, and `b[c] = d`.
    """
    asked: Dict[str, Set[str]] = {}
    made: Dict[str, Set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            asked.setdefault(plain(node.comparators[0]), set()).add(plain(node.left))
        elif isinstance(node, ast.Subscript) and stored(node):
            made.setdefault(plain(node.value), set()).add(plain(node.slice))
    return sum(each in made and not keys & made[each] for each, keys in asked.items())


def is_unordered(node: ast.AST) -> bool:
    """Tell a list of a set, `list(set(xs))`: its order is another one in each process."""
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return False
    named = getattr(node.func, "id", getattr(node.func, "attr", ""))
    inner = node.args[0]
    made = isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in ("set", "frozenset")
    return named in ("list", "tuple", "join") and (
        made or isinstance(inner, (ast.Set, ast.SetComp))
    )


def is_from_end(node: ast.AST) -> bool:
    """Tell the last `n` of a list, `a[-n:]`: of none it gives all."""
    least = node.lower if isinstance(node, ast.Slice) and node.upper is None else None
    minus = isinstance(least, ast.UnaryOp) and isinstance(least.op, ast.USub)
    return minus and not isinstance(getattr(least, "operand"), ast.Constant)  # noqa: B009 - a minus


def lax(tree: ast.AST) -> int:
    """Count the tests whether a value is the best so far that its equal passes as well."""
    count = 0
    for node in ast.walk(tree):
        test = node.test if isinstance(node, ast.If) else None
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.LtE, ast.GtE)):
            continue
        sides = {plain(test.left), plain(test.comparators[0])}
        kept = (each for each in getattr(node, "body") if isinstance(each, ast.Assign))  # noqa: B009 - an `if`
        count += any({plain(each.targets[0]), plain(each.value)} == sides for each in kept)
    return count


def strayed(tree: ast.AST) -> int:
    """Count the values that are kept as the best so far, and were compared with another one."""
    count = 0
    for node in ast.walk(tree):
        test = node.test if isinstance(node, ast.If) and len(node.body) == 1 else None
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ORDERS):
            continue
        kept = getattr(node, "body")[0]  # noqa: B009 - an `if`
        sides = {plain(test.left), plain(test.comparators[0])}
        if isinstance(kept, ast.Assign) and plain(kept.value) in sides:
            count += plain(kept.targets[0]) not in sides
    return count


def half_cleaned(tree: ast.AST) -> int:
    """Count the variables that are cleaned for one comparison and not for another: `a.lower()`."""
    compared: Dict[bool, List[str]] = {True: [], False: []}
    for node in ast.walk(tree):
        for side in (node.left, *node.comparators) if isinstance(node, ast.Compare) else ():
            called = side.func if isinstance(side, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in CLEANING:
                compared[True].append(getattr(called.value, "id", ""))
            elif isinstance(side, ast.Name):
                compared[False].append(side.id)
    return len({*compared[True]} & {*compared[False]} - {""})


def facing(tree: ast.AST) -> int:
    """Count the pairs of elements as far before a place as behind it."""
    sides: Dict[type, FrozenSet[str]] = {}
    for side in (ast.Sub, ast.Add):
        found = (node for node in ast.walk(tree) if isinstance(node, ast.Subscript))
        sides[side] = frozenset(
            " ".join(map(plain, (node.value, node.slice.left, node.slice.right)))
            for node in found
            if isinstance(node.slice, ast.BinOp) and isinstance(node.slice.op, side)
        )
    return len(sides[ast.Sub] & sides[ast.Add])


def bare(tree: ast.AST) -> int:
    """Count the questions about elements as they are, `any(x for x in xs)`: `any(xs)` says it."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("any", "all")
        and any(isinstance(each, ast.GeneratorExp) and is_bare(each) for each in node.args)
        for node in ast.walk(tree)
    )


def rounded_up(tree: ast.AST) -> int:
    """Count the quotients that are rounded up, as one writes it for whole numbers.

    That is `(a - 1) // b + 1`, `(a + b - 1) // b` and `-(-a // b)`.
    """
    return sum(map(is_rounded_up, ast.walk(tree)))


def is_rounded_up(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = dividend(node.operand)
        return isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and is_one(node.right):
        return one_more(dividend(node.left)) is not None
    whole = one_more(dividend(node))
    if isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Add):
        divisor = plain(getattr(node, "right"))  # noqa: B009 - a division
        return divisor in (plain(whole.left), plain(whole.right))
    return False


def dividend(node: ast.AST) -> Optional[ast.AST]:
    """Return what a floor division divides; None of other code."""
    floor = isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
    return getattr(node, "left") if floor else None  # noqa: B009 - a division


def one_more(node: Optional[ast.AST]) -> Optional[ast.AST]:
    """Return what one is taken from; None of other code."""
    less = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and is_one(node.right)
    return getattr(node, "left") if less else None  # noqa: B009 - a difference


def is_one(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1 and node.value is not True


def is_bare(node: ast.GeneratorExp) -> bool:
    """Tell a comprehension that gives the elements as they are, all of them."""
    loops = node.generators
    return len(loops) == 1 and not loops[0].ifs and plain(node.elt) == plain(loops[0].target)


def plain(node: ast.AST) -> str:
    """Return an expression for comparing: the same where it is read and where it is set."""
    return ast.dump(node).replace("Store()", "Load()")


def overwritten(tree: ast.AST) -> FrozenSet[str]:
    """Return the variables that are set anew before anything read what they were set to."""
    return frozenset(name for block in blocks(tree) for _, name in dead_stores(block))


def uncalled(tree: ast.AST) -> FrozenSet[str]:
    """Return the functions within functions that nothing reads; decorated ones may be kept."""
    made = {
        node.name
        for outer in ast.walk(tree)
        if isinstance(outer, FUNCTIONS)
        for node in own_nodes(outer)
        if isinstance(node, FUNCTIONS) and not node.decorator_list
    }
    return frozenset(made).difference(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))


def unread(tree: ast.AST) -> FrozenSet[str]:
    """Return the parameters of the outermost function that nothing in it reads.

    What stands for the object or the class is there in any case.
    """
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS):
            given = (n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg))
            read = (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not stored(n))
            return frozenset(given).difference(read, BOUND)
    return frozenset()
