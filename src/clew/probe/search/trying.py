"""Trying a patch by exchanging code: what a worker does with one candidate."""

from __future__ import annotations

import os
import types
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from .baseline import SeenTest, Spectrum
from .crashes import Place, place_of
from .deciding import Decisions, condition
from .files import ProjectSources
from .fixers.earlier import PUT_BACK
from .given import FAMILY as GIVEN
from .globals import Memory
from .onward import Advance, further, set_back, slipped
from .overrides import install
from .returning import Returns, promised
from .source import Patch, Splice, Unit, apply_changes, imports_apart
from .stumbling import Stumbles
from .suites import TimeUp
from .swapping import FUTURE, Swapper, compile_unit, fingerprint, nested
from .workers import BREAKS, FURTHER, GREEN, INVALID, LATE, RED, SLOW, TIMEOUT, limited

__all__ = ["Check", "Trial"]

SKIPPED = Exception("the test was skipped")
STEP = 0.45  # the weight of a patch from which it is worth while to go on
REPRESENTATIVES = 4
DEAR = 0.1  # seconds of a test, from which on it may be too dear
MUCH_DEARER = 10  # times what the cheaper ones take together
ASKED = 8  # further tests that are asked what functions give back


class Check(NamedTuple):
    """A test made ready to be run very often."""

    id: str
    call: Optional[Callable[[], Any]]
    record: SeenTest
    limit: float  # seconds of processor time
    wall: float  # seconds on the clock
    cost: float
    waits: float = 0.0  # seconds on the clock in which it does no work


LIKE = Tuple[List[Check], List[Check], List[Check]]


class Swapped(NamedTuple):
    """A patch that is in the running program."""

    undo: List[Tuple[Any, types.CodeType]]
    units: List[Tuple[str, Unit]]  # with their paths
    codes: List[types.CodeType]
    brought: List[Tuple[Dict[str, Any], str]]  # names that imports gave to modules

    @property
    def key(self) -> int:
        """What patches of equal code share."""
        return hash(tuple(fingerprint(code) for code in self.codes))


class Trial:
    """Everything a worker needs; made before the fork, used after it."""

    def __init__(
        self,
        project: ProjectSources,
        spectrum: Spectrum,
        checks: Dict[str, Check],
        order: Dict[str, int],
    ) -> None:
        self.project = project
        self.spectrum = spectrum
        self.checks = checks
        self.order = order
        self.targets = set(spectrum.failing)
        self.dying = [check for check in checks.values() if check.record.died]
        root = project.request.root
        self.paths = {
            relative: path
            for path in spectrum.files()
            for relative in [project.request.editable(path)]
            if relative is not None
        }
        self.swapper = Swapper(root)
        self.loaded = {path for path in self.paths if self.loads(path)}
        self.texts: Dict[str, bytes] = {}  # of files that tests load anew, by real path
        install(self.texts)
        self.memory = Memory(root)
        self.batch: List[Patch] = []
        self.tells_further = True  # what lets a test go on, though it stays red
        self.tests: Dict[Tuple[str, int], LIKE] = {}
        self.running: Dict[Tuple[str, int], FrozenSet[str]] = {}  # tests, by file and line
        self.made_earlier: Dict[Tuple[str, int], Any] = {}

    def loads(self, path: str) -> bool:
        """Say whether failing tests load a file while they run: maybe each time anew."""
        source = self.project.source(path)
        units = source.units if source is not None else []
        firsts = [unit.first_line for unit in units if not unit.chain]
        return self.spectrum.loading(self.paths[path], firsts)

    def foresee(self, path: str, unit: Unit) -> None:
        """Find out what every worker would find out anew: a fork keeps what was known before it."""
        self.tests_of(path, unit)
        self.earlier_of(path, unit)

    def tests_of(self, path: str, unit: Unit) -> LIKE:
        """Return representatives, the other failing tests, and passing ones, each fastest first."""
        key = (path, unit.first_line)
        if key not in self.tests:
            ids = set(self.spectrum.touching(self.paths[path], unit.first_line, unit.last_line))
            failing = [
                self.checks[i]
                for i in self.spectrum.failing
                if (i in ids or not self.checks[i].record.lines) and not self.checks[i].record.died
            ]
            failing.sort(key=lambda c: (c.cost, self.order[c.id]))
            heads = representatives(failing)
            passing = [self.checks[i] for i in ids if i in self.checks and i not in self.targets]
            passing.sort(key=lambda c: (c.cost, self.order[c.id]))
            self.tests[key] = (heads, [c for c in failing if c not in heads], passing)
        return self.tests[key]

    def failure(self, check: Check) -> Optional[BaseException]:
        """Run one test; return what it raises. TimeUp goes on to the caller."""
        with limited(check.limit, check.wall):
            try:
                if check.call is not None:
                    check.call()
                    return None
                outcome = check.record.test.run()
            except (TimeUp, MemoryError):
                raise
            except BaseException as error:  # noqa: BLE001 - a candidate may raise anything
                return error
        return None if outcome.green else outcome.error or SKIPPED

    def goes_further(self, check: Check, error: BaseException, patch: Patch) -> bool:
        """Say whether a test that stays red ends later than before, or ends at all."""
        before = check.record.crash
        if before is None or check.record.hangs:
            return check.record.hangs
        after = place_of(error, self.project.request.root)
        if after.frames == before.frames and after.missing == before.missing:
            return False
        return further(before, Advance(patch, after), self.project)

    def set_back(self, check: Check, error: Optional[BaseException], patch: Patch) -> bool:
        """Say whether a test that stays red fails at an assertion that held before.

        Or whether it only ends with a slip at a line that the patch changes, and did not before.
        """
        after = place_of(error, self.project.request.root) if error is not None else None
        if after is None:
            return False
        slips = slipped(check.record.crash, Advance(patch, after), self.project)
        return slips or set_back(check.record.crash, after)

    def only_raises(self, check: Check, error: BaseException) -> bool:
        """Say whether a test that hung ends in an exception of the function in which it hung."""
        before = check.record.crash
        if not check.record.hangs or before is None:
            return False
        after = place_of(error, self.project.request.root)
        was, now = (self.unit(crash.frames[-1:]) for crash in (before, after))
        return was is not None and was == now

    def unit(self, places: Sequence[Place]) -> Optional[Tuple[str, int]]:
        """Return the file and the first line of the function that a place lies in."""
        for path, line, _ in places:
            relative = self.project.request.editable(path)
            source = self.project.source(relative) if relative is not None else None
            unit = source.unit_at(line) if source is not None else None
            return (path, unit.first_line) if unit is not None else None
        return None

    def swap(self, patch: Patch) -> Optional[Swapped]:
        """Put a patch in; return what to put back, or None when it is no program."""
        swapped = Swapped([], [], [], [])
        if all(self.swap_file(path, changes, swapped) for path, changes in patch.files):
            return swapped if swapped.units else None
        self.put_back(swapped)
        return None

    def swap_file(self, path: str, changes: Tuple[Splice, ...], swapped: Swapped) -> bool:
        """Put the changes of one file in; say whether they are a program, and reach living code."""
        source = self.project.sources[path]
        anew = path in self.loaded
        if anew:
            text = apply_changes(source.text, changes)
            self.texts[os.path.realpath(self.paths[path])] = text.encode("utf-8")
        imports, inside = imports_apart(source, changes)
        for unit, own in source.parts(inside) or []:
            living = self.swapper.living(self.paths[path], unit)
            for function in living:
                bring(imports, function.__globals__, swapped)
            flags = living[0].__code__.co_flags & FUTURE if living else 0
            try:
                code = compile_unit(source, unit, own, flags)
            except (SyntaxError, ValueError, StopIteration, RecursionError, MemoryError):
                return False
            self.exchange_inner(path, unit, code, swapped)
            done = [exchange(function, code, swapped.undo) for function in living]
            if not any(done) and not anew:
                return False
            swapped.units.append((path, unit))
            swapped.codes.append(code)
        return True

    def exchange_inner(self, path: str, unit: Unit, code: types.CodeType, swapped: Swapped) -> None:
        """Exchange also what the function made earlier: decorated or registered functions."""
        earlier = self.earlier_of(path, unit)
        if earlier:
            codes = dict(nested(code, ()))
            for place, functions in earlier.items():
                for function in functions if place in codes else ():
                    exchange(function, codes[place], swapped.undo)

    def earlier_of(self, path: str, unit: Unit) -> Any:
        key = (path, unit.first_line)
        if key not in self.made_earlier:
            self.made_earlier[key] = self.swapper.inner(self.paths[path], unit)
        return self.made_earlier[key]

    def put_back(self, swapped: Swapped) -> None:
        self.texts.clear()
        for function, code in reversed(swapped.undo):
            function.__code__ = code
        for names, name in swapped.brought:
            names.pop(name, None)

    def concerned(self, units: Sequence[Tuple[str, Unit]]) -> LIKE:
        """Return the tests of one or more functions, as `tests_of` does."""
        groups = [self.tests_of(path, unit) for path, unit in units]
        if len(groups) == 1:
            return groups[0]
        heads, rest, passing = (
            list({check.id: check for group in groups for check in group[part]}.values())
            for part in range(3)
        )
        return heads, [check for check in rest if check not in heads], passing

    def led(
        self, patch: Patch, heads: List[Check], rest: List[Check], passing: List[Check]
    ) -> LIKE:
        """Put a test that runs the changed line before the others, where no representative does."""
        path = self.paths.get(patch.path)
        if path is None or not rest:
            return heads, rest, passing
        place = (path, patch.line)
        if place not in self.running:
            self.running[place] = frozenset(self.spectrum.touching(path, patch.line, patch.line))
        ids = self.running[place]
        first = None if any(check.id in ids for check in heads) else in_any(rest, ids)
        if first is None:
            return heads, rest, passing
        return [first, *heads], [check for check in rest if check is not first], passing

    def attempt(self, index: int, tell: Callable[[Any], None]) -> int:
        """Try one candidate: representatives first, and on only while there is hope."""
        patch = self.batch[index]
        swapped = self.swap(patch)
        if swapped is None:
            return INVALID
        check: Optional[Check] = None
        try:
            self.swapper.clear_caches()
            heads, rest, passing = self.led(patch, *self.concerned(swapped.units))
            greens: List[str] = []
            further, breaks, reds = False, False, False
            likely = self.tells_further and patch.weight >= STEP
            for part in (heads, rest):
                for check in part:
                    if reds and part is rest and check.cost > DEAR:
                        continue  # it does not mend all; what it mends is found out in `confirm`
                    error = self.failure(check)
                    if error is None:
                        greens.append(check.id)
                        continue
                    reds = True
                    breaks = breaks or self.only_raises(check, error)
                    if likely and not further:
                        further = self.goes_further(check, error, patch)
                if not greens:
                    return FURTHER if further else RED
            for check in passing if not breaks else ():
                breaks = self.failure(check) is not None
                if breaks:
                    break
            outcome = BREAKS if breaks else GREEN
            tell([index, greens, swapped.key, outcome, further])
        except (TimeUp, MemoryError) as error:
            if getattr(error, "waited", False) and check is not None and not check.record.hangs:
                return LATE
            # Within a bare call nothing of the runner was under way: the worker may go on.
            if check is not None and check.call is not None:
                return TIMEOUT if check.record.test.leaves_traces else SLOW
            return TIMEOUT
        finally:
            self.put_back(swapped)
            self.memory.restore()
        return outcome

    def confirm(self, index: int, tell: Callable[[Any], None]) -> int:
        """Run all that matters again, in original order, as the runner would: in a fresh worker."""
        patch = self.batch[index]
        swapped = self.swap(patch)
        if swapped is None:
            return INVALID
        self.swapper.clear_caches()
        heads, rest, passing = self.concerned(swapped.units)
        greens: List[str] = []
        usual = sorted([*heads, *rest, *passing], key=lambda c: self.order[c.id])
        for check in [*usual, *self.dying]:
            if check.record.died and greens:
                tell([index, greens, swapped.key, False, False])  # in case that it dies again
            error: Optional[BaseException] = None
            try:
                with limited(check.limit * 3 + 0.2):
                    outcome = check.record.test.run(seed=1)
                green, error = outcome.green, outcome.error
            except TimeUp:
                return TIMEOUT
            except BaseException as raised:  # noqa: BLE001 - a candidate may raise anything
                green, error = False, raised
            if check.id in self.targets and green:
                greens.append(check.id)
            elif not green and (check.id not in self.targets or self.set_back(check, error, patch)):
                return BREAKS
        if not greens:
            return RED
        own = patch.family not in (GIVEN, *PUT_BACK)
        if own and self.breaks_word(swapped, [*heads, *rest[:ASKED], *passing[:ASKED]]):
            return BREAKS
        stumbles = own and self.stumbles(swapped, [self.checks[i] for i in greens[:ASKED]])
        asked = [*heads, *rest[:ASKED], *passing[:ASKED]]
        one_way = own and not stumbles and self.goes_one_way(patch, swapped, asked)
        tell([index, greens, swapped.key, stumbles, one_way])
        return GREEN

    def goes_one_way(self, patch: Patch, swapped: Swapped, checks: Sequence[Check]) -> bool:
        """Say whether the condition that is changed goes one way in all tests, and went both."""
        if any(check.record.hangs or check.record.died for check in checks):
            return False  # without the change they do so again
        lines = condition(patch, self.project.sources[patch.path])
        after = Decisions(frozenset(swapped.codes), lines)
        self.memory.restore()
        if not lines or self.seen(after, checks) or not after.next:
            return False
        before = frozenset(old for _, old in swapped.undo)
        self.put_back(swapped)
        self.memory.restore()
        return self.seen(Decisions(before, lines), checks)

    def stumbles(self, swapped: Swapped, checks: Sequence[Check]) -> bool:
        """Say whether functions are left by an error that none raises, and were not before."""
        if not self.seen(Stumbles(frozenset(swapped.codes)), checks):
            return False
        before = frozenset(old for _, old in swapped.undo)
        self.put_back(swapped)
        return not self.seen(Stumbles(before), checks)

    def breaks_word(self, swapped: Swapped, checks: Sequence[Check]) -> bool:
        """Say whether functions give back what their annotations rule out, and did not before."""
        promises = [promised(unit.node) for _, unit in swapped.units]
        after = dict(zip(swapped.codes, promises))
        if not any(promises) or not self.seen(Returns(after), checks):
            return False
        before = {old: after.get(new.__code__, ()) for new, old in swapped.undo}
        self.put_back(swapped)
        return not self.seen(Returns(before), checks)

    @staticmethod
    def seen(watch: Union[Returns, Stumbles, Decisions], checks: Sequence[Check]) -> bool:
        """Run tests while something watches, until it has found what it looks for."""
        for check in checks:
            try:
                with limited(10 * check.limit), watch:
                    check.record.test.run(seed=1)
            except BaseException:  # noqa: BLE001, S112 - a candidate may raise anything
                continue
            if watch.found:
                break
        return watch.found


def representatives(failing: Sequence[Check]) -> List[Check]:
    """Choose a test for each way to fail, two at least where there are two.

    The tests are in the order of what they cost. One that costs far more than two others have to
    is not asked of each candidate: only of those that turn another one green.
    """
    firsts: Dict[Any, Check] = {}
    for check in failing:
        crash = check.record.crash
        mark = (crash.type, crash.frames[-1:]) if crash is not None else None
        firsts.setdefault(mark, check)
    chosen: Set[str] = set()
    spent = 0.0
    for check in list(firsts.values())[:REPRESENTATIVES]:
        if len(chosen) >= 2 and check.cost > max(DEAR, MUCH_DEARER * spent):
            break
        chosen.add(check.id)
        spent += check.cost
    for check in failing:
        if len(chosen) < 2:
            chosen.add(check.id)
    return [check for check in failing if check.id in chosen]


def in_any(checks: Sequence[Check], ids: FrozenSet[str]) -> Optional[Check]:
    return next((check for check in checks if check.id in ids), None)


def bring(imports: Sequence[str], names: Dict[str, Any], swapped: Swapped) -> None:
    """Give a module the names that a patch imports, and that it has not."""
    for text in imports:
        found: Dict[str, Any] = {}
        exec(text, found)  # noqa: S102 - an import, as the patch has it
        for name in found.keys() - names.keys():
            names[name] = found[name]
            swapped.brought.append((names, name))


def exchange(function: Any, code: types.CodeType, undo: List[Any]) -> bool:
    before = function.__code__
    try:
        function.__code__ = code
    except ValueError:  # another number of free variables
        return False
    undo.append((function, before))
    return True
