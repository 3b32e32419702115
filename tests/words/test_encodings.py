"""A file is judged as the program that Python makes of it."""

from __future__ import annotations

import pytest

from clew.words.encodings import as_run

CODE = "def price():\n    return '9 €'\n"


@pytest.mark.parametrize(
    ("path", "content", "read"),
    [
        ("a.py", CODE.encode(), CODE),
        ("a.py", b"\xef\xbb\xbf" + CODE.encode(), CODE),
        ("a.txt", b"\xef\xbb\xbf" + CODE.encode(), CODE),
        ("a.py", b"# coding: cp1252\n'\x80'\n", "# coding: cp1252\n'€'\n"),
        ("a.py", b"# coding: utf-7\n+AGkAZg- x: y()\n", "# coding: utf-7\nif x: y()\n"),
        ("a.py", b"# coding: no-such\n\xff\n", "# coding: no-such\n�\n"),
        ("a.py", b"# coding: unicode_escape\n\\ud800\n", "# coding: unicode_escape\n?\n"),
    ],
)
def test_a_file_is_read_as_python_does(path: str, content: bytes, read: str) -> None:
    """By the encoding that it declares, without a byte order mark; what is no text is replaced."""
    assert read == as_run(path, content)
