import os
import threading
import time
from pathlib import Path

import pytest

from clew.sandbox.processes import beside, both, held, run


def sleeper(folder: Path) -> list[str]:
    return ["sh", "-c", f"echo $$ > {folder}/pid; exec sleep 600"]


def pid_in(folder: Path) -> int:
    while not (folder / "pid").is_file() or not (folder / "pid").read_text():
        time.sleep(0.01)
    return int((folder / "pid").read_text())


def started(folder: Path) -> None:
    run(sleeper(folder), cwd=folder, env={"PATH": os.environ["PATH"]}, timeout=600)


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("at_once", [False, True])
def test_both_results_come_in_their_order(*, at_once: bool) -> None:
    assert both(lambda: 1, lambda: "two", at_once=at_once) == (1, "two")


def test_two_programs_run_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for what the other leaves."""

    def meeting(own: str, other: str) -> int | None:
        waits = f"touch {own}; until test -e {other}; do sleep 0.01; done"
        done = run(["sh", "-c", waits], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)
        return done.exit_code

    found = both(lambda: meeting("a", "b"), lambda: meeting("b", "a"), at_once=True)
    assert (0, 0) == found


def test_one_after_the_other_they_stay_in_one_thread() -> None:
    here = threading.get_ident()
    assert both(threading.get_ident, threading.get_ident, at_once=False) == (here, here)


@pytest.mark.parametrize("shared", [False, True])
def test_who_is_called_off_waits_for_nothing_that_is_not_given_back(*, shared: bool) -> None:
    """Ctrl-C may strike as soon as the turn, or a lock, is had, and before anybody knows of it."""
    lock, waits = threading.Lock(), threading.Event()

    def interrupted() -> None:
        side = beside._SIDE.get()
        assert side
        with beside.waiting():
            waits.wait()
        (lock if shared else side.turn).acquire()
        raise KeyboardInterrupt

    def other() -> None:
        with beside.waiting():
            waits.set()
            time.sleep(0.3)
        with held(lock):
            pass

    with pytest.raises(KeyboardInterrupt):
        both(interrupted, other, at_once=True)


def test_within_one_of_two_pieces_two_more_run_one_after_the_other() -> None:
    """A third thread would wait for a lock whose holder waits for the piece that began it."""

    def nested() -> tuple[tuple[int, int], int]:
        return both(threading.get_ident, threading.get_ident, at_once=True), threading.get_ident()

    for inner, here in both(nested, nested, at_once=True):
        assert (here, here) == inner


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_ends_the_first_kills_what_the_second_runs(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def first() -> None:
        while not (tmp_path / "pid").is_file():
            run(["sleep", "0.01"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)
        raise error

    with pytest.raises(error):
        both(first, lambda: started(tmp_path), at_once=True)
    assert gone(pid_in(tmp_path))


def test_work_that_was_called_off_begins_no_further_program(tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def first() -> None:
        while not begun.exists():
            run(["sleep", "0.01"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)
        raise ValueError

    def second() -> None:
        begun.touch()
        while True:
            run(["true"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)

    with pytest.raises(ValueError):  # noqa: PT011 - raised above
        both(first, second, at_once=True)


def test_the_error_of_the_second_goes_on_its_way() -> None:
    def second() -> None:
        raise ValueError("of the second")

    with pytest.raises(ValueError, match="of the second"):
        both(lambda: None, second, at_once=True)


def test_the_work_itself_goes_on_one_after_the_other(tmp_path: Path) -> None:
    """Only programs run at the same time: neither computes while the other does."""
    at_work, seen = 0, list[int]()

    def compute() -> None:
        nonlocal at_work
        for _ in range(20):
            at_work += 1
            time.sleep(0.001)
            seen.append(at_work)
            at_work -= 1
            run(["true"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)

    both(compute, compute, at_once=True)
    assert {1} == set(seen)
    assert 40 == len(seen)


def test_a_lock_that_one_holds_while_its_program_runs_stops_neither(tmp_path: Path) -> None:
    """The holder gets its turn back although the other waits for the lock."""
    lock = threading.Lock()

    def work() -> int:
        with held(lock):
            run(["sleep", "0.05"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)
        return 1

    assert both(work, work, at_once=True) == (1, 1)
