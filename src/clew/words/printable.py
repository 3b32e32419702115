"""Text from outside, made harmless to show: one mechanism for terminals, prompts and documents.

Nothing that it leaves commands a terminal, and nothing is there that a person cannot see.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata

__all__ = [
    "escaped",
    "first_line",
    "joined_lines",
    "one_line",
    "printable",
    "revealed",
    "shortened",
    "unseen",
]

ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links; without an end they end with the line
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # device strings
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")

# What Unicode lets a renderer leave out, and what is no control or format character by category.
IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


class _Shown(dict[int, str]):
    """What each character is shown as, found out once."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        if unicodedata.category(character) == "Cs":
            shown = "\N{REPLACEMENT CHARACTER}"
        else:
            shown = "" if unseen(character) and character not in "\n\t" else character
        self[number] = shown
        return shown


class _Escaped(dict[int, str]):
    """What each character is written as within a JSON text."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        written = character
        if unseen(character) and character != "\n":
            units = character.encode("utf-16-be", "surrogatepass")
            written = "".join(
                f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)
            )
        self[number] = written
        return written


_SHOWN, _ESCAPED = _Shown(), _Escaped()


def unseen(character: str) -> bool:
    """Tell a character that a person cannot see."""
    return unicodedata.category(character) in UNSEEN or bool(IGNORABLE.match(character))


def printable(text: str) -> str:
    r"""Return the text without terminal escapes, control and invisible characters.

    Of the control characters only `\n` and `\t` are left; every other line end becomes `\n`.
    """
    text = LINE_ENDS.sub("\n", ESCAPES.sub("", text))
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return text.translate(_SHOWN)


def revealed(text: str) -> str:
    r"""Return the text with each character that a person cannot see named: `<U+202E>`.

    Lines end where they do in the text, with `\n` or `\r\n`.
    """
    return "".join(
        f"<U+{ord(each):04X}>" if unseen(each) and each not in "\n\t" else each
        for each in text.replace("\r\n", "\n")
    )


def one_line(text: str) -> str:
    """Return the text printable and on one line, so that no line of it passes for one of ours.

    Blanks within a line stay: they may be what a test fails for.
    """
    return joined_lines(printable(text))


def joined_lines(text: str) -> str:
    """Return the lines of a text beside each other, each without its indentation."""
    return " ".join(filter(None, map(str.strip, text.splitlines())))


def shortened(text: str, most: int = 160) -> str:
    """Return the text as one line of at most so many characters; a cut is made after a word."""
    line = one_line(text)
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    whole = cut if line[most - 1] == " " else cut.rpartition(" ")[0]
    return f"{whole.rstrip(' ,;:.(') if len(whole) > most // 2 else cut}…"


def escaped(json: bytes) -> bytes:
    """Return JSON with the unseen characters of its texts as escapes: the same values."""
    return json if json.isascii() and b"\x7f" not in json else _escape(json)


def _escape(json: bytes) -> bytes:
    return json.decode().translate(_ESCAPED).encode()


def below(text: str, label: str = "") -> str:
    """Return what others say, behind a label of ours or on lines of its own, deeper than ours."""
    deeper = textwrap.indent(text, "  ")
    return f"{label} {deeper.lstrip()}" if label and text else deeper


def first_line(text: str) -> str:
    """Return the first line of text from outside; "(no words)" where there is none."""
    return next((line for line in printable(text).split("\n") if line.strip()), "(no words)")
