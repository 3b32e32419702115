"""The hands: one function an intent, from the intent to its outcome."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from clew import agents, culprits
from clew import events as ev
from clew.debugging import closing, documenting, learning, proving
from clew.debugging.briefing import brief_for
from clew.debugging.measuring import run_tests
from clew.debugging.steering import touched
from clew.debugging.workshop import Workshop
from clew.decisions import ESCALATION, options, seconds_left, tokens_left
from clew.edits import patch_hash
from clew.errors import AgentFailed, ClewError
from clew.facts import Reached, Tick, Usage
from clew.printable import printable
from clew.spending import priced
from clew.states import KNOWLEDGE, State
from clew.tampering import blames_tests
from clew.worktrees import spelled

__all__ = ["PERFORM", "commit_message", "keep_hands"]

_SHOWN = 4_000  # characters of a diff that a person made, and knows


def take_snapshot(workshop: Workshop, intent: ev.TakeSnapshot) -> ev.SnapshotTaken:
    """Record the person's tree and open the worktree on it."""
    repository, session, before = workshop.repository, workshop.id, workshop.state.snapshot
    name = "base" if intent.generation == 1 else f"base-{intent.generation}"
    snapshot = repository.snapshot(session, name)
    worktree = repository.add_worktree(session, snapshot.commit)
    taken = ev.SnapshotTaken(
        generation=intent.generation,
        base=snapshot.commit,
        tree=snapshot.tree,
        branch=f"clew/{workshop.id}",
        worktree=str(worktree),
        head=snapshot.head,
        skipped=tuple(
            ev.Skipped(path=spelled(s.path), reason=s.reason, bytes=s.bytes)
            for s in snapshot.skipped
        ),
    )
    if before is not None:
        taken = _taken_along(workshop, before, taken)
    repository.reset(session, snapshot.commit)
    return taken


def _taken_along(
    workshop: Workshop, before: ev.SnapshotTaken, taken: ev.SnapshotTaken
) -> ev.SnapshotTaken:
    """Bring kept progress, and what a person did in the worktree, on to the newer snapshot."""
    repository, session, state = workshop.repository, workshop.id, workshop.state
    head = state.head
    tip = repository.ref(session, hands_ref(state)) or head
    told, onto, left = "Work taken along", taken.base, list[str]()
    for start, end in ((before.base, state.carrying or head), (head, tip)):
        carried = repository.carry(session, start, end, onto=onto, message=told)
        onto, left = carried.commit or onto, [*left, *carried.left]
    own = repository.diff(before.base, taken.base) + repository.diff(head, tip)
    changed = (*repository.changed(before.base, taken.base), *repository.changed(head, tip))
    return msgspec.structs.replace(
        taken,
        carried=None if onto == taken.base else onto,
        left_behind=tuple(spelled(path) for path in left),
        by_hand=tuple(sorted({spelled(change.path) for change in changed})),
        by_hand_diff=own[:_SHOWN],
    )


def hands_ref(state: State) -> str:
    """Name the ref under which edits by hand are kept that were made while a question waited."""
    return f"by-hand-{state.asked}"


def keep_hands(workshop: Workshop) -> None:
    """Keep what a person did in the worktree under a ref, before anything puts the worktree back.

    May be called again; the worktree stays as it is.
    """
    state, repository = workshop.state, workshop.repository
    if state.snapshot is None or not repository.worktree(workshop.id).is_dir():
        return
    asked = state.question
    of_tests = asked is not None and asked.kind is ev.QuestionKind.TEST_EDIT
    onto = state.fix.commit if of_tests and state.fix and state.fix.commit else state.head
    made = repository.commit(workshop.id, "Work by hand", onto=onto)
    repository.ref(workshop.id, hands_ref(state), made.id if made else onto)


def bisect(workshop: Workshop, _: ev.Bisect) -> ev.Bisected:
    """Look for the first bad commit; where there is none to be found, that is no failure."""
    session, started = workshop.state.session, time.monotonic()
    wish = culprits.Wish(runner_args=session.runner_args)

    def tell(search: culprits.Bisection, _: object) -> None:
        workshop.watcher.tick(Tick(phase="bisect", text=f"{search.runs} commits tried"))

    try:
        found = culprits.bisect(workshop, workshop.settings, wish, tell)
    except ClewError as error:
        return ev.Bisected(reason=error.message, seconds=time.monotonic() - started)
    first = found.first_bad
    return ev.Bisected(
        commit=first.commit if first else "",
        reason="" if first else str(found.end),
        runs=found.runs,
        seconds=time.monotonic() - started,
    )


def diagnose(workshop: Workshop, intent: ev.Diagnose) -> ev.Diagnosed | ev.AgentErred:
    """Call an agent for a diagnosis."""
    workshop.watcher.tick(Tick(phase="diagnosis", text=intent.agent))
    workshop.repository.reset(workshop.id, workshop.state.head)
    started, sent = time.monotonic(), _Sent()
    try:
        agent = agents.make(intent.agent, workshop.settings, workshop.project)
        answer = agent.diagnose(_call(workshop, intent, agent, sent), workshop.watcher.tick)
        with agents.charged(answer.usage):
            _see_that_nothing_changed(workshop, intent)
    except AgentFailed as error:
        return _erred(workshop, intent, error, started, sent)
    diagnosed = ev.Diagnosed(
        iteration=intent.iteration,
        agent=intent.agent,
        diagnosis=answer.diagnosis,
        proposes=answer.proposes,
        suspects=answer.suspects,
        usage=_priced(workshop, intent, answer.usage),
        seconds=time.monotonic() - started,
        prompt=sent.prompt,
        reply=_kept(workshop, answer.reply),
        context=sent.context,
        reach=_reach_of(workshop, answer),
    )
    problems = documenting.problems(workshop, intent.iteration, diagnosed)
    if problems and intent.agent != agents.BUILT_IN:
        lacking = AgentFailed(" ".join(problems), kind="invalid_output", usage=answer.usage)
        return _erred(workshop, intent, lacking, started, sent)
    return diagnosed


def _reach_of(workshop: Workshop, answer: agents.Answer) -> str:
    if not answer.reach:
        return ""
    return workshop.store.put_record(Reached(commit=workshop.state.head, files=answer.reach))


def _see_that_nothing_changed(workshop: Workshop, intent: ev.Diagnose) -> None:
    """Hold an agent to it that a diagnosis only reads, also where no sandbox does."""
    if intent.agent == agents.BUILT_IN or workshop.repository.is_clean(workshop.id):
        return
    workshop.repository.reset(workshop.id, workshop.state.head)
    raise AgentFailed("it changed files, though it was asked for a diagnosis only", kind="error")


@dataclass
class _Sent:
    """What an agent was sent, kept at the moment it is sent: blobs."""

    prompt: str = ""
    context: str = ""  # the account of the prompt's budget


def _call(
    workshop: Workshop, intent: ev.Diagnose | ev.ApplyFix, agent: agents.Agent, sent: _Sent
) -> agents.Call:
    state = workshop.state
    if state.kept is None:
        raise ClewError("an agent cannot be called before the tests ran")
    effort, left = max(1, state.counter), seconds_left(state)
    brief = brief_for(workshop, files=agent.reads_files)

    def keep(prompt: str) -> None:
        sent.prompt = _kept(workshop, prompt)
        sent.context = workshop.store.put_record(brief.account) if brief.account else ""

    return agents.Call(
        number=intent.call,
        brief=brief,
        sent=keep,
        tick=workshop.watcher.tick,
        run=workshop.run_of(state.kept),
        command=state.kept.command,
        site=workshop.site(workshop.worktree),
        scratch=workshop.scratch,
        seconds=min(left, state.session.agent_timeout * (1 + state.failures)),
        idle_seconds=state.session.agent_idle_timeout * (1 + state.failures),
        search_seconds=min(left, state.session.search_seconds * effort),
        tokens=tokens_left(state),
        forbidden=state.tried_edits,
        extra=state.session.runner_args,
        modules=workshop.modules,
        files=workshop.repository.files(state.head),
        diagnosis=state.diagnosed.diagnosis if state.diagnosed else None,
    )


def _kept(workshop: Workshop, text: str) -> str:
    return workshop.store.put(text.encode("utf-8", "replace")) if text else ""


def _priced(workshop: Workshop, intent: ev.Diagnose | ev.ApplyFix, usage: Usage) -> Usage:
    return priced(usage, intent.agent, workshop.settings.prices)


def _erred(
    workshop: Workshop,
    intent: ev.Diagnose | ev.ApplyFix,
    error: AgentFailed,
    started: float,
    sent: _Sent,
) -> ev.AgentErred:
    return ev.AgentErred(
        iteration=intent.iteration,
        role="fix" if isinstance(intent, ev.ApplyFix) else "diagnose",
        agent=intent.agent,
        kind=error.kind,
        message=f"{error.message}. {error.hint}".strip(". ") if error.hint else error.message,
        seconds=time.monotonic() - started,
        prompt=sent.prompt,
        context=sent.context,
        usage=_priced(workshop, intent, error.usage or Usage()),
        after=error.after,
    )


def write_report(workshop: Workshop, intent: ev.WriteReport) -> ev.ReportWritten:
    """Create the report of the iteration."""
    number, path = documenting.write_report(workshop, intent.iteration)
    return ev.ReportWritten(iteration=intent.iteration, number=number, path=path)


def apply_fix(workshop: Workshop, intent: ev.ApplyFix) -> ev.FixApplied | ev.AgentErred:
    """Have the recommended option carried out, and commit what truly changed."""
    workshop.watcher.tick(Tick(phase="fix", text=intent.agent))
    workshop.repository.reset(workshop.id, intent.base)
    started, sent = time.monotonic(), _Sent()
    try:
        agent = agents.make(intent.agent, workshop.settings, workshop.project)
        work = agent.fix(_call(workshop, intent, agent, sent), workshop.watcher.tick)
    except AgentFailed as error:
        workshop.repository.reset(workshop.id, intent.base)
        return _erred(workshop, intent, error, started, sent)
    message = commit_message(intent, work.summary)
    commit = workshop.repository.commit(workshop.id, message, onto=intent.base)
    seconds = time.monotonic() - started
    applied = fix_applied(workshop, intent, commit.id if commit else None, work, seconds=seconds)
    return msgspec.structs.replace(
        applied,
        prompt=sent.prompt,
        reply=_kept(workshop, work.reply),
        context=sent.context,
    )


def commit_message(intent: ev.ApplyFix, summary: str) -> str:
    """Message of a fix's commit; the trailer tells a resumed session whose work it is."""
    said = printable(summary).strip()
    first = said.partition("\n")[0][:72] or "fix"
    return f"{first}\n\n{said}\n\n{_trailer(intent)}"


def summary_of(message: str, intent: ev.ApplyFix) -> str | None:
    """Return the summary from a commit's message; None if it is not this call's."""
    body, found, _ = message.partition(_trailer(intent))
    return body.partition("\n\n")[2].strip() if found else None


def _trailer(intent: ev.ApplyFix) -> str:
    return f"Clew-Iteration: {intent.iteration}\nClew-Call: {intent.call}\n"


def fix_applied(
    workshop: Workshop,
    intent: ev.ApplyFix,
    commit: str | None,
    work: agents.Work,
    *,
    seconds: float = 0.0,
) -> ev.FixApplied:
    """Return the outcome of a fix from what git says changed."""
    files: tuple[str, ...] = ()
    patch, tampering = "", tuple[str, ...]()
    if commit is not None:
        files = tuple(spelled(c.path) for c in workshop.repository.changed(intent.base, commit))
        patch = hashlib.sha256(workshop.repository.patch(intent.base, commit)).hexdigest()
        tampering = touched(workshop, intent.base, commit)
    diagnosed = workshop.state.diagnosed
    edits = diagnosed.diagnosis.edits if diagnosed else ()
    return ev.FixApplied(
        iteration=intent.iteration,
        agent=intent.agent,
        summary=work.summary,
        commit=commit,
        files=files,
        patch=patch,
        edits=patch_hash(edits) if edits else "",
        tampering=tampering,
        consult=bool(tampering and diagnosed and blames_tests(diagnosed.diagnosis)),
        test_diff=_test_diff(workshop, intent.base, commit, tampering),
        usage=_priced(workshop, intent, work.usage),
        seconds=seconds,
    )


def _test_diff(workshop: Workshop, base: str, commit: str | None, paths: tuple[str, ...]) -> str:
    if commit is None or not paths:
        return ""
    return workshop.repository.diff(base, commit, paths)[:_SHOWN]


def roll_back(workshop: Workshop, intent: ev.RollBack) -> ev.RolledBack:
    """Put the worktree back."""
    workshop.repository.reset(workshop.id, intent.commit)
    return ev.RolledBack(iteration=intent.iteration, commit=intent.commit)


def prove(workshop: Workshop, intent: ev.Prove) -> ev.Proved:
    """Prove the fix in pristine checkouts."""
    workshop.watcher.tick(Tick(phase="proof"))
    return proving.prove(workshop, intent.commit)


def save_checkpoint(workshop: Workshop, intent: ev.SaveCheckpoint) -> ev.CheckpointSaved:
    """Keep the tree by a hidden ref, and state and events beside it."""
    commit = workshop.state.head
    workshop.repository.reset(workshop.id, commit)
    workshop.repository.ref(workshop.id, intent.name, commit)
    path = documenting.write_checkpoint(workshop, intent.name)
    return ev.CheckpointSaved(name=intent.name, commit=commit, path=str(path))


def write_document(workshop: Workshop, intent: ev.WriteDocument) -> ev.DocumentWritten:
    """Write the summary, the escalation message, or what a proven fix taught."""
    anchor = ""
    if intent.kind == KNOWLEDGE:
        path, anchor = learning.learn(workshop)
    elif intent.kind == ESCALATION:
        offered = options(workshop.state, ev.QuestionKind.ESCALATION)
        path = documenting.write_escalation(workshop, offered)
    else:
        path = closing.write_summary(workshop)
    place = path.relative_to(workshop.project.root).as_posix()
    return ev.DocumentWritten(kind=intent.kind, path=place, anchor=anchor)


PERFORM: dict[type[ev.Intent], Callable[[Workshop, Any], ev.AnyEvent]] = {
    ev.TakeSnapshot: take_snapshot,
    ev.RunTests: run_tests,
    ev.Bisect: bisect,
    ev.Diagnose: diagnose,
    ev.WriteReport: write_report,
    ev.ApplyFix: apply_fix,
    ev.RollBack: roll_back,
    ev.Prove: prove,
    ev.SaveCheckpoint: save_checkpoint,
    ev.WriteDocument: write_document,
}
