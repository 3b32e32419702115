from __future__ import annotations

import msgspec
import pytest

from clew.analysis.tampering import Texts, taken_away
from clew.words.facts import CaseOutcome, Phase, Runner, TestCommand, TestResult, TestRun, Verdict

FILE = "tests/test_a.py"
RED, GREEN, SKIPPED = CaseOutcome.FAILED, CaseOutcome.PASSED, CaseOutcome.SKIPPED
BODY = "def test_one():\n    assert 1\n\n\ndef test_two():\n    assert 2\n"
COMMAND = TestCommand(runner=Runner.PYTEST, argv=("pytest",))


def run(*results: TestResult, **tests: CaseOutcome) -> TestRun:
    found = (*results, *(TestResult(id=f"{FILE}::{n}", outcome=o) for n, o in tests.items()))
    red = any(each.outcome.red for each in found)
    verdict = Verdict.FAILED if red else Verdict.PASSED
    return TestRun(verdict=verdict, command=COMMAND, results=found)


def unloaded(name: str = FILE) -> TestResult:
    return TestResult(id=name, outcome=CaseOutcome.ERROR, phase=Phase.COLLECT)


def taken(
    first: TestRun,
    then: TestRun,
    before: dict[str, str] | None = None,
    after: dict[str, str] | None = None,
    *,
    selective: bool = False,
) -> list[str]:
    before = {FILE: BODY, "sums/area.py": ""} if before is None else before
    after = before if after is None else after

    def text(files: dict[str, str], path: str) -> bytes | None:
        return files[path].encode() if path in files else None

    changed = tuple(sorted(p for p in {**before, **after} if before.get(p) != after.get(p)))
    texts = Texts(
        files=tuple(before),
        changed=changed,
        edited=changed,
        before=lambda path: text(before, path),
        after=lambda path: text(after, path),
        selective=selective,
    )
    return [str(each) for each in taken_away(first, then, {r.id for r in first.red}, texts)]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({"test_one": GREEN}, []),
        ({"test_one": RED}, []),
        ({"test_one": SKIPPED}, [f"{FILE}::test_one is skipped"]),
        ({"test_one": CaseOutcome.XFAILED}, [f"{FILE}::test_one is expected to fail"]),
        ({"test_one": CaseOutcome.XPASSED}, [f"{FILE}::test_one is expected to fail"]),
        ({}, [f"{FILE}::test_one is gone"]),
    ],
)
def test_a_red_test_is_there_if_it_runs(now: dict[str, CaseOutcome], expected: list[str]) -> None:
    """Green or red: only what runs can be mended; tests that passed are nobody's business here."""
    first = run(test_one=RED, test_two=GREEN)
    assert expected == taken(first, run(**now))


def test_a_test_in_a_file_that_does_not_load_is_not_missed() -> None:
    """The file is red itself."""
    assert [] == taken(run(test_one=RED), run(unloaded()))


def test_a_test_that_runs_elsewhere_with_its_body_is_there() -> None:
    """Where none stood before; a stranger, a copy that was there or one that is skipped is not."""
    other = "tests/test_b.py"
    moved = {FILE: "def test_two():\n    assert 2\n", other: "def test_b():\n    assert 1\n"}
    before = {FILE: BODY}

    def there(outcome: CaseOutcome, before: dict[str, str], after: dict[str, str]) -> bool:
        now = run(TestResult(id=f"{other}::test_b", outcome=outcome))
        return not taken(run(test_one=RED), now, before, after)

    assert there(GREEN, before, moved)
    assert not there(SKIPPED, before, moved)
    assert not there(GREEN, before, {**moved, other: "def test_b():\n    assert 3\n"})
    assert not there(GREEN, {**before, other: moved[other]}, moved)


@pytest.mark.parametrize(("cases", "number"), [(("3-6",), 0), ((), 1)])
def test_a_case_is_named_by_its_values(cases: tuple[str, ...], number: int) -> None:
    """Another one may take its place; with fewer of them one is gone."""
    first = run(**{"test_one[1-2]": RED, "test_one[2-4]": GREEN})
    now = {f"test_one[{case}]": GREEN for case in (*cases, "2-4")}
    assert number == len(taken(first, run(**now)))


HEAD = "import sys\nimport pytest\nfrom sums import area\n"
SKIPS = {
    "@pytest.mark.skip\ndef test_one(): assert 1\n": True,
    "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_one(): assert 1\n": True,
    "@pytest.mark.skipif('sys.version_info < (3,)')\ndef test_one(): assert 1\n": True,
    "OLD = sys.version_info < (3,)\n"
    "@pytest.mark.skipif(OLD, reason='x')\ndef test_one(): assert 1\n": True,
    "try:\n    import numpy\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
    "@pytest.mark.skipif(not HAS, reason='x')\ndef test_one(): assert 1\n": True,
    "def test_one():\n    if sys.platform == 'win32': pytest.skip('x')\n    assert 1\n": True,
    "def test_one():\n    pytest.importorskip('numpy')\n    assert 1\n": True,
    "pytestmark = [pytest.mark.slow, pytest.mark.xfail]\ndef test_one(): assert 1\n": True,
    "def test_one(): assert 1\n": False,
    "@pytest.mark.slow\ndef test_one(): assert 1\n": False,
    "@pytest.mark.skipif(not area.READY, reason='x')\ndef test_one(): assert 1\n": False,
    "@pytest.mark.skipif('not area.READY')\ndef test_one(): assert 1\n": False,
    "NO = not area.READY\n@pytest.mark.skipif(NO, reason='x')\ndef test_one(): assert 1\n": False,
    "try:\n    from sums import fast\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
    "@pytest.mark.skipif(not HAS, reason='x')\ndef test_one(): assert 1\n": False,
    "def test_one():\n    if not area.READY: pytest.skip('x')\n    assert 1\n": False,
    "def test_one():\n    pytest.importorskip('sums.fast')\n    assert 1\n": False,
    "def test_one():\n    try: area.go()\n    except ValueError: pytest.skip('x')\n": False,
    "pytestmark = pytest.mark.skipif(not area.READY, reason='x')\ndef test_one(): pass\n": False,
}


@pytest.mark.parametrize("text", SKIPS)
def test_a_skip_counts_as_a_tests_own_if_the_code_has_no_part_in_it(text: str) -> None:
    """Of a file that did not load: whether its tests were skipped before, nobody has seen."""
    before = {FILE: f"{HEAD}{text}\n\ndef test_two(): assert 2\n", "sums/area.py": ""}
    expected = [] if SKIPS[text] else [f"{FILE}::test_one is skipped"]
    assert expected == taken(run(unloaded()), run(test_one=SKIPPED, test_two=GREEN), before)


@pytest.mark.parametrize(
    ("now", "after", "expected"),
    [
        ({"test_one": GREEN, "test_two": RED}, BODY, []),
        ({"test_one": GREEN}, BODY, [f"{FILE}::test_two is gone"]),
        ({}, "", [f"{FILE}::test_one is gone", f"{FILE}::test_two is gone"]),
    ],
)
def test_the_tests_of_a_file_that_did_not_load_are_known_by_its_text(
    now: dict[str, CaseOutcome], after: str, expected: list[str]
) -> None:
    """Each that is written out there has to run."""
    before = {FILE: BODY}
    assert expected == taken(run(unloaded()), run(**now), before, {FILE: after})


def test_tests_that_settings_may_leave_out_are_not_missed_one_by_one() -> None:
    """But all of them are; and so is one whose text is gone."""
    now = run(test_one=GREEN)
    assert [] == taken(run(unloaded()), now, selective=True)
    assert [f"{FILE} runs no test"] == taken(run(unloaded()), run(), selective=True)
    fewer = {FILE: "def test_one():\n    assert 1\n"}
    gone = [f"{FILE}::test_two is gone"]
    assert gone == taken(run(unloaded()), now, {FILE: BODY}, fewer, selective=True)


def test_a_file_that_was_deleted_runs_no_test() -> None:
    """Where its text names none as well: then they were made when it ran."""
    made = {FILE: "globals().update(made())\n"}
    assert [f"{FILE} runs no test"] == taken(run(unloaded()), run(), made, {})


@pytest.mark.parametrize("name", ["sums/area.py", "tests/__init__.py", "tests", "example.com/sums"])
def test_what_holds_no_tests_is_not_asked_for_any(name: str) -> None:
    """A module of the code, a package or a folder may not load as well."""
    before = {FILE: BODY, "sums/area.py": "", "tests/__init__.py": ""}
    assert [] == taken(run(unloaded(name)), run(test_one=GREEN), before)


def test_a_package_of_another_language_runs_some_test() -> None:
    """All of them skipped, or none after tests were edited, is as good as taken away."""
    name, test = "example.com/sums", "example.com/sums::TestArea"
    before, after = {"area_test.go": "func TestArea"}, {"area_test.go": "package sums"}
    lost = [f"{name} runs no test"]
    assert lost == taken(run(unloaded(name)), run(), before, after)
    assert lost == taken(run(unloaded(name)), run(TestResult(id=test, outcome=SKIPPED)), before)
    assert [] == taken(run(unloaded(name)), run(TestResult(id=test, outcome=GREEN)), before)
    other = run(TestResult(id="named by nothing of it", outcome=GREEN))
    assert [] == taken(run(unloaded(name)), other, before, after)


def test_the_tests_of_a_command_are_known_by_their_text() -> None:
    """It says nothing but whether it failed; a test that moves to another file is still there."""
    command = TestCommand(runner=Runner.COMMAND, argv=("./check",))
    first, now = (
        msgspec.structs.replace(run(TestResult(id="./check", outcome=outcome)), command=command)
        for outcome in (RED, GREEN)
    )
    before = {FILE: BODY, "tests/b.sh": "true"}
    assert [] == taken(first, now, before)
    assert [f"{FILE} has other numbers: tests 2 → 1"] == taken(
        first, now, before, {**before, FILE: "def test_one():\n    assert 1\n"}
    )
    assert ["tests/b.sh is gone"] == taken(first, now, before, {FILE: BODY})
    assert [] == taken(first, now, before, {"tests/test_c.py": BODY, "tests/b.sh": "true"})


def test_unittests_ids_are_dotted() -> None:
    """And so is what is said of them."""
    text = "import unittest\nclass TestA(unittest.TestCase):\n    def test_one(self): pass\n"
    assert ["tests.test_a.TestA.test_one is gone"] == taken(
        run(unloaded("tests.test_a")), run(), {FILE: text}, {FILE: ""}
    )
