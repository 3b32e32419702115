"""What counts as a marker, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.handoff.markers import MARKER, allowed, find

PLAIN = f"{MARKER} /gsd:plan-phase 6"

NONE = {
    "in a code block": f"Like this:\n```\n{PLAIN}\n```\nor not.",
    "in a code block with a language": f"```text\n{PLAIN}\n```",
    "in a code block of tildes": f"~~~\n{PLAIN}\n~~~",
    "in a block that a shorter fence does not close": f"````\n```\n{PLAIN}\n````",
    "in a block that is never closed": f"```\n{PLAIN}",
    "indented as code": f"Then:\n\n    {PLAIN}",
    "indented by a tab": f"Then:\n\n\t{PLAIN}",
    "between back-ticks": f"`{PLAIN}`",
    "between two back-ticks": f"``{PLAIN}``",
    "bold": f"**{PLAIN}**",
    "quoted": f"> {PLAIN}",
    "in quotation marks": f'"{PLAIN}"',
    "in a list": f"- {PLAIN}",
    "behind other words": f"I will print {PLAIN}",
    "in other letters": PLAIN.lower(),
    "with something before the colon": PLAIN.replace(":", " :", 1),
    "in a comment": f"Done.\n<!--\n{PLAIN}\n-->",
    "in a comment that begins behind words": f"Done. <!-- later:\n{PLAIN}\n--> Bye.",
    "in a comment that is never closed": f"<!-- \n{PLAIN}",
    "in a comment with a fence in it": f"<!--\n```\n-->\n<!--\n{PLAIN}\n-->\n```",
    "in a second comment": f"<!-- a --> <!--\n{PLAIN}\n-->",
    "nowhere": "All done.",
    "in nothing": "",
}

WRONG = {
    "the closing back-tick of a span": f"{PLAIN}` and stop",
    "bold that closes behind it": f"{PLAIN}**",
    "two on one line": f"{PLAIN} {PLAIN}",
    "two that differ": f"{PLAIN}\n{MARKER} /gsd:plan-phase 7",
    "no command": f"{MARKER} echo hello",
    "nothing": MARKER,
    "a slash alone": f"{MARKER} /",
    "a command that leads out": f"{MARKER} /gsd:../../evil",
    "a command that stays where it is": f"{MARKER} /gsd:./x",
    "a command without a name in it": f"{MARKER} /gsd://x",
    "a command with a quote in it": f"{MARKER} /gsd:'x",
    "an escape character": f"{PLAIN} \x1b[31m",
    "a line separator": f"{PLAIN} \u2028/gsd:x",
    "too much": f"{PLAIN} {'x' * 3000}",
}

COMMANDS = {
    "alone": (PLAIN, "/gsd:plan-phase 6"),
    "behind prose": (f"Done.\n\n{PLAIN}", "/gsd:plan-phase 6"),
    "before prose": (f"{PLAIN}\n\nSee you.", "/gsd:plan-phase 6"),
    "behind a code block": (f"```\nx\n```\n{PLAIN}\n", "/gsd:plan-phase 6"),
    "behind a block in one line": (f"```x```\n{PLAIN}", "/gsd:plan-phase 6"),
    "twice the same": (f"{PLAIN}\n{PLAIN}", "/gsd:plan-phase 6"),
    "with carriage returns": (f"Done.\r\n{PLAIN}\r\n", "/gsd:plan-phase 6"),
    "behind a comment": (f"<!-- a\nb -->\n{PLAIN}", "/gsd:plan-phase 6"),
    "behind a comment in code": (f"```\n<!--\n```\n{PLAIN}", "/gsd:plan-phase 6"),
    "behind a span that speaks of one": (f"Use `<!--` here.\n{PLAIN}", "/gsd:plan-phase 6"),
    "behind one that is never closed": (f"a <!-- b\n{PLAIN}", "/gsd:plan-phase 6"),
    "of a folder": (f"{MARKER} /git/commit.all 1", "/git/commit.all 1"),
    "indented a little": (f"  {PLAIN}  ", "/gsd:plan-phase 6"),
    "with a path": (f"{MARKER} /gsd:execute-plan a/05-PLAN.md", "/gsd:execute-plan a/05-PLAN.md"),
    "with a shell's words": (f"{PLAIN} it's $(touch x)", "/gsd:plan-phase 6 it's $(touch x)"),
}


@pytest.mark.parametrize("message", NONE.values(), ids=NONE)
def test_what_only_speaks_of_a_marker_is_none(message: str) -> None:
    """Only a whole line of its own, outside code and quotes, asks for anything."""
    assert find(message) is None


@pytest.mark.parametrize("message", WRONG.values(), ids=WRONG)
def test_what_may_be_a_marker_but_cannot_be_followed_says_why(message: str) -> None:
    """It is not guessed at, and not passed over in silence."""
    asked = find(message)
    assert asked is not None
    assert asked.wrong


@pytest.mark.parametrize(("message", "command"), COMMANDS.values(), ids=COMMANDS)
def test_a_line_of_its_own_is_a_marker(message: str, command: str) -> None:
    """The words behind it are the command as it stands."""
    asked = find(message)
    assert asked is not None
    assert (command, "") == (asked.command, asked.wrong)


lines = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=50)
@given(st.lists(lines.filter(lambda line: not line.lstrip().startswith(("```", "~~~")))))
def test_prose_before_a_marker_changes_nothing(prose: list[str]) -> None:
    """Whatever else a message says, its one marker is found."""
    asked = find("\n".join([*(line for line in prose if MARKER not in line), PLAIN]))
    assert asked is not None
    assert "/gsd:plan-phase 6" == asked.command


@settings(max_examples=50)
@given(st.text())
def test_any_message_has_an_answer(message: str) -> None:
    """Nothing that an agent says makes the search fail; a command that is found is one line."""
    for text in (message, f"{MARKER} {message}", f"{MARKER} /{message}"):
        asked = find(text)
        if asked is not None and not asked.wrong:
            assert asked.command.startswith("/")
            assert asked.command.isprintable()


@pytest.mark.parametrize(
    ("name", "patterns", "may"),
    [
        ("/gsd:plan-phase", ("/gsd:*",), True),
        ("/gsd:plan-phase", ("/gsd:plan-phase",), True),
        ("/gsd:plan-phases", ("/gsd:plan-phase",), False),
        ("/gsd", ("/gsd:*",), False),
        ("/exit", ("/gsd:*",), False),
        ("/gsd:x", (), False),
        ("/a.b", ("/a?b", "/a[.]b"), False),
    ],
)
def test_a_list_of_commands_knows_one_wildcard(
    name: str, patterns: tuple[str, ...], *, may: bool
) -> None:
    """`*` at the end of a pattern, and nothing else."""
    assert may == allowed(name, patterns)
