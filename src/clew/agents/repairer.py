"""The built-in repairer as an agent: no key, no network, the embedded default.

Its diagnosis is written from evidence: the failures, the suspects, and what a search for a patch
found. Its fix is the patch that the diagnosis recommends, and nothing else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from clew.agents.about import About
from clew.agents.filing import carry_out
from clew.agents.protocol import Answer, Call, Done, Failing, Report, Work
from clew.agents.repair import search
from clew.agents.replies import DiagnosisReply, FixReply
from clew.agents.roles import R
from clew.analysis.context import called
from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.evidence.explain import explain, nothing_more, related
from clew.words.edits import EditMisfit, apply
from clew.words.encodings import readable
from clew.words.errors import AgentFailed
from clew.words.facts import Edit, Findings, Suspect, TestRun

__all__ = ["Repairer", "texts"]


class Repairer:
    """Searches for a patch that turns failing tests green, and explains it."""

    about = About(
        word="repair",
        does="built in: searches for a patch, offline",
        reads_only_by="itself",
    )
    name = "repair"
    reads_files = False

    def diagnose(self, call: Call[DiagnosisReply], tick: Report) -> Answer:
        """Search, then explain. Only in Python is there a search."""
        findings: Findings | None = None
        failing = _failing(call)
        suspects: tuple[Suspect, ...] = rank(failing.run, None, is_test=is_test_path)
        if failing.command.runner.python:
            findings = search(
                call.site,
                failing.command,
                tuple(r.id for r in failing.run.red),
                seconds=failing.search_seconds,
                scratch=call.scratch,
                forbidden=failing.forbidden,
                refused=_refused(call.site.worktree, failing.refused),
                named=failing.run.named,
                tick=tick,
                extra=failing.extra,
                earlier=failing.earlier,
                first_bad=failing.first_bad,
                last=failing.last,
                ground=failing.commit and f"{failing.commit}, round {call.brief.round}",
            )
            suspects = findings.suspects or suspects
        else:
            suspects = suspects or called(failing.run, failing.files, _reader(call.site.worktree))
        sources = texts(call.site.worktree, failing.run, suspects, failing.files)
        sources |= _sources(call.site.worktree, _mentioned(failing.run, suspects, findings))
        diagnosis = explain(
            failing.run,
            suspects,
            findings,
            sources,
            call.brief.history,
            modules=failing.modules,
            category=call.brief.category,
            earlier=failing.earlier,
            demand=failing.demand,
        )
        if not diagnosis.edits:
            why = nothing_more(failing.command.runner, findings, failing.search_seconds)
            diagnosis = replace(diagnosis, exhausted=why or diagnosis.exhausted)
        return Answer(
            diagnosis=diagnosis,
            proposes=bool(diagnosis.edits),
            suspects=suspects[:20],
            reach=findings.reach if findings else (),
        )

    def fix(self, call: Call[FixReply], _: Report) -> Work:
        """Apply the recommended patch, exactly."""
        diagnosis = _failing(call).diagnosis
        if diagnosis is None or diagnosis.chosen is None:
            raise AgentFailed("there is no diagnosis to carry out", kind="error")
        carry_out(call.site.worktree, diagnosis.edits)
        return Work(summary=diagnosis.chosen.title)

    def do(self, call: Call[R], _: Report) -> Done[R]:
        """Refuse: it searches, and does not read."""
        raise AgentFailed(f"the built-in repairer cannot {call.role.name}", kind="unsupported")


def _failing(call: Call[Any]) -> Failing:
    if call.failing is None:
        what = "the built-in repairer fixes failing tests, and there are none"
        raise AgentFailed(what, kind="unsupported")
    return call.failing


def _refused(
    worktree: Path, changes: Iterable[Sequence[Edit]]
) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the files that each change would make of those that are there now."""
    for edits in changes:
        with contextlib.suppress(EditMisfit):
            yield tuple(apply(_sources(worktree, (e.path for e in edits)), edits).items())


def _mentioned(
    run: TestRun, suspects: tuple[Suspect, ...], findings: Findings | None
) -> Iterable[str]:
    yield from (s.path for s in suspects)
    for candidate in findings.candidates if findings else ():
        yield from (e.path for e in candidate.edits)
    for result in run.red:
        yield from (f.path for f in (result.crash.frames if result.crash else ()) if f.project)


def texts(
    worktree: Path, run: TestRun, suspects: tuple[Suspect, ...], files: tuple[str, ...]
) -> dict[str, str]:
    """Return the texts of the worktree that a failure can be told from, by path."""
    return related(run, suspects, files, _reader(worktree))


def _reader(worktree: Path) -> Callable[[str], str | None]:
    return lambda path: _sources(worktree, (path,)).get(path)


def _sources(worktree: Path, paths: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        file = worktree / path
        if file.is_file() and file.resolve().is_relative_to(worktree.resolve()):
            found[path] = readable(path, file.read_bytes()).replace("\r\n", "\n")
    return found
