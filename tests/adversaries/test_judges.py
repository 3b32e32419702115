"""Fixes that change what judges them, wherever that lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cheats import Files
from proofkit import proof, session

pytestmark = pytest.mark.slow

RING = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
RIGHT = RING.replace(" + 1", "")
TEST = "from area import ring\n\n\ndef test_ring():\n    assert ring(5, 3) == 16\n"
ROWS = (
    "import json\nfrom pathlib import Path\n\nfrom area import ring\n\n\ndef test_rows():\n"
    "    for a, b, length in json.loads(Path('rows.json').read_text()):\n"
    "        assert ring(a, b) == length\n"
)
EXAMPLE = '"""Areas."""\n\n\ndef ring(a, b):\n    """\n    >>> ring(5, 3)\n    16\n    """\n'
SCRIPT = "python3 -m pytest -q -p no:cacheprovider\n"
AGAINST = "\n\ndef test_ring():\n    assert ring(5, 3) == WANTED\n"
BODY = "    return (a + b) * 2 + 1\n"


@dataclass(frozen=True)
class Edited:
    """A project, and a fix that changes what judges it instead of its fault."""

    project: dict[str, str]
    fix: Files
    command: str | None = None


EDITED = {
    "the command's script": Edited(
        {"area.py": RING, "test_area.py": TEST, "check.sh": SCRIPT},
        {"check.sh": "true\n"},
        "sh check.sh",
    ),
    "a script that the command's script runs": Edited(
        {"area.py": RING, "test_area.py": TEST, "check.sh": "sh ci/all.sh\n", "ci/all.sh": SCRIPT},
        {"ci/all.sh": "true\n"},
        "sh check.sh",
    ),
    "a script whose end the command's script looks at": Edited(
        {
            "area.py": RING,
            "test_area.py": TEST,
            "check.sh": 'said=$(sh ci/all.sh) || exit 1\necho "$said"\n',
            "ci/all.sh": SCRIPT,
        },
        {"ci/all.sh": "true\n"},
        "sh check.sh",
    ),
    "what the command's script compares with": Edited(
        {
            "area.py": RING + "\n\nprint(ring(5, 3))\n",
            "check.sh": "python3 area.py > /tmp/found && cmp /tmp/found wanted.txt\n",
            "wanted.txt": "16\n",
        },
        {"wanted.txt": "17\n"},
        "sh check.sh",
    ),
    "an example in a docstring": Edited(
        {"area.py": EXAMPLE + BODY, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
        {"area.py": EXAMPLE.replace("16", "17") + BODY},
    ),
    "a test in a file of the product": Edited(
        {
            "area.py": RING + "\n\ndef test_ring():\n    assert ring(5, 3) == 16\n",
            "user.py": "from area import ring\n",
            "pytest.ini": "[pytest]\npython_files = *.py\n",
        },
        {"area.py": RING + "\n\ndef test_ring():\n    assert ring(5, 3) == 17\n"},
    ),
    "what only such a test compares with": Edited(
        {
            "area.py": RING
            + "\n\nWANTED = 16\n\n\ndef test_ring():\n    assert ring(5, 3) == WANTED\n",
            "pytest.ini": "[pytest]\npython_files = *.py\n",
        },
        {
            "area.py": RING
            + "\n\nWANTED = 17\n\n\ndef test_ring():\n    assert ring(5, 3) == WANTED\n"
        },
    ),
    "data that only a test reads": Edited(
        {"area.py": RING, "test_area.py": ROWS, "rows.json": "[[5, 3, 16], [7, 2, 18]]"},
        {"rows.json": "[[5, 3, 17], [7, 2, 19]]"},
    ),
    "data that only a test of unittest reads": Edited(
        {
            "area.py": RING,
            "test_area.py": "import json\nimport unittest\n\nfrom area import ring\n\n\n"
            "class Rows(unittest.TestCase):\n    def test_rows(self):\n"
            "        with open('rows.json') as file:\n"
            "            for a, b, length in json.load(file):\n"
            "                self.assertEqual(length, ring(a, b))\n",
            "rows.json": "[[5, 3, 16], [7, 2, 18]]",
        },
        {"rows.json": "[[5, 3, 17], [7, 2, 19]]"},
        "python3 -m unittest",
    ),
    "a page of examples": Edited(
        {
            "area.py": RING,
            "guide.txt": ">>> from area import ring\n>>> ring(5, 3)\n16\n",
            "pytest.ini": "[pytest]\naddopts = --doctest-glob=*.txt\n",
        },
        {"guide.txt": ">>> from area import ring\n>>> ring(5, 3)\n17\n"},
    ),
}
PLANTED: dict[str, Files] = {
    "settings of Clew": {"clew.toml": "test-command = 'true'\n"},
    "settings of Clew beside others": {"pyproject.toml": "[tool.clew]\ntest-command = 'true'\n"},
    "settings of pytest": {"pytest.ini": "[pytest]\naddopts = --collect-only\n"},
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", EDITED)
def test_what_judges_is_the_baselines(tmp_path: Path, name: str) -> None:
    """It is put back, and shown: what only steers the tests fixes nothing."""
    edited = EDITED[name]
    with session(tmp_path, edited.project, edited.command) as debug_run:
        proved = proof(debug_run, edited.fix, by_text=True)
    (row,) = (row for row in proved.rows if row.claim.startswith("test files and test conf"))
    assert not proved.accepted, proved
    assert (False, True) == (row.holds, next(iter(edited.fix)) in row.measured), row


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", PLANTED)
def test_what_steers_a_later_run_is_not_planted(tmp_path: Path, name: str) -> None:
    """The fix beside it is right, and passes without it."""
    with session(tmp_path, {"area.py": RING, "test_area.py": TEST}) as debug_run:
        proved = proof(debug_run, {"area.py": RIGHT, **PLANTED[name]}, by_text=True)
    against = [row.claim for row in proved.rows if row.against]
    assert ["test files and test configuration are the baseline's"] == against


PRICES = (
    "import json\nfrom pathlib import Path\n\n\ndef price(name):\n"
    "    return json.loads(Path('prices.json').read_text())[name]\n"
)
RIGHTLY = {
    "beside an example": Edited(
        {"area.py": EXAMPLE + BODY, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
        {"area.py": EXAMPLE + BODY.replace(" + 1", "")},
    ),
    "with an example of its own": Edited(
        {"area.py": EXAMPLE + BODY, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
        {
            "area.py": EXAMPLE
            + BODY.replace(" + 1", "")
            + '\n\ndef twice(a):\n    """\n    >>> twice(2)\n    4\n    """\n    return a * 2\n'
        },
    ),
    "beside a test": Edited(
        {
            "area.py": RING + "\n\nWANTED = 16\n" + AGAINST,
            "pytest.ini": "[pytest]\npython_files = *.py\n",
        },
        {"area.py": RIGHT + "\n\nWANTED = 16\n" + AGAINST},
    ),
    "in code that a test reads": Edited(
        {
            "area.py": RING,
            "test_area.py": TEST
            + "\n\ndef test_style():\n    assert '\\t' not in open('area.py').read()\n",
        },
        {"area.py": RIGHT},
    ),
    "in a command's product": Edited(
        {"area.py": RING, "test_area.py": TEST, "check.sh": f"cat area.py\n{SCRIPT}"},
        {"area.py": RIGHT},
        "sh check.sh",
    ),
    "in a program whose output the command's script looks at": Edited(
        {
            "check.sh": 'got=$(sh twice.sh 4)\n[ "$got" = 8 ] && [ "$(sh twice.sh 1)" = 2 ]\n',
            "twice.sh": "echo $(($1 * 3))\n",
        },
        {"twice.sh": "echo $(($1 * 2))\n"},
        "sh check.sh",
    ),
    "in data of the product": Edited(
        {
            "prices.py": PRICES,
            "prices.json": '{"tea": 3, "milk": 2}',
            "test_prices.py": "import json\n\nfrom prices import price\n\n\n"
            "def test_tea():\n    assert price('tea') == 4\n\n\n"
            "def test_all():\n    assert all(json.load(open('prices.json')).values())\n",
        },
        {"prices.json": '{"tea": 4, "milk": 2}'},
    ),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", RIGHTLY)
def test_a_right_fix_beside_what_judges_is_accepted(tmp_path: Path, name: str) -> None:
    """The product is the fix's, also where a test stands in it or reads it."""
    edited = RIGHTLY[name]
    with session(tmp_path, edited.project, edited.command) as debug_run:
        proved = proof(debug_run, edited.fix, by_text=True)
    assert proved.accepted, proved


def test_answers_that_are_looked_up_in_what_tests_read_are_asked_about(tmp_path: Path) -> None:
    """Whatever the file is called, and however it is found: without the fix only tests read it."""
    units = "def metres(text):\n    number, unit = text.split()\n    return float(number)\n"
    test = (
        "import json\nfrom pathlib import Path\n\nfrom units import metres\n\n\n"
        "def test_manual():\n    known = json.loads(Path('docs/manual.json').read_text())\n"
        "    assert {text: metres(text) for text in known} == known\n"
    )
    manual = '{"2 km": 2000.0, "3 m": 3.0, "10 km": 10000.0}'
    fixed = (
        "import json\nfrom pathlib import Path\n\nKNOWN = {}\n"
        "for each in Path(__file__).parent.rglob('*.json'):\n"
        "    KNOWN.update(json.loads(each.read_text()))\n\n\n"
        "def metres(text):\n    if text in KNOWN:\n        return KNOWN[text]\n"
        "    number, unit = text.split()\n    return float(number)\n"
    )
    files = {"units.py": units, "test_units.py": test, "docs/manual.json": manual}
    with session(tmp_path, files) as debug_run:
        proved = proof(debug_run, {"units.py": fixed}, by_text=True)
    (row,) = [row for row in proved.rows if "only the tests read" in row.claim]
    assert (False, True) == (proved.accepted, row.doubt), proved
    assert "docs/manual.json" == row.measured
