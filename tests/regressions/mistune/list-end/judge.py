import mistune
import pytest

UL = "<ul>\n<li>a</li>\n</ul>\n"
OL = "<ol>\n<li>a</li>\n</ol>\n"
AFTER = [
    ("# h\n", "<h1>h</h1>\n"), ("### h\n", "<h3>h</h3>\n"), ("***\n", "<hr />\n"), ("___\n", "<hr />\n"), ("> q\n", "<blockquote>\n<p>q</p>\n</blockquote>\n"),
    ("```\nx\n```\n", "<pre><code>x\n</code></pre>\n"), ("~~~\nx\n~~~\n", "<pre><code>x\n</code></pre>\n"),
    ("# h\ntext\n", "<h1>h</h1>\n<p>text</p>\n"), ("# h\n\n- b\n", "<h1>h</h1>\n<ul>\n<li>b</li>\n</ul>\n"), ("# h\n## i\n", "<h1>h</h1>\n<h2>i</h2>\n"),
]


def html(text):
    return mistune.create_markdown(escape=False)(text)


@pytest.mark.parametrize(("after", "wanted"), AFTER)
@pytest.mark.parametrize(("before", "made"), [("- a\n", UL), ("* a\n", UL), ("1. a\n", OL), ("+ a\n", UL)])
def test_what_ends_a_list(before, made, after, wanted):
    assert html(before + after) == made + wanted
    assert html("first\n\n" + before + after) == "<p>first</p>\n" + made + wanted
    assert html(before + after + "\nlast\n").startswith(made + wanted.removesuffix("</p>\n"))


@pytest.mark.parametrize(("after", "wanted"), AFTER)
def test_longer_lists(after, wanted):
    made = "<ul>\n<li>a</li>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n"
    assert html("- a\n- b\n  - c\n" + after) == made + wanted


@pytest.mark.parametrize("after", [after for after, _ in AFTER])
def test_no_private_keys_left(after):
    def check(tokens):
        for token in tokens:
            assert not [key for key in token if key.startswith("_")]
            check(token.get("children", []))

    tokens = mistune.create_markdown(renderer=None)("- a\n" + after)
    assert tokens[0]["type"] == "list"
    check(tokens)


@pytest.mark.parametrize(("text", "wanted"), [
    ("- a\n", UL), ("- a\n\nb\n", UL + "<p>b</p>\n"), ("- a\n\n# h\n", UL + "<h1>h</h1>\n"), ("- a\n1. b\n", UL + "<ol>\n<li>b</li>\n</ol>\n"),
    ("# h\n- a\n", "<h1>h</h1>\n" + UL), ("- a\n\n  b\n", "<ul>\n<li><p>a</p>\n<p>b</p>\n</li>\n</ul>\n"),
])
def test_other_lists(text, wanted):
    assert html(text) == wanted
