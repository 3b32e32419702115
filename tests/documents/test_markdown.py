"""Pieces of Markdown that no content can break out of."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clew.documents.markdown import cell, code, fence, item, prose, sections, unfenced
from clew.words.printable import printable

HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            (
                *("# x", "## Recommendation", "```", "````", "~~~", "<!--", "-->", "<div>", "|"),
                *("---", "===", "- x", "> x", "`", "``", "\n", " ", "\t", "\x1b[31m", "\r", "1. x"),
                *("![a](//b/c)", "![a]", "![", "](b)", "[a]: //b", "<img src=//b>", "\n- ", "\n> "),
                *("    ", "<script>", "\\", "[x]: y", "&lt;", "\u2028", "+", "<?", "*", "a"),
            )
        ),
        max_size=14,
    ).map("".join),
)
MARKDOWN = MarkdownIt("commonmark").enable("table")
REMOTE = {"image", "html_inline", "html_block"}


def kinds(text: str) -> list[str]:
    return [token.type for token in MARKDOWN.parse(text) if token.level == 0]


@given(HOSTILE)
@example("```\n# x\n```")
@example("a\n`````\n")
def test_nothing_gets_out_of_a_fence(text: str) -> None:
    """The block is one, and holds the printable text."""
    tokens = MARKDOWN.parse(f"before\n\n{fence(text)}\n\nafter\n")

    assert [token.type for token in tokens if token.level == 0 and token.nesting >= 0] == [
        "paragraph_open",
        "fence",
        "paragraph_open",
    ]
    (block,) = (token for token in tokens if token.type == "fence")
    assert block.content.strip("\n") == printable(text).strip("\n").replace("\0", "\ufffd")


@given(HOSTILE)
@example("```x")
@example("1) a")
def test_an_item_stays_one_item(text: str) -> None:
    """On one line, in its own bullet, whatever it begins with."""
    shown = item(text)
    tokens = MARKDOWN.parse(f"- {shown}\n\n# after\n")
    inside = [token.type for token in tokens if token.level == 2 and token.nesting >= 0]

    assert "\n" not in shown
    assert inside in ([], ["paragraph_open"])
    assert tokens[-3].type == "heading_open"


@given(HOSTILE)
def test_a_cell_stays_one_cell(text: str) -> None:
    """A table keeps its columns."""
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| {cell(text)} | end |\n")

    assert [token.type for token in tokens].count("td_open") == 2


@given(HOSTILE)
@example("![a](//b/c)")
@example("![a]\n\n[a]: //b")
@example("a ` b\nc ` ![a](//b) `")
@example("\\`![a](//b)\\`")
@example("\\``![a](//b)`")
@example("- a\n  ```\n![a](//b)")
@example("` <img src=//b>\n` <img src=//b> `")
@example("`a\\` ![a](//b) `")
@example("```<A>```")
def test_nothing_is_fetched_for_whoever_looks(text: str) -> None:
    """No image and no tag is live, in whatever lines, spans, lists and fences it hides."""
    page = f"- {item(text)}\n\n{prose(text)}\n\n| a |\n|---|\n| {cell(text)} |\n"

    assert not REMOTE & {
        part.type for token in MARKDOWN.parse(page) for part in (token, *(token.children or ()))
    }


def test_what_only_looks_like_an_image_stays_readable() -> None:
    """In a span or a block of code nothing is changed, and elsewhere it reads as it was written."""
    text = "use `vec![1]` and ![a](b)\n\n```\nvec![1]\n```"

    assert "use `vec![1]` and !\\[a](b)\n\n```\nvec![1]\n```" == prose(text)


@given(HOSTILE)
@example("x\n===")
@example("x\n-")
@example("```\nopen")
@example("- # a heading in a list")
@example("> # a heading in a quotation")
def test_prose_starts_no_section_and_swallows_none(text: str) -> None:
    """What follows it is still there, and no heading is within."""
    tokens = MARKDOWN.parse(f"# one\n\n{prose(text)}\n\n# two\n")
    top = [token for token in tokens if token.type == "heading_open" and token.level == 0]

    assert next(token.map for token in top) == [0, 1]
    assert len(top) == 2
    assert "html_block" not in [token.type for token in tokens if token.level == 0]


@given(HOSTILE)
def test_a_code_span_shows_its_text(text: str) -> None:
    """One span, one line, every character of the text."""
    shown = code(text)
    if not shown:
        return
    (inline,) = (token for token in MARKDOWN.parse(f"x {shown} y") if token.type == "inline")
    assert inline.children is not None
    spans = [child.content for child in inline.children if child.type == "code_inline"]

    lines = (line.strip() for line in printable(text).splitlines())
    assert [span.strip() for span in spans] == [" ".join(line for line in lines if line)]


def test_sections_ignore_headings_within_fences() -> None:
    """As a reader of Markdown does."""
    text = "top\n# A\na\n```\n# no\n```\n## B ##\nb"

    assert [(part.level, part.title, part.body) for part in sections(text)] == [
        (0, "", "top"),
        (1, "A", "a\n```\n# no\n```"),
        (2, "B", "b"),
    ]
    assert unfenced("a\n~~~\nb\n~~~\nc") == "a\nc"


@pytest.mark.parametrize("text", ["plain words", "`code <T>` and `|`", "a - b", "x * y"])
def test_harmless_text_stays_as_it_is(text: str) -> None:
    """Nothing is escaped without need."""
    assert item(text) == text
    assert prose(text) == text
