"""`cargo test`: what the compiler says in JSON, and what each test binary prints.

The format of the binaries' JSON is not stable, so their text is read: it has not changed in years.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from clew.runners.dialects import stacks
from clew.runners.dialects.protocol import (
    CommandOutput,
    DialectRequest,
    DialectResult,
    InstrumentedCommand,
    RunLocation,
    capped,
    distinct,
    printed,
)
from clew.words.facts import CaseOutcome, Crash, Phase, TestResult

__all__ = ["Cargo"]

ENVIRONMENT = {
    "CARGO_NET_OFFLINE": "true",
    "CARGO_TERM_COLOR": "never",
    "CARGO_TERM_PROGRESS_WHEN": "never",
    "RUST_BACKTRACE": "1",
}
QUIET = frozenset({"-q", "--quiet", "--no-fail-fast"})
RUNNING = re.compile(r"\s+Running (?:unittests )?(?:.*\()?(\S+?)\)?")
DOC_TESTS = re.compile(r"\s+Doc-tests (\S+)")
HASH = re.compile(r"-[0-9a-f]{16}(?:\.exe)?$")
TEST = re.compile(r"test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b.*")
LINE = re.compile(r" \(line \d+\)")
SECTION = re.compile(r"---- (.+?) stdout ----")
PANIC = re.compile(
    r"panicked at (?P<path>[^\s'\":][^:\n]*):(?P<line>\d+):\d+:\n(?P<message>.*?)"
    r"(?=\nstack backtrace:|\nnote: |\n\n|\Z)",
    re.DOTALL,
)
OLD_PANIC = re.compile(
    r"panicked at '(?P<message>.*?)', (?P<path>[^\s:'][^:\n']*):(?P<line>\d+)(?::\d+)?$",
    re.DOTALL | re.MULTILINE,
)
RETURNED = re.compile(r"^Error: (.+)$", re.MULTILINE)
ASSERTION = re.compile(r"^assertion\b")
ENDED = re.compile(r"process didn't exit successfully: `([^`]+)` \(((?:signal|exit)[^)]*)\)")
OVERFLOWN = re.compile(r"thread '(.+?)'.* has overflowed its stack")
NO_CRATE = frozenset({"E0463"})
IMPORTS = frozenset({"E0432", "E0433"})
FOREIGN_CRATE = re.compile(
    r"undeclared crate or module|unresolved module or unlinked crate|can't find crate"
)


class Span(msgspec.Struct, frozen=True, kw_only=True):
    file_name: str
    line_start: int
    is_primary: bool = False


class Code(msgspec.Struct, frozen=True, kw_only=True):
    code: str


class CargoMessage(msgspec.Struct, frozen=True, kw_only=True):
    message: str
    level: str
    spans: list[Span] = []
    code: Code | None = None
    rendered: str | None = None


class CargoTarget(msgspec.Struct, frozen=True, kw_only=True):
    name: str


class CargoLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of cargo's own; of many kinds only this one is looked at."""

    reason: str
    target: CargoTarget | None = None
    message: CargoMessage | None = None


class Cargo:
    """Ids are `target::path::of::test`; a doc test's target is `crate (doc)`, its line left out."""

    about = "each test, with the stack of a panic; compile errors by file and line; no seconds"

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Insert what makes it speak, and run every binary though one fails."""
        words = [*question.meant.arguments, *question.request.extra]
        at = words.index("--") if "--" in words else len(words)
        own = [word for word in words[at + 1 :] if word not in QUIET]
        words = list(_without_format(word for word in words[:at] if word not in QUIET))
        place = next(n for n, word in enumerate(words) if word in ("test", "t")) + 1
        words[place:place] = ["--no-fail-fast", "--message-format=json"]
        wanted = question.request.only
        if wanted and all("::" in name and " (" not in name for name in wanted):
            own = [*own, "--exact", *(name.partition("::")[2] for name in wanted)]
        arguments = (*words, "--", *own) if own else tuple(words)
        return InstrumentedCommand(arguments=arguments, environment=ENVIRONMENT, together=True)

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Part the compiler's words from the tests'."""
        del question
        account = CargoRun(ground)
        for line in spoken.lines:
            account.add(line)
        return account.heard()


class CargoRun:
    """One run's words, added up."""

    def __init__(self, ground: RunLocation) -> None:
        """Start with nothing heard."""
        self.ground = ground
        self.target = "tests"
        self.outcomes: dict[tuple[str, str], CaseOutcome] = {}
        self.texts: dict[tuple[str, str], list[str]] = {}
        self.loose: dict[str, list[str]] = {}  # by target: what stands in no section
        self.section: tuple[str, str] | None = None
        self.errors: dict[str, list[CargoMessage]] = {}
        self.ended: dict[str, str] = {}
        self.doc_lines: dict[tuple[str, str], str] = {}

    def add(self, line: str) -> None:
        if line.startswith('{"reason":'):
            self.compiler(line)
        elif found := RUNNING.fullmatch(line) or DOC_TESTS.fullmatch(line):
            doc = found.re is DOC_TESTS
            path = found[1].rpartition("/")[2]
            self.target, self.section = f"{path} (doc)" if doc else HASH.sub("", path), None
        elif found := SECTION.fullmatch(line):
            self.section = (self.target, self.named(found[1]))
        elif line in ("failures:", "successes:") or line.startswith("test result: "):
            self.section = None
        elif found := TEST.fullmatch(line):
            self.outcome(found[1], found[2])
        else:
            self.text(line)

    def compiler(self, line: str) -> None:
        try:
            said = msgspec.json.decode(line, type=CargoLine)
        except msgspec.DecodeError:
            return
        message = said.message
        if said.target and message and message.level.startswith("error") and message.spans:
            kept = self.errors.setdefault(said.target.name.replace("-", "_"), [])
            if message not in kept:  # a library is compiled twice, once for its own tests
                kept.append(message)

    def named(self, name: str) -> str:
        return self.doc_lines.get((self.target, name), LINE.sub("", name))

    def outcome(self, name: str, word: str) -> None:
        """Note how a test ended; doc tests of one item are told apart by their order."""
        outcome = {"ok": CaseOutcome.PASSED, "FAILED": CaseOutcome.FAILED}.get(
            word, CaseOutcome.SKIPPED
        )
        bare = LINE.sub("", name)
        if bare != name:
            count = sum(
                kept.partition(" #")[0] == bare for t, kept in self.outcomes if t == self.target
            )
            bare = f"{bare} #{count + 1}" if count else bare
            self.doc_lines[self.target, name] = bare
        self.outcomes[self.target, bare] = outcome

    def text(self, line: str) -> None:
        if found := ENDED.search(line):
            binary = HASH.sub("", found[1].split(" ")[0].rpartition("/")[2])
            self.ended[binary] = found[2]
        if self.section is not None:
            self.texts.setdefault(self.section, []).append(line)
        else:
            self.loose.setdefault(self.target, []).append(line)

    def heard(self) -> DialectResult:
        results = [self.result(key, outcome) for key, outcome in self.outcomes.items()]
        results += self.casualties()
        unbuilt = [self.unbuilt(target, found) for target, found in self.errors.items()]
        blamed = {result.id for result, at_fault in unbuilt if at_fault}
        results += [result for result, _ in unbuilt]
        return DialectResult(results=distinct(results), blamed=frozenset(blamed))

    def result(self, key: tuple[str, str], outcome: CaseOutcome) -> TestResult:
        text = "\n".join(self.texts.get(key, ()))
        crash = self.crash(text) if outcome.red else None
        name = f"{key[0]}::{key[1]}"
        return TestResult(id=name, outcome=outcome, crash=crash, output=printed(text))

    def crash(self, text: str) -> Crash:
        found = PANIC.search(text) or OLD_PANIC.search(text)
        frames = stacks.rust(text, self.ground)
        if found is None:
            returned = RETURNED.search(text)
            message = (
                returned[1] if returned else capped(text) or "the test failed, and said nothing"
            )
            return Crash(type="Error", message=message, frames=frames, details=capped(text))
        message = found["message"].strip()
        kind = "AssertionError" if ASSERTION.match(message) else "panic"
        if not frames:
            frames = (self.ground.frame(found["path"], int(found["line"])),)
        return Crash(type=kind, message=message, frames=frames, details=capped(text))

    def casualties(self) -> Iterator[TestResult]:
        """Yield a result for each binary that a test took with it."""
        for target, how in self.ended.items():
            if any(outcome.red for (of, _), outcome in self.outcomes.items() if of == target):
                continue
            text = "\n".join(self.loose.get(target, ()))
            deep = OVERFLOWN.search(text)
            said = f"the test process ended with {how.replace(': ', ' ', 1)}"
            yield TestResult(
                id=f"{target}::{deep[1]}" if deep else target,
                outcome=CaseOutcome.FAILED,
                crash=Crash(
                    type="ProcessExit",
                    message=f"stack overflow: {said}" if deep else said,
                    frames=stacks.rust(text, self.ground),
                    details=capped(text),
                ),
                output=printed(text),
            )

    def unbuilt(self, target: str, found: list[CargoMessage]) -> tuple[TestResult, bool]:
        """Return a result for a target that does not compile, and whether its file is at fault."""
        first = found[0]
        code = first.code.code if first.code else ""
        foreign = bool(FOREIGN_CRATE.search(first.rendered or first.message)) or code in NO_CRATE
        kind = "TypeError" if code else "SyntaxError"
        kind = "ImportError" if code in IMPORTS | NO_CRATE else kind
        span = next((each for each in first.spans if each.is_primary), first.spans[0])
        details = capped("\n".join(each.rendered or each.message for each in found))
        crash = Crash(
            type=kind,
            message=f"{first.message} ({code})" if code else first.message,
            frames=(self.ground.frame(span.file_name, span.line_start),),
            details=details,
        )
        result = TestResult(
            id=target, outcome=CaseOutcome.ERROR, phase=Phase.COLLECT, crash=crash, output=details
        )
        return result, kind == "SyntaxError" or foreign


def _without_format(words: Iterable[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if not skip and not word.startswith("--message-format"):
            yield word
        skip = word == "--message-format"
