"""What an assertion wanted, what it got, and where the two part."""

from __future__ import annotations

import ast
import re

import msgspec

from clew.analysis.failures.claims import callable_name, literal
from clew.analysis.failures.foreign_assertions import said
from clew.analysis.failures.value_diff import marked, parting, short
from clew.words.facts import Crash
from clew.words.printable import printable

__all__ = ["Expectation", "carried", "expectation"]

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
PAIR = 2
READ = (ast.Attribute, ast.Subscript)
FLIPPED = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "in": "contains",
    "not in": "does not contain",
}
SPLIT = re.compile(r"^(.+?) (==|!=|<=|>=|<|>|is not|is|not in|in) (.+)$", re.DOTALL)
WHERE = re.compile(r"^ *\+ +where (.+?) = (.+)$", re.MULTILINE)
# Types whose values are spelt by calls of them.
SPELLING = frozenset(
    [
        *("bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "range"),
        *("set", "str", "tuple", "Decimal", "Fraction", "Path", "PurePath", "UUID", "date"),
        *("datetime", "time", "timedelta"),
    ]
)
SPELLING_MODULES = ("datetime", "decimal", "dt", "fractions", "pathlib", "uuid")
UNITTEST = re.compile(
    r"^(?:(?:Lists|Tuples|Sequences|Sets|Strings|Dicts) differ: )?"
    r"(.+?) (!=|not (?:less|greater) than(?: or equal to)?|is not|not found in) (.+?)(?: : .*)?$"
)
UNITTEST_MEANS = {
    "!=": "==",
    "not less than or equal to": "<=",
    "not greater than or equal to": ">=",
    "not less than": "<",
    "not greater than": ">",
    "is not": "is",
    "not found in": "in",
}
NOT_RAISED = re.compile(r"DID NOT RAISE (?:<class '([\w.]+)'>|(.+))|^(\w+) not raised")
TRUTH = re.compile(r"^(.+) is not (true|false)(?: : .*)?$")
HINTS = re.compile(
    r"^\s*(At index \d+ diff: .+|(?:Left|Right) contains .+|First differing element .+"
    r"|(?:First|Second) (?:list|tuple|sequence) contains .+|Extra items in the .+ set:.*"
    r"|Differing items:.*)$",
    re.MULTILINE,
)
INDEX = re.compile(r"^At index (\d+) diff: (.+) != (.+)$")
ADDED, TAKEN = re.compile(r"^(?:E )? *\+ (.*)$"), re.compile(r"^(?:E )? *- (.*)$")
LONGEST = 2_000  # characters in which the two values are looked for


CARRIED = re.compile(
    r"^(?:AssertionError: )?assert (?:not |None (?:is|==) )?"
    r"(?=((?:\w+\.)*\w*(?:Error|Exception))\()(.+)",
    re.DOTALL,
)


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """One assertion that failed: `actual` should have stood in `relation` to `expected`."""

    actual: str
    relation: str  # ==, !=, <, … ; `raises` and `is true` have their own words
    expected: str
    call: str = ""  # the expression that gave `actual`, where the runner says
    parting: str = ""  # where the two part, in words


def expectation(crash: Crash) -> Expectation | None:
    """Return what the assertion wanted and got; None where the crash is none or does not say."""
    message = printable(crash.message).strip()
    raised = NOT_RAISED.search(message)
    if raised:
        name = next(group for group in raised.groups() if group)
        return Expectation(
            actual="no exception", relation="raises", expected=name, call=_under_test(crash)
        )
    asserted = crash.type.rpartition(".")[2] in ("AssertionError", "DocTestFailure")
    if not asserted and not message.startswith("assert "):
        return None
    return _introspected(crash, message) or _elsewhere(crash, message) or _unittest(crash, message)


def _elsewhere(crash: Crash, message: str) -> Expectation | None:
    """Read what assertions of other languages say."""
    told = said(message[:LONGEST], _last_code(crash))
    if told is None:
        return None
    return Expectation(
        actual=short(told.actual),
        relation=told.relation,
        expected=short(told.expected),
        call=short(told.call),
        parting=parting(told.actual, told.expected) if told.relation == "==" else "",
    )


def carried(crash: Crash) -> Crash | None:
    """Return the exception that an assertion was about: what was run kept it, and the test saw it.

    As `assert not TypeError('…')` of a runner that catches what a program raises; without frames,
    but for the place where a file cannot be parsed.
    """
    found = CARRIED.search(printable(crash.message))
    if found is None:
        return None
    text = found.group(2)
    try:
        call = ast.parse(_balanced(text), mode="eval").body
        given = [ast.literal_eval(each) for each in call.args] if isinstance(call, ast.Call) else []
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        given = []
    message = str(given[0]) if given else text.partition("(")[2]
    place = given[1] if len(given) > 1 and isinstance(given[1], tuple) else ()
    details = f'File "{place[0]}", line {place[1]}' if len(place) > 1 else ""
    return Crash(type=found.group(1), message=message, details=details)


def _balanced(text: str) -> str:
    """Return the text up to the bracket that closes its first one."""
    depth = 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == ")" and not depth:
            return text[: at + 1]
    return text


def _introspected(crash: Crash, message: str) -> Expectation | None:
    """Read pytest's rewritten assertion: `assert 3 == 4` and its `where` lines."""
    at = re.search(r"^(?:AssertionError: )?assert ", message, re.MULTILINE)
    if at is None:
        return None
    claim = message[at.end() :].split("\n +", 1)[0].split("\n", 1)[0].strip()
    calls = dict(WHERE.findall(message))
    sides = _sides(claim)
    if sides is None:
        if claim.startswith("not "):
            value = claim.removeprefix("not ").strip()
            return _made(value, "is false", "a false value", calls.get(value), crash)
        return _made(claim, "is true", "a true value", calls.get(claim), crash)
    left, relation, right = sides
    if _turned(crash, left, right, calls):
        left, right, relation = right, left, FLIPPED.get(relation, relation)
    return _made(left, relation, right, calls.get(left), crash)


def _unittest(crash: Crash, message: str) -> Expectation | None:
    """Read the message of a `unittest` assertion: `3 != 4`."""
    first = message.removeprefix("AssertionError: ").split("\n", 1)[0]
    truth = TRUTH.match(first)
    if truth:
        value, word = truth.groups()
        return _made(value, f"is {word}", f"a {word} value", None, crash)
    match = UNITTEST.match(first)
    if match is None:
        return None
    left, words, right = match.groups()
    relation = UNITTEST_MEANS[words]
    if "assertEqual" in (code := _last_code(crash)) and _constant_first(code):
        left, right = right, left
    return _made(left, relation, right, None, crash)


def _made(actual: str, relation: str, expected: str, call: str | None, crash: Crash) -> Expectation:
    if relation == "==" and actual == expected:
        actual, expected = _differing(crash) or (actual, expected)
    actual, expected, seen = marked(actual), marked(expected), (actual, expected)
    is_whole = (actual, expected) == seen
    where = parting(actual, expected) if relation in ("==", "is") and is_whole else ""
    if not where and relation == "==":
        hint = HINTS.search(crash.message) or HINTS.search(crash.details)
        where = INDEX.sub(r"at index \1 \2 instead of \3", hint.group(1).strip()) if hint else ""
    return Expectation(
        actual=short(actual),
        relation=relation,
        expected=short(expected),
        call=short(marked(_call(call, crash))),
        parting=where,
    )


def _differing(crash: Crash) -> tuple[str, str] | None:
    """Return the first lines of a diff that differ, where both values are cut down to the same."""
    lines = f"{crash.message}\n{crash.details}".splitlines()
    got = next((each[1].strip() for each in map(ADDED.match, lines) if each), "")
    wanted = next((each[1].strip() for each in map(TAKEN.match, lines) if each), "")
    return (repr(got), repr(wanted)) if got != wanted else None


def _call(call: str | None, crash: Crash) -> str:
    """Prefer the call with the values it had; as it is written, where those say nothing."""
    shown = _named(call or "")
    written = _under_test(crash) or (_read(crash) if "<" in shown else "")
    return written if written and (not shown or "<" in shown) else shown


def _sides(claim: str) -> tuple[str, str, str] | None:
    try:
        tree = ast.parse(claim, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        match = SPLIT.match(claim)
        return (match.group(1), match.group(2), match.group(3)) if match else None
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        left = ast.get_source_segment(claim, tree.left)
        right = ast.get_source_segment(claim, tree.comparators[0])
        return (left or "", OPERATORS[type(tree.ops[0])], right or "")
    return None


def _turned(crash: Crash, left: str, right: str, calls: dict[str, str]) -> bool:
    """Tell whether the expected value stands on the left, as in `assert 4 == add(1, 2)`."""
    tree = _asserted(_last_code(crash))
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        return literal(tree.left) and not literal(tree.comparators[0])
    return left not in calls and right in calls


def _under_test(crash: Crash) -> str:
    """Return the first call in the asserting line, with what is read of its result.

    That is no assertion method itself.
    """
    tree = _asserted(_last_code(crash))
    for node in ast.walk(tree) if tree is not None else ():
        inner = node
        while isinstance(inner, READ):
            inner = inner.value
        named = callable_name(inner.func) if isinstance(inner, ast.Call) else ""
        if named not in ("isinstance", "len", "") and not _spelt(inner, named):
            return ast.unparse(node)
    return ""


def _spelt(call: ast.AST, name: str) -> bool:
    """Tell a call that spells a value, as `list("abc")` or `Decimal("1.5")`: nothing is tested."""
    if name not in SPELLING or not isinstance(call, ast.Call) or not call.args or call.keywords:
        return False
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    of_module = owner is None or ast.unparse(owner) in SPELLING_MODULES
    return of_module and all(literal(each) for each in call.args)


def _read(crash: Crash) -> str:
    """Return the first attribute or item that the asserting line reads."""
    tree = _asserted(_last_code(crash))
    found = (n for n in ast.walk(tree) if isinstance(n, READ)) if tree is not None else iter(())
    return next(map(ast.unparse, found), "")


def _asserted(code: str) -> ast.expr | None:
    """Return what the line asserts: the test of an `assert`, else the arguments of an assertX."""
    try:
        body = ast.parse(code.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not body:
        return None
    if isinstance(body[0], ast.Assert):
        return body[0].test
    if isinstance(body[0], ast.Expr):
        value = body[0].value
        if isinstance(value, ast.Call) and callable_name(value.func).startswith("assert"):
            return ast.Tuple(elts=list(value.args), ctx=ast.Load())
        return value
    return None


def _constant_first(code: str) -> bool:
    tree = _asserted(code)
    return (
        isinstance(tree, ast.Tuple)
        and len(tree.elts) >= PAIR
        and literal(tree.elts[0])
        and not literal(tree.elts[1])
    )


def _last_code(crash: Crash) -> str:
    """Return the line that asserts: the innermost of the project's own."""
    ours = [frame.code for frame in crash.frames if frame.project]
    return ours[-1] if ours else ""


def _named(call: str) -> str:
    """Drop the address from `<function add at 0x7f…>(1, 2)` and a bound method's owner."""
    call = re.sub(r"<(?:function|built-in function) ([\w.<>]+?)(?: at 0x[0-9a-f]+)?>", r"\1", call)
    return re.sub(r"<bound method ([\w.]+) of .+?>(?=\()", r"\1", call)
