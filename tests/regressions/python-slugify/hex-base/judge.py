from functools import partial

import pytest
from slugify import slugify as public

slugify = partial(public, algorithm="modern")
CASES = [
    ("&#x41;bc", "abc"), ("&#X41;bc", "abc"), ("&#x6f;ne", "one"), ("&#x6F;ne", "one"), ("&#65;bc", "abc"),
    ("&#381;", "z"), ("&#x17D;", "z"), ("&#x17d;ebra", "zebra"), ("x &#x61; &#98; y", "x-a-b-y"), ("&#x31;&#50;", "12"),
    ("&#x0041;", "a"), ("&amp;&#x62;", "b"), ("&#x10;x", "x"), ("&#x99999999;", "x99999999"), ("&#xD800;", "xd800"),
    ("&#55296;", "55296"), ("&#x7a;&#x7A;", "zz"), ("&#122;&#x79;", "zy"), ("a&#x2d;b", "a-b"), ("&#x;", "x"), ("&#xg1;", "xg1"),
    ("&eacute;&#x65;", "ee"),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_references(text, wanted):
    assert slugify(text) == wanted


@pytest.mark.parametrize("code", [0x30, 0x39, 0x41, 0x4A, 0x5A, 0x61, 0x6B, 0x7A])
def test_both_ways(code):
    letter = chr(code).lower()
    assert slugify(f"&#x{code:x};") == letter
    assert slugify(f"&#X{code:X};") == letter
    assert slugify(f"&#{code};") == letter
    assert slugify(f"&#x{code:06x};") == letter


@pytest.mark.parametrize(("options", "wanted"), [
    (dict(decimal=False), "65-b"), (dict(hexadecimal=False), "a-x62"), (dict(decimal=False, hexadecimal=False), "65-x62"), ({}, "a-b"),
])
def test_switches(options, wanted):
    assert slugify("&#65; &#x62;", **options) == wanted


def test_unicode():
    assert slugify("&#x5f71;&#24072;", allow_unicode=True) == "\u5f71\u5e08"
