import mistune
import pytest
from mistune.toc import add_toc_hook
from mistune.util import striptags

CASES = [
    ("a<!-- b -->c<!-- d -->e", "ace"), ("<!-- a -->b", "b"), ("b<!-- a -->", "b"), ("<!---->x<!---->", "x"), ("a<!-- b > c -->d", "ad"),
    ("a<!-- b > c\n > d -->e", "ae"), ("a<!--\n-->b<!--\n-->c", "abc"), ("<!-- a --> > <!-- b -->", " > "), ("<b>x</b>", "x"),
    ("<b>x</b><!-- y --><i>z</i>", "xz"), ("<!-- x --><b>y</b><!-- z -->", "y"), ("no tags", "no tags"), ("", ""), ("a < b", "a < b"),
    ("a --> b", "a --> b"), ("<!-- a -->b-->", "b-->"), ('<img src="x" alt="text">', "text"), ("<img alt='one'><!-- q --><img alt=\"two\">", "onetwo"),
    ("<!-- <b> -->x<!-- </b> -->", "x"), ("1<!-- a\n\nb -->2<!-- c -->3<!-- d > e -->4", "1234"), ("<a\nhref='x'>y</a>", "y"), ("<!-- a ->b<!-- c -->d", "d"),
    ("<!-- open", "<!-- open"), ("x<!-- a -- b -->y<!-- z -->w", "xyw"),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_striptags(text, wanted):
    assert striptags(text) == wanted


@pytest.mark.parametrize("many", range(1, 8))
def test_many(many):
    assert striptags("<!-- c -->x" * many) == "x" * many
    assert striptags("<!-- c\n > -->x" * many) == "x" * many


def test_headings():
    md = mistune.create_markdown(escape=False)
    add_toc_hook(md)
    _, state = md.parse("# One <!-- a --> two <!-- b --> three\n")
    assert state.env["toc_items"][0][2] == "One  two  three"
