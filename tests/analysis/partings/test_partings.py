"""Two runs of a program part where one function gives another value, or goes another way."""

from __future__ import annotations

from msgspec.structs import replace

from clew.analysis.partings import FollowedCall, by_value, by_way, same_ways


def call(
    number: int, function: str, x: str, gave: str = "", steps: tuple[int, ...] = ()
) -> FollowedCall:
    return FollowedCall(
        number=number,
        path="shop/total.py",
        function=function,
        line=1,
        given={"x": x},
        gave=gave,
        steps=steps,
    )


def test_values_part_in_the_innermost_function_that_gives_another() -> None:
    """It ends before those that called it, which give another value because of it."""
    works = [call(3, "cents", "2", "3"), call(2, "sum", "1", "4"), call(1, "total", "0", "5")]
    fails = [call(3, "cents", "2", "3"), call(2, "sum", "1", "6"), call(1, "total", "0", "7")]
    parting = by_value(works, fails)
    assert parting
    assert ("sum", "gave 4", "gave 6") == (
        parting.fails.function,
        parting.works.outcome,
        parting.fails.outcome,
    )


def test_what_is_given_other_values_is_not_compared() -> None:
    """And an exception is an outcome as well."""
    assert by_value([call(1, "cents", "1", "1")], [call(1, "cents", "2", "2")]) is None
    raising = replace(call(1, "cents", "1"), raised="ValueError: ('no',)")
    parting = by_value([call(1, "cents", "1", "1")], [raising])
    assert parting
    assert "raised ValueError: ('no',)" == parting.fails.outcome


def test_a_function_called_twice_alike_is_compared_in_turn() -> None:
    """The second call gives another value, though it was given the same."""
    works = [call(1, "next", "0", "1"), call(2, "next", "0", "2")]
    fails = [call(1, "next", "0", "1"), call(2, "next", "0", "1")]
    parting = by_value(works, fails)
    assert parting
    assert ("gave 2", "gave 1") == (parting.works.outcome, parting.fails.outcome)


def test_ways_part_after_the_last_line_that_both_run() -> None:
    """In the outermost call that goes another way, since it begins first."""
    works = [call(2, "cents", "2", steps=(5,)), call(1, "total", "1", steps=(1, 2, 4))]
    fails = [call(2, "cents", "2", steps=(6,)), call(1, "total", "1", steps=(1, 2, 3))]
    ways = by_way(works, fails)
    assert ways
    assert ("total", 2, 4, 3) == (ways.fails.function, ways.line, ways.works_to, ways.fails_to)


def test_one_that_returns_early_goes_nowhere() -> None:
    ways = by_way([call(1, "total", "1", steps=(1, 2))], [call(1, "total", "2", steps=(1,))])
    assert ways
    assert (1, 2, 0) == (ways.line, ways.works_to, ways.fails_to)


def test_the_same_lines_are_the_same_way() -> None:
    """Whatever the values are; and where other functions are called nothing is said of lines."""
    works, fails = [call(1, "total", "1", "1", (1, 2))], [call(1, "total", "2", "3", (1, 2))]
    assert by_way(works, fails) is None
    assert same_ways(works, fails)
    other = [call(1, "cents", "1", steps=(7,))]
    assert by_way(works, other) is None
    assert not same_ways(works, other)
