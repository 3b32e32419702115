"""Any Python from 3.9 on, with any pytest from 7 on, is the project's own business."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix import PAIRS, environment
from shapes import CONFIG, events, person

ODD = "a/b::c [d] é\n"
FILES = {
    ".gitignore": ".venv/\n",
    "pyproject.toml": CONFIG,
    "core.py": (
        "def area(width, height):\n    return width * height\n\n\n"
        "def ring(width, height):\n    return (width + height) * 3\n"
    ),
    "tests/test_core.py": (
        "import pytest\n\nfrom core import area, ring\n\n\n"
        "@pytest.mark.parametrize(('size', 'length'),"
        f" [(1, 4), pytest.param(2, 8, id={ODD!r})])\n"
        "def test_square(size, length):\n    assert ring(size, size) == length\n\n\n"
        "class TestFlat:\n"
        "    def test_none(self):\n        assert ring(0, 0) == 0\n\n"
        "    def test_area(self):\n        assert area(2, 3) == 6\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("python", "major"), PAIRS)
def test_every_python_with_every_pytest_is_mended(tmp_path: Path, python: str, major: str) -> None:
    """Tests are known by id, the fault by the lines that red tests run, the fix by a proof."""
    clew = person(tmp_path, FILES)
    own = environment(clew.project, python, major=major) / "bin" / "python"

    said = clew.run("fix", "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said.err
    ran = {event["purpose"]: event for event in events(said, "TestsRan")}
    assert {str(own)} == {event["command"]["interpreter"] for event in ran.values()}
    assert ["1-4", ODD.encode("unicode_escape").decode()] == sorted(
        red["id"].removeprefix("tests/test_core.py::test_square[").removesuffix("]")
        for red in ran["baseline"]["red"]
    )
    assert (4, 4) == (ran["baseline"]["total"], ran["verify"]["passed"])
    (diagnosed,) = events(said, "Diagnosed")
    assert ("core.py", 6) == (diagnosed["suspects"][0]["path"], diagnosed["suspects"][0]["line"])
    assert "Ochiai" in " ".join(diagnosed["diagnosis"]["evidence"])
    assert all(row["holds"] for row in said.summary["proof"]["rows"])
