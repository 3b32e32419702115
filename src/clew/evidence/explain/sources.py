"""What the project's text says: modules, definitions, the code around a line."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from clew.analysis.testfiles import is_test_path
from clew.words.facts import Frame, Suspect, TestRun
from clew.words.python_source import parsed

__all__ = [
    "ROOTS",
    "Definition",
    "defined_in",
    "definitions",
    "enclosing",
    "entered",
    "line_of",
    "modules_of",
    "named",
    "places_in",
    "related",
    "window",
]

AROUND = 2
ROOTS = ("src/", "lib/", "python/")
DATA = (".sql", ".json", ".csv", ".toml", ".yaml", ".yml", ".ini", ".txt", ".md", ".rst")
MOST, LARGE, SMALL = 2_000_000, 200_000, 50_000  # characters: of all, of one test, of one of data
PLACE = re.compile(r'File "([^"\n]+)", line (\d+)|(?<![\w./-])((?:/|\./)?[\w.@+/-]+\.\w+):(\d+)')


class Definition(NamedTuple):
    """A function, class or name that a file defines."""

    path: str
    line: int
    name: str
    head: str  # as `def total(items, rate)`


def modules_of(paths: Iterable[str]) -> frozenset[str]:
    """Return the dotted names of the modules that stand at these paths, packages included."""
    found = set()
    for path in paths:
        if not path.endswith(".py"):
            continue
        for root in ("", *ROOTS):
            if not path.startswith(root):
                continue
            parts = path.removeprefix(root).removesuffix(".py").split("/")
            if parts[-1] == "__init__":
                parts = parts[:-1]
            found |= {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return frozenset(found)


def related(
    run: TestRun,
    suspects: Iterable[Suspect],
    files: Iterable[str],
    read: Callable[[str], str | None],
) -> dict[str, str]:
    """Return the texts that a failure can be told from, by path, in all at most `MOST` characters.

    Those that tracebacks, suspects and output name come first, then the tests, what the named ones
    import, the data beside them, and the documentation. `files` are the project's, `read` gives the
    text of one, or None.
    """
    known = dict.fromkeys(files)
    named = [path for path in _named_by(run, suspects, known) if path in known]
    found: dict[str, str] = {}

    def take(paths: Iterable[str], each: int) -> None:
        for path in paths:
            text = None if path in found else read(path)
            if text is not None and len(text) <= each and sum(map(len, found.values())) < MOST:
                found[path] = text

    take(named, MOST)
    at = {module: path for path in known for module in modules_of((path,))}
    take(
        (at[name] for path in named for name in _imported(found.get(path, "")) if name in at), MOST
    )
    take((path for path in known if is_test_path(path, run.named) and path.endswith(".py")), LARGE)
    homes = {path.partition("/")[0] for path in found}
    data = [path for path in known if path.endswith(DATA)]
    take((p for p in data if p.partition("/")[0] in homes), SMALL)
    take((p for p in data if "/" not in p), SMALL)
    return found


def _named_by(
    run: TestRun, suspects: Iterable[Suspect], known: Mapping[str, object]
) -> Iterator[str]:
    for result in run.red:
        frames = result.crash.frames if result.crash else ()
        yield from (frame.path for frame in reversed(frames) if frame.project)
        yield result.home
    yield from (suspect.path for suspect in suspects)
    for result in run.red:
        said = f"{result.crash.message}\n{result.output}" if result.crash else result.output
        yield from (path for path in known if path in said)


def places_in(text: str, known: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the places in files of the project that a text names, in its order."""
    names = tuple(known)
    for match in PLACE.finditer(text):
        path, line = (match[1], match[2]) if match[1] else (match[3], match[4])
        own = next((n for n in names if path == n or path.endswith(f"/{n}")), None)
        if own is not None:
            yield own, int(line)


def _imported(text: str) -> Iterator[str]:
    """Yield the modules that a text imports by absolute name."""
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def line_of(sources: Mapping[str, str], path: str, line: int | None) -> str:
    """Return one line of a file, stripped; empty where it is not known."""
    lines = sources.get(path, "").splitlines()
    return lines[line - 1].strip() if line and 1 <= line <= len(lines) else ""


def window(sources: Mapping[str, str], path: str, line: int | None) -> str:
    """Return the numbered lines around a line, which is marked; empty where it is not known."""
    lines = sources.get(path, "").splitlines()
    if not line or not 1 <= line <= len(lines):
        return ""
    first, last = max(1, line - AROUND), min(len(lines), line + AROUND)
    width = len(str(last))
    return "\n".join(
        f"{'>' if n == line else ' '} {n:>{width}}  {lines[n - 1]}".rstrip()
        for n in range(first, last + 1)
    )


def definitions(sources: Mapping[str, str], name: str) -> Iterator[Definition]:
    """Yield each function and class of that bare name."""
    for path in sorted(sources):
        for node in ast.walk(parsed(sources[path])):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                yield Definition(path, node.lineno, name, f"def {name}({ast.unparse(node.args)})")
            elif isinstance(node, ast.ClassDef) and node.name == name:
                yield Definition(path, node.lineno, name, f"class {name}")


def enclosing(text: str, line: int | None) -> str:
    """Return the qualified name of the innermost function around a line; empty outside of one."""
    return _enclosing(parsed(text), line, ()) if line else ""


def _enclosing(tree: ast.AST, line: int, names: tuple[str, ...]) -> str:
    for node in ast.iter_child_nodes(tree):
        last = getattr(node, "end_lineno", None)
        if last is None or not getattr(node, "lineno", line + 1) <= line <= last:
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = (*names, node.name)
            return _enclosing(node, line, inner) or ".".join(inner)
        return _enclosing(
            node, line, (*names, node.name) if isinstance(node, ast.ClassDef) else names
        )
    return ""


def functions(text: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions of a module and of its classes, by their qualified names."""
    found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    waiting: list[tuple[str, ast.AST]] = [("", parsed(text))]
    while waiting:
        above, node = waiting.pop()
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{above}{each.name}"] = each
            elif isinstance(each, ast.ClassDef):
                waiting.append((f"{above}{each.name}.", each))
    return found


def entered(text: str, line: int | None) -> int | None:
    """Return the first line of a function's body for a line of its head; other lines as they are.

    A head with defaults is left as it is: what they give may be at fault.
    """
    for node in ast.walk(parsed(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or line is None:
            continue
        docstring = ast.get_docstring(node, clean=False) is not None
        first = node.body[1 if docstring and len(node.body) > 1 else 0].lineno
        bare = not (node.args.defaults or any(node.args.kw_defaults))
        if bare and node.lineno <= line < node.body[0].lineno:
            return first
    return line


def defined_in(text: str) -> frozenset[str]:
    """Return the names that a module defines or imports at its top level."""
    found: set[str] = set()
    for node in parsed(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        else:
            found |= {
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return frozenset(found)


def named(frame: Frame) -> dict[str, str]:
    """Return the frame's values, those that its line names first."""
    words = re.findall(r"[A-Za-z_]\w*", frame.code)
    order = sorted(
        frame.values, key=lambda name: (words.index(name) if name in words else len(words), name)
    )
    return {name: frame.values[name] for name in order}
