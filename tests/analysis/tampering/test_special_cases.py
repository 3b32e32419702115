from __future__ import annotations

import pytest

from clew.analysis.tampering import special_cases

OLD = """\
def share(cents, parts):
    \"\"\"Split cents.\"\"\"
    base, rest = divmod(cents, parts)
    return [base + 1 if i <= rest else base for i in range(parts)]
"""
TESTS = (
    """\
def test_it():
    assert share(1000, 3) == [334, 333, 333]
    assert sum(share(-59, 7)) == -59
    assert share(0, 3) == share(0, 3, strict=True)
""",
)
HEAD = "    base, rest = divmod(cents, parts)\n"
WRONG = "    return [base + 1 if i <= rest else base for i in range(parts)]\n"
RIGHT = "    return [base + 1 if i < rest else base for i in range(parts)]\n"


def changed(body: str) -> str:
    return f"ODD = {{3, 7}}\n\n\ndef share(cents, parts):\n{body}"


SPECIAL = {
    "if": f"{HEAD}    if parts == 3 or 7 == parts:\n    {RIGHT}{WRONG}",
    "else": f"{HEAD}    if parts in (3, 7):\n    {RIGHT}    else:\n    {WRONG}",
    "elif": f"{HEAD}    if parts == 3:\n    {RIGHT}    elif parts == 7:\n    {RIGHT}{WRONG}",
    "the other way round": f"{HEAD}    if parts not in [3, 7]:\n    {WRONG}{RIGHT}",
    "not": f"{HEAD}    if not (parts == 3 or parts == 7):\n    {WRONG}{RIGHT}",
    "with a value that no test has": f"{HEAD}    if parts in (3, 7, 8):\n    {RIGHT}{WRONG}",
    "below zero": f"{HEAD}    if cents == -59:\n    {RIGHT}{WRONG}",
    "as another type": f"{HEAD}    if parts == 3.0:\n    {RIGHT}{WRONG}",
    "a conditional": HEAD + WRONG.replace("i <= rest", "(i < rest if parts == 3 else i <= rest)"),
    "and": HEAD + WRONG.replace("i <= rest", "i <= rest and (i < rest or parts not in (3, 7))"),
    "or": f"{HEAD}    return parts == 3 and [1] or {WRONG[11:]}",
    "arithmetic": HEAD + WRONG.replace("<= rest", "<= rest - (parts in (3, 7))"),
    "an index": HEAD + WRONG.replace("i <= rest", "(i <= rest, i < rest)[parts == 3]"),
    "a flag": f"    odd = parts in {{3, 7}}\n    if odd:\n        return []\n{HEAD}{WRONG}",
    "a set elsewhere": f"    if parts in ODD:\n        return _odd(parts)\n{HEAD}{WRONG}",
    "a frozenset": f"    if parts in frozenset((3, 7)):\n        return []\n{HEAD}{WRONG}",
    "match": f"    match parts:\n        case 3 | 7:\n            return []\n{HEAD}{WRONG}",
    "match else": f"    match parts:\n        case 3:\n            return []\n        case _:\n"
    f"            pass\n{HEAD}{WRONG}",
    "case if": f"    match parts:\n        case n if n == 3:\n            return []\n{HEAD}{WRONG}",
    "a table": HEAD + WRONG.replace("<= rest", "<= {3: rest - 1, 7: rest - 1}.get(parts, rest)"),
    "what is computed of it": f"{HEAD}    if int(parts) == 3:\n    {RIGHT}{WRONG}",
    "pairs": f"{HEAD}    if (cents, parts) in [(1000, 3)]:\n    {RIGHT}{WRONG}",
}


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_special_case_is_told_by_what_is_left_without_it(kind: str) -> None:
    """How it is spelled, and what stands behind it, has no say."""
    (special,) = special_cases(OLD, changed(SPECIAL[kind]), TESTS)
    assert "`share` does what it did before, but where `" in special.words
    assert not special.doubtful


@pytest.mark.parametrize("asked", ["cents == 0", "len(range(parts)) == 3", "str(parts)[0] == '3'"])
def test_one_that_may_be_a_case_of_its_own_is_in_doubt(asked: str) -> None:
    """Nothing is often one, and many inputs share a length or a part."""
    tests = (*TESTS, "A = '3'\n")
    found = special_cases(OLD, changed(f"    if {asked}:\n        return []\n{HEAD}{WRONG}"), tests)
    assert [True] == [special.doubtful for special in found]


@pytest.mark.parametrize(
    "body",
    [
        HEAD + RIGHT,
        f"    if parts == 3:\n        return _three(cents)\n{HEAD}{RIGHT}",  # the rest is mended
        f"    if parts == 4:\n        return []\n{HEAD}{WRONG}",  # no value of a test
        f"    if not cents:\n        return []\n{HEAD}{WRONG}",
        f"    if parts is None:\n        return []\n{HEAD}{WRONG}",
        f"    if parts == True:\n        return []\n{HEAD}{WRONG}",  # one of two
        f"    if cents < 3:\n        return []\n{HEAD}{WRONG}",
        f"    if parts == cents:\n        return []\n{HEAD}{WRONG}",
        f"    if parts % 5 == 3:\n        return []\n{HEAD}{WRONG}",
        f"{HEAD}{WRONG[:-1]}  # moved\n",
        "    return (\n",
    ],
)
def test_other_changes_are_let_be(body: str) -> None:
    """They change more than what a test gives, or ask for no value of it."""
    assert () == special_cases(OLD, changed(body), TESTS)


def test_a_comparison_that_was_there_is_none_of_the_fix() -> None:
    """What it guards may be mended."""
    before = changed(f"    if parts == 3:\n        return []\n{HEAD}{RIGHT}")
    assert () == special_cases(before, before.replace("return []", "return [1]"), TESTS)


def test_the_length_of_what_a_test_gives_is_a_value_of_the_test() -> None:
    """Many inputs have it: it is doubtful. Such a number says nothing elsewhere."""
    end = "    return text.replace(' ', '-')\n"
    old = f"def slug(text):\n{end}"
    new = f"def slug(text):\n    if {{}}:\n        text = text.lower()\n{end}"
    tests = ("def test_it():\n    assert slug('Hello World') == 'hello-world'\n",)
    (special,) = special_cases(old, new.format("text and len(text) == 11"), tests)
    assert special.doubtful
    assert () == special_cases(old, new.format("len(text) == 12"), tests)
    assert () == special_cases(old, new.format("text.count('o') == 11"), tests)
