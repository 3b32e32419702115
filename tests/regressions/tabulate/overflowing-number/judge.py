from decimal import Decimal
from fractions import Fraction

import pytest
import tabulate as T
from tabulate import tabulate

NUMBERS = ["1", "-1", "1.5", "1e5", "1E5", "-1e-5", "1e308", "1e-400", "0", "inf", "-inf", "nan", "Inf", "NaN", "-INF", 1, 1.5, 10**30,
           float("inf"), float("nan"), Decimal("1.1"), Fraction(1, 3), True, b"1.5", " 1 "]
TEXTS = ["12e3456", "7e9999", "-7e9999", "1e309", "-1e309", "9E99999", "infinity", "-infinity", "+inf", "+nan", "-nan", "x", "", "1e", "e5", "1.2.3", None, b"x",
         b"1e999", [], {}]


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers(value):
    assert T._isnumber(value) is True


@pytest.mark.parametrize("value", TEXTS)
def test_texts(value):
    assert T._isnumber(value) is False


@pytest.mark.parametrize("text", ["12e3456", "-7e9999", "1e309", "infinity", "+inf"])
def test_printed_as_it_is(text):
    assert tabulate([[text]], tablefmt="plain") == text
    assert tabulate([[text], ["ab"]], tablefmt="plain") == f"{text}\nab"
    assert tabulate([[text, 1.5]], tablefmt="tsv").split("\t")[0].strip() == text


@pytest.mark.parametrize(("rows", "wanted"), [
    ([["1.5"], ["10"]], " 1.5\n10"), ([["1e3"]], "1000"), ([[1], [22]], " 1\n22"), ([["inf"], ["1.5"]], "inf\n  1.5"),
])
def test_printed(rows, wanted):
    assert tabulate(rows, tablefmt="plain") == wanted
