"""A fix is put in place while somebody saves: what was saved is there, whatever comes of it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.worktrees import (
    Applied,
    ApplyConflict,
    NotApplied,
    PrivateRepository,
    replacing,
    swapping,
)
from person import Person, contents
from treestate import fingerprint

Fixed = tuple[str, str]
Save = Callable[[Path], None]

OLD = "one\ntwo\nthree\nfour\nfive\n"
SAVED = "saved\n"


@pytest.fixture
def fixed(private: PrivateRepository, worktree: Path) -> Fixed:
    """Line two of `a.py` is mended, `run` is gone, `new/x` is there."""
    (worktree / "a.py").write_text("one\nTWO\nthree\nfour\nfive\n")
    (worktree / "run").unlink()
    (worktree / "new").mkdir()
    (worktree / "new" / "x").write_text("x\n")
    made = private.commit("s", "fix")
    assert made is not None
    return private.snapshot("s").commit, made.id


@pytest.fixture(params=["exchange", "links", "neither"])
def ability(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What kernel and file system can do."""
    if request.param == "exchange":
        return
    monkeypatch.setattr(swapping, "_renamed", lambda *_: False)
    if request.param == "neither":

        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", refuse)


def place_of(path: str, applied: Applied) -> str:
    return next(place for place, of in applied.kept.items() if of == path)


def in_place(path: Path) -> None:
    path.write_text(SAVED)


def by_rename(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    new = path.with_name("editor-temporary")
    new.write_text(SAVED)
    new.replace(path)


def anew(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    path.write_text(SAVED)


def before_carrying_out(
    monkeypatch: pytest.MonkeyPatch, number: int, deed: Callable[[], None]
) -> None:
    """Do something in the moment before the file of that number is put in place; 4: after all."""
    carry_out, stands, count = replacing._carry_out, replacing._stands, 0

    def seldom() -> None:
        nonlocal count
        count += 1
        if count == number:
            deed()

    def carrying(root: Path, move: replacing._Move) -> bool:
        seldom()
        return carry_out(root, move)

    def standing(root: Path, move: replacing._Move) -> bool:
        seldom()
        return stands(root, move)

    monkeypatch.setattr(replacing, "_carry_out", carrying)
    monkeypatch.setattr(replacing, "_stands", standing)


def apply_and_die(
    private: PrivateRepository, fix: Fixed, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apply a fix as "s", and be killed before the file of that number is put in place."""
    with monkeypatch.context() as dying:
        before_carrying_out(dying, number, killed)
        dying.setattr(replacing, "_undo", killed)
        with pytest.raises(SystemExit):
            private.apply("s", *fix)


@pytest.mark.usefixtures("ability")
@pytest.mark.parametrize(
    "case",
    [
        (path, moment, save)
        for path in ("a.py", "run")
        for moment in range(1, 5)
        for save in (in_place, by_rename, anew)
    ],
)
def test_what_is_saved_meanwhile_stays(
    person: Person,
    private: PrivateRepository,
    fixed: Fixed,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, int, Save],
) -> None:
    """Before, between and after the steps; the other files are as they were."""
    path, moment, save = case
    before = contents(person.root)
    before_carrying_out(monkeypatch, moment, lambda: save(person.root / path))
    with pytest.raises(NotApplied, match=rf"{path} changed"):
        private.apply("s", *fixed)
    after = contents(person.root)
    assert SAVED.encode() == after[path.encode()][1]
    del before[path.encode()], after[path.encode()]
    assert before == after


@pytest.mark.usefixtures("ability")
def test_a_file_that_somebody_made_meanwhile_stays(
    person: Person, private: PrivateRepository, fixed: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the place of one that the fix makes."""
    before_carrying_out(monkeypatch, 1, lambda: by_rename(person.root / "new" / "x"))
    with pytest.raises(NotApplied, match="new/x changed"):
        private.apply("s", *fixed)
    assert OLD == person.read("a.py")
    assert SAVED == person.read("new/x")


@pytest.mark.usefixtures("ability")
def test_who_has_a_file_open_for_writing_is_waited_for(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """Even if nothing has been written yet: what comes then is in the file at its place."""
    with (person.root / "a.py").open("r+") as editor:
        with pytest.raises(NotApplied, match=r"a\.py changed"):
            private.apply("s", *fixed)
        editor.seek(len(OLD) - len("five\n"))
        editor.write("FIVE")
    assert OLD.replace("five", "FIVE") == person.read("a.py")
    private.apply("s", *fixed)
    assert "one\nTWO\nthree\nfour\nFIVE\n" == person.read("a.py")


def test_one_who_reads_is_in_nobodys_way(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """A language server may have every file open."""
    with (person.root / "a.py").open():
        private.apply("s", *fixed)
    assert "TWO" in person.read("a.py")


def test_what_was_replaced_is_kept_with_who_writes_into_it(
    person: Person, private: PrivateRepository, fixed: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the kernel does not tell who writes, what is written later is found."""
    monkeypatch.setattr(replacing, "written_to", lambda *_: False)
    monkeypatch.setattr(swapping, "written_to", lambda *_: False)
    with (person.root / "a.py").open("a") as editor:
        applied = private.apply("s", *fixed)
        editor.write("later\n")
    assert OLD + "later\n" == person.read(place_of("a.py", applied))


KILLED = """
import os, signal, sys
from pathlib import Path
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository, replacing, swapping

root, state, base, tip, moment, exchange = sys.argv[1:]
count = 0
def counted(function):
    def counting(*arguments, **options):
        global count
        done = function(*arguments, **options)
        count += 1
        if count == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    return counting
if exchange == "links":
    swapping._renamed = lambda *_: False
    for name in ("link", "unlink", "rename"):
        setattr(os, name, counted(getattr(os, name)))
else:
    swapping._renamed = counted(swapping._renamed)
    os.rename = counted(os.rename)
replacing.write = counted(replacing.write)
replacing.write_atomically = counted(replacing.write_atomically)
PrivateRepository.open(locate(Path(root)), Path(state)).apply("s", base, tip)
"""


@pytest.mark.parametrize(
    "case",
    [*((n, "exchange") for n in range(1, 10)), *((n, "links") for n in range(1, 12))],
)
def test_an_apply_that_was_killed_is_gone_on_with(
    person: Person,
    private: PrivateRepository,
    worktree: Path,
    fixed: Fixed,
    case: tuple[int, str],
) -> None:
    """At any of its steps: the next one completes it, and merges with what was saved since."""
    words = (person.root, private.location.parent, *fixed, *case)
    killed = subprocess.run([sys.executable, "-c", KILLED, *map(str, words)], check=False)
    assert -signal.SIGKILL == killed.returncode
    assert private.snapshot("t").skipped == ()
    found = person.root / "a.py"
    if not found.exists():  # between the two steps that stand for an exchange
        private.apply("s", *fixed)
    with found.open("a") as editor:
        editor.write("six\n")
    private.apply("s", *fixed)
    mended = contents(worktree)
    mended[b"a.py"] = ("file", mended[b"a.py"][1] + b"six\n")
    assert mended == contents(person.root)
    left = {path.suffix for path in (person.root / ".clew" / "replaced").rglob("*.*")}
    assert left <= {".py~"}


@pytest.mark.parametrize("moment", range(1, 10))
def test_an_apply_that_was_killed_is_taken_back(
    person: Person, private: PrivateRepository, fixed: Fixed, moment: int
) -> None:
    """At any of its steps, and however far it came."""
    before = contents(person.root)
    words = (person.root, private.location.parent, *fixed, moment, "exchange")
    killed = subprocess.run([sys.executable, "-c", KILLED, *map(str, words)], check=False)
    assert -signal.SIGKILL == killed.returncode
    assert private.is_cut_off("s") or before == contents(person.root)
    private.take_back("s")
    assert before == contents(person.root)
    assert not private.is_cut_off("s")


def test_what_was_killed_in_mid_exchange_puts_a_save_back(
    person: Person, private: PrivateRepository, fixed: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A save that had been taken from its place for a moment is in the files again."""

    before_carrying_out(monkeypatch, 2, lambda: in_place(person.root / "a.py"))
    with monkeypatch.context() as dying:
        dying.setattr(replacing, "_undo", killed)
        dying.setattr(swapping, "TURNS", 0)
        with pytest.raises(SystemExit):
            private.apply("s", *fixed)
    assert SAVED != person.read("a.py")
    with pytest.raises(Exception, match="conflicts with newer changes"):
        private.apply("s", *fixed)
    assert SAVED == person.read("a.py")


@pytest.fixture
def both(private: PrivateRepository, fixed: Fixed) -> tuple[Fixed, Fixed]:
    """That, and a fix of the session `t`: line five of `a.py`, and a new file."""
    base = private.snapshot("t").commit
    tree = private.add_worktree("t", base)
    (tree / "a.py").write_text(OLD.replace("five", "FIVE"))
    (tree / "other").write_text("other\n")
    made = private.commit("t", "another")
    assert made is not None
    return fixed, (base, made.id)


def killed(*_: object, **__: object) -> None:
    raise SystemExit


@pytest.mark.usefixtures("ability")
@pytest.mark.parametrize("lost", ["_close", "_stands", "_sweep"])
def test_an_apply_that_was_killed_after_its_last_file_stays(
    person: Person,
    private: PrivateRepository,
    both: tuple[Fixed, Fixed],
    monkeypatch: pytest.MonkeyPatch,
    lost: str,
) -> None:
    """The next one, of another session and after newer work, takes nothing of it back."""
    with monkeypatch.context() as dying:
        dying.setattr(replacing, lost, killed)
        dying.setattr(replacing, "_undo", killed)
        with pytest.raises(SystemExit):
            private.apply("s", *both[0])
    person.write("a.py", "zero\n" + person.read("a.py"))
    applied = private.apply("t", *both[1])
    assert "zero\none\nTWO\nthree\nfour\nFIVE\n" == person.read("a.py")
    assert not (person.root / "run").exists()
    assert "x\n" == person.read("new/x")
    assert {} == applied.undone
    assert private.apply("s", *both[0]).already


def test_a_kill_while_what_gave_way_is_put_aside_undoes_nothing(
    person: Person, private: PrivateRepository, elsewhere: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any file of a fix that stands."""
    keep = replacing._keep

    def once(root: Path, name: str, where: str) -> str:
        keep(root, name, where)
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(replacing, "_keep", once)
        with pytest.raises(SystemExit):
            private.apply("s", *elsewhere)
    assert private.apply("s", *elsewhere).already


@pytest.mark.usefixtures("ability")
def test_files_that_a_killed_apply_left_are_named_when_they_are_put_back(
    person: Person,
    private: PrivateRepository,
    both: tuple[Fixed, Fixed],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the session whose fix it was; not what the new fix changes itself."""
    apply_and_die(private, both[0], 3, monkeypatch)
    applied = private.apply("t", *both[1])
    assert OLD.replace("five", "FIVE") == person.read("a.py")
    assert {"run": "s"} == applied.undone


@pytest.mark.usefixtures("ability")
def test_a_conflict_names_them_too(
    person: Person,
    private: PrivateRepository,
    both: tuple[Fixed, Fixed],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was put back is no secret because nothing else was written."""
    apply_and_die(private, both[0], 2, monkeypatch)
    person.write("a.py", OLD.replace("five", "mine"))
    with pytest.raises(ApplyConflict, match="killed apply of session s was undone in run"):
        private.apply("t", *both[1])


def test_a_disk_that_fails_while_undoing_is_made_good_later(
    person: Person, private: PrivateRepository, fixed: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says so, and the next call begins with it."""
    before = fingerprint(person.project).files

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as failing:
        before_carrying_out(failing, 3, refuse)
        failing.setattr(replacing, "_take_back", refuse)
        with pytest.raises(NotApplied, match="part of the fix is in your files"):
            private.apply("s", *fixed)
    assert before != fingerprint(person.project).files
    with monkeypatch.context() as failing:
        failing.setattr(replacing, "_staged", refuse)
        with pytest.raises(NotApplied, match="Input/output"):
            private.apply("s", *fixed)
    assert before == fingerprint(person.project).files


@pytest.fixture
def elsewhere(fixed: Fixed, monkeypatch: pytest.MonkeyPatch) -> Fixed:
    """The folder `.clew` is on another file system than all else."""
    rename, renamed = os.rename, swapping._renamed

    def apart(source: int, target: int) -> bool:
        sides = [
            "/.clew/" in f"{Path(f'/proc/self/fd/{it}').readlink()}/" for it in (source, target)
        ]
        return len(set(sides)) == 2

    def renaming(
        old: str, new: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        if src_dir_fd and dst_dir_fd and apart(src_dir_fd, dst_dir_fd):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def checked(source: int, name: str, target: int, new: str, how: int) -> bool:
        if apart(source, target):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return renamed(source, name, target, new, how)

    monkeypatch.setattr(os, "rename", renaming)
    monkeypatch.setattr(swapping, "_renamed", checked)
    return fixed


def test_folders_on_other_file_systems_are_mended_too(
    person: Person, private: PrivateRepository, worktree: Path, elsewhere: Fixed
) -> None:
    """What was there is kept in the same place, and nothing is left beside the files."""
    applied = private.apply("s", *elsewhere)
    assert contents(worktree) == contents(person.root)
    assert OLD == person.read(place_of("a.py", applied))
    assert "?? .clew/" not in person.git("status", "--short")


def test_what_a_call_left_beside_the_files_before_it_had_a_plan_goes(
    person: Person, private: PrivateRepository, elsewhere: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it was about to do; what is kept there of a person's stays."""
    with monkeypatch.context() as dying:
        dying.setattr(replacing, "_write", killed)
        dying.setattr(replacing, "_give_up", killed)
        with pytest.raises(SystemExit):
            private.apply("s", *elsewhere)
    (left,) = person.root.glob(".clew-*")
    (left / "2-a.py~").write_text("kept\n")
    private.apply("s", *elsewhere)
    assert ["2-a.py~"] == [path.name for path in person.root.glob(".clew-*/*")]
