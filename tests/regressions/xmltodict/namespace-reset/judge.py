import pytest
from xmltodict import parse

X, Y = "http://x.org/", "http://y.org/"
CASES = [
    (f'<a xmlns="{X}"/>', {"x:a": {"@xmlns": {"": X}}}),
    (f'<a xmlns="{X}"><b/></a>', {"x:a": {"@xmlns": {"": X}, "x:b": None}}),
    (f'<a xmlns="{X}"><b>1</b><b>2</b></a>', {"x:a": {"@xmlns": {"": X}, "x:b": ["1", "2"]}}),
    (f'<a xmlns="{X}"><b q="1">t</b></a>', {"x:a": {"@xmlns": {"": X}, "x:b": {"@q": "1", "#text": "t"}}}),
    (f'<p:a xmlns:p="{X}"><b/></p:a>', {"x:a": {"@xmlns": {"p": X}, "b": None}}),
    (f'<p:a xmlns:p="{X}" xmlns:q="{Y}"><q:b/><p:c/></p:a>',
     {"x:a": {"@xmlns": {"p": X, "q": Y}, "y:b": None, "x:c": None}}),
    (f'<a xmlns="{X}"><b xmlns="{Y}"><c/></b><d/></a>',
     {"x:a": {"@xmlns": {"": X}, "y:b": {"@xmlns": {"": Y}, "y:c": None}, "x:d": None}}),
    (f'<a><b xmlns="{X}"/><c/></a>', {"a": {"x:b": {"@xmlns": {"": X}}, "c": None}}),
    (f'<a><b xmlns="{X}">1</b><b xmlns="{X}">2</b></a>',
     {"a": {"x:b": [{"@xmlns": {"": X}, "#text": "1"}, {"@xmlns": {"": X}, "#text": "2"}]}}),
    (f'<a><b xmlns:p="{X}" p:k="1"/><c k="2"/></a>', {"a": {"b": {"@xmlns": {"p": X}, "@x:k": "1"}, "c": {"@k": "2"}}}),
    ("<a><b/><c>1</c></a>", {"a": {"b": None, "c": "1"}}),
    ('<a k="1"><b/></a>', {"a": {"@k": "1", "b": None}}),
]


@pytest.mark.parametrize(("xml", "wanted"), CASES)
def test_parse(xml, wanted):
    assert parse(xml, process_namespaces=True, namespaces={X: "x", Y: "y"}) == wanted


@pytest.mark.parametrize(("xml", "wanted"), CASES)
def test_postprocessor_sees_them_once(xml, wanted):
    seen = []

    def note(path, key, value):
        if key == "@xmlns":
            seen.append(value)
        return key, value

    assert parse(xml, process_namespaces=True, namespaces={X: "x", Y: "y"}, postprocessor=note) == wanted
    assert len(seen) == xml.count("<a xmlns") + xml.count("<b xmlns") + xml.count("<p:a xmlns")


def test_without_attributes():
    assert parse(f'<a xmlns="{X}" k="1"><b/></a>', process_namespaces=True, xml_attribs=False) == {X + ":a": {X + ":b": None}}


def test_not_processed():
    assert parse(f'<a xmlns="{X}"><b/></a>') == {"a": {"@xmlns": X, "b": None}}


def test_streamed():
    paths = []
    parse(f'<a xmlns="{X}"><b/><b k="1"/></a>', process_namespaces=True, namespaces={X: None}, item_depth=2,
          item_callback=lambda path, item: paths.append(list(path)) or True)
    assert paths == [[("a", {"xmlns": {"": X}}), ("b", None)], [("a", {"xmlns": {"": X}}), ("b", {"k": "1"})]]
