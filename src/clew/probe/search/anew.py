"""Where candidates part that lie outside of functions: constants, class bodies, defaults.

The project is loaded anew with each, in a process of its own, which makes the calls of the tests,
and others near them, and tells what they give. What a call leaves behind is not compared.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..formulas import same_value
from .behaviour import LONG, imported_from, shown_end, told_apart
from .globals import Memory
from .importing import Importer
from .inputs import CallRecorder, literals, outcome, varied
from .overrides import install
from .ranking import Survivor, best
from .source import Patch
from .suites import Collected
from .swapping import Swapper
from .witnesses import UNBOUND, UNSET, unset_at
from .workers import GREEN, INVALID, limited

__all__ = ["set_beside_anew"]

COMPARED = 8  # patches, the best of those that are complete
TESTS = 20  # whose calls are kept
INPUTS = 200
SECONDS = 0.5  # of processor time for the calls with one patch

# By the picture of a call: the module of its function, how it ends, and a picture of that.
Ends = Dict[str, Tuple[str, str, str]]


class LoadedProgram(NamedTuple):
    """A program that is loaded with one patch."""

    swapper: Swapper
    memory: Memory


def set_beside_anew(survivors: Sequence[Survivor], importer: Importer) -> List[Survivor]:
    """Return the survivors, with where others part from the best one that were not compared yet."""
    complete = [survivor for survivor in survivors if survivor.complete]
    ranked = best(complete, len(importer.targets), COMPARED)
    rivals = [each for each in ranked[1:] if unlike(ranked[0].patch, each, importer)]
    if not rivals:
        return list(survivors)
    patches = [None, ranked[0].patch, ranked[0].patch, *(rival.patch for rival in rivals)]
    before, known, again, *rest = ends_of(patches, importer)
    same = {call: end for call, end in known.items() if again.get(call) == end}
    tried = [(ranked[0].patch, same), *zip((rival.patch for rival in rivals), rest)]
    against = {patch: unset(ends, [other for _, other in tried]) for patch, ends in tried}
    first, gave = next((each for each in tried if not against[each[0]]), tried[0])
    steady = {call: gave[call] for call in same if call in gave}
    found = {
        patch: (*parting, first.description) if parting else ()
        for patch, ends in tried
        for parting in [parted(steady, ends, before)]
    }

    def noted(survivor: Survivor) -> Survivor:
        if survivor.patch not in found:
            return survivor
        survivor, words = survivor._replace(parting=found[survivor.patch]), against[survivor.patch]
        if not any(against.values()):
            return survivor
        return survivor._replace(against=words or survivor.against, favoured=not words)

    return [noted(survivor) for survivor in survivors]


def unset(ends: Ends, others: Sequence[Ends]) -> str:
    """Say for which call a variable has no value where it is read, and has with another patch."""
    found = [
        call
        for call, (_, _, shown) in ends.items()
        if shown == UNBOUND and any(call in each and each[call][2] != UNBOUND for each in others)
    ]
    return "{}: {}".format(UNSET, unset_at(min(found, key=len))) if found else ""


def unlike(first: Patch, rival: Survivor, importer: Importer) -> bool:
    """Tell where one of two lies outside of functions, and they are not known to part."""
    if rival.parting and rival.parting[-1] == first.description:
        return False
    files = [each for patch in (first, rival.patch) for each in patch.files]
    sources = [(importer.project.source(path), changes) for path, changes in files]
    return any(source is None or source.parts(changes) is None for source, changes in sources)


def ends_of(patches: Sequence[Optional[Patch]], importer: Importer) -> List[Ends]:
    """Return what calls give with each patch; with None the code is as it is."""
    hints = literals(importer.project, [patch for patch in patches if patch])
    files = sorted({name.split("::")[0] for name in importer.targets})

    def work(index: int, tell: Callable[[Any], None]) -> int:
        patch = patches[index]
        texts = importer.texts(patch) if patch else {}
        if texts is None:
            return INVALID
        install(texts)
        importer.collect(files, lambda collected: tell([index, told(collected, importer, hints)]))
        return GREEN

    until = time.monotonic() + len(patches) * (2.0 + 2 * importer.known.seconds)
    _, messages = importer.pool.run(range(len(patches)), work, until, batch=1)
    found: Dict[int, Ends] = {index: {c: tuple(e) for c, e in ends} for index, ends in messages}
    return [found.get(index, {}) for index in range(len(patches))]


def told(
    collected: Collected, importer: Importer, hints: Sequence[Any]
) -> List[Tuple[str, Tuple[str, str, str]]]:
    """Make the calls of tests, and others near them; return them with what they give."""
    request = importer.request
    paths = request.project_files()
    program = LoadedProgram(Swapper(request.root), Memory(request.root))
    recorder = CallRecorder(program, set(paths), ())
    tests = sorted(collected.tests, key=lambda test: test.id not in importer.targets)
    for test in tests[:TESTS]:
        with limited(request.test_timeout), contextlib.suppress(BaseException):
            sys.setprofile(recorder.look)
            test.run()
        sys.setprofile(None)
        program.memory.restore()
    until = time.process_time() + SECONDS
    found: List[Tuple[str, Tuple[str, str, str]]] = []
    for call in itertools.islice(varied(recorder.found, hints), INPUTS):
        end, shown = outcome(call, program), call.shown()
        if end is not None and len(shown) <= LONG:
            found.append((shown, (imported_from(call), end[0], end[1])))
        if time.process_time() > until:
            break
    return found


def parted(first: Ends, other: Ends, before: Ends) -> Tuple[str, ...]:
    """Return the call that shows it best, what it gives with each, its module, what it gave."""
    shown: List[Tuple[bool, int, bool, int, Tuple[str, ...]]] = []
    for call, (module, *one) in first.items():
        _, *two = other.get(call, ("", *one))
        if one == two:
            continue
        ends = [(how, picture, None) for how, picture in (one, two)]
        home = module if told_apart(*ends) else ""
        gave = before.get(call, ("", "", ""))
        words = [shown_end(end) for end in ends]
        was = gave[2] if gave[1] == "gives" else ""
        raised = sum(how == "raises" for how, _, _ in ends)
        row = (call, *words, home, was)
        shown.append((same_value(*words), raised, not home, len(call), row))
    return min(shown)[-1] if shown else ()
