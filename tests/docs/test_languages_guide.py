"""The guide to other languages agrees with the tables in the code."""

from __future__ import annotations

from pathlib import Path

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

    assert [["pytest, unittest", "everything: see [your Python](interpreters.md)"], *told] == (
        table("runners")
    )


def test_every_known_writer_stands_in_the_table() -> None:
    """With the words that it is given, and the places that are looked at."""
    told = [
        [f"`{name}`", code(known.words), code(known.places[:2])] for name, known in WRITERS.items()
    ]

    assert told == table("writers")


def code(words: tuple[str, ...]) -> str:
    return " ".join(f"`{word}`" for word in words)
