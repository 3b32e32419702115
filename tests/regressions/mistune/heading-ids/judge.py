import re

import mistune
import pytest
from mistune.directives import FencedDirective, RSTDirective, TableOfContents
from mistune.toc import add_toc_hook


class Slugs(TableOfContents):
    def generate_heading_id(self, token, index):
        return token["text"].lower()


CASES = [
    (["One", "One"], ["one", "one_1"]),
    (["One", "One", "One"], ["one", "one_1", "one_2"]),
    (["One", "Two", "One", "Two"], ["one", "two", "one_1", "two_1"]),
    (["One", "Two", "Three"], ["one", "two", "three"]),
    (["one_1", "one", "one"], ["one_1", "one", "one_2"]),
    (["one", "one", "one_1"], ["one", "one_1", "one_1_1"]),
    (["x"], ["x"]),
    (["a"] * 6, ["a", "a_1", "a_2", "a_3", "a_4", "a_5"]),
    (["A", "a", "A"], ["a", "a_1", "a_2"]),
]


def ids(html):
    return re.findall(r'<h\d id="([^"]*)"', html)


@pytest.mark.parametrize(("headings", "wanted"), CASES)
@pytest.mark.parametrize(("directive", "toc"), [(RSTDirective, ".. toc::\n"), (FencedDirective, "```{toc}\n```\n")])
def test_ids(headings, wanted, directive, toc):
    md = mistune.create_markdown(escape=False, plugins=[directive([Slugs()])])
    html = md(toc + "\n" + "\n\n".join("# " + text for text in headings) + "\n")
    assert ids(html) == wanted
    assert re.findall(r'href="#([^"]*)"', html) == wanted


@pytest.mark.parametrize(("headings", "wanted"), CASES)
def test_each_text_on_its_own(headings, wanted):
    md = mistune.create_markdown(escape=False, plugins=[RSTDirective([Slugs()])])
    text = ".. toc::\n\n" + "\n\n".join("# " + heading for heading in headings) + "\n"
    assert ids(md(text)) == ids(md(text)) == wanted


def test_taken_in_the_source():
    md = mistune.create_markdown(escape=False, plugins=[RSTDirective([Slugs()])])
    html = md('.. toc::\n\n<p id="one"></p>\n\n# One\n\n# One\n')
    assert ids(html) == ["one_1", "one_2"]


@pytest.mark.parametrize("many", [1, 2, 5])
def test_numbered(many):
    md = mistune.create_markdown(plugins=[RSTDirective([TableOfContents()])])
    html = md(".. toc::\n\n" + "# Same\n\n" * many)
    assert ids(html) == [f"toc_{n}" for n in range(1, many + 1)]


@pytest.mark.parametrize("many", [1, 2, 5])
def test_hook(many):
    md = mistune.create_markdown()
    add_toc_hook(md)
    html, state = md.parse("# Same\n\n" * many)
    assert ids(html) == [f"toc_{n}" for n in range(1, many + 1)]
    assert [item[1] for item in state.env["toc_items"]] == ids(html)


def test_hook_with_ids_of_the_caller():
    md = mistune.create_markdown()
    add_toc_hook(md, heading_id=lambda token, index: "same")
    assert ids(md("# One\n\n# Two\n")) == ["same", "same"]
