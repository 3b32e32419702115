import os
import threading
import time
from pathlib import Path

import pytest

from clew.sandbox.processes import both, run


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


def test_two_calls_go_on_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=60)
    assert both(meeting.wait, meeting.wait, at_once=True) in {(0, 1), (1, 0)}


def test_one_after_the_other_they_stay_in_one_thread() -> None:
    here = threading.get_ident()
    assert both(threading.get_ident, threading.get_ident, at_once=False) == (here, here)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_ends_the_first_kills_what_the_second_runs(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def first() -> None:
        pid_in(tmp_path)
        raise error

    with pytest.raises(error):
        both(first, lambda: started(tmp_path), at_once=True)
    assert gone(pid_in(tmp_path))


def test_work_that_was_called_off_begins_no_further_program(tmp_path: Path) -> None:
    called_off = threading.Event()

    def first() -> None:
        called_off.set()
        raise ValueError

    def second() -> None:
        called_off.wait(60)
        while True:
            run(["true"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout=60)

    with pytest.raises(ValueError):  # noqa: PT011 - raised above
        both(first, second, at_once=True)


def test_the_error_of_the_second_goes_on_its_way() -> None:
    def second() -> None:
        raise ValueError("of the second")

    with pytest.raises(ValueError, match="of the second"):
        both(lambda: None, second, at_once=True)
