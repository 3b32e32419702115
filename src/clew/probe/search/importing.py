"""The search by importing anew: for what exchanged code cannot reach.

Module constants, class bodies, defaults, decorators, and whatever keeps a module from loading.
The process has not imported any module of the project, so that each candidate is a fork that
collects and runs the tests with one file's text replaced.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .crashes import SearchCrash, crash_of, revive
from .files import ProjectSources, bound
from .fixers import fixes, of_history
from .fixers.earlier import FAMILY, OLDER
from .frontier import Frontier, Spot
from .onward import Advance, further, onward
from .overrides import install
from .ranking import WEAK, Survivor, best
from .request import Answers, SearchRequest, edits_of, hash_of
from .source import FUNCTIONS, Patch, apply_changes
from .suites import Collected, Suite, TimeUp, chained
from .workers import (
    BREAKS,
    GREEN,
    INVALID,
    RED,
    TIMEOUT,
    Bounds,
    Pool,
    child,
    latest,
    limited,
    wait,
)

__all__ = ["Importer", "Known", "loaded"]


FAIR = 4.0  # seconds in which the likeliest candidates are tried whatever the other search finds
MOST_FAIR = 20.0
RIVALS = 24  # candidates that are tried once one is complete: others may pass as well
MOST_RIVALS = 10.0  # seconds for them
ADVANCES = 3  # patches with which modules load further, from each of which the search goes on


class Known:
    """What the first collection told: outcomes, crashes, lines of the failing tests."""

    def __init__(self) -> None:
        self.greens: List[str] = []
        self.targets: List[str] = []  # failing tests that were collected
        self.dying: List[str] = []  # those that end the process
        self.after: Dict[str, List[str]] = {}  # what makes a test red by running before it
        self.errors: Dict[str, SearchCrash] = {}  # by the id of what could not be collected
        self.crashes: List[SearchCrash] = []
        self.scores: Dict[str, Dict[int, float]] = {}  # by relative path
        self.seconds = 1.0  # of the collection
        self.count = 0  # of collected tests
        self.modules: List[str] = []  # that are loaded and not the project's


class Importer:
    """One search by importing anew."""

    def __init__(
        self,
        request: SearchRequest,
        answers: Answers,
        project: ProjectSources,
        suite: Callable[[Sequence[str]], Suite],
        known: Known,
    ) -> None:
        self.request = request
        self.answers = answers
        self.project = project
        self.known = known
        self.survivors: List[Survivor] = []
        self.tried = 0
        self.families: Dict[str, int] = {}
        self.exhausted = False
        self.broken = [i for i in known.errors if self.wanted(i)]
        self.targets = [*known.targets, *self.broken]
        self.frontier = self.open()
        self.batch: List[Patch] = []
        self.errors: Dict[Patch, Dict[str, SearchCrash]] = {}  # that were there before a part
        self.first_complete = 0.0
        self.alone = 0  # how many were tried until the first one was complete
        # How to collect in a fork; a warm start takes the place of this one.
        self.collect: Callable[[Sequence[str], Callable[[Collected], None]], None] = (
            lambda only, use: suite(only).collect(use)
        )
        limits = Bounds(
            request.memory, wall=min(60.0, 10.0 + 4 * known.seconds + request.test_timeout)
        )
        self.pool = Pool(1, limits, self.tick)

    def wanted(self, identity: str) -> bool:
        """Say whether the request asks for what an error kept from being collected."""
        failing = self.request.failing
        if not failing or identity == "conftest.py":
            return True
        name = identity.rsplit("_FailedTest.", 1)[-1]
        return any(
            i == identity or i.startswith((identity + "::", name)) or i.endswith(name)
            for i in failing
        )

    @functools.cached_property
    def suggested(self) -> List[Patch]:
        """What crashes or the history suggest, and only a new import can try."""
        found = [
            patch
            for patch in of_history(self.project)
            if self.broken or self.project.sources[patch.path].parts(patch.changes) is None
        ]
        for crash in [self.known.errors[i] for i in self.broken]:
            found += fixes(crash, self.project)
        for crash in self.known.crashes:
            for patch in fixes(crash, self.project):
                source = self.project.sources.get(patch.path)
                if source is None or source.parts(patch.changes) is None:
                    found.append(patch)
        return [p for p in dict.fromkeys(found) if self.allowed(p)]

    def open(self) -> Frontier:
        """Choose the statements that run when modules load and matter to the failing tests."""
        scores: Dict[Tuple[str, int], Tuple[float, ast.stmt]] = {}

        def note(path: str, statement: ast.stmt, score: float) -> None:
            key = (path, statement.lineno)
            if score > scores.get(key, (0.0, statement))[0]:
                scores[key] = (score, statement)

        for identity in self.broken:
            self.note_crash(self.known.errors[identity], note)
        for path, lines in self.known.scores.items():
            self.note_names(path, lines, note)
        self.spread(scores, note)
        places = [
            Spot(path, statement, line, score)
            for (path, line), (score, statement) in sorted(scores.items(), key=lambda i: i[0])
        ]
        places.sort(key=lambda s: (-s.score, s.path, s.line))
        return Frontier(self.project.contexts, places[:30])

    def note_crash(self, crash: SearchCrash, note: Callable[[str, ast.stmt, float], None]) -> None:
        for depth, (source, line) in enumerate(self.project.frames(crash.frames)):
            inside = [
                n for n in ast.walk(source.tree)
                if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)
            ]  # fmt: skip
            if inside:
                note(source.path, max(inside, key=lambda n: n.lineno), 0.7**depth)

    def note_names(
        self, path: str, lines: Dict[int, float], note: Callable[[str, ast.stmt, float], None]
    ) -> None:
        """Note where names come from that suspicious lines read."""
        source = self.project.source(path)
        if source is None:
            return
        names: Dict[str, float] = {}
        attributes: Dict[str, float] = {}
        for node in ast.walk(source.tree):
            score = lines.get(getattr(node, "lineno", 0), 0.0)
            if isinstance(node, FUNCTIONS):
                inner = [s for n, s in lines.items() if node.lineno <= n <= (node.end_lineno or 0)]
                if inner and (node.args.defaults or node.args.kw_defaults or node.decorator_list):
                    note(path, node, 0.8 * max(inner))
                elif inner and isinstance(source.parent(node), ast.ClassDef):
                    note(path, node, 0.3 * max(inner))
            if not score:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names[node.id] = max(names.get(node.id, 0.0), score)
            elif isinstance(node, ast.Attribute):
                attributes[node.attr] = max(attributes.get(node.attr, 0.0), score)
        for name, score in names.items():
            self.note_definition(path, name, 0.8 * score, note)
        for other in self.project.files():
            known = self.project.source(other)
            if known is None or (other != path and other not in self.known.scores):
                continue
            for owner in ast.walk(known.tree):
                if isinstance(owner, ast.ClassDef):
                    for name, statement in bound(owner):
                        if name in attributes and not isinstance(statement, FUNCTIONS):
                            note(other, statement, 0.7 * attributes[name])  # type: ignore[arg-type]

    def note_definition(
        self, path: str, name: str, score: float, note: Callable[[str, ast.stmt, float], None]
    ) -> None:
        source = self.project.source(path)
        if source is None:
            return
        for other, statement in bound(source.tree):
            if other == name and not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                note(path, statement, score)  # type: ignore[arg-type]
        modules = self.project.modules()
        for node in source.tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) != name:
                        continue
                    for module, where in modules.items():
                        tail = (node.module or "").rsplit(".", 1)[-1]
                        if module.rsplit(".", 1)[-1] in (tail, alias.name) and where != path:
                            for other, statement in bound(
                                getattr(self.project.source(where), "tree", ast.Module([], []))
                            ):
                                if other == alias.name and isinstance(
                                    statement, (ast.Assign, ast.AnnAssign)
                                ):
                                    note(where, statement, 0.9 * score)

    def spread(
        self,
        scores: Dict[Tuple[str, int], Tuple[float, ast.stmt]],
        note: Callable[[str, ast.stmt, float], None],
    ) -> None:
        """Constants may be made of constants."""
        for (path, _), (score, statement) in list(scores.items()):
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                for child in ast.walk(statement):
                    if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                        self.note_definition(path, child.id, 0.8 * score, note)

    def allowed(self, patch: Patch) -> bool:
        return not self.request.forbidden or (
            hash_of(edits_of(self.project, patch)) not in self.request.forbidden
        )

    def next(self, count: int) -> List[Patch]:
        """Return candidates that exchanged code does not reach."""
        found: List[Patch] = []
        while len(found) < count:
            more = self.frontier.take(count)
            if not more:
                break
            for patch in more:
                source = self.project.sources[patch.path]
                inside = source.parts(patch.changes) is not None
                if (self.broken or not inside) and self.allowed(patch):
                    found.append(patch)
        return found

    def texts(self, patch: Patch) -> Optional[Dict[str, bytes]]:
        """Return the new bytes of its files, or None when one is no Python."""
        found: Dict[str, bytes] = {}
        for path, changes in patch.files:
            old = self.project.text(path)
            if old is None:
                return None
            new = apply_changes(old, changes)
            try:
                ast.parse(new)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            found[os.path.realpath(os.path.join(self.request.root, path))] = new.encode("utf-8")
        return found

    def attempt(self, index: int, tell: Callable[[Any], None]) -> int:
        return self.judge(index, tell, whole=False)

    def confirm(self, index: int, tell: Callable[[Any], None]) -> int:
        return self.judge(index, tell, whole=True)

    def judge(self, index: int, tell: Callable[[Any], None], *, whole: bool) -> int:
        """Collect and run with one patch: failing tests alone, or everything known."""
        patch = self.batch[index]
        texts = self.texts(patch)
        if texts is None:
            return INVALID
        install(texts)
        result = [RED]

        def use(collected: Collected) -> None:
            try:
                result[0] = self.run(collected, index, tell, whole=whole)
            except TimeUp:
                result[0] = TIMEOUT

        files = sorted({i.split("::")[0] for i in self.targets})
        only = [] if whole or "conftest.py" in self.broken else files
        self.collect(only, use)
        return result[0]

    def run(
        self, collected: Collected, index: int, tell: Callable[[Any], None], *, whole: bool
    ) -> int:
        tests = chained({test.id: test for test in collected.tests}, self.known.after)
        if set(collected.errors) - set(self.known.errors):
            return BREAKS
        mended = [i for i in self.broken if i not in collected.errors and self.holds(i, tests)]
        greens = list(mended)
        reds = [i for i in self.broken if i not in mended]
        left = {i: crash_of(e, self.request.root) for i, e in collected.errors.items() if i in reds}
        gone = whole and any(i not in tests for i in self.known.greens)
        usual: List[str] = []
        risky: List[str] = []  # that never ran, or ended their process
        for identity in tests:
            if identity in self.known.dying:
                (risky if whole else reds).append(identity)
            elif identity in self.known.targets or (whole and identity in self.known.greens):
                usual.append(identity)
            elif identity not in self.known.greens and any(belongs(identity, i) for i in mended):
                risky.append(identity)
        new_greens: List[str] = []
        new_reds: List[str] = []
        for place, identity in enumerate([*usual, *risky]):
            if place == len(usual) and greens and not gone:
                tell([index, greens, [*reds, *risky], [], left])  # in case that this process ends
            known = identity in self.known.greens
            with limited(self.request.test_timeout):
                try:
                    green = tests[identity].run(seed=1 if whole else 0).green
                except TimeUp:
                    if known:
                        raise
                    green = False
                except BaseException:  # noqa: BLE001 - a candidate may raise anything
                    green = False
            if known and not green:
                return BREAKS
            if identity in self.known.targets:
                (greens if green else reds).append(identity)
            elif not known:
                (new_greens if green else new_reds).append(identity)
        if gone:
            return RED
        if greens or left:
            tell([index, greens, [*reds, *new_reds], new_greens, left])
        return GREEN if greens else RED

    @staticmethod
    def holds(identity: str, tests: Dict[str, Any]) -> bool:
        return identity == "conftest.py" or any(belongs(test, identity) for test in tests)

    def tick(self) -> None:
        self.answers.progress(
            "importing", self.frontier.made, self.tried,
            self.survivors[0].patch.description if self.survivors else "",
        )  # fmt: skip

    def search(self, stop: Callable[[], bool], deadline: float) -> None:
        """Try what there is until a complete patch had its rivals, or the time is up.

        The likeliest are tried though the other search found something, and all that was there
        before: which of the two comes first is chance, and the answer should not be.
        """
        pending = self.suggested
        size = 16
        least = sum(patch.family == FAMILY for patch in pending)
        least = max(least, size if self.known.after else 0)  # what modules keep may be the cause
        fair = time.monotonic() + max(FAIR, min(MOST_FAIR, 2.0 * least))

        def halted() -> bool:
            if self.first_complete:
                asked = self.tried >= self.alone + RIVALS
                return asked or time.monotonic() > self.first_complete + MOST_RIVALS
            return stop() and (self.tried > least or time.monotonic() > fair)

        while time.monotonic() < deadline and not halted():
            chunk = pending[:size]
            pending = pending[size:]
            if len(chunk) < size:
                chunk += self.next(size - len(chunk))
            if not chunk:
                self.exhausted = True
                return
            pending = [*self.round(chunk, deadline, halted), *pending]
            self.frontier.reorder()
            size = RIVALS if self.first_complete else min(64, size * 2)

    def round(self, chunk: List[Patch], deadline: float, stop: Callable[[], bool]) -> List[Patch]:
        """Try some candidates; return what is left of them, and what goes on from some of them.

        That is from where modules load further.
        """
        self.batch = chunk
        outcomes, messages = self.pool.run(
            list(range(len(chunk))), self.attempt, deadline, batch=1, stop=stop
        )
        self.tried += len(outcomes)
        for index, outcome in outcomes.items():
            family = chunk[index].family
            self.families[family] = self.families.get(family, 0) + 1
            if outcome in (GREEN, BREAKS):
                self.frontier.learn(chunk[index])
        told = latest(messages)
        promising = [self.survivor(message) for message in told if message[1]]
        ranked = best(promising, len(self.targets), 6)
        again = [chunk.index(s.patch) for s in ranked]
        if any(s.patch.family in (FAMILY, OLDER) for s in ranked):
            stop = lambda: False  # noqa: E731 - what was there before is confirmed in any case
        _, messages = self.pool.run(again, self.confirm, deadline + 10.0, batch=1, stop=stop)
        for message in latest(messages):
            if not message[1]:
                continue
            survivor = self.survivor(message)
            self.survivors.append(survivor)
            mends_all = not set(self.targets) & set(survivor.reds)
            weak = survivor.patch.family in WEAK
            if mends_all and not weak and not self.first_complete:
                self.first_complete, self.alone = time.monotonic(), self.tried
        left = [patch for index, patch in enumerate(chunk) if index not in outcomes]
        return [*left, *self.onward(told)]

    def onward(self, messages: List[List[Any]]) -> List[Patch]:
        advances: Dict[Advance, Dict[str, SearchCrash]] = {}
        for index, _, _, _, errors in messages:
            patch, left = self.batch[index], {i: revive(error) for i, error in errors.items()}
            before = self.errors.get(patch, self.known.errors)
            for identity, crash in left.items():
                advance = Advance(patch, crash)
                if identity in before and further(before[identity], advance, self.project):
                    advances[advance] = left
                    break
        found: Dict[Patch, None] = {}
        for advance in sorted(advances, key=lambda each: -each.patch.weight)[:ADVANCES]:
            for patch in onward(advance, self.project):
                self.errors[patch] = advances[advance]
                found.setdefault(patch)
        return [patch for patch in found if self.allowed(patch)]

    def survivor(self, message: List[Any]) -> Survivor:
        index, greens, reds, fresh, _ = message
        patch = self.batch[index]
        score = self.frontier.line_score(patch.path, patch.line)
        key = (patch.path, tuple(sorted(greens)), tuple(sorted(fresh)), tuple(patch.files))
        return Survivor(patch, tuple(greens), tuple(sorted(reds)), min(1.0, score), key)

    def same(self) -> bool:
        """Say whether a fork of this process collects what the first collection did."""

        def body(send: Callable[[Any], None]) -> None:
            def use(collected: Collected) -> None:
                send([len(collected.tests), sorted(collected.errors)])

            self.collect([], use)

        pid, pipe = child(body, self.request.memory * 2)
        messages = wait(pid, pipe, 10.0 + 5 * self.known.seconds)
        return messages == [[self.known.count, sorted(self.known.errors)]]

    def state(self) -> Dict[str, Any]:
        """Return what another process needs to go on in this one's place."""
        return {
            "survivors": [list(s) for s in self.survivors], "tried": self.tried,
            "families": self.families, "exhausted": self.exhausted,
            "complete": bool(self.first_complete), "made": self.frontier.made,
        }  # fmt: skip


def loaded(request: SearchRequest) -> List[str]:
    """Return the project's modules that this process has imported already."""
    found = []
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and request.editable(path):
            found.append(path)
    return found


def belongs(test: str, collector: str) -> bool:
    """Say whether a test lies in what a collection error is named after."""
    name = collector.rsplit("_FailedTest.", 1)[-1]
    return (
        collector == "conftest.py"
        or test.startswith((collector + "::", name + "."))
        or "." + name + "." in test
        or (collector.endswith(".py") is False and test.startswith(collector + "/"))
    )
