"""The files of a commit, read where they are needed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

import pytest

from clew.agents.prompts import Brief
from clew.agents.prompts import prompt as asked
from clew.analysis.context import Focus, counter
from clew.flows.debugging.driver import surrounded
from clew.git.commit_files import CommitFiles, Gathered, gather
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from failurekit import crash, failed, frame
from projects import commit_all, write

FILES = {
    "shop/__init__.py": "from .cart import total\n",
    "shop/cart.py": "from shop.prices import price\n\n\ndef total(items):\n    return 1\n",
    "shop/prices.py": "from shop import rates\n\n\ndef price(item):\n    return rates.RATE\n",
    "shop/rates.py": "RATE = 2\n\n\ndef hidden():\n    return secret\n",
    "shop/report.py": "from shop.cart import total\n\n\ndef report():\n    return total([])\n",
    "shop/other.py": "import os\n",
    "tests/test_cart.py": (
        "from shop import total\n\n\ndef test_total():\n    assert total([]) == 0\n"
    ),
    "tests/test_more.py": "from shop.cart import total\n",
    "data.bin": "\0\1",
}
NAMED = (Focus(path="shop/cart.py", lines=(5,)), Focus(path="tests/test_cart.py", lines=(5,)))


class Reading(PrivateRepository):
    """Remembers how many files were read."""

    read = 0

    def contents(self, names: Collection[str]) -> dict[str, bytes]:
        self.read += len(names)
        return super().contents(names)


def opened(folder: Path, files: dict[str, str]) -> tuple[Reading, str]:
    """A repository with these files, and the commit of a snapshot."""
    project = commit_all(write(folder / "project", files))
    repository = Reading.open(locate(project), folder / "state")
    assert isinstance(repository, Reading)
    return repository, repository.snapshot("s").commit


def look(repository: PrivateRepository, commit: str, folder: Path) -> Gathered:
    library = CommitFiles(repository, commit, folder)
    try:
        return gather(library, NAMED)
    finally:
        library.close()


def test_files_are_gathered_by_their_distance(tmp_path: Path) -> None:
    """Named ones first; what imports a named file is two steps away, unless it is a test."""
    found = look(*opened(tmp_path, FILES), tmp_path)

    assert [
        ("shop/cart.py", 0),
        ("tests/test_cart.py", 0),
        ("shop/__init__.py", 1),
        ("shop/prices.py", 1),
        ("shop/rates.py", 2),
        ("shop/report.py", 2),
    ] == [(source.path, source.distance) for source in found.sources]
    assert "    4| def total(items):\n    5|     return 1" == found.sources[0].focus


def test_what_was_read_of_a_content_is_kept(tmp_path: Path) -> None:
    """The second look reads the texts that it shows, and outlines nothing anew."""
    repository, commit = opened(tmp_path, FILES)
    first = look(repository, commit, tmp_path)
    before, repository.read = repository.read, 0

    assert first == look(repository, commit, tmp_path)
    assert 0 < repository.read == len(first.sources) < before


@pytest.mark.parametrize("damage", ["overwritten", "a folder", "of another time"])
def test_what_is_kept_may_be_lost_at_any_time(tmp_path: Path, damage: str) -> None:
    """It is made anew; a look never fails for it."""
    repository, commit = opened(tmp_path, FILES)
    kept = tmp_path / "kept"
    first = look(repository, commit, kept)
    table = kept / "outlines.db"
    match damage:
        case "overwritten":
            table.write_bytes(b"not a table at all" * 99)
        case "a folder":
            table.unlink()
            table.mkdir()
        case _:
            library = CommitFiles(repository, commit, kept)
            database = library._kept._database
            assert database is not None
            database.execute("UPDATE outlines SET record = x'c1'")
            library.close()

    assert first == look(repository, commit, kept)


def test_links_and_binary_files_are_no_text(tmp_path: Path) -> None:
    """A link is not followed, wherever it leads."""
    (tmp_path / "secret.py").write_text("SECRET = 1\n")
    project = write(tmp_path / "project", FILES)
    (project / "link.py").symlink_to(tmp_path / "secret.py")
    commit_all(project)
    repository = PrivateRepository.open(locate(project), tmp_path / "state")
    library = CommitFiles(repository, repository.snapshot("s").commit, tmp_path)

    assert [None, None, None] == [library.text(p) for p in ("link.py", "data.bin", "gone.py")]
    assert None is library.outline("link.py")
    library.close()


def brief(budget: int = 50_000, name: str = "estimate") -> Brief:
    told = crash(
        "AssertionError", "1 == 0", frame("tests/test_cart.py:5", "test_total", "assert 0")
    )
    failing = failed("tests/test_cart.py::test_total", told)
    return Brief(iteration=1, failing=(failing,), budget=budget, counter=name)


def test_a_brief_gets_the_files_and_their_account(tmp_path: Path) -> None:
    """The files stand in the prompt, and the account counts the prompt as it is."""
    repository, commit = opened(tmp_path, FILES)
    told = surrounded(brief(), repository, commit, tmp_path)
    prompt = asked("diagnose", told)

    assert told.account is not None
    assert ("", (), ()) == (told.account.plain, told.account.thin, told.account.cuts)
    assert "def total(items):\n    return 1" in prompt
    assert "skeleton of shop/prices.py, bodies left out" in prompt
    assert max(len(prompt), len(asked("fix", told))) // 3 <= told.account.used < 5_000


EXACT = [pytest.param(name, marks=pytest.mark.slow) for name in ("o200k_base", "cl100k_base")]


@pytest.mark.parametrize("name", ["estimate", *EXACT])
def test_a_prompt_never_exceeds_its_budget(tmp_path: Path, name: str) -> None:
    """By the counter that is named; what does not fit is said to be thin."""
    files = FILES | {
        "shop/cart.py": FILES["shop/cart.py"] + "# it is DATA_END here\n" * 4_000,
        "shop/prices.py": FILES["shop/prices.py"] + "x = 1\n" * 3_000,
        "tests/test_cart.py": FILES["tests/test_cart.py"] + "\n\ndef f(): ...\n" * 3_000,
    }
    repository, commit = opened(tmp_path, files)
    told = surrounded(brief(8_000, name), repository, commit, tmp_path)
    tokens = counter(name)

    assert told.account is not None
    used = max(tokens.count(asked("diagnose", told)), tokens.count(asked("fix", told)))
    assert used == told.account.used <= 8_000
    assert ("tests/test_cart.py",) == told.account.thin
    assert "The failure touches files that are not shown whole" in asked("diagnose", told)
    assert "assert total([]) == 0" in asked("diagnose", told)


def test_without_its_files_a_prompt_is_plain_and_says_so(tmp_path: Path) -> None:
    """Whatever goes wrong when files are gathered, the agent is told the failure."""
    repository, _ = opened(tmp_path, FILES)
    told = surrounded(brief(), repository, "0" * 40, tmp_path)

    assert told.account is not None
    assert told.account.plain.startswith("GitFailed: ")
    assert () == told.files
    assert "test_total" in asked("diagnose", told)


@pytest.mark.slow
def test_of_a_large_repository_little_is_read(tmp_path: Path) -> None:
    """Of 10,000 files those near the failure are read, the second time only what is shown."""
    many = {
        f"pkg{n // 100}/mod{n}.py": f"from pkg{(n + 1) % 100}.mod{(n + 1) % 100} import f\n"
        f"def f(x):\n    return x + {n}\n"
        for n in range(10_000)
    }
    repository, commit = opened(tmp_path, FILES | many)
    first = look(repository, commit, tmp_path)
    assert repository.read < 100
    repository.read = 0

    assert first == look(repository, commit, tmp_path)
    assert repository.read == len(first.sources) == 6


def test_a_table_that_another_process_holds_is_left_to_it(tmp_path: Path) -> None:
    """It is done without, as one that cannot be read; only that one is made anew."""
    repository, commit = opened(tmp_path, FILES)
    kept = tmp_path / "kept"
    table = kept / "outlines.db"
    before, number = look(repository, commit, kept), table.stat().st_ino
    with closing(sqlite3.connect(table)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert before == look(repository, commit, kept)
    assert number == table.stat().st_ino
