"""What judges a fix, by what a run read and by what its command names."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import by_command, by_reading
from clew.words.facts import FileRead

FILES = {
    "check.sh": b"sh ci/all.sh\npip install -r requirements.txt\n",
    "ci/all.sh": b"python3 main.py < given.txt | cmp - wanted.txt\n",
    "ci/given.txt": b"",
    "wanted.txt": b"",
    "main.py": b"",
    "requirements.txt": b"",
    "Makefile": b"check:\n\tsh ci/all.sh\n\tcp README.md build\n",
    "README.md": b"",
}


@pytest.mark.parametrize(
    ("readers", "judges"),
    [
        (["test_a.py"], True),
        ([""], True),
        (["conftest.py", "test_a.py"], True),
        (["plug.py"], True),
        (["main.py"], False),
        (["test_a.py", "main.py"], False),
    ],
)
def test_data_judges_where_only_what_judges_reads_it(readers: list[str], *, judges: bool) -> None:
    """Data that the product reads is the product's."""
    read = [FileRead(path="rows.json", by=reader) for reader in readers]
    assert judges == ("rows.json" in by_reading(read, (), {"plug.py"}))


def test_code_is_not_judged_by_who_reads_it() -> None:
    """A test may look at the source of the product."""
    assert not by_reading([FileRead(path="main.py", by="test_a.py")], (), ())


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (("sh", "check.sh"), {"check.sh", "ci/all.sh", "ci/given.txt", "wanted.txt"}),
        (("python3", "main.py"), {"main.py"}),
        (("make", "check"), set[str]()),
    ],
)
def test_a_command_judges_by_its_scripts_and_what_these_compare_with(
    argv: tuple[str, ...], found: set[str]
) -> None:
    """Not by programs that these start, and not by what they install."""
    makes = {"Makefile", "ci/all.sh", "ci/given.txt", "wanted.txt"}
    known = FILES if argv[0] == "make" else {k: v for k, v in FILES.items() if k != "Makefile"}
    assert (found or makes) == by_command(argv, known, known.get, "")
