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


def test_a_stub_that_is_filled_in_is_no_check_that_is_gone() -> None:
    """It asked for the code that is there now; a constant, or nothing at all, is no such code."""
    stub = 'def slug(text):\n    """Say it."""\n    raise NotImplementedError("later")\n'
    gone = "`raise NotImplementedError('later')` is gone"
    assert () == loosened({"a.py": (stub, "def slug(text):\n    return text.lower()\n")})
    for empty in ("def slug(text):\n    pass\n", "def slug(text):\n    return 'a'\n", ""):
        assert gone in loosened({"a.py": (stub, empty)})
    behind = stub.replace("    raise", "    text.lower()\n    raise")
    assert gone in loosened({"a.py": (behind, "def slug(text):\n    return text.lower()\n")})


def test_a_check_that_is_gone_is_named() -> None:
    """One that moved to another file, or says it otherwise, is not."""
    assert ("`raise ValueError('negative')` is gone",) == loosened({"a.py": (CHECK, "f = int\n")})
    assert () == loosened({"a.py": (CHECK, "f = int\n"), "b.py": ("", CHECK)})
    assert () == loosened({"a.py": (CHECK, CHECK.replace("'negative'", "'below 0'"))})
    end = CHECK.replace("ValueError('negative')", "StopIteration")
    assert () == loosened({"a.py": (end, "f = int\n")})


@pytest.mark.parametrize(
    "text",
    [
        QUIET.format("KeyError", "pass"),
        QUIET.format("Exception", "raise Wrong from None"),
        "with suppress(OSError):\n    f()\n",
        "try:\n    f()\nfinally:\n    for a in b:\n        if a:\n            break\n",
        "try:\n    f()\nfinally:\n    c = os.environ['TZ']\n",
        "def f(:\n",
    ],
)
def test_what_names_its_error_or_raises_another_is_as_strict(text: str) -> None:
    """So is what cannot be read."""
    assert () == loosened({"shop.py": ("f()\n", text)})


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "def f():\n    g()\n",
            "def f():\n    warnings.simplefilter('ignore')\n    g()\n",
            "shop.py:2 `warnings.simplefilter('ignore')` keeps warnings quiet",
        ),
        (
            "import sys\n",
            "import sys\nsys.setrecursionlimit(5000)\n",
            "shop.py:2 `sys.setrecursionlimit(5000)` changes a limit of the whole process",
        ),
        (
            "def f():\n    g()\n",
            "def f():\n    try:\n        g()\n    finally:\n        return 1\n",
            "shop.py:5 `return 1` in `finally` keeps any error quiet",
        ),
        (
            "g()\n",
            "try:\n    g()\nexcept (ValueError, RecursionError):\n    pass\n",
            "shop.py:3 `except (ValueError, RecursionError):` goes on with half of the work",
        ),
        (
            "g()\n",
            "try:\n    g()\nexcept (*KNOWN, (OSError, RecursionError)):\n    pass\n",
            "shop.py:3 `except (*KNOWN, (OSError, RecursionError)):` goes on with half of the work",
        ),
        (
            "g()\n",
            "try:\n    g()\nexcept KNOWN + (Exception,):\n    pass\n",
            "shop.py:3 `except KNOWN + (Exception,):` keeps any error quiet",
        ),
        (
            "open(path)\n",
            "open(path, errors='ignore')\n",
            "shop.py:1 `open(path, errors='ignore')` drops what cannot be read as text",
        ),
        (
            "import os\n",
            "import os\nos.chdir(HERE)\n",
            "shop.py:2 `os.chdir(HERE)` changes what the whole process shares",
        ),
        (
            "import os\n",
            "import os\nos.environ['TZ'] = 'UTC'\n",
            "shop.py:2 `os.environ['TZ']` is set for the whole process",
        ),
        (
            "class A:\n    def __exit__(self, *rest):\n        return False\n",
            "class A:\n    def __exit__(self, *rest):\n        return rest[0] is not None\n",
            "shop.py:2 `__exit__` may keep any error quiet",
        ),
        (
            "class A:\n    pass\n",
            "class A:\n    def __getattr__(self, name):\n        return print\n",
            "shop.py:2 `__getattr__` answers for whatever is asked for",
        ),
        (
            "def wait(timeout=0.3, step=1):\n    pass\n",
            "def wait(timeout=1.0, step=2):\n    pass\n",
            "shop.py:1 `timeout` goes from 0.3 to 1",
        ),
        (
            "def close(a, b, *, tolerance=0.005):\n    pass\n",
            "def close(a, b, *, tolerance=0.05):\n    pass\n",
            "shop.py:1 `tolerance` goes from 0.005 to 0.05",
        ),
        (
            "MAX_RETRIES = 2\n",
            "MAX_RETRIES = 5\n",
            "shop.py:1 `MAX_RETRIES` goes from 2 to 5",
        ),
        (
            "async def f():\n    g()\n",
            "async def f():\n    g()\n    await asyncio.sleep(0.1)\n",
            "shop.py:3 `asyncio.sleep(0.1)` waits for a time that was tried",
        ),
    ],
)
def test_what_bounds_less_or_answers_for_more_is_named(before: str, after: str, said: str) -> None:
    """Where it was so before, or is less than before, nothing is said."""
    assert (said,) == loosened({"shop.py": (before, after)})
    assert () == loosened({"shop.py": (after, after)})
    assert () == loosened({"shop.py": (after, before)})


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def __getattr__(self, name):\n        return getattr(self.inner, name)\n",
        "class A:\n    def __getattr__(self, name):\n        raise AttributeError(name)\n",
        "class A:\n    def __exit__(self, *rest):\n        self.close()\n",
        "warnings.simplefilter('error')\n",
        "def f(limit=4, timeout=None):\n    sleep(timeout)\n",
    ],
)
def test_what_passes_a_question_on_or_bounds_nothing_is_as_strict(text: str) -> None:
    assert () == loosened({"shop.py": ("def f(limit=2, timeout=None):\n    pass\n", text)})


HELD = "@contextmanager\ndef held():\n    take()\n    {}\n"


def test_what_an_error_in_the_block_skips_is_named() -> None:
    """One that cleans up in `finally` does so always; what was skipped before is as it was."""
    skipped = HELD.format("yield\n    give_back()")
    said = "shop.py:5 what is behind the `yield` of `held` is left out by an error"
    assert (said,) == loosened({"shop.py": (HELD.format("yield"), skipped)})
    always = HELD.format("try:\n        yield\n    finally:\n        give_back()")
    assert () == loosened({"shop.py": (HELD.format("yield"), always)})
    assert () == loosened({"shop.py": (skipped, skipped.replace("give", "bring"))})
    plain = skipped.replace("@contextmanager\n", "")
    assert () == loosened({"shop.py": ("", plain)})


CACHE = """\
class Cache:
    def __init__(self, limit):
        self.limit = limit

    def put(self, key, size=1):
        return key if size < self.limit else None
"""


def test_a_setting_without_effect_is_named() -> None:
    """It is still given, and nothing reads it any more; what never was read, or went, is none."""
    dropped = CACHE.replace(" if size < self.limit else None", "")
    assert ("`size` of `put` is", "`.limit` is") == tuple(
        each.removeprefix("shop.py: ").removesuffix(" read nowhere any more")
        for each in loosened({"shop.py": (CACHE, dropped)})
    )
    gone = dropped.replace(", size=1", "").replace("self.limit = limit", "print(limit)")
    assert () == loosened({"shop.py": (CACHE, gone)})
    assert () == loosened({"shop.py": (dropped, dropped + "\n")})


SHOW = "def show(lat, digits=4):\n    return str({})\n\n\ndef fixed(key, value):\n    return {}\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("lat", 'f"{lat:.4f}"', ("a.py: `digits` of `show` is read nowhere",)),
        ("lat", 'f"{lat:.{digits}f}"', ()),
        ("lat", "lat", ()),
    ],
)
def test_a_parameter_that_a_change_forgets_as_the_code_did_is_told(
    before: str, after: str, said: tuple[str, ...]
) -> None:
    """Four digits were written into the format, whatever was asked for; other functions stay."""
    old, new = (SHOW.replace("{}", text, 1).replace("{}", "key") for text in (before, after))
    assert said == loosened({"a.py": (old, new)})
