"""The built-in repairer as an agent: no key, no network, the embedded default.

Its diagnosis is written from evidence: the failures, the suspects, and what a search for a patch
found. Its fix is the patch that the diagnosis recommends, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from clew.agents.about import About
from clew.agents.filing import carry_out
from clew.agents.protocol import Answer, Call, Done, Report, Work
from clew.agents.repair import search
from clew.agents.roles import R, Role
from clew.analysis.context import called
from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.evidence.explain import explain, nothing_more, related
from clew.words.errors import AgentFailed
from clew.words.facts import Findings, Suspect, TestRun

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

    def diagnose(self, call: Call, tick: Report) -> Answer:
        """Search, then explain. Only in Python is there a search."""
        findings: Findings | None = None
        suspects: tuple[Suspect, ...] = rank(call.run, None, is_test=is_test_path)
        if call.command.runner.python:
            findings = search(
                call.site,
                call.command,
                tuple(r.id for r in call.run.red),
                seconds=call.search_seconds,
                scratch=call.scratch,
                forbidden=call.forbidden,
                named=call.run.named,
                tick=tick,
                extra=call.extra,
            )
            suspects = findings.suspects or suspects
        else:
            suspects = suspects or called(call.run, call.files, _reader(call.site.worktree))
        sources = texts(call.site.worktree, call.run, suspects, call.files)
        sources |= _sources(call.site.worktree, _mentioned(call, suspects, findings))
        diagnosis = explain(
            call.run,
            suspects,
            findings,
            sources,
            call.brief.history,
            modules=call.modules,
            category=call.brief.category,
        )
        if not diagnosis.edits:
            why = nothing_more(call.command.runner, findings, call.search_seconds)
            diagnosis = replace(diagnosis, exhausted=why)
        return Answer(
            diagnosis=diagnosis,
            proposes=bool(diagnosis.edits),
            suspects=suspects[:20],
            reach=findings.reach if findings else (),
        )

    def fix(self, call: Call, _: Report) -> Work:
        """Apply the recommended patch, exactly."""
        if call.diagnosis is None or call.diagnosis.chosen is None:
            raise AgentFailed("there is no diagnosis to carry out", kind="error")
        carry_out(call.site.worktree, call.diagnosis.edits)
        return Work(summary=call.diagnosis.chosen.title)

    def do(self, role: Role[R], _: Call, __: Report) -> Done[R]:
        """Refuse: it searches, and does not read."""
        raise AgentFailed(f"the built-in repairer cannot {role.name}", kind="unsupported")


def _mentioned(
    call: Call, suspects: tuple[Suspect, ...], findings: Findings | None
) -> Iterable[str]:
    yield from (s.path for s in suspects)
    for candidate in findings.candidates if findings else ():
        yield from (e.path for e in candidate.edits)
    for result in call.run.red:
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
            found[path] = file.read_text("utf-8", "replace")
    return found
