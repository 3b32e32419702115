"""Whether a chain goes on: a decision on facts, without a look at anything."""

from __future__ import annotations

from clew.handoff.markers import allowed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.handoff.config import Config
    from clew.handoff.markers import MarkerCommand

__all__ = ["REFUSALS", "HandoffFacts", "HandoffVerdict", "decide"]

# Every reason not to go on: its word in records, and what a person reads.
REFUSALS = {
    "marker": "{detail}",
    "interactive": "hand-offs are by hand here ({detail})",
    "command": "{detail} is not an allowed command",
    "stop-at": "the chain stops before {detail}, as configured",
    "stopped": "`clew chain stop` was called",
    "question": "{detail}",
    "depth": "the chain has made {detail} hand-offs, its limit",
    "time": "the chain has run for {detail} minutes, its limit",
    "tokens": "the chain has spent {detail} tokens, its limit",
}


class HandoffFacts:
    """What the decision rests on. Never changed."""

    __slots__ = ("begun", "hops", "now", "questions", "started", "stopped", "tokens")

    def __init__(
        self,
        *,
        now: float,
        started: float | None = None,
        stopped: float | None = None,
        begun: float | None = None,
        hops: int = 0,
        tokens: int = 0,
        questions: tuple[str, ...] = (),
    ) -> None:
        self.now = now  # seconds since the epoch, as all times
        self.started = started  # when the session that asks began; None if nobody saw it
        self.stopped = stopped  # when the kill switch was used last
        self.begun = begun  # when the chain began; None if this would be its first hand-off
        self.hops = hops  # hand-offs that the chain has made
        self.tokens = tokens  # what its sessions have spent
        self.questions = questions  # what waits for a person in this project


class HandoffVerdict:
    """Go on, or a word and a sentence why not. Never changed."""

    __slots__ = ("why", "word")

    def __init__(self, word: str = "", detail: str = "") -> None:
        self.word = word
        self.why = REFUSALS[word].format(detail=detail) if word else ""

    @property
    def goes_on(self) -> bool:
        return not self.word


def decide(asked: MarkerCommand, config: Config, facts: HandoffFacts) -> HandoffVerdict:  # noqa: PLR0911 -- one return a rule
    """Return whether the next session may be started; the first rule that forbids it speaks."""
    if asked.wrong:
        return HandoffVerdict("marker", asked.wrong)
    if not config.active:
        return HandoffVerdict("interactive", config.reason)
    if not allowed(asked.name, config.commands):
        return HandoffVerdict("command", asked.name)
    if allowed(asked.name, config.stop_at) or asked.command in config.stop_at:
        return HandoffVerdict("stop-at", asked.name)
    oldest = min((at for at in (facts.begun, facts.started) if at is not None), default=None)
    if facts.stopped is not None and (oldest is None or facts.stopped >= oldest):
        return HandoffVerdict("stopped")
    if facts.questions:
        return HandoffVerdict("question", "; ".join(facts.questions))
    if facts.hops >= config.max_depth:
        return HandoffVerdict("depth", str(facts.hops))
    if facts.begun is not None and facts.now - facts.begun >= config.max_minutes * 60:
        return HandoffVerdict("time", f"{(facts.now - facts.begun) / 60:.0f}")
    if facts.tokens >= config.max_tokens:
        return HandoffVerdict("tokens", f"{facts.tokens:,}")
    return HandoffVerdict()
