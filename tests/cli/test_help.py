from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from clew.cli import clew, main
from clew.cli.commands import SECTIONS


def test_every_command_stands_in_one_section() -> None:
    """The list by purpose leaves none out, and names none that is not there."""
    named = [name for names in SECTIONS.values() for name in names]
    shown = [name for name, command in clew.commands.items() if not command.hidden]
    assert sorted(shown) == sorted(named)


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("words", [(), ("fix",), ("bench", "run")], ids=" ".join)
def test_help_is_whole_and_no_wider_than_the_terminal(
    words: tuple[str, ...],
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A sentence that does not fit on its line goes on on the next."""
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit, match="0"):
        main([*words, "--help"])
    said = capsys.readouterr().out
    assert min(columns, 80) >= max(len(line) for line in said.splitlines())
    if not words:
        assert "by number, by word or in your own words." in " ".join(said.split())
        assert "130 interrupted." in " ".join(said.split())


@pytest.mark.parametrize(
    "group", [name for name, command in clew.commands.items() if isinstance(command, click.Group)]
)
def test_help_of_a_group_cuts_no_sentence(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a command of a group does is said as whole as what a command of `clew` does."""
    with pytest.raises(SystemExit, match="0"):
        main([group, "--help"])
    assert "..." not in capsys.readouterr().out.replace("[ARGS]...", "")


def every(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield words, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from every(below, *words, name)


@pytest.mark.parametrize(("words", "command"), [*every(clew)])
def test_no_help_shows_a_mark_that_is_meant_for_click(
    words: tuple[str, ...], command: click.Command
) -> None:
    """A paragraph that is not to be wrapped anew begins with a backspace, not with two letters."""
    context = click.Context(command, info_name=" ".join(("clew", *words)))
    assert not re.findall(r"[\b\f]|\\[a-z]", command.get_help(context))


@pytest.mark.parametrize("words", [(), ("bench",), ("chain",), ("hooks",)], ids=" ".join)
def test_a_group_alone_says_its_help_whole(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """The same lines as for --help, as an error: nothing was asked for."""
    with pytest.raises(SystemExit, match="0"):
        main([*words, "--help"])
    whole = capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main([*words])
    assert ("", whole) == capsys.readouterr()
