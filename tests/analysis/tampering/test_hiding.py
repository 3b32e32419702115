from __future__ import annotations

import pytest

from clew.analysis.tampering import hidden, leads_out

HIDING = {
    "the bytes of a program": (b"\x7fELF\0\0", "it is no text"),
    "another encoding than its name": (b"a = 1\n\xff\xfe = 2\n", "line 2 is no text"),
    "a line end within a comment": (b"# a\rb = 2\n", "line 1 has what cannot be seen: U+000D"),
    "a text that turns around": (
        "a = '\u202e\u2066'\n".encode(),
        "line 1 has what cannot be seen: U+202E, U+2066",
    ),
    "a character without width": (
        "a = 1\nb = 'x\u200by'\n".encode(),
        "line 2 has what cannot be seen: U+200B",
    ),
    "what the screen obeys": (b"a = '\x1b[8m'\n", "line 1 has what cannot be seen: U+001B"),
    "far to the right": (b"a = 1" + b" " * 100 + b"; b = 2\n", "line 1 goes on behind a long gap"),
    "a line without an end": (b"a = '" + b"x" * 2_000 + b"'\n", "line 1 has 2,006 characters"),
    "an encoding that makes lines": (
        b"# coding: unicode_escape\n# a\\u000ab = 2\n",
        "its encoding makes other lines of it than its bytes show",
    ),
    "an encoding that makes words": (
        b"# coding: unicode_escape\n\\u0061 = 2\n",
        "line 2 is another text than its bytes show",
    ),
}


@pytest.mark.parametrize("name", HIDING)
def test_what_a_diff_does_not_show_is_named(name: str) -> None:
    """With its line; what the file had before is nothing new."""
    content, said = HIDING[name]
    assert (said,) == hidden("shop.py", None, content)
    was = content.rpartition(b"\n")[0]  # all its lines
    if b"\0" not in content and b"\\u000a" not in content:
        assert () == hidden("shop.py", was, b"import this\n" + content)


@pytest.mark.parametrize(
    "content",
    [
        b"a = 1\r\nb = 2\r\n",
        "\ufeffa = 'é'\n".encode(),
        "# coding: latin-1\na = 'é'\n".encode("latin-1"),
        "a = '\u2764\ufe0f \U0001f469\u200d\U0001f4bb'\n".encode(),
        b"def a():\n" + b" " * 120 + b"return 1\n",
        b"a = 1" + b" " * 60 + b"# one\n",
        "a = '\ufffd'\n".encode(),
        b"",
    ],
)
def test_text_that_anybody_can_read_hides_nothing(content: bytes) -> None:
    """In any encoding that says what it is, with what is drawn as one sign."""
    assert () == hidden("shop.py", b"", content)


def test_a_name_that_cannot_be_seen_is_named() -> None:
    """As the lines of a file are."""
    said = "its name has what cannot be seen: U+200B"
    assert (said,) == hidden("sh\u200bop.py", None, b"a = 1\n")


@pytest.mark.parametrize(
    ("path", "target", "out"),
    [
        ("a.py", "b.py", False),
        ("a/b/c.py", "../../d.py", False),
        ("a.py", "/etc/passwd", True),
        ("a/b.py", "../../c.py", True),
        ("a.py", "b/../../c.py", True),
    ],
)
def test_a_link_shows_what_lies_in_the_project(path: str, target: str, *, out: bool) -> None:
    """What it leads to elsewhere is in nobody's diff."""
    assert out == bool(leads_out(path, target))


@pytest.mark.parametrize("name", ["caf\udce9.txt", "two\nlines.dat"])
def test_a_name_is_shown_where_a_diff_writes_its_characters_as_numbers(name: str) -> None:
    """Bytes that are no UTF-8, and line breaks, are as much of a name as any."""
    assert () == hidden(name, None, b"mine\n")


def test_a_name_that_was_there_before_is_none_of_the_fix() -> None:
    assert () == hidden("sh\u200bop.py", b"a = 2\n", b"a = 1\n")
