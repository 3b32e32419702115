"""Where the fault may be: the stack trace and the spectrum of executed lines, ranked together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator

from clew.analysis.testfiles import is_named
from clew.analysis.unparsed import unparsed
from clew.probe.formulas import alike, ochiai
from clew.words.facts import (
    CaseOutcome,
    Coverage,
    Frame,
    Reach,
    Suspect,
    TestResult,
    TestRun,
    Traced,
)

__all__ = ["own_name", "rank", "traced"]

SPECTRUM = 0.6  # share of the spectrum where both kinds of evidence are there
OUTWARD = 0.7  # each frame further out weighs this much of the one within
FILE = 0.9  # a file that cannot be parsed, without a line
QUOTED_FILE = re.compile(r'File "([^"\n]+)", line (\d+)')
NAMED_FILE = re.compile(r"\((/?[^()\n]+\.py)(?:, line (\d+))?\)")

Place = tuple[str, int | None]


def rank(
    run: TestRun,
    coverage: Coverage | None = None,
    *,
    is_test: Callable[[str], bool],
    root: str = "",
    limit: int = 40,
) -> tuple[Suspect, ...]:
    """Return the lines most likely at fault, best first, with scores in 0..1 and reasons in words.

    `is_test` tells test files, which are never suspects, and neither are those that the settings of
    the run name; `root` is the absolute path that messages
    may name project files by. Neither the order of tests nor of lines changes the answer.
    """

    def known(path: str) -> bool:
        return is_test(path) or is_named(path, run.named)

    traced = _by_trace(run, known, root)
    spectrum = _by_spectrum(coverage, known) if coverage is not None else {}
    share = SPECTRUM if spectrum else 0.0
    found = []
    for place in traced.keys() | spectrum.keys():
        path, line = place
        trace = traced.get(place)
        count = spectrum.get(place)
        score = (1 - share) * (trace.score if trace else 0.0) + share * (count[0] if count else 0.0)
        reasons = (*(trace.reasons() if trace else ()), *((count[1],) if count else ()))
        function = trace.function if trace else ""
        found.append(
            Suspect(
                path=path,
                line=line,
                function=function,
                score=min(1.0, round(score, 6)),
                reasons=reasons,
            )
        )
    found.sort(key=lambda suspect: (-suspect.score, suspect.path, suspect.line or 0))
    return tuple(found[:limit])


def traced(
    run: TestRun, coverage: Coverage | None, *, is_test: Callable[[str], bool], root: str = ""
) -> Traced:
    """Return the suspects of a run, and which tests run which lines of the files they are in.

    What a failing test of the run runs counts, whatever became of it when it was traced.
    """
    suspects = rank(run, coverage, is_test=is_test, root=root)
    if coverage is None:
        return Traced(suspects=suspects)
    red = coverage.lines.keys() & {result.id for result in run.red}
    paths = {path for test in red for path in coverage.lines[test]}
    files = (
        _reach(coverage, path, coverage.lines) or _reach(coverage, path, red)
        for path in sorted(paths)
        if not is_test(path)
    )
    return Traced(suspects=suspects, files=tuple(reach for reach in files if reach is not None))


def _reach(coverage: Coverage, path: str, asked: Collection[str]) -> Reach | None:
    """Return which of some tests run which lines of a file; None where that is too much to tell."""
    tests = tuple(test for test in coverage.lines if test in asked and path in coverage.lines[test])
    groups = alike([coverage.lines[test] for test in tests], path)
    if groups is None:
        return None
    return Reach(path=path, tests=tests, groups=groups)


class Trace:
    """What the tracebacks say of one place."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self.weights: list[float] = []
        self.depths: Counter[int] = Counter()
        self.said: Counter[str] = Counter()
        self.function = ""
        self.failures = 1

    @property
    def score(self) -> float:
        return min(1.0, sum(sorted(self.weights)) / self.failures)

    def reasons(self) -> Iterator[str]:
        """Yield the reasons, strongest first."""
        for depth, times in sorted(self.depths.items()):
            which = "innermost frame" if depth == 0 else f"{depth} calls out"
            which = "1 call out" if depth == 1 else which
            yield f"{which} of {times} {'failure' if times == 1 else 'failures'}"
        for words, times in sorted(self.said.items()):
            yield words if times == 1 else f"{words} ({times} failures)"


def _by_trace(run: TestRun, is_test: Callable[[str], bool], root: str) -> dict[Place, Trace]:
    found: defaultdict[Place, Trace] = defaultdict(Trace)
    speaking = 0
    for result in run.red:
        if result.crash is None:
            continue
        frames = [f for f in result.crash.frames if f.project and not is_test(f.path)]
        named = [place for place in _named(result, root) if not is_test(place[0])]
        syntax = unparsed(result.crash)
        if syntax:
            frames = []
        speaking += bool(frames or named)
        _add_frames(found, result, frames)
        for path, line in named:
            place = found[path, line]
            place.weights.append(1.0 if line else FILE)
            place.said["cannot be parsed" if syntax else "named by the failing import"] += 1
    for trace in found.values():
        trace.failures = max(1, speaking)
    return dict(found)


def _add_frames(found: defaultdict[Place, Trace], result: TestResult, frames: list[Frame]) -> None:
    """Add each place of one traceback once, at its innermost frame."""
    seen: set[Place] = set()
    for depth, frame in enumerate(reversed(frames)):
        place = (frame.path, frame.line)
        if place in seen:
            continue
        seen.add(place)
        trace = found[place]
        trace.weights.append(OUTWARD**depth)
        trace.depths[depth] += 1
        trace.function = max(trace.function, own_name(frame.function))
        if depth == 0 and result.hung:
            trace.said["time ran out here"] += 1


def own_name(function: str) -> str:
    """Drop what is no name from a qualified one: `total.<locals>.<listcomp>` is `total`."""
    return ".".join(part for part in function.split(".") if not part.startswith("<"))


def _named(result: TestResult, root: str) -> Iterator[Place]:
    """Yield the project files that a failing import, or a file that cannot be parsed, names."""
    crash = result.crash
    if crash is None:
        return
    inside = f"{root.rstrip('/')}/" if root else ""
    last = crash.frames[-1] if crash.frames else None
    syntax = unparsed(crash)
    if syntax and last is not None and not last.function:
        if last.project:
            yield last.path, last.line or None
        return
    if syntax:
        places = QUOTED_FILE.findall(crash.details)[-1:] or NAMED_FILE.findall(crash.message)[-1:]
    elif crash.type == "ImportError":
        places = NAMED_FILE.findall(crash.message)[-1:]
    else:
        return
    for path, line in places:
        inner = path.removeprefix(inside) if inside else path
        if not inner.startswith("/"):
            yield inner.removeprefix("./"), int(line) if line else None


def _by_spectrum(
    coverage: Coverage, is_test: Callable[[str], bool]
) -> dict[Place, tuple[float, str]]:
    red = {name for name in coverage.lines if _outcome(coverage, name).red}
    green = {name for name in coverage.lines if _outcome(coverage, name) is CaseOutcome.PASSED}
    if not red:
        return {}
    failing: Counter[Place] = Counter()
    passing: Counter[Place] = Counter()
    for name, files in coverage.lines.items():
        count = failing if name in red else passing if name in green else None
        if count is not None:
            count.update(
                (path, line)
                for path, lines in files.items()
                if not is_test(path)
                for line in set(lines)
            )
    tests = "test" if len(green) == 1 else "tests"
    found = {}
    for place, times in failing.items():
        reason = (
            f"run by {times} of {len(red)} failing and {passing[place]} of {len(green)} passing"
        )
        found[place] = (ochiai(times, passing[place], len(red)), f"{reason} {tests}")
    return found


def _outcome(coverage: Coverage, name: str) -> CaseOutcome:
    return coverage.outcomes.get(name, CaseOutcome.SKIPPED)
