"""Programs are run to their end, and nothing of them stays behind."""

import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.sandbox.processes import Completed, alive, end, identify, run
from clew.words.errors import CommandNotFound

ENV = {"PATH": os.defpath, "HOME": "/nonexistent"}


def python(code: str, folder: Path, *, timeout: float = 30, cap: int = 1_000_000) -> Completed:
    return run([sys.executable, "-c", code], cwd=folder, env=ENV, timeout=timeout, cap=cap)


def shell(code: str, folder: Path, *, timeout: float) -> Completed:
    """Run what begins at once: a Python may take its time on a busy machine."""
    return run(["sh", "-c", code], cwd=folder, env=ENV, timeout=timeout)


NAPS = "while :; do sleep 60 & wait; done"


def pids(folder: Path) -> list[int]:
    """The numbers that programs of a test wrote down, one a file."""
    return [int(file.read_text()) for file in sorted(folder.glob("*.pid"))]


NOTE = """
import os, pathlib, signal, sys, time
def note(name):
    file = pathlib.Path(name + ".new")
    file.write_text(str(os.getpid()))
    file.rename(name + ".pid")
def wait_for(name):
    while not os.path.exists(name + ".pid"):
        time.sleep(0.001)
"""


def test_output_error_output_and_exit_code_are_told_apart(tmp_path: Path) -> None:
    """Both streams and the exit code come back, each in its place."""
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", tmp_path)

    assert ("out\n", "err\n", 7, False) == (
        done.stdout,
        done.stderr,
        done.exit_code,
        done.timed_out,
    )


def test_a_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    """A program that a signal ended says which."""
    done = python("import os, signal; os.kill(os.getpid(), signal.SIGUSR1)", tmp_path)

    assert -signal.SIGUSR1 == done.exit_code


def test_the_environment_is_the_given_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the parent's environment reaches the program but its own mark."""
    monkeypatch.setenv("SECRET", "hunter2")
    done = run(["env"], cwd=tmp_path, env={"PATH": os.defpath, "A": "b"}, timeout=300)

    assert {"PATH", "A", "CLEW_RUN"} == {line.split("=")[0] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("size", [1, 65_536, 3_000_000])
def test_input_arrives_whole(tmp_path: Path, size: int) -> None:
    """Input longer than a pipe holds goes in while output comes out."""
    done = run(["cat"], cwd=tmp_path, env=ENV, stdin=b"x" * size, timeout=300, cap=2 * size)

    assert "x" * size == done.stdout


def test_a_program_that_does_not_read_its_input_is_no_error(tmp_path: Path) -> None:
    """Unread input is dropped."""
    done = run(["true"], cwd=tmp_path, env=ENV, stdin=b"x" * 3_000_000, timeout=300)

    assert 0 == done.exit_code


def test_input_is_fed_after_output_was_closed(tmp_path: Path) -> None:
    """A program may close its output first and read afterwards."""
    code = """
import os, sys
os.close(1); os.close(2)
open("size", "w").write(str(len(sys.stdin.buffer.read())))
"""
    run([sys.executable, "-c", code], cwd=tmp_path, env=ENV, stdin=b"x" * 1_000_000, timeout=300)

    assert "1000000" == (tmp_path / "size").read_text()


def test_lines_arrive_whole_and_in_order(tmp_path: Path) -> None:
    """Each line is handed on once, without its end; the last needs none."""
    lines: list[bytes] = []
    code = "import sys; sys.stdout.write('\\n'.join(['a' * 100_000, '', 'c', 'd']))"
    run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=ENV,
        timeout=300,
        on_stdout_line=lines.append,
    )

    assert [b"a" * 100_000, b"", b"c", b"d"] == lines


def test_a_line_arrives_before_the_program_ends(tmp_path: Path) -> None:
    """The program here waits for an answer to the line it wrote."""
    code = NOTE + "print('ready', flush=True); wait_for('answer')"
    done = run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=ENV,
        timeout=300,
        on_stdout_line=lambda _: (tmp_path / "answer.pid").touch(),
    )

    assert 0 == done.exit_code


def test_beginning_and_end_of_long_output_are_kept(tmp_path: Path) -> None:
    """What lies between is counted."""
    done = python("print('a' * 5_000 + 'b' * 90_000 + 'c' * 4_999)", tmp_path, cap=1_000)

    assert "a" * 500 + "\n[... 99000 bytes left out ...]\n" + "c" * 499 + "\n" == done.stdout


def test_output_of_exactly_the_cap_is_whole(tmp_path: Path) -> None:
    """Nothing is left out before there is too much."""
    assert "x" * 1_000 == python("print('x' * 1_000, end='')", tmp_path, cap=1_000).stdout


@pytest.mark.slow
def test_a_flood_of_output_stays_in_bounded_memory(tmp_path: Path) -> None:
    """200 MB without a single line end pass through a few MB."""
    tracemalloc.start()
    try:
        done = run(
            ["head", "-c", "200000000", "/dev/zero"],
            cwd=tmp_path,
            env=ENV,
            timeout=120,
            on_stdout_line=lambda _: None,
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (0, True) == (done.exit_code, peak < 60_000_000)


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    """Output is always text."""
    done = python("import sys; sys.stdout.buffer.write(b'a\\xffb')", tmp_path)

    assert "a\N{REPLACEMENT CHARACTER}b" == done.stdout


def test_time_out_kills_a_program_that_ignores_the_request(tmp_path: Path) -> None:
    """It is asked first, then killed; what it wrote is kept."""
    done = shell(f"trap 'echo asked' TERM; echo here; {NAPS}", tmp_path, timeout=1)

    assert (True, -signal.SIGKILL, "here\nasked\n") == (
        done.timed_out,
        done.exit_code,
        done.stdout,
    )


def test_time_out_lets_a_program_end_in_its_own_way(tmp_path: Path) -> None:
    """A program that obeys the request says its last words."""
    done = shell(f"trap 'echo bye; exit 3' TERM; {NAPS}", tmp_path, timeout=1)

    assert (True, 3, "bye\n") == (done.timed_out, done.exit_code, done.stdout)


DAEMON = (
    NOTE
    + """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {closing}
        note('daemon')
        while True: time.sleep(60)
    os._exit(0)
os.wait()
wait_for('daemon')
print('done', flush=True)
{end}
"""
)


@pytest.mark.parametrize("closing", ["pass", "os.close(0); os.close(1); os.close(2)"])
@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)"])
def test_a_daemon_does_not_outlive_the_call(tmp_path: Path, closing: str, end: str) -> None:
    """Nor does its hold on the output make the call hang, however the program ends."""
    done = python(DAEMON.format(closing=closing, end=end), tmp_path)

    assert ("done\n", [None]) == (done.stdout, [identify(pid) for pid in pids(tmp_path)])


def test_a_daemon_does_not_outlive_a_time_out(tmp_path: Path) -> None:
    """When time is up, the tree ends as a whole."""
    done = python(DAEMON.format(closing="pass", end="time.sleep(60)"), tmp_path, timeout=2)

    assert ("done\n", [None]) == (done.stdout, [identify(pid) for pid in pids(tmp_path)])


class Stop(Exception):
    """Raised by a listener at the first line."""


def stopped(code: str, folder: Path) -> list[int]:
    """Run a program up to its first line; the numbers it wrote down of those still alive."""

    def stop(_: bytes) -> None:
        raise Stop

    with pytest.raises(Stop):
        run(
            [sys.executable, "-c", code],
            cwd=folder,
            env=ENV,
            timeout=300,
            on_stdout_line=stop,
        )
    return [pid for pid in pids(folder) if identify(pid) is not None]


def test_children_without_the_mark_are_found_through_their_parents(tmp_path: Path) -> None:
    """A child with a session and an environment of its own is a child all the same."""
    child = NOTE + "note('child'); time.sleep(60)"
    code = NOTE + (
        "import subprocess\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}], env={{}}, start_new_session=True)\n"
        "wait_for('child'); print(flush=True); time.sleep(60)"
    )

    assert ([], 1) == (stopped(code, tmp_path), len(pids(tmp_path)))


def test_processes_that_multiply_are_all_killed(tmp_path: Path) -> None:
    """Each in a group of its own: none is forgotten."""
    code = NOTE + (
        "for n in range(32):\n"
        "    if n % 6 < 5 and os.fork() == 0:\n"
        "        os.setpgid(0, 0)\n"
        "        note(f'n{os.getpid()}')\n"
        "        time.sleep(60)\n"
        "while len(list(pathlib.Path().glob('*.pid'))) < 27: time.sleep(0.001)\n"
        "print(flush=True); time.sleep(60)\n"
    )

    assert ([], 27) == (stopped(code, tmp_path), len(pids(tmp_path)))


@pytest.fixture
def terminal() -> Iterator[None]:
    """Hear Ctrl-C, also where the tests were started in the background, deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("terminal")
def test_ctrl_c_kills_the_tree_and_goes_on_its_way(tmp_path: Path) -> None:
    """The interrupt reaches the caller as it is."""
    code = DAEMON.format(closing="pass", end="time.sleep(60)")
    main = threading.main_thread().ident or 0

    def interrupt(_: bytes) -> None:
        signal.pthread_kill(main, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=ENV,
            timeout=300,
            on_stdout_line=interrupt,
        )

    assert [None] == [identify(pid) for pid in pids(tmp_path)]


@pytest.mark.usefixtures("terminal")
def test_ctrl_c_while_a_program_is_begun_leaves_it_not_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits until the program is known, which is an instant later."""
    begun: list[int] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *words: Any, **more: Any) -> None:  # noqa: ANN401 - as it has them
            super().__init__(*words, **more)
            begun.append(self.pid)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)

    with pytest.raises(KeyboardInterrupt):
        shell("sleep 60", tmp_path, timeout=300)

    assert [None] == [identify(pid) for pid in begun]


def test_an_error_in_the_listener_kills_the_tree(tmp_path: Path) -> None:
    """The error surfaces, and the program is gone."""

    def refuse(line: bytes) -> None:
        raise RuntimeError(line.decode())

    with pytest.raises(RuntimeError, match="done"):
        run(
            [sys.executable, "-c", DAEMON.format(closing="pass", end="time.sleep(60)")],
            cwd=tmp_path,
            env=ENV,
            timeout=300,
            on_stdout_line=refuse,
        )

    assert [None] == [identify(pid) for pid in pids(tmp_path)]


def test_runs_side_by_side_do_not_touch_each_other(tmp_path: Path) -> None:
    """The end of one run kills nothing of another."""
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    done: dict[str, Completed] = {}
    slow = NOTE + "note('slow')\nwait_for('go')\nprint('whole')"

    def start() -> None:
        done["a"] = python(slow, folders[0])

    thread = threading.Thread(target=start)
    thread.start()
    done["b"] = python(NOTE + "wait_for('../a/slow')", folders[1])
    (folders[0] / "go.pid").touch()
    thread.join()

    assert [(0, "whole\n"), (0, "")] == [(done[k].exit_code, done[k].stdout) for k in "ab"]


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    """The error holds the command as it was asked for."""
    with pytest.raises(CommandNotFound) as caught:
        run(["no-such-program", "-v"], cwd=tmp_path, env=ENV, timeout=300)

    assert ("no-such-program", True) == (
        caught.value.command,
        "`no-such-program`" in caught.value.message,
    )


@pytest.mark.parametrize(("text", "mode"), [("", 0o644), ("#!/no/such/interpreter\n", 0o755)])
def test_a_file_that_is_no_program_is_not_found(tmp_path: Path, text: str, mode: int) -> None:
    """A script without its interpreter, or without the right to run, could not be started."""
    script = tmp_path / "script"
    script.write_text(text)
    script.chmod(mode)

    with pytest.raises(CommandNotFound):
        run([str(script)], cwd=tmp_path, env=ENV, timeout=300)


def test_a_missing_folder_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    """The folder is named."""
    with pytest.raises(NotADirectoryError, match="absent"):
        run(["true"], cwd=tmp_path / "absent", env=ENV, timeout=300)


def test_this_process_is_alive_and_a_reused_number_is_not() -> None:
    """The same number with another start time is another process."""
    me = identify(os.getpid())

    assert me is not None
    assert (True, False) == (alive(me), alive(type(me)(me.pid, me.started + "0")))


def test_a_process_that_ended_is_not_alive() -> None:
    """Neither as a zombie nor after it was reaped."""
    come, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(go)
        os.read(come, 1)
        os._exit(0)
    os.close(come)
    child = identify(pid)
    assert child is not None
    os.close(go)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    before = alive(child)
    os.waitpid(pid, 0)

    assert (False, False) == (before, alive(child))


@pytest.mark.slow
def test_a_program_that_says_nothing_is_ended(tmp_path: Path) -> None:
    """Each sign of life, on either stream, begins its time anew."""
    talking = "import os, time\nfor _ in range(9): os.write(2, b'.'); time.sleep(0.3)"
    command = [sys.executable, "-c", talking]
    spoke = run(command, cwd=tmp_path, env=ENV, timeout=300, idle=2.0)
    command[2] = "import time; print('begun', flush=True); time.sleep(60)"
    hung = run(command, cwd=tmp_path, env=ENV, timeout=300, idle=2.0)

    assert (0, False) == (spoke.exit_code, spoke.silent)
    assert (True, False, "begun\n") == (hung.silent, hung.timed_out, hung.stdout)
    assert hung.exit_code


def test_a_program_that_does_not_stop_talking_is_ended(tmp_path: Path) -> None:
    """Long before its time is up; both ends of what it said are kept, as ever."""
    endless = "import sys\nwhile True: sys.stdout.write('x' * 4096)"
    command = [sys.executable, "-c", endless]
    done = run(command, cwd=tmp_path, env=ENV, timeout=300, most=1_000_000, cap=1000)

    assert (True, -signal.SIGKILL) == (done.flooding, done.exit_code)
    assert len(done.stdout) < 1100
    assert done.seconds < 30


def test_what_outlived_its_caller_is_found_by_its_mark_and_ended() -> None:
    """As after a caller that was killed: those with the mark go, and their children; no others."""
    nap = [sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '60'])"]
    marked = subprocess.Popen(nap, env=ENV | {"CLEW_RUN": "0a/within-1/0b"}, start_new_session=True)
    other = subprocess.Popen(nap, env=ENV | {"CLEW_RUN": "0a/within-2/0b"}, start_new_session=True)
    try:
        assert end("within-1")
        assert -signal.SIGKILL == marked.wait(timeout=10)
        assert other.poll() is None
    finally:
        assert end("within-2")
        other.wait(timeout=10)
    assert end("within-1")
