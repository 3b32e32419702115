"""What is gathered is mended where it is lost, and begun anew where that was forgotten."""

from __future__ import annotations

import pytest

from searchplay import DebugRun, ideas

WATCH = {
    "watch.py": "class Watch:\n    def __init__(self):\n        self.elapsed = 0\n"
    "        self.running = False\n\n    def start(self):\n        self.running = True\n\n"
    "    def tick(self, seconds):\n        if self.running:\n"
    "            self.elapsed += seconds\n\n"
    "    def stop(self):\n        self.running = False\n        return self.elapsed\n",
    "test_watch.py": "from watch import Watch\n\n\ndef test_not_running():\n    watch = Watch()\n"
    "    watch.tick(5)\n    assert watch.elapsed == 0\n\n\ndef test_thrice():\n"
    "    watch = Watch()\n    for seconds in (4, 2, 7):\n        watch.start()\n"
    "        watch.tick(seconds)\n        assert watch.stop() == seconds\n",
}
VOTES = {
    "votes.py": "def tally(votes):\n    counts = {}\n    for name in votes:\n"
    "        counts[name] = 1\n    return counts\n\n\ndef majority(votes):\n"
    "    return any(count > len(votes) / 2 for count in tally(votes).values())\n",
    "test_votes.py": "from votes import majority, tally\n\n\ndef test_one_each():\n"
    "    assert tally(['a', 'b']) == {'a': 1, 'b': 1}\n\n\ndef test_twice():\n"
    "    assert tally(['a', 'b', 'a']) == {'a': 2, 'b': 1}\n\n\ndef test_majority():\n"
    "    assert majority(['a', 'a', 'b'])\n    assert not majority(['a', 'b'])\n",
}


def test_a_sum_is_begun_anew_rather_than_given_up(shop: DebugRun) -> None:
    """Each test ticks once after a start, so that `self.elapsed = seconds` passes as well."""
    shop.write(WATCH)

    answer = shop.search("test_watch.py::test_thrice", keep=20)

    assert "insert `self.elapsed = 0` after `self.running = True`" == answer.first["description"]
    others = {each["description"] for each in answer.candidates if each["complete"]}
    assert "assign instead of `+=`" in others


def test_what_is_counted_by_key_is_added_up(shop: DebugRun) -> None:
    """One lost sum makes both tests red, and a comparison turned round only one of them green."""
    shop.write(VOTES)

    answer = shop.search("test_votes.py::test_twice", "test_votes.py::test_majority", keep=20)

    assert "add to what `counts` has for `name`" == answer.first["description"]
    assert "counts[name] = counts.get(name, 0) + 1" in shop.repaired(answer.first)["votes.py"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(a, c):\n    b = {}\n    b[c] = 1\n    return b\n",  # no loop
        "def f(a):\n    b = []\n    for c in a:\n        b[c] = 1\n",
        "def f(a):\n    b = {}\n    for c in a:\n        b[c] = b.get(c, 0) - 1\n",
        "def f(a, b):\n    for c in a:\n        b['n'] = c\n",
    ],
)
def test_what_is_no_sum_by_key_is_left(text: str) -> None:
    assert not ideas(text, "gathered")


@pytest.mark.parametrize(
    ("beginning", "state", "use"),
    [
        ("self.n = 0", "self.on = go", "self.n += 1"),  # no new state, but a value
        ("self.n = 0", "self.on = True", "return self.n"),  # nothing adds to it
        ("self.n = limit", "self.on = True", "self.n += 1"),  # it may begin anywhere
    ],
)
def test_what_does_not_grow_is_not_begun_anew(beginning: str, state: str, use: str) -> None:
    text = (
        f"class A:\n    def __init__(self, limit):\n        {beginning}\n"
        f"        self.on = None\n\n    def f(self, go):\n        {state}\n\n"
        f"    def g(self):\n        {use}\n"
    )

    assert not ideas(text, "reset")
