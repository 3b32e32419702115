import pytest
import tabulate as T
from tabulate import tabulate

CELLS = [["a"], ["  b"], ["c  "], ["  d  "], ["\te"]]


def test_none_keeps():
    assert tabulate(CELLS, tablefmt="plain", stralign=None) == "a\n  b\nc\n  d\n\te"
    assert tabulate(CELLS, tablefmt="tsv", stralign=None).splitlines()[1] == "  b"


@pytest.mark.parametrize("many", [1, 2, 5])
def test_columns(many):
    assert tabulate([["  x"] * many], tablefmt="plain", stralign=None) == "  ".join(["  x"] * many)


@pytest.mark.parametrize(("alignment", "wanted"), [
    ("left", ["a", "b"]), ("right", [" a", " b"]), ("center", ["a", "b"]),
])
def test_aligned_cells_are_stripped(alignment, wanted):
    lines = tabulate([["a "], ["  b"]], tablefmt="plain", stralign=alignment).splitlines()
    assert [line.strip() for line in lines] == ["a", "b"]
    assert max(map(len, lines)) == 1


@pytest.mark.parametrize("alignment", ["left", "right", "center"])
def test_choice_of_padding(alignment):
    strings, _ = T._align_column_choose_padfn([" a ", "b"], alignment, False, False)
    assert strings == ["a", "b"]
    strings, _ = T._align_column_choose_padfn([" a ", "b"], alignment, False, True)
    assert strings == [" a ", "b"]


@pytest.mark.parametrize("preserve", [True, False])
def test_choice_without(preserve):
    strings, pad = T._align_column_choose_padfn([" a ", "b", "\tc"], None, False, preserve)
    assert strings == [" a ", "b", "\tc"]
    assert pad(10, " a ") == " a "


@pytest.mark.parametrize("strings", [["1.5", "10"], ["1.25", "3.5"], ["1e5", "2.0"], ["x", "1.5"]])
@pytest.mark.parametrize("invisible", [True, False])
def test_decimal(strings, invisible):
    made, pad = T._align_column_choose_padfn(strings, "decimal", invisible, False)
    digits = [T._afterpoint(s) for s in strings]
    assert made == [s + " " * (max(digits) - d) for s, d in zip(strings, digits)]
    assert pad(8, "x") == "       x"


def test_preserved():
    assert tabulate([["  a"], ["b"]], tablefmt="plain", preserve_whitespace=True) == "  a\nb"
    assert tabulate([["  a"], ["b"]], tablefmt="plain", preserve_whitespace=False) == "a\nb"
