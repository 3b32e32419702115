import math

import pytest
from humanize import clamp, intword

CASES = [
    (dict(value=-5, floor=0), "<0"),
    (dict(value=-0.001, floor=0.0), "<0.0"),
    (dict(value=5, ceil=0), ">0"),
    (dict(value=5, ceil=0.0), ">0.0"),
    (dict(value=0, floor=0), "0"),
    (dict(value=0, ceil=0), "0"),
    (dict(value=0, floor=0, ceil=0), "0"),
    (dict(value=1, floor=0, ceil=0), ">0"),
    (dict(value=-1, floor=0, ceil=0), "<0"),
    (dict(value=3, floor=0), "3"),
    (dict(value=-3, ceil=0), "-3"),
    (dict(value=-3, floor=0, ceil=10), "<0"),
    (dict(value=13, floor=0, ceil=10), ">10"),
    (dict(value=-13, floor=-10, ceil=0), "<-10"),
    (dict(value=1, floor=-10, ceil=0), ">0"),
    (dict(value=-13, floor=-10), "<-10"),
    (dict(value=0.0001, floor=0.01), "<0.01"),
    (dict(value=0.05, floor=0.01), "0.05"),
    (dict(value=123.456), "123.456"),
    (dict(value=-123.456), "-123.456"),
    (dict(value=0), "0"),
    (dict(value=-1, floor=0, floor_token="under "), "under 0"),
    (dict(value=1, ceil=0, ceil_token="over "), "over 0"),
    (dict(value=-0.5, floor=0, format="{:.0%}"), "<0%"),
    (dict(value=0.5, ceil=0, format="{:.1f}"), ">0.0"),
    (dict(value=-1, floor=0, format=intword), "<0"),
    (dict(value=1, floor=1e6, format=intword, floor_token="under "), "under 1.0 million"),
    (dict(value=0.999, ceil=0.99, format="{:.0%}"), ">99%"),
    (dict(value=None), None),
    (dict(value=None, floor=0), None),
    (dict(value=math.nan, floor=0), "NaN"),
    (dict(value=math.inf, ceil=0), "+Inf"),
    (dict(value=-math.inf, floor=0), "-Inf"),
]


@pytest.mark.parametrize(("said", "wanted"), CASES)
def test_clamp(said, wanted):
    assert clamp(**said) == wanted


@pytest.mark.parametrize("value", [-2, 0, 2])
def test_bad_format(value):
    with pytest.raises(ValueError):
        clamp(value, format=5, floor=0)
