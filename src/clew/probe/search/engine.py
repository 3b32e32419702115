"""The search by exchanging code: one collection, then forks of it."""

from __future__ import annotations

import gc
import math
import os
import time
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from .absent import Absent, absent_of, leaves
from .apart import set_beside, unlike
from .baseline import SeenTest, Spectrum, measure, trace
from .checks import failed_check, loosens
from .clues import mismatches, vocabulary
from .crashes import denied, text_of
from .deepening import TWO, Base, Deeper, Elsewhere, deeper, likeliest
from .files import ProjectSources
from .fixers import brought, fixes, of_history
from .fixers.earlier import PUT_BACK
from .frontier import Frontier, Spot, spots
from .given import FAMILY as GIVEN
from .given import given
from .joining import reduced, spread, unions
from .loading import load
from .naturalness import UNKNOWN, Naturalness
from .ranking import MAKESHIFT, NAMED_NUMBER, ONE_WAY, WEAK, Survivor, best
from .request import Answers, edits_of, hash_of
from .source import Patch
from .suites import After, Collected, Test
from .trying import Check, Trial
from .vain import Vain
from .workers import BREAKS, FURTHER, GREEN, INVALID, RED, Bounds, Pool, latest

__all__ = ["Search"]

# The bytes of the memory that the child shares with the search beside.
STOP = 0  # the byte of the shared memory that ends the child's search
WORKERS = 1  # the one that says how many workers it may have
FOUND = 2  # the child found a complete patch
ONWARD = 3  # the child mended a crash, from which another search goes on
LINES = 40
PASSING = 400  # tests run for each candidate that turns a failing one green, at most
CONFIRMED = 12  # patches of a round, the best of them
EACH = 4  # of one function, so that each of several faults has its patches
FAIR = 4.0  # seconds in which the likeliest candidates are tried whatever the other search finds
WAIT = 0.3  # seconds that any test may wait without working
GONE_ON = 2  # patches with which a crash is gone, from which another search goes on
LIKELIEST = 600  # edits of other functions that two edits of one are held against
LEAST_ROUND = 60  # candidates: on a busy machine to begin a round takes longer than to try one
LEAST = 0.03  # seconds of processor time that any test is given
CHAINED = 40  # earlier tests of a file that may make a later one red
WAITING = 0.1  # seconds without work, beside twice those with, of a test that waits
ROUND = 12.0  # seconds that a round takes, of tests that wait, at the worst
FEWEST = 8  # candidates of such a round
RIVALS = 150  # candidates that are tried after the first complete one, or are given more time
LONGER = 3.0  # times as much
LIKELIER = 0.05  # of the score: one change that is likelier than another
BROUGHT = 0.3  # how much more suspicious a line is that the first bad commit brought
# The parts of the time at which one edit, and two, have to end.
TURNS = ((0.4, 0.6), (0.8, 0.8))
SHORT = ((0.15, 0.35),)  # where another search goes on from the repair of a crash
NUMBER = "constant"  # the family of what puts a number in the place of another
LEAST_TRACED = 5.0  # seconds for tracing failing tests, and passing ones, whatever collecting took


class Search:
    """One search over the functions of a collected project."""

    def __init__(self, project: ProjectSources, answers: Answers, flags: Any) -> None:
        self.request = project.request
        self.answers = answers
        self.flags = flags  # shared with the search beside: stop, workers, found
        self.project = project
        self.survivors: List[Survivor] = []
        self.refused: List[Patch] = []
        self.waits = 0.0  # seconds that all tests take together in which they do no work
        self.alike = 0  # patches that do what a refused one does
        self.bases: List[Base] = []
        self.deeper: Optional[List[Deeper]] = None
        self.further: List[Base] = []  # repairs of crashes, with which tests are still red
        self.absent: Dict[str, Absent] = {}  # by tests: the names that they died of
        self.tried = 0
        self.families: Dict[str, int] = {}
        self.notes: List[str] = []
        self.brought: Dict[str, FrozenSet[int]] = {}  # by file: lines of the first bad commit
        self.frontier: Optional[Frontier] = None
        self.spectrum: Optional[Spectrum] = None
        self.targets: List[str] = []
        self.order: Dict[str, int] = {}
        self.after: Dict[str, List[str]] = {}  # what makes a test red by running before it
        self.first_complete = 0.0
        self.tried_before = 0  # the first complete one
        self.first_covered = 0.0
        self.naturalness = Naturalness(project.sources)
        self.vain = Vain(project)
        self.exhausted = False
        self.denied = False  # tests were kept from writing

    def run(self, collected: Collected, traced: Callable[[], None]) -> None:
        """Search with everything that was collected; results are in the attributes.

        `traced` is called when the tests have been run once and their outcomes are known.
        """
        request = self.request
        self.denied = any(denied(text_of(error)) for error in collected.errors.values())
        tests = {test.id: test for test in collected.tests}
        self.order = {test.id: index for index, test in enumerate(collected.tests)}
        asked = [i for i in request.failing if i in tests]
        if not asked and not collected.errors:
            self.notes.append("none of the failing tests was collected")
            return
        records = self.trace(collected.tests, asked)
        for identity in [i for i in asked if i in records and records[i].green]:
            self.chain(identity, collected.tests, records)
        asked += [i for i in request.green_before if i in records and not records[i].green]
        crashes = [record.crash for record in records.values() if record.crash is not None]
        self.denied = self.denied or any(denied(crash.message) for crash in crashes)
        self.targets = [i for i in asked if i in records and not records[i].green]
        self.notes += [
            "{} passed in the search's own run".format(i)
            for i in asked
            if i in records and records[i].green
        ]
        self.spectrum = Spectrum(records, self.targets)
        words = vocabulary([tests[i].path for i in asked])
        self.project.clues.learn(words, mismatches([records[i].crash for i in self.targets]))
        traced()
        if not self.targets:
            return
        for path in self.spectrum.files():
            relative = request.editable(path)
            told = relative is not None and relative not in self.project.texts
            reach = self.spectrum.reach(path) if told else None
            if reach is not None:
                self.answers.write("reach", path=relative, **reach)
        for i in self.targets:
            records[i].test.keep_session = records[i].phase != "setup"
        self.prepare(records)
        self.search()
        self.survivors = set_beside(self.survivors, self.trial, self.pool, len(self.targets))
        if request.given:
            self.survivors = likelier(self.survivors, len(self.targets))

    def trace(self, tests: Sequence[Test], asked: Sequence[str]) -> Dict[str, SeenTest]:
        """Run failing tests, then those of the same files, then the rest, as time allows."""
        request = self.request
        chosen = set(asked)
        files = {test.path for test in tests if test.id in chosen}
        places = [self.order[i] for i in asked]
        near = [t for t in tests if t.id not in chosen and t.path in files]
        near.sort(key=lambda t: min(abs(self.order[t.id] - place) for place in places))
        far = [t for t in tests if t.id not in chosen and t.path not in files]
        known = {test.id: test for test in tests}

        def tick(done: int) -> None:
            self.answers.progress("tracing", 0, done)

        limit = min(request.test_timeout, max(1.0, request.seconds * 0.05))
        until = max(time.monotonic() + LEAST_TRACED, request.share(0.3))
        records = trace([known[i] for i in asked], request.root, request.skip, limit, until, tick)
        limit = min(request.test_timeout, max(2.0, request.seconds * 0.08))
        until = max(time.monotonic() + LEAST_TRACED, request.share(0.22))
        more = trace([*near, *far], request.root, request.skip, limit, until, tick)
        records.update(more)
        if len(records) < len(tests):
            self.notes.append(
                "{} of {} tests were traced in the time there was".format(len(records), len(tests))
            )
        return records

    def chain(self, identity: str, tests: Sequence[Test], records: Dict[str, SeenTest]) -> None:
        """Find the tests of its file after which a test is red, as few as halving finds."""
        place = self.order[identity]
        test = tests[place]
        others = [each for each in tests[:place] if each.path == test.path][-CHAINED:]
        found = None
        parts = [others] if others else []
        while parts and time.monotonic() < self.request.share(0.3):
            part = parts.pop(0)
            limit = min(self.request.test_timeout, 2.0)
            until = time.monotonic() + LEAST_TRACED
            chain = [After(test, part)]
            ran = trace(chain, self.request.root, self.request.skip, limit, until, lambda _: None)
            if identity in ran and not ran[identity].green:
                found = ran[identity]
                self.after[identity] = [each.id for each in part]
                half = len(part) // 2
                parts = [part[half:], part[:half]] if half else []
        if found is not None:
            records[identity] = found

    def prepare(self, records: Dict[str, SeenTest]) -> None:
        """Choose the lines, time the tests that matter, find the living functions."""
        request, spectrum = self.request, self.spectrum
        assert spectrum is not None
        places: List[Spot] = []
        paths: Dict[str, str] = {}
        crashes = [records[i].crash for i in self.targets]
        judges = {place for crash in crashes for place in failed_check(crash, self.project)}
        for path in spectrum.files():
            relative = request.editable(path)
            source = self.project.source(relative) if relative else None
            if source is None or relative is None:
                continue
            paths[relative] = path
            scores = spectrum.scores(path, len(source.starts))
            self.brought[relative] = brought(self.project, source)
            for line in self.brought[relative].intersection(scores):
                scores[line] += BROUGHT
            units = ((s, source.unit_at(s.line)) for s in spots(source, scores))
            places += [s for s, unit in units if unit and (relative, unit.first_line) not in judges]
        load([os.path.realpath(path) for path in paths.values()])
        places.sort(key=lambda s: (-s.score, s.path, s.line))
        self.frontier = Frontier(self.project.contexts, places[:LINES])
        touched: Set[str] = set()
        for spot in places[:LINES]:
            unit = self.project.sources[spot.path].unit_at(spot.line)
            if unit is not None:
                found = spectrum.touching(paths[spot.path], unit.first_line, unit.last_line)
                touched.update(found)
        important = [records[i] for i in self.targets]
        important += [r for i, r in records.items() if i in touched and r.green][:PASSING]
        self.trial = Trial(self.project, spectrum, self.checks(important), self.order)
        for spot in places[:LINES]:
            unit = self.project.sources[spot.path].unit_at(spot.line)
            if unit is not None:
                self.trial.foresee(spot.path, unit)

    def checks(self, records: Sequence[SeenTest]) -> Dict[str, Check]:
        """Time the tests bare, where bare is enough, and give each its limit."""
        longest = min(self.request.test_timeout, 10.0)
        times = measure(records, longest, self.request.share(0.45))
        usual = sorted(seconds for seconds, _, _ in times.values()) or [0.001]
        typical = usual[len(usual) // 2]
        found: Dict[str, Check] = {}
        for record in records:
            identity = record.test.id
            guess = typical if record.hangs else max(typical, record.seconds)
            seconds, waited, bare = times.get(identity, (guess, guess, True))
            limit = max(LEAST, 8 * seconds + LEAST, record.test.least)
            limit = min(self.request.test_timeout, limit)
            call = record.test.fast() if bare else None
            wall = WAIT + 10 * limit + 4 * waited
            found[identity] = Check(
                identity, call, record, limit, wall, seconds, max(0.0, waited - seconds)
            )
        return found

    def tick(self) -> None:
        made = self.frontier.made if self.frontier else 0
        first = best(self.survivors, len(self.targets), 1)
        self.answers.progress(
            "searching",
            made,
            self.tried + self.pool.done,
            first[0].patch.description if first else "",
        )

    def search(self) -> None:
        """Try candidates until the time is up, none is left, or good ones are found."""
        request = self.request
        assert self.frontier is not None
        checks = self.trial.checks.values()
        slowest = max((max(c.cost, c.record.test.least) for c in checks), default=0.0)
        wall = min(request.test_timeout + 2.0, 2.0 + 20 * slowest)
        self.pool = Pool(request.workers, Bounds(request.memory, wall), self.tick)
        self.waits = sum(c.waits for c in checks if c.waits > WAITING + 2 * c.cost)
        self.deadline = request.share(TURNS[-1][-1])
        self.fair = time.monotonic() + FAIR
        self.vain.begin(self.targets)
        gc.collect()
        known = (given(self.project, files) for files in request.refused)
        self.refused = [each.patch for each in known if each and each.add(request.root)]
        if request.given and not self.known():
            self.notes.append("the change that is known cannot be put in")
            return
        self.keep(self.attempt(self.static(), learn=self.frontier))
        assert self.spectrum is not None
        for identity in self.targets:
            absent = absent_of(self.spectrum.records[identity].crash, self.project)
            if absent is not None:
                self.absent[identity] = absent
        self.further = likeliest(self.bases)[:GONE_ON]
        turns = SHORT if self.further else TURNS
        self.flags[ONWARD] = bool(self.further)
        self.deadline = request.share(turns[-1][-1])
        for one, two in turns:
            self.singly(request.share(one))
            if not self.first_complete:
                self.unite()
            if self.first_complete or self.covered():
                break
            self.deepen(self.deadline if self.exhausted else request.share(two))
        if self.vain.left_out:
            words = "{} changes were tried in vain on the same code before, and not again"
            self.notes.append(words.format(self.vain.left_out))
        if self.alike:
            words = "left out, as they do what a refused change does on all inputs tried: {}"
            self.notes.append(words.format(self.alike))

    def singly(self, until: float) -> None:
        """Try candidates, the best first."""
        assert self.frontier is not None
        hangs = any(self.trial.checks[i].record.hangs for i in self.targets)
        size, least = 40 if hangs else 400, LEAST_ROUND
        if self.waits:
            fewer = max(FEWEST, int(ROUND * self.request.workers / self.waits))
            size, least = min(size, fewer), min(least, fewer)
        while not self.over(until) and self.tried < self.request.most:
            chunk = self.frontier.take(size)
            if not chunk:
                self.exhausted = True
                break
            began, left = time.monotonic(), self.vain.others(chunk)
            if left:
                self.keep(self.attempt(left, learn=self.frontier))
                self.frontier.reorder()
            # A round takes a second or two, so that what was learnt comes to bear.
            pace = len(chunk) / max(0.01, time.monotonic() - began)
            size = int(min(3000, 2 * size, max(least, 1.5 * pace)))

    def known(self) -> bool:
        """Try the change that is known first; say whether it does here what it is known to do."""
        told = given(self.project, self.request.given)
        reached = told and all(path in self.trial.paths for path, _ in told.patch.files)
        if told and reached and told.add(self.request.root):
            self.keep(self.attempt([told.patch], learn=None))
        return bool(self.first_complete)

    def static(self) -> List[Patch]:
        """Return the patches that the crashes themselves suggest, and the history."""
        found: List[Patch] = []
        assert self.spectrum is not None
        for identity in self.targets:
            crash = self.spectrum.records[identity].crash
            if crash is not None:
                found += fixes(crash, self.project)
        found += of_history(self.project)
        return [
            patch
            for patch in dict.fromkeys(found)
            if patch.path in self.trial.paths
            and patch.path in self.project.sources
            and self.project.sources[patch.path].parts(patch.changes) is not None
        ]

    def allowed(self, patch: Patch) -> bool:
        if not self.request.forbidden:
            return True
        return hash_of(edits_of(self.project, patch)) not in self.request.forbidden

    def attempt(self, chunk: Sequence[Patch], learn: Optional[Frontier]) -> List[Survivor]:
        """Try patches; return those that turn something green and nothing red."""
        self.pool.size = max(1, self.flags[WORKERS])
        self.trial.batch = batch = list(chunk)
        self.trial.tells_further = learn is not None
        outcomes, messages = self.pool.run(
            list(range(len(batch))), self.trial.attempt, self.deadline,
            batch=max(1 if self.waits else 20, min(300, len(batch) // self.request.workers + 1)),
            stop=self.halted,
        )  # fmt: skip
        self.tried += len(outcomes)
        for index, outcome in outcomes.items():
            family = batch[index].family
            self.families[family] = self.families.get(family, 0) + 1
            if outcome in (RED, INVALID) and batch[index].changes:
                self.vain.note(batch[index])
            if learn is not None and outcome in (GREEN, BREAKS):
                learn.learn(batch[index])
            elif learn is not None and outcome == FURTHER and not self.goes_around(batch[index]):
                self.bases.append(Base(batch[index], (), breaks=False, further=True))
        found: List[Survivor] = []
        for index, greens, key, outcome, further in sorted(messages):
            patch = batch[index]
            if learn is not None and self.goes_around(patch, greens):
                continue
            if learn is not None:
                self.bases.append(Base(patch, tuple(greens), outcome == BREAKS, further))
            if outcome == GREEN:
                found.append(self.survivor(patch, greens, key))
        return found

    def goes_around(self, patch: Patch, greens: Sequence[str] = ()) -> bool:
        """Say whether a patch leaves a name that is nowhere, and tests pass it by.

        What the crash itself suggested was tried before any name is known here.
        """
        if not greens and len(self.absent) < len(self.targets):
            return False
        lacking = {self.absent[i] for i in greens or self.targets if i in self.absent}
        return any(leaves(patch, absent, self.project) for absent in lacking)

    def keep(self, found: Sequence[Survivor]) -> None:
        """Confirm the best of what was found in fresh workers."""
        fresh = [s for s in found if self.allowed(s.patch)]
        ranked = best(fresh, len(self.targets), len(fresh))
        firsts = ranked[:CONFIRMED]
        ranked = [*firsts, *(s for s in spread(ranked, EACH, self.function) if s not in firsts)]
        self.trial.batch = batch = [s.patch for s in ranked]
        _, messages = self.pool.run(
            list(range(len(batch))), self.trial.confirm, self.confirmed_until, batch=1
        )
        kept: List[Survivor] = []
        for index, greens, key, stumbles, one_way in latest(messages):
            patch = batch[index]._replace(family=ONE_WAY) if one_way else batch[index]
            survivor = self.survivor(patch, greens, key)
            crashes = (self.spectrum.records[i].crash for i in greens) if self.spectrum else ()
            if stumbles or loosens(patch, crashes, self.project):
                survivor = survivor._replace(natural=0.0)
            kept.append(survivor.joins(self.survivors))
        wanted = unlike(kept, self.refused, self.trial, self.pool)
        self.alike += len(kept) - len(wanted)
        for survivor in wanted:
            self.survivors.append(survivor)
            weak = survivor.patch.family in WEAK
            if survivor.complete and weak:
                self.first_covered = self.first_covered or time.monotonic()
            elif survivor.complete and not self.first_complete:
                self.first_complete = time.monotonic()
                self.tried_before = self.tried
                self.flags[FOUND] = 1
        if not self.first_covered and self.covered():
            self.first_covered = time.monotonic()
        self.tick()
        self.name_numbers(found)

    @property
    def confirmed_until(self) -> float:
        """When confirming ends: tests that wait are run several times for each patch."""
        usual = self.deadline + 5.0
        return max(usual, min(usual + CONFIRMED * self.waits, self.request.share(0.95)))

    def name_numbers(self, found: Sequence[Survivor]) -> None:
        """Try variables at once where a number passes: tests gave them its value, as a rule."""
        assert self.frontier is not None
        kept = {survivor.patch for survivor in self.survivors}
        numbers = [s.patch for s in found if s.patch in kept and s.patch.family == NUMBER]
        named = [n for each in numbers for n in self.frontier.of_family(NAMED_NUMBER, each)]
        if named:
            self.keep(self.attempt(named, learn=self.frontier))

    def survivor(self, patch: Patch, greens: Sequence[str], key: int) -> Survivor:
        assert self.frontier is not None
        turned = tuple(sorted(greens, key=self.order.__getitem__))
        reds = tuple(i for i in self.targets if i not in turned)
        if patch.family in PUT_BACK:
            # A person wrote it, and not each place that comes back is at fault.
            source = self.project.sources[patch.path]
            lines, natural = {source.line_of(c.start) for c in patch.changes}, UNKNOWN
        else:
            lines = {patch.line}
            natural = min(
                self.naturalness.of(self.project.sources[path], changes)
                for path, changes in patch.files
            )
        suspicion = min(1.0, max(self.frontier.line_score(patch.path, line) for line in lines))
        return Survivor(patch, turned, reds, suspicion, (patch.path, key), natural)

    def enough(self) -> bool:
        """Say whether to stop: a complete patch is there, and its rivals had their time."""
        if self.halted():
            return True
        now = time.monotonic()
        if self.first_complete:
            spent = self.first_complete - self.request.started
            longer = LONGER if self.tried - self.tried_before < RIVALS else 1.0
            return now > self.first_complete + longer * min(3.0, 0.5 + 0.3 * spent)
        if self.first_covered:
            spent = self.first_covered - self.request.started
            return now > self.first_covered + min(10.0, 2.0 + spent)
        return False

    def halted(self) -> bool:
        """Say whether the search beside made this one needless; it always has its first round."""
        return bool(self.flags[STOP]) and (self.tried > 0 or time.monotonic() > self.fair)

    def covered(self) -> bool:
        """Say whether there are several faults, and each has its patch.

        That is so when the best patches of two or more functions mend all failing tests together.
        """
        firsts: Dict[Tuple[str, int], Survivor] = {}
        for survivor in self.survivors:
            key = self.function(survivor)
            if key not in firsts or len(survivor.greens) > len(firsts[key].greens):
                firsts[key] = survivor
        mended = {i for survivor in firsts.values() for i in survivor.greens}
        return len(firsts) > 1 and mended.issuperset(self.targets)

    def function(self, survivor: Survivor) -> Tuple[str, int]:
        """Name the function that a patch changes: by file and first line."""
        path, line = survivor.patch.path, survivor.patch.line
        unit = self.project.sources[path].unit_at(line)
        return path, unit.first_line if unit else 0

    def unite(self) -> None:
        """Join patches that each mend something else: there may be several faults."""
        partial = best(self.survivors, len(self.targets), len(self.survivors))
        partial = spread(partial, EACH, self.function)
        joined = unions(partial)
        if joined and time.monotonic() < self.deadline:
            found = self.attempt(joined, learn=None)
            smaller = reduced([s for s in found if not s.complete], partial)
            self.keep(found + self.attempt(smaller, learn=None))

    def deepen(self, until: float) -> None:
        """Add a second edit to patches that mend something, or let a test go on."""
        assert self.spectrum is not None
        if self.deeper is None:
            bases, halted = self.further or self.bases, lambda: self.over(until)
            places = self.frontier.spots if self.frontier else []
            self.deeper = deeper(
                bases, self.project, self.trial, self.spectrum, places=places, halted=halted
            )
        size = 150
        while (turned := self.turned()) and not self.over(until):
            for each in turned:
                chunk = each.frontier.take(size)
                if not chunk:
                    self.deeper.remove(each)
                    continue
                known = isinstance(each, Elsewhere)  # alone they were tried in vain, as is known
                left = chunk if known else self.vain.others(chunk, each.source)
                if left:
                    self.keep(self.beside(each, left))
                    each.frontier.reorder()
                if self.over(until):
                    break
            size = min(1500, size * 2)
        if self.first_complete and not self.request.last:
            self.hold_against()

    def turned(self) -> List[Deeper]:
        """Return the places whose turn it is: other functions only where no iteration follows.

        Another one mends what is left, and each change is doubted by itself. None follows where
        nothing was found that could be kept.
        """
        last = self.request.last or not self.survivors
        return [place for place in self.deeper or () if last or not isinstance(place, Elsewhere)]

    def hold_against(self) -> None:
        """Hold two edits of one function against the likeliest that lie in two."""
        for each in self.deeper or ():
            if isinstance(each, Elsewhere) and not self.halted():
                self.keep(self.beside(each, each.frontier.take(LIKELIEST)))

    def over(self, until: float) -> bool:
        return time.monotonic() > until or self.enough()

    def beside(self, place: Deeper, chunk: Sequence[Patch]) -> List[Survivor]:
        """Try second edits; return whole patches that mend more than any single edit does.

        Nor is one wanted beside a first edit that mends as much alone, and was refused before.
        """
        with place.put_in():
            found = self.attempt(place.tried(chunk), learn=None)
        for survivor in found:
            place.frontier.learn(survivor.patch.single[-1])
        single = (s for s in self.survivors if s.patch.family not in (TWO, MAKESHIFT))
        alone = 0 if place.base.breaks else len(place.base.greens)
        most = max([alone, *(len(s.greens) for s in single)])
        return [place.whole(s, self.naturalness) for s in found if len(s.greens) > most]


def likelier(survivors: Sequence[Survivor], targets: int) -> List[Survivor]:
    """Return the change that is known, and what passes, does otherwise and is a likelier change.

    How likely the known one is, is told by the likeliest that the search found and that does the
    same; one that it does not find is less likely than any that it does. What only raises where
    the known one gives a value is no rival.
    """
    first = next((s for s in survivors if s.patch.family == GIVEN and s.complete), None)
    if first is None:
        return []
    others = [s for s in survivors if s.complete and s.patch.family != GIVEN]
    same = [s.score(targets) for s in others if s.key == first.key]
    least = max(same, default=-math.inf)
    return [
        first,
        *(
            s
            for s in others
            if s.parting and s.score(targets) > least + LIKELIER and not raises(s.parting[2])
        ),
    ]


def raises(shown: str) -> bool:
    return shown.startswith("raises ")
