"""What is known of a commit that is measured, found out as it is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from clew import runners
from clew.analysis.plans.ownership import covers
from clew.gates.detection import changed_settings, chosen, detect, detect_below, places
from clew.gates.request import GatePlace, GateRequest
from clew.git.worktrees import TreeChange
from clew.sandbox.temporary import passing
from clew.words.facts import TestRun
from clew.words.gates import GateCommand, GateKind, GateResult
from clew.words.plans import PlanPhase

__all__ = ["Measurement", "measuring"]

LARGEST = 1_000_000  # bytes of a file of configuration


class Measurement:
    """One commit, and the results of its gates so far.

    `base` is the commit that the work began at: what was wrong there is not blamed on the work.
    Without one all counts, and what was changed is what the commit itself changes.
    """

    def __init__(
        self, place: GatePlace, base: str | None, head: str, request: GateRequest, stack: ExitStack
    ) -> None:
        self.place = place
        self.base = base
        self.head = head
        self.request = request
        self.results: list[GateResult] = []
        self.run: TestRun | None = None  # of all tests
        self._stack = stack

    @property
    def phase(self) -> PlanPhase:
        """What the work was to do; nothing where that is not asked about."""
        return self.request.phase or PlanPhase(id=1)

    @cached_property
    def before(self) -> str:
        """The commit, or the empty tree, that changes are counted from."""
        return self.base or self.place.repository.before(self.head)

    @cached_property
    def changes(self) -> tuple[TreeChange, ...]:
        """What the work changes."""
        return tuple(
            change
            for change in self.place.repository.changed(self.before, self.head)
            if not any(covers(place, change.path) for place in self.request.put_back)
        )

    @cached_property
    def files(self) -> tuple[str, ...]:
        return self.place.repository.files(self.head)

    @cached_property
    def files_before(self) -> tuple[str, ...]:
        return self.place.repository.files(self.base) if self.base else ()

    @cached_property
    def found(self) -> tuple[GateCommand, ...]:
        """The gates that the commit's own configuration names."""
        return self._found(self.head)

    @cached_property
    def found_before(self) -> tuple[GateCommand, ...]:
        """Those that it named before the work; without a base as now."""
        return self.found if self.base is None else self._found(self.base)

    @cached_property
    def commands(self) -> tuple[GateCommand, ...]:
        """The gates that are commands, as the settings have them. Raises UsageError."""
        return self._chosen(self.found)

    @cached_property
    def commands_before(self) -> tuple[GateCommand, ...]:
        return self._chosen(self.found_before)

    @cached_property
    def worktree(self) -> Path:
        """A checkout of the commit, for commands; it is gone with the measurement."""
        return self._checkout("gates", self.head)

    @cached_property
    def worktree_before(self) -> Path:
        return self._checkout("gates-before", self.before)

    @cached_property
    def cache(self) -> Path:
        """A folder for what one command may leave for the next."""
        return self._stack.enter_context(passing("gates-", self.place.scratch))

    def wants(self, gate: GateCommand) -> bool:
        """Whether a command is asked for, by its name or its kind."""
        only = self.request.only
        return not only or gate.kind in only or gate.name in only

    def asks(self, kind: GateKind) -> bool:
        """Whether any gate of a kind is asked for."""
        only = self.request.only
        return (
            not only or kind in only or any(g.kind is kind and self.wants(g) for g in self.commands)
        )

    def read(self, path: str) -> str | None:
        """Return a file's text as the commit has it; None where there is none."""
        content = self.place.repository.show(self.head, path)
        return None if content is None else content.decode("utf-8", "replace")

    @cached_property
    def below(self) -> tuple[tuple[GateCommand, ...], tuple[GateCommand, ...]]:
        """What changed files further down tell tools, before the work and now."""
        changed = [change.path for change in self.changes]
        paths = changed_settings(changed)
        subdir = self.place.project.subdir
        before, after = (self._texts(commit, paths) for commit in (self.before, self.head))
        return detect_below(before, changed, subdir), detect_below(after, changed, subdir)

    @cached_property
    def python(self) -> tuple[dict[str, str], dict[str, str]]:
        """The changed files in Python, before the work and now."""
        paths = [change.path for change in self.changes if change.path.endswith(".py")]
        return self._texts(self.before, paths), self._texts(self.head, paths)

    def _found(self, commit: str) -> tuple[GateCommand, ...]:
        subdir = self.place.project.subdir
        texts = self._texts(commit, places(subdir))
        return detect(texts, self.place.repository.files(commit), subdir)

    def _texts(self, commit: str, paths: Collection[str]) -> dict[str, str]:
        """Read files of a commit; one that is too large is no configuration."""
        read = self.place.repository.texts(commit, paths)
        return {
            path: text.decode("utf-8", "replace")
            for path, text in read.items()
            if len(text) <= LARGEST
        }

    def _chosen(self, found: tuple[GateCommand, ...]) -> tuple[GateCommand, ...]:
        return chosen(found, self.place.settings.gates, self.place.project.subdir)

    def _checkout(self, name: str, commit: str) -> Path:
        path = self.place.repository.pristine(self.place.session, name, commit)
        self._stack.callback(self.place.repository.remove, path)
        self._stack.callback(runners.forget, self.place.scratch, path)
        return path


@contextmanager
def measuring(
    place: GatePlace, base: str | None, head: str, request: GateRequest
) -> Iterator[Measurement]:
    """Measure a commit; the checkouts made for it are gone afterwards."""
    with ExitStack() as stack:
        yield Measurement(place, base, head, request, stack)
