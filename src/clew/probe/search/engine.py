"""The search by exchanging code: one collection, then forks of it."""

from __future__ import annotations

import gc
import os
import time
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .baseline import Record, Spectrum, measure, trace
from .files import Project
from .fixers import fixes
from .frontier import Frontier, Spot, spots
from .globals import Memory
from .ranking import Survivor, best
from .request import Answers, Request, edits_of, patch_hash
from .source import Patch, Unit
from .suites import Collected, TimeUp
from .swapping import FUTURE, Swapper, compile_unit, fingerprint
from .workers import BREAKS, GREEN, INVALID, RED, TIMEOUT, Limits, Pool, limited

__all__ = ["Search", "join"]

LINES = 40
REPRESENTATIVES = 4


class Check(NamedTuple):
    """A test made ready to be run very often."""

    id: str
    call: Optional[Callable[[], Any]]
    record: Record
    limit: float


class Search:
    """One search over the functions of a collected project."""

    def __init__(self, request: Request, answers: Answers, flags: Any) -> None:
        self.request = request
        self.answers = answers
        self.flags = flags  # shared with the search beside: stop, workers, found
        self.project = Project(request)
        self.survivors: List[Survivor] = []
        self.tried = 0
        self.families: Dict[str, int] = {}
        self.notes: List[str] = []
        self.frontier: Optional[Frontier] = None
        self.first_complete = 0.0
        self.exhausted = False
        self.targets: List[str] = []
        self.spectrum: Optional[Spectrum] = None

    def run(self, collected: Collected, traced: Callable[[], None]) -> None:
        """Search with everything that was collected; results are in the attributes.

        `traced` is called when the tests have been run once and their outcomes are known.
        """
        request = self.request
        cwd = os.getcwd()
        tests = {test.id: test for test in collected.tests}
        targets = [i for i in request.failing if i in tests]
        if not targets and not collected.errors:
            self.notes.append("none of the failing tests was collected")
            return
        chosen = set(targets)
        # Near tests first: those of the same files, then the rest in their own order.
        files = {tests[i].path for i in targets}
        others = [t for t in collected.tests if t.id not in chosen and t.path in files]
        others += [t for t in collected.tests if t.id not in chosen and t.path not in files]
        limit = min(request.test_timeout, max(2.0, request.seconds * 0.08))

        def tick(done: int) -> None:
            self.answers.progress("tracing", 0, done)

        records = trace(
            [tests[i] for i in targets], request.root, request.skip, limit,
            request.share(0.3), tick,
        )  # fmt: skip
        records.update(trace(others, request.root, request.skip, limit, request.share(0.35), tick))
        if len(records) < len(targets) + len(others):
            self.notes.append(
                "{} of {} tests were traced in the time there was".format(
                    len(records), len(targets) + len(others)
                )
            )
        order = {test.id: index for index, test in enumerate(collected.tests)}
        self.order = order
        targets = [i for i in targets if i in records and not records[i].green]
        for i in request.failing:
            if i in records and records[i].green:
                self.notes.append("{} passed in the search's own run".format(i))
        self.targets = targets
        self.spectrum = Spectrum(records, targets)
        traced()
        if not targets:
            return
        for i in targets:
            if records[i].phase == "setup":
                records[i].test.keep_session = False  # type: ignore[attr-defined]
        self.prepare(records, cwd)
        self.search()

    def prepare(self, records: Dict[str, Record], cwd: str) -> None:
        """Choose the lines, time the tests that matter, find the living functions."""
        request, spectrum = self.request, self.spectrum
        assert spectrum is not None
        places: List[Spot] = []
        self.absolute: Dict[str, str] = {}
        for path in spectrum.files():
            relative = request.editable(path)
            source = self.project.source(relative) if relative else None
            if source is None or relative is None:
                continue
            self.absolute[relative] = path
            scores: Dict[int, float] = {}
            for number in range(1, len(source.starts)):
                score = spectrum.score(path, number)
                crash = spectrum.crashed.get((path, number), 0.0)
                if score or crash:
                    scores[number] = min(1.3, score + crash)
            places += [s for s in spots(source, scores) if source.unit_at(s.line)]
        places.sort(key=lambda s: (-s.score, s.path, s.line))
        self.places = places[:LINES]
        self.frontier = Frontier(self.project.contexts, self.places)
        touched = self.touched_tests(records)
        important = [records[i] for i in self.targets]
        important += [r for i, r in records.items() if i in touched and r.green][:400]
        times = measure(important, min(request.test_timeout, 10.0), request.share(0.45))
        self.checks: Dict[str, Check] = {}
        usual = sorted(seconds for seconds, _ in times.values()) or [0.01]
        typical = usual[len(usual) // 2]
        for record in important:
            identity = record.test.id
            seconds, bare = times.get(identity, (typical, True))
            call = record.test.fast() if bare else None
            limit = min(request.test_timeout, max(0.06, 8 * seconds + 0.04))
            self.checks[identity] = Check(identity, call, record, limit)
        self.cost = {i: times.get(i, (typical, True))[0] for i in self.checks}
        self.swapper = Swapper(request.root)
        self.memory = Memory(request.root, [self.absolute[p] for p in sorted(self.absolute)])
        self.cwd = cwd
        self.by_unit: Dict[Tuple[str, int], Tuple[List[Check], List[Check], List[Check]]] = {}
        self.targets_of: Dict[Tuple[str, int], Any] = {}

    def touched_tests(self, records: Dict[str, Record]) -> Set[str]:
        assert self.spectrum is not None
        found: Set[str] = set()
        units = {}
        for spot in self.places:
            source = self.project.sources[spot.path]
            unit = source.unit_at(spot.line)
            if unit is not None:
                units[spot.path, unit.first_line] = unit
        for (path, _), unit in units.items():
            absolute = self.absolute[path]
            found |= set(self.spectrum.touching(absolute, unit.first_line, unit.last_line))
        return found & set(records)

    def tests_of(self, path: str, unit: Unit) -> Tuple[List[Check], List[Check], List[Check]]:
        """Return representatives, the other failing tests, and passing ones, each fastest first."""
        key = (path, unit.first_line)
        if key not in self.by_unit:
            assert self.spectrum is not None
            ids = set(self.spectrum.touching(self.absolute[path], unit.first_line, unit.last_line))
            chosen = set(self.targets)
            failing = sorted(
                (
                    self.checks[i]
                    for i in self.targets
                    if i in ids or not self.checks[i].record.lines
                ),
                key=lambda c: self.cost[c.id],
            )
            firsts: Dict[Any, Check] = {}
            for check in failing:
                crash = check.record.crash
                mark = (crash.type, crash.frames[-1:]) if crash is not None else None
                firsts.setdefault(mark, check)
            heads = list(firsts.values())[:REPRESENTATIVES]
            for check in failing:
                if len(heads) < 2 and check not in heads:
                    heads.append(check)
            rest = [c for c in failing if c not in heads]
            passing = sorted(
                (self.checks[i] for i in ids if i in self.checks and i not in chosen),
                key=lambda c: (self.cost[c.id], self.order[c.id]),
            )
            self.by_unit[key] = (heads, rest, passing)
        return self.by_unit[key]

    def green(self, check: Check) -> bool:
        """Run one test; say whether it passes. TimeUp goes on to the caller."""
        with limited(check.limit):
            try:
                if check.call is not None:
                    check.call()
                    return True
                return check.record.test.run().green
            except (TimeUp, MemoryError):
                raise
            except BaseException:  # noqa: BLE001 - a candidate may raise anything
                return False

    def swap(self, patch: Patch) -> Optional[List[Tuple[types.FunctionType, types.CodeType]]]:
        """Put a patch in; return what to put back, or None when it is no program."""
        source = self.project.sources[patch.path]
        unit = source.unit_of(patch.changes)
        if unit is None:
            return None
        living = self.swapper.living(self.absolute[patch.path], unit)
        if not living:
            return None
        flags = living[0].__code__.co_flags & FUTURE
        try:
            code = compile_unit(source, unit, patch.changes, flags)
        except (SyntaxError, ValueError, StopIteration, RecursionError, MemoryError, OverflowError):
            return None
        self.code = code
        undo: List[Tuple[types.FunctionType, types.CodeType]] = []
        inner = self.inner_of(patch.path, unit)
        if inner:
            from .swapping import nested  # noqa: PLC0415

            codes = dict(nested(code, ()))
            for place, functions in inner.items():
                if place in codes:
                    for function in functions:
                        self.exchange(function, codes[place], undo)
        done = False
        for function in living:
            done = self.exchange(function, code, undo) or done
        return undo if done else None

    def inner_of(self, path: str, unit: Unit) -> Any:
        key = (path, unit.first_line)
        if key not in self.targets_of:
            self.targets_of[key] = self.swapper.inner(self.absolute[path], unit)
        return self.targets_of[key]

    @staticmethod
    def exchange(function: Any, code: types.CodeType, undo: List[Any]) -> bool:
        before = function.__code__
        try:
            function.__code__ = code
        except ValueError:  # another number of free variables
            return False
        undo.append((function, before))
        return True

    def attempt(self, index: int, tell: Callable[[Any], None]) -> int:
        """Try one candidate, in a worker."""
        patch = self.batch[index]
        undo = self.swap(patch)
        if undo is None:
            return INVALID
        source = self.project.sources[patch.path]
        unit = source.unit_of(patch.changes)
        assert unit is not None
        try:
            self.swapper.clear_caches()
            heads, rest, passing = self.tests_of(patch.path, unit)
            greens = [c.id for c in heads if self.green(c)]
            if not greens:
                return RED
            reds = [c.id for c in heads if c.id not in greens]
            for check in rest:
                (greens if self.green(check) else reds).append(check.id)
            for check in passing:
                if not self.green(check):
                    return BREAKS
            tell([index, greens, hash(fingerprint(self.code))])
        except (TimeUp, MemoryError):
            return TIMEOUT
        finally:
            for function, code in undo:
                function.__code__ = code
            self.memory.restore()
        return GREEN

    def confirm(self, index: int, tell: Callable[[Any], None]) -> int:
        """Run all that matters again, in original order, as the runner would: in a fresh worker."""
        patch = self.batch[index]
        undo = self.swap(patch)
        source = self.project.sources[patch.path]
        unit = source.unit_of(patch.changes)
        if undo is None or unit is None:
            return INVALID
        self.swapper.clear_caches()
        heads, rest, passing = self.tests_of(patch.path, unit)
        chosen = set(self.targets)
        greens: List[str] = []
        for check in sorted([*heads, *rest, *passing], key=lambda c: self.order[c.id]):
            try:
                with limited(check.limit * 3 + 0.2):
                    green = check.record.test.run(seed=1).green
            except TimeUp:
                return TIMEOUT
            except BaseException:  # noqa: BLE001 - a candidate may raise anything
                green = False
            if check.id in chosen:
                if green:
                    greens.append(check.id)
            elif not green:
                return BREAKS
        if not greens:
            return RED
        tell([index, greens, hash(fingerprint(self.code))])
        return GREEN

    def tick(self) -> None:
        made = self.frontier.made if self.frontier else 0
        name = best(self.survivors, len(self.targets), 1)
        self.answers.progress(
            "searching", made, self.tried, name[0].patch.description if name else ""
        )

    def search(self) -> None:
        """Try candidates until the time is up, none is left, or good ones are found."""
        request = self.request
        assert self.frontier is not None
        limits = Limits(request.memory, wall=min(20.0, request.test_timeout + 2.0))
        self.pool = Pool(request.workers, limits, self.tick)
        gc.collect()
        first = self.static()
        self.deadline = request.share(0.8)
        size = 400
        pending = first
        while time.monotonic() < self.deadline and self.tried < request.most:
            chunk = (pending + self.frontier.take(size))[: max(size, len(pending))]
            pending = []
            if not chunk:
                self.exhausted = True
                break
            self.round(chunk)
            self.frontier.reorder()
            size = min(3000, int(size * 1.5))
            if self.enough() or self.flags[0]:
                break
        if not any(s.complete for s in self.survivors):
            self.pairs()

    def static(self) -> List[Patch]:
        """Return the patches that the crashes themselves suggest."""
        found: List[Patch] = []
        assert self.spectrum is not None
        for identity in self.targets:
            crash = self.spectrum.records[identity].crash
            if crash is not None:
                found += fixes(crash, self.project)
        inside = []
        for patch in dict.fromkeys(found):
            source = self.project.sources.get(patch.path)
            if source is None or patch.path not in self.absolute:
                continue
            if source.unit_of(patch.changes) is not None:
                inside.append(patch)
        return inside

    def allowed(self, patch: Patch) -> bool:
        if not self.request.forbidden:
            return True
        return patch_hash(edits_of(self.project, patch)) not in self.request.forbidden

    def round(self, chunk: List[Patch]) -> None:
        """Try a batch, confirm what it found."""
        assert self.frontier is not None
        self.pool.size = max(1, self.flags[1])
        self.batch = [p for p in chunk if self.allowed(p)]
        numbers = list(range(len(self.batch)))
        outcomes, messages = self.pool.run(
            numbers, self.attempt, self.deadline,
            batch=max(20, min(300, len(numbers) // self.request.workers + 1)),
        )  # fmt: skip
        self.tried += len(outcomes)
        for index, outcome in outcomes.items():
            patch = self.batch[index]
            self.families[patch.family] = self.families.get(patch.family, 0) + 1
            if outcome in (GREEN, BREAKS):
                self.frontier.learn(patch)
        found = {message[0]: message for message in messages}
        promising = []
        for index in sorted(found):
            patch = self.batch[index]
            greens = tuple(found[index][1])
            reds = tuple(i for i in self.targets if i not in greens)
            promising.append(self.survivor(patch, greens, reds, (patch.path, found[index][2])))
        ranked = best(promising, len(self.targets), 12)
        again = [self.batch.index(s.patch) for s in ranked]
        _, messages = self.pool.run(again, self.confirm, self.deadline + 5.0, batch=1)
        for index, greens, key in sorted(messages):
            patch = self.batch[index]
            turned = tuple(sorted(greens, key=self.order.__getitem__))
            reds = tuple(i for i in self.targets if i not in greens)
            self.survivors.append(self.survivor(patch, turned, reds, (patch.path, key)))
            if not reds and not self.first_complete:
                self.first_complete = time.monotonic()
                self.flags[2] = 1
        self.tick()

    def survivor(
        self, patch: Patch, greens: Tuple[str, ...], reds: Tuple[str, ...], key: Any
    ) -> Survivor:
        assert self.frontier is not None
        suspicion = self.frontier.line_score(patch.path, patch.line)
        return Survivor(patch, greens, reds, min(1.0, suspicion), key)

    def enough(self) -> bool:
        """Say whether to stop: a complete patch is there, and its rivals had their time."""
        if not self.first_complete:
            return False
        spent = self.first_complete - self.request.started
        return time.monotonic() > self.first_complete + min(3.0, 0.5 + 0.3 * spent)

    def pairs(self) -> None:
        """Join patches that each mend something, then add a second edit to the best of them."""
        partial = best([s for s in self.survivors if not s.complete], len(self.targets), 12)
        if not partial or time.monotonic() > self.deadline:
            return
        joined: List[Patch] = []
        for first, one in enumerate(partial):
            for other in partial[first + 1 :]:
                if set(other.greens) - set(one.greens):
                    joined += join(one.patch, other.patch)
        if joined:
            self.round(joined)


def join(one: Patch, other: Patch) -> List[Patch]:
    """Return both patches as one, when they lie in one file and touch different text."""
    if one.path != other.path:
        return []
    changes = tuple(sorted((*one.changes, *other.changes)))
    if any(a.end >= b.start for a, b in zip(changes, changes[1:])):
        return []
    words = "{}; {}".format(one.description, other.description)
    weight = min(one.weight, other.weight)
    return [Patch(one.path, one.line, "two edits", weight, words, changes)]
