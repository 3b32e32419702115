"""`go test`, by its own account in JSON: an event a line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

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
from clew.words.facts import CaseOutcome, Crash, Frame, Phase, TestResult

__all__ = ["Go"]

OUTCOMES = {"pass": CaseOutcome.PASSED, "fail": CaseOutcome.FAILED, "skip": CaseOutcome.SKIPPED}
SPARE = 0.9  # of the time for a run: then go itself says which test hangs
OURS = re.compile(r"--?(?:json|v|count|failfast)(?:=.*)?")
MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
HEADER = re.compile(r"# (\S+)(?: \[.*)?")
COMPLAINT = re.compile(r"(?:vet: )?(\S+\.go):(\d+):(?:\d+:)? (.+)")
UNREAD = "[setup failed]"
UNBUILT = ("[build failed]", UNREAD)
UNBUILT_LINE = re.compile(r"FAIL\t(\S+) \[(?:build|setup) failed\]")
SYNTAX = re.compile(r"^(?:syntax error|expected |illegal |unexpected |string literal not)")
ABSENT = re.compile(
    r"no required module provides|cannot find (?:module|package)|is not in (?:std|GOROOT)"
    r"|missing go.sum entry|could not import"
)
PANIC = re.compile(r"^panic: (.+?)(?: \[recovered.*\])?$", re.MULTILINE)
SAID = re.compile(r"^\s+[\w.-]+\.go:\d+: (.+(?:\n {8}.*)*)", re.MULTILINE)
LABELLED = re.compile(
    r"^\s+\t(?P<label>Error Trace|Error|Messages): *\t(?P<text>.*(?:\n\s+\t {8,}\t.*)*)",
    re.MULTILINE,
)
FRAMING = re.compile(r"^\s*(?:=== |--- |PASS$|FAIL\b|ok\b)")


class GoEvent(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A line of `go test -json`."""

    action: str
    package: str = ""
    test: str = ""
    elapsed: float = 0.0
    output: str = ""
    import_path: str = ""


class Go:
    """Ids are `import/path::TestName/subtest`."""

    about = "each test and subtest, with the stack of a panic; compile errors by file and line"

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Insert what makes it speak; a wanted test runs with its subtests."""
        request = question.request
        given = [*question.meant.arguments[1:], *request.extra]
        words, own = _split(given)
        words = [word for word in words if not OURS.fullmatch(word)]
        timeout = f"-timeout={max(int(request.timeout * SPARE), 1)}s"
        tops = sorted({_top(name) for name in request.only if "::" in name})
        narrow = (
            [f"-run=^({'|'.join(map(re.escape, tops))})$"] if tops and _tests(request.only) else []
        )
        arguments = ("test", "-json", "-count=1", timeout, *words, *narrow, *own)
        return InstrumentedCommand(arguments=arguments, together=True)

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Add the events up."""
        del question
        account = GoRun(ground)
        for line in spoken.lines:
            account.add(line)
        return account.heard()


class GoRun:
    """One run's events, added up."""

    def __init__(self, ground: RunLocation) -> None:
        """Start with nothing heard."""
        self.ground = ground
        self.modules = dict(_modules(ground))
        self.said: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.ends: dict[tuple[str, str], tuple[CaseOutcome, float]] = {}
        self.packages: dict[str, str] = {}  # how each ended
        self.begun: dict[tuple[str, str], None] = {}
        self.building: list[str] = []

    def add(self, line: str) -> None:
        if not line.startswith("{"):
            self.building.append(line)
            if unbuilt := UNBUILT_LINE.match(line):  # older releases say it so
                self.packages[unbuilt[1]] = "fail"
                self.said[unbuilt[1], ""].append(line)
            return
        try:
            event = msgspec.json.decode(line, type=GoEvent)
        except msgspec.DecodeError:
            return
        key = (event.package, event.test)
        if event.action == "build-output":
            self.building += event.output.splitlines()
        elif event.action == "output":
            self.said[key].append(event.output)
        elif event.action == "run" and event.test:
            self.begun[key] = None
        elif event.action in OUTCOMES:
            if event.test:
                self.begun[key] = None
                self.ends[key] = (OUTCOMES[event.action], max(event.elapsed, 0.0))
            elif event.package:
                self.packages[event.package] = event.action

    def heard(self) -> DialectResult:
        results = list(self.tests())
        blamed: set[str] = set()
        complaints = _by_package(self.building)
        for package, action in self.packages.items():
            red = any(r.outcome.red and r.id.startswith(f"{package}::") for r in results)
            if action != "fail" or red:
                continue
            output = "".join(self.said[package, ""])
            if any(mark in output for mark in UNBUILT):
                found, at_fault = self.unbuilt(package, complaints, output)
                results.append(found)
                blamed |= {package} if at_fault else set()
            else:
                results.append(self.left(package, output))
        return DialectResult(results=distinct(results), blamed=frozenset(blamed))

    def tests(self) -> Iterator[TestResult]:
        parents = {
            (package, test.rpartition("/")[0]) for package, test in self.begun if "/" in test
        }
        for key in self.begun:
            outcome, seconds = self.ends.get(key, (CaseOutcome.FAILED, 0.0))
            package, test = key
            below = any(
                self.ends.get(each, (CaseOutcome.FAILED, 0))[0].red
                for each in self.begun
                if each[0] == package and each[1].startswith(f"{test}/")
            )
            text = "".join(self.said[key])
            if key in parents and outcome.red and below and not SAID.search(text):
                continue  # red by its subtests alone
            yield TestResult(
                id=f"{package}::{test}",
                outcome=outcome,
                seconds=seconds,
                crash=self.crash(package, text) if outcome.red else None,
                output=printed(_bare(text)),
            )

    def crash(self, package: str, text: str) -> Crash:
        frames = stacks.go(text, self.ground, self.folder(package))
        panic = PANIC.search(text)
        if panic:
            hung = "test timed out" in panic[1]
            kind = "Timeout" if hung else "panic"
            return Crash(type=kind, message=panic[1], frames=frames, details=capped(_bare(text)))
        said = SAID.search(text)
        parts = {each["label"]: each["text"] for each in LABELLED.finditer(text)}
        if trace := stacks.trace(parts.pop("Error Trace", ""), self.ground):
            frames = trace
        words = "\n".join(parts.values()) or (said[1] if said else "")
        message = "\n".join(line.strip() for line in words.splitlines())
        return Crash(
            type="AssertionError",
            message=message or _bare(text)[:200] or "the test failed and said nothing",
            frames=frames,
            details=capped(_bare(text)),
        )

    def left(self, package: str, output: str) -> TestResult:
        """Return a result for a package that ended red though none of its tests did."""
        panic = PANIC.search(output)
        words = _bare(output).splitlines()
        last = panic[1] if panic else next(reversed(words), "")
        return TestResult(
            id=package,
            outcome=CaseOutcome.ERROR,
            crash=Crash(
                type="panic" if panic else "ProcessExit",
                message=last or "the test process ended early",
                frames=stacks.go(output, self.ground, self.folder(package)),
                details=capped(output),
            ),
            output=printed(output),
        )

    def unbuilt(
        self, package: str, complaints: dict[str, list[str]], output: str
    ) -> tuple[TestResult, bool]:
        """Return a result for a package that does not compile, and whether its file is at fault."""
        own = complaints.get(package) or [each for all_ in complaints.values() for each in all_]
        found = [match for line in own if (match := COMPLAINT.match(line.strip()))]
        message = found[0][3] if found else next(iter(own), "") or capped(output)
        absent = bool(ABSENT.search(message))
        torn = not absent and bool(UNREAD in output or SYNTAX.search(message))
        kind = "ImportError" if absent else "SyntaxError" if torn else "TypeError"
        frames: tuple[Frame, ...] = tuple(
            self.ground.frame(match[1], int(match[2])) for match in found[:1]
        )
        details = capped("\n".join(own) or output)
        result = TestResult(
            id=package,
            outcome=CaseOutcome.ERROR,
            phase=Phase.COLLECT,
            crash=Crash(type=kind, message=message, frames=frames, details=details),
            output=details,
        )
        return result, absent or torn

    def folder(self, package: str) -> str:
        """Return the folder of a package, relative to the root; empty for the root itself."""
        package = package.removesuffix("_test") if package.endswith("_test") else package
        for module, folder in self.modules.items():
            if package == module or package.startswith(f"{module}/"):
                below = PurePosixPath(folder) / package[len(module) :].lstrip("/")
                return "" if below.as_posix() == "." else below.as_posix()
        return self.ground.subdir


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Part go's own words from those of the test binary."""
    for mark in ("-args", "--args"):
        if mark in words:
            at = words.index(mark)
            return words[:at], words[at:]
    return words, []


def _tests(names: tuple[str, ...]) -> bool:
    return all("::" in name for name in names)


def _top(name: str) -> str:
    return name.rpartition("::")[2].partition("/")[0].partition(" (")[0]


def _modules(ground: RunLocation) -> Iterator[tuple[str, str]]:
    """Yield the modules of the project and their folders, the innermost first."""
    here = PurePosixPath(ground.subdir)
    folders = [here, *here.parents]
    if (ground.worktree / "go.work").is_file():
        below = sorted(ground.worktree.glob("*/go.mod")) + sorted(
            ground.worktree.glob("*/*/go.mod")
        )
        folders += [PurePosixPath(path.parent.relative_to(ground.worktree)) for path in below]
    for folder in folders:
        file = ground.worktree / folder / "go.mod"
        if file.is_file() and (found := MODULE.search(file.read_text("utf-8", "replace"))):
            yield found[1], folder.as_posix()


def _by_package(lines: list[str]) -> dict[str, list[str]]:
    """Group what the compiler says under the package that it says it of."""
    found: dict[str, list[str]] = {}
    package = ""
    for line in lines:
        if header := HEADER.fullmatch(line.strip()):
            package = header[1].strip("[]")
        elif line.strip() and not UNBUILT_LINE.match(line):
            found.setdefault(package, []).append(line)
    return found


def _bare(text: str) -> str:
    """Leave out the lines that frame what a test says."""
    return "\n".join(line for line in text.splitlines() if not FRAMING.match(line)).strip("\n")
