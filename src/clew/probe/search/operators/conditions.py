"""Comparisons, boolean logic, conditions."""

from __future__ import annotations

import ast
import itertools
import re
from typing import Dict, Iterator, List, Set, Tuple

from ..context import OWN
from ..source import Splice
from .table import At, Idea, operator

MOST_PERMUTED = 3  # names whose orders are gone through
MOST_OTHERS = 6  # attributes that are asked for beside the one that is
ONE_SIDED = 0.4  # how likely one of two bounds that mean the same is wrong alone
BESIDE = {"and": "ask for `{}` as well", "or": "let the condition also hold where `{}`"}

COMPARISONS: Dict[type, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
LIKELY: Dict[str, Tuple[str, ...]] = {
    "<": ("<=", ">", ">=", "!=", "=="),
    "<=": ("<", ">=", ">", "==", "!="),
    ">": (">=", "<", "<=", "!=", "=="),
    ">=": (">", "<=", "<", "==", "!="),
    "==": ("!=", ">=", "<=", "in", ">", "<", "is"),
    "!=": ("==", ">", "<", "not in", ">=", "<="),
    "in": ("not in", "=="),
    "not in": ("in", "!="),
    "is": ("is not", "=="),
    "is not": ("is", "!="),
}
OPPOSITE = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==",
    "in": "not in", "not in": "in", "is": "is not", "is not": "is",
}  # fmt: skip


def gap(at: At, left: ast.AST, right: ast.AST, words: Tuple[str, ...]) -> Tuple[int, int]:
    """Return the span of the operator between two operands."""
    tokens = [
        token
        for token in at.source.between(at.source.span(left)[1], at.source.span(right)[0])
        if token.text in words
    ]
    if not tokens:
        return (-1, -1)
    return tokens[0].start, tokens[-1].end


BEFORE, AFTER = r"(?<![\w.])(?<!e[-+])", r"(?![\w.])"
NUMBER = BEFORE + r"\d+" + AFTER
COMPARE_WORDS = ("<", "<=", ">", ">=", "==", "!=", "in", "not", "is")
MEMBER = ("in", "not in")


@operator("comparison", 1.0, ast.Compare)
def comparison(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Compare)
    operands = [node.left, *node.comparators]
    for index, op in enumerate(node.ops):
        start, end = gap(at, operands[index], operands[index + 1], COMPARE_WORDS)
        if start < 0:
            continue
        old = COMPARISONS[type(op)]
        literal = any(map(is_literal, operands[index : index + 2]))
        keyed = old in MEMBER and is_key(operands[index], operands[index + 1], at)
        for rank, new in enumerate(LIKELY[old]):
            if literal and new in ("is", "is not"):
                continue  # which of equal numbers or texts are one object is chance
            if keyed and new not in MEMBER:
                continue
            weight = 1.0 if new in (OPPOSITE[old], LIKELY[old][0]) else 0.85 - 0.05 * rank
            if new == LIKELY[old][0] and mirrored(node, at):
                weight = ONE_SIDED
            changes = (Splice(start, end, new),)
            yield Idea(weight, changes, "replace `{}` by `{}`".format(old, new))


@operator("alike comparisons", 1.0, ast.Compare)
def alike_comparisons(node: ast.AST, at: At) -> Iterator[Idea]:
    """Let the bounds of all steps of a scale belong to the other side."""
    assert isinstance(node, ast.Compare)
    function = at.function(node)
    scale = step(node, at)
    if function is None or not scale:
        return
    steps = [n for n in ast.walk(function) if isinstance(n, ast.Compare) and step(n, at) == scale]
    old = scale[1]
    spans = [gap(at, each.left, each.comparators[0], COMPARE_WORDS) for each in steps]
    if len(steps) > 1 and steps[0] is node and all(start >= 0 for start, _ in spans):
        new = LIKELY[old][0]
        changes = tuple(sorted(Splice(start, end, new) for start, end in spans))
        words = "replace `{}` by `{}` in all {} comparisons of `{}` with a number"
        yield Idea(1.0, changes, words.format(old, new, len(steps), scale[0]))


def step(node: ast.Compare, at: At) -> Tuple[str, ...]:
    """Return what a condition compares with a number, and by which of the bounds; or nothing."""
    bounded = len(node.ops) == 1 and COMPARISONS[type(node.ops[0])] in ("<", "<=", ">", ">=")
    if not bounded or not isinstance(at.parent(node), (ast.If, ast.IfExp)):
        return ()
    right = node.comparators[0]
    number = isinstance(right, ast.Constant) and type(right.value) in (int, float)
    return (at.text(node.left), COMPARISONS[type(node.ops[0])]) if number else ()


def is_key(node: ast.expr, held: ast.expr, at: At) -> bool:
    """Tell a key by which the same function looks something up: it never equals that."""
    function = at.function(node)
    text = at.text(function) if function is not None else ""
    return "{}[{}]".format(at.text(held), at.text(node)) in text


def is_literal(node: ast.AST) -> bool:
    singletons = (bool, type(None), type(Ellipsis))
    return isinstance(node, ast.Constant) and not isinstance(node.value, singletons)


def mirrored(node: ast.expr, at: At) -> bool:
    """Tell one of two bounds that mean the same of either side, as where two spans overlap."""
    parent = at.parent(node)
    if not isinstance(parent, ast.BoolOp) or len(parent.values) != 2:
        return False
    one, other = map(bound_of, parent.values)
    return one == other and all(one)


def bound_of(node: ast.expr) -> Tuple[str, str, str]:
    """Return which of two things is the smaller one by a comparison, by what, and the other one."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return "", "", ""
    left, right = called(node.left), called(node.comparators[0])
    op = COMPARISONS[type(node.ops[0])]
    if op in (">", ">="):
        return right, op.replace(">", "<"), left
    return (left, op, right) if op in ("<", "<=") else ("", "", "")


def called(node: ast.expr) -> str:
    """Return the last word of a name, without a number: `start` of `other.start` and `start_2`."""
    name = getattr(node, "attr", getattr(node, "id", ""))
    words = re.findall(r"[^\W\d_]+", name)
    return words[-1] if words else ""


@operator("twins", 0.9, ast.BoolOp)
def twins(node: ast.AST, at: At) -> Iterator[Idea]:
    """Move the bounds of all comparisons of a kind: who is wrong about one is about its twin."""
    assert isinstance(node, ast.BoolOp)
    found: Dict[str, List[Splice]] = {}
    for each in node.values:
        if isinstance(each, ast.Compare) and len(each.ops) == 1:
            old = COMPARISONS[type(each.ops[0])]
            start, end = gap(at, each.left, each.comparators[0], (old,))
            if old in ("<", "<=", ">", ">=") and start >= 0:
                found.setdefault(old, []).append(Splice(start, end, LIKELY[old][0]))
    for old, changes in found.items():
        if len(changes) > 1:
            words = "replace `{}` by `{}` in {} comparisons".format(
                old, LIKELY[old][0], "both" if len(changes) == 2 else "all"
            )
            yield Idea(1.0, tuple(changes), words)
    if len(found) == 2 and mirrored(node.values[0], at):
        words = " and ".join("`{}` by `{}`".format(old, LIKELY[old][0]) for old in found)
        yield Idea(1.0, tuple(each for (each,) in found.values()), "replace " + words)


@operator("boolean", 1.0, ast.BoolOp)
def boolean(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.BoolOp)
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    changes: List[Splice] = []
    for left, right in zip(node.values, node.values[1:]):
        start, end = gap(at, left, right, (old,))
        if start < 0:
            return
        changes.append(Splice(start, end, new))
    yield Idea(1.0, tuple(changes), "replace `{}` by `{}`".format(old, new))
    if len(changes) > 1:
        for change in changes:
            yield Idea(0.5, (change,), "replace one `{}` by `{}`".format(old, new))


@operator("drop condition", 0.8, ast.BoolOp)
def drop_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.BoolOp)
    word = "and" if isinstance(node.op, ast.And) else "or"
    for index, value in enumerate(node.values):
        rest = [at.source.outer_span(v) for i, v in enumerate(node.values) if i != index]
        text = (" " + word + " ").join(at.source.text[a:b] for a, b in rest)
        if len(rest) == 1:
            text = at.text(node.values[1 - index])
        # It may ask whether there is anything that the others could ask about.
        asks = isinstance(value, (ast.Name, ast.Attribute)) and at.text(value) in text
        weight = 0.3 if asks else 1.0
        yield at.put(node, text, weight, "drop the condition `{}`".format(at.text(value)))


def is_condition(node: ast.AST, at: At) -> bool:
    parent = at.parent(node)
    field = at.field(node)
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return field == "test"
    return isinstance(parent, ast.comprehension) and field == "ifs"


def negated(node: ast.AST, at: At) -> str:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return at.text(node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        start, end = gap(at, node.left, node.comparators[0], COMPARE_WORDS)
        if start >= 0:
            left, right = at.source.span(node)
            new = OPPOSITE[COMPARISONS[type(node.ops[0])]]
            return at.source.text[left:start] + new + at.source.text[end:right]
    text = at.text(node)
    if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Lambda)):
        text = "(" + text + ")"
    return "not " + text


@operator("negation", 0.85, ast.expr)
def negation(node: ast.AST, at: At) -> Iterator[Idea]:
    parent = at.parent(node)
    returned = isinstance(parent, ast.Return) and isinstance(
        node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)
    )
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield at.put(node, at.text(node.operand), 1.0, "drop `not`")
    elif isinstance(node, ast.Compare):
        return  # the opposite comparison says it better
    elif is_condition(node, at) or returned or isinstance(parent, ast.BoolOp):
        yield at.put(node, negated(node, at), 0.9, "negate `{}`".format(at.text(node)))


@operator("extend condition", 0.5, ast.expr)
def extend_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    """Join the condition with another that the function, or its like, already knows."""
    parent = at.parent(node)
    boolean_return = isinstance(parent, ast.Return) and isinstance(node, (ast.Compare, ast.BoolOp))
    if not (is_condition(node, at) or boolean_return):
        return
    text = at.text(node)
    yield from checked_first(node, at)
    for weight, other in other_conditions(node, at):
        if other == text:
            continue
        for word in ("and", "or"):
            left = text
            wrap = isinstance(node, (ast.IfExp, ast.Lambda)) or (
                word == "and" and isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
            )
            left = "(" + text + ")" if wrap else text
            words = BESIDE[word].format(other)
            yield at.put(node, "{} {} {}".format(left, word, other), weight, words)
            if word == "and" and weight > 0.8:
                yield at.put(node, "{} {} {}".format(other, word, left), weight * 0.5, words)


@operator("lost condition", 1.0, ast.BoolOp)
def lost_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask the one that is missing of conditions that are alike but for the order of their names."""
    assert isinstance(node, ast.BoolOp)
    texts = [at.text(value) for value in node.values]
    names = list(dict.fromkeys(n.id for n in ast.walk(node.values[0]) if isinstance(n, ast.Name)))
    if not 2 <= len(names) <= MOST_PERMUTED:
        return
    orders = [dict(zip(names, order)) for order in itertools.permutations(names)]
    alike = dict.fromkeys(renamed(texts[0], order) for order in orders)
    if not set(texts) <= set(alike):
        return
    word = "and" if isinstance(node.op, ast.And) else "or"
    end = at.source.outer_span(node.values[-1])[1]
    outer = [at.source.outer_span(value) for value in node.values]
    bracketed = all(at.source.text[start] == "(" for start, _ in outer)
    for text in alike:
        if text not in texts:
            asked = "({})".format(text) if bracketed else text
            change = Splice(end, end, " {} {}".format(word, asked))
            yield Idea(1.0, (change,), BESIDE[word].format(text) + ", like those beside it")


def checked_first(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask first whether there is anything to look into."""
    text = at.text(node)
    inner = (ast.BoolOp, ast.IfExp, ast.Lambda)
    mixed = "(" + text + ")" if isinstance(node, inner) else text
    bases: Dict[str, bool] = {}
    for child in ast.walk(node):
        if isinstance(child, (ast.Attribute, ast.Subscript)):
            base = child.value
            if isinstance(base, (ast.Name, ast.Attribute)) and at.text(base) not in OWN:
                bases.setdefault(at.text(base), isinstance(child, ast.Attribute))
    for base_text, none in list(bases.items())[:4]:
        # Where an attribute is read None is the likely obstacle; where an element is, emptiness.
        for form, weight in (
            ("{} is None or {}", 1.0 if none else 0.7),
            ("{} is not None and {}", 1.0 if none else 0.7),
            ("{} and {}", 0.6 if none else 1.0),
            ("not {} or {}", 0.5 if none else 0.9),
        ):
            words = "look at `{}` first".format(base_text)
            yield at.put(node, form.format(base_text, mixed), weight, words)


@operator("none check", 0.6, ast.expr)
def none_check(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask for None where any empty value was asked for, and the reverse."""
    parent = at.parent(node)
    asked = is_condition(node, at) or isinstance(parent, (ast.BoolOp, ast.UnaryOp))
    values = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
    if asked and isinstance(node, values) and not isinstance(parent, ast.UnaryOp):
        yield at.put(node, at.text(node) + " is not None", 1.0)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        if isinstance(node.operand, values):
            yield at.put(node, at.text(node.operand) + " is None", 1.0)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and is_none(node.comparators[0]):
        if isinstance(node.ops[0], ast.IsNot):
            yield at.put(node, at.text(node.left), 0.9)
        elif isinstance(node.ops[0], ast.Is):
            yield at.put(node, "not " + at.text(node.left), 0.9)
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and not asked:
        *firsts, last = node.values
        if len(firsts) == 1 and isinstance(firsts[0], (ast.Name, ast.Attribute)):
            text = "{0} if {0} is not None else {1}".format(at.text(firsts[0]), at.text(last))
            yield at.put(node, text, 0.9)
        elif all(isinstance(each, values) for each in firsts):
            given = ", ".join(map(at.text, firsts)) + ("," if len(firsts) == 1 else "")
            form = "next((value for value in ({}) if value is not None), {})"
            yield at.put(node, form.format(given, at.text(last)), 0.9)


def is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def other_conditions(node: ast.AST, at: At) -> Iterator[Tuple[float, str]]:
    names = at.names(node)
    seen: Dict[str, None] = {}
    near = [n for n in ast.walk(node) if isinstance(n, ast.Compare)]
    for compare in [*near, *at.facts.conditions]:
        is_near = compare in near
        for weight, text in variants(compare, at, names):
            if text not in seen:
                seen.setdefault(text)
                yield (1.0 if is_near else 0.8) * weight, text
    for name in names[:10]:
        for weight, text in ((0.7, name), (0.7, "not " + name), (0.5, name + " is not None")):
            if text not in seen:
                seen.setdefault(text)
                yield weight, text
    for text in attributes_beside(at, names):
        for weight, asked in ((0.7, text), (0.6, "not " + text)):
            if asked not in seen:
                seen.setdefault(asked)
                yield weight, asked
    few = names[:6]
    for left, right in itertools.permutations(few, 2):
        for op in ("==", "!=", "<", "<=", "in", "not in"):
            if op in ("==", "!=") and left > right:
                continue
            text = "{} {} {}".format(left, op, right)
            if text not in seen:
                seen.setdefault(text)
                yield 0.4, text
    for name in few:
        for number in at.facts.numbers[:6]:
            for op in ("==", "!=", "<", ">", "<=", ">="):
                text = "{} {} {}".format(name, op, number)
                if text not in seen:
                    seen.setdefault(text)
                    yield 0.35, text


def attributes_beside(at: At, names: List[str]) -> Iterator[str]:
    """Yield what an object of this file has, of which the function reads something else."""
    read: Dict[str, Set[str]] = {}
    for node in ast.walk(at.place.function or at.source.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            read.setdefault(node.value.id, set()).add(node.attr)
    known = [name for name in at.context.attributes if not name.startswith("__")]
    for name, attributes in read.items():
        if (name in names or name in OWN) and attributes.intersection(known):
            others = [other for other in known if other not in attributes]
            yield from ("{}.{}".format(name, other) for other in others[:MOST_OTHERS])


def variants(compare: ast.Compare, at: At, names: List[str]) -> Iterator[Tuple[float, str]]:
    """Yield a comparison as it is, with its names permuted, with another name or number."""
    text = at.text(compare)
    if len(text) > 120 or "\n" in text:
        return
    used = list(
        dict.fromkeys(n.id for n in ast.walk(compare) if isinstance(n, ast.Name) and n.id in names)
    )
    if not used and not any(isinstance(n, ast.Name) for n in ast.walk(compare)):
        return
    if all(n.id in names or n.id not in at.facts.names
           for n in ast.walk(compare) if isinstance(n, ast.Name)):  # fmt: skip
        yield 0.9, text
    yield 0.8, negated(compare, at)
    if 2 <= len(used) <= 4:
        for order in itertools.permutations(used):
            if list(order) != used:
                yield 0.9, renamed(text, dict(zip(used, order)))
    for name in used:
        for other in names[:8]:
            if other not in used:
                yield 0.6, renamed(text, {name: other})
    for number in re.findall(NUMBER, text)[:2]:
        others = [*at.facts.numbers[:10], str(int(number) + 1), str(max(0, int(number) - 1))]
        for other in dict.fromkeys(others):
            if other != number:
                yield 0.6, renumbered(text, number, other)


def renamed(text: str, names: Dict[str, str]) -> str:
    pattern = r"(?<![\w.'\"])(" + "|".join(re.escape(n) for n in names) + r")(?!\w)"
    return re.sub(pattern, lambda found: names[found.group(1)], text)


def renumbered(text: str, number: str, other: str) -> str:
    """Return a text with another number in the first place of one."""
    return re.sub(BEFORE + number + AFTER, other, text, count=1)


@operator("new condition", 0.3, ast.expr)
def new_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    """Replace a condition by another from the function."""
    if not is_condition(node, at):
        return
    text = at.text(node)
    for weight, other in other_conditions(node, at):
        if other != text:
            yield at.put(node, other, weight)
    yield at.put(node, "True", 0.5)
    yield at.put(node, "False", 0.5)


@operator("filter", 0.4, ast.comprehension)
def comprehension_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    """Add or drop the condition of a comprehension."""
    assert isinstance(node, ast.comprehension)
    end = at.source.span(node.ifs[-1] if node.ifs else node.iter)
    end = at.source.outer_span(node.ifs[-1] if node.ifs else node.iter)
    if node.ifs:
        start = at.source.outer_span(node.iter)[1]
        yield Idea(1.0, (Splice(start, end[1], ""),), "drop the comprehension's condition")
    names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
    whole = {n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)}  # no peer of a part
    tests: List[Tuple[float, str]] = []
    for name in names[:2]:
        tests += [(0.9, name), (0.8, "not " + name), (0.7, name + " is not None")]
        for number in [*at.facts.numbers[:6], "0", "1"]:
            for op in (">", "<", "!=", "==", ">=", "<="):
                tests.append((0.5, "{} {} {}".format(name, op, number)))
        for other in at.names(node)[:6]:
            if other not in names and other not in whole:
                for op in ("!=", "in", "not in", "==", "<", ">"):
                    tests.append((0.5, "{} {} {}".format(name, op, other)))
    for compare in at.facts.conditions[:6]:
        tests += [(0.6 * w, t) for w, t in variants(compare, at, names + at.facts.names)]
    for weight, text in {t: (w, t) for w, t in tests}.values():
        joined = " and " + text if node.ifs else " if " + text
        words = "keep only elements with `{}`".format(text)
        yield Idea(weight, (Splice(end[1], end[1], joined),), words)
