"""A failure looked into, without a session: nothing of the person's is touched, no fix is made."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from clew.agents.prompts import Brief, prompt
from clew.analysis.context import PromptAccount, account_lines
from clew.analysis.flakes import FlakeHistory, history, outcomes_in
from clew.evidence import Evidence
from clew.flows.debugging import collect, previewing
from clew.sessions import ProjectSessions
from clew.words.errors import JournalDamaged
from clew.words.events import CODEC, Recorded
from clew.words.records import DEBUGGING
from clew.words.settings import Settings

__all__ = [
    "AgentContext",
    "context",
    "evidence",
    "flakes",
    "session_context",
    "session_evidence",
]


class AgentContext(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent would be told of a failure."""

    account: PromptAccount  # the files in it, each with its size, in tokens
    lines: tuple[str, ...]  # the account in words, as the agent has it
    prompt: str


def evidence(
    sessions: ProjectSessions, settings: Settings, runner_args: tuple[str, ...] = ()
) -> Evidence:
    """Run the tests on a snapshot, and return what is known of what fails, no agent being asked.

    Its `verdict` is passed where nothing fails. Raises TestsDidNotRun, SessionHeld while another
    process does the same, and UsageError for words that the runner does not take.
    """
    return collect.of_tree(sessions, settings, runner_args)


def session_evidence(sessions: ProjectSessions, name: str | None = None) -> Evidence:
    """Return what is known of the failure that a debugging session stands before; nothing is run.

    Raises UsageError where no test of it has failed, and JournalDamaged.
    """
    return collect.of_session(sessions, sessions.find(name))


def context(
    sessions: ProjectSessions,
    settings: Settings,
    runner_args: tuple[str, ...] = (),
    budget: int | None = None,
) -> AgentContext | None:
    """Run the tests on a snapshot, and return what an agent would be told; None if they all pass.

    `budget` are the tokens that the prompt may take, else those of the settings. Raises
    TestsDidNotRun, SessionHeld, and UsageError for words that the runner does not take.
    """
    return _context(previewing.of_project(sessions, settings, runner_args, budget))


def session_context(
    sessions: ProjectSessions, name: str | None = None, budget: int | None = None
) -> AgentContext | None:
    """Return what the next call of an agent in a debugging session would be told; nothing is run.

    Raises UsageError where no test of it has failed, and JournalDamaged.
    """
    return _context(previewing.of_session(sessions, sessions.find(name), budget))


def _context(brief: Brief | None) -> AgentContext | None:
    if brief is None or brief.account is None:
        return None
    lines = tuple(account_lines(brief.account))
    return AgentContext(account=brief.account, lines=lines, prompt=prompt("diagnose", brief))


def flakes(sessions: ProjectSessions) -> tuple[FlakeHistory, ...]:
    """Return what is known of each test that was ever red, over all sessions of the project.

    Those that were red and green on the same code are `flaky`. Raises JournalDamaged.
    """

    def outcomes(key: str) -> dict[str, bool]:
        return _outcomes(sessions, key)

    def trees(commit: str) -> str:
        return collect.tree_of(sessions.repository, commit)

    return tuple(history(_records(sessions), outcomes, trees))


def _records(sessions: ProjectSessions) -> Iterator[Recorded]:
    for listed in reversed(sessions.listing()):
        if listed.kind == DEBUGGING:
            yield from sessions.journal(CODEC).read(listed.session)


def _outcomes(sessions: ProjectSessions, key: str) -> dict[str, bool]:
    """Return how the tests of a stored run ended; nothing for one that is gone."""
    try:
        return outcomes_in(sessions.store.get(key))
    except (JournalDamaged, msgspec.DecodeError):
        return {}
