"""What the lines of a file touch, told from how they are written."""

from __future__ import annotations

import pytest

from clew.analysis.flakes.sources import Chance, imported, never_of, touched


@pytest.mark.parametrize(
    ("code", "chance"),
    [
        ("import random\ndef f():\n    return random.choice('ab')\n", Chance.RANDOM),
        ("from random import choice as c\ndef f():\n    return c('ab')\n", Chance.RANDOM),
        ("import random\ndef f(xs):\n    xs.sort(key=random.random)\n", Chance.RANDOM),
        ("import numpy as np\ndef f():\n    return np.random.rand()\n", Chance.RANDOM),
        ("def f(dice):\n    return dice.randint(1, 6)\n", Chance.RANDOM),
        ("import random\nDICE = random.Random()\ndef f():\n    return DICE\n", Chance.RANDOM),
        ("import uuid\ndef f():\n    return uuid.uuid4().hex\n", Chance.RANDOM),
        ("import os\ndef f():\n    return os.urandom(1)\n", Chance.RANDOM),
        ("import time\ndef f():\n    return int(time.time())\n", Chance.CLOCK),
        ("from datetime import datetime\ndef f():\n    return datetime.now()\n", Chance.CLOCK),
        ("import datetime as d\ndef f():\n    return d.date.today()\n", Chance.CLOCK),
        ("from threading import Thread\ndef f():\n    Thread(target=f)\n", Chance.THREADS),
        ("import asyncio\nasync def f(g):\n    await asyncio.to_thread(g)\n", Chance.THREADS),
        ("def f(loop, g):\n    loop.run_in_executor(None, g)\n", Chance.THREADS),
        ("def f(loop, g):\n    loop.call_soon_threadsafe(g)\n", Chance.THREADS),
        ("import trio\nasync def f():\n    await trio.sleep(0)\n", Chance.THREADS),
        ("import asyncio\nasync def f(g):\n    await asyncio.wait_for(g(), 1)\n", Chance.CLOCK),
        (
            "from asyncio import timeout as t\nasync def f():\n    async with t(1): ...\n",
            Chance.CLOCK,
        ),
        (
            "import asyncio\nasync def f(gs):\n    await asyncio.wait(gs, timeout=1)\n",
            Chance.CLOCK,
        ),
        (
            "import asyncio\nasync def f(gs):\n    a, _ = await asyncio.wait(gs)\n    f(*a)\n",
            Chance.HASHES,
        ),
        ("import asyncio\ndef f(gs):\n    return asyncio.as_completed(gs)\n", Chance.HASHES),
        ("import asyncio\ndef f():\n    asyncio.open_connection('a', 1)\n", Chance.NETWORK),
        ("def f(xs):\n    for x in set(xs):\n        return x\n", Chance.HASHES),
        ("def f(xs):\n    return list({x for x in xs})[0]\n", Chance.HASHES),
        ("def f(xs):\n    seen = set(xs)\n    return ','.join(seen)\n", Chance.HASHES),
        ("def f(xs: set[str]):\n    return [x for x in xs]\n", Chance.HASHES),
        ("def f(xs):\n    return hash(xs)\n", Chance.HASHES),
        ("import socket\ndef f():\n    return socket.socket()\n", Chance.NETWORK),
        ("import tempfile\ndef f():\n    return tempfile.mkdtemp()\n", Chance.NAMES),
        ("import os\ndef f():\n    return os.listdir('.')[0]\n", Chance.FILES),
        ("def f(p):\n    return next(p.iterdir())\n", Chance.FILES),
        ("def f(x):\n    return id(x)\n", Chance.ADDRESSES),
    ],
)
def test_a_line_that_names_a_source_touches_it(code: str, chance: Chance) -> None:
    """By whatever name the file imports it; also on one line of several."""
    last = len(code.splitlines())
    assert chance in touched(code, range(1, last + 1))
    assert chance in touched(code, None)


@pytest.mark.parametrize(
    "code",
    [
        "def f(a, b):\n    return a + b\n",
        "import time\ndef f():\n    time.sleep(1)\n",
        "import os\ndef f():\n    os.kill(os.getpid(), 9)\n",
        "import random\ndef f():\n    return 1\n",
        "def f(x, xs):\n    return x in set(xs)\n",
        "def f(xs):\n    return sorted(set(xs))\n",
        "def f(xs):\n    return sorted(x for x in set(xs))\n",
        "import os\ndef f():\n    return sorted(os.listdir('.'))\n",
        "def f(xs):\n    return len({x for x in xs})\n",
        "import click\ndef f():\n    return click.choice(['a'])\n",
        "from datetime import datetime\ndef f():\n    return datetime(2020, 1, 1)\n",
    ],
)
def test_what_is_the_same_each_time_touches_none(code: str) -> None:
    """Order that is put right again, or does not matter, is none."""
    assert frozenset() == touched(code, None)


@pytest.mark.parametrize(
    "line",
    [
        "asyncio.run(g())",
        "await g()",
        "await asyncio.sleep(0)",
        "await asyncio.sleep(0.01)",
        "await asyncio.gather(g(), g())",
        "await asyncio.create_task(g())",
        "async with asyncio.TaskGroup() as group: group.create_task(g())",
        "async with asyncio.Semaphore(3): await g()",
        "loop.run_until_complete(g())",
        "loop.call_later(1, g)",
        "done, _ = await asyncio.wait([g()]); return sum(each.result() for each in done)",
        "asyncio.Queue().put_nowait(g)",
        "await asyncio.Event().wait()",
    ],
)
def test_one_event_loop_is_no_thread(line: str) -> None:
    """It runs what is ready in the order in which it became so, and timers in that of their times.

    So does pytest-asyncio, which only runs the coroutine that the test is.
    """
    code = "import asyncio\nimport pytest\n\n\n@pytest.mark.asyncio\nasync def f(g, loop):\n"
    assert frozenset() == touched(f"{code}    {line}\n", None)


def test_a_file_for_another_python_with_an_event_loop_touches_none() -> None:
    """Its words are read as those of any other file."""
    assert frozenset() == touched("import asyncio\nprint asyncio.run(1)\n", None)
    assert frozenset(Chance) == touched("print loop.run_in_executor(None, f)\n", None)


def test_only_lines_that_ran_count_and_what_runs_when_the_module_loads() -> None:
    """A function that was not called is as if it were not there."""
    code = "import random\n\n\ndef f():\n    return random.random()\n\n\ndef g():\n    return 1\n"
    assert frozenset() == touched(code, {9})
    assert {Chance.RANDOM} == touched(code, {5})
    assert {Chance.RANDOM} == touched(code + "X = random.random()\n", {9})
    assert {Chance.RANDOM} == touched(code + "X = random.random()\n", ())


def test_a_file_for_another_python_is_told_by_its_words() -> None:
    """It may touch every source then, or none."""
    assert frozenset(Chance) == touched("import random\nprint 1\n", None)
    assert frozenset() == touched("print 1\n", None)


def test_the_imports_of_a_file_are_named_whole() -> None:
    """With a dot for each level of its own package."""
    code = "import a.b\nimport c.d as e\nfrom f import g\nfrom .h import i\nfrom .. import j\n"
    assert {"a", "c.d", "f.g", ".h.i", "..j"} == imported(code)


@pytest.mark.parametrize("name", ["trio", "anyio", "gevent", "requests", "arrow", "faker"])
def test_a_module_of_the_project_is_no_library_of_that_name(name: str) -> None:
    """However it is imported; what else the file names counts as ever."""
    for code in (
        f"import {name}\ndef f():\n    return {name}.total()\n",
        f"import {name} as n\ndef f():\n    return n.total()\n",
        f"from {name}.cart import total\ndef f():\n    return total()\n",
    ):
        assert frozenset() != touched(code, None)
        assert frozenset() == touched(code, None, imported(code))
        more = f"import random\n{code}\nX = random.random()\n"
        assert {Chance.RANDOM} == touched(more, None, imported(code))


def test_a_name_of_the_standard_library_is_the_librarys() -> None:
    """The interpreter finds it first, whatever lies in the project."""
    code = "import random\ndef f():\n    return random.random()\n"
    assert {Chance.RANDOM} == touched(code, None, imported(code))


@pytest.mark.parametrize("error", ["TypeError", "builtins.TypeError", "AttributeError"])
def test_no_moment_turns_a_wrong_type(error: str) -> None:
    """What an assertion says of a time may be otherwise a moment later."""
    assert {Chance.CLOCK} == never_of(error)
    assert not never_of("AssertionError")
