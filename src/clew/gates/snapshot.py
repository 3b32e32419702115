"""A project as it stands, held for its gates; nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from clew.gates.request import GatePlace
from clew.git.project import Project
from clew.git.worktrees import PrivateRepository
from clew.journal.store import Store
from clew.sandbox import confinement
from clew.words.errors import UsageError
from clew.words.settings import Settings

__all__ = ["Glimpse", "on_snapshot"]

NAME = "gates"


class Glimpse(NamedTuple):
    """Where gates can be run on a person's tree as it is now."""

    place: GatePlace
    head: str  # the tree, as a commit
    base: str | None  # where its work began, if that was said


@contextmanager
def on_snapshot(
    project: Project,
    store: Store,
    repository: PrivateRepository,
    settings: Settings,
    base: str | None = None,
) -> Iterator[Glimpse]:
    """Hold a snapshot of the project while the block runs; `base` is a revision of the person's.

    Work that began at a branch began where it left that branch. Raises SessionHeld while another
    process does the same, UsageError for an unknown revision, SandboxUnavailable.
    """
    confinement.demand_linux()
    place = GatePlace(
        project=project, repository=repository, store=store, session=NAME, settings=settings
    )
    with store.hold(NAME):
        try:
            head = repository.glimpse(NAME).commit
            yield Glimpse(place, head, None if base is None else _begun(repository, base, head))
        finally:
            repository.forget(NAME)
            store.clear_scratch(NAME)


def _begun(repository: PrivateRepository, base: str, head: str) -> str:
    commit = repository.named_by_person(base)
    if commit is None:
        raise UsageError(
            f"{base!r} is not a commit of {repository.project.root}",
            hint="Name a branch, a tag or a commit.",
        )
    return repository.common(commit, head) or commit
