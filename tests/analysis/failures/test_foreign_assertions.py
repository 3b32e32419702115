"""Assertions of other languages, in the words of their runners."""

from __future__ import annotations

import pytest

from clew.analysis.failures import expectation
from clew.words.facts import Crash, Frame

# The message, the line that asserts, and: the call, what it gave, how it should stand to what.
SAID = {
    "node": (
        "Expected values to be strictly equal:\n\n5 !== 6\n",
        "assert.strictEqual(total([{ price: 2, count: 3 }]), 6);",
        ("total([{ price: 2, count: 3 }])", "5", "==", "6"),
    ),
    "node, deep": (
        (
            "Expected values to be strictly deep-equal:\n+ actual - expected\n\n"
            "  {\n+   a: 1\n-   a: 2\n  }\n"
        ),
        "assert.deepStrictEqual(made(), { a: 2 });",
        ("made()", "a: 1", "==", "a: 2"),
    ),
    "jest": (
        "expect(received).toBe(expected) // Object.is equality\n\nExpected: 6\nReceived: 5",
        "expect(total([1])).toBe(6);",
        ("total([1])", "5", "==", "6"),
    ),
    "jest, greater": (
        "expect(received).toBeGreaterThan(expected)\n\nExpected: > 6\nReceived:   5",
        "expect(shop.total([1])).toBeGreaterThan(6);",
        ("shop.total([1])", "5", ">", "6"),
    ),
    "jest, not": (
        "expect(received).not.toBe(expected) // Object.is equality\n\nExpected: not 5",
        "expect(total([1])).not.toBe(5);",
        None,
    ),
    "vitest": (
        "expected 5 to be 6 // Object.is equality",
        "expect(total([1])).toBe(6)",
        ("total([1])", "5", "==", "6"),
    ),
    "vitest, deep": (
        "expected [ 1 ] to deeply equal [ 2 ]",
        "expect(total([1])).toEqual([2])",
        ("total([1])", "[ 1 ]", "==", "[ 2 ]"),
    ),
    "go": (
        "Total([1 2]) = 5; want 3",
        't.Errorf("Total(%v) = %d; want 3", in, got)',
        ("Total([1 2])", "5", "==", "3"),
    ),
    "go, got": ("got 5, want 3", 't.Errorf("got %d, want 3", got)', ("", "5", "==", "3")),
    "go, expected": (
        "expected 3, got 5",
        't.Fatalf("expected 3, got %d", got)',
        ("", "5", "==", "3"),
    ),
    "testify": (
        "Not equal:\nexpected: 3\nactual  : 5",
        "assert.Equal(t, 3, Total(in))",
        ("Total(in)", "5", "==", "3"),
    ),
    "rust": (
        "assertion `left == right` failed\n  left: 5\n right: 6",
        "assert_eq!(total(&[1, 2]), 6);",
        ("total(&[1, 2])", "5", "==", "6"),
    ),
    "rust, turned": (
        "assertion `left == right` failed: as said\n  left: 6\n right: 5",
        "assert_eq!(6, total(&[1, 2]));",
        ("total(&[1, 2])", "5", "==", "6"),
    ),
    "junit": (
        "expected: <3> but was: <1>",
        "assertEquals(3, cart.total());",
        ("cart.total()", "1", "==", "3"),
    ),
    "rspec": (
        "\nexpected: 3\n     got: 1\n\n(compared using ==)",
        "expect(cart.total).to eq(3)",
        ("", "1", "==", "3"),
    ),
    "phpunit": (
        "Failed asserting that 5 matches expected 6.",
        "$this->assertEquals(6, total([1]));",
        ("total([1])", "5", "==", "6"),
    ),
    "nothing": ("the cart is broken", "t.Error(words)", None),
}


@pytest.mark.parametrize("kind", SAID)
def test_what_was_wanted_and_what_was_got(kind: str) -> None:
    """With the call that gave it, where the line or the message has one."""
    message, line, expected = SAID[kind]
    frame = Frame(path="test/cart.test.js", line=6, function="", code=line, project=True)
    found = expectation(Crash(type="AssertionError", message=message, frames=(frame,)))
    told = (found.call, found.actual, found.relation, found.expected) if found else None
    assert expected == told
