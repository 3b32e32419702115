"""What went wrong, told by kind of failure."""

from __future__ import annotations

import difflib
import re
import shlex
import sys
from collections.abc import Iterator, Mapping

from clew.explain.crashes import crash_account
from clew.explain.scene import Account, Scene, clipped, code, place
from clew.explain.sources import defined_in, line_of
from clew.facts import Category, Crash
from clew.failures import Expectation, contradictions, expectation, missing_module
from clew.printable import printable

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
COLUMN = re.compile(r"(?:no such (?:table|column)|has no column named):? (\S+)", re.IGNORECASE)
LINT = re.compile(r"^\S+:\d+(?::\d+)?:? .+$", re.MULTILINE)
SHORT = 32


def account(scene: Scene) -> Account:
    """Return title and cause of the failure at hand."""
    crash = scene.crash
    if scene.category is Category.TASK_SPEC_ERROR:
        return _contradiction(scene)
    if scene.category is Category.LINT_FAILURE:
        return _lint(scene)
    if crash is None:
        return _text_only(scene)
    tell = {
        Category.SYNTAX_ERROR: _syntax,
        Category.IMPORT_ERROR: _import,
        Category.MISSING_DEPENDENCY: _package,
        Category.SCHEMA_MISMATCH: _schema,
    }.get(scene.category)
    if tell is not None:
        return tell(scene, crash)
    wanted = expectation(crash)
    return _assertion(scene, wanted) if wanted else crash_account(scene, crash)


def _assertion(scene: Scene, wanted: Expectation) -> Account:
    test = code(scene.test_name)
    call = wanted.call or (_guarded(scene) if wanted.relation == "raises" else "")
    callee = re.match(r"[\w.]+(?=\()", call)
    name = code(callee.group().rpartition(".")[2]) if callee else test
    actual, expected = code(wanted.actual), code(wanted.expected)
    if wanted.relation == "raises":
        inner = code(call) if call else "The code under test"
        title = f"{name} does not raise {wanted.expected}"
        return Account(title, f"{inner} raises nothing where {test} expects {expected}.")
    got = f"{code(call)} returns {actual}" if call else f"{test} gets {actual}"
    who = test if call else "it"
    verb = "returns" if callee else "gets"
    short = clipped(wanted.actual, SHORT)
    if wanted.relation in ("is true", "is false"):
        return Account(f"{name} {verb} {short}", f"{got} where {who} expects {wanted.expected}.")
    if wanted.relation == "==":
        title = f"{name} {verb} {short} instead of {clipped(wanted.expected, SHORT)}"
        part = f": {wanted.parting}" if wanted.parting else ""
        return Account(title, f"{got} where {who} expects {expected}{part}.")
    title = f"{name} breaks `{wanted.relation} {clipped(wanted.expected, SHORT)}`"
    should = f"{actual} {wanted.relation} {expected}"
    return Account(title, f"{got}; {who} asks that {should}, which does not hold.")


def _guarded(scene: Scene) -> str:
    """Return the first line within the `with` that waited for an exception."""
    frame = scene.test_frame
    if frame is None or not frame.code.strip().startswith("with "):
        return ""
    return line_of(scene.sources, frame.path, frame.line + 1)


def _syntax(scene: Scene, crash: Crash) -> Account:
    path, line = scene.path, scene.line
    why = printable(crash.message).split(" (")[0].strip(" .") or "invalid syntax"
    shown = line_of(scene.sources, path, line)
    at = place(path, line) if path else scene.test_name
    text = f" The line reads {code(shown)}." if shown else ""
    return Account(
        f"syntax error in {path.rpartition('/')[2] or scene.test_name}",
        f"{at} cannot be parsed: {why}.{text} Nothing that imports this file can run.",
    )


def _import(scene: Scene, crash: Crash) -> Account:
    message = printable(crash.message)
    module = missing_module(crash)
    at = f" at {scene.here}" if scene.here else ""
    if CIRCULAR.search(message):
        chain = " → ".join(dict.fromkeys(f.path for f in crash.frames if f.project))
        way = f" The imports run {chain}." if chain else ""
        named = code(module) if module else "A module"
        return Account(
            f"circular import of {module or 'a module'}",
            f"{named} is imported again while it is still being loaded.{way}",
        )
    undefined = UNDEFINED.search(message)
    if undefined:
        name = undefined.group(1)
        return Account(
            f"`{name}` is used but not imported",
            f"{code(name)} is used{at}, but not imported there. There is a module of that name.",
        )
    unknown = UNKNOWN_NAME.search(message)
    if unknown and module:
        return _unknown_name(scene, unknown.group(1), module, at)
    if module in scene.modules:
        return Account(
            f"module {module} is not found",
            f"The import of {code(module or '')}{at} fails, though the project has that module:"
            " the folder that the tests start from is not on the import path.",
        )
    return _no_module(scene, module or message, at)


def _no_module(scene: Scene, module: str, at: str) -> Account:
    near = difflib.get_close_matches(module, sorted(scene.modules), n=2, cutoff=0.7)
    hint = f" The closest that exists: {' and '.join(map(code, near))}." if near else ""
    return Account(
        f"module {module} does not exist",
        f"The import of {code(module)}{at} fails: the project has no such module.{hint}",
    )


def _unknown_name(scene: Scene, name: str, module: str, at: str) -> Account:
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
    return Account(
        f"{module} does not define {name}",
        f"The module {code(module)} exists, but does not define {code(name)}, which is imported"
        f"{at}.{rest}",
    )


def _package(scene: Scene, crash: Crash) -> Account:
    module = missing_module(crash)
    if module is None:
        return Account("a library is missing", f"{printable(crash.message).strip()}.")
    top = module.partition(".")[0]
    package = DISTRIBUTIONS.get(module) or DISTRIBUTIONS.get(top) or top
    of = f" (of the package {code(package)})" if package != top else ""
    at = f", imported at {scene.here}," if scene.here else ""
    near = difflib.get_close_matches(top, sys.stdlib_module_names, n=1, cutoff=0.8)
    slip = f" If {code(near[0])} was meant, the name is a slip." if near else ""
    return Account(
        f"package {package} is missing",
        f"The module {code(module)}{of}{at} is not installed where the tests run"
        f"{f' ({scene.run.command.interpreter})' if scene.run.command.interpreter else ''},"
        f" and it is no module of the project.{slip}",
    )


def _schema(scene: Scene, crash: Crash) -> Account:
    message = clipped(printable(crash.message), 300)
    at = f" at {scene.here}" if scene.here else ""
    column = COLUMN.search(message)
    places = tuple(_places(scene, column.group(1))) if column else ()
    shown = f" It stands at {', '.join(places)}." if places else ""
    return Account(
        f"data and schema disagree: {clipped(message, 40)}",
        f"Two definitions of the same data do not agree{at}: {code(message)}.{shown}"
        " One side was changed without the other.",
    )


def _places(scene: Scene, name: str) -> Iterator[str]:
    word = re.compile(rf"\b{re.escape(name.rpartition('.')[2])}\b")
    for path, text in sorted(scene.sources.items()):
        for number, line in enumerate(text.splitlines(), 1):
            if word.search(line):
                yield place(path, number)
                break


def _lint(scene: Scene) -> Account:
    text = printable(scene.run.output or (scene.crash.message if scene.crash else ""))
    found = LINT.findall(text)
    first = f" The first: {code(clipped(found[0].strip(), 160))}." if found else ""
    return Account(
        "the linter complains",
        f"The checker reports {len(found) or 'some'} finding{'' if len(found) == 1 else 's'};"
        f" the tests themselves were not asked.{first}",
    )


def _contradiction(scene: Scene) -> Account:
    pairs = contradictions(scene.run)
    if not pairs:
        return _text_only(scene)
    pair = pairs[0]
    return Account(
        f"tests contradict each other about {clipped(pair.call, SHORT)}",
        f"{code(pair.first)} expects {code(pair.first_expects)} of {code(pair.call)}, and"
        f" {code(pair.second)} expects {code(pair.second_expects)}. No code gives both answers:"
        " the specification has to be settled first.",
    )


def _text_only(scene: Scene) -> Account:
    lines = [line.strip() for line in printable(scene.text).splitlines() if line.strip()]
    last = code(clipped(lines[-1], 160)) if lines else "nothing"
    shown = f"its output ends in {last}" if lines else "it printed nothing"
    return Account(
        "the test command fails",
        f"{code(shlex.join(scene.run.command.argv))} exits with {scene.run.exit_code}; {shown}."
        " What each test did is not known: a plain command is one fact a run.",
    )
