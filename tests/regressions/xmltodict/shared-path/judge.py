from io import BytesIO
from xml.parsers.expat import ExpatError

import pytest
from xmltodict import ParsingInterrupted, parse


def stop(path, item):
    return False


def fail(*args):
    raise RuntimeError("mine")


def interrupted():
    with pytest.raises(ParsingInterrupted):
        parse("<a><b>1</b><b>2</b></a>", item_depth=2, item_callback=stop)


def broken():
    with pytest.raises(ExpatError):
        parse("<a><b><c></b></a>")


def unfinished():
    with pytest.raises(ExpatError):
        parse(BytesIO(b"<a><b><c>"))


def raised():
    with pytest.raises(RuntimeError):
        parse("<a><b><c>1</c></b></a>", postprocessor=fail)


def raised_in_callback():
    with pytest.raises(RuntimeError):
        parse("<a><b><c>1</c></b></a>", item_depth=3, item_callback=fail)


BEFORE = [interrupted, broken, unfinished, raised, raised_in_callback]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_streaming_after(before, times):
    for _ in range(times):
        before()
    seen = []
    parse('<a k="1"><b>1</b><b>2</b></a>', item_depth=2, item_callback=lambda path, item: seen.append((list(path), item)) or True)
    assert seen == [([("a", {"k": "1"}), ("b", None)], "1"), ([("a", {"k": "1"}), ("b", None)], "2")]


@pytest.mark.parametrize("before", BEFORE)
def test_plain_after(before):
    before()
    assert parse("<a><b>1</b><c><d>2</d></c></a>") == {"a": {"b": "1", "c": {"d": "2"}}}


@pytest.mark.parametrize("before", BEFORE)
def test_paths_after(before):
    before()
    paths = []
    parse("<a><b>1</b></a>", postprocessor=lambda path, key, value: paths.append([name for name, _ in path]) or (key, value))
    assert paths == [["a", "b"], ["a"]]


def test_nested_parses():
    inner = []

    def callback(path, item):
        parse("<x><y>1</y></x>", item_depth=2, item_callback=lambda p, i: inner.append(len(p)) or True)
        inner.append(len(path))
        return True

    parse("<a><b>1</b><b>2</b></a>", item_depth=2, item_callback=callback)
    assert inner == [2, 2, 2, 2]


def test_given_path():
    seen = []
    given = [("root", None)]
    parse("<a><b>1</b></a>", postprocessor=lambda path, key, value: seen.append([name for name, _ in path]) or (key, value), path=given)
    assert seen[0] == ["root", "a", "b"]
    assert [name for name, _ in given] == ["root"]


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_depths(depth):
    seen = []
    parse("<a><b><c>1</c></b></a>", item_depth=depth, item_callback=lambda path, item: seen.append(len(path)) or True)
    assert seen == ([depth] if depth else [])
