"""What judges a fix, found by watching: by what a run read, and by what a test command names.

A file that nobody but tests, the runner and its plug-ins read belongs to the judge; what code of
the product reads is the product's, and so is code, which tests read to look at it. A command's own
script judges too, with the scripts and the data that it names in turn, but for programs whose
output it looks at.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from clew.analysis.mutations import tried_in
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.words.facts import FileRead, Phase, TestRun
from clew.words.test_ids import parted

__all__ = ["by_command", "by_reading", "hosts"]

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
MOST = 100  # scripts that are followed
RUNNER = "the test runner"


def by_reading(read: Iterable[FileRead], named: Collection[str], own: Collection[str]) -> set[str]:
    """Return the files that only what judges read; `own` are plug-ins and the like."""
    readers: dict[str, set[str]] = defaultdict(set)
    for each in read:
        readers[each.path].add(each.by)

    def judges(reader: str) -> bool:
        known = not reader or is_test_path(reader, named) or is_test_config(reader)
        return known or reader in own

    return {
        path for path, known in readers.items() if not tried_in(path) and all(map(judges, known))
    }


def by_command(argv: Sequence[str], files: Collection[str], read: Read, below: str) -> set[str]:
    """Return what a command names of the project, and its scripts in turn, wherever they lie.

    `below` is the folder that it runs in, relative to the root.
    """
    found: set[str] = set()
    queue = [path for word in argv for path in _meant(word, files, (below,))]
    queue = [path for path in queue if not tried_in(path) or path.endswith(".py")]
    tasks = [posixpath.join(below, name) for name in TASKS]
    queue += [path for path in tasks if path in files]
    while queue and len(found) < MOST:
        path = queue.pop()
        if path in found:
            continue
        found.add(path)
        if path.endswith(".py"):
            continue
        only = SHELL if posixpath.basename(path) in TASKS else ()
        text = (read(path) or b"").decode("utf-8", "replace")
        for other in _named(_without_programs(text), files, (below, posixpath.dirname(path))):
            if not tried_in(other) and not DECLARING.fullmatch(other):
                queue += [other] if not only or other.endswith(only) else []
    return found


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
