"""The record that a prompt is made from."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from clew.analysis.context import ESTIMATE, Form, PromptAccount
from clew.documents.knowledge import Match
from clew.documents.views import HandworkView, IterationView
from clew.words.facts import Category, Cause, Edit, Fact, Suspect, TestResult

__all__ = ["Brief", "BriefSection", "BriefText", "FileExcerpt", "ReportText"]


class FileExcerpt(Fact, frozen=True, kw_only=True):
    """A file of the project, or a part of it."""

    path: str
    text: str
    first_line: int = 1
    form: Form = Form.FULL


class ReportText(Fact, frozen=True, kw_only=True):
    """The report that a fixer is to carry out."""

    path: str
    text: str


class BriefSection(StrEnum):
    """As what a text of a brief is asked or told; a template places each by this name."""

    TASK = "task"
    CRITERIA = "criteria"
    HANDED_ON = "handed_on"
    OTHERS = "others"
    FAILURE = "failure"
    EARLIER = "earlier"
    LEARNED = "learned"


class BriefText(Fact, frozen=True, kw_only=True):
    """A text of what is asked, or of what has to be known for it."""

    section: BriefSection
    label: str
    text: str


class Brief(Fact, frozen=True, kw_only=True):
    """What one call of an agent is told; every text in it is data.

    What a role has no use for stays empty.
    """

    iteration: int = 1
    counted: int = 0  # the number of this iteration in its round; 0 is that of the session
    round: int = 1
    cap: int = 3
    topic: str = ""
    goal: str = ""
    command_line: str = ""
    folder: str = ""  # of the project, where tests run and agents start; empty for its root
    category: Category | None = None
    cause: Cause | None = None
    failing: tuple[TestResult, ...] = ()
    errors: tuple[str, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    history: tuple[IterationView, ...] = ()  # every earlier attempt, oldest first
    by_hand: tuple[HandworkView, ...] = ()  # what a person changed between them
    looked_at: bool = True  # whether progress was held against what a proof refuses
    guidance: tuple[str, ...] = ()  # what a person added
    dead: tuple[str, ...] = ()  # changes that were made, and did not help
    unsettled: tuple[str, ...] = ()  # changes that helped, and that only a doubt speaks against
    flaky: tuple[str, ...] = ()
    diff: str = ""  # since the tests were green, or the last commit, and by earlier attempts
    known: tuple[Match, ...] = ()  # failures alike that were mended: candidates, no diagnosis
    before: tuple[str, ...] = ()  # what else is known: the first bad commit, earlier ends
    files: tuple[FileExcerpt, ...] = ()
    account: PromptAccount | None = None  # of the files, and of what was cut
    budget: int = 50_000  # tokens that no prompt exceeds
    share: int = 0  # of the budget that sections are shares of; 0 is all of it
    counter: str = ESTIMATE
    report: ReportText | None = None  # for the fixer
    changes: tuple[Edit, ...] = ()  # that the report recommends, edit by edit
    standards: tuple[FileExcerpt, ...] = ()  # for the fixer: how the project wants its code
    review: str = ""  # for the fixer: what a reviewer wants otherwise
    asked: tuple[BriefText, ...] = ()  # of roles that are not about failing tests alone
    specialty: str = ""  # the language and the test runner at hand
    complaint: str = ""  # what was wrong with the answer before this one
    doubt: str = ""  # its last diagnosis, of low confidence: evidence is to come first
    templates: dict[str, str] = msgspec.field(default_factory=dict)  # own wordings, by role
    nonce: str = ""  # by default a digest of all of the above
