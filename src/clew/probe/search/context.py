"""What a place in the code has at hand: names, constants, functions, expressions."""

from __future__ import annotations

import ast
import functools
import re
from typing import Dict, Iterator, List, Optional, Set, Tuple

from .clues import Clues
from .held import Holdings
from .source import FUNCTIONS, Source, Splice

__all__ = ["Context", "SearchPlace", "expressions", "fits", "header_end", "named_by"]

ATOMS = (
    ast.Name,
    ast.Constant,
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.JoinedStr,
    ast.GeneratorExp,
)
OWN = ("self", "cls")
LOOPS = (ast.For, ast.AsyncFor, ast.While)
BINARY = {
    ast.BitOr: 6,
    ast.BitXor: 7,
    ast.BitAnd: 8,
    ast.LShift: 9,
    ast.RShift: 9,
    ast.Add: 10,
    ast.Sub: 10,
    ast.Mult: 11,
    ast.Div: 11,
    ast.FloorDiv: 11,
    ast.Mod: 11,
    ast.MatMult: 11,
    ast.Pow: 13,
}


def precedence(node: ast.AST) -> int:  # noqa: PLR0911 - a table by kind
    """Return how tightly an expression binds; 20 is an atom."""
    if isinstance(node, ast.BinOp):
        return BINARY[type(node.op)]
    if isinstance(node, ast.BoolOp):
        return 2 if isinstance(node.op, ast.Or) else 3
    if isinstance(node, ast.UnaryOp):
        return 4 if isinstance(node.op, ast.Not) else 12
    if isinstance(node, ast.Compare):
        return 5
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex)):
        return 20
    if isinstance(node, ATOMS):
        return 20
    if isinstance(node, ast.Await):
        return 14
    return 1 if isinstance(node, (ast.IfExp, ast.Lambda)) else 0


@functools.lru_cache(maxsize=20000)
def text_precedence(text: str) -> int:
    try:
        if text in ("()", "[]", "{}"):
            return 20
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return 0
    return precedence(tree)


def required(parent: Optional[ast.AST], field: str) -> int:  # noqa: PLR0911 - a table by kind
    """Return the precedence that a place demands of what is put there bare."""
    if isinstance(parent, ast.BinOp):
        level = BINARY[type(parent.op)]
        right = field == "right"
        if isinstance(parent.op, ast.Pow):
            return 12 if right else 14
        return level + 1 if right else level
    if isinstance(parent, ast.BoolOp):
        return 3 if isinstance(parent.op, ast.Or) else 4
    if isinstance(parent, ast.UnaryOp):
        return 4 if isinstance(parent.op, ast.Not) else 12
    if isinstance(parent, ast.Compare):
        return 6
    if isinstance(parent, (ast.Attribute, ast.Await)):
        return 20
    if isinstance(parent, ast.Subscript) and field == "value":
        return 20
    if isinstance(parent, ast.Call) and field == "func":
        return 20
    if isinstance(parent, (ast.IfExp, ast.Starred)):
        return 2 if field != "orelse" else 1
    if isinstance(parent, (ast.comprehension,)):
        return 2
    return 1


def fits(source: Source, node: ast.AST, text: str) -> str:
    """Return the text, in parentheses where the node's place needs them."""
    found = source.parents.get(node)
    if found is None:
        return text
    parent, field = found
    need = required(parent, field)
    if need <= 1 and text_precedence(text) >= 1:
        return text
    start, end = source.span(node)
    if (start, end) != source.outer_span(node):
        return text
    if isinstance(parent, ast.Attribute) and text.isdigit():
        return "(" + text + ")"
    return text if text_precedence(text) >= need else "(" + text + ")"


def header_end(node: ast.AST) -> int:
    """Return the last line of a statement, without the block that it may hold."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(node, ast.stmt):
        first = body[0]
        line = min([first.lineno] + [d.lineno for d in getattr(first, "decorator_list", ())])
        return max(node.lineno, int(line) - 1)
    return int(getattr(node, "end_lineno"))  # noqa: B009


def expressions(statement: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of a statement in order of the text, not those of its block."""
    stack: List[ast.AST] = list(ast.iter_child_nodes(statement))[::-1]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.stmt, ast.excepthandler)):
            continue
        if type(node).__name__ == "match_case":
            continue
        if isinstance(node, ast.expr):
            yield node
        if isinstance(node, (ast.JoinedStr,)):
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(node))))


class SearchPlace:
    """A statement that may be at fault, with the function around it."""

    def __init__(self, statement: ast.stmt, function: Optional[ast.AST], *, loop: bool) -> None:
        self.statement = statement
        self.function = function  # the outermost
        self.inner: Optional[ast.AST] = function  # the innermost
        self.loop = loop


class Facts:
    """What one outermost function (or the module's top level) holds."""

    def __init__(self, node: ast.AST) -> None:
        self.names: List[str] = []
        self.parameters: List[str] = []
        self.numbers: List[str] = []
        self.strings: List[str] = []
        self.conditions: List[ast.Compare] = []
        self.subscripted: Set[str] = set()
        self.iterated: Set[str] = set()
        self.handed_on: Set[str] = set()  # to a call, under their own names
        self.types: Dict[str, str] = {}
        self.counters: Set[str] = set()  # what begins at a number that is written there
        self.collect(node)

    def collect(self, node: ast.AST) -> None:
        names: Dict[str, None] = {}
        numbers: Dict[str, None] = {}
        strings: Dict[str, None] = {}
        said = {id(each.value) for each in ast.walk(node) if isinstance(each, ast.Expr)}
        for child in ast.walk(node):
            if isinstance(child, ast.arg):
                if child.arg not in ("self", "cls"):
                    names.setdefault(child.arg)
                    self.parameters.append(child.arg)
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                names.setdefault(child.id)
            elif isinstance(child, ast.Constant):
                if isinstance(child.value, bool) or child.value is None:
                    continue
                if isinstance(child.value, (int, float)):
                    numbers.setdefault(repr(child.value))
                elif id(child) in said:
                    continue
                elif isinstance(child.value, str) and len(child.value) < 40:
                    strings.setdefault(repr(child.value))
            elif isinstance(child, (ast.Compare,)):
                self.conditions.append(child)
            if isinstance(child, ast.keyword) and isinstance(child.value, ast.Name):
                self.handed_on.update({child.value.id} & {child.arg})
            if isinstance(child, ast.Assign) and len(child.targets) == 1:
                self.guess(child.targets[0], child.value)
            if isinstance(child, ast.Subscript) and isinstance(child.value, ast.Name):
                self.subscripted.add(child.value.id)
            if isinstance(child, (ast.For, ast.comprehension)) and isinstance(child.iter, ast.Name):
                self.iterated.add(child.iter.id)
        self.names = list(names)
        self.numbers = list(numbers)
        self.strings = list(strings)
        docstring = documentation(node)
        for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", docstring)[:30]:
            if number not in numbers and (len(number) < 8):
                self.numbers.append(number.lstrip("0") or "0")
        self.marks = list(dict.fromkeys(re.findall(r"[^\w\s\"']", docstring)))[:12]
        self.documented = re.findall(r"[A-Za-z_][\w-]{2,}", docstring)
        read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        self.unused = frozenset(self.parameters) - read

    def guess(self, target: ast.AST, value: ast.AST) -> None:
        if not isinstance(target, ast.Name):
            return
        kind = ""
        if isinstance(value, (ast.List, ast.ListComp)):
            kind = "list"
        elif isinstance(value, (ast.Set, ast.SetComp)):
            kind = "set"
        elif isinstance(value, (ast.Dict, ast.DictComp)):
            kind = "dict"
        elif isinstance(value, ast.JoinedStr):
            kind = "str"
        elif isinstance(value, ast.Constant) and value.value is not None:
            kind = type(value.value).__name__
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            kind = {"len": "int", "int": "int", "sum": "int", "float": "float"}.get(
                value.func.id,
                value.func.id if value.func.id in ("str", "set", "list", "dict") else "",
            )
        if kind:
            self.types.setdefault(target.id, kind)
        if isinstance(value, ast.Constant) and kind in ("int", "float"):
            self.counters.add(target.id)


def documentation(node: ast.AST) -> str:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
        return ast.get_docstring(node, clean=False) or ""
    return ""


class Context:
    """All that operators ask about one file. Computed once, cached by function."""

    def __init__(self, source: Source, clues: Optional[Clues] = None) -> None:
        self.source = source
        self.clues = clues or Clues()
        self.facts: Dict[Optional[ast.AST], Facts] = {}
        self.alone: Dict[ast.AST, Optional[Tuple[int, int]]] = {}  # statements' own whole lines
        self.hidden: Dict[ast.AST, Set[str]] = {}
        self.functions: Dict[str, Tuple[int, int]] = {}  # name -> least and most arguments
        self.parameters: Dict[str, List[str]] = {}  # of functions, methods and classes, by name
        self.flags: Dict[str, Dict[str, bool]] = {}  # the defaults of those that are yes or no
        self.methods: Dict[str, List[str]] = {}
        self.globals: List[str] = []
        self.attributes: List[str] = []
        self.own: Set[str] = set()  # the attributes and methods that objects have of themselves
        self.called: List[str] = []
        self.modules: Dict[str, None] = {}
        self.known: Optional[Holdings] = None
        self.scan()

    @property
    def held(self) -> Holdings:
        """What attributes hold, found out when it is first asked."""
        if self.known is None:
            self.known = Holdings(self.source.tree)
        return self.known

    def scan(self) -> None:
        names: Dict[str, None] = {}
        attributes: Dict[str, None] = {}
        called: Dict[str, None] = {}
        for node in self.source.tree.body:
            if isinstance(node, FUNCTIONS):
                self.functions[node.name] = arity(node)
            for target in getattr(node, "targets", ()) or ():
                for child in ast.walk(target):
                    if isinstance(child, ast.Name):
                        names.setdefault(child.id)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.setdefault(node.target.id)
        for child in ast.walk(self.source.tree):
            if isinstance(child, ast.Attribute):
                attributes.setdefault(child.attr)
                if isinstance(child.value, ast.Name) and child.value.id in OWN:
                    self.own.add(child.attr)
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Name):
                called.setdefault(child.func.id)
            elif isinstance(child, (ast.Import, ast.ImportFrom)):
                for alias in child.names:
                    self.modules.setdefault((alias.asname or alias.name).split(".")[0])
            elif isinstance(child, FUNCTIONS):
                self.parameters.setdefault(child.name, []).extend(parameters(child))
                self.flags.setdefault(child.name, {}).update(flags(child))
            elif isinstance(child, ast.ClassDef):
                self.methods[child.name] = [n.name for n in child.body if isinstance(n, FUNCTIONS)]
                self.own.update(name for made in child.body for name in named_by(made))
                for made in child.body:
                    if isinstance(made, FUNCTIONS) and made.name == "__init__":
                        self.parameters.setdefault(child.name, []).extend(parameters(made))
                        self.flags.setdefault(child.name, {}).update(flags(made))
        self.globals = list(names)
        self.attributes = list(attributes)
        self.called = list(called)

    def of(self, function: Optional[ast.AST]) -> Facts:
        if function not in self.facts:
            self.facts[function] = Facts(function if function is not None else self.source.tree)
        return self.facts[function]

    def place(self, statement: ast.stmt) -> SearchPlace:
        function: Optional[ast.AST] = None
        inner: Optional[ast.AST] = None
        loop = False
        node = self.source.parent(statement)
        while node is not None:
            if isinstance(node, FUNCTIONS):
                inner = inner or node
                function = node
            elif isinstance(node, LOOPS) and inner is None:
                loop = True
            node = self.source.parent(node)
        place = SearchPlace(statement, function, loop=loop)
        place.inner = inner
        return place

    def visible(self, place: SearchPlace, node: ast.AST) -> List[str]:
        """Return the variables that may stand at a node, the most likely first."""
        facts = self.of(place.function)
        here = self.of(place.inner).names if place.inner not in (None, place.function) else []
        bound: List[str] = []
        hidden: Set[str] = set()
        parent = self.source.parent(node)
        inside: Set[ast.AST] = set()
        while parent is not None and not isinstance(parent, ast.stmt):
            inside.add(parent)
            for generator in getattr(parent, "generators", ()):
                bound.extend(n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name))
            if isinstance(parent, ast.Lambda):
                bound.extend(a.arg for a in parent.args.args)
            parent = self.source.parent(parent)
        if place.function is not None:
            if place.function not in self.hidden:
                self.hidden[place.function] = comprehension_names(place.function)
            hidden = self.hidden[place.function]
        ordered = bound + here + [n for n in facts.names if n not in hidden]
        if place.function is None:
            ordered = bound + self.globals
        return list(dict.fromkeys(ordered))

    def replace(self, node: ast.AST, text: str) -> Tuple[Splice, ...]:
        """Put text in the place of an expression, with parentheses as needed."""
        new = fits(self.source, node, text)
        start, end = self.source.span(node)
        outer = self.source.outer_span(node)
        if outer != (start, end) and text_precedence(text) >= 20 and not self.is_tuple(node):
            start, end = outer
            if start > 0 and self.source.text[start - 1].isalnum():
                new = " " + new
        return (Splice(start, end, new),)

    @staticmethod
    def is_tuple(node: ast.AST) -> bool:
        return isinstance(node, (ast.GeneratorExp,))


def named_by(statement: ast.stmt) -> List[str]:
    """Return the names that a statement of a class gives to its objects."""
    if isinstance(statement, FUNCTIONS):
        return [statement.name]
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def comprehension_names(function: ast.AST) -> Set[str]:
    """Return names that only comprehensions and lambdas bind: they are no variables outside."""
    inner: Set[str] = set()
    outer: Set[str] = set()
    stack: List[Tuple[ast.AST, bool]] = [(function, False)]
    while stack:
        node, within = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            (inner if within else outer).add(node.id)
        elif isinstance(node, ast.arg):
            (inner if within else outer).add(node.arg)
        deeper = within or isinstance(
            node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
        )
        stack.extend((child, deeper) for child in ast.iter_child_nodes(node))
    return inner - outer


def parameters(function: ast.AST) -> List[str]:
    """Return the names that may be given by keyword."""
    given: ast.arguments = getattr(function, "args")  # noqa: B009 - a function
    return [each.arg for each in [*given.args, *given.kwonlyargs] if each.arg not in OWN]


def flags(function: ast.AST) -> Dict[str, bool]:
    """Return the parameters whose defaults are yes or no."""
    return {name: value for name, value in defaults(function) if isinstance(value, bool)}


def optional(function: ast.AST) -> List[str]:
    """Return the parameters whose default is None."""
    return [name for name, value in defaults(function) if value is None]


def defaults(function: ast.AST) -> Iterator[Tuple[str, object]]:
    """Yield the parameters whose defaults are constants, with these."""
    given: ast.arguments = getattr(function, "args")  # noqa: B009 - a function
    plain = [*given.posonlyargs, *given.args]
    pairs = [*zip(plain[::-1], given.defaults[::-1]), *zip(given.kwonlyargs, given.kw_defaults)]
    for each, default in pairs:
        if isinstance(default, ast.Constant):
            yield each.arg, default.value


def arity(node: ast.AST) -> Tuple[int, int]:
    """Return the least and the most positional arguments of a function."""
    arguments = getattr(node, "args")  # noqa: B009 - a function, async or not
    count = len(arguments.posonlyargs) + len(arguments.args)
    most = 99 if arguments.vararg else count
    return count - len(arguments.defaults), most
