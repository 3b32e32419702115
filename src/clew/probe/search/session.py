"""One search from the request to the last answer.

Two searches run side by side. A child collects the tests and exchanges code in forks of itself;
this process stays free of the project's modules and tries what takes a new import.
"""

from __future__ import annotations

import importlib
import mmap
import os
import sys
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .anew import set_beside_anew
from .context import header_end
from .crashes import crash_of, revive
from .engine import FOUND, ONWARD, SHORT, STOP, WORKERS, Search
from .files import ProjectSources
from .frontier import Spot
from .importing import Importer, Known, loaded
from .outcome import SearchOutcome, outcome_of, survivor_of
from .overrides import install
from .ranking import Survivor, best
from .request import Answers, SearchRequest, edits_of, hash_of
from .source import Patch
from .suites import Collected, Suite
from .workers import Job, child, wait

__all__ = ["Session"]

CONFTEST = "conftest.py"
LEAST = 5.0  # seconds in which a second search is worth its start


class Session:
    """One search of a project, as it lies on the disk or with other texts for some of its files."""

    def __init__(
        self,
        fields: Dict[str, Any],
        texts: Optional[Dict[str, str]] = None,
        answers: Optional[Answers] = None,
    ) -> None:
        self.fields = fields
        self.request = SearchRequest(fields)
        self.answers = answers or Answers(self.request.results, self.request.started)
        self.project = ProjectSources(self.request, texts)
        self.flags = mmap.mmap(-1, 16)
        self.flags[WORKERS] = self.request.workers
        self.notes: List[str] = []

    def suite(self, only: Sequence[str] = ()) -> Suite:
        if self.request.runner == "unittest":
            from .unittest_suite import UnittestSuite  # noqa: PLC0415 - only what is asked for

            return UnittestSuite(self.request.args, self.request.scratch)
        from .pytest_suite import PytestSuite  # noqa: PLC0415

        return PytestSuite(self.request.args, self.request.scratch, only)

    def run(self) -> int:
        request = self.request
        os.chdir(request.cwd)
        if request.as_module:
            sys.path.insert(0, os.getcwd())
        sys.path[:0] = request.insert
        sys.argv[:] = ["pytest", *request.args]
        sys.dont_write_bytecode = True
        self.answers.progress("collecting", 0, 0, now=True)
        if request.runner != "unittest":
            import pytest  # noqa: PLC0415, F401 - once, for all forks
        self.tell(self.onward(self.search()))
        return 0

    def search(self) -> SearchOutcome:
        if self.project.texts:
            root = self.request.root
            texts = self.project.texts.items()
            install({os.path.realpath(os.path.join(root, p)): t.encode("utf-8") for p, t in texts})
        pid, pipe = child(self.swap, 8 << 30)
        job = Job(pid, pipe, [], 0)
        try:
            return self.lead(job)
        finally:
            job.kill() if job.pid else None

    def onward(self, outcome: SearchOutcome) -> SearchOutcome:
        """Search once more from where modules load, or tests go on, and are still red.

        Where modules load again, another iteration does so, if one follows, and tells of the
        failures that it sees.
        """
        bases = outcome.bases(loading=self.request.last) if not self.request.given else []
        for base in bases:
            left = self.request.deadline - time.monotonic()
            if left < LEAST:
                break
            fields = {
                **self.fields,
                "failing": list(base.reds),
                "green_before": outcome.passing,
                "seconds": left,
            }
            later = Session(fields, self.project.patched(base.patch).texts, self.answers)
            outcome = outcome.after(base, later.onward(later.search()), self.project)
            if outcome.complete:
                break
        return outcome

    def swap(self, send: Any) -> None:
        """Collect and search by exchanging code, in the child."""
        request = self.request
        search = Search(self.project, self.answers, self.flags)
        started = time.monotonic()

        def use(collected: Collected) -> None:
            crashes = {i: crash_of(e, request.root) for i, e in collected.errors.items()}
            seconds = time.monotonic() - started
            send({
                "kind": "collected", "errors": crashes, "seconds": seconds,
                "tests": len(collected.tests), "modules": foreign(request),
            })  # fmt: skip
            search.run(collected, lambda: send(dict(described(search), kind="traced")))
            search.vain.write()
            # Told at once: what plug-ins do at the end of the session may fail here.
            send({
                "kind": "end", "survivors": [list(s) for s in search.survivors],
                "made": search.frontier.made if search.frontier else 0, "tried": search.tried,
                "families": search.families, "exhausted": search.exhausted,
                "notes": search.notes, "suspects": suspects(search), "targets": search.targets,
                "denied": search.denied,
                "further": [[base.patch, base.greens] for base in search.further],
            })  # fmt: skip

        self.suite().collect(use)

    def lead(self, job: Job) -> SearchOutcome:
        """Follow the child, and search beside it once it has told what the tests do."""
        known = Known()
        end: Dict[str, Any] = {}
        alive = True
        importer: Optional[Importer] = None
        while True:
            for message in job.lines():
                if message["kind"] == "collected":
                    known.errors = {i: revive(c) for i, c in message["errors"].items()}
                    known.seconds, known.count = message["seconds"], message["tests"]
                    known.modules = message["modules"]
                elif message["kind"] == "traced":
                    take(known, message)
                    self.project.clues.learn(message["words"], message["mismatches"])
                else:
                    end = message
            if alive and os.waitpid(job.pid, os.WNOHANG)[0] == job.pid:
                job.sweep()
                alive = False
                continue
            ready = known.targets or known.greens or not alive
            if importer is None and ready:
                importer = self.beside(job, known)
                continue
            if not alive:
                break
            if time.monotonic() > self.request.deadline + 15.0:
                self.notes.append("the search did not end in time")
                job.kill()
                os.waitpid(job.pid, 0)
                break
            time.sleep(0.01)
        job.pid = 0
        if not end:
            self.notes.append("the search by exchanging code ended early")
        importer = importer or self.importer(known)
        outcome = outcome_of(known, importer, end, self.notes)
        return outcome._replace(survivors=set_beside_anew(outcome.survivors, importer))

    def importer(self, known: Known) -> Importer:
        return Importer(self.request, self.answers, self.project, self.suite, known)

    def beside(self, job: Job, known: Known) -> Importer:
        importer = self.importer(known)
        asked = not self.request.given and (known.targets or importer.broken)
        if asked and (importer.suggested or importer.frontier.heap):
            self.flags[WORKERS] = max(1, self.request.workers - 1)
            if not self.warm(importer):
                importer.search(self.enough, self.request.share(0.9))
            if importer.first_complete:
                self.flags[STOP] = 1
        else:
            importer.exhausted = True
        self.flags[WORKERS] = self.request.workers
        del job
        return importer

    def enough(self) -> bool:
        """Say whether the child found a patch, or its time and this one's belong to the next."""
        onward = self.flags[ONWARD] and time.monotonic() > self.request.share(SHORT[-1][-1])
        return bool(self.flags[FOUND] or onward)

    def warm(self, importer: Importer) -> bool:
        """Search from a process that has imported what is not the project's.

        Returns False when that was not possible, or when tests would see the difference.
        """
        suite = self.suite()
        if not hasattr(suite, "serve"):
            return False

        def body(send: Any) -> None:
            def search() -> None:
                preload(importer.known.modules)
                if loaded(self.request) or not importer.same():
                    return
                importer.search(self.enough, self.request.share(0.9))
                send(importer.state())

            suite.serve(search)

        pid, pipe = child(body, 8 << 30)
        messages = [m for m in wait(pid, pipe, self.request.seconds + 20.0) or [] if m]
        for state in messages:
            importer.survivors = [survivor_of(fields) for fields in state["survivors"]]
            importer.tried, importer.families = state["tried"], state["families"]
            importer.exhausted = state["exhausted"]
            importer.first_complete = float(state["complete"])
            importer.frontier.made = state["made"]
        return bool(messages)

    def tell(self, outcome: SearchOutcome) -> None:
        for suspect in outcome.suspects:
            self.answers.write("suspect", **suspect)
        targets = len(outcome.targets)
        ranked = best(outcome.survivors, targets, self.request.keep)
        alone = {each.patch: each for each in outcome.survivors}
        mends = {**{each.patch: each.greens for each in outcome.survivors}, **outcome.mended}
        for survivor in ranked:
            self.candidate(survivor, targets, ranked[0].patch.description, alone, mends)
        self.answers.progress("done", outcome.made, outcome.tried, now=True)
        self.answers.write(
            "done", made=outcome.made, tried=outcome.tried,
            families=dict(sorted(outcome.families.items())),
            exhausted=outcome.exhausted, denied=outcome.denied, notes=outcome.notes,
            seconds=round(time.monotonic() - self.request.started, 3),
        )  # fmt: skip

    def asked(self, names: Sequence[str]) -> List[str]:
        """Return ids as the request has them: a conftest may lie in a folder."""
        found: List[str] = []
        for name in names:
            same = [i for i in self.request.failing if name == CONFTEST and i.endswith(CONFTEST)]
            found += same or [name]
        return found

    def candidate(
        self,
        survivor: Survivor,
        targets: int,
        first: str,
        alone: Dict[Patch, Survivor],
        mends: Dict[Patch, Tuple[str, ...]],
    ) -> None:
        patch, parting = survivor.patch, survivor.parting
        edits = edits_of(self.project, patch)
        if not edits or not all(edit["current"] for edit in edits):
            return  # an empty file cannot be edited by its text
        green = set(survivor.greens)
        self.answers.write(
            "candidate", **self.named(patch), family=patch.family, edits=edits,
            turns_green=self.asked(survivor.greens),
            still_red=self.asked(survivor.reds),
            complete=survivor.complete, score=round(survivor.score(targets), 4),
            hash=hash_of(edits), inputs=survivor.inputs,
            parting=parting[:5] if parting and parting[5] == first else None,
            witness=survivor.witness,
            against=survivor.against,
            parts=[
                {
                    **self.named(part),
                    "edits": edits_of(self.project, part),
                    "family": part.family,
                    "score": round(alone[part].score(len(alone[part].greens)), 4)
                    if part in alone
                    else 0.0,
                    # What mends nothing alone is needed for all that it mends with the others.
                    "turns_green": self.asked(
                        [i for i in mends.get(part) or survivor.greens if i in green]
                    ),
                }
                for part in patch.parts
            ],
        )  # fmt: skip

    def named(self, patch: Patch) -> Dict[str, Any]:
        """Return what a patch does, and where."""
        source = self.project.source(patch.path)
        unit = source.unit_at(patch.line) if source is not None else None
        function = ".".join((*unit.chain, unit.name)) if unit else ""
        where = {"path": patch.path, "line": patch.line, "function": function}
        return {"description": patch.description, **where}


def foreign(request: SearchRequest) -> List[str]:
    """Return the modules that are loaded and not the project's, in the order of their import."""
    names: List[str] = []
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        outside = not isinstance(path, str) or request.relative(path) is None
        if outside or "site-packages" in str(path):
            names.append(name)
    return names


def preload(names: Sequence[str]) -> None:
    """Import what is not there yet; what will not be imported is left to the tests."""
    for name in names:
        if name not in sys.modules and not name.startswith(("clew_probe", "__")):
            try:
                importlib.import_module(name)
            except Exception:  # noqa: BLE001, S112 - whatever a foreign module raises
                continue


def described(search: Search) -> Dict[str, Any]:
    """Return what the importing search wants to know of the tests."""
    spectrum = search.spectrum
    scores: Dict[str, Dict[int, float]] = {}
    crashes: List[Any] = []
    greens: List[str] = []
    if spectrum is not None:
        for path, line in spectrum.red:
            relative = search.request.editable(path)
            if relative is not None:
                scores.setdefault(relative, {})[line] = spectrum.score(path, line)
        greens = [i for i, r in spectrum.records.items() if r.green]
        crashes = [spectrum.records[i].crash for i in search.targets]
    dying = [i for i in search.targets if spectrum is not None and spectrum.records[i].died]
    return {
        "greens": greens, "targets": search.targets, "dying": dying, "scores": scores,
        "after": search.after,
        "words": search.project.clues.words, "mismatches": search.project.clues.mismatches,
        "crashes": [c for c in crashes if c][:20],
    }  # fmt: skip


def take(known: Known, message: Dict[str, Any]) -> None:
    known.greens = message["greens"]
    known.targets, known.dying = message["targets"], message["dying"]
    known.after = message["after"]
    known.crashes = [revive(c) for c in message["crashes"]]
    known.scores = {
        path: {int(line): score for line, score in lines.items()}
        for path, lines in message["scores"].items()
    }


def ochiai(search: Search, spot: Spot) -> float:
    """Return the spectrum's part of a suspicion; the spot's own score counts crashes as well."""
    assert search.spectrum is not None
    path = search.trial.paths[spot.path]
    return max(search.spectrum.score(path, line) for line in lines_of(spot))


def lines_of(spot: Spot) -> Sequence[int]:
    return range(spot.line, header_end(spot.statement) + 1)


def suspects(search: Search) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    if search.frontier is None:
        return found
    for spot, score in list(search.frontier.suspects())[:20]:
        source = search.project.sources[spot.path]
        unit = source.unit_at(spot.line)
        found.append({
            "path": spot.path, "line": spot.line, "score": round(score, 4),
            "function": ".".join((*unit.chain, unit.name)) if unit else "",
            "flips": search.frontier.flips.get((spot.path, spot.line), 0),
            "ochiai": round(ochiai(search, spot), 4),
            "brought": not search.brought[spot.path].isdisjoint(lines_of(spot)),
        })  # fmt: skip
    return found
