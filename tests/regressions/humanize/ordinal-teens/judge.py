import pytest
from humanize import ordinal


def wanted(number):
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}" + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


@pytest.mark.parametrize("number", [*range(0, 30), 99, 100, 101, 102, 103, 104, 110, 111, 112, 113, 114, 121, 211, 212,
                                    213, 223, 1011, 1012, 1013, 1111, 10_012, 10**6 + 13, 10**9 + 1, 10**9 + 11])
def test_numbers(number):
    assert ordinal(number) == wanted(number)
    assert ordinal(str(number)) == wanted(number)
    assert ordinal(number, gender="female") == wanted(number)


@pytest.mark.parametrize("value", ["x", None, [1], ""])
def test_others(value):
    assert ordinal(value) == str(value)


@pytest.mark.parametrize(("value", "text"), [(float("nan"), "NaN"), (float("inf"), "+Inf"), (111.9, "111th")])
def test_floats(value, text):
    assert ordinal(value) == text
