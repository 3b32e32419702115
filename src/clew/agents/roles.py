"""What agents are asked to do: one line a role.

A role says what may be written, in which form the answer comes, with what model and for how long it
is asked. What may be written is a request to the agent, a fact for the sandbox (nothing, or the
worktree), and checked afterwards by what git says was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from clew.agents.form import DiagnosisReply, UsageReply
from clew.agents.replies import (
    ChallengeReply,
    DocumentReply,
    FixReply,
    ImplementReply,
    InvestigateReply,
    PlanReply,
    ReviewReply,
    SuperviseReply,
    TestReply,
)
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.words.models import ADAPTIVE, CHEAP, INHERIT, MIDDLE, STRONG, TIERS, is_foreign

__all__ = [
    "CHALLENGE",
    "DIAGNOSE",
    "DOCUMENT",
    "FIX",
    "IMPLEMENT",
    "INVESTIGATE",
    "PLAN",
    "REVIEW",
    "ROLES",
    "SUPERVISE",
    "WRITE_TEST",
    "R",
    "Role",
    "Tiers",
    "Writes",
    "wished",
]


class Telling(Protocol):
    """An answer in any role: it may tell what the call took."""

    @property
    def usage(self) -> UsageReply: ...


R = TypeVar("R", bound=Telling)


class Writes(StrEnum):
    """What a role may change."""

    NOTHING = "nothing"
    ANYTHING = "anything"  # the proof judges it, and a person where tests are changed
    TESTS = "tests"


class Tiers(NamedTuple):
    """The model that a role is asked with, by the profiles that do not change."""

    quality: str
    balanced: str
    budget: str


@dataclass(frozen=True, kw_only=True)
class Role(Generic[R]):
    """One task: its name, which is its prompt's as well, what it may change, how it answers."""

    name: str
    writes: Writes = Writes.NOTHING
    reply: type[R]
    tiers: Tiers
    time: float = 1.0  # times `agent_timeout`

    @property
    def edits(self) -> bool:
        """Whether the worktree is writable, and tools that edit are offered, not only to read."""
        return self.writes is not Writes.NOTHING

    def beyond(self, changed: Iterable[str]) -> tuple[str, ...]:
        """Return the changed files, by path, that the role may not change."""
        return tuple(path for path in changed if not _may(self.writes, path))


def _may(writes: Writes, path: str) -> bool:
    match writes:
        case Writes.NOTHING:
            return False
        case Writes.ANYTHING:
            return True
        case Writes.TESTS:
            return is_test_path(path) and not is_test_config(path)


STEADY = Tiers(quality=STRONG, balanced=MIDDLE, budget=MIDDLE)
THRIFTY = Tiers(quality=STRONG, balanced=MIDDLE, budget=CHEAP)
PLAIN = Tiers(quality=MIDDLE, balanced=CHEAP, budget=CHEAP)

DIAGNOSE = Role(name="diagnose", reply=DiagnosisReply, tiers=STEADY)
FIX = Role(name="fix", writes=Writes.ANYTHING, reply=FixReply, tiers=THRIFTY)
REVIEW = Role(name="review", reply=ReviewReply, tiers=THRIFTY)
WRITE_TEST = Role(name="write-test", writes=Writes.TESTS, reply=TestReply, tiers=THRIFTY)
CHALLENGE = Role(name="challenge", reply=ChallengeReply, tiers=STEADY)
DOCUMENT = Role(name="document", reply=DocumentReply, tiers=PLAIN)
PLAN = Role(name="plan", reply=PlanReply, tiers=STEADY, time=2.0)
IMPLEMENT = Role(
    name="implement", writes=Writes.ANYTHING, reply=ImplementReply, tiers=STEADY, time=3.0
)
SUPERVISE = Role(name="supervise", reply=SuperviseReply, tiers=STEADY)
INVESTIGATE = Role(name="investigate", reply=InvestigateReply, tiers=STEADY)

ROLES: Mapping[str, Role[Any]] = {
    role.name: role
    for role in (
        DIAGNOSE,
        FIX,
        REVIEW,
        WRITE_TEST,
        CHALLENGE,
        DOCUMENT,
        PLAN,
        IMPLEMENT,
        SUPERVISE,
        INVESTIGATE,
    )
}


def wished(role: str, profile: str, own: Mapping[str, str], setbacks: int, agent: str = "") -> str:
    """Return the tier or model that an agent is to be asked with in a role; nothing for its own.

    A person's `own` word comes first: one for the role and the kind of agent (`fix.codex`), then
    one for the role, unless that is known as a model of another kind. With the profile `adaptive`
    it is the cheapest tier until something failed, and one tier up for each of `setbacks`.
    """
    kind = agent.partition(":")[0]
    for key in (f"{role}.{kind}", role):
        if key in own and not (key == role and is_foreign(own[key], kind)):
            return "" if own[key] == INHERIT else own[key]
    if profile == ADAPTIVE:
        return TIERS[min(setbacks, len(TIERS) - 1)]
    return dict(zip(Tiers._fields, ROLES[role].tiers, strict=True)).get(profile, "")
