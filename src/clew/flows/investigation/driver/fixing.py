"""The fix: a debugging session of its own, whose proof decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from clew.flows.investigation.states import DebugState
from clew.git.worktrees import path_text
from clew.journal.nesting import Child
from clew.sessions.run import SessionRun, attend
from clew.words import events as ev
from clew.words.papers import is_paper
from clew.words.records import ChildEnded, Event, RunSession

__all__ = ["doubts_of", "edits_of", "files_between", "fix_of", "have_it_fixed", "weak_of"]


def have_it_fixed(run: SessionRun[DebugState], number: int, intent: RunSession) -> FixingChild:
    """See to the session that fixes it: begun, watched, found again."""
    seen = attend(run, number, intent)
    return FixingChild(
        nest=seen.nest,
        number=number,
        intent=intent,
        asked=seen.asked,
        stalled=seen.stalled,
        run=run,
    )


@dataclass(kw_only=True)
class FixingChild(Child):
    """A child whose end also says what it changed, as its own stream and git tell."""

    run: SessionRun[DebugState]

    def poll(self) -> Event | None:
        """Return what is new of the child."""
        news = super().poll()
        if not isinstance(news, ChildEnded) or not news.commit:
            return news
        told = [each.event for each in self.run.sessions.journal(ev.CODEC).read(self.intent.child)]
        files = files_between(self.run, self.intent.request["base"], news.commit)
        result = {"fix": fix_of(told), "files": files, "sure": _sure(told), "edits": edits_of(told)}
        return replace(news, result=result | {"doubts": doubts_of(told), "weak": weak_of(told)})


def files_between(run: SessionRun[DebugState], before: str, after: str) -> list[str]:
    """Return the files that two commits have otherwise, but for Clew's own."""
    changes = run.repository.changed(before, after)
    return [path_text(change.path) for change in changes if not is_paper(change.path)]


def fix_of(told: Sequence[object]) -> str:
    """Return what the fix does: each change that helped, or that a person accepted."""
    ended = [e for e in told if isinstance(e, ev.IterationEnded) and e.commit]
    words = {e.option for e in told if isinstance(e, ev.QuestionAnswered)}
    helped = [
        e for e in ended if e.progress or e.result is ev.Result.PASSING or e.acceptance in words
    ]
    return "; ".join(dict.fromkeys(e.fix_attempted for e in helped if e.fix_attempted))


def doubts_of(told: Sequence[object]) -> list[str]:
    """Return in words what the newest proof doubts, and a person settled."""
    proofs = [each for each in told if isinstance(each, ev.Proved)]
    return [row.refusal for row in proofs[-1].rows if row.vouched] if proofs else []


def weak_of(told: Sequence[object]) -> list[str]:
    """Return in words what the tests leave open of the fix, by the newest proof."""
    proofs = [each for each in told if isinstance(each, ev.Proved)]
    rows = proofs[-1].rows if proofs else ()
    said = [row.measured for row in rows if not row.holds and not row.decides]
    return [words.removeprefix("weakly tested: ") for words in said]


def edits_of(told: Sequence[object]) -> str:
    """Return the hash of the edits that it made, where it made these alone."""
    made = [each for each in told if isinstance(each, ev.FixApplied) and each.commit]
    return made[0].edits if len(made) == 1 else ""


def _sure(told: Sequence[object]) -> str:
    """Return how sure whoever found the fix was, and why, where that is less than high."""
    found = [e.diagnosis for e in told if isinstance(e, ev.Diagnosed) and e.proposes]
    if not found or found[-1].confidence == "high":
        return ""
    return f"{found[-1].confidence}: {found[-1].confidence_reason}"
