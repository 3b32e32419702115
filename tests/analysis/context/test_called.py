"""What a failing test calls, where nothing else names a place."""

from __future__ import annotations

import pytest

from clew.analysis.context import called
from clew.words.facts import (
    CaseOutcome,
    Crash,
    Frame,
    Runner,
    TestCommand,
    TestResult,
    TestRun,
    Verdict,
)

GO = {
    "go.mod": "module example.com/shop\n",
    "cart.go": (
        "package shop\n\nfunc Other() int { return 1 }\n\n"
        "func Total(items []int) int {\n\treturn 1\n}\n"
    ),
    "cart_test.go": (
        'package shop\n\nimport "testing"\n\nfunc TestOther(t *testing.T) {\n\tOther()\n}\n\n'
        "func TestTotal(t *testing.T) {\n\tif got := Total([]int{1}); got != 3 {\n"
        '\t\tt.Errorf("Total() = %d; want 3", got)\n\t}\n}\n'
    ),
}
SCRIPT = {
    "src/cart.js": "export const tax = 2;\n\nexport function total(items) {\n  return 1;\n}\n",
    "src/apart.js": "export function total() {}\n",
    "test/cart.test.js": (
        "import assert from 'node:assert';\nimport { total } from '../src/cart.js';\n\n"
        "test('total', () => {\n  const sum = total([1]);\n  assert.equal(sum, 3);\n});\n"
    ),
}
JAVA = {
    "src/main/java/shop/Cart.java": (
        "package shop;\n\nclass Cart {\n  int total() { return 1; }\n}\n"
    ),
    "src/test/java/shop/CartTest.java": (
        "package shop;\n\nclass CartTest {\n  void totals() {\n"
        "    assertEquals(3, new Cart().total());\n  }\n}\n"
    ),
}


def red(runner: Runner, *frames: Frame) -> TestRun:
    crash = Crash(type="AssertionError", message="1 is not 3", frames=frames)
    return TestRun(
        command=TestCommand(argv=("test",), runner=runner, source=""),
        verdict=Verdict.FAILED,
        results=(TestResult(id="a", outcome=CaseOutcome.FAILED, crash=crash),),
    )


def at(path: str, line: int) -> Frame:
    return Frame(path=path, line=line, function="", project=True)


@pytest.mark.parametrize(
    ("files", "runner", "frame", "expected"),
    [
        (GO, Runner.GO, at("cart_test.go", 11), [("cart.go", 5, "Total")]),
        (SCRIPT, Runner.NODE, at("test/cart.test.js", 6), [("src/cart.js", 3, "total")]),
        (
            JAVA,
            Runner.JUNIT,
            at("src/test/java/shop/CartTest.java", 5),
            [
                ("src/main/java/shop/Cart.java", 3, "Cart"),
                ("src/main/java/shop/Cart.java", 4, "total"),
            ],
        ),
        (GO, Runner.GO, at("cart_test.go", 99), []),
        (GO, Runner.GO, at("gone_test.go", 1), []),
        (SCRIPT, Runner.PYTEST, at("test/cart.test.js", 6), []),
        (GO, Runner.GO, at("cart.go", 6), []),
    ],
)
def test_what_the_failing_test_calls_is_suspect(
    files: dict[str, str], runner: Runner, frame: Frame, expected: list[tuple[str, int, str]]
) -> None:
    """By its definition in a file that the test uses; where code is named already, nothing is."""
    found = called(red(runner, frame), list(files), files.get)
    assert expected == [(one.path, one.line, one.function) for one in found]
    assert all(0 < one.score < 1 for one in found)
