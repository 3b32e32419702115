"""Functions that only check are not changed to please themselves."""

from __future__ import annotations

import ast

import pytest

from clew.probe.search.checks import is_check
from searchplay import DebugRun


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(a):\n    for b in a:\n        assert g(b) == 1, b\n", True),
        ("def f(a):\n    assert a\n    return a\n", False),
        ("def f(a):\n    assert a\n    a.b = 1\n", False),
        ("def f(a):\n    assert a\n    a[0] += 1\n", False),
        ("def f(a):\n    print(a)\n", False),
        ("def f(a):\n    assert a\n    yield\n", False),
        ("def f(a):\n    global b\n    assert a\n    b = a\n", False),
    ],
)
def test_what_asserts_and_does_nothing_else_is_a_check(text: str, *, found: bool) -> None:
    assert is_check(ast.parse(text).body[0]) is found


def test_a_check_beside_the_program_is_not_changed(shop: DebugRun) -> None:
    """What it expects is no more at fault than what a test does."""
    shop.write(
        {
            "words.py": "def joined(words):\n    return '-'.join(words[1:])\n",
            "tools.py": "from words import joined\n\n\ndef check_all():\n"
            "    for words, expected in [(['a', 'b'], 'a-b'), ([], '')]:\n"
            "        assert joined(words) == expected, words\n",
            "test_words.py": "from tools import check_all\n\n\ndef test_all():\n    check_all()\n",
        }
    )

    answer = shop.search("test_words.py::test_all")

    assert {"words.py"} == {edit["path"] for c in answer.candidates for edit in c["edits"]}
    repaired = shop.repaired(answer.first)["words.py"]
    assert "join(words)" in repaired or "join(words[0:])" in repaired


def test_a_check_that_raises_is_not_loosened(shop: DebugRun) -> None:
    """It is right to refuse: what it was given is wrong."""
    shop.write(
        {
            "frame.py": "def encode(text):\n"
            "    return bytes([2, len(text)]) + text.encode('utf-8')\n\n\n"
            "def decode(frame):\n    if len(frame) < 2:\n        raise ValueError('no frame')\n"
            "    if frame[1] != len(frame) - 2:\n        raise ValueError('wrong length')\n"
            "    return frame[2:].decode('utf-8')\n",
            "test_frame.py": "from frame import decode, encode\n\n\ndef test_umlaut():\n"
            "    assert decode(encode('\\xfc')) == '\\xfc'\n",
        }
    )

    answer = shop.search("test_frame.py::test_umlaut")

    assert "if frame[1] != len(frame) - 2" in shop.repaired(answer.first)["frame.py"]


def test_a_check_that_refuses_the_very_bound_is_mended(shop: DebugRun) -> None:
    """Before what it compares with is made larger."""
    shop.write(
        {
            "account.py": "class Account:\n    def __init__(self, limit=0):\n"
            "        self.limit = limit\n        self.balance = 0\n\n"
            "    def withdraw(self, amount):\n"
            "        if self.balance - amount <= -self.limit:\n"
            "            raise ValueError('limit exceeded')\n        self.balance -= amount\n",
            "test_account.py": "import pytest\n\nfrom account import Account\n\n\n"
            "def test_to_the_limit():\n    account = Account(limit=50)\n"
            "    account.withdraw(50)\n    assert account.balance == -50\n\n\n"
            "def test_beyond_it():\n    with pytest.raises(ValueError):\n"
            "        Account(limit=50).withdraw(51)\n",
        }
    )

    answer = shop.search("test_account.py::test_to_the_limit")

    assert "replace `<=` by `<`" == answer.first["description"]
