"""Which files of a project are read while its tests run, and by whom."""

from __future__ import annotations

import pytest

from clew.runners import Request
from clew.words.facts import FileRead
from projectplay import PYTEST, Play

FILES = {
    "shop.py": "def price():\n    return open('price.txt').read()\n",
    "price.txt": "4",
    "wanted.txt": "4",
    "written.txt": "",
    "test_shop.py": (
        "import pathlib\nimport unittest\nfrom shop import price\n\n\n"
        "class Shop(unittest.TestCase):\n    def test_price(self):\n"
        "        assert price() == pathlib.Path('wanted.txt').read_text()\n"
        "        pathlib.Path('written.txt').write_text('x')\n"
    ),
}


@pytest.mark.parametrize("flag", [PYTEST, f"{PYTEST[:-6]}unittest"])
def test_who_reads_a_file_is_told_where_that_is_asked_for(play: Play, flag: str) -> None:
    """The nearest code of the project does; loading code and writing is no reading."""
    play.write(FILES)
    read = play.report(Request(reading=True), flag=flag).run.read
    data = {each for each in read if not each.path.endswith((".py", ".ini", ".toml"))}
    by_whom = {"price.txt": "shop.py", "wanted.txt": "test_shop.py"}
    assert {FileRead(path=path, by=by) for path, by in by_whom.items()} == data
    assert not {each for each in read if each.path == "shop.py"}
    assert () == play.report(flag=flag).run.read


def test_of_another_runner_is_told_what_was_read_and_not_by_whom(play: Play) -> None:
    """Files that are written alone are not among it, nor what is installed."""
    play.write(
        {
            "check.sh": "cat wanted.txt data/rows.txt node_modules/a.txt\necho x > written.txt\n",
            "wanted.txt": "4",
            "data/rows.txt": "4",
            "other.txt": "4",
            "written.txt": "",
            "node_modules/a.txt": "",
        }
    )
    opened = play.report(Request(reading=True), flag="sh check.sh").run.opened
    assert ("check.sh", "data/rows.txt", "wanted.txt") == opened
    assert play.report(flag="sh check.sh").run.opened is None
