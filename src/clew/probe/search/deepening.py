"""Second edits: what is tried on top of a patch that mends a part, or lets a test go on."""

from __future__ import annotations

import difflib
import time
from contextlib import contextmanager
from itertools import zip_longest
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .baseline import Spectrum, trace
from .context import Context
from .files import ProjectSources
from .frontier import Frontier, Spot, spots
from .joining import together
from .naturalness import Naturalness
from .ranking import MAKESHIFT, Survivor, is_odd
from .source import Patch, Source, apply_changes, difference
from .trying import Trial

__all__ = ["TWO", "Base", "Deeper", "Elsewhere", "deeper", "likeliest"]

TWO = "two edits"  # the family of what is made here
BASES = 8
APART = 3  # bases, beside which other functions are edited as well
FAR_LESS = 0.3  # of the weight
LOOKED_AT = 24  # bases, of which some cannot be gone on from
LIMIT = 1.0  # seconds of processor time for one test that goes further
TRACED = 5.0  # seconds for all of them


class Base(NamedTuple):
    """A place to go on from: a patch that mends a test, at a price or not, or lets one go on."""

    patch: Patch
    greens: Tuple[str, ...]
    breaks: bool
    further: bool  # a test that it leaves red gets further


class Deeper:
    """What may be done next to a file in which a first edit is made."""

    def __init__(
        self,
        project: ProjectSources,
        base: Base,
        source: Source,
        frontier: Frontier,
        run: Optional[Dict[str, List[int]]] = None,
    ) -> None:
        self.project = project
        self.run = run or {}  # by file: lines that tests run with the first edit
        self.base = base
        self.source = source
        self.frontier = frontier

    def tried(self, chunk: Sequence[Patch]) -> List[Patch]:
        """Return second edits as they are tried with the first one put in."""
        return list(chunk)

    @contextmanager
    def put_in(self) -> Iterator[None]:
        """Let the project have the first edit."""
        path = self.source.path
        before, context = self.project.sources[path], self.project.contexts[path]
        self.project.sources[path] = self.source
        try:
            yield
        finally:
            self.project.sources[path], self.project.contexts[path] = before, context

    def whole(self, survivor: Survivor, naturalness: Naturalness) -> Survivor:
        """Return both edits as one, of the file as it was."""
        first, second = self.base.patch, survivor.patch
        before = self.project.sources[self.source.path]
        changes = difference(before.text, apply_changes(self.source.text, second.changes))
        words = "{}; {}".format(first.description, second.description)
        weight = min(first.weight, second.weight)
        family = MAKESHIFT if self.makes_up(survivor, before, naturalness) else TWO
        patch = Patch(first.path, first.line, family, weight, words, changes)
        return survivor._replace(patch=patch, natural=naturalness.of(before, changes))

    def makes_up(self, second: Survivor, before: Source, naturalness: Naturalness) -> bool:
        """Say whether the second edit only mends what the first one broke, and one is odd."""
        first = self.base.patch
        if not self.base.breaks or not set(second.greens).issubset(self.base.greens):
            return False
        natural = naturalness.of(before, first.changes)
        return is_odd(first, natural) or is_odd(second.patch, second.natural)


class Elsewhere(Deeper):
    """What may be done beside a first edit to other functions: both are tried as one patch."""

    def tried(self, chunk: Sequence[Patch]) -> List[Patch]:
        """Return second edits joined with the first one."""
        return [together([self.base.patch, patch]) for patch in chunk]

    @contextmanager
    def put_in(self) -> Iterator[None]:
        """Leave the project as it is: the patches have both edits."""
        yield

    def whole(self, survivor: Survivor, naturalness: Naturalness) -> Survivor:
        """Return it as it is: it has both edits."""
        del naturalness
        return survivor


def deeper(
    bases: Sequence[Base],
    project: ProjectSources,
    trial: Trial,
    spectrum: Spectrum,
    *,
    places: Sequence[Spot],
    halted: Callable[[], bool],
) -> List[Deeper]:
    """Return the best places to go on from: in the function of a first edit, and in `places`."""
    found: List[Deeper] = []
    for base in in_turn(bases)[:LOOKED_AT]:
        if len(found) == BASES or halted():
            break
        made = beyond(base, project, trial, spectrum)
        if made is not None:
            found.append(made)
    apart = [place for place in found if not place.base.breaks][:APART]
    return [*(elsewhere(place, places) for place in apart), *found]


def elsewhere(place: Deeper, places: Sequence[Spot]) -> Elsewhere:
    """Return what may be done to functions that the first edit leaves alone.

    Those are the suspicious ones, and what runs only with that edit.
    """
    project, base = place.project, place.base
    source = project.sources[base.patch.path]
    own = source.unit_of(base.patch.changes)
    known = {(spot.path, spot.line) for spot in places}
    top = max((spot.score for spot in places), default=0.0)
    more = [
        spot
        for path, lines in place.run.items()
        for spot in spots(project.sources[path], dict.fromkeys(lines, top))
        if (path, spot.line) not in known
    ]
    others = [
        spot
        for spot in (*places, *more)
        if spot.path != source.path or own is None or source.unit_at(spot.line) != own
    ]
    return Elsewhere(project, base, source, Frontier(project.contexts, others))


def in_turn(bases: Sequence[Base]) -> List[Base]:
    """Return what to go on from, best first: what mends tests and what lets them go on, in turn."""
    mending = sorted(
        (base for base in bases if base.greens),
        key=lambda base: (base.breaks, -len(base.greens), -base.patch.weight),
    )
    further = sorted(
        (base for base in bases if not base.greens), key=lambda base: -base.patch.weight
    )
    pairs = zip_longest(mending, further)
    return [base for pair in pairs for base in pair if base is not None]


def likeliest(bases: Sequence[Base]) -> List[Base]:
    """Return the repairs of crashes to go on from, best first.

    One that is far less likely than another comes behind it, though it turns tests green.
    """
    further = [base for base in bases if base.further and not base.breaks]
    least = max((base.patch.weight for base in further), default=0.0) - FAR_LESS
    return sorted(in_turn(further), key=lambda base: base.patch.weight < least)


def beyond(
    base: Base, project: ProjectSources, trial: Trial, spectrum: Spectrum
) -> Optional[Deeper]:
    """Make the first edit; return None where that is no program, or more than one function."""
    before = project.sources[base.patch.path]
    unit = before.unit_of(base.patch.changes)
    try:
        source = Source(before.path, apply_changes(before.text, base.patch.changes))
    except (SyntaxError, ValueError):
        return None
    now = source.unit_at(unit.first_line) if unit is not None else None
    if unit is None or now is None or now.first_line != unit.first_line:
        return None
    scores = spectrum.scores(trial.paths[before.path], len(before.starts))
    moved = carried(before.text, source.text, scores)
    run = reached(base.patch, trial) if base.further else {}
    top = max(moved.values(), default=0.0)
    moved = {**dict.fromkeys(run.get(before.path, ()), top), **moved}
    places = [s for s in spots(source, moved) if now.first_line <= s.line <= now.last_line]
    context = Context(source, project.clues)
    return Deeper(project, base, source, Frontier({before.path: context}, places), run)


def reached(patch: Patch, trial: Trial) -> Dict[str, List[int]]:
    """Return the lines that failing tests run with the patch in, by file."""
    swapped = trial.swap(patch)
    if swapped is None:
        return {}
    heads, _, _ = trial.concerned(swapped.units)
    request = trial.project.request
    tests = [check.record.test for check in heads]
    limit, until = min(request.test_timeout, LIMIT), time.monotonic() + TRACED
    try:
        records = trace(tests, request.root, request.skip, limit, until, lambda _: None)
    finally:
        trial.put_back(swapped)
    return {
        own: [line for record in records.values() for line in record.lines.get(path, ())]
        for own, path in trial.paths.items()
    }


def carried(old: str, new: str, scores: Dict[int, float]) -> Dict[int, float]:
    """Carry the scores of lines over to a changed text; new lines have the best of them."""
    before, after = old.split("\n"), new.split("\n")
    moved: Dict[int, float] = {}
    top = max(scores.values(), default=0.0)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, _, c, d in matcher.get_opcodes():
        for line in range(c, d):
            moved[line + 1] = scores.get(a + line - c + 1, 0.0) if tag == "equal" else top
    return {line: score for line, score in moved.items() if score}
