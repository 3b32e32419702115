"""Imports that are missing, misspelt, or look in the wrong module."""

from __future__ import annotations

import ast
import importlib.util
import sys
from typing import Dict, List, Optional, Tuple

from ..crashes import SearchCrash
from ..files import ProjectSources, bound, close
from ..source import FUNCTIONS, Patch, Source, Splice, insertion
from .names import at_line

FAMILY = "import fixer"

# Where names that programs use most come from.
PROVIDED = {
    "abc": "ABC abstractmethod",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "contextlib": "ExitStack closing contextmanager suppress",
    "copy": "copy deepcopy",
    "dataclasses": "asdict dataclass field replace",
    "datetime": "date datetime timedelta timezone",
    "decimal": "Decimal ROUND_HALF_UP",
    "enum": "Enum Flag IntEnum auto",
    "fractions": "Fraction",
    "functools": "cache cached_property lru_cache partial reduce singledispatch total_ordering "
    "wraps",
    "heapq": "heapify heappop heappush",
    "io": "BytesIO StringIO",
    "itertools": "accumulate chain combinations count cycle dropwhile groupby islice permutations "
    "product repeat starmap takewhile zip_longest",
    "math": "ceil floor gcd inf isclose log pi sqrt",
    "operator": "attrgetter itemgetter",
    "pathlib": "Path PurePath PurePosixPath",
    "statistics": "mean median stdev",
    "textwrap": "dedent",
    "threading": "Event Lock Thread",
    "typing": "Any Callable ClassVar Dict Generic Iterable Iterator List Literal Mapping "
    "NamedTuple Optional Protocol Sequence Set TYPE_CHECKING Tuple TypeVar Union cast overload",
    "urllib.parse": "quote urlencode urljoin urlparse",
    "uuid": "UUID uuid4",
}
HOMES = {name: module for module, names in PROVIDED.items() for name in names.split()}


def standard_modules() -> List[str]:
    names = getattr(sys, "stdlib_module_names", None)
    return sorted(names if names is not None else [*sys.builtin_module_names, *sys.modules])


def module_exists(name: str) -> bool:
    if name in standard_modules():
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def undefined(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Import an undefined name from a module that provides it."""
    found: List[Patch] = []
    name = crash.missing
    for source, line in list(project.frames(crash.frames))[:1]:
        for weight, text in providers(name, source, project):
            words = "add `{}`".format(text)
            change = insertion(source, text)
            found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
    return found


def providers(name: str, source: Source, project: ProjectSources) -> List[Tuple[float, str]]:
    texts: Dict[str, float] = {}
    for path in project.files():
        other = project.source(path)
        if other is None or path == source.path:
            continue
        for node in other.tree.body:
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        tail = " as " + alias.asname if alias.asname else ""
                        text = "from {} import {}{}".format(node.module, alias.name, tail)
                        texts[text] = max(texts.get(text, 0), 2.1)
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        tail = " as " + alias.asname if alias.asname else ""
                        texts["import {}{}".format(alias.name, tail)] = 2.1
    for module, path in project.modules().items():
        if path != source.path and name in project.definitions(path):
            texts.setdefault(form(module, name, source), 2.2)
        if module.rsplit(".", 1)[-1] == name and "." in module:
            texts.setdefault(form(module.rsplit(".", 1)[0], name, source), 1.9)
        elif module == name:
            texts.setdefault("import " + name, 1.9)
    if name in HOMES:
        texts.setdefault("from {} import {}".format(HOMES[name], name), 2.15)
    if name in standard_modules():
        texts.setdefault("import " + name, 2.2)
    return [(weight, text) for text, weight in texts.items()]


def form(module: str, name: str, source: Source) -> str:
    """Write an import as the file does: relative where its neighbours are."""
    relative = any(isinstance(n, ast.ImportFrom) and n.level == 1 for n in source.tree.body)
    folder = source.path.rsplit("/", 1)[0].replace("/", ".") if "/" in source.path else ""
    if relative and "." in module and folder.endswith(module.rsplit(".", 1)[0]):
        return "from .{} import {}".format(module.rsplit(".", 1)[1], name)
    return "from {} import {}".format(module, name)


def import_nodes(source: Source, line: int) -> List[ast.AST]:
    return [
        n for n in ast.walk(source.tree)
        if isinstance(n, (ast.Import, ast.ImportFrom)) and n.lineno <= line <= (n.end_lineno or 0)
    ]  # fmt: skip


def alias_span(source: Source, node: ast.AST, name: str) -> Optional[Tuple[int, int]]:
    """Return where an imported name stands in its statement."""
    start, end = source.span(node)
    tokens = source.between(start, end)
    seen = isinstance(node, ast.Import)
    for token in tokens:
        if seen and token.text == name:
            return token.start, token.end
        if token.text == "import":
            seen = True
    return None


def module_span(source: Source, node: ast.ImportFrom) -> Tuple[int, int]:
    """Return where the module stands in `from … import`, dots included."""
    start = source.span(node)[0]
    tokens = source.between(start, source.span(node)[1])
    end = next(t.start for t in tokens if t.text == "import")
    text = source.text[start + 4 : end]
    lead = len(text) - len(text.lstrip())
    return start + 4 + lead, start + 4 + len(text.rstrip())


def missing_name(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Mend `cannot import name`: a close name, another module that has it, or a slip there."""
    found: List[Patch] = []
    name = crash.missing
    if not name:
        return found
    for source, line in list(project.frames(crash.frames))[:2]:
        for node in import_nodes(source, line):
            if not isinstance(node, ast.ImportFrom) or name not in [a.name for a in node.names]:
                continue
            span = alias_span(source, node, name)
            alias = next(a for a in node.names if a.name == name)
            known = list(crash.names)
            path = project.modules().get(crash.target)
            known += project.definitions(path) if path else []
            for rank, other in enumerate(close(name, known)):
                words = "import `{}` instead of `{}`".format(other, name)
                weight = 2.0 - 0.05 * rank
                if span is not None:
                    change = Splice(*span, other + ("" if alias.asname else " as " + name))
                    uses = [
                        Splice(*source.span(n), other)
                        for n in ast.walk(source.tree)
                        if isinstance(n, ast.Name) and n.id == name
                    ]
                    plain = (Splice(*span, other), *([] if alias.asname else uses))
                    found.append(
                        Patch(source.path, line, FAMILY, weight, words, tuple(sorted(plain)))
                    )
                    if not alias.asname:
                        words += " as `{}`".format(name)
                        found.append(
                            Patch(source.path, line, FAMILY, weight - 0.02, words, (change,))
                        )
            found += elsewhere(source, node, line, name, crash, project)
            if "circular" in crash.message or "partially initialized" in crash.message:
                found += later(source, node, line)
    found += slipped_definition(crash, project)
    return found


def elsewhere(  # noqa: PLR0917 - one place of an import
    source: Source,
    node: ast.ImportFrom,
    line: int,
    name: str,
    crash: SearchCrash,
    project: ProjectSources,
) -> List[Patch]:
    """Import the name from the module that defines it."""
    found: List[Patch] = []
    alias = next(a for a in node.names if a.name == name)
    tail = " as " + alias.asname if alias.asname else ""
    modules = [
        m for m, path in project.modules().items()
        if m != crash.target and path != source.path and name in project.definitions(path)
    ]  # fmt: skip
    if name in HOMES:
        modules.append(HOMES[name])
    for module in modules:
        text = form(module, name, source) + tail
        words = "import `{}` from `{}`".format(name, module)
        if len(node.names) == 1:
            changes: Tuple[Splice, ...] = (Splice(*source.span(node), text),)
        else:
            start, end = source.span(node)
            rest = ", ".join(
                a.name + (" as " + a.asname if a.asname else "")
                for a in node.names if a is not alias
            )  # fmt: skip
            module_text = source.text[slice(*module_span(source, node))]
            space = source.indent_of(start)
            whole = "from {} import {}\n{}{}".format(module_text, rest, space, text)
            changes = (Splice(start, end, whole),)
        found.append(Patch(source.path, line, FAMILY, 2.1, words, changes))
    return found


def later(source: Source, node: ast.ImportFrom, line: int) -> List[Patch]:
    """Break a circle: import inside the functions that need the names."""
    names = {a.asname or a.name for a in node.names}
    text = source.segment(node)
    changes: List[Splice] = []
    for unit in source.units:
        used = {n.id for n in ast.walk(unit.node) if isinstance(n, ast.Name)}
        if used & names:
            body = getattr(unit.node, "body")  # noqa: B009 - a function
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and len(body) > 1
            ):
                first = body[1]
            start = source.start_of(first)
            changes.append(Splice(start, start, text + "\n" + source.indent_of(start)))
    if not changes or "\n" in text:
        return []
    start = source.span(node)[0]
    line_end = source.starts[source.line_of(start)]
    changes.append(Splice(start, line_end, ""))
    words = "import inside the functions that need it: `{}`".format(text)
    return [Patch(source.path, line, FAMILY, 1.9, words, tuple(sorted(changes)))]


def slipped_definition(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Rename a definition that carries the slip."""
    path = project.modules().get(crash.target)
    source = project.source(path) if path else None
    if source is None or path is None:
        return []
    found: List[Patch] = []
    name = crash.missing
    definitions = dict(bound(source.tree))
    for rank, other in enumerate(close(name, list(definitions), 3)):
        changes = [
            Splice(*source.span(n), name)
            for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == other
        ]  # fmt: skip
        node = definitions[other]
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            for token in source.between(*source.span(node)):
                if token.text == other:
                    changes.append(Splice(token.start, token.end, name))
                    break
        words = "rename `{}` to `{}`".format(other, name)
        line = getattr(node, "lineno", 1)
        found.append(
            Patch(path, line, FAMILY, 1.8 - 0.1 * rank, words, tuple(sorted(set(changes))))
        )
    return found


def missing_module(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Mend `No module named` by a close name of the project or the standard library."""
    found: List[Patch] = []
    missing = crash.target
    modules = project.modules()
    for source, line in list(project.frames(crash.frames))[:2]:
        package = source.path.rsplit("/", 1)[0] if "/" in source.path else ""
        siblings = [
            path.rsplit("/", 1)[-1][:-3] for path in project.files()
            if (path.rsplit("/", 1)[0] if "/" in path else "") == package
        ]  # fmt: skip
        for node in import_nodes(source, line):
            if isinstance(node, ast.ImportFrom):
                span = module_span(source, node)
                texts = from_options(node, missing, modules, siblings)
                for weight, text in texts:
                    words = "import from `{}`".format(text)
                    found.append(
                        Patch(source.path, line, FAMILY, weight, words, (Splice(*span, text),))
                    )
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith(missing.split(".")[0]):
                        found += plain_options(source, node, alias.name, line, modules, siblings)
    return found


def from_options(
    node: ast.ImportFrom, missing: str, modules: Dict[str, str], siblings: List[str]
) -> List[Tuple[float, str]]:
    module = node.module or ""
    options: Dict[str, float] = {}
    if node.level:
        for rank, other in enumerate(close(module, siblings)):
            options.setdefault("." * node.level + other, 2.0 - 0.05 * rank)
        for level in (1, 2, 3):
            if level != node.level:
                options.setdefault("." * level + module, 1.6)
    else:
        if module in siblings:
            options["." + module] = 2.1
        for rank, other in enumerate(close(module, [*modules, *standard_modules()])):
            options.setdefault(other, 2.0 - 0.05 * rank)
        last = module.rsplit(".", 1)[-1]
        for other in modules:
            if other.rsplit(".", 1)[-1] == last and other != module:
                options.setdefault(other, 1.9)
    for alias in node.names:
        if alias.name in HOMES and not node.level:
            options.setdefault(HOMES[alias.name], 2.0)
    del missing
    return [(weight, text) for text, weight in options.items()]


def plain_options(  # noqa: PLR0917 - one place of an import
    source: Source,
    node: ast.AST,
    name: str,
    line: int,
    modules: Dict[str, str],
    siblings: List[str],
) -> List[Patch]:
    found: List[Patch] = []
    start, end = source.span(node)
    text = source.text[start:end]
    if name in siblings and len(getattr(node, "names", ())) == 1:
        words = "import `{}` from its own package".format(name)
        change = Splice(start, end, "from . import " + name)
        found.append(Patch(source.path, line, FAMILY, 2.0, words, (change,)))
    for rank, other in enumerate(close(name, [*modules, *standard_modules()])):
        position = text.find(name)
        if position < 0:
            continue
        words = "import `{}` instead of `{}`".format(other, name)
        first = Splice(start + position, start + position + len(name), other)
        uses = [
            Splice(*source.span(n), other)
            for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == name
        ]  # fmt: skip
        changes = (first, *([] if " as " in text else uses))
        found.append(
            Patch(source.path, line, FAMILY, 2.0 - 0.05 * rank, words, tuple(sorted(changes)))
        )
        if uses and " as " not in text:
            named = first._replace(text="{} as {}".format(other, name))
            words += " as `{}`".format(name)
            found.append(Patch(source.path, line, FAMILY, 1.9 - 0.05 * rank, words, (named,)))
    return found


del at_line
