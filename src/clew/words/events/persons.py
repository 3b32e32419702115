"""Events of persons: what they were asked, and what they said."""

from __future__ import annotations

from clew.words.events.parts import OptionOffered
from clew.words.events.session import Event
from clew.words.events.words import QuestionKind

__all__ = ["QuestionAnswered", "QuestionAsked", "WentBack"]


class QuestionAsked(Event, frozen=True, kw_only=True):
    """A person is needed; any face can answer, now or after a restart."""

    id: str
    kind: QuestionKind
    text: str
    options: tuple[OptionOffered, ...]


class QuestionAnswered(Event, frozen=True, kw_only=True):
    """A person's answer; `text` is their words, and data."""

    id: str
    option: str
    text: str = ""
    edited: bool = False  # files were edited since the question: a new snapshot is due


class WentBack(Event, frozen=True, kw_only=True):
    """A person chose another approach, from a checkpoint on; `text` is their words, and data."""

    checkpoint: str
    text: str = ""
