import pytest
from pathspec import GitIgnoreSpec, PathSpec

FILES = ["a.txt", "b.md", "c/d.txt", "c/e.py", "f/g/h.md", "keep.txt", "x"]
PAIRS = [
    (["*.txt"], ["*.md"]), (["*.txt"], ["!keep.txt"]), ([], ["*.py"]), (["*.py"], []), (["*"], ["!*.txt"]), (["!a.txt"], ["*.txt"]),
    (["c/"], ["!c/", "x"]), (["*.md"], ["# comment", "x"]), ([], []), (["*.txt"], ["*.txt"]),
]


def make(kind, lines):
    return PathSpec.from_lines("gitignore", lines, backend="simple") if kind is PathSpec else GitIgnoreSpec.from_lines(lines, backend="simple")


@pytest.mark.parametrize("kind", [PathSpec, GitIgnoreSpec])
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_in_place(kind, one, two):
    whole = make(kind, one + two)
    spec = make(kind, one)
    same = spec
    spec += make(kind, two)
    assert spec is same
    assert list(spec.patterns) == list(whole.patterns)
    assert len(spec) == len(whole)
    assert list(spec.match_files(FILES)) == list(whole.match_files(FILES))
    for file in FILES:
        assert spec.match_file(file) == whole.match_file(file)
        assert spec.check_file(file) == whole.check_file(file)
    assert spec == whole


@pytest.mark.parametrize("kind", [PathSpec, GitIgnoreSpec])
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_added(kind, one, two):
    first, second = make(kind, one), make(kind, two)
    both = first + second
    whole = make(kind, one + two)
    assert both == whole
    assert type(both) is kind
    assert list(both.match_files(FILES)) == list(whole.match_files(FILES))
    assert list(first.match_files(FILES)) == list(make(kind, one).match_files(FILES))
    assert list(second.match_files(FILES)) == list(make(kind, two).match_files(FILES))


def test_several_times():
    spec = make(PathSpec, ["*.txt"])
    spec += make(PathSpec, ["!a.txt"])
    spec += make(PathSpec, ["*.md"])
    assert list(spec.match_files(FILES)) == ["b.md", "c/d.txt", "f/g/h.md", "keep.txt"]


@pytest.mark.parametrize("other", [None, 1, "x", ["*.txt"]])
def test_others(other):
    spec = make(PathSpec, ["*.txt"])
    with pytest.raises(TypeError):
        spec += other
    with pytest.raises(TypeError):
        spec + other
