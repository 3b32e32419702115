"""One search from the request to the last answer."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List

from .engine import Search
from .ranking import Survivor, best
from .request import Answers, Request, edits_of, patch_hash
from .suites import Collected, Suite

__all__ = ["Session"]


class Session:
    def __init__(self, fields: Dict[str, Any]) -> None:
        self.request = Request(fields)
        self.answers = Answers(self.request.results, self.request.started)

    def suite(self) -> Suite:
        if self.request.runner == "unittest":
            from .unittest_suite import UnittestSuite  # noqa: PLC0415

            return UnittestSuite(self.request.args)
        from .pytest_suite import PytestSuite  # noqa: PLC0415

        return PytestSuite(self.request.args, self.request.scratch)

    def run(self) -> int:
        request = self.request
        os.chdir(request.cwd)
        if request.as_module:
            sys.path.insert(0, request.cwd)
        sys.path[:0] = request.insert
        sys.dont_write_bytecode = True
        self.answers.progress("collecting", 0, 0, now=True)
        search = Search(request, self.answers)
        errors: Dict[str, BaseException] = {}

        def use(collected: Collected) -> None:
            errors.update(collected.errors)
            search.run(collected)

        self.suite().collect(use)
        self.tell(search)
        return 0

    def tell(self, search: Search) -> None:
        targets = getattr(search, "targets", self.request.failing)
        chosen = best(search.survivors, len(targets), self.request.keep)
        if search.frontier is not None:
            for spot, score in list(search.frontier.suspects())[:20]:
                source = search.project.sources[spot.path]
                unit = source.unit_at(spot.line)
                self.answers.write(
                    "suspect", path=spot.path, line=spot.line,
                    function=".".join((*unit.chain, unit.name)) if unit else "",
                    score=round(score, 4), flips=search.frontier.flips.get((spot.path, spot.line), 0),
                )  # fmt: skip
        for survivor in chosen:
            self.candidate(search, survivor, len(targets))
        made = search.frontier.made if search.frontier else 0
        self.answers.progress("done", made, search.tried, now=True)
        self.answers.write(
            "done", made=made, tried=search.tried, families=dict(sorted(search.families.items())),
            exhausted=search.exhausted, notes=search.notes,
        )  # fmt: skip

    def candidate(self, search: Search, survivor: Survivor, targets: int) -> None:
        patch = survivor.patch
        edits: List[Dict[str, Any]] = edits_of(search.project.sources, patch)
        unit = search.project.sources[patch.path].unit_at(patch.line)
        self.answers.write(
            "candidate", description=patch.description, family=patch.family, path=patch.path,
            line=patch.line, function=".".join((*unit.chain, unit.name)) if unit else "",
            edits=edits, turns_green=list(survivor.greens), still_red=list(survivor.reds),
            complete=survivor.complete, score=round(survivor.score(targets), 4),
            hash=patch_hash(edits),
        )  # fmt: skip
