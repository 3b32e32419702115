import pytest
from tabulate import elide_rows, tabulate


@pytest.mark.parametrize("many", [0, 1, 2, 3, 5, 8, 20])
@pytest.mark.parametrize("most", [0, 1, 2, 3, 4, 7])
def test_kept(many, most):
    rows = [[n, str(n)] for n in range(many)]
    made = elide_rows(rows, most)
    if many <= most:
        assert made == rows
        return
    last = most // 2
    first = most - last
    assert made == [[n, str(n)] for n in range(first)] + [["...", "..."]] + [[n, str(n)] for n in range(many - last, many)]
    assert elide_rows(iter(rows), most) == made
    assert rows == [[n, str(n)] for n in range(many)]


@pytest.mark.parametrize("most", [-1, -5])
def test_negative(most):
    with pytest.raises(ValueError):
        elide_rows([[1]], most)


def test_marker_and_widths():
    assert elide_rows([[1], [2, 3], [4]], 1, marker="~") == [[1], ["~", "~"]]
    assert elide_rows([[1], [2, 3], [4]], 0, marker="~") == [["~", "~"]]


def test_printed():
    assert tabulate(elide_rows([[n] for n in range(5)], 1), tablefmt="plain") == "0\n..."
