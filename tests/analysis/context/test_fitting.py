"""Files in a room: nothing exceeds it, nothing is lost without a word."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.context import ContextFile, Form, counter, fit

COUNTER = counter("estimate")
TEXTS = st.lists(st.text("ab é", max_size=12), max_size=60).map("\n".join)


@st.composite
def sources(draw: st.DrawFn) -> list[ContextFile]:
    distances = draw(st.lists(st.integers(0, 2), max_size=12))
    return [
        ContextFile(
            path=f"a{n}.py",
            distance=distance,
            text=draw(TEXTS),
            skeleton=draw(st.none() | TEXTS),
            focus=draw(TEXTS) if not distance else "",
        )
        for n, distance in enumerate(distances)
    ]


ROOMS = st.integers(0, 600)
FRAMES = st.integers(0, 9)


@settings(max_examples=40, deadline=None)
@given(sources(), ROOMS, FRAMES)
def test_no_room_is_exceeded(files: list[ContextFile], room: int, frame: int) -> None:
    """Whatever the files: what is shown, with what stands around it, fits."""
    fitted = fit(files, room, COUNTER, frame)

    assert sum(COUNTER.count(file.text) + frame for file in fitted.files) == fitted.used <= room


@settings(max_examples=40, deadline=None)
@given(sources(), ROOMS, FRAMES)
def test_what_was_admitted_at_distance_0_is_never_cut(
    files: list[ContextFile], room: int, frame: int
) -> None:
    """It is whole; what was not admitted is said to be refused, and is no cut."""
    fitted = fit(files, room, COUNTER, frame)
    texts = {file.path: file.text for file in files}
    refused = {each.file for each in fitted.refused}

    for file in fitted.files:
        if not file.distance and file.path not in refused:
            assert (texts[file.path], Form.FULL) == (file.text, file.form)
    assert {p.path for p in files if not p.distance and p.text.strip()} == refused | {
        file.path for file in fitted.files if not file.distance
    }
    assert not {cut.file for cut in fitted.cuts if not cut.original_tier}


@settings(max_examples=40, deadline=None)
@given(sources(), ROOMS, FRAMES)
def test_every_token_that_is_missing_is_accounted_for(
    files: list[ContextFile], room: int, frame: int
) -> None:
    """What all files would take is what is shown, what cuts save, and what refused ones lack."""
    fitted = fit(files, room, COUNTER, frame)
    lacking = sum(each.tokens - each.shown for each in fitted.refused)

    assert fitted.wanted == fitted.used + sum(c.tokens_saved for c in fitted.cuts) + lacking
    assert all(cut.tokens_saved > 0 and cut.reason for cut in fitted.cuts)


@settings(max_examples=40, deadline=None)
@given(sources(), ROOMS)
def test_the_same_files_fit_in_the_same_way(files: list[ContextFile], room: int) -> None:
    """Nothing depends on chance, nor on the order in which files of distance 1 and 2 come."""
    first = fit(files, room, COUNTER)
    near = [file for file in files if not file.distance]
    again = fit([*near, *reversed([f for f in files if f.distance])], room, COUNTER)

    assert first == fit(files, room, COUNTER)
    assert set(first.cuts) == set(again.cuts)
    assert set(first.files) == set(again.files)


def file(path: str, distance: int, lines: int, skeleton: int | None = 1) -> ContextFile:
    """Ten tokens a line."""
    line = "x" * 29 + "\n"
    return ContextFile(
        path=path,
        distance=distance,
        text=line * lines,
        skeleton=None if skeleton is None else line * skeleton,
    )


FILES = [
    file("suspect.py", 0, 3),
    file("big.py", 1, 20, 4),
    file("small.py", 1, 10, 4),
    file("far.py", 2, 50, 3),
    file("further.py", 2, 50, 2),
]


def forms(room: int) -> dict[str, str]:
    return {each.path: each.form.value for each in fit(FILES, room, COUNTER).files}


def test_files_give_way_in_a_fixed_order() -> None:
    """Far skeletons go, the largest first; near files become skeletons, the largest first."""
    whole = {"suspect.py": "full", "big.py": "full", "small.py": "full"}
    lowered = whole | {"big.py": "skeleton"}

    assert whole | {"far.py": "skeleton", "further.py": "skeleton"} == forms(380)
    assert whole | {"further.py": "skeleton"} == forms(379)
    assert whole == forms(340)
    assert lowered == forms(329)
    assert lowered | {"small.py": "skeleton"} == forms(129)
    assert {"suspect.py": "full", "small.py": "truncated"} != forms(109) != forms(169)
    assert {"suspect.py": "full"} == forms(40)


def test_a_cut_that_became_needless_is_taken_back() -> None:
    """Halving a large skeleton leaves room: a near file is whole again before a far one is."""
    files = [file("core.py", 1, 90, 80), file("near.py", 1, 30, 2), file("far.py", 2, 9, 9)]
    fitted = fit(files, 750, COUNTER)

    assert [("core.py", "truncated"), ("near.py", "full")] == [
        (each.path, each.form.value) for each in fitted.files
    ]
    assert {"core.py", "far.py"} == {cut.file for cut in fitted.cuts}


def test_a_long_file_is_a_skeleton_from_the_start() -> None:
    """Above 2,000 lines, at distance 1 alone; that is no cut."""
    fitted = fit([file("near.py", 1, 2001, 9), file("named.py", 0, 2001)], 10**6, COUNTER)

    assert {"near.py": "skeleton", "named.py": "full"} == {
        each.path: each.form.value for each in fitted.files
    }
    assert () == fitted.cuts


def test_a_file_without_a_grammar_is_never_a_skeleton() -> None:
    """It is shown whole, or halved."""
    fitted = fit([file("data.txt", 1, 40, None)], 220, COUNTER)

    assert [Form.TRUNCATED] == [each.form for each in fitted.files]
    assert fitted.files[0].text.endswith("[Truncated: data.txt: 21 lines omitted]")


def test_a_named_file_that_does_not_fit_is_shown_in_part() -> None:
    """The parts that the failure names stand for it, and the account says how much they are."""
    long = file("named.py", 0, 100)
    fitted = fit(
        [ContextFile(path="named.py", distance=0, text=long.text, focus="def f():")], 99, COUNTER
    )

    assert [("named.py", "def f():", Form.TRUNCATED)] == [
        (each.path, each.text, each.form) for each in fitted.files
    ]
    assert [(1000, 3)] == [(each.tokens, each.shown) for each in fitted.refused]
