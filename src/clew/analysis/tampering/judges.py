"""What judges a fix, found by watching: by what a run read, and by what a test command names.

A file that nobody but tests, the runner and its plug-ins read belongs to the judge; what code of
the product reads is the product's, and so is code, which tests read to look at it. Where nobody
knows who read a file, the product reads what its code names. A command's own script judges too,
with the scripts and the data that it names in turn, but for programs whose output it looks at.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from clew.analysis.mutations import tried_in
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.words.facts import FileRead, Phase, TestRun
from clew.words.test_ids import parted

__all__ = [
    "by_command",
    "by_opening",
    "by_product",
    "by_reading",
    "hosts",
    "is_code",
    "is_data",
    "names_of",
    "started_by",
]

Read = Callable[[str], bytes | None]

WORD = re.compile(r"[\w@%+./-]++(?!:\d)")  # `file.sh:2` is a place, which runs nothing
SHELL = (".sh", ".bash", ".bats", ".zsh", ".ksh")
# What such a file names besides scripts is what it builds, installs and packs.
TASKS = frozenset({"Makefile", "justfile", "noxfile.py", "package.json", "tox.ini", "Taskfile.yml"})
DECLARING = re.compile(r"(?:.*/)?(?:requirements|constraints)[\w.-]*\.(?:txt|in)")
# A script looks at what `got=$(sh last.sh)` prints: a program of the product, under test. Where its
# exit code decides as well, it may be a check.
PRINTED = r"(?:\$\([^()\n]*\)|`[^`\n]*`)"
COMPARED = re.compile(rf'\[\s+"?{PRINTED}"?(?=\s+!?=)')
ASSIGNED = re.compile(rf'^\s*\w+="?{PRINTED}"?(?=\s*(?:;|#|$))', re.MULTILINE)
EXIT_COUNTS = re.compile(r"\bset\s+-\w*e|\berrexit\b|\$\?")
# Programs that run the file they are given, and their options that have one loaded before it.
RUNS = re.compile(r"(?:node(?:js)?|tsx|ts-node|bun|deno|ruby|perl|php|lua|Rscript|julia)[\d.]*")
LOADS = ("-r", "--require", "--import", "--loader", "--experimental-loader")
BEFORE = frozenset({"cross-env", "env", "exec", "npx", "run", "time"})
PARTED = re.compile(r"&&|\|\||[;|&\n]")
# Code of languages of which Clew changes no line.
CODE = frozenset(
    {".astro", ".bash", ".clj", ".cljs", ".coffee", ".cr", ".cs", ".css", ".d", ".dart", ".elm"}
    | {".erl", ".ex", ".exs", ".f90", ".fs", ".groovy", ".hrl", ".hs", ".jl", ".kt", ".kts"}
    | {".less", ".lua", ".m", ".mdx", ".ml", ".mli", ".mm", ".nim", ".pas", ".php", ".pl", ".pm"}
    | {".r", ".s", ".sass", ".scala", ".scss", ".sh", ".svelte", ".swift", ".vb", ".vue", ".zig"}
)
LOCKS = frozenset(
    {"Cargo.lock", "Gemfile.lock", "bun.lock", "bun.lockb", "composer.lock", "go.sum"}
    | {"npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"}
)
MOST = 100  # scripts that are followed
RUNNER = "the test runner"


def by_reading(read: Iterable[FileRead], named: Collection[str], own: Collection[str]) -> set[str]:
    """Return the files that only what judges read; `own` are plug-ins and the like."""
    readers: dict[str, set[str]] = defaultdict(set)
    for each in read:
        readers[each.path].add(each.by)
    return {
        path
        for path, known in readers.items()
        if not tried_in(path) and all(_judges(reader, named, own) for reader in known)
    }


def by_product(read: Iterable[FileRead], named: Collection[str], own: Collection[str]) -> set[str]:
    """Return the files that code of the product read."""
    return {each.path for each in read if not _judges(each.by, named, own)}


def _judges(reader: str, named: Collection[str], own: Collection[str]) -> bool:
    known = not reader or is_test_path(reader, named) or is_test_config(reader)
    return known or reader in own


def is_code(path: str) -> bool:
    """Tell by its name whether a file is code in a language that is known."""
    return tried_in(path) or posixpath.splitext(path)[1].lower() in CODE


def is_data(path: str, read: Read) -> bool:
    """Tell whether a file is neither code, nor what a package manager or git itself goes by."""
    name = posixpath.basename(path)
    if is_code(path) or name in LOCKS or name.startswith(".git"):
        return False
    return "." in name or (read(path) or b"")[:2] != b"#!"


def names_of(paths: Iterable[str]) -> set[str]:
    """Return the words by which code may name files: one of them stands in it if it does."""
    return {word for path in paths for word in (*_spellings(path), _folder(path)) if word}


def by_opening(opened: Iterable[str], product: Mapping[str, str]) -> set[str]:
    """Return of the data that was read what no code of the product names, by path and text.

    It may name the folder of a file alone, where it makes up the rest of the name.
    """
    return {path for path in opened if not any(_mentions(text, path) for text in product.values())}


def _mentions(text: str, path: str) -> bool:
    whole, stem = (re.escape(each) for each in _spellings(path))
    if re.search(rf"(?<![\w-]){whole}(?![\w-])|/{stem}[\"'`]", text):
        return True
    folder = re.escape(_folder(path))
    made_up = rf"(?<![\w.-]){folder}(?:[\"'`](?!\s*,\s*[\"'`][\w.-])|/[\"'`*$%{{])"
    return bool(folder) and bool(re.search(made_up, text))


def _spellings(path: str) -> tuple[str, str]:
    name = posixpath.basename(path)
    return name, posixpath.splitext(name)[0]


def _folder(path: str) -> str:
    return posixpath.basename(posixpath.dirname(path))


def started_by(scripts: Iterable[str], files: Collection[str], read: Read, below: str) -> set[str]:
    """Return the programs that scripts of a command start; what these read may well judge."""
    found: set[str] = set()
    for path in scripts:
        if not tried_in(path) and posixpath.basename(path) not in TASKS:
            text = (read(path) or b"").decode("utf-8", "replace")
            named = _named(text, files, (below, posixpath.dirname(path)))
            found |= {other for other in named if tried_in(other)}
    return found


def by_command(
    argv: Sequence[str], files: Collection[str], read: Read, below: str, script: str = ""
) -> set[str]:
    """Return what a command names of the project, and its scripts in turn, wherever they lie.

    `below` is the folder that it runs in, relative to the root, and `script` what of the
    `package.json` there it runs. Of code only what is run itself counts, not what a linter reads.
    """
    found: set[str] = set()
    queue = [path for word in argv for path in _meant(word, files, (below,))]
    queue = [path for path in queue if not tried_in(path) or path.endswith(".py")]
    package = (read(posixpath.join(below, "package.json")) or b"") if script else b""
    for words in (argv, *_of_package(package, script)):
        queue += [path for word in _run(words) for path in _meant(word, files, (below,))]
    tasks = [posixpath.join(below, name) for name in TASKS]
    queue += [path for path in tasks if path in files]
    while queue and len(found) < MOST:
        path = queue.pop()
        if path in found:
            continue
        found.add(path)
        if tried_in(path):
            continue
        only = SHELL if posixpath.basename(path) in TASKS else ()
        text = (read(path) or b"").decode("utf-8", "replace")
        for other in _named(_without_programs(text), files, (below, posixpath.dirname(path))):
            if not tried_in(other) and not DECLARING.fullmatch(other):
                queue += [other] if not only or other.endswith(only) else []
    return found


def _of_package(package: bytes, script: str) -> Iterator[list[str]]:
    """Yield the commands of a script of package.json, with what runs before it and after it."""
    try:
        scripts = msgspec.json.decode(package or b"{}", type=_Package).scripts
    except (msgspec.DecodeError, msgspec.ValidationError):
        return
    for name in (f"pre{script}", script, f"post{script}") if script else ():
        line = scripts.get(name, "")
        yield from (part.split() for part in PARTED.split(line if isinstance(line, str) else ""))


class _Package(msgspec.Struct):
    scripts: dict[str, object] = {}


def _run(words: Sequence[str]) -> Iterator[str]:
    """Yield the files that a command runs: its program, what this is to run, and to load before."""
    rest = [word.strip("\"'") for word in words]
    while rest and (rest[0] in BEFORE or re.match(r"\w+=", rest[0])):
        rest = rest[1:]
    if not rest:
        return
    yield rest[0]
    for at, word in enumerate(rest):
        option, _, value = word.partition("=")
        if option in LOADS:
            yield value or "".join(rest[at + 1 : at + 2])
    if RUNS.fullmatch(posixpath.basename(rest[0])):
        given = [w for before, w in pairwise(rest) if before not in LOADS and w[:1] != "-"]
        yield from [word for word in given if word != "run"][:1]


def hosts(run: TestRun) -> dict[str, frozenset[str]]:
    """Return the files that hold tests, and are known as such by nothing else: names by file."""
    found: dict[str, set[str]] = defaultdict(set)
    for each in run.results:
        if each.phase is not Phase.COLLECT and each.file and not is_test_path(each.file, run.named):
            found[each.file].add(parted(each.id)[1])
    return {path: frozenset(names) for path, names in found.items()}


def _without_programs(script: str) -> str:
    rest = COMPARED.sub("[", script)
    return rest if EXIT_COUNTS.search(rest) else ASSIGNED.sub("", rest)


def _named(text: str, files: Collection[str], places: tuple[str, ...]) -> Iterator[str]:
    for word in dict.fromkeys(WORD.findall(text)):
        yield from _meant(word, files, places)


def _meant(word: str, files: Collection[str], places: tuple[str, ...]) -> Iterator[str]:
    for place in dict.fromkeys((*places, "")):
        path = posixpath.normpath(posixpath.join(place, word))
        if path in files:
            yield path
            return
