"""Every command that the documentation or a message names is one that the command line takes."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import pytest

from clew.cli import clew

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.parent != ROOT / "docs" / "reference"  # written from the code
]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LINE = re.compile(r"^(?: {4}|\$ )?(clew [a-z-].*)$")
SPAN = re.compile(r"`(clew [^`\n]+)`")
Take = Callable[[Sequence[str]], object]
EXAMPLES = {"COMMAND": "fix", "OPTION": "skip", "N": "5", "--claude": "--max-tokens"}
FOLDERS = ("PATH", "SUITE", "DIR", "path/to/it", "QuixBugs", "BugsInPy", "my-faults")
FILES = ("humanevalfix-python-dev.jsonl",)
FILLED = "claude"  # what a message fills in, as far as the command line looks at it
NUMBER = "1"  # and where it wants a number
SHELL = ("|", ">", "&&", "--", "[--")


def lines() -> Iterator[str]:
    """Yield the commands that stand in blocks, each without its explanation."""
    for page in PAGES:
        for line in page.read_text("utf-8").splitlines():
            if found := LINE.match(line):
                yield re.split(r"\s{2,}", found[1])[0]


def spans() -> Iterator[str]:
    """Yield the commands that sentences name, and those of the messages in the code."""
    for page in PAGES:
        yield from SPAN.findall(page.read_text("utf-8").replace(r"\|", "|"))
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield from SPAN.findall(_text(node))


def _text(node: ast.AST) -> str:
    """Return what a string says, with an example where a message fills something in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else FILLED for v in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def meant(command: str) -> list[str]:
    """Return a command's words: in brackets what may be left out, bars between choices."""
    words = shlex.split(command)[1:]
    end = next((place for place, word in enumerate(words) if word in SHELL), len(words))
    words = [
        NUMBER if option == "--iteration" and word == FILLED else word
        for option, word in zip(["", *words], words, strict=False)
    ]
    plain = (word.strip("[]").partition("|")[0] for word in words[:end])
    return [EXAMPLES.get(word, word.removesuffix("…") or word) for word in plain if word]


@pytest.fixture
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Take:
    """Return what reads a command as the command line does, and then does nothing.

    It raises click.UsageError.
    """
    for name in FOLDERS:
        (tmp_path / name).mkdir(parents=True)
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(click.Command, "invoke", lambda *_: 0)
    return lambda words: clew.main(list(words), standalone_mode=False, obj=())


@pytest.mark.parametrize("command", sorted(set(lines())))
def test_a_command_of_a_block_can_be_typed(command: str, take: Take) -> None:
    """The command is there, takes these options and arguments, and misses none."""
    assert 0 == (take(meant(command)) or 0)


def test_a_command_in_a_sentence_or_a_message_is_there(take: Take) -> None:
    """It is there with these options; an argument that it takes may be left out."""
    refused = {}
    for command in sorted(set(spans())):
        try:
            take(meant(command))
        except (click.MissingParameter, click.exceptions.NoArgsIsHelpError):
            continue
        except click.UsageError as error:
            refused[command] = error.format_message()
    assert {} == refused
