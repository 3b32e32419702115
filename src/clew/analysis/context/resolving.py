"""Which files of a repository an import means, told from their paths and outlines.

python      absolute and relative imports; packages, `src` layouts, files beside the importing one;
            a name that a package passes on leads to the file that defines it; a test uses its
            conftests
javascript  relative paths, with or without suffix, and a folder's index (also typescript, tsx)
go          packages of the modules that a go.mod names; the other files of the same package
rust        mod, crate, self and super
java        full names, and names of the same package
c, c++      relative paths, the end of a path; a header leads to the source beside it
ruby        require_relative, and require below a folder `lib`

What leads out of the repository, or depends on settings of a build, leads nowhere.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from clew.analysis.context.outlines import Import, Outline

__all__ = ["Index", "targets"]

Outlines = Callable[[str], Outline | None]

LAYOUTS = ("", "src/", "lib/", "python/")
PYTHON = (".py", ".pyi")
SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
SOURCES = (".c", ".cc", ".cpp", ".cxx")
DEEPEST = 6  # times that a name is passed on


class Index:
    """The paths of a repository, by what imports call them."""

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> None:
        """Take all paths, and the texts of the files named go.mod."""
        self.paths = frozenset(paths)
        self.modules: dict[str, str] = {}
        self.named: defaultdict[str, list[str]] = defaultdict(list)
        self.folders: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.paths, key=lambda path: (path.count("/"), path)):
            folder, _, name = path.rpartition("/")
            self.named[name].append(path)
            self.folders[folder].append(path)
        for folder in self.folders:
            if self._is_package(folder):
                self._name_modules(folder, self._root(folder))
        for folder in self.folders:
            for layout in LAYOUTS:
                if f"{folder}/".startswith(layout):
                    self._name_modules(folder, layout)
        self.go = {
            line.split()[1].strip('"'): posixpath.dirname(path)
            for path, text in (manifests or {}).items()
            for line in text.splitlines()
            if line.startswith("module ") and len(line.split()) > 1
        }

    def _is_package(self, folder: str) -> bool:
        return f"{folder}/__init__.py" in self.paths

    def _root(self, folder: str) -> str:
        """Find where the outermost package lies that a folder belongs to."""
        while folder and self._is_package(folder):
            folder = folder.rpartition("/")[0]
        return f"{folder}/" if folder else ""

    def _name_modules(self, folder: str, root: str) -> None:
        package = f"{folder}/"[len(root) :].strip("/").replace("/", ".")
        for path in self.folders[folder]:
            stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
            if f"{dot}{suffix}" in PYTHON:
                name = package if stem == "__init__" else f"{package}.{stem}".lstrip(".")
                if name:
                    self.modules.setdefault(name, path)


def targets(path: str, index: Index, outlines: Outlines) -> frozenset[str]:
    """Return the files that a file uses directly, itself left out."""
    outline = outlines(path)
    if outline is None:
        return frozenset()
    found: set[str] = set()
    resolve = RESOLVERS[outline.language]
    for each in outline.imports:
        found.update(resolve(path, each, index, outlines))
    found.update(_neighbours(path, outline, index))
    return frozenset(found & index.paths) - {path}


def _neighbours(path: str, outline: Outline, index: Index) -> Iterator[str]:
    """Yield what is used without an import."""
    folder, name = posixpath.split(path)
    if outline.language == "python" and name.startswith("test"):
        while True:
            yield posixpath.join(folder, "conftest.py")
            if not folder:
                break
            folder = posixpath.dirname(folder)
    elif outline.language == "go":
        own = [p for p in index.folders[folder] if p.endswith(".go")]
        yield from (p for p in own if not p.endswith("_test.go"))
    elif outline.language in ("c", "cpp") and name.endswith((".h", ".hh", ".hpp", ".hxx")):
        yield from (f"{path.rpartition('.')[0]}{suffix}" for suffix in SOURCES)


def _python(path: str, each: Import, index: Index, outlines: Outlines) -> Iterator[str]:
    module = _module(path, each.module, index)
    if module is None:
        return
    yield from _of_module(module, each.names, index, outlines, DEEPEST)


def _module(path: str, written: str, index: Index) -> str | None:
    """Find what a module's name stands for: a path less its suffix, or a package's folder."""
    name = written.lstrip(".")
    level = len(written) - len(name)
    folder = posixpath.dirname(path)
    inner = name.replace(".", "/")
    if level:
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        return posixpath.join(folder, inner) if inner else folder
    alone = f"{folder}/__init__.py" not in index.paths  # a script: what lies beside comes first
    while name:
        beside = posixpath.join(folder, name.replace(".", "/"))
        if alone and _file(beside, index) is not None:
            return beside
        found = index.modules.get(name)
        if found is not None:
            return found.rpartition(".")[0].removesuffix("/__init__")
        name = name.rpartition(".")[0]
    return _namespace(inner, index)


def _namespace(inner: str, index: Index) -> str | None:
    """Find a package without `__init__.py`."""
    for layout in LAYOUTS:
        if index.folders.get(f"{layout}{inner}"):
            return f"{layout}{inner}"
    return None


def _file(module: str, index: Index) -> str | None:
    for suffix in (".py", "/__init__.py", ".pyi", "/__init__.pyi"):
        if f"{module}{suffix}" in index.paths:
            return f"{module}{suffix}"
    return None


def _of_module(
    module: str, names: tuple[str, ...], index: Index, outlines: Outlines, depth: int
) -> Iterator[str]:
    own = _file(module, index)
    if own is not None:
        yield own
    for name in names:
        inner = _file(f"{module}/{name}", index)
        if inner is not None:
            yield inner
        elif own is not None and depth and name != "*":
            yield from _passed_on(own, name, index, outlines, depth)


def _passed_on(path: str, name: str, index: Index, outlines: Outlines, depth: int) -> Iterator[str]:
    """Reaction a name that a module only passes on to where it comes from."""
    outline = outlines(path)
    if outline is None or name in outline.defines:
        return
    for each in outline.imports:
        if name not in each.names and "*" not in each.names:
            continue
        module = _module(path, each.module, index)
        source = _file(module, index) if module is not None else None
        if module is None or source == path:
            continue
        if name in each.names:
            yield from _of_module(module, (name,), index, outlines, depth - 1)
        elif source is not None:
            beyond = outlines(source)
            if beyond is not None and name in beyond.defines:
                yield source
            elif depth > 1:
                yield from _passed_on(source, name, index, outlines, depth - 1)


def _script(path: str, each: Import, index: Index, _: Outlines) -> Iterator[str]:
    if not each.module.startswith("."):
        return
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), each.module))
    bare, dot, suffix = place.rpartition(".")
    places = [place, *(place + suffix for suffix in SCRIPTS)]
    if dot and f".{suffix}" in SCRIPTS:
        places += [bare + other for other in SCRIPTS]
    places += [f"{place}/index{suffix}" for suffix in SCRIPTS]
    found = next((p for p in places if p in index.paths), None)
    if found is not None:
        yield found


def _go(_path: str, each: Import, index: Index, _: Outlines) -> Iterator[str]:
    for module, root in index.go.items():
        if each.module == module or each.module.startswith(f"{module}/"):
            inner = posixpath.join(root, each.module[len(module) :].strip("/")).strip("/")
            for path in index.folders.get(inner, ()):
                if path.endswith(".go") and not path.endswith("_test.go"):
                    yield path


def _rust(path: str, each: Import, index: Index, _: Outlines) -> Iterator[str]:
    folder, name = posixpath.split(path)
    own = folder if name in ("mod.rs", "lib.rs", "main.rs") else path.removesuffix(".rs")
    if each.module.startswith("mod "):
        yield from _rust_file(posixpath.join(own, each.module[4:]))
        return
    parts = each.module.split("::")
    if parts[0] == "self":
        base = own
    elif parts[0] == "super":
        base = own
        while parts[:1] == ["super"]:
            base, parts = posixpath.dirname(base), parts[1:]
        parts = ["super", *parts]
    else:
        base = _crate(folder, index)
    for end in range(len(parts), 1, -1):
        place = posixpath.join(base, *parts[1:end])
        found = [p for p in _rust_file(place) if p in index.paths]
        if found:
            yield from found
            return


def _rust_file(place: str) -> tuple[str, str]:
    return f"{place}.rs", f"{place}/mod.rs"


def _crate(folder: str, index: Index) -> str:
    """Find the folder of the crate's root; beside it for tests and examples."""
    while True:
        for place in (folder, posixpath.join(folder, "src")):
            if any(posixpath.join(place, name) in index.paths for name in ("lib.rs", "main.rs")):
                return place
        if not folder:
            return "src"
        folder = posixpath.dirname(folder)


def _java(path: str, each: Import, index: Index, outlines: Outlines) -> Iterator[str]:
    if each.module == ".":
        own = outlines(path)
        package = own.package if own is not None else ""
        for name in each.names:
            yield from _java_file(f"{package}.{name}".strip("."), index)
        return
    parts = each.module.split(".")
    for end in (len(parts), len(parts) - 1):  # the rest is a member
        found = list(_java_file(".".join(parts[:end]), index))
        if found:
            yield from found
            return


def _java_file(name: str, index: Index) -> Iterator[str]:
    place = name.replace(".", "/") + ".java"
    for path in index.named.get(posixpath.basename(place), ()):
        if path == place or path.endswith(f"/{place}"):
            yield path


def _c(path: str, each: Import, index: Index, _: Outlines) -> Iterator[str]:
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), each.module))
    if beside in index.paths:
        yield beside
        return
    inner = posixpath.normpath(each.module)
    for other in index.named.get(posixpath.basename(inner), ()):
        if other == inner or other.endswith(f"/{inner}"):
            yield other
            return


def _ruby(path: str, each: Import, index: Index, _: Outlines) -> Iterator[str]:
    name = each.module.removesuffix(".rb") + ".rb"
    if each.module.startswith("."):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        return
    for other in index.named.get(posixpath.basename(name), ()):
        if other == f"lib/{name}" or other.endswith(f"/lib/{name}"):
            yield other


RESOLVERS: dict[str, Callable[[str, Import, Index, Outlines], Iterator[str]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "rust": _rust,
    "java": _java,
    "c": _c,
    "cpp": _c,
    "ruby": _ruby,
}
