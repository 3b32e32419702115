import pytest
from xmltodict import unparse

WORD = "\u00e9t\u00e9"
SHAPES = [
    (lambda b: {"a": b}, "<a>{}</a>"),
    (lambda b: {"a": {"b": b}}, "<a><b>{}</b></a>"),
    (lambda b: {"a": {"b": [b, b]}}, "<a><b>{0}</b><b>{0}</b></a>"),
    (lambda b: {"a": {"b": {"c": b}}}, "<a><b><c>{}</c></b></a>"),
    (lambda b: {"a": {"b": {"@k": b}}}, '<a><b k="{}"></b></a>'),
    (lambda b: {"a": {"b": {"#text": b}}}, "<a><b>{}</b></a>"),
    (lambda b: {"a": {"b": {"c": {"d": {"#text": b, "@k": b}}}}}, '<a><b><c><d k="{0}">{0}</d></c></b></a>'),
    (lambda b: {"a": {"#comment": b}}, "<a><!--{}--></a>"),
]


@pytest.mark.parametrize(("make", "wanted"), SHAPES)
@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_encoding(make, wanted, encoding, kind):
    made = unparse(make(kind(WORD.encode(encoding))), encoding=encoding, full_document=False)
    assert made == wanted.format(WORD)


@pytest.mark.parametrize(("make", "wanted"), SHAPES)
@pytest.mark.parametrize(("errors", "text"), [("replace", "x\ufffd"), ("ignore", "x"), ("backslashreplace", "x\\xff")])
def test_errors(make, wanted, errors, text):
    assert unparse(make(b"x\xff"), bytes_errors=errors, full_document=False) == wanted.format(text)


@pytest.mark.parametrize(("make", "wanted"), SHAPES)
def test_strict(make, wanted):
    with pytest.raises(UnicodeDecodeError):
        unparse(make(b"x\xff"), bytes_errors="strict", full_document=False)


def test_other_options_reach_the_children():
    data = {"a": {"b": {"!k": "1", "$": "t", "c": ["x", None]}}}
    assert unparse(data, attr_prefix="!", cdata_key="$", full_document=False) == '<a><b k="1"><c>x</c><c></c>t</b></a>'
    assert unparse({"a": {"b": {"c": 1}}}, pretty=True, indent=2, newl="|", full_document=False) == "<a>|  <b>|    <c>1</c>|  </b>|</a>"
    assert unparse({"a": {"b": [[1, 2]]}}, expand_iter="i", full_document=False) == "<a><b><i>1</i><i>2</i></b></a>"
    assert unparse({"a": {"b": {"note": "n"}}}, comment_key="note", full_document=False) == "<a><b><!--n--></b></a>"
    assert unparse({"a": {"u:b": 1}}, namespaces={"u": "v"}, full_document=False) == "<a><v:b>1</v:b></a>"
    assert unparse({"a": {"u|b": 1}}, namespaces={"u": "v"}, namespace_separator="|", full_document=False) == "<a><v|b>1</v|b></a>"
    assert unparse({"a": {"b": 1}}, preprocessor=lambda k, v: (k.upper(), v), full_document=False) == "<A><B>1</B></A>"
