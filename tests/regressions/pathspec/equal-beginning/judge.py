import itertools

import pytest
from pathspec import GitIgnoreSpec, PathSpec

LINES = [(), ("*.txt",), ("*.md",), ("*.txt", "*.md"), ("*.md", "*.txt"), ("*.txt", "*.txt"), ("!*.txt",), ("*.txt", "!*.txt"), ("*.txt", "*.md", "x")]


def make(kind, lines):
    return PathSpec.from_lines("gitignore", lines, backend="simple") if kind is PathSpec else GitIgnoreSpec.from_lines(lines, backend="simple")


@pytest.mark.parametrize("kind", [PathSpec, GitIgnoreSpec])
@pytest.mark.parametrize(("one", "two"), list(itertools.product(LINES, LINES)))
def test_equality(kind, one, two):
    assert (make(kind, one) == make(kind, two)) is (one == two)
    assert (make(kind, one) != make(kind, two)) is (one != two)


def test_sequences_of_other_types():
    patterns = list(make(PathSpec, ["*.txt", "*.md"]).patterns)
    assert PathSpec(tuple(patterns), backend="simple") == PathSpec(patterns, backend="simple")
    assert PathSpec(tuple(patterns[:1]), backend="simple") != PathSpec(patterns, backend="simple")
    assert PathSpec(iter(patterns), backend="simple") == PathSpec(patterns, backend="simple")


@pytest.mark.parametrize("other", [None, 1, "x", [], ()])
def test_others(other):
    assert make(PathSpec, []) != other
    assert not (make(PathSpec, []) == other)


def test_after_adding():
    spec = make(PathSpec, ["*.txt"])
    assert spec + make(PathSpec, []) == spec
    assert spec + make(PathSpec, ["x"]) != spec
