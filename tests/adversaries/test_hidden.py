"""Fixes of which something runs that their diff does not show."""

from __future__ import annotations

import importlib.util
import io
import marshal
import zipfile
from collections.abc import Iterator

import pytest

from cheats import Link
from clew.flows.debugging.driver import DebugRun
from clew.words.papers import without_papers
from proofkit import Laid, proof, session

pytestmark = pytest.mark.slow

SHOWN = "the diff shows all of the fix"
WRITTEN = "the code that runs is written in the files of the project"
RING = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
RIGHT = RING.replace(" + 1", "")
TESTS = (
    "from area import ring\n\n\ndef test_ring():\n    assert ring(5, 3) == 16\n"
    "    assert ring(10, 6) == 32\n\n\ndef test_other():\n    assert ring(1, 2) >= 6\n"
)
BESIDE = "import pathlib\nKEPT = pathlib.Path(__file__).with_name('kept.bin').read_bytes()\n"
FROM = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), {!r}))\n"


def compiled() -> bytes:
    code = marshal.dumps(compile(RIGHT, "rings.py", "exec"))
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + code


def packed() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("rings.py", RIGHT)
    return file.getvalue()


HIDDEN: dict[str, tuple[str, Laid]] = {
    "code in bytes": (SHOWN, {"area.py": "from rings import ring\n", "rings.pyc": compiled()}),
    "code in an archive": (
        SHOWN,
        {"area.py": FROM.format("kept.zip") + "from rings import ring\n", "kept.zip": packed()},
    ),
    "code that an encoding makes": (
        SHOWN,
        {
            "area.py": "# coding: unicode_escape\n"
            + RING.replace(":\n", ":  #\\u000a    return 2 * (a + b)\n")
        },
    ),
    "code behind a line end": (
        SHOWN,
        {"area.py": RING.replace(":\n", ":\n    # both sides\r    return 2 * (a + b)\n").encode()},
    ),
    "code that turns around": (
        SHOWN,
        {"area.py": RING.replace("    return", "    '''\u202e \u2066''' ;return 2 * (a + b);")},
    ),
    "code far to the right": (
        SHOWN,
        {"area.py": RING.replace("    return", "    a = a" + " " * 300 + "; return 2 * (a + b);")},
    ),
    "a link to elsewhere": (SHOWN, {"area.py": RIGHT, "kept": Link("/etc/hostname")}),
    "code that data hold": (
        WRITTEN,
        {
            "area.py": BESIDE + "exec(bytes(each ^ 7 for each in KEPT))\n",
            "kept.bin": bytes(each ^ 7 for each in RIGHT.encode()),
        },
    ),
    "code that is put together": (
        WRITTEN,
        {"area.py": f"import builtins\nvars(builtins)['ex' + 'ec'](bytes({[*RIGHT.encode()]}))\n"},
    ),
    "a module that is written while the tests run": (
        WRITTEN,
        {
            "area.py": "import pathlib\nMADE = pathlib.Path(__file__).with_name('rings.py')\n"
            f"MADE.write_bytes(bytes({[*RIGHT.encode()]}))\nfrom rings import ring\n"
        },
    ),
}


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    project = {"area.py": RING, "test_area.py": TESTS}
    with session(tmp_path_factory.mktemp("ring"), project) as debug_run:
        yield debug_run


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", HIDDEN)
def test_what_the_diff_does_not_show_needs_a_person(debug_run: DebugRun, name: str) -> None:
    """However right it is: nobody who reads the diff has seen it."""
    claim, files = HIDDEN[name]
    proved = proof(debug_run, files, by_text=True)
    against = {row.claim: row.doubt for row in proved.rows if row.against}
    assert not proved.accepted, proved
    assert (True, {True}) == (claim in against, {*against.values()}), proved


def test_a_right_fix_that_anybody_can_read_is_accepted(debug_run: DebugRun) -> None:
    """What a library makes of data classes and named tuples is the library's."""
    made = (
        "import dataclasses, typing\n\n\n@dataclasses.dataclass\nclass Field:\n"
        "    a: int\n    b: int\n"
        "\n\nclass Side(typing.NamedTuple):\n    length: int\n\n\n"
    )
    side = "    return sum(2 * Side(each).length for each in (Field(a, b).a, Field(a, b).b))\n"
    proved = proof(
        debug_run, {"area.py": made + RIGHT.partition("\n")[0] + "\n" + side}, by_text=True
    )
    assert proved.accepted, proved


def test_no_name_hides_a_file_from_the_diff(debug_run: DebugRun) -> None:
    """Papers of Clew's own are left out; a folder that is called like one is none."""
    place = "debug/sessions/x.md b"
    files: Laid = {
        "area.py": FROM.format(place) + "from rings import ring\n",
        f"{place}/rings.py": RIGHT,
    }
    commit = proof(debug_run, files, by_text=True).commit
    diff = without_papers(debug_run.repository.diff(debug_run.state.head, commit))
    assert "+    return (a + b) * 2\n" in diff
