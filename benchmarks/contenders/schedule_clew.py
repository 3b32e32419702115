"""Clew: a plan whose phases do nothing, by the rules and the engine that carry out any plan.

Its phases are not sessions of their own: the hands say at once that each is done, merged, and has
passed its gates. Every intent and every outcome is journalled.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dag import waits
from serving import serve

from clew.flows.plan.driver import FLOW, PlanRun
from clew.flows.plan.driver.documenting import write_document
from clew.flows.plan.events import (
    DocumentRendered,
    GatesRan,
    MergePhase,
    PhaseMerged,
    PlanOpened,
    RenderDocument,
    RunGates,
)
from clew.journal import engine
from clew.sessions import UNWATCHED, ProjectSessions
from clew.words.gates import GateStatus
from clew.words.plans import Plan, PlanPhase
from clew.words.records import BaseTaken, ChildEnded, Outcome, RunSession, TakeBase
from clew.words.settings import Settings

folder, documents = Path(sys.argv[1]), sys.argv[2:] == ["document"]
numbers = itertools.count(1)


def done(_: PlanRun, number: int, intent: Any) -> Outcome:  # noqa: ANN401 - any intent
    """Say that what is asked for was done."""
    match intent:
        case TakeBase():
            return BaseTaken(commit="base", tree="t")
        case RunSession():
            return ChildEnded(of=0, child=intent.child, status="completed", commit=f"c{number}")
        case MergePhase():
            return PhaseMerged(phase=intent.phase, commit=f"m{number}")
        case RunGates():
            id_, commit, status = intent.phase, intent.commit, GateStatus.PASS
            return GatesRan(phase=id_, commit=commit, status=status, summary="")
        case RenderDocument():
            return DocumentRendered(path="summary.md")
    raise TypeError(intent)


def plan(count: int) -> Plan:
    return Plan(
        title="Nothing",
        phases=tuple(
            PlanPhase(id=n, name=f"task {n}", agent="a", depends_on=below, creates=(f"src/{n}.py",))
            for n, below in waits(count).items()
        ),
    )


def timed(work: Callable[[PlanRun], None], run: PlanRun) -> float:
    began = time.perf_counter()
    work(run)
    return time.perf_counter() - began


def schedule(count: int) -> float | list[float]:
    """Carry out a plan of that many phases; return the seconds of a phase, or of each document."""
    sessions = ProjectSessions.at(folder)
    hands: Any = dict.fromkeys(FLOW.perform, done)
    flow = replace(FLOW, perform=hands, reconcile=hands)
    run = PlanRun(sessions=sessions, id=f"s{next(numbers)}", flow=flow, watcher=UNWATCHED)
    took: list[float] = []
    if documents:
        run.document = lambda run: took.append(timed(write_document, run))
    opened = PlanOpened(
        session_id=run.id, goal="", kind="plan", clew_version="0", root=str(folder),
        path=str(folder), plan=plan(count), plan_hash="", plan_path="plan.md",
        settings=Settings(agent=("a",)), parallel=10,
    )  # fmt: skip
    began = time.perf_counter()
    run.record(opened)
    state = engine.drive(flow, run)
    seconds = time.perf_counter() - began
    if state.ended is None or len(state.merges) != count:
        raise RuntimeError(f"{len(state.merges)} of {count} tasks were done")
    return took or seconds / count


serve(schedule)
