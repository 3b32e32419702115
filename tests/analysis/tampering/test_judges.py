"""What judges a fix, by what a run read and by what its command names."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import by_command, by_opening, by_reading, is_data, started_by
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


@pytest.mark.parametrize(
    ("script", "run"),
    [
        ("node check.js", True),
        ("node --require ./check.js --test", True),
        ("node --import=./check.js --test", True),
        ("CI=1 npx tsx check.js", True),
        ("node lint.js && node --test-only check.js", True),
        ("./check.js", True),
        ("standard check.js && node --test", False),
        ("node --test", False),
    ],
)
def test_code_that_a_script_of_package_json_runs_judges(script: str, *, run: bool) -> None:
    """What a linter is given is the product's."""
    package = b'{"scripts": {"test": "%s", "build": "node main.js"}}' % script.encode()
    files = {"package.json": package, "check.js": b"", "main.js": b""}
    found = by_command(("npm", "test"), files, files.get, "", "test")
    assert {"package.json", *(["check.js"] if run else [])} == found


@pytest.mark.parametrize(
    ("code", "product"),
    [
        ("require('../data/rows.json')", True),
        ("require('../data/rows')", True),
        ("path.join(root, 'data', `${name}.json`)", True),
        ("//go:embed data/*", True),
        ("readdir('data/')", True),
        ("require('../data/prices.json')", False),
        ("path.join('data', 'prices.json')", False),
        ("const data = rows;", False),
        ("", False),
    ],
)
def test_data_is_the_products_where_its_code_names_it(code: str, *, product: bool) -> None:
    """Or its folder alone, and makes up the rest of the name."""
    assert product == (set() == by_opening(["data/rows.json"], {"src/a.js": code}))


@pytest.mark.parametrize(
    ("path", "content", "data"),
    [
        ("rows.json", b"[]", True),
        ("wanted", b"16", True),
        ("bin/run", b"#!/usr/bin/env node", False),
        ("src/a.php", b"", False),
        ("package-lock.json", b"", False),
        (".gitignore", b"", False),
    ],
)
def test_code_is_no_data(path: str, content: bytes, *, data: bool) -> None:
    """Nor is what package managers and git go by."""
    assert data == is_data(path, {path: content}.get)


def test_a_script_of_a_command_starts_programs() -> None:
    """What these read may be what they are judged by."""
    found = started_by({"check.sh", "ci/all.sh", "Makefile"}, FILES, FILES.get, "")
    assert {"main.py"} == found
