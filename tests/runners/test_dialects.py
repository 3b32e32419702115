"""What runners said, recorded, and what is made of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clew.runners import Request
from clew.runners.commands import recognise
from clew.runners.dialects import (
    DIALECTS,
    CommandOutput,
    DialectRequest,
    DialectResult,
    InstrumentedCommand,
    RunLocation,
)
from clew.words.facts import CaseOutcome, Phase, Runner, TestCommand, TestResult
from languages import LANGUAGES, VITEST, Language, write_project

RECORDED = Path(__file__).with_name("recorded")


class Desk:
    """A project on disk, and what one of its runs left behind."""

    def __init__(self, base: Path, language: Language) -> None:
        self.root = write_project(base / "shop", language)
        self.out = base / "run" / "out"
        self.out.mkdir(parents=True)
        self.runner = Runner(language.runner)

    def question(self, command: str, *, only: tuple[str, ...] = ()) -> DialectRequest:
        argv = tuple(command.split())
        return DialectRequest(
            meant=recognise(argv),
            command=TestCommand(runner=self.runner, argv=argv),
            request=Request(only=only),
            out=self.out,
            cwd=self.root,
        )

    def ask(self, command: str, *, only: tuple[str, ...] = ()) -> InstrumentedCommand:
        return DIALECTS[self.runner].ask(self.question(command, only=only))

    def hear(self, text: str, code: int = 1) -> DialectResult:
        text = text.replace("ROOT", str(self.root))
        ground = RunLocation(worktree=self.root, root=self.root, subdir="", out=self.out)
        spoken = CommandOutput(lines=tuple(text.splitlines()), output=text, code=code)
        return DIALECTS[self.runner].hear(self.question("x"), ground, spoken)


def places(result: TestResult) -> list[tuple[str, int]]:
    return [(f.path, f.line) for f in result.crash.frames] if result.crash else []


def heard(results: tuple[TestResult, ...]) -> dict[str, CaseOutcome]:
    return {result.id: result.outcome for result in results}


# --- Vitest ---------------------------------------------------------------------------------------


def vitest(base: Path, name: str) -> DialectResult:
    desk = Desk(base, Language(**{**VITEST.__dict__, "packages": False}))
    report = (RECORDED / f"vitest-{name}.json").read_text().replace("ROOT", str(desk.root))
    (desk.out / "report.json").write_text(report)
    return desk.hear((RECORDED / f"vitest-{name}.txt").read_text())


def test_vitest_names_each_test_with_its_stack(tmp_path: Path) -> None:
    """A thrown error leads to its line, a test out of time is one, to be written is not run."""
    results = vitest(tmp_path, "red").results

    assert {
        VITEST.green: CaseOutcome.PASSED,
        VITEST.red: CaseOutcome.FAILED,
        "test/cart.test.js::hangs": CaseOutcome.FAILED,
        "test/cart.test.js::later": CaseOutcome.SKIPPED,
        "test/cart.test.js::skipped": CaseOutcome.SKIPPED,
    } == heard(results)
    red = next(result for result in results if result.id == VITEST.red)
    assert (VITEST.path, VITEST.line) == places(red)[-1]
    hangs = next(result for result in results if result.id.endswith("hangs"))
    assert hangs.crash is not None
    assert "Timeout" == hangs.crash.type


@pytest.mark.parametrize(
    ("name", "kind", "place"),
    [
        ("unloaded", "SyntaxError", "src/cart.js"),
        ("torn", "SyntaxError", "test/cart.test.js"),
        ("absent", "ImportError", None),
    ],
)
def test_vitest_says_why_a_file_does_not_load(
    tmp_path: Path, name: str, kind: str, place: str | None
) -> None:
    """Its report names the tests' file; where the fault is stands in what it printed."""
    said = vitest(tmp_path, name)
    (result,) = said.results

    assert ("test/cart.test.js", Phase.COLLECT) == (result.id, result.phase)
    assert result.crash is not None
    assert (kind, {result.id}) == (result.crash.type, set(said.blamed))
    assert place == next((path for path, _ in places(result)), None)


# --- Go -------------------------------------------------------------------------------------------


def events(*records: dict[str, object]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_go_from_1_24_on_says_in_json_what_does_not_build(tmp_path: Path) -> None:
    """Both spellings name the package, and the file and line of the first complaint."""
    package = "example.com/shop/cart"
    complaint = "cart/cart.go:4:9: undefined: x\n"
    new = events(
        {"ImportPath": package, "Action": "build-output", "Output": f"# {package}\n"},
        {"ImportPath": package, "Action": "build-output", "Output": complaint},
        {"ImportPath": package, "Action": "build-fail"},
        {"Action": "start", "Package": package},
        {"Action": "output", "Package": package, "Output": f"FAIL\t{package} [build failed]\n"},
        {"Action": "fail", "Package": package, "Elapsed": 0, "FailedBuild": package},
    )
    old = f"# {package}\n{complaint}FAIL\t{package} [build failed]\n"

    for number, text in enumerate((new, old)):
        said = Desk(tmp_path / str(number), LANGUAGES["go"]).hear(text)
        (result,) = said.results
        assert (package, Phase.COLLECT, set()) == (result.id, result.phase, set(said.blamed))
        assert [("cart/cart.go", 4)] == places(result)


def test_a_package_whose_process_ended_is_red(tmp_path: Path) -> None:
    """A test that leaves takes its package along: the rest is not taken for green."""
    package = "example.com/shop/cart"
    said = Desk(tmp_path, LANGUAGES["go"]).hear(
        events(
            {"Action": "run", "Package": package, "Test": "TestDouble"},
            {"Action": "pass", "Package": package, "Test": "TestDouble", "Elapsed": 0.1},
            {"Action": "output", "Package": package, "Output": "exit status 3\n"},
            {"Action": "fail", "Package": package, "Elapsed": 0.1},
        )
    )

    assert {f"{package}::TestDouble": CaseOutcome.PASSED, package: CaseOutcome.ERROR} == heard(
        said.results
    )


def test_a_hanging_test_is_named_by_go(tmp_path: Path) -> None:
    """Its own time-out comes before Clew's, and shows where it hangs."""
    package = "example.com/shop/cart"
    stack = (
        "panic: test timed out after 1s\n\ngoroutine 7 [running]:\n"
        "example.com/shop/cart.Last(0x1)\n\tROOT/cart/cart.go:4 +0x1d\n\n"
    )
    desk = Desk(tmp_path, LANGUAGES["go"])
    said = desk.hear(
        events(
            {"Action": "run", "Package": package, "Test": "TestLast"},
            {"Action": "output", "Package": package, "Test": "TestLast", "Output": stack},
            {"Action": "fail", "Package": package, "Test": "TestLast", "Elapsed": 1},
            {"Action": "fail", "Package": package, "Elapsed": 1},
        )
    )

    (result,) = said.results
    assert result.crash is not None
    assert ("Timeout", [("cart/cart.go", 4)]) == (result.crash.type, places(result))


TESTIFY = (
    "    cart_test.go:15: \n"
    "        \tError Trace:\tROOT/cart/check.go:9\n"
    "        \t            \t\t\t\tROOT/cart/cart_test.go:15\n"
    "        \t            \t\t\t\t/usr/lib/go/src/testing/testing.go:1689\n"
    "        \tError:      \tNot equal: \n"
    "        \t            \texpected: 2\n"
    "        \t            \tactual  : 1\n"
    "        \tTest:       \tTestLast\n"
    "        \tMessages:   \tof two\n"
)


def test_an_assertion_that_tells_its_trace_leads_to_the_code_it_names(tmp_path: Path) -> None:
    """As testify prints it: where it was called from, innermost last, and what it wanted."""
    package = "example.com/shop/cart"
    desk = Desk(tmp_path, LANGUAGES["go"])
    (desk.root / "cart" / "check.go").write_text("package cart\n")
    said = desk.hear(
        events(
            {"Action": "run", "Package": package, "Test": "TestLast"},
            {"Action": "output", "Package": package, "Test": "TestLast",
             "Output": TESTIFY.replace("ROOT", str(desk.root))},
            {"Action": "fail", "Package": package, "Test": "TestLast", "Elapsed": 0},
            {"Action": "fail", "Package": package, "Elapsed": 0},
        )
    )  # fmt: skip

    (result,) = said.results
    assert [("cart/cart_test.go", 15), ("cart/check.go", 9)] == places(result)
    assert result.crash is not None
    assert "Not equal:\nexpected: 2\nactual  : 1\nof two" == result.crash.message


def test_go_is_asked_for_json_and_for_wanted_tests(tmp_path: Path) -> None:
    """A person's own words stay; results are never those of a cache."""
    desk = Desk(tmp_path, LANGUAGES["go"])

    asked = desk.ask("go test -v -failfast -race ./...", only=("p::TestA/b", "p::TestC (2)"))

    assert ("test", "-json", "-count=1") == asked.arguments[:3]
    assert ("-race", "./...", "-run=^(TestA|TestC)$") == asked.arguments[4:]


# --- Rust -----------------------------------------------------------------------------------------

OLD_RUST = """\
     Running unittests src/lib.rs (target/debug/deps/shop-0123456789abcdef)

running 2 tests
test tests::doubles ... ok
test tests::later ... ignored, not yet

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/cart.rs (target/debug/deps/cart-fedcba9876543210)

running 1 test
test last_of_two ... FAILED

failures:

---- last_of_two stdout ----
thread 'last_of_two' panicked at 'assertion failed: `(left == right)`
  left: `1`,
 right: `2`', src/cart.rs:2:5
stack backtrace:
   0: rust_begin_unwind
             at /rustc/897e/library/std/src/panicking.rs:584:5
   1: shop::cart::last
             at ./src/cart.rs:2:5
   2: cart::last_of_two
             at ./tests/cart.rs:5:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.


failures:
    last_of_two

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

error: test failed, to rerun pass `--test cart`
   Doc-tests shop

running 2 tests
test src/lib.rs - double (line 5) ... ok
test src/lib.rs - double (line 9) ... ok
"""


def test_rust_of_older_releases_is_understood(tmp_path: Path) -> None:
    """The message stands before the place there; doc tests are told apart without their lines."""
    said = Desk(tmp_path, LANGUAGES["cargo"]).hear(OLD_RUST)

    assert {
        "shop::tests::doubles": CaseOutcome.PASSED,
        "shop::tests::later": CaseOutcome.SKIPPED,
        "cart::last_of_two": CaseOutcome.FAILED,
        "shop (doc)::src/lib.rs - double": CaseOutcome.PASSED,
        "shop (doc)::src/lib.rs - double #2": CaseOutcome.PASSED,
    } == heard(said.results)
    red = said.results[2]
    assert red.crash is not None
    assert "AssertionError" == red.crash.type
    assert red.crash.message.startswith("assertion failed: `(left == right)`")
    assert [("tests/cart.rs", 5), ("src/cart.rs", 2)] == places(red)


def test_a_rust_binary_that_was_killed_is_red(tmp_path: Path) -> None:
    """The test whose stack ran over is named where the process says so."""
    said = Desk(tmp_path, LANGUAGES["cargo"]).hear(
        "     Running tests/cart.rs (target/debug/deps/cart-fedcba9876543210)\n\n"
        "running 2 tests\ntest fine ... ok\n\n"
        "thread 'last_of_two' has overflowed its stack\nfatal runtime error: stack overflow\n"
        "error: test failed, to rerun pass `--test cart`\n\nCaused by:\n"
        "  process didn't exit successfully: `ROOT/target/debug/deps/cart-fedcba9876543210`"
        " (signal: 6, SIGABRT: process abort signal)\n"
    )

    assert {"cart::fine": CaseOutcome.PASSED, "cart::last_of_two": CaseOutcome.FAILED} == heard(
        said.results
    )


def test_cargo_is_asked_for_every_binary(tmp_path: Path) -> None:
    """Nothing quiet is left in; wanted tests go to the binaries, doc tests run with the rest."""
    desk = Desk(tmp_path, LANGUAGES["cargo"])

    some = desk.ask("cargo +stable test -q --release -- --quiet", only=("cart::last_of_two",))
    docs = desk.ask("cargo test", only=("shop (doc)::src/lib.rs - double",))

    assert ("+stable", "test", "--no-fail-fast", "--message-format=json", "--release") == (
        some.arguments[:5]
    )
    assert ("--", "--exact", "last_of_two") == some.arguments[5:]
    assert ("test", "--no-fail-fast", "--message-format=json") == docs.arguments


# --- JavaScript -----------------------------------------------------------------------------------


def test_npm_hands_on_what_stands_behind_its_dashes(tmp_path: Path) -> None:
    """The runner behind a script of package.json is told in the packager's own way."""
    for number, (command, dashes) in enumerate(
        [("npm test", 1), ("npm test -- --verbose", 1), ("yarn test", 0)]
    ):
        desk = Desk(tmp_path / str(number), Language(**{**VITEST.__dict__, "packages": False}))
        asked = desk.ask(command, only=(VITEST.green,))
        assert dashes == asked.arguments.count("--")
        assert "--testNamePattern=^(doubles \\(all\\))$" in asked.arguments


def test_any_words_are_heard_without_a_crash(tmp_path: Path) -> None:
    """Torn and foreign output says nothing, and harms nothing."""
    torn = '{"Action":\n{"reason":\n{"Action":"run","Package":1}\nerror\n---- x stdout ----\n\0'
    for name in ("go", "cargo", "node", "jest"):
        desk = Desk(tmp_path / name, Language(**{**LANGUAGES[name].__dict__, "packages": False}))
        for file in ("node.jsonl", "report.json"):
            (desk.out / file).write_text(torn)
        assert () == desk.hear(torn).results


def test_files_outside_are_not_the_projects(tmp_path: Path) -> None:
    """A name that leads out, an installed package and a missing file are no project files."""
    root = write_project(tmp_path / "shop", LANGUAGES["go"])
    shutil.copytree(root / "cart", root / "node_modules" / "cart")
    ground = RunLocation(worktree=root, root=Path("/home/ada/shop"), subdir="cart", out=tmp_path)

    assert "cart/cart.go" == ground.locate("cart.go")
    assert "cart/cart.go" == ground.locate("/home/ada/shop/cart/cart.go")
    assert "cart/cart.go" == ground.locate("file:///home/ada/shop/cart/cart.go")
    for name in ("../../etc/passwd", "/etc/passwd", "node_modules/cart/cart.go", "none.go", "\0"):
        assert ground.locate(name) is None


def test_a_link_that_leads_out_is_not_read(tmp_path: Path) -> None:
    """A stack may name any file, and what it shows goes to agents: of this one the place alone."""
    desk = Desk(tmp_path, VITEST)
    (tmp_path / "secret").write_text("hunter2\n")
    (desk.root / "leak.js").symlink_to(tmp_path / "secret")
    (desk.root / "own.js").symlink_to(desk.root / "of.js")
    (desk.root / "of.js").write_text("of()\n")
    ground = RunLocation(worktree=desk.root, root=desk.root, subdir="", out=desk.out)

    assert ["", "of()"] == [ground.frame(name, 1).code for name in ("leak.js", "own.js")]
