import pytest
from xmltodict import parse

URIS = ["http://x.org/", "http://x.org:8080/a:b", "urn:isbn:123", "x", "https://a/b#c", "tag:a,2020:b/c"]


@pytest.mark.parametrize("uri", URIS)
@pytest.mark.parametrize("separator", [":", "|", "#"])
def test_processed(uri, separator):
    xml = f'<p:a xmlns:p="{uri}" p:k="1"><p:b>2</p:b><p:b>3</p:b><c/></p:a>'
    made = parse(xml, process_namespaces=True, strip_namespaces=True, namespace_separator=separator)
    assert made == {"a": {"@k": "1", "b": ["2", "3"], "c": None}}


@pytest.mark.parametrize("uri", URIS)
def test_default_namespace(uri):
    xml = f'<a xmlns="{uri}"><b>2</b><c k="1"/></a>'
    assert parse(xml, process_namespaces=True, strip_namespaces=True) == {"a": {"b": "2", "c": {"@k": "1"}}}


def test_prefixes_only():
    made = parse("<p:a xmlns:p='u' p:k='1'><p:b>2</p:b><q>3</q></p:a>", strip_namespaces=True)
    assert made["a"]["b"] == "2"
    assert made["a"]["q"] == "3"
    assert made["a"]["@k"] == "1"


def test_none():
    assert parse("<a k='1'><b>2</b></a>", strip_namespaces=True) == {"a": {"@k": "1", "b": "2"}}
    assert parse("<a k='1'><b>2</b></a>", strip_namespaces=True, process_namespaces=True) == {"a": {"@k": "1", "b": "2"}}


@pytest.mark.parametrize("uri", URIS)
def test_switched_off(uri):
    xml = f'<p:a xmlns:p="{uri}"><p:b>2</p:b></p:a>'
    assert parse(xml, process_namespaces=True) == {f"{uri}:a": {"@xmlns": {"p": uri}, f"{uri}:b": "2"}}
    assert parse(xml, process_namespaces=True, namespaces={uri: "n"}) == {"n:a": {"@xmlns": {"p": uri}, "n:b": "2"}}
    assert parse(xml) == {"p:a": {"@xmlns:p": uri, "p:b": "2"}}


def test_two_namespaces():
    xml = '<a xmlns="http://x.org/" xmlns:q="urn:q:r"><q:b/><b/></a>'
    assert parse(xml, process_namespaces=True, strip_namespaces=True) == {"a": {"b": [None, None]}}
