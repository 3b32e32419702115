"""Events of persons: what they were asked, and what they said."""

from __future__ import annotations

from clew.words.events.parts import OptionOffered
from clew.words.events.words import QuestionKind
from clew.words.facts import Unsettled
from clew.words.records import Answered, Asked, WentBack
from clew.words.settings import Budget

__all__ = ["QuestionAnswered", "QuestionAsked", "WentBack"]


class QuestionAsked(Asked, frozen=True, kw_only=True):
    """A person is needed; any face can answer, now or after a restart."""

    kind: QuestionKind
    options: tuple[OptionOffered, ...]
    unsettled: Unsettled | None = None  # which of two changes is right


class QuestionAnswered(Answered, frozen=True, kw_only=True):
    """A person's answer; `text` is their words, and data."""

    edited: bool = False  # files were edited since the question: a new snapshot is due
    budget: Budget | None = None  # of the next round; None is the session's
    commit: str = ""  # the fix that is accepted, together with progress that was kept since
    agents: tuple[str, ...] = ()  # the ladder from here on; empty keeps the present one
    unbounded: tuple[str, ...] = ()  # of these agents, those that may call every host
    test: str = ""  # that a value became, as "tests/test_a.py::test_b"; `commit` has it
