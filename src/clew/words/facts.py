"""What was measured: frozen records that travel from the hands to the rules and into the journal.

Paths of project files are POSIX strings relative to the project's root; lines count from 1;
durations are seconds; `commit` and `tree` are git object names in the session's private repository.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

import msgspec

from clew.words.test_ids import home_of

__all__ = [
    "BUILT_IN",
    "ONE_FACT",
    "PYTHON_ALONE",
    "RAISES",
    "Candidate",
    "CaseOutcome",
    "Category",
    "Cause",
    "Coverage",
    "Crash",
    "Crossed",
    "Demand",
    "Diagnosis",
    "EarlierText",
    "Edit",
    "Fact",
    "FileRead",
    "Findings",
    "Frame",
    "GitSideEffect",
    "Option",
    "OptionPart",
    "Parting",
    "Phase",
    "Reach",
    "Reached",
    "Runner",
    "Suspect",
    "TestCommand",
    "TestResult",
    "TestRun",
    "Tick",
    "Traced",
    "Usage",
    "Verdict",
]

RAISES = "raises "  # before the name of the error that a call ends in, where it gives no value
BUILT_IN = "repair"  # the agent that needs nobody: its patch is carried out as it is


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all records: immutable, compared by value, unknown keys tolerated when read."""


class CaseOutcome(StrEnum):
    """How one test ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # set-up, tear-down or collection raised
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"

    @property
    def red(self) -> bool:
        return self in (CaseOutcome.FAILED, CaseOutcome.ERROR)


class Phase(StrEnum):
    """The part of a test in which its outcome was settled."""

    COLLECT = "collect"
    SETUP = "setup"
    CALL = "call"
    TEARDOWN = "teardown"


class Verdict(StrEnum):
    """What a run says: three states that are never mixed up."""

    PASSED = "passed"
    FAILED = "failed"
    DID_NOT_RUN = "did_not_run"


class Runner(StrEnum):
    """The way tests are run: `command` is one fact a run."""

    PYTEST = "pytest"
    UNITTEST = "unittest"
    GO = "go"
    CARGO = "cargo"
    NODE = "node"
    JEST = "jest"
    VITEST = "vitest"
    JUNIT = "junit"  # any command that writes JUnit's XML
    COMMAND = "command"

    @property
    def python(self) -> bool:
        """Whether the tests run in the project's own Python, where the probe can be."""
        return self in (Runner.PYTEST, Runner.UNITTEST)


ONE_FACT = "one fact a run: the built-in repairer does not search by it"  # of Runner.COMMAND
PYTHON_ALONE = "the built-in repairer mends only Python: here it reports, and an agent mends"


class GitSideEffect(StrEnum):
    """What an agent did with git by itself: what it changed counts all the same, this is undone."""

    COMMITTED = "made commits"
    REWROTE = "rewrote history"
    SWITCHED = "checked out something else"
    UNLINKED = "removed or replaced .git"


class Frame(Fact, frozen=True, kw_only=True):
    """One frame of a traceback, outermost first in its list."""

    path: str  # relative to the root when `project`, else absolute
    line: int
    function: str
    code: str = ""
    project: bool = False
    values: dict[str, str] = {}  # short reprs of locals


class Crash(Fact, frozen=True, kw_only=True):
    """The exception that ended a test."""

    type: str  # qualified name, as `json.decoder.JSONDecodeError`; builtins bare
    message: str
    frames: tuple[Frame, ...] = ()
    details: str = ""  # the runner's own long text (assertion diff), capped
    cause: Crash | None = None  # that it was raised from, as the code says
    context: Crash | None = None  # that was being handled when it was raised

    @property
    def before(self) -> Crash | None:
        """The exception that came before it, on purpose or not."""
        return self.cause or self.context


class TestResult(Fact, frozen=True, kw_only=True):
    """One test's outcome; a file that could not be collected is a result of phase `collect`."""

    __test__ = False

    id: str  # as the runner names it: a pytest node id, `import/path::TestName` …; or the command
    outcome: CaseOutcome
    phase: Phase = Phase.CALL
    seconds: float = 0.0
    crash: Crash | None = None
    output: str = ""  # captured stdout, stderr and log, capped
    file: str = ""  # that it stands in, below the project's root, as the probe tells

    @property
    def home(self) -> str:
        """The file it stands in; of a runner that tells none, what its id begins with."""
        return self.file or home_of(self.id)

    @property
    def hung(self) -> bool:
        """Whether the test was stopped, or stopped itself, because time ran out."""
        kind = self.crash.type.rpartition(".")[2] if self.crash else ""
        return "timeout" in kind.lower()


class TestCommand(Fact, frozen=True, kw_only=True):
    """How the project's tests are run."""

    __test__ = False

    runner: Runner
    argv: tuple[str, ...]  # as a person would type it
    interpreter: str | None = (
        None  # absolute path of the project's Python; None where there is none
    )
    source: str = "detected"  # flag, settings, pyproject.toml, CLAUDE.md, detected …
    reports: tuple[str, ...] = ()  # where it writes JUnit's XML: patterns below the tests' folder
    reason: str = ""  # why this one, where the project names one that leads to it or might


class FileRead(Fact, frozen=True, kw_only=True):
    """A file of the project that was read in a run, and the file whose code read it."""

    path: str
    by: str = ""  # nothing is the test runner


class TestRun(Fact, frozen=True, kw_only=True):
    """One run of the tests on one tree."""

    __test__ = False

    verdict: Verdict
    command: TestCommand
    results: tuple[TestResult, ...] = ()
    exit_code: int | None = None
    seconds: float = 0.0
    timed_out: bool = False
    output: str = ""  # stdout and stderr, head and tail
    reason: str = ""  # why it did not run, in words for a person
    infrastructure: bool = False  # did not run, and the code under test is not at fault
    misused: bool = False  # did not run, and the words that a person gave the runner are at fault
    foreign: tuple[str, ...] = ()  # project modules that were loaded from elsewhere
    # What the settings say of where tests are: patterns of Python files; folders, with a `/`.
    named: tuple[str, ...] = ()
    read: tuple[FileRead, ...] = ()  # what was read of the project, where the run was watched
    # The same, where nobody knows who read it; None where that run was not watched.
    opened: tuple[str, ...] | None = None
    sandbox: str = ""  # the level that was in force

    @property
    def red(self) -> tuple[TestResult, ...]:
        return tuple(r for r in self.results if r.outcome.red)

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(r.id for r in self.results if r.outcome is CaseOutcome.PASSED)

    def without(self, flaky: Collection[str]) -> TestRun:
        """Return the same run in which the red results of flaky tests have no say."""
        kept = tuple(r for r in self.results if r.id not in flaky or not r.outcome.red)
        return msgspec.structs.replace(self, results=kept)


class Coverage(Fact, frozen=True, kw_only=True):
    """Lines executed by each traced test: `lines[test id][path]` is sorted."""

    lines: dict[str, dict[str, tuple[int, ...]]] = {}
    outcomes: dict[str, CaseOutcome] = {}


class Reach(Fact, frozen=True, kw_only=True):
    """Which tests run which lines of one file; lines that the same tests run stand together."""

    path: str
    tests: tuple[str, ...]
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # lines, and places in `tests`


class Reached(Fact, frozen=True, kw_only=True):
    """What was traced of the files that failing tests run, as a commit has them."""

    commit: str
    files: tuple[Reach, ...]


class Suspect(Fact, frozen=True, kw_only=True):
    """A line (or, with line None, a file) that may hold the fault."""

    path: str
    line: int | None
    function: str = ""
    score: float = 0.0  # 0..1, higher is more suspicious
    reasons: tuple[str, ...] = ()


class Traced(Fact, frozen=True, kw_only=True):
    """What tracing failing tests tells: where the fault may lie, and what of the code they run."""

    suspects: tuple[Suspect, ...] = ()
    files: tuple[Reach, ...] = ()  # that failing tests run

    def ran(self, tests: Collection[str]) -> dict[str, tuple[int, ...]]:
        """Return the lines that some tests run, by file."""
        wanted, found = frozenset(tests), dict[str, tuple[int, ...]]()
        for reach in self.files:
            places = {n for n, test in enumerate(reach.tests) if test in wanted}
            lines = [line for run, by in reach.groups if places.intersection(by) for line in run]
            if lines:
                found[reach.path] = tuple(sorted(lines))
        return found


class Category(StrEnum):
    """What kind of failure it is (first axis)."""

    SYNTAX_ERROR = "syntax_error"
    IMPORT_ERROR = "import_error"
    TYPE_ERROR = "type_error"
    TEST_FAILURE = "test_failure"
    LINT_FAILURE = "lint_failure"
    SCHEMA_MISMATCH = "schema_mismatch"
    MISSING_DEPENDENCY = "missing_dependency"
    TASK_SPEC_ERROR = "task_spec_error"


class Cause(Fact, frozen=True, kw_only=True):
    """Why it came about (second axis), computed before any agent is asked."""

    cause_class: str = msgspec.field(name="class")
    subclass: str = ""
    evidence: str = ""


class Edit(Fact, frozen=True, kw_only=True):
    """Replace `current` by `should_be` in one file, at `line` where known.

    `current` must occur in the file: once, or at `line`. An empty `current` with line None creates
    the file.
    """

    path: str
    line: int | None
    current: str
    should_be: str


class EarlierText(Fact, frozen=True, kw_only=True):
    """A file as it was before a commit; a person may have changed it since without one."""

    path: str
    commit: str  # that changed it, shortened; or what stands for changes without one
    text: str
    subject: str = ""  # of the commit, in its author's words


class Demand(Fact, frozen=True, kw_only=True):
    """A commit that says what is wanted: it changed what tests ask, and perhaps code with them.

    Without code the tests are failing ones, and no code is newer. With code they are others, which
    expect other values since, and the failing ones were left as they were. So they were by one that
    changed nothing of the code but some `values`: then no other tests speak for it.
    """

    commit: str  # shortened; or what stands for changes without one
    subject: str = ""  # of the commit, in its author's words
    tests: tuple[str, ...]
    code: tuple[str, ...] = ()  # its paths
    values: tuple[str, ...] = ()  # names of modules and classes


class Parting(Fact, frozen=True, kw_only=True):
    """The smallest input on which two candidates part."""

    call: str  # as "mean([1, 2])"
    best: str  # what the best candidate gives there
    this: str
    module: str = ""  # that a test imports the function from; empty where none can ask
    before: str = ""  # what the code gave there without either; empty where it gave nothing


class CandidatePart(Fact, frozen=True, kw_only=True):
    """One of several changes that a patch joins: each turns tests green that the others do not."""

    description: str
    edits: tuple[Edit, ...] = ()  # of the text that none of the changes was made in
    path: str
    line: int
    function: str = ""
    turns_green: tuple[str, ...] = ()
    family: str = ""  # the kind of change
    score: float = 0.0  # as if it turned all green; 0 where it was not found alone


class Candidate(Fact, frozen=True, kw_only=True):
    """A patch that the search found: it turned at least one red test green and none red."""

    description: str  # as "replace `<` by `<=`"
    family: str  # the operator family that made it
    path: str
    line: int
    function: str = ""
    edits: tuple[Edit, ...]
    turns_green: tuple[str, ...] = ()
    still_red: tuple[str, ...] = ()
    complete: bool = False  # no red test is left
    score: float = 0.0
    inputs: int = 0  # on which it was compared with the other complete ones
    parting: Parting | None = None  # from the best candidate
    witness: str = ""  # what speaks for it against others that pass, and is no test
    against: str = ""  # what speaks for others against it
    parts: tuple[CandidatePart, ...] = ()  # two or more, where it mends several faults

    @property
    def asked_by(self) -> int:
        """How many failing tests ask for it: of several changes, for the least asked one."""
        return min((len(part.turns_green) for part in self.parts), default=len(self.turns_green))


class Findings(Fact, frozen=True, kw_only=True):
    """What a search for a repair found, best candidate first."""

    candidates: tuple[Candidate, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    reach: tuple[Reach, ...] = ()
    made: int = 0
    tried: int = 0
    seconds: float = 0.0
    families: dict[str, int] = {}  # candidates tried by operator family
    exhausted: bool = False  # every candidate was tried; otherwise a cap ended it
    refused: int = 0  # that turn every red test green, and are no changes to make
    notes: tuple[str, ...] = ()


class Crossed(Fact, frozen=True, kw_only=True):
    """A call into changed code: JSON of what was asked and answered, or `why` it is not known."""

    call: str = ""
    end: str = ""
    reads: bool = False  # files while it answers
    why: str = ""


class Compared(Fact, frozen=True, kw_only=True):
    """A method by which values from changed code are judged, if Python did not bring it.

    It has a place (`path` and `line`), or was `lent` by another type, or was made while code ran.
    Files are relative to the root; empty is none of the project.
    """

    type: str
    home: str = ""  # the file of the type
    module: str = ""
    slot: str  # as `__eq__`
    holder: str = ""  # the class that it is inherited from, if it is
    held: str = ""  # the file of that class
    path: str = ""
    line: int = 0
    lent: str = ""  # as `int.__ge__`
    wild: bool = False  # a library's, and a value of it equals more than itself


class MadeCode(Fact, frozen=True, kw_only=True):
    """A file that was loaded, or one whose function `by` ran code that it had made."""

    path: str
    by: str = ""


class OptionPart(Fact, frozen=True, kw_only=True):
    """What an option does about one of several faults."""

    title: str
    edits: tuple[Edit, ...]


class Option(Fact, frozen=True, kw_only=True):
    """One way to mend the failure."""

    title: str
    approach: str
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    diff: str = ""  # unified, when the edits are known
    parts: tuple[OptionPart, ...] = ()  # two or more, where it mends several faults


class Unsettled(Fact, frozen=True, kw_only=True):
    """What the tests do not decide: two changes that pass, and a call on which they part."""

    call: str  # as "mean([1, 2])"; empty where none is known
    module: str = ""  # that a test imports the function from; empty where none can ask
    gives: str  # what it comes to with the recommended change
    other: str  # the other change, in words
    other_gives: str
    before: str = ""  # what it came to before, where the failing tests end in an error
    edits: tuple[Edit, ...]  # of the other change
    undo: tuple[Edit, ...] = ()  # takes the change back that an earlier iteration made


class Usage(Fact, frozen=True, kw_only=True):
    """Tokens and money of one call; None is unknown, never zero by guess."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None  # of the input: read from a cache
    cache_write: int | None = None  # of the input: written to a cache
    usd: float | None = None
    priced: bool = False  # the money is by the prices in the settings, nobody told it
    partial: bool = False  # there was more, of which nothing is known

    @classmethod
    def total(cls, parts: Collection[Usage]) -> Usage:
        """Return the sum; what is not known of one of them is not known of it."""

        def tokens(name: str) -> int | None:
            counts = [getattr(part, name) for part in parts]
            return None if None in counts else sum(counts)

        prices = [part.usd for part in parts if part.usd is not None]
        return cls(
            input=tokens("input"),
            output=tokens("output"),
            cached=tokens("cached"),
            cache_write=tokens("cache_write"),
            usd=sum(prices) if len(prices) == len(parts) else None,
            priced=any(part.priced for part in parts),
            partial=any(part.partial for part in parts),
        )


REVISE = "revise the expectation of"  # how the title of an option begins that changes a test
ONLY_A_PERSON = "which only a person may do"


class Diagnosis(Fact, frozen=True, kw_only=True):
    """An agent's account of a failure: what a report is rendered from."""

    title: str  # a few words; names the report file
    category: Category
    root_cause: str
    path: str = ""
    line: int | None = None
    context: str = ""  # the code at path:line
    evidence: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    recommended: int = 1  # counts from 1
    confidence: str = "medium"  # high, medium, low
    confidence_reason: str = ""
    prevention: str = ""
    out_of_scope: bool = False
    out_of_scope_reason: str | None = None
    upstream_dependency: str | None = None
    tried: tuple[str, ...] = ()  # what was tried on the way, one line each
    partial: bool = False  # the recommended change mends a part of it, as its author knows
    exhausted: str = ""  # why its author would know no more if it were asked again
    unsettled: Unsettled | None = None  # which of two changes is right, where both pass
    rivals: tuple[Unsettled, ...] = ()  # of one that mends a part: others that mend the same
    undecided: str = ""  # how many they are, in a sentence

    @property
    def chosen(self) -> Option | None:
        """The recommended option, if there is one."""
        return next(iter(self.options[self.recommended - 1 : self.recommended]), None)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of the recommended option."""
        return self.chosen.edits if self.chosen else ()

    @property
    def searched(self) -> bool:
        """Whether nothing is left to try; not where it stopped since a person has to act."""
        return bool(self.exhausted) and not self.exhausted.endswith(ONLY_A_PERSON)

    @property
    def elsewhere(self) -> str:
        """Why no edit of the code helps, in words; empty where one may."""
        if self.upstream_dependency:
            why = f": {self.out_of_scope_reason}" if self.out_of_scope_reason else ""
            return f"{self.upstream_dependency} must be done first{why}"
        if self.out_of_scope:
            return self.out_of_scope_reason or "the diagnosis says that the cause is out of scope"
        if self.category is Category.TASK_SPEC_ERROR and not self.edits:
            return f"the requirement is unclear: {self.root_cause}"
        return ""

    @property
    def blind(self) -> bool:
        """Whether a fix would be a guess: of low confidence, and without an edit."""
        return self.confidence == "low" and not self.edits


class Tick(Fact, frozen=True, kw_only=True):
    """A sign of life from work in progress; shown, never journalled."""

    phase: str
    text: str = ""
    made: int | None = None  # candidates
    tried: int | None = None
    per_second: float | None = None
    best: str = ""
