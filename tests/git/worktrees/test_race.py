"""A fix of 150 files is applied while an editor saves every one of them: no save is lost.

`CLEW_RACES=200 CLEW_SWEEP=1 pytest tests/git/worktrees/test_race.py -m slow` runs two hundred.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sweeps
from clew.git.worktrees import NotApplied, PrivateRepository
from person import Person

FILES = 150
RACES = int(os.environ.get("CLEW_RACES", sweeps.rounds(5, of=12)))
SEED = sweeps.number() or 0

# Waits for one file to be replaced, saves one that may not have been yet, then all of them.
EDITOR = """
import os, random, sys
from pathlib import Path

root, over, files, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
chance = random.Random(seed)

def in_place(path, text):
    path.write_text(text)

def renamed(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.replace(path)

def with_backup(path, text):
    path.rename(path.with_name(path.name + "~"))
    path.write_text(text)

def without_cutting(path, text):
    with path.open("r+") as file:
        file.write(text)
        file.truncate()

style = chance.choice([in_place, renamed, with_backup, without_cutting])
every = [root / f"f{number}.py" for number in range(files)]
waited = chance.choice(every)
before = waited.stat().st_ino
print("ready", flush=True)
while not over.exists():
    try:
        if waited.stat().st_ino != before:
            break
    except FileNotFoundError:
        break
chance.shuffle(every)
for path in (every[-1], *every):
    style(path, f"{path.name} saved by {seed}\\n" * chance.choice([1, 1000]))
"""


def text_of(number: int) -> str:
    return f"one\ntwo of {number}\nthree\n"


@pytest.mark.slow
def test_no_save_is_lost(person: Person, private: PrivateRepository, tmp_path: Path) -> None:
    """However an editor saves, and whatever moment it begins at, each file is as it saved it."""
    for number in range(FILES):
        person.write(f"f{number}.py", text_of(number))
    base = private.snapshot("race").commit
    tree = private.add_worktree("race", base)
    for number in range(FILES):
        (tree / f"f{number}.py").write_text(text_of(number).replace("two", "TWO"))
    made = private.commit("race", "fix")
    assert made is not None
    lost: dict[str, int] = {}
    given_up = 0
    for race in range(RACES):
        seed = f"{SEED}.{race}"
        for number in range(FILES):
            person.write(f"f{number}.py", text_of(number))
        given_up += not applied_beside_an_editor(person, private, (base, made.id), seed, tmp_path)
        saved = f"saved by {seed}"
        missing = [
            number
            for number in range(FILES)
            if not (person.root / f"f{number}.py").is_file()
            or saved not in person.read(f"f{number}.py")
        ]
        if missing:
            lost[seed] = len(missing)
    assert {} == lost, f"of {RACES} races, {given_up} given up; saves lost by seed: {lost}"


def applied_beside_an_editor(
    person: Person, private: PrivateRepository, fixed: tuple[str, str], seed: str, scratch: Path
) -> bool:
    """Let the two run side by side, to the end of both; whether the fix was applied."""
    over = scratch / "over"
    over.unlink(missing_ok=True)
    words = [sys.executable, "-c", EDITOR, str(person.root), str(over), str(FILES), seed]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as editor:
        assert editor.stdout is not None
        assert "ready\n" == editor.stdout.readline()
        applied = False
        try:
            with contextlib.suppress(NotApplied):
                private.apply("race", *fixed)
                applied = True
        finally:
            over.touch()
        assert 0 == editor.wait()
    return applied
