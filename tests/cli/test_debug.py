"""What is typed after `clew debug` is taken strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.cli import main
from clew.cli.debug import meant_by
from clew.words.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "command", "rest"),
    [
        ("list", "list", ""),
        ("cleanup", "cleanup", ""),
        ("status off-by-a-cent", "status", "off-by-a-cent"),
        ("continue off-by-a-cent", "continue", "off-by-a-cent"),
        ("list broken retry", "", "list broken retry"),
        ("status of orders is wrong", "", "status of orders is wrong"),
        ("checkout is off", "", "checkout is off"),
    ],
)
def test_only_the_exact_form_is_a_command(typed: str, command: str, rest: str) -> None:
    """Anything else describes a symptom."""
    assert (command, rest) == meant_by(tuple(typed.split()))


def test_a_description_in_one_word_of_the_shell_is_one() -> None:
    """Quoted, it is no command whatever it begins with."""
    assert ("", "status page") == meant_by(("status page",))


@pytest.mark.parametrize("words", [("status",), ("continue",), ("close",), ("reopen",), (), ("",)])
def test_what_is_missing_is_said(words: tuple[str, ...]) -> None:
    """A command without its session, and no words at all."""
    with pytest.raises(UsageError, match=r"needs the name|is missing"):
        meant_by(words)


@pytest.mark.parametrize("option", ["--reproduce", "--works"])
def test_an_empty_command_is_none(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said before anything is opened."""
    with pytest.raises(SystemExit) as ended:
        main(["debug", "it is off", "-C", str(tmp_path), option, ""])
    assert 2 == ended.value.code
    assert "take a command; this one is empty" in capsys.readouterr().err
