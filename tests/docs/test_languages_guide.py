"""The guide to other languages agrees with the tables in the code."""

from __future__ import annotations

from pathlib import Path

from clew.analysis.context import LANGUAGES
from clew.analysis.mutations import compiled, tried_in
from clew.runners.dialects import DIALECTS
from clew.runners.writers import WRITERS

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "other-languages.md"
COMMANDS = {
    "go": "`go test`",
    "cargo": "`cargo test`",
    "node": "`node --test`",
    "jest": "`jest`",
    "vitest": "`vitest`",
    "junit": "anything that writes JUnit's XML",
    "command": "any other command, such as `make test` or a script",
}


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def table(after: str) -> list[list[str]]:
    text = GUIDE.read_text(encoding="utf-8").partition(f"<!-- {after} -->")[2].strip()
    return rows(text.partition("\n\n")[0])


def test_every_runner_stands_in_the_table() -> None:
    """In the order of the code, in its words."""
    told = [[COMMANDS[runner], dialect.about] for runner, dialect in DIALECTS.items()]

    assert [["pytest, unittest", "everything: see [your Python](interpreters.md)"], *told] == [
        [runner, known] for runner, _, known, _ in table("runners")
    ]


def test_every_language_that_small_changes_are_made_in_stands_in_a_table() -> None:
    """With the names of its files, and whether it is compiled before tests run."""
    told = [
        [each.name, code(files), "yes" if compiled(f"a{files[0]}") else "no"]
        for each in LANGUAGES
        if (files := tuple(end for end in each.suffixes if tried_in(f"a{end}")))
    ]

    assert told == table("changes")


def test_every_known_writer_stands_in_the_table() -> None:
    """With the words that it is given, and the places that are looked at."""
    told = [
        [f"`{name}`", code(known.words), code(known.places[:2])] for name, known in WRITERS.items()
    ]

    assert told == table("writers")


def code(words: tuple[str, ...]) -> str:
    return " ".join(f"`{word}`" for word in words)
