"""What the pytest plug-in and the unittest session have in common: deadlines, lines, results."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from .comparing import Comparing
from .crossing import Crossing
from .levers import Levers
from .making import Making
from .modules import foreign, loaded
from .reading import Reading
from .stacks import Root
from .tracer import Tracer
from .watch import STUCK, Watch
from .whole import Whole
from .wire import Writer, clean

__all__ = ["Observer"]

MANY = 5_000  # modules named at most
GLANCE = 12  # the part of its time after which a test is looked at, where others hung
SHORTEST = 2.0  # seconds that it has in any case


class Observer:
    """Knows which test is at work, and writes what became of it."""

    def __init__(self, request: Dict[str, Any], writer: Writer, place: Root) -> None:
        self.request = request
        self.write = writer.write
        self.place = place
        self.only = frozenset(request.get("only") or ())
        self.done = frozenset(request.get("done") or ())
        self.first = {name: i for i, name in enumerate(request.get("first") or ())}
        self.limit = float(request.get("test_timeout") or 0)
        self.hung = {tuple(place) for place in request.get("hung") or ()}
        self.glance = max(self.limit / GLANCE, SHORTEST) if self.hung else 0.0
        self.watch = Watch(request["dump"], self.stuck) if self.limit else None
        self.tracer: Optional[Tracer] = None
        if request.get("trace"):
            self.tracer = Tracer([request["root"]], list(request.get("skip") or ()))
        self.crossing: Optional[Crossing] = None
        if request.get("crossing"):
            comparing = Comparing(place, writer.write)
            changed = list(request["crossing"])
            self.crossing = Crossing(changed, self.is_test, writer.write, comparing)
        self.whole: Optional[Whole] = None
        self.kept: Set[str] = set()  # modules of tests
        self.gate = set(request.get("gate") or ())
        self.near = set(request.get("near") or ())
        self.broken_near = False
        self.levers = Levers(request.get("seed"), request.get("clock"))
        self.reading = Reading(place) if request.get("reading") else None
        if self.reading is not None:
            self.reading.begin()
        self.exit = os._exit  # taken now: a test may put a fake in its place
        self.now = ""  # the test, or the file, at work
        self.homes: Dict[str, str] = {}  # the file of each test
        self.phase = "collect"
        self.leaving: Optional[int] = None
        self.left = False

    def look_at_judges(self) -> None:
        """Remember how the runner, and what tests compare with, are before the project is."""
        if self.request.get("whole"):
            self.whole = Whole(self.write)
            Making(self.place, self.is_test, self.write).begin()

    def look_again(self) -> None:
        """Take what installed plug-ins replaced for how things are, if no project code has run."""
        if self.whole is not None and not loaded(self.request):
            self.whole = Whole(self.write)

    def strange(self) -> Iterable[str]:
        """Name what of the test at work is not as its runner made it."""
        return ()

    def wanted(self, name: str) -> bool:
        """Whether a test is to run: all are, or those named, or those in a file that is named."""
        home = name.split("::", 1)[0] if "::" in name else name.rsplit(".", 2)[0]
        return (not self.only or bool(self.only & {name, home})) and name not in self.done

    def ordered(self, items: List[Any], name: Any) -> List[Any]:
        """Return the wanted items, those that were asked for first in front."""
        kept = [item for item in items if self.wanted(name(item))]
        kept.sort(key=lambda item: self.first.get(name(item), len(self.first)))
        return kept

    def is_test(self, path: str) -> bool:
        """Whether a file holds tests, or lies among them."""
        name = clean(self.place.relative(path))
        folder, base = os.path.split(name)
        among = {"test", "tests"} & set(folder.split("/"))
        usual = base.startswith("test_") or base.endswith("_test.py") or base == "conftest.py"
        return bool(among) or usual or name in self.homes.values()

    def collecting(self, name: str) -> None:
        self.now, self.phase = name, "collect"
        self.write("collecting", id=name)
        self.arm()

    def keep_tests(self, module: Any) -> None:
        """Remember a module of tests before the first of them runs."""
        name = "" if module is None else module.__name__
        known = not name or name in self.kept or sys.modules.get(name) is not module
        if self.whole is not None and not known:
            self.kept.add(name)
            self.whole.keep(vars(module), name)

    def running(self, name: str) -> None:
        self.now, self.phase = name, "setup"
        self.write("running", id=name, file=self.homes.get(name, ""))
        self.arm()
        self.levers.settle()
        if self.tracer is not None:
            self.tracer.start()
        if self.crossing is not None:
            self.crossing.start()

    def ran(self, **story: Any) -> None:
        """Write what became of the test at work, and which lines it ran."""
        if self.crossing is not None:
            self.crossing.stop()
        lines = self.tracer.stop() if self.tracer is not None else {}
        self.disarm()
        if self.whole is not None:
            self.whole.check(self.strange())
        self.result(self.now, **story)
        self.read()
        red = story["outcome"] in ("failed", "error")
        self.pass_gate(red=red)
        self.pass_near(red=red)
        if lines:
            named = {clean(self.place.relative(path)): found for path, found in lines.items()}
            self.write("coverage", id=self.now, lines=named)

    def pass_gate(self, *, red: bool) -> None:
        """End the run if the test was the last one at the gate, and all of them are red."""
        if self.now not in self.gate:
            return
        if not red:
            self.gate.clear()
            return
        self.gate.remove(self.now)
        if not self.gate:
            self.stop()

    def pass_near(self, *, red: bool) -> None:
        """End the run if the test was the last one near the change, and one of them is red."""
        if self.now not in self.near:
            return
        self.near.remove(self.now)
        self.broken_near |= red
        if self.broken_near and not self.near:
            self.stop()

    def stop(self) -> None:
        self.write("stopped")
        self.halt()

    def halt(self) -> None:
        """Begin no further test."""

    def result(self, name: str, **story: Any) -> None:
        self.write("result", id=name or ".", **{"file": self.homes.get(name, ""), **story})

    def collected(self, tests: Iterable[Tuple[str, str]]) -> None:
        """Write which tests there are, by id and file, and where the code they loaded came from."""
        self.homes = {name: clean(self.place.relative(path)) for name, path in tests}
        self.write("collected", ids=list(self.homes))
        self.modules()

    def modules(self) -> None:
        pairs = [list(pair) for pair in foreign(self.request)]
        self.write("modules", foreign=pairs, project=loaded(self.request)[:MANY])
        self.read()

    def read(self) -> None:
        """Write which files were read since, and by whom."""
        found = self.reading.news() if self.reading is not None else []
        if found:
            self.write("read", files=found)

    def arm(self) -> None:
        if self.watch is not None:
            self.watch.arm(self.limit, self.glance)

    def disarm(self) -> None:
        if self.watch is not None:
            self.watch.disarm()

    def leave(self, status: int, seconds: float) -> None:
        """Allow the interpreter that long to shut down: threads may never end."""
        self.leaving = status
        if self.watch is not None:
            self.watch.arm(seconds)

    def stuck(self, frame: Any, seconds: float) -> None:
        """Record where the main thread is, in that thread, and end the process.

        Before its time is up a test goes on, unless it stands where others hung.
        """
        if self.leaving is not None:
            self.exit(self.leaving)
        early = seconds < self.limit
        if early and self.hung.isdisjoint(self.place.innermost(frame)):
            return
        crash = self.place.stuck(frame, seconds)
        if early:
            crash["message"] += ", where tests hung for {:g} s".format(self.limit)
        self.result(
            self.now,
            outcome="error" if self.phase == "collect" else "failed",
            phase=self.phase,
            seconds=seconds,
            crash=crash,
            output=self.heard(),
        )
        self.leave_by_test()
        self.exit(STUCK)

    def leave_by_test(self) -> None:
        """Write that the test at work ends the run: the rest is to be run without it."""
        self.left = True
        self.write("left", id=self.now or ".")

    def heard(self) -> str:
        """Return what the test at work has printed so far."""
        return ""
