"""The failing tests with other numbers, to see whether a fix holds for their inputs alone.

A fix that answers rightly for just the inputs of the tests is the old program everywhere else. So
they run on other inputs nearby, with the fix and without it, and what they look at is noted, not
asserted. An honest fix shows in some of it. One that shows only at the tests' own inputs, where its
answer is unlike that of any neighbour, was made for them.

Some of the other inputs are near, some share what a rule may look at: factors, last digits, the
length of a number in a text. Of a yes or no that differs nowhere else nothing is told: whatever
holds for few numbers is like that.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Mapping

import msgspec

from clew.analysis.tampering.canaries import Canary, after_future, rewritten, tests_of, unparsed

__all__ = ["Noted", "made_for_the_tests", "varied"]

VARIATIONS = 8  # beside the test as it is
LEAST = 2  # of them have to say something
MANY = 3  # of them have to agree, for an answer to be the same always
PARAMETRIZED = 2
YES_OR_NO = (("True",), ("False",), ("None",))
# What is left over where code is right, as the difference to what is expected, is nothing always.
NOTHING = tuple((text,) for text in ("0", "0.0", "-0.0", "''", "[]", "()", "{}", "set()"))

# In the module of the test. Numbers up to 10 often say which case is meant: of the variations only
# the last three change them, and these lead from big numbers to small ones as well.
HELPER = """
def _clew_vary(value, number):
    kind = type(value)
    if number and kind in (int, float) and (number > 5 or abs(value) > 10):
        more = {{1: 1, 2: -3, 3: value + 7, 4: 2 * value, 5: 100, 6: 1}}
        other = value + more[number] if number < 7 else value // 2 if number == 7 else value % 7 + 3
        if other != value:
            _clew_seen.append(number)
        return other
    if number and kind is str and any(sign.isdigit() for sign in value) and len(value) < 200:
        _clew_seen.append(number)
        if number > 3:
            import re
            return re.sub('[0-9]+', lambda run: _clew_near(run.group(), number), value)
        return ''.join(
            str((int(sign) + number) % 10) if sign in '0123456789' else sign for sign in value
        )
    if number and kind in (list, tuple):
        return kind(_clew_vary(each, number) for each in value)
    return value


def _clew_near(digits, number):
    if number == 4:
        return digits[:-1] + str((int(digits[-1]) + 1) % 10)
    return str(int(digits[0]) % 9 + 1) + digits[1:] if len(digits) > 1 else digits


def _clew_note(name, number, value):
    import json, os
    if type(value).__repr__ is object.__repr__:
        value = type(value).__name__
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), {mark!r})
    with open(place, 'a') as file:
        file.write(json.dumps([name, number, repr(value)[:500]]) + chr(10))


_clew_seen = []
"""
CALLS = """
for _clew_number in range({count}):
    del _clew_seen[:]
    try:
        _clew_body(_clew_number, {given})
        _clew_note({name!r}, _clew_number, ('varied', bool(_clew_seen)))
    except Exception as _clew_error:
        _clew_note({name!r}, _clew_number, ('raised', type(_clew_error).__name__))
"""


class Noted(msgspec.Struct, frozen=True):
    """What one run of a test saw, under one variation, in order; `raised` if it did not end."""

    values: tuple[str, ...]
    raised: bool
    varied: bool


def varied(text: str, wanted: Collection[str], mark: str) -> Canary | None:
    """Make variations of some tests of a file; what they see goes into `mark` beside it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    names = []
    for name, function in tests_of(tree.body, ""):
        if name in wanted and isinstance(function, ast.FunctionDef) and _plain(function):
            _vary(function, name)
            names.append(name)
    if not names:
        return None
    at = after_future(tree)
    tree.body[at:at] = ast.parse(HELPER.format(mark=mark)).body
    out = unparsed(tree)
    return None if out is None else Canary(text=out, names=tuple(names))


def read_notes(content: str) -> dict[tuple[str, int], list[Noted]]:
    """Read what was noted: for each test and variation its runs, one a case."""
    found: dict[tuple[str, int], list[Noted]] = {}
    open_values: list[str] = []
    for line in content.splitlines():
        try:
            name, number, value = json.loads(line)
        except ValueError:
            continue
        if str(value).startswith(("('raised', ", "('varied', ")):
            noted = Noted(tuple(open_values), str(value)[2] == "r", "True" in str(value))
            found.setdefault((str(name), int(number)), []).append(noted)
            open_values = []
        else:
            open_values.append(str(value))
    return found


def made_for_the_tests(with_fix: str, without: str) -> tuple[tuple[str, ...], int]:
    """Return the tests whose inputs alone the fix changes, and how many could be told."""
    new, old = read_notes(with_fix), read_notes(without)
    told: dict[str, bool] = {}
    for name in sorted({name for name, _ in new}):
        cases = zip(*(_pairs(new, old, name, n) for n in range(VARIATIONS + 1)), strict=False)
        for case in cases:
            verdict = _pointed(list(case))
            if verdict is not None:
                told[name] = told.get(name, True) and verdict
    return tuple(name for name, pointed in told.items() if pointed), len(told)


Pair = tuple[Noted, Noted]


def _pairs(
    new: Mapping[tuple[str, int], list[Noted]],
    old: Mapping[tuple[str, int], list[Noted]],
    name: str,
    number: int,
) -> list[Pair]:
    return list(zip(new.get((name, number), ()), old.get((name, number), ()), strict=False))


def _pointed(case: list[Pair]) -> bool | None:
    """Tell whether the fix shows at the test's own inputs only; None if that cannot be told."""
    (now, before), *others = case
    usable = [(a, b) for a, b in others if a.varied and not a.raised and not b.raised]
    if now.raised or now.values == before.values or len(usable) < LEAST:
        return None
    pairs = enumerate(zip(now.values, before.values, strict=False))
    at = next((number for number, (one, two) in pairs if one != two), 0)
    if _always_the_same(now, usable, at):
        return True
    if any((a.values, a.raised) != (b.values, b.raised) for a, b in others if a.varied):
        return False
    if any(now.values[at : at + 1] == a.values[at : at + 1] for a, _ in usable):
        return False
    return None if now.values[at : at + 1] in YES_OR_NO else True


def _always_the_same(now: Noted, usable: list[Pair], at: int) -> bool:
    """Tell an answer that is the same at all inputs, where it was computed before."""
    with_fix = {a.values[at : at + 1] for a, _ in usable}
    without = {b.values[at : at + 1] for _, b in usable}
    same = with_fix == {now.values[at : at + 1]} and len(without) >= LEAST
    telling = now.values[at : at + 1] not in (*YES_OR_NO, *NOTHING)
    return same and telling and len(usable) >= MANY


def _plain(function: ast.FunctionDef) -> bool:
    given = function.args
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
        return False
    return not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)


def _vary(function: ast.FunctionDef, name: str) -> None:
    arguments = [each.arg for each in function.args.args]
    expected = _expected(function)
    varied_ones = _parametrized(function) - expected
    body = [
        *(
            ast.parse(f"{each} = _clew_vary({each}, _clew_k)").body[0]
            for each in arguments
            if each in varied_ones
        ),
        *rewritten(_Noting(name, expected), function.body),
    ]
    inner = ast.parse("def _clew_body(_clew_k): pass").body[0]
    if not isinstance(inner, ast.FunctionDef):
        raise TypeError("no function")
    inner.args.args += [ast.arg(arg=each) for each in arguments]
    inner.body = body
    calls = CALLS.format(count=VARIATIONS + 1, given=", ".join(arguments), name=name)
    function.body = [inner, *ast.parse(calls).body]


def _parametrized(function: ast.FunctionDef) -> set[str]:
    names: set[str] = set()
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and len(decorator.args) >= PARAMETRIZED:
            for node in ast.walk(decorator.args[0]):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    names |= {part.strip() for part in node.value.split(",")}
    return names


def _asserted(node: ast.AST) -> list[ast.expr]:
    """Return what a call of unittest's assertions compares; nothing for any other statement."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return []
    name = call.func.attr.removeprefix("assert")
    plain = not any(isinstance(arg, ast.Starred) for arg in call.args)
    found = name != call.func.attr and name[:1].isupper() and plain and name[:6] != "Raises"
    return call.args[:PARAMETRIZED] if found else []


def _written_out(node: ast.expr) -> bool:
    """Tell values that stand in the text, about (`approx(16)`) or exactly."""
    if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith("approx"):
        node = node.args[0]
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _expected(function: ast.FunctionDef) -> frozenset[str]:
    """Return the names that stand alone on a side of what is asserted, and nowhere else."""
    sides: list[ast.expr] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            sides += node.test.comparators
        else:
            sides += _asserted(node)[1:]
    alone = {id(side): side.id for side in sides if isinstance(side, ast.Name)}
    others = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in alone
    }
    return frozenset(alone.values()) - others


class _Noting(ast.NodeTransformer):
    """Varies the literals of a body, and notes what it asserts instead of asserting it."""

    def __init__(self, name: str, expected: frozenset[str]) -> None:
        self.name = name
        self.expected = expected  # names of what the test expects

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) not in (int, float, str):
            return node
        return ast.Call(
            func=ast.Name(id="_clew_vary", ctx=ast.Load()),
            args=[node, ast.Name(id="_clew_k", ctx=ast.Load())],
            keywords=[],
        )

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Leave an index alone that chooses a part of an answer: it is no input."""
        if any(isinstance(each, ast.Call) for each in ast.walk(node.value)):
            node.value = self.visit(node.value)
            return node
        return self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        names = [getattr(target, "id", "") for target in node.targets]
        kept = self.expected.issuperset(names) and _written_out(node.value)
        return node if kept else self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        test = node.test
        if isinstance(test, ast.Compare):
            return [self.note(self.given(each)) for each in (test.left, *test.comparators)]
        return [self.note(self.visit(test))]

    def given(self, side: ast.expr) -> ast.expr:
        """Vary what is compared, unless it is what the test expects: that is no input."""
        return side if _written_out(side) else self.visit(side)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt] | ast.AST:
        if compared := _asserted(node):
            return [self.note(self.given(each)) for each in compared]
        return ast.Expr(value=self.visit(node.value))

    def note(self, value: ast.expr) -> ast.Expr:
        call = ast.Call(
            func=ast.Name(id="_clew_note", ctx=ast.Load()),
            args=[ast.Constant(self.name), ast.Name(id="_clew_k", ctx=ast.Load()), value],
            keywords=[],
        )
        return ast.Expr(value=call)
