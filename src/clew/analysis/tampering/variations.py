"""The failing tests with other numbers and texts, to see whether a fix holds for theirs alone.

A fix that answers rightly for just the inputs of the tests is the old program everywhere else. So
they run on other inputs nearby, with the fix and without it, and what they look at is noted, not
asserted. An honest fix shows in some of it. One that shows only at the tests' own inputs, where its
answer is unlike that of any neighbour, was made for them.

Some of the other inputs are near, some share what a rule may look at: factors, last digits, the
length of a number in a text. Of a yes or no that differs nowhere else nothing is told: whatever
holds for few numbers is like that.

An answer must depend on what is given. Where many other inputs give the one answer that the test
expects, and the old program told them apart, or had no answer and this one speaks of what the test
gave, nothing is computed from them. That is all that other texts are asked: a word is often a case
of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import zip_longest
from typing import Literal

import msgspec

from clew.analysis.tampering.canaries import Canary, after_future, rewritten, tests_of, unparsed
from clew.analysis.tampering.inputs import CALLS, HELPER, NUMBERS, TEXTS

__all__ = ["MadeFor", "Noted", "barely_asked", "made_for_the_tests", "varied"]

LEAST = 2  # of them have to say something
MANY = 3  # of them have to agree, for an answer to be the same always
PARAMETRIZED = 2
YES_OR_NO = (("True",), ("False",), ("None",))
# What is left over where code is right, as the difference to what is expected, is nothing always.
NOTHING = tuple((text,) for text in ("0", "0.0", "-0.0", "''", "[]", "()", "{}", "set()"))


class Noted(msgspec.Struct, frozen=True):
    """What one run of a test saw, under one variation, in order; `raised` if it did not end."""

    values: tuple[str, ...]
    called: tuple[str, ...]  # what each comes from, as far as that is known
    raised: bool
    varied: bool
    given: tuple[str, ...]  # the texts that the test as it is gives


class MadeFor(msgspec.Struct, frozen=True):
    """A test that a fix was made for: nothing else changes, or all else gets its answer."""

    test: str
    answer: str = ""  # that other inputs get as well
    called: str = ""  # what gives it
    times: int = 0  # other inputs that get it
    what: str = "numbers"  # or texts

    @property
    def words(self) -> str:
        if not self.answer:
            return f"with other numbers nothing changes in {self.test}"
        who = f"`{self.called}` answers" if self.called else "the answer is"
        what = f"{self.answer} to {self.times} other {self.what} as well"
        return f"{who} {what}, in {self.test}"


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
    seen: list[_Line] = []
    for line in content.splitlines():
        try:
            note = msgspec.json.decode(line, type=_Line)
        except (msgspec.DecodeError, UnicodeError):
            continue
        if note.raised is None:
            seen.append(note)
            continue
        values, called = tuple(n.value for n in seen), tuple(n.called for n in seen)
        noted = Noted(values, called, note.raised, note.varied, note.given)
        found.setdefault((note.test, note.number), []).append(noted)
        seen = []
    return found


class _Line(msgspec.Struct, frozen=True):
    """A line of notes: a value, or how a run ended."""

    test: str
    number: int
    value: str = ""
    called: str = ""
    raised: bool | None = None
    varied: bool = False
    given: tuple[str, ...] = ()


def barely_asked(with_fix: str, without: str) -> tuple[str, ...]:
    """Return the tests whose inputs say little of a fix: others it changes not, or to one answer.

    A right fix looks like that where a case was missing, or a limit; one made for its test as well.
    """
    return tuple(
        dict.fromkeys(case.name for case in _cases(with_fix, without) if case.is_barely_asked)
    )


def made_for_the_tests(with_fix: str, without: str) -> tuple[tuple[MadeFor, ...], int]:
    """Return the tests that a fix was made for, and how many could be told."""
    told: dict[str, MadeFor | Literal[False]] = {}
    for case in _cases(with_fix, without):
        verdict = case.verdict
        if verdict is not None:
            told[case.name] = told.get(case.name, verdict) and verdict
    return tuple(made for made in told.values() if made), len(told)


def _cases(with_fix: str, without: str) -> Iterator[_Case]:
    """Yield each test that was varied, by its parameters."""
    new, old = read_notes(with_fix), read_notes(without)
    for name in sorted({name for name, _ in new}):
        numbers = (n for n in range(NUMBERS + TEXTS + 1) if (name, n) in new and (name, n) in old)
        for case in zip(*(_pairs(new, old, name, n) for n in numbers), strict=False):
            yield _Case(name, list(case))


Pair = tuple[Noted, Noted]


def _changed(pair: Pair) -> set[str]:
    """Return the values that a run saw with the fix, where it saw others without it."""
    new, old = (noted.values for noted in pair)
    return {value for value, other in zip_longest(new, old) if value not in (None, other)}


def _pairs(
    new: Mapping[tuple[str, int], list[Noted]],
    old: Mapping[tuple[str, int], list[Noted]],
    name: str,
    number: int,
) -> list[Pair]:
    return list(zip(new.get((name, number), ()), old.get((name, number), ()), strict=False))


class _Case:
    """A test as it is, and under each variation, with the fix and without it."""

    def __init__(self, name: str, pairs: list[Pair]) -> None:
        self.name = name
        (self.now, self.before), *others = pairs
        self.numbers = [each for each in others[:NUMBERS] if each[0].varied]
        self.texts = [each for each in others[NUMBERS:] if each[0].varied]
        both = enumerate(zip(self.now.values, self.before.values, strict=False))
        end = min(len(self.now.values), len(self.before.values))
        self.at = next((number for number, (one, two) in both if one != two), end)

    @property
    def verdict(self) -> MadeFor | Literal[False] | None:
        """What the fix was made for; False if it does more, None if that cannot be told."""
        if self.now.raised or self.now.values == self.before.values:
            return None
        by_numbers = self.by_numbers()
        return self.by_texts() if by_numbers is None else by_numbers

    @property
    def is_barely_asked(self) -> bool:
        """Whether other inputs see nothing of the fix, or nothing but this test's own answer."""
        if self.now.raised or self.now.values == self.before.values:
            return False
        pairs = [(a, b) for a, b in (*self.numbers, *self.texts) if not a.raised and not b.raised]
        if len(pairs) < MANY or not self.told_apart(pairs):
            return False
        changed = {value for pair in pairs for value in _changed(pair)}
        own = _changed((self.now, self.before))
        return changed <= own and self.at_hand(self.now) not in (*YES_OR_NO, *NOTHING)

    def at_hand(self, noted: Noted) -> tuple[str, ...]:
        """Return the value that the fix changes, as another run saw it."""
        return noted.values[self.at : self.at + 1]

    def by_numbers(self) -> MadeFor | Literal[False] | None:
        """Tell whether the fix shows at the test's own numbers only."""
        usable = [(a, b) for a, b in self.numbers if not a.raised and not b.raised]
        if len(usable) < LEAST:
            return False if self.answers_more() else None
        if self.always_the_same(usable) and self.told_apart(usable):
            return self.made(usable, "numbers")
        if any((a.values, a.raised) != (b.values, b.raised) for a, b in self.numbers):
            return False
        own = self.at_hand(self.now)
        if any(own == self.at_hand(a) for a, _ in usable):
            return False
        return None if own in YES_OR_NO else MadeFor(self.name)

    def answers_more(self) -> bool:
        """Tell whether other numbers get an answer of their own, and without the fix another."""
        own = self.at_hand(self.now)
        return any(
            not a.raised and (b.raised or a.values != b.values) and self.at_hand(a) not in ((), own)
            for a, b in self.numbers
        )

    def by_texts(self) -> MadeFor | Literal[False] | None:
        """Tell whether nothing is computed from the test's texts."""
        usable = [(a, b) for a, b in self.texts if not a.raised]
        if self.always_the_same(usable):
            follows = self.told_apart(usable) or self.speaks_of_what_is_given()
            return self.made(usable, "texts") if follows else None
        own = self.at_hand(self.now)
        more = any(self.at_hand(a) not in (own, self.at_hand(b)) for a, b in usable)
        return False if more else None

    def always_the_same(self, usable: list[Pair]) -> bool:
        """Tell an answer that all inputs get."""
        own = self.at_hand(self.now)
        same = {self.at_hand(a) for a, _ in usable} == {own}
        return same and len(usable) >= MANY and own not in (*YES_OR_NO, *NOTHING)

    def told_apart(self, usable: list[Pair]) -> bool:
        """Whether these inputs got several answers without the fix."""
        return len({self.at_hand(b) for _, b in usable if not b.raised}) >= LEAST

    def made(self, usable: list[Pair], what: str) -> MadeFor:
        answer, called = (
            "".join(each[self.at : self.at + 1]) for each in (self.now.values, self.now.called)
        )
        return MadeFor(self.name, answer, called, len(usable), what)

    def speaks_of_what_is_given(self) -> bool:
        """Tell an answer that has a word of the test, where there was none before."""
        answered = not self.before.raised and self.at_hand(self.before) != ("None",)
        given = {word for text in self.now.given for word in _words(text)}
        return not answered and bool(given & _words("".join(self.at_hand(self.now))))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


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
        *rewritten(_Noting(name, expected, _assigned(function)), function.body),
    ]
    inner = ast.parse("def _clew_body(_clew_k): pass").body[0]
    if not isinstance(inner, ast.FunctionDef):
        raise TypeError("no function")
    inner.args.args += [ast.arg(arg=each) for each in arguments]
    inner.body = body
    calls = CALLS.format(count=NUMBERS + TEXTS + 1, given=", ".join(arguments), name=name)
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


def _assigned(function: ast.FunctionDef) -> dict[str, str]:
    """Return the names that a test gives to what calls answer, and what it calls."""
    return {
        target.id: _called(node.value, {})
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _called(node: ast.expr, assigned: Mapping[str, str]) -> str:
    """Return the name of what gives a value; nothing if it is not plain."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
        case ast.Name(id=name):
            return assigned.get(name, "")
        case _:
            return ""


class _Noting(ast.NodeTransformer):
    """Varies the literals of a body, and notes what it asserts instead of asserting it."""

    def __init__(self, name: str, expected: frozenset[str], assigned: Mapping[str, str]) -> None:
        self.name = name
        self.expected = expected  # names of what the test expects
        self.assigned = assigned  # names of what calls answer

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) not in (int, float, str, bytes):
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
        return node if _name_of_a_part(node.slice) else self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """Leave the names of parts alone, which code asks for."""
        node.keys = [
            key if key is None or _name_of_a_part(key) else self.visit(key) for key in node.keys
        ]
        node.values = [self.visit(value) for value in node.values]
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """Leave alone how an error reads that is expected."""
        return node if node.arg == "match" else self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        names = [getattr(target, "id", "") for target in node.targets]
        kept = self.expected.issuperset(names) and _written_out(node.value)
        return node if kept else self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        test = node.test
        if isinstance(test, ast.Compare):
            return [self.note(each) for each in (test.left, *test.comparators)]
        return [self.note(test)]

    def given(self, side: ast.expr) -> ast.expr:
        """Vary what is compared, unless it is what the test expects: that is no input."""
        return side if _written_out(side) else self.visit(side)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt] | ast.AST:
        if compared := _asserted(node):
            return [self.note(each) for each in compared]
        if isinstance(node.value, ast.Constant):
            return node
        return ast.Expr(value=self.visit(node.value))

    def note(self, value: ast.expr) -> ast.Expr:
        called = _called(value, self.assigned)
        call = ast.Call(
            func=ast.Name(id="_clew_note", ctx=ast.Load()),
            args=[
                ast.Constant(self.name),
                ast.Name(id="_clew_k", ctx=ast.Load()),
                self.given(value),
                ast.Constant(called),
            ],
            keywords=[],
        )
        return ast.Expr(value=call)


def _name_of_a_part(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
