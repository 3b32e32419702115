import itertools

import pytest
import tabulate as T
from tabulate import SEPARATING_LINE, tabulate

SHAPES = ["r", "rr", "rsr", "srr", "rrs", "rsrsr", "rssr", "srsrs", "rrsrrsr", "ssrr", "rsssr", "rrrs", "rsrrsrrrs", "s r s".replace(" ", "")]


def table(shape):
    numbers = itertools.count(1)
    return [SEPARATING_LINE if kind == "s" else [next(numbers), "x"] for kind in shape]


@pytest.mark.parametrize("shape", SHAPES)
def test_simple(shape):
    lines = tabulate(table(shape), tablefmt="simple").splitlines()[1:-1]
    assert "".join("s" if line.startswith("-") else "r" for line in lines) == shape
    assert [int(line.split()[0]) for line in lines if not line.startswith("-")] == list(range(1, shape.count("r") + 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_with_headers(shape):
    lines = tabulate(table(shape), headers=["n", "t"], tablefmt="simple").splitlines()[2:]
    assert "".join("s" if line.startswith("-") else "r" for line in lines) == shape


@pytest.mark.parametrize("shape", [shape for shape in SHAPES])
def test_with_index(shape):
    lines = tabulate(table(shape), showindex=range(100, 100 + len(shape)), tablefmt="simple").splitlines()[1:-1]
    assert "".join("s" if line.strip().startswith("-") else "r" for line in lines) == shape
    assert [int(line.split()[0]) for line in lines if not line.strip().startswith("-")] == list(range(100, 100 + shape.count("r")))


@pytest.mark.parametrize("shape", SHAPES)
def test_round_trip(shape):
    rows, places = T._remove_separating_lines(table(shape))
    assert rows == [[n, "x"] for n in range(1, shape.count("r") + 1)]
    T._reinsert_separating_lines(rows, places)
    assert rows == table(shape)


def test_others():
    assert T._remove_separating_lines(((1,), (2,))) == (((1,), (2,)), None)
