"""What went wrong, told by kind of failure."""

from __future__ import annotations

import ast
import difflib
import re
import shlex
import sys
from collections.abc import Iterator, Mapping

from clew.analysis.failures import Expectation, contradictions, expectation, missing_module
from clew.analysis.failures.assertions import carried
from clew.analysis.failures.categories import closed_database, missing_plugin
from clew.analysis.failures.linting import findings
from clew.evidence.explain.crashes import crash_account
from clew.evidence.explain.pointing import off_the_path
from clew.evidence.explain.scene import Explanation, Scene, clipped, code, place
from clew.evidence.explain.shapes import schema_account
from clew.evidence.explain.sources import defined_in, line_of
from clew.words.facts import Category, Crash
from clew.words.printable import printable

__all__ = ["account"]

DISTRIBUTIONS: Mapping[str, str] = {
    "Crypto": "pycryptodome",
    "PIL": "Pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "git": "GitPython",
    "google.protobuf": "protobuf",
    "jwt": "PyJWT",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}
UNKNOWN_NAME = re.compile(r"cannot import name '?([\w.]+)'? from")
CIRCULAR = re.compile(r"circular import|partially initialized module")
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
NO_METADATA = re.compile(r"No package metadata was found for (\S+)")
INSTALL = re.compile(r"\b(?:install|add) ([\w.\[\]-]+)")
NO_MODULE = re.compile(r"No module named '([\w.]+)'")
NO_FILE = re.compile(r"No such file or directory: b?['\"](.+?)['\"]")
RELATIVE = re.compile(r"attempted relative import")
SHORT = 32

COLLECTS = ("list", "tuple", "set", "sorted", "dict")  # these only collect what comes of a call
# What is called; within a call that only collects what comes of it, that.
CALLEE = re.compile(rf"(?:(?:{'|'.join(COLLECTS)})\()*([\w.]+)(?=\()")
# What is read of a call's result: the call's own name, and what is read.
READ = re.compile(r"^[\w.]*?(\w+)\(.*\)((?:\.\w+|\[[^\]]*\])+)$", re.DOTALL)


def account(scene: Scene) -> Explanation:
    """Return title and cause of the failure at hand."""
    crash = scene.crash
    if scene.category is Category.TASK_SPEC_ERROR:
        return _contradiction(scene)
    if scene.category is Category.LINT_FAILURE:
        return _lint(scene)
    if crash is None:
        unparsed = scene.category is Category.SYNTAX_ERROR
        return _unparsed(scene) if unparsed else _text_only(scene)
    inner = carried(crash)
    crash = inner or crash
    tell = {
        Category.SYNTAX_ERROR: _syntax,
        Category.IMPORT_ERROR: _import,
        Category.MISSING_DEPENDENCY: _package,
        Category.SCHEMA_MISMATCH: schema_account,
    }.get(scene.category)
    if tell is not None:
        return tell(scene, crash)
    wanted = None if inner else expectation(crash)
    return _assertion(scene, wanted) if wanted else crash_account(scene, crash)


def _assertion(scene: Scene, wanted: Expectation) -> Explanation:
    test = code(scene.test_name)
    call = wanted.call or (_guarded(scene) if wanted.relation == "raises" else "")
    plain = call.endswith(")")  # not what is read of a result
    callee = _called(call) if plain else ""
    whole = test if plain or not call else code(READ.sub(r"\1(…)\2", call))
    name = code(callee) if callee else whole
    actual, expected = code(wanted.actual), code(wanted.expected)
    if wanted.relation == "raises":
        inner = code(call) if call else "The code under test"
        title = f"{name} does not raise {wanted.expected}"
        return Explanation(title, f"{inner} raises nothing where {test} expects {expected}.")
    gives = "returns" if plain else "is"
    got = f"{code(call)} {gives} {actual}" if call else f"{test} gets {actual}"
    who = test if call else "it"
    verb = gives if callee or whole != test else "gets"
    short = clipped(wanted.actual, SHORT)
    if wanted.relation in ("is true", "is false"):
        return Explanation(
            f"{name} {verb} {short}", f"{got} where {who} expects {wanted.expected}."
        )
    if wanted.relation == "==":
        title = f"{name} {verb} {short} instead of {clipped(wanted.expected, SHORT)}"
        if wanted.actual == wanted.expected and wanted.parting:  # both are cut
            title = f"{name} {verb} what differs: {clipped(wanted.parting, 2 * SHORT)}"
        part = f": {wanted.parting}" if wanted.parting else ""
        if wanted.actual == wanted.expected:
            other = f"something else than {who} expects"
            got = f"{code(call)} {gives} {other}" if call else f"{test} gets {other}"
            return Explanation(title, f"{got}{part}.")
        return Explanation(title, f"{got} where {who} expects {expected}{part}.")
    title = f"{name} breaks `{wanted.relation} {clipped(wanted.expected, SHORT)}`"
    should = f"{actual} {wanted.relation} {expected}"
    return Explanation(title, f"{got}; {who} asks that {should}, which does not hold.")


def _called(call: str) -> str:
    """Return the name of what a call asks, within a collection that one; of a chain all of it."""
    try:
        node = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        node = None
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id not in COLLECTS or not isinstance(node.args[0], ast.Call):
            break
        node = node.args[0]
    links = list(_links(node))
    if len(links) > 1 and node is not None:
        for link in links:
            if link.args or link.keywords:
                link.args, link.keywords = [ast.Name("…")], []
        return clipped(ast.unparse(node), 2 * SHORT)
    found = CALLEE.match(call)
    return found[1].rpartition(".")[2] if found else ""


def _links(node: ast.expr | None) -> Iterator[ast.Call]:
    """Yield the calls of a chain like `cart(3).total()`, the last one first."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Call):
            yield node
        node = node.func if isinstance(node, ast.Call) else node.value


def _guarded(scene: Scene) -> str:
    """Return the first line within the `with` that waited for an exception."""
    frame = scene.test_frame
    if frame is None or not frame.code.strip().startswith("with "):
        return ""
    return line_of(scene.sources, frame.path, frame.line + 1)


def _syntax(scene: Scene, crash: Crash) -> Explanation:
    frame = scene.innermost
    path, line = (frame.path, frame.line) if frame else (scene.path, scene.line)
    why = printable(crash.message).split(" (")[0].strip(" .") or "invalid syntax"
    shown = line_of(scene.sources, path, line)
    at = place(path, line) if path else scene.test_name
    text = f" The line reads {code(shown)}." if shown else ""
    return Explanation(
        f"syntax error in {path.rpartition('/')[2] or scene.test_name}",
        f"{at} cannot be parsed: {why}.{text} Nothing that imports this file can run.",
    )


def _unparsed(scene: Scene) -> Explanation:
    """Tell what a checker, or a plain command, could not parse."""
    found = next(findings(scene.said), None)
    if found is None:
        return _text_only(scene)
    return Explanation(
        f"syntax error in {found.path.rpartition('/')[2]}",
        f"{place(found.path, found.line or None)} cannot be parsed: {code(found.words)}.",
    )


def _import(scene: Scene, crash: Crash) -> Explanation:
    message = printable(crash.message)
    if closed_database(crash):
        at = f" at {scene.here}" if scene.here else ""
        return Explanation(
            "a database file cannot be opened",
            f"The database that is opened{at} is not there, or its folder is not. Check the path,"
            " and whether a set-up step that creates it was left out.",
        )
    gone = NO_FILE.search(message)
    return _no_file(scene, gone.group(1)) if gone else _failed_import(scene, crash, message)


def _failed_import(scene: Scene, crash: Crash, message: str) -> Explanation:
    module = missing_module(crash)
    at = f" at {scene.here}" if scene.here else ""
    if RELATIVE.search(message):
        return Explanation(
            "a relative import leads out of the package",
            f"The import{at} has more dots than there are packages around it: the module that it"
            " names does not exist there.",
        )
    if CIRCULAR.search(message):
        chain = " → ".join(dict.fromkeys(f.path for f in crash.frames if f.project))
        way = f" The imports run {chain}." if chain else ""
        named = code(module) if module else "A module"
        return Explanation(
            f"circular import of {module or 'a module'}",
            f"{named} is imported again while it is still being loaded.{way}",
        )
    undefined = UNDEFINED.search(message)
    if undefined:
        name = undefined.group(1)
        return Explanation(
            f"`{name}` is used but not imported",
            f"{code(name)} is used{at}, but not imported there. There is a module of that name.",
        )
    unknown = UNKNOWN_NAME.search(message)
    if unknown and module:
        return _unknown_name(scene, unknown.group(1), module, at)
    if module in scene.modules:
        folder = off_the_path(scene)
        where = "the folder that the tests start from"
        if folder not in (None, "."):
            where = f"the project is not installed where the tests run, and {code(folder or '')}"
        return Explanation(
            f"module {module} is not found",
            f"The import of {code(module or '')}{at} fails, though the project has that module:"
            f" {where} is not on the import path.",
        )
    return _no_module(scene, module or message, at)


def _no_file(scene: Scene, path: str) -> Explanation:
    name = path.rpartition("/")[2]
    known = {each.rpartition("/")[2]: each for each in scene.sources}
    near = difflib.get_close_matches(name, sorted(known), n=2, cutoff=0.7)
    hint = (
        f" The closest that exists: {' and '.join(code(known[n]) for n in near)}." if near else ""
    )
    return Explanation(
        f"the file {name} does not exist",
        f"{code(path)} is opened at {scene.here}, but that file does not exist.{hint}",
    )


def _no_module(scene: Scene, module: str, at: str) -> Explanation:
    near = difflib.get_close_matches(module, sorted(scene.modules), n=2, cutoff=0.7)
    hint = f" The closest that exists: {' and '.join(map(code, near))}." if near else ""
    return Explanation(
        f"module {module} does not exist",
        f"The import of {code(module)}{at} fails: the project has no such module.{hint}",
    )


def _unknown_name(scene: Scene, name: str, module: str, at: str) -> Explanation:
    tail = module.replace(".", "/")
    names: frozenset[str] = frozenset()
    for path, text in scene.sources.items():
        if path.endswith((f"{tail}.py", f"{tail}/__init__.py")):
            names |= defined_in(text)
    near = difflib.get_close_matches(name, sorted(names), n=2, cutoff=0.6)
    if name in names:
        rest = " It does define that name, further down: it is asked for too early."
    elif near:
        rest = f" It has {' and '.join(map(code, near))}."
    else:
        rest = ""
    return Explanation(
        f"{module} does not define {name}",
        f"The module {code(module)} exists, but does not define {code(name)}, which is imported"
        f"{at}.{rest}",
    )


def _package(scene: Scene, crash: Crash) -> Explanation:
    message = printable(f"{crash.message}\n{crash.details}")
    plugin, program = missing_plugin(crash), NO_FILE.search(crash.message)
    if plugin is not None:
        return Explanation(
            f"package {plugin} is missing",
            f"{printable(crash.message).strip()}: the fixture comes with the package"
            f" {code(plugin)}, which is not installed where the tests run.",
        )
    if program is not None:
        return Explanation(
            f"the program {program.group(1)} is missing",
            f"The program {code(program.group(1))} is started at {scene.here}, and is not installed"
            " where the tests run. A package of the system brings it.",
        )
    absent = NO_METADATA.search(message) or NO_MODULE.search(message) or INSTALL.search(message)
    module = missing_module(crash) or (absent.group(1) if absent else None)
    if module is None:
        return Explanation("a library is missing", f"{printable(crash.message).strip()}.")
    top = module.partition(".")[0]
    package = DISTRIBUTIONS.get(module) or DISTRIBUTIONS.get(top) or top
    of = f" (of the package {code(package)})" if package != top else ""
    at = f", imported at {scene.here}," if scene.here else ""
    near = difflib.get_close_matches(top, sys.stdlib_module_names, n=1, cutoff=0.8)
    slip = f" If {code(near[0])} was meant, the name is a slip." if near else ""
    return Explanation(
        f"package {package} is missing",
        f"The module {code(module)}{of}{at} is not installed where the tests run"
        f"{f' ({scene.run.command.interpreter})' if scene.run.command.interpreter else ''}, and"
        f" the project has no such module.{slip}",
    )


def _lint(scene: Scene) -> Explanation:
    found = list(findings(scene.said))
    shown = ""
    if found:
        first = found[0]
        shown = f" The first, at {place(first.path, first.line or None)}: {code(first.words)}."
    where = f" in {found[0].path.rpartition('/')[2]}" if found else ""
    return Explanation(
        f"the linter complains{where}",
        f"The checker reports {len(found) or 'some'} finding{'' if len(found) == 1 else 's'};"
        f" that says nothing of what the code does.{shown}",
    )


def _contradiction(scene: Scene) -> Explanation:
    pairs = contradictions(scene.run, scene.sources)
    if not pairs:
        return _text_only(scene)
    pair = pairs[0]
    title = clipped(pair.call, SHORT)
    if pair.first == pair.second:
        return Explanation(
            f"a test asks the impossible of {title}",
            f"{code(pair.first)} expects {code(pair.call)} to differ from itself. No code can do"
            " that: what is meant has to be settled first.",
        )
    second = pair.second if pair.second.startswith("the example") else code(pair.second)
    return Explanation(
        f"tests contradict each other about {title}",
        f"{code(pair.first)} expects {code(pair.first_expects)} of {code(pair.call)}, and"
        f" {second} expects {code(pair.second_expects)}. No code gives both answers:"
        " the specification has to be settled first.",
    )


def _text_only(scene: Scene) -> Explanation:
    lines = [line.strip() for line in printable(scene.text).splitlines() if line.strip()]
    last = code(clipped(lines[-1], 160)) if lines else "nothing"
    shown = f"its output ends in {last}" if lines else "it printed nothing"
    return Explanation(
        "the test command fails",
        f"{code(shlex.join(scene.run.command.argv))} exits with {scene.run.exit_code}; {shown}."
        " What each test did is not known: a plain command is one fact a run.",
    )
