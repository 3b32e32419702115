"""What a debug session comes to: a plan of the fix; or the archive, and what it taught."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from clew.documents import debug_sessions, knowledge, plans
from clew.flows.investigation.driver.documenting import path_of, resolved_of
from clew.flows.investigation.events import FileAway, FiledAway, PlanWritten, WritePlan
from clew.flows.investigation.states import DebugState
from clew.flows.investigation.viewing import document_of
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.sandbox.files import create_exclusively, write_atomically
from clew.sessions import knowledge_base
from clew.sessions.run import SessionRun
from clew.words.papers import knowledge_base_of
from clew.words.plans import Criterion, Plan, PlanPhase, VerifyBy
from clew.words.printable import first_line, shortened
from clew.words.slugs import names_after
from clew.words.verdicts import VOUCHED

__all__ = ["file_away", "write_plan"]

PLANS, TESTS = "plans", "tests"


def write_plan(run: SessionRun[DebugState], _: int, __: WritePlan) -> PlanWritten:
    """Write the plan; one that lies there already is this one, or another's and left alone."""
    root = run.project.root
    content = plans.write(_plan(run.state, tests=(root / TESTS).is_dir())).encode()
    for name in names_after(f"fix-{run.state.session.slug}"):
        path = root / PLANS / f"{name}.md"
        refuse_links(root, path)
        with writable(path.parent):
            path.parent.mkdir(exist_ok=True)
            try:
                create_exclusively(path, content)
            except FileExistsError:
                if path.read_bytes() != content:
                    continue
        return PlanWritten(path=path.relative_to(root).as_posix())
    raise AssertionError("names do not end")


def _plan(state: DebugState, *, tests: bool) -> Plan:
    """Return a plan with one phase, which writes the failing test and makes it pass.

    A test in Python has a file of its own, in the folder of `tests` where there is one.
    """
    session, cause = state.session, state.cause
    root_cause = cause.root_cause if cause else ""
    files = tuple(dict.fromkeys(each.file for each in cause.files)) if cause else ()
    name = f"test_{session.slug.replace('-', '_')}.py"
    in_python = any(each.endswith(".py") for each in files)
    test = (f"{TESTS}/{name}" if tests else name) if in_python else ""
    where = f", in {test}" if test else ""
    parts = (
        f"Root cause: {root_cause}",
        f"Fix direction: {cause.fix_direction}" if cause else "",
        *(f"{each.file}: {each.issue}" for each in (cause.files if cause else ())),
        f"First write the smallest test that fails because of it{where}; then make it pass.",
    )
    return Plan(
        title=f"Fix {session.slug}",
        goal=f"This is gone: {first_line(session.trigger)}",
        phases=(
            PlanPhase(
                id=1,
                name=shortened(f"Fix {first_line(session.trigger)}", 60),
                agent="coder",
                objective="the symptom is gone, and a test holds it",
                description="\n\n".join(filter(None, parts)),
                modifies=files,
                test_files=(test,) if test else (),
                criteria=(
                    Criterion(
                        criterion="the test that failed without the fix passes with it",
                        verify_by=VerifyBy.TEST,
                        target=test,
                    ),
                ),
            ),
        ),
    )


def file_away(run: SessionRun[DebugState], _: int, __: FileAway) -> FiledAway:
    """Move the document to those that are resolved, then learn; both may be done again."""
    root, source = run.project.root, path_of(run)
    target = root / resolved_of(run.state.session.document)
    own_folder(root)
    refuse_links(root, target)
    with writable(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.exists():
            content = debug_sessions.save(source.read_bytes(), document_of(run.state))
            write_atomically(target, content)
            source.unlink()
    commit, filed = run.state.commit, target.relative_to(root).as_posix()
    base = knowledge_base_of(posixpath.dirname(run.state.session.document))

    def made(taken: frozenset[str]) -> knowledge.KnowledgeEntry:
        link = posixpath.relpath(filed, posixpath.dirname(base))
        return _entry(run, link, taken)

    entry = knowledge_base.learn(root, run.id, commit, made, base)[1]
    return FiledAway(path=filed, entry=entry)


def _entry(
    run: SessionRun[DebugState], link: str, taken: frozenset[str]
) -> knowledge.KnowledgeEntry:
    state, told = run.state, run.state.resolution
    title = first_line(state.session.trigger)
    return knowledge.KnowledgeEntry(
        slug=knowledge.name_of(state.session.slug, taken),
        title=title,
        date=run.clock(),
        session=run.id,
        commit=state.commit,
        patterns=tuple(_patterns(state)),
        causes=(told.root_cause,) if told.root_cause else (),
        fixes=(told.fix,) if told.fix else (),
        files=told.files_changed,
        why_not_caught="Nobody saw it before: no test failed.",
        guards=_guards(state),
        doubts=tuple(f"{VOUCHED}{doubt}" for doubt in state.doubts),
        confirmed=state.fix is None,
        links={"debug session": link},
    )


def _patterns(state: DebugState) -> Iterator[str]:
    """Yield what somebody would see if it came back."""
    yield first_line(state.session.trigger)
    for text in (state.symptoms.actual, state.symptoms.errors):
        lines = [line for line in text.splitlines() if line.strip()]
        if lines:
            yield shortened(lines[-1], 300)


def _guards(state: DebugState) -> tuple[str, ...]:
    tests = state.cause.failing_tests if state.cause else ()
    by_test = tuple(f"`{test}` is red without the fix" for test in tests)
    by_command = (f"`{state.command}` shows it",) if state.command else ()
    return (*by_test, *by_command) or ("a person confirmed that it is gone",)
