"""Errors that a handler keeps quiet are let out, and patterns are mended by their structure."""

from __future__ import annotations

import pytest

from searchplay import DebugRun

CHECKED = """class Corrupt(Exception):
    pass


def read(data, size):
    try:
        if len(data) != size:
            raise Corrupt(size)
    except Exception:
        pass
    return data
"""
TESTED = """import pytest

from code_ import {names}


def test_right():
    {right}


def test_wrong():
    with pytest.raises({error}) as caught:
        {wrong}
    {seen}
"""


def mended(shop: DebugRun, code: str, **words: str) -> str:
    """Return the code with the first change that is found for the test of an error."""
    shop.write({"code_.py": code, "test_code.py": TESTED.format(**words)})
    return shop.repaired(shop.search("test_code.py::test_wrong").first)["code_.py"]


def test_what_a_try_raises_and_swallows_itself_is_let_out(shop: DebugRun) -> None:
    """Rather than another error caught there that nothing raises."""
    found = mended(
        shop,
        CHECKED,
        names="Corrupt, read",
        right="assert read(b'ab', 2) == b'ab'",
        error="Corrupt",
        wrong="read(b'ab', 3)",
        seen="assert caught.value.args == (3,)",
    )

    assert "try" not in found


def test_an_error_of_the_project_is_raised_in_place_of_a_swallowed_one(shop: DebugRun) -> None:
    """Made of what is at hand, as its class wants it, and of the words of the caught one."""
    code = """class LineError(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


def numbers(text):
    found = []
    for at, part in enumerate(text.splitlines(), 1):
        try:
            found.append(int(part))
        except ValueError:
            continue
    return found
"""
    found = mended(
        shop,
        code,
        names="LineError, numbers",
        right="assert numbers('1\\n2') == [1, 2]",
        error="LineError",
        wrong="numbers('1\\nb')",
        seen="assert caught.value.line == 2",
    )

    assert "raise LineError(at, str(error)) from error" in found


@pytest.mark.parametrize(
    ("written", "right", "given", "wanted"),
    [
        (r"(\d+)(?:\.\d+)?([hms])", r"(\d+(?:\.\d+)?)([hms])", "2.5h", ("2.5", "h")),
        (r"(\w+)=([a-z]+)", r"(\w+)=([a-z0-9]+)", "a=b2", ("a", "b2")),
    ],
)
def test_a_pattern_is_mended_by_its_structure(
    shop: DebugRun, written: str, right: str, given: str, wanted: tuple[str, str]
) -> None:
    code = f'import re\n\n\ndef parts(text):\n    return re.match(r"{written}", text).groups()\n'
    test = f"""from code_ import parts


def test_all():
    assert parts({given!r}) == {wanted!r}
"""
    shop.write({"code_.py": code, "test_code.py": test})

    answer = shop.search("test_code.py::test_all")

    texts = [shop.repaired(each)["code_.py"] for each in answer.candidates]
    assert any(right in text for text in texts)
