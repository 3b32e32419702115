"""The files that an agent is shown: Clew's choice against aider's map of the repository."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.figures import Bound, Figure, Part, Spread
from benchmarks.measuring import ROOT, Contender, NotInstalled, clean, python_of
from benchmarks.subjects import under_git

sys.path.insert(0, str(ROOT / "tests"))

from clew.agents.prompts import prompt
from clew.evidence import Evidence
from clew.flows.debugging.collect import Place, gather, of_look, sources
from clew.flows.debugging.driver import first_brief
from clew.flows.debugging.snapshot_run import look
from clew.journal.store import Store
from clew.sessions import ProjectSessions
from clew.words.facts import TestRun, Verdict
from clew.words.settings import Settings
from packagekit import FETCHED, PACKAGES, changed, checkout, seed

__all__ = ["run"]

BUDGETS = (50_000, 20_000)
MANY = 10_000  # files
AT_LEAST = Bound(at_least=True, number=1)

HOW = (
    "Each mistake that is tried on real packages is made in turn, the package's tests are run once,"
    " and both are told how they fail. Clew assembles the prompt of a diagnosis. aider is given the"
    " failing tests and the files that the output names as files of the chat, as far as they fit,"
    " and makes its map of the rest with what is left of the budget, mentioned names and files"
    " passed on as it does itself. A file lands if anything of its content is shown; the faulty"
    " line is seen if it stands there word for word. Tokens are counted by Clew's estimate for"
    " both. Times are of assembling alone: without starting, importing and running tests; cold"
    " without any cache, warm in a new process with it. The large repository has"
    f" {MANY:,} Python files of 45 lines with four imports each, and one failing test."
)


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A failing project as both are told of it."""

    root: Path
    commit: str
    run: TestRun
    evidence: Evidence
    state: Path
    paths: tuple[str, ...]

    def question(self, budget: int) -> dict[str, Any]:
        """Ask for the files within a budget."""
        told = first_brief(self.run, self.evidence, Settings(context_tokens=budget))
        output = prompt("diagnose", told)
        tests = dict.fromkeys(result.id.partition("::")[0] for result in self.run.red)
        return {
            "root": str(self.root),
            "state": str(self.state),
            "commit": self.commit,
            "run": msgspec.json.encode(self.run).decode(),
            "evidence": msgspec.json.encode(self.evidence).decode(),
            "budget": budget,
            "paths": list(self.paths),
            "tests": [test for test in tests if test in self.paths],
            "told": output[output.index("## Situation") : output.index("## What a good")],
        }


class NotRed(Exception):
    """The tests do not fail, or cannot be run."""


class Tally:
    """What came of it, by contender and budget."""

    def __init__(self) -> None:
        self.landed: dict[tuple[str, int], list[bool]] = {}
        self.seen: dict[tuple[str, int], list[bool]] = {}
        self.seconds: dict[tuple[str, str], list[float]] = {}
        self.lost: list[str] = []
        self.left_out: list[str] = []  # and why

    def share(self, found: dict[tuple[str, int], list[bool]], who: str, budget: int) -> float:
        return 100 * sum(found[who, budget]) / len(found[who, budget])


def run(folder: Path, size: float) -> Part:
    """Measure the packages, a part of them if `size` is below 1, and the large repository."""
    python_of("context")
    if not FETCHED.is_dir():
        raise NotInstalled("the sources of real packages are not there: scripts/packages.py")
    tally = Tally()
    chosen = list(PACKAGES)[: max(1, round(len(PACKAGES) * min(1.0, size)))]
    for name in chosen:
        for fault, case, path, line in faults(name, folder / name, tally):
            print(f"context: {name}/{fault}", file=sys.stderr, flush=True)
            for budget in BUDGETS:
                judge(case, budget, tally, name=f"{name}/{fault}", path=path, line=line)
        shutil.rmtree(folder / name)
    large = of_many(folder / "large", round(MANY * min(1.0, size)))
    large_seconds = Tally()
    judge(large, BUDGETS[0], large_seconds, name="large", path="", line="")
    return Part(
        title="Context",
        how=HOW,
        figures=(
            *(
                figure
                for budget in BUDGETS
                for what, found in (
                    ("faulty files that land", tally.landed),
                    ("faulty lines that are seen", tally.seen),
                )
                for figure in [share_of(f"{what}, {budget:,} tokens", tally, found, budget)]
            ),
            *(time_of(f"a real package, {kind}", tally, kind) for kind in ("cold", "warm")),
            *(
                time_of(f"{len(large.paths):,} files, {kind}", large_seconds, kind)
                for kind in ("cold", "warm")
            ),
        ),
        notes=(
            f"{len(tally.landed['clew', BUDGETS[0]])} mistakes in {len(chosen)} packages."
            + (" Clew does not show: " + "; ".join(tally.lost) + "." if tally.lost else "")
            + (" Left out: " + "; ".join(tally.left_out) + "." if tally.left_out else ""),
        ),
    )


def share_of(
    what: str, tally: Tally, found: dict[tuple[str, int], list[bool]], budget: int
) -> Figure:
    own, theirs = (tally.share(found, who, budget) for who in ("clew", "aider"))
    return Figure(
        what=what,
        unit="%",
        clew=Spread.of([own]),
        peer="aider's map",
        theirs=Spread.of([theirs]),
        value=own / theirs if theirs else None,
        bound=AT_LEAST,
    )


def time_of(what: str, tally: Tally, kind: str) -> Figure:
    own, theirs = (Spread.of(tally.seconds[who, kind]) for who in ("clew", "aider"))
    return Figure(
        what=what,
        unit="s",
        clew=own,
        peer="aider's map",
        theirs=theirs,
        value=theirs.median / own.median,
        bound=AT_LEAST,
    )


def faults(name: str, folder: Path, tally: Tally) -> Iterator[tuple[str, Case, str, str]]:
    """Make each mistake of a package and run its tests; yields the file and the faulty line."""
    package = PACKAGES[name]
    folder.mkdir()
    root = checkout(package, folder / name)
    for fault in package.faults():
        path = changed(fault)
        original = (root / path).read_bytes()
        seed(root, fault)
        try:
            case = failing(root, folder / f"state-{fault.stem}", package.tests)
        except NotRed as error:  # an hour of measuring is not lost over one mistake
            tally.left_out.append(f"{name}/{fault.stem} ({error})")
        else:
            yield fault.stem, case, path, faulty_line(original, (root / path).read_bytes())
        (root / path).write_bytes(original)


def failing(root: Path, state: Path, tests: tuple[str, ...]) -> Case:
    """Run the tests of a project as `clew diagnose` does, and keep the snapshot."""
    project = ProjectSessions.at(root).project
    sessions = ProjectSessions(project, Store(state))
    with look(sessions, Settings(timeout=300), "bench", tests) as here:
        found = here.run().run
        evidence = of_look(sessions, here, found)
    if found.verdict is not Verdict.FAILED:
        raise NotRed(f"its tests do not fail: {found.verdict} {found.reason}".strip())
    commit = sessions.repository.snapshot("kept").commit
    return Case(
        root=root,
        commit=commit,
        run=found,
        evidence=evidence,
        state=state,
        paths=tuple(
            path
            for path in sessions.repository.files(commit)
            if (root / path).is_file() and not (root / path).is_symlink()
        ),
    )


def faulty_line(before: bytes, after: bytes) -> str:
    """Return the first line that differs, or the one above what was taken away."""
    old, new = before.decode().splitlines(), after.decode().splitlines()
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(new) - 1)
    if len(new) < len(old):
        at = max(0, at - 1)
    return new[at].strip()


def judge(case: Case, budget: int, tally: Tally, *, name: str, path: str, line: str) -> None:
    """Ask both, in new processes; for the first budget without a cache, then with what is left.

    The times are those of the first budget.
    """
    question = case.question(budget)
    kinds = ("cold", "warm") if budget == BUDGETS[0] else ("",)
    for who, python in (("clew", Path(sys.executable)), ("aider", python_of("context"))):
        answers = []
        for kind in kinds:
            if kind == "cold":
                for cache in (*case.root.glob(".aider.tags*"), *case.state.glob("outlines.db*")):
                    shutil.rmtree(cache) if cache.is_dir() else cache.unlink()
            with Contender.serving(
                python, f"context_{who}.py", cwd=case.state, env=clean()
            ) as contender:
                answers.append(contender.ask(question))
            if kind:
                tally.seconds.setdefault((who, kind), []).append(answers[-1]["seconds"])
        shown = answers[0]["shown"].get(path)
        tally.landed.setdefault((who, budget), []).append(shown is not None)
        tally.seen.setdefault((who, budget), []).append(bool(line) and line in (shown or ""))
        if who == "clew" and path and shown is None:
            tally.lost.append(f"{name} at {budget:,} tokens")


def of_many(folder: Path, count: int) -> Case:
    """Write a repository of many files, with one failing test."""
    for n in range(count):
        own = folder / f"pkg{n // 1000}" / f"sub{n // 100}"
        own.mkdir(parents=True, exist_ok=True)
        uses = [(n * 7919 + k * 104729) % count for k in range(4)]
        text = [f"from pkg{m // 1000}.sub{m // 100}.mod{m} import thing{m}" for m in uses]
        for k in range(5):
            text += [
                "",
                "",
                f"class Held{n}_{k}:",
                '    """Holds something."""',
                "",
                f"    def counted{k}(self, most, each):",
                "        total = 0",
                f"        for x in range(most): total += thing{uses[k % 4]}(x) * each",
            ]
        text += ["", "", f"def thing{n}(x):", "    return x + 1"]
        (own / f"mod{n}.py").write_text("\n".join(text) + "\n")
    for package in {path.parent for path in folder.rglob("mod*.py")}:
        for each in (package, package.parent):
            (each / "__init__.py").touch()
    n = count // 2
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_one.py").write_text(
        f"from pkg{n // 1000}.sub{n // 100}.mod{n} import thing{n}\n\n\n"
        f"def test_one():\n    assert thing{n}(1) == 3\n"
    )
    (folder / ".gitignore").write_text(".aider*\n")
    # What these modules import goes round in circles: the run is written, not made.
    under_git(folder)
    state = folder.with_name("large-state")
    state.mkdir()
    sessions = ProjectSessions(ProjectSessions.at(folder).project, Store(state))
    kept = sessions.repository.snapshot("kept")
    place = Place(base=kept.commit, head=kept.head)
    run = msgspec.json.decode(
        msgspec.json.encode(
            {
                "verdict": "failed",
                "command": {"runner": "pytest", "argv": ["pytest"]},
                "results": [
                    {
                        "id": "test_one.py::test_one",
                        "outcome": "failed",
                        "crash": {
                            "type": "AssertionError",
                            "message": "assert 2 == 3",
                            "frames": [
                                {
                                    "path": "test_one.py",
                                    "line": 5,
                                    "function": "test_one",
                                    "project": True,
                                }
                            ],
                        },
                    }
                ],
            }
        ),
        type=TestRun,
    )
    return Case(
        root=folder,
        commit=kept.commit,
        run=run,
        evidence=gather(sources(sessions), run, place, commit=kept.commit, suspects=()),
        state=state,
        paths=sessions.repository.files(kept.commit),
    )
