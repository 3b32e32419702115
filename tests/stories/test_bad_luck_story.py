"""Machines as they happen to be: streams, disks, clocks, locales, terminals, few rights."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from commandline import CommandLine, Said
from handoffkit import Tmux, until
from leftovers import living, undisturbed
from mounting import mounted, read_only
from projects import commit_all, recording, two_fixes, write

pytestmark = pytest.mark.usefixtures("nothing_left")

NO_TESTS = ("--test-command", "/no/such/runner")  # the shortest session there is
CLEW = f"{sys.executable} -m clew"


def shell(clew: CommandLine, line: str, **env: str) -> Said:
    """What a shell says of a line in which `clew` is Clew; its exit code is that of `clew`."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'clew() {{ {CLEW} "$@"; }}; {line}'],
        cwd=clew.project,
        env=clew.environment(env),
        capture_output=True,
        timeout=300,
        check=False,
    )
    return Said(done.returncode, *(t.decode(errors="replace") for t in (done.stdout, done.stderr)))


def told(said: Said, code: int, *words: str) -> None:
    """The exit code is the documented one, and the person reads words, never a trace."""
    assert code == said.code, said
    where = said.out if code == 3 and said.out else said.err  # a question says what kept the tests
    for word in words:
        assert word in where, said
    assert "Traceback" not in said.err + said.out
    assert "bug in Clew" not in said.err
    assert "Exception ignored" not in said.err


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_keep_nothing_from_being_done(
    clew: CommandLine, closed: str
) -> None:
    """No file of Clew's takes their place, and the exit code is what it would have been."""
    with undisturbed(clew.project):
        told(shell(clew, f"clew fix --json {' '.join(NO_TESTS)} {closed}"), 3)
    assert "waiting" in clew.run("list").out


@pytest.mark.slow
def test_whoever_has_read_enough_may_go(clew: CommandLine) -> None:
    """Looking ends well and in silence; work stops as at Ctrl-C, and can be gone on with."""
    assert 3 == clew.run("fix", *NO_TESTS).code
    for line in ("clew log | head -1", "clew list | true", "clew log --json | true"):
        said = shell(clew, line)
        assert (0, "") == (said.code, said.err)
    for read in ("--json | true", "2>&1 | true"):
        told(shell(clew, f"clew fix --again {' '.join(NO_TESTS)} {read}"), 130)
    for words in ("status", "list"):
        assert "interrupted" in clew.run(words).out
    assert 3 == clew.run("resume").code


def test_output_to_a_full_disk_is_an_error(clew: CommandLine) -> None:
    """Not a success that nobody can read."""
    told(shell(clew, "clew doctor > /dev/full"), 1, "the output", "No space left")
    assert 2 == shell(clew, "clew show 2> /dev/full").code


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        {"LANG": "xx_YY.nothing", "LC_ALL": "xx_YY.nothing"},
    ],
    ids=["latin", "ascii", "unknown"],
)
def test_few_letters_are_enough(clew: CommandLine, env: dict[str, str]) -> None:
    """What an encoding lacks is written otherwise."""
    for words in ("clew doctor", "clew fix --help", "clew nonsense-é"):
        told(shell(clew, words, **env), 2 if "nonsense" in words else 0)


@pytest.mark.slow
def test_a_project_of_many_letters_is_mended_where_few_are_known(tmp_path: Path) -> None:
    """Names and texts beyond ASCII, in a locale without."""
    files = {
        "thing.py": "def less(a):\n    return a + 1  # größer\n",
        "test_größe.py": (
            "from thing import less\n\n\ndef test_größe():\n    assert less(3) == 2, 'größer ✗'\n"
        ),
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }
    clew = CommandLine(commit_all(write(tmp_path / "thing", files)), tmp_path / "state")
    env = {"LC_ALL": "POSIX"}
    with undisturbed(clew.project):
        told(clew.run("fix", env=env), 0)
    told(clew.run("show", env=env), 0)
    told(clew.run("apply", env=env), 0)
    assert "a - 1" in (clew.project / "thing.py").read_text()


def test_without_a_home_there_is_a_state_folder_still(clew: CommandLine) -> None:
    """`CLEW_STATE_HOME` suffices; without either one that cannot be written is named."""
    told(shell(clew, f"unset HOME; clew fix {' '.join(NO_TESTS)}"), 3)
    line = f"unset CLEW_STATE_HOME; HOME=/proc clew fix {' '.join(NO_TESTS)}"
    told(shell(clew, line), 2, "/proc/", "CLEW_STATE_HOME")
    for words in ("status", "fix", "recover"):
        line = f"unset CLEW_STATE_HOME; HOME=/{'x' * 300} clew {words}"
        told(shell(clew, line), 2, "cannot be used", "CLEW_STATE_HOME")


@pytest.mark.parametrize("home", ["-u HOME", "HOME=", "HOME=here"])
def test_somebody_of_whom_no_home_is_known_is_asked_for_a_state_folder(
    clew: CommandLine, home: str
) -> None:
    """As in a container that runs under a number of its own; nothing lands in the project."""
    unknown = "unshare --user --map-user=64123 --map-group=64123"
    with undisturbed(clew.project):
        line = f"env -u CLEW_STATE_HOME {home} {unknown} {CLEW} fix"
        told(shell(clew, line), 2, "state folder", "CLEW_STATE_HOME")


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["777", "277"])
def test_rights_that_a_shell_keeps_from_its_owner_are_there_for_the_work(
    clew: CommandLine, tmp_path: Path, mask: str
) -> None:
    """What Clew and the tests write, they can read; the project's state is the owner's alone."""
    with undisturbed(clew.project):
        told(shell(clew, f"umask {mask}; clew fix --agent {two_fixes(tmp_path / 'r')}"), 0)
    (folder,) = clew.state.glob("projects/*")
    assert 0o700 == folder.stat().st_mode & 0o777


def test_what_the_shell_limits_is_no_fault_of_clew(clew: CommandLine) -> None:
    """The limit is where to look; without it the same is done."""
    with undisturbed(clew.project):
        line = f"ulimit -n 10; clew fix {' '.join(NO_TESTS)}"
        told(shell(clew, line), 1, "Too many open files", "ulimit -a")
    told(clew.run("fix", *NO_TESTS), 3)


def test_a_limit_on_files_is_no_full_disk(clew: CommandLine) -> None:
    """The journal is the first to grow beyond it."""
    with undisturbed(clew.project):
        told(shell(clew, "ulimit -f 10; clew fix"), 1, "journal.db", "ulimit -f")


def test_settings_that_git_cannot_read_are_theirs_to_mend(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The file and the line are named."""
    broken = write(tmp_path / "git", {"config": "[user\n"}) / "config"
    said = clew.run("fix", env={"GIT_CONFIG_GLOBAL": str(broken)})
    told(said, 1, f"line 1 in file {broken}", "Fix the file")


def test_temporary_files_need_no_chosen_folder(clew: CommandLine) -> None:
    """One that is missing is not used."""
    told(clew.run("fix", *NO_TESTS, env={"TMPDIR": "/no/such/place"}), 3)


def test_a_project_that_cannot_be_written_is_refused_first(clew: CommandLine) -> None:
    """Reports belong in it; no session is opened."""
    with undisturbed(clew.project), read_only(clew.project):
        said = clew.run("fix")
        told(said, 2, str(clew.project), "documents cannot be written", "nothing was started")
        assert "No session yet" in clew.run("list").err


@pytest.mark.slow
def test_a_fix_is_not_applied_by_half(clew: CommandLine, tmp_path: Path) -> None:
    """Where the tree cannot be written, all of it stays as it is; later it is applied."""
    assert 0 == clew.run("fix", "--agent", two_fixes(tmp_path / "r.jsonl")).code
    with undisturbed(clew.project), read_only(clew.project):
        told(clew.run("apply"), 1, "Read-only", str(clew.project))
    told(clew.run("apply"), 0)


def test_state_that_cannot_be_written_is_named(clew: CommandLine) -> None:
    """Looking works on; work is refused with the folder's name."""
    assert 3 == clew.run("fix", *NO_TESTS).code
    with read_only(clew.state):
        told(clew.run("list"), 0)
        told(clew.run("status"), 3)
        told(clew.run("fix", *NO_TESTS), 2, str(clew.state), "CLEW_STATE_HOME")


def test_a_doctor_who_finds_no_room_says_what_to_do(clew: CommandLine) -> None:
    """How little there is tells nobody how to go on."""
    with mounted(clew.state, "-t", "tmpfs", "-o", "size=2m", "tmpfs"):
        said = clew.run("doctor")
    assert 2 == said.code
    assert f"{clew.state}, 0.0 GB free: make room, or set CLEW_STATE_HOME" in said.out


@pytest.mark.slow
def test_state_may_lie_on_another_file_system(clew: CommandLine, tmp_path: Path) -> None:
    """Nothing is moved between the two but by copying."""
    with mounted(clew.state, "-t", "tmpfs", "tmpfs"):
        with undisturbed(clew.project):
            told(clew.run("fix", "--agent", two_fixes(tmp_path / "r.jsonl")), 0)
        told(clew.run("apply", "--commit"), 0)


@pytest.mark.slow
def test_reports_that_find_no_room_lose_nothing(tmp_path: Path, clew: CommandLine) -> None:
    """A project on a full disk: the person is told; with room again the session goes on."""
    project = tmp_path / "full"
    with mounted(project, "-t", "tmpfs", "-o", "size=300k", "tmpfs"):
        subprocess.run(["cp", "-a", f"{clew.project}/.", str(project)], check=True)
        full = CommandLine(project, clew.state)
        assert -9 == full.run("fix", env={"CLEW_CRASH_AT": "CallAgent.diagnose.intent"}).code
        with (project / "ballast").open("wb", buffering=0) as ballast:
            while os.statvfs(project).f_bavail:
                ballast.write(b"x" * 1024)
        told(full.run("resume", "--json"), 1, "No space left", "clew resume")
        (project / "ballast").unlink()
        told(full.run("resume"), 0)


GIT = """\
#!/bin/sh
case "$*" in
    *commit-tree*|*write-tree*|*hash-object*|*" add "*|*" commit "*)
        echo "error: unable to create temporary file: No space left on device" >&2
        echo "fatal: failed to write object" >&2
        exit 128
esac
exec REAL "$@"
"""


def test_a_disk_that_is_full_for_git_is_told_in_plain_words(
    clew: CommandLine, tmp_path: Path
) -> None:
    """What happened, where, and how one goes on: none of the words that git has for it."""
    program = write(tmp_path / "bin", {"git": GIT.replace("REAL", shutil.which("git") or "")})
    (program / "git").chmod(0o755)
    said = clew.run("fix", env={"PATH": f"{program}:{clew.environment()['PATH']}"})

    told(said, 1, "clew: the disk is full: git cannot write in", "`clew resume`")
    assert "fatal" not in said.err


DOUBLES = {
    "no shared memory": (
        "import sqlite3\n\nconnect = sqlite3.connect\n"
        "sqlite3.connect = lambda path, **more: connect("
        "f'file:{path}?vfs=unix-none', uri=True, **more)\n"
    ),
    "no locks": (
        "import errno, fcntl, os\n\n\ndef flock(*_):\n"
        "    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))\n\n\nfcntl.flock = flock\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("lacks", DOUBLES)
def test_a_state_folder_on_a_network_works_or_is_named(
    clew: CommandLine, tmp_path: Path, lacks: str
) -> None:
    """Without shared memory the journal does without its log; without locks nothing is begun."""
    folder = tmp_path / "double"
    write(folder, {"sitecustomize.py": DOUBLES[lacks]})
    said = clew.run("fix", *NO_TESTS, env={"PYTHONPATH": str(folder)})
    if lacks == "no locks":
        told(said, 2, str(clew.state), "without locks", "CLEW_STATE_HOME")
    else:
        told(said, 3)
        assert [] == list(clew.state.glob("projects/*/journal.db-*"))
        assert "waiting" in clew.run("list").out


@pytest.mark.slow
def test_a_journal_cut_to_nothing_is_missed(clew: CommandLine) -> None:
    """It is not taken for one that never was; moved aside, a new one begins."""
    assert 3 == clew.run("fix", *NO_TESTS).code
    journal = next(clew.state.glob("projects/*/journal.db"))
    journal.write_bytes(b"")
    for words in (("status",), ("list",), ("fix", *NO_TESTS)):
        told(clew.run(*words), 1, str(journal), "checkpoints")
    journal.rename(journal.with_suffix(".old"))
    told(clew.run("fix", *NO_TESTS), 3)


@pytest.mark.slow
def test_an_event_of_a_newer_version_is_left_to_it(clew: CommandLine) -> None:
    """Its session cannot be read, and nothing is written to it; others can."""
    assert 3 == clew.run("fix", *NO_TESTS).code
    journal = next(clew.state.glob("projects/*/journal.db"))
    newer = "update events set version = 99, writer = '9.9.9' where seq = 2"
    with sqlite3.connect(journal) as other:
        other.execute(newer)
    other.close()
    for words in (("status",), ("show",), ("resume",)):
        told(clew.run(*words), 1, "9.9.9")
    told(clew.run("fix", *NO_TESTS), 3)
    told(clew.run("status"), 3)


@pytest.mark.slow
@pytest.mark.parametrize("content", [b'{"pid": %d, "started": "x:1", "command": "c"}', b"\xff\0"])
def test_a_holder_that_is_gone_holds_nothing(clew: CommandLine, content: bytes) -> None:
    """Though another process has its number now, or the file makes no sense."""
    assert 3 == clew.run("fix", *NO_TESTS).code
    holder = next(clew.state.glob("projects/*/holders/*.json"))
    holder.write_bytes(content.replace(b"%d", b"%d" % os.getpid()))
    assert 3 == clew.run("status").code
    told(clew.run("resume"), 3)


@pytest.mark.slow
def test_a_clock_that_jumps_is_no_matter(clew: CommandLine, tmp_path: Path) -> None:
    """Years ahead, then back: the session comes to its end; the newest is the one begun last."""
    (library,) = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
    ahead, back = ({"LD_PRELOAD": str(library), "FAKETIME": days} for days in ("+400d", "-400d"))
    agent = two_fixes(tmp_path / "r.jsonl")
    with undisturbed(clew.project):
        cut = {"CLEW_CRASH_AT": "CallAgent.diagnose.intent#2"}
        assert -9 == clew.run("fix", "--agent", agent, env=ahead | cut).code
        told(clew.run("resume", env=back), 0)
    (first,) = (each["session"] for each in clew.run("list", "--json").events)
    (summary,) = clew.project.glob(".clew/sessions/*/summary.md")
    assert "**Debugging time**: -" not in summary.read_text()
    assert 3 == clew.run("fix", *NO_TESTS).code
    assert [first] == [each["session"] for each in clew.run("list", "--json").events][1:]
    told(clew.run("status"), 3)
    told(clew.run("log", first), 0)


@pytest.mark.slow
def test_a_person_without_rights_gets_the_same(clew: CommandLine, tmp_path: Path) -> None:
    """Nobody's user, without a group or a home that can be written."""
    agent = two_fixes(tmp_path / "r.jsonl")
    command = [
        *("unshare", "--user", "--map-user=65534", "--map-group=65534"),
        *(sys.executable, "-m", "clew", "fix", "--agent", agent),
    ]
    with undisturbed(clew.project):
        done = subprocess.run(
            command,
            cwd=clew.project,
            env=clew.environment({"HOME": "/proc"}),
            capture_output=True,
            text=True,
            check=False,
        )
    told(Said(done.returncode, done.stdout, done.stderr), 0)
    assert "proof: proven" in done.stdout
    assert "sandbox: namespace" in done.stdout


@pytest.fixture
def tmux(clew: CommandLine, tmp_path: Path) -> Iterator[Tmux]:
    """A terminal of 40 columns and few letters, in the project."""
    plain = {"LANG": "C", "LC_ALL": "C", "TERM": "xterm", "PYTHONUTF8": "0"}
    server = Tmux(tmp_path / "tmux", clew.environment(plain))
    server("new-session", "-d", "-x", "40", "-y", "50", "-c", str(clew.project), "sh")
    process = psutil.Process(int(server("display-message", "-p", "#{pid}")))
    yield server
    with contextlib.suppress(AssertionError):
        server("kill-server")
    process.wait(60)  # the server answers before it is gone


@pytest.mark.slow
def test_a_narrow_terminal_is_wide_enough(clew: CommandLine, tmp_path: Path, tmux: Tmux) -> None:
    """Forty columns, and no letters beyond ASCII."""
    agent = two_fixes(tmp_path / "r.jsonl")
    for command in (f"{CLEW} fix --agent {agent}", f"{CLEW} list", f"{CLEW} doctor"):
        line = f"clear; {command}; echo code $?; tmux -S {tmux.socket} wait-for -S done"
        tmux("send-keys", line, "Enter")
        tmux("wait-for", "done")
        shown = tmux.shown("")
        assert "code 0" in shown, shown
        assert "Traceback" not in shown
        assert "bug in Clew" not in shown
    assert "green" in clew.run("list").out


@pytest.mark.slow
def test_a_terminal_that_is_closed_ends_the_work_not_the_session(
    clew: CommandLine, tmp_path: Path, tmux: Tmux
) -> None:
    """What ran is gone, that it was interrupted is kept, and `resume` can go on."""
    nap = f"86400.{os.getpid()}"
    test = f"import subprocess\n\n\ndef test_nap():\n    subprocess.run(['sleep', '{nap}'])\n"
    write(clew.project, {"tests/test_nap.py": test})
    agent = recording(tmp_path / "r.jsonl")
    with undisturbed(clew.project):
        tmux("send-keys", f"{CLEW} fix --agent {agent} --test-timeout 900", "Enter")
        until(lambda: any(nap in words for words in living(tmp_path)), 60)
        tmux("kill-server")
        until(lambda: not living(tmp_path), 60)
    assert "Interrupted" in clew.run("log").out
    assert 130 == clew.run("status").code


@pytest.mark.slow
def test_work_in_the_background_ends_with_its_terminal(clew: CommandLine, tmp_path: Path) -> None:
    """No signal tells it, what it prints cannot be written: as at Ctrl-C, `resume` goes on."""
    agent, (ours, its) = two_fixes(tmp_path / "r.jsonl"), os.openpty()
    with undisturbed(clew.project):
        process = subprocess.Popen(
            [sys.executable, "-m", "clew", "fix", "--agent", agent],
            cwd=clew.project,
            env=clew.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=its,
            start_new_session=True,
        )
        os.close(its)
        shown = b""
        while b"baseline" not in shown:
            shown += os.read(ours, 4096)
        os.close(ours)
        assert 130 == process.wait(300)
    assert "Interrupted" in clew.run("log").out
    told(clew.run("resume"), 0)
