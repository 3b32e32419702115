from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from clew.cli import clew as every_command
from commandline import CommandLine
from injections import INJECTIONS, obeyed
from projects import commit_all, diagnosis, fix, git, recording, write
from suiteplay import MOST, json_lines

NAMES = ("title", "clipboard", "other screen", "overwriting", "direction", "colours")
HOSTILE = "\n".join(INJECTIONS[name] for name in NAMES)
TITLE = INJECTIONS["title"]
FILES = {
    ".gitignore": ".clew\ndebug\nsuite.jsonl\none\n*.svg\nplans\n",
    "plan.md": (
        f"# A plan {TITLE}\n\n## Phase 1: One {TITLE}\n\n"
        f"```yaml\nagent: coder\ncreates: [two.py]\n```\n\n{HOSTILE}\n"
    ),
    "thing.py": "def one():\n    return 1\n",
    "test_thing.py": (
        "import sys\n\nimport pytest\n\nfrom thing import one\n\n"
        f"HOSTILE = {HOSTILE!a}\n\n\n"
        "@pytest.mark.parametrize('text', [HOSTILE])\n"
        "def test_one(text):\n    print(text, file=sys.stderr)\n    assert one() == 1, text\n"
    ),
}
CHANGE = {
    "file": "thing.py",
    "line": 2,
    "current": "    return 2\n",
    "should_be": f"    return 3  # {TITLE}\n",
}
MENDED = CHANGE | {"should_be": f"    return 1  # {TITLE}\n"}

# What a person types, one after the other; each command has its row.
TYPED = """
fix --agent {agent} --max-iterations 1
status
list
show
show --recording
log
diff
checkpoints
evidence {session}
evidence
context {session}
context --prompt {session}
diagnose {session}
diagnose --agent {agent}
localize
bisect
minimize {hostile}
flakes --all
recover
doctor
agents
agents try {agent}
prompts
prompts show diagnose
prompts copy diagnose
chain status
chain start --dry-run {hostile}
chain log {hostile}
chain stop
chain table
chain next
hooks install
hooks verify
hooks uninstall
bench run suite.jsonl --agent {agent} --iterations 1 --out one
bench show one --by kind
bench compare one one
bench plot one --out {drawing}
bench seed . --out {hostile}
resume --with-context {hostile}
rollback start --with-context {hostile}
answer {session} {hostile}
answer {session} rollback {hostile}
continue --skip-tests
fix --agent {agent} --max-iterations 1 --test-command {hostile}
fix --agent {agent} --max-iterations 1
terminate
fix --agent {able} --max-iterations 1
show
apply
ci --agent {agent} --max-iterations 1
ci --failed {hostile}
gates --only tests
plan check plan.md
plan show plan.md
plan approve plan.md
plan new {hostile}
plan draft {hostile} --agent {agent}
plan learnings
run plan.md --agent {agent}
pause
fork --at {hostile}
revise --plan plan.md
knowledge search {hostile}
debug {hostile} --diagnose --agent {agent}
import {hostile}
export
archive
work-on {hostile} {hostile} {hostile} 1
"""
# A live display moves the cursor and has colours; it does no more.
DISPLAY = re.compile(r"\x1b\[(?:\d*(?:;\d+)*m|\?25[lh]|\d*[AK])")
# Of the project's own orders these are like a display's; no display of ours gives just them.
FOREIGN = ("\x1b[31;1m", "\x1b[8m", "\x1b[28m", "failed\rpassed")
RAW = {"diff"}  # to be applied, where no terminal shows it
WATCHED = {
    "fix",
    "run",
    "resume",
    "rollback",
    "answer",
    "continue",
    "terminate",
    "ci",
    "agents try",
    "debug",
    "plan draft",
    "revise",
}
TABLES = {"bench run", "bench show", "bench compare"}


def leaves(group: click.Group, above: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            if command.invoke_without_command:
                yield name
            yield from leaves(command, f"{name} ")
        else:
            yield above + name


def typed() -> list[tuple[str, list[str]]]:
    """Each row's command, and its words."""
    names = sorted(leaves(every_command), key=len, reverse=True)
    rows = [row for row in TYPED.split("\n") if row]
    return [(next(n for n in names if f"{row} ".startswith(f"{n} ")), row.split()) for row in rows]


def looks_as_json(command: str) -> bool:
    """Whether it can be asked for JSON, and asking twice is no other thing."""
    found: click.Command = every_command
    for name in command.split():
        assert isinstance(found, click.Group)
        found = found.commands[name]
    return command not in WATCHED | TABLES and any(each.name == "json" for each in found.params)


def in_a_terminal(clew: CommandLine, *words: str) -> str:
    """What a command sends to a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", *words],
        cwd=clew.project,
        env=clew.environment({"TERM": "xterm"}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = bytearray()
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        pass  # the terminal is gone when its last user is
    process.wait()
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


def test_every_command_is_typed() -> None:
    """One that is new gets a row here."""
    assert set(leaves(every_command)) == {command for command, _ in typed()}


@pytest.fixture
def hostile(tmp_path: Path) -> CommandLine:
    """A project whose folder, last commit, tests and tests' output command a terminal."""
    root = commit_all(write(tmp_path / f"hostile {TITLE}", FILES))
    suite = MOST | {"id": "most", "kind": HOSTILE}
    json_lines(root / "suite.jsonl", suite)
    write(root, {"thing.py": "def one():\n    return 2\n", f"{TITLE}\u202e.txt": HOSTILE})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", HOSTILE, "--author", f"{HOSTILE} <{TITLE}@localhost>")
    return CommandLine(root, tmp_path / "state", {"HOME": str(tmp_path)})


def places_of(folder: Path) -> dict[str, str]:
    """What stands for the words in braces."""
    return {
        "{agent}": recording(folder / "r", diagnosis(HOSTILE, CHANGE), fix(CHANGE)),
        "{able}": recording(folder / "able", diagnosis(HOSTILE, MENDED), fix(MENDED)),
        "{hostile}": HOSTILE,
        "{drawing}": f"{TITLE}.svg",
        "{session}": "",
    }


def rows_of(hostile: CommandLine, places: dict[str, str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each row's command, the row, and its words with the newest session of that moment."""
    for command, row in typed():
        newest = max(hostile.project.glob(".clew/sessions/*"), key=os.path.getmtime, default=None)
        now = places | ({"{session}": newest.name} if newest else {})
        yield command, " ".join(row), [now.get(word, word) for word in row]


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("first", [0, 1])
def test_a_hostile_project_commands_no_terminal_and_nobody_behind_a_pipe(
    tmp_path: Path, hostile: CommandLine, first: int
) -> None:
    """Whatever command shows it: the tests, their output, the agent's words, names, commits.

    What only looks is typed in a terminal, behind a pipe and for JSON; what works, in a terminal or
    behind a pipe by turns. Behind a pipe not one order comes through, be it a colour.
    """
    told, silent = {}, []
    for place, (command, row, words) in enumerate(rows_of(hostile, places_of(tmp_path))):
        looks, turn = looks_as_json(command), place % 2 == first
        if looks or turn:
            seen = in_a_terminal(hostile, *words)
            silent += [] if seen else [row]
            foreign = [order for order in FOREIGN if order in seen]
            if command in WATCHED | TABLES:
                seen = DISPLAY.sub("", seen).replace("\r", "")
            told[row] = [*foreign, *obeyed(seen)]
        if (looks or not turn) and command not in RAW:
            said = hostile.run(*words)
            told[f"{row} | cat"] = obeyed(said.out + said.err)
        if looks:
            said = hostile.run(*words, "--json")
            told[f"{row} --json"] = obeyed(said.out + said.err)
    assert {} == {row: orders for row, orders in told.items() if orders}
    assert [] == silent
    for page in hostile.project.glob(".clew/ci/*.md"):
        assert [] == obeyed(page.read_text())
    documents = [
        *hostile.project.glob(".clew/sessions/*/*.md"),
        *hostile.project.glob("debug/*/*.md"),
    ]
    assert documents
    assert [] == [d for d in documents if obeyed(d.read_text())]
