"""Sessions of other tools taken over by their document, and written back as one."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clew import __version__
from clew.analysis.plans import check
from clew.documents.phases import DocumentUnreadable, read
from clew.documents.plans import examine
from clew.flows.plan.driver import FLOW, PlanRun
from clew.flows.plan.driver.documenting import document_of, write_document
from clew.flows.plan.events import KIND, TERMINATED, DocumentImported, PlanOpened
from clew.flows.plan.viewing import session_record
from clew.flows.plan.working import at_work, load_plan, own_settings
from clew.gates.phrases import some
from clew.sessions import Unwatched
from clew.sessions.belongings import give_back
from clew.sessions.plans import PlanFile, read_file
from clew.words.errors import PlanInvalid, SessionHeld, UsageError
from clew.words.layouts import CLEW, LAYOUTS
from clew.words.phases import PhaseRecord, PhaseStatus, SessionRecord
from clew.words.plans import CODER, PhaseId, Plan, PlanPhase, PlanRule, shown
from clew.words.records import Concluded

if TYPE_CHECKING:
    from clew.git.project import Project
    from clew.sessions import ProjectSessions
    from clew.words.settings import Settings

from clew.words.slugs import names_after

__all__ = ["export", "import_document"]

LARGEST = 16 << 20  # bytes of a document
FILES = ("files_created", "files_modified", "files_deleted", "planned_files")
NAMED = "Name the file of a session, such as .gemini/state/active-session.md."
AGAIN = "its document was imported again"
NO_ORDER = (PlanRule.CYCLIC_DEPENDENCY, PlanRule.DANGLING_DEPENDENCY, PlanRule.DUPLICATE_ID)


def import_document(
    sessions: ProjectSessions, settings: Settings, path: Path, *, without_plan: bool = False
) -> str:
    """Open a session as its document says it stands, and return its name; nothing is run.

    The plan that the document names has to be there, and to describe each phase that is left;
    `without_plan` says that such phases have no files, tests and criteria. Raises UsageError, and
    DocumentUnreadable or PlanInvalid saying what is wrong.
    """
    content = read_file(path, "document", LARGEST, hint=NAMED)
    try:
        record = read(content)
    except DocumentUnreadable as error:
        raise DocumentUnreadable(f"{path}: {error.message}", hint=_other_ways(path)) from error
    record = _below_the_root(record, sessions.project.root.resolve())
    file = _file(sessions, record, path)
    written = examine(file.texts, settings.plan_agents)[0] if file else Plan()
    if not without_plan:
        _ensure_described(sessions, record, path, written, file)
    plan = _plan(record, written)
    broken = [found for found in check(plan, settings.plan_agents) if found.code in NO_ORDER]
    if broken:
        raise PlanInvalid(str(path), broken)
    place = os.path.relpath(path.resolve(), sessions.project.root.resolve())
    document = place if settings.layout != CLEW and not place.startswith("..") else ""
    missing = _missing(sessions.project, record)
    for session in names_after(record.session_id):
        _make_way(sessions, session, document, missing)
        with contextlib.ExitStack() as held:
            run = PlanRun(sessions=sessions, id=session, flow=FLOW, watcher=Unwatched())
            try:
                held.enter_context(sessions.store.hold(session))
                run.record(_opening(run, settings, record, plan, file, document=document))
            except SessionHeld:
                continue  # the name is taken
            key = sessions.store.put(content)
            run.record(DocumentImported(record=record, document=key, path=place, missing=missing))
            write_document(run)
            return session
    raise UsageError(f"{sessions.project.root} has too many sessions {record.session_id}")


def export(sessions: ProjectSessions, session: str) -> bytes:
    """Return a plan's session as a document; what was imported and did not change keeps its bytes.

    Raises UsageError.
    """
    if sessions.listed(session).kind != KIND:
        raise UsageError(
            f"session {session} is no plan's", hint=f"`clew show {session}` says what it did."
        )
    return document_of(sessions.store, load_plan(sessions, session))


def _other_ways(path: Path) -> str:
    """Say what may be done with a document that no journal knows, and nobody writes anew."""
    plan = f"a plan is carried out by `clew run {shlex.quote(str(path))}`"
    return f"Correct that if it is the document of a session; {plan}."


def _below_the_root(record: SessionRecord, root: Path) -> SessionRecord:
    """Return a session whose files are named from the project's root; others stay as they are."""

    def named(path: str) -> str:
        inside = Path(path).is_relative_to(root)
        return Path(path).relative_to(root).as_posix() if inside else path

    def phase(told: PhaseRecord) -> PhaseRecord:
        files = {name: tuple(map(named, getattr(told, name))) for name in FILES}
        return replace(told, **files)

    return replace(record, phases=tuple(map(phase, record.phases)))


def _missing(project: Project, record: SessionRecord) -> tuple[str, ...]:
    """Return the files that completed phases left, that no phase deleted, and that are not here."""
    done = [phase for phase in record.phases if phase.status is PhaseStatus.COMPLETED]
    left = dict.fromkeys(path for each in done for path in each.files_created + each.files_modified)
    deleted = {path for phase in record.phases for path in phase.files_deleted}
    folders = (project.root, project.path)
    return tuple(
        path
        for path in left
        if path not in deleted and not any(os.path.lexists(folder / path) for folder in folders)
    )


def _opening(
    run: PlanRun,
    settings: Settings,
    record: SessionRecord,
    plan: Plan,
    file: PlanFile | None,
    *,
    document: str,
) -> PlanOpened:
    project = run.sessions.project
    return PlanOpened(
        session_id=run.id,
        goal=record.task or plan.title or record.session_id,
        kind=KIND,
        clew_version=__version__,
        root=str(project.root),
        path=str(project.path),
        plan=plan.bare,
        plan_hash=file.digest if file else "",
        plan_path=os.path.relpath(file.path, project.path) if file else "",
        settings=own_settings(run.sessions, run.id, settings),
        continues=True,
        parallel=1 if record.execution_mode == "sequential" else 3,
        document=document,
    )


def _make_way(
    sessions: ProjectSessions, session: str, document: str, missing: tuple[str, ...]
) -> None:
    """End a session of that name in the same document that has not begun, where files came back.

    Raises UsageError for any other one.
    """
    known = {each.session: each for each in sessions.listing()} if document else {}
    if session not in known or known[session].kind != KIND:
        return
    state = load_plan(sessions, session)
    if state.session.document != document or state.archived:
        return
    if state.ended and state.ended.reason == AGAIN:
        return
    if state.ended:
        raise UsageError(
            f"session {session} lies in {document}, and has ended: {state.ended.status}",
            hint=f"`clew rollback {session} start` goes on from what it began with;"
            f" `clew archive {session}` puts it away.",
        )
    before = state.imported
    if before is None or session_record(state) != before.record or missing == before.missing:
        raise UsageError(
            f"session {session} is open in {document} already",
            hint=f"`clew resume {session}` continues it.",
        )
    with at_work(sessions, session, Unwatched()) as run:
        run.record(Concluded(status=TERMINATED, reason=AGAIN, commit=state.head))
        give_back(sessions.store, session)


def _plan(record: SessionRecord, written: Plan) -> Plan:
    """Return the plan of a session: its phases by the document, more of each by the plan's file."""
    known = {phase.id: phase for phase in written.phases}
    phases = tuple(_phase(each, known) for each in record.phases)
    return replace(written, title=written.title or record.task, phases=phases)


def _ensure_described(
    sessions: ProjectSessions,
    record: SessionRecord,
    path: Path,
    written: Plan,
    file: PlanFile | None,
) -> None:
    """Raise UsageError where the plan that is named does not say what a phase has to come to."""
    known = {phase.id for phase in written.phases}
    left = [shown(p.id) for p in record.phases if not p.status.done and p.id not in known]
    if not left or not record.implementation_plan:
        return
    phases = f"phase{'s' if len(left) > 1 else ''} {some(left)}"
    root = sessions.project.root.resolve()
    if file:
        place = os.path.relpath(file.path.resolve(), root)
        lacks = f"its plan {place} does not describe {phases}"
        mend = f"`clew plan check {place}` shows what it says."
    else:
        lacks = f"its plan {record.implementation_plan} is not there"
        looked = (os.path.relpath(each.parent, root) for each in _places(sessions, record, path))
        mend = f"Put it back; it was looked for in {', '.join(dict.fromkeys(looked))}."
    raise UsageError(
        f"{path} cannot be gone on with: {lacks}",
        hint=f"{mend} `clew import {path} --without-plan` goes on without; only the gates of the"
        f" project judge {phases} then.",
    )


def _file(sessions: ProjectSessions, record: SessionRecord, path: Path) -> PlanFile | None:
    root = sessions.project.root.resolve()
    for place in _places(sessions, record, path):
        if place.exists() and place.resolve().is_relative_to(root):
            return PlanFile.at(place)
    return None


def _places(sessions: ProjectSessions, record: SessionRecord, path: Path) -> Iterator[Path]:
    """Yield where the plan of a document may lie: where it says, or by its name where plans are."""
    named = record.implementation_plan
    if not named:
        return
    root = sessions.project.root
    yield from (folder / named for folder in (root, sessions.project.path, path.parent))
    folders = (folder for layout in LAYOUTS.values() for folder in layout.plan_folders)
    yield from (root / folder / Path(named).name for folder in folders)


def _phase(told: PhaseRecord, known: Mapping[PhaseId, PlanPhase]) -> PlanPhase:
    files = told.planned_files or (*told.files_created, *told.files_modified)
    found = known.get(told.id) or PlanPhase(id=told.id, name=told.name, modifies=files)
    agent = next(iter(told.agents), "") or found.agent or CODER
    return replace(found, agent=agent, depends_on=told.blocked_by, parallel=found.parallel)
