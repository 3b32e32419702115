from __future__ import annotations

import pytest

from clew.analysis.tampering import loosened

CHECK = "def f(a):\n    if a < 0:\n        raise ValueError('negative')\n    return a\n"
QUIET = "try:\n    f()\nexcept {}:\n    {}\n"


@pytest.mark.parametrize("kind", ["Exception", "BaseException", "(KeyError, Exception)"])
def test_an_error_of_any_kind_that_is_kept_quiet_is_named(kind: str) -> None:
    """Where it was so before, nothing is new."""
    text = QUIET.format(kind, "pass")
    (said,) = loosened({"shop.py": ("f()\n", text)})
    assert f"shop.py:3 `except {kind}:` keeps any error quiet" == said
    assert () == loosened({"shop.py": (text, f"a = 1\n{text}")})
    assert 1 == len(loosened({"shop.py": (text, text + text)}))


def test_a_bare_except_and_suppress_are_named() -> None:
    """They keep as much quiet."""
    text = "try:\n    f()\nexcept:\n    pass\nwith contextlib.suppress(Exception):\n    f()\n"
    said = loosened({"shop.py": ("", text)})
    assert {"shop.py:3 `except:`", "shop.py:5 `contextlib.suppress(Exception)`"} == {
        each.removesuffix(" keeps any error quiet") for each in said
    }


def test_a_check_that_is_gone_is_named() -> None:
    """One that moved to another file, or says it otherwise, is not."""
    assert ("`raise ValueError('negative')` is gone",) == loosened({"a.py": (CHECK, "f = int\n")})
    assert () == loosened({"a.py": (CHECK, "f = int\n"), "b.py": ("", CHECK)})
    assert () == loosened({"a.py": (CHECK, CHECK.replace("'negative'", "'below 0'"))})


@pytest.mark.parametrize(
    "text",
    [
        QUIET.format("KeyError", "pass"),
        QUIET.format("Exception", "raise Wrong from None"),
        "with suppress(OSError):\n    f()\n",
        "def f(:\n",
    ],
)
def test_what_names_its_error_or_raises_another_is_as_strict(text: str) -> None:
    """So is what cannot be read."""
    assert () == loosened({"shop.py": ("f()\n", text)})
