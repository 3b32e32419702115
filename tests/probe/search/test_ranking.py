"""Of the patches that work the likeliest is shown first."""

from __future__ import annotations

from clew.probe.search.context import Context
from clew.probe.search.frontier import Frontier, spots
from clew.probe.search.ranking import Survivor, best
from clew.probe.search.source import Patch, Source, Splice


def survivor(family: str, text: str, *, start: int = 10, reds: tuple[str, ...] = ()) -> Survivor:
    changes = (Splice(start, start + 1, text),)
    patch = Patch("a.py", 1, family, 0.9 if family == "constant" else 0.5, f"by `{text}`", changes)
    return Survivor(patch, ("t",), reds, 1.0, text)


def shown(*survivors: Survivor) -> list[str]:
    return [each.patch.changes[0].text for each in best([*survivors], 1, 9)]


def test_a_variable_stands_before_a_number_that_passes_in_its_place() -> None:
    """The tests gave it that value: others will give it another."""
    two, size = survivor("constant", "2"), survivor("named number", "size")
    assert ["size", "2"] == shown(two, size) == shown(size, two)


def test_numbers_of_other_places_stay_where_they_were() -> None:
    """A variable that is complete says nothing of them."""
    two, size = survivor("constant", "2", start=30), survivor("named number", "size")
    assert ["2", "size"] == shown(two, size)


def test_a_variable_that_mends_less_moves_nothing() -> None:
    """The number does."""
    two = survivor("constant", "2")._replace(greens=("t", "other"))
    assert ["2", "size"] == shown(two, survivor("named number", "size", reds=("other",)))


def test_a_variable_stands_before_a_number_where_several_patches_are_joined_too() -> None:
    """Whatever was joined first: the other parts are the same."""
    two, size = survivor("constant", "2").patch, survivor("named number", "size").patch
    beside = survivor("operator", "<", start=50).patch

    def joined(*parts: Patch, natural: float) -> Survivor:
        whole = Patch("a.py", 1, "joined", 0.5, "", (), parts)
        return Survivor(whole, ("t", "other"), (), 1.0, parts, natural)

    number = joined(two, beside, natural=0.9)
    named = joined(beside, size, natural=0.1)
    assert [named, number] == best([number, named], 2, 9)


def test_of_repairs_that_let_a_module_load_the_one_with_fewer_red_tests_is_first() -> None:
    """Its tests could not run before: what is red with one repair alone speaks against it."""
    plain = survivor("syntax fixer", "a", reds=("new", "other"))
    right = survivor("expression", "b", reds=("other",))
    assert ["b", "a"] == shown(plain, right)


def test_an_odd_edit_that_another_makes_up_for_stands_behind_whatever_is_one() -> None:
    """Even where it is short and likely, and the other one is neither."""
    pair = survivor("makeshift", "n")
    for family in ("early return", "variable wrapped", "two edits", "wrap", "constant"):
        one = survivor(family, "a longer text, of twenty characters or more")
        assert [one.patch.changes[0].text, "n"] == shown(pair, one)


def test_the_variables_that_a_number_may_stand_for_are_taken_at_once() -> None:
    """They do not come again in their turn."""
    source = Source(
        "a.py", "def f(queue, size):\n    start = 1\n    start += 5\n    return start\n"
    )
    frontier = Frontier({"a.py": Context(source)}, spots(source, {3: 1.0}))
    number = Patch("a.py", 3, "constant", 1.0, "", ())

    named = frontier.of_family("named number", number)

    assert "size" in {change.text for patch in named for change in patch.changes}
    assert {"named number"} == {patch.family for patch in named}
    assert not set(named) & set(frontier.take(10_000))
    assert not frontier.of_family("named number", number)


def test_a_plain_change_that_behaves_like_older_code_stands_for_it() -> None:
    """It takes less of what came since away. An odd one, or one hardly compared, does not."""
    long = Patch("a.py", 1, "history", 2.0, "put back", (Splice(10, 210, "old()"),))
    older = Survivor(long, ("t",), (), 1.0, "key", 0.6, 40)
    short = survivor("other end", "0")._replace(key="key", natural=1.0, inputs=40)
    others = [
        short._replace(inputs=3),
        short._replace(reds=("u",)),
        short._replace(against="it raises"),
        short._replace(patch=short.patch._replace(family="guard")),
        short._replace(patch=short.patch._replace(changes=(Splice(10, 90, "0"),))),
    ]

    assert [[short]] + [[older]] * 5 == [best([older, each], 1, 9) for each in (short, *others)]
