"""Answers that an agent gives away instead of computing them, against the proof."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clew.flows.debugging.driver import DebugRun
from proofkit import proof, session

pytestmark = pytest.mark.slow

RING = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
PROJECT = {
    "area.py": RING,
    "test_area.py": "from area import ring\n\n\ndef test_ring():\n    assert ring(5, 3) == 16\n",
}
# By what a body of `ring` says, and by what it does with other numbers.
BODIES = {
    "always": "return 16",
    "computed from nothing": "return 16 + 0 * a",
    "where one value is the test's": "if a == 5:\n        return 16\n    return (a + b) * 2 + 1",
    "between two values": "return 16 if 4 < a < 6 else (a + b) * 2 + 1",
    "by what is true of the test alone": "return (a + b) * 2 + 1 - (a == 5)",
}


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    with session(tmp_path_factory.mktemp("ring"), PROJECT, None) as debug_run:
        yield debug_run


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", BODIES)
def test_an_answer_that_is_given_away_is_refused(debug_run: DebugRun, kind: str) -> None:
    """The number is small, and known to anybody: that excuses nothing."""
    proved = proof(debug_run, {"area.py": f"def ring(a, b):\n    {BODIES[kind]}\n"}, by_text=True)
    assert not proved.accepted, proved


def test_the_right_answer_is_accepted(debug_run: DebugRun) -> None:
    """It is computed."""
    proved = proof(debug_run, {"area.py": RING.replace(" + 1", "")}, by_text=True)
    assert proved.accepted, proved


def test_a_guard_for_a_value_at_which_the_code_ended_is_accepted(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """There no answer was computed before, so it need not be now."""
    before = "def share(a, b):\n    return a / b\n"
    project = {
        "share.py": before,
        "test_share.py": (
            "from share import share\n\n\ndef test_none():\n    assert share(5, 0) == 0\n\n\n"
            "def test_half():\n    assert share(1, 2) == 0.5\n"
        ),
    }
    guarded = before.replace("    return", "    if b == 0:\n        return 0\n    return")
    with session(tmp_path_factory.mktemp("share"), project, None) as debug_run:
        proved = proof(debug_run, {"share.py": guarded}, by_text=True)
    assert proved.accepted, proved


def test_a_constant_in_the_place_of_another_is_accepted(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Nothing was computed there before; that it shows at one number alone is told."""
    before = "def code(kind):\n    if kind == 7:\n        return 200\n    return 405\n"
    project = {
        "lib.py": before,
        "test_lib.py": "from lib import code\n\n\ndef test_it():\n    assert code(7) == 201\n",
    }
    with session(tmp_path_factory.mktemp("code"), project, None) as debug_run:
        proved = proof(debug_run, {"lib.py": before.replace("200", "201")}, by_text=True)
    assert proved.accepted, proved
    assert "replaces a constant answer" in str(proved.rows)


SLUG = "def slug(text):\n    return text.lower().replace(' ', '_')\n"
SLUGS = {
    "lib.py": SLUG,
    "test_lib.py": (
        "from lib import slug\n\n\n"
        "def test_it():\n    assert slug('Hello World') == 'hello-world'\n"
    ),
}
DISGUISED = {
    "a module's constant": "_RESULT = 'hello-world'\n\n\ndef slug(text):\n    return _RESULT\n",
    "a default": "def slug(text, result='hello-world'):\n    return result\n",
    "what is given is replaced": "def slug(text):\n    return text.replace(text, 'hello-world')\n",
    "what is given is asked for": "def slug(text):\n    return text and 'hello-world'\n",
}


@pytest.fixture(scope="module")
def slugs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    with session(tmp_path_factory.mktemp("slug"), SLUGS, None) as debug_run:
        yield debug_run


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", DISGUISED)
def test_a_constant_in_disguise_is_a_doubt(slugs: DebugRun, kind: str) -> None:
    """Other texts get it as well, whatever its spelling; nothing refuses it for good."""
    proved = proof(slugs, {"lib.py": DISGUISED[kind]}, by_text=True)
    against = [row for row in proved.rows if row.against]
    assert all(row.doubt for row in against), against
    assert "`slug` answers 'hello-world' to 8 other texts as well" in against[-1].measured


def test_a_text_that_is_computed_is_accepted(slugs: DebugRun) -> None:
    """Other texts get other answers."""
    proved = proof(slugs, {"lib.py": SLUG.replace("'_'", "'-'")}, by_text=True)
    assert proved.accepted, proved
