from decimal import Decimal
from fractions import Fraction

import pytest
from xmltodict import unparse

VALUES = [
    (True, "true"), (False, "false"), (1, "1"), (0, "0"), (-5, "-5"), (1.5, "1.5"), (1e30, "1e+30"), ("True", "True"), ("", ""),
    (b"x", "x"), (bytearray(b"y"), "y"), (memoryview(b"z"), "z"), (Decimal("1.10"), "1.10"), (Fraction(1, 2), "1/2"), (10**25, "1" + "0" * 25),
]
SHAPES = [
    (lambda v: {"a": v}, "<a>{}</a>"), (lambda v: {"a": {"b": v}}, "<a><b>{}</b></a>"), (lambda v: {"a": {"@k": v}}, '<a k="{}"></a>'),
    (lambda v: {"a": {"#text": v}}, "<a>{}</a>"), (lambda v: {"a": {"b": [v, v]}}, "<a><b>{0}</b><b>{0}</b></a>"),
]


@pytest.mark.parametrize(("value", "text"), VALUES)
@pytest.mark.parametrize(("make", "wanted"), SHAPES)
def test_values(value, text, make, wanted):
    assert unparse(make(value), full_document=False) == wanted.format(text)


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (False, "false"), (1, "1")])
def test_comment(value, text):
    assert unparse({"a": {"#comment": value}}, full_document=False) == f"<a><!--{text}--></a>"


def test_subclasses():
    class Number(int):
        def __str__(self):
            return "mine"

    class Other:
        def __str__(self):
            return "other"

    assert unparse({"a": Number(1)}, full_document=False) == "<a>mine</a>"
    assert unparse({"a": Other()}, full_document=False) == "<a>other</a>"
