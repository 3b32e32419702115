"""Slips in other languages than Python, read by their grammars: one entry in a table each.

What most grammars call the same is said once, as the table's defaults. A file that its grammar
cannot read whole has no slips, and none makes such a file of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

import msgspec

from clew.analysis.context import LARGEST, Language, parser_of
from clew.analysis.mutations.faults import ByteEdit, ByteText, Mutation

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["GRAMMARS", "Grammar", "sayings", "slips"]

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"} | {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
}
LOGIC = {"&&": "||", "||": "&&", "and": "or", "or": "and", "??": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "+", "**": "*"} | {
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "+=": "-=",
    "-=": "+=",
    "*=": "+=",
    "/=": "*=",
    "++": "--",
    "--": "++",
}
OPERATORS = {
    "other comparison": COMPARISONS,
    "other logic": LOGIC,
    "other arithmetic": ARITHMETIC,
}
TRUTHS = {"true": "false", "false": "true"}
FEW = frozenset({"0", "1", "2"})  # as sizes and places: few tests stand just there
NUMBER = re.compile(r"(?P<whole>0|[1-9][0-9]*)(?P<rest>\.[0-9]+)?(?P<kind>[a-zA-Z][a-zA-Z0-9_]*)?")
FUNCTION = re.compile(r"function|method(?!_inv)|closure|lambda|constructor|func_literal")
LOOP = re.compile(r"while|until|do_statement")
TEST = re.compile(r"\btest\b")  # in an attribute of Rust's


def _kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


TRUTH = _kinds("true false boolean_literal")
NUMBERS = _kinds(
    "number integer float int_literal float_literal integer_literal decimal_integer_literal"
    " decimal_floating_point_literal number_literal"
)
BRACKETS = _kinds("parenthesized_expression condition_clause")
EMPTY = _kinds('nil null undefined None 0 false "" NULL nullptr')
BODIES = _kinds("block body_statement")
NO_VALUES = ("_statement", "_declaration", "_item", "comment", "return")


Answer = Callable[["Node", "Node"], str]  # what a node of the function returns instead of a value


class Grammar(msgspec.Struct, frozen=True, kw_only=True):
    """How one language's slips are found; the kinds are those of its grammar's nodes.

    `conditions` have one in a field of that name. In place of a node of `statements` stands
    `nothing`, unless what it holds is of `kept`; in place of what a node of `returns` returns
    stands what `answer` says, and in place of the last value of one of `tails` too. Nodes of
    `beside` are not looked into: types, and what is read before the program is.
    """

    conditions: frozenset[str] = _kinds("if_statement while_statement do_statement")
    choices: frozenset[str] = _kinds("ternary_expression conditional_expression")
    statements: frozenset[str] = _kinds("expression_statement")
    kept: frozenset[str] = _kinds("string")
    within: frozenset[str] = frozenset()  # statements are such below one of these; of any, if empty
    nothing: str = ";"
    returns: frozenset[str] = _kinds("return_statement")
    tails: frozenset[str] = frozenset()
    answer: Answer
    beside: frozenset[str] = frozenset()
    truths: tuple[str, str] = ("true", "false")
    compiled: bool = True


def _always(word: str) -> Answer:
    return lambda _, __: word


def _zero_of_go(value: Node, function: Node) -> str:
    """Name the zero of the type that a function returns at the place of a value."""
    result = function.child_by_field_name("result")
    if result is None:
        return ""
    if result.type != "parameter_list":
        return f"*new({_text(result)})"
    types = [
        _text(kind)
        for each in result.named_children
        if (kind := each.child_by_field_name("type")) is not None
        for _ in range(max(len(each.children_by_field_name("name")), 1))
    ]
    place = value.parent.named_children.index(value) if value.parent is not None else 0
    return f"*new({types[place]})" if place < len(types) else ""


def _zero_of_java(_: Node, function: Node) -> str:
    kind = function.child_by_field_name("type")
    zeros = {"boolean_type": "false", "integral_type": "0", "floating_point_type": "0"}
    return "" if kind is None else zeros.get(kind.type, "null")


_SCRIPT = Grammar(
    returns=_kinds("return_statement"),
    tails=_kinds("arrow_function"),
    answer=_always("undefined"),
    beside=_kinds(
        "type_annotation type_alias_declaration interface_declaration type_arguments"
        " type_parameters import_statement enum_declaration ambient_declaration"
    ),
    compiled=False,
)
_C = Grammar(answer=_always("0"), truths=("1", "0"), beside=_kinds("preproc_include preproc_def"))
GRAMMARS = {
    "javascript": _SCRIPT,
    "typescript": msgspec.structs.replace(_SCRIPT, compiled=True),
    "tsx": msgspec.structs.replace(_SCRIPT, compiled=True),
    "go": Grammar(
        statements=_kinds(
            "expression_statement assignment_statement inc_statement dec_statement send_statement"
            " defer_statement go_statement"
        ),
        nothing="",
        answer=_zero_of_go,
        beside=_kinds("import_declaration type_declaration"),
    ),
    "rust": Grammar(
        conditions=_kinds("if_expression while_expression"),
        kept=_kinds(
            "return_expression break_expression continue_expression if_expression match_expression"
            " while_expression loop_expression for_expression block unsafe_block async_block"
        ),
        nothing="();",
        returns=_kinds("return_expression"),
        tails=_kinds("function_item"),
        answer=_always("Default::default()"),
        beside=_kinds("attribute_item inner_attribute_item use_declaration array_type"),
    ),
    "java": Grammar(answer=_zero_of_java, beside=_kinds("import_declaration")),
    "c": _C,
    "cpp": msgspec.structs.replace(_C, answer=_always("{}")),
    "ruby": Grammar(
        conditions=_kinds("if unless elsif while until if_modifier unless_modifier"),
        choices=_kinds("conditional"),
        statements=_kinds("assignment operator_assignment call"),
        within=_kinds("body_statement then else do block_body"),
        nothing="nil",
        returns=_kinds("return"),
        tails=_kinds("method singleton_method"),
        answer=_always("nil"),
        compiled=False,
    ),
}


def slips(text: str, language: Language, lines: Collection[int]) -> Iterator[Mutation]:
    """Yield every slip whose change lies on these lines; all parse, and no two are the same.

    Raises ImportError if the grammar is not installed.
    """
    grammar, source, wanted = GRAMMARS[language.name], ByteText(text), frozenset(lines)
    if len(source.content) > LARGEST:
        return
    parser = parser_of(language)
    root = parser.parse(source.content).root_node
    seen = {text}
    for node in () if root.has_error else _nodes(root, grammar):
        for name, change in _changes(node, grammar):
            if not wanted.issuperset(source.lines(change)):
                continue
            slip = source.mutation(name, change)
            content = slip.text.encode("utf-8", "surrogateescape")
            if slip.text not in seen and not parser.parse(content).root_node.has_error:
                seen.add(slip.text)
                yield slip


def sayings(text: str, language: Language) -> list[tuple[str, str, ByteEdit]] | None:
    """Return what a program says as a condition or a number, with the kind of a slip, and it.

    Nothing of text that its grammar cannot read. Raises ImportError if it is not installed.
    """
    grammar = GRAMMARS[language.name]
    root = parser_of(language).parse(text.encode("utf-8", "surrogateescape")).root_node
    if root.has_error:
        return None
    nodes = list(_nodes(root, grammar))
    return [*_conditions(nodes, grammar), *_numbers(nodes)]


def _conditions(nodes: list[Node], grammar: Grammar) -> Iterator[tuple[str, str, ByteEdit]]:
    for node in nodes:
        condition = node.child_by_field_name("condition")
        if condition is None or node.type not in grammar.conditions | grammar.choices:
            continue
        for name, word in zip(("always so", "never so"), grammar.truths, strict=True):
            if name == "never so" or not LOOP.search(node.type):
                bare = f"({word})" if condition.type in BRACKETS else word
                yield _text(condition), name, _put(condition, bare)


def _numbers(nodes: list[Node]) -> Iterator[tuple[str, str, ByteEdit]]:
    for node in nodes:
        if node.type in NUMBERS and _text(node) not in FEW:
            yield from ((_text(node), "other number", each) for _, each in [*_constants(node)][:1])


def _nodes(root: Node, grammar: Grammar) -> Iterator[Node]:
    """Yield the nodes of a program in their order, without those beside it and without tests."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        wanted: list[Node] = []
        test = False
        for child in node.named_children:
            if child.type == "attribute_item":
                test |= bool(TEST.search(_text(child)))
            elif not test and child.type not in grammar.beside:
                wanted.append(child)
            test = test and child.type in ("attribute_item", "line_comment")
        todo += reversed(wanted)


def _changes(node: Node, grammar: Grammar) -> Iterator[tuple[str, ByteEdit]]:
    yield from _operators(node)
    yield from _constants(node)
    condition = node.child_by_field_name("condition")
    if condition is not None and node.type in grammar.conditions | grammar.choices:
        yield "turned condition", _put(condition, _turned(condition))
    for value in _answers(node, grammar):
        function = _around(node)
        answer = grammar.answer(value, function) if function is not None else ""
        if answer and _text(value) not in EMPTY:
            yield "no answer", _put(value, answer)
            break
    if node.type in grammar.statements and _stands_alone(node, grammar):
        yield "lost line", _put(node, grammar.nothing)


def _operators(node: Node) -> Iterator[tuple[str, ByteEdit]]:
    operator = node.child_by_field_name("operator")
    if operator is None:
        return
    word = _text(operator)
    two = node.child_by_field_name("left") is not None
    if not two and word in ("!", "not"):
        yield "turned condition", _put(operator, "")
    for name, words in OPERATORS.items():
        if word in words and (two or word in ("++", "--")):
            yield name, _put(operator, words[word])


def _constants(node: Node) -> Iterator[tuple[str, ByteEdit]]:
    if node.type not in NUMBERS | TRUTH:
        return
    text = _text(node)
    if node.type in TRUTH:
        if text in TRUTHS:
            yield "other constant", _put(node, TRUTHS[text])
        return
    found = NUMBER.fullmatch(text)
    if found:
        behind = (found["rest"] or "") + (found["kind"] or "")
        whole = int(found["whole"])
        yield from (
            ("other constant", _put(node, f"{number}{behind}"))
            for number in (whole + 1, whole - 1)
            if number >= 0
        )


def _turned(condition: Node) -> str:
    text = _text(condition)
    return f"(!{text})" if condition.type in BRACKETS else f"!({text})"


def _answers(node: Node, grammar: Grammar) -> Iterator[Node]:
    """Yield the values that a node returns."""
    if node.type in grammar.returns:
        for child in node.named_children:
            listed = child.type in ("expression_list", "argument_list")
            yield from child.named_children if listed else (child,)
    elif node.type in grammar.tails:
        body = node.child_by_field_name("body")
        if body is not None and body.type in BODIES:
            last = body.named_children[-1:]
            yield from (child for child in last if not child.type.endswith(NO_VALUES))
        elif body is not None and body.type != "statement_block":
            yield body


def _stands_alone(node: Node, grammar: Grammar) -> bool:
    """Whether a statement can be left out: it does something, and returns nothing."""
    if grammar.within:
        return node.parent is not None and node.parent.type in grammar.within
    if node.type != "expression_statement":
        return True
    held = next(iter(node.named_children), None)
    return held is not None and held.type not in grammar.kept


def _around(node: Node) -> Node | None:
    """Return the function that a node is, or stands in."""
    here: Node | None = node
    while here is not None:
        if FUNCTION.search(here.type):
            return here
        here = here.parent
    return None


def _put(node: Node, new: str) -> ByteEdit:
    return ByteEdit(node.start_byte, node.end_byte, new.encode())


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
