from pathlib import PurePosixPath

import pytest
from pathspec import GitIgnoreSpec, PathSpec

CASES = [
    (["*.txt"], ["a.txt", "b", "c.txt"], ["a.txt", "c.txt"], ["b"]),
    (["*.txt", "!a.txt"], ["a.txt", "b", "c.txt"], ["c.txt"], ["a.txt", "b"]),
    ([], ["a", "b"], [], ["a", "b"]),
    (["*"], ["a", "b"], ["a", "b"], []),
    (["*.txt"], [], [], []),
    (["*.txt"], ["a.txt", "a.txt", "b", "b"], ["a.txt", "a.txt"], ["b", "b"]),
    (["dir/"], ["dir/a", "b/dir/c", "dirx"], ["dir/a", "b/dir/c"], ["dirx"]),
    (["/x"], ["x", "y/x", "x/y"], ["x", "x/y"], ["y/x"]),
]
MAKERS = [list, tuple, iter, lambda files: (file for file in files), lambda files: dict.fromkeys(files).keys()]


@pytest.mark.parametrize(("lines", "files", "matched", "others"), CASES)
@pytest.mark.parametrize("place", range(len(MAKERS)))
@pytest.mark.parametrize("kind", [PathSpec, GitIgnoreSpec])
def test_cases(lines, files, matched, others, place, kind):
    spec = PathSpec.from_lines("gitignore", lines, backend="simple") if kind is PathSpec else kind.from_lines(lines, backend="simple")
    if place == 4:
        matched, others = list(dict.fromkeys(matched)), list(dict.fromkeys(others))
    made = spec.partition_files(MAKERS[place](files))
    assert list(map(list, made)) == [matched, others]


@pytest.mark.parametrize("make", MAKERS)
def test_paths(make):
    spec = PathSpec.from_lines("gitignore", ["*.txt"], backend="simple")
    files = [PurePosixPath("a.txt"), PurePosixPath("b/c")]
    matched, others = spec.partition_files(make(files))
    assert list(matched) == files[:1] and list(others) == files[1:]


@pytest.mark.parametrize("make", MAKERS)
def test_separators(make):
    spec = PathSpec.from_lines("gitignore", ["a/*.txt"], backend="simple")
    matched, others = spec.partition_files(make(["a\\b.txt", "b\\c.txt"]), separators=["\\"])
    assert list(matched) == ["a\\b.txt"] and list(others) == ["b\\c.txt"]


@pytest.mark.parametrize("files", [5, None])
def test_bad(files):
    with pytest.raises(TypeError):
        PathSpec.from_lines("gitignore", ["*"], backend="simple").partition_files(files)
