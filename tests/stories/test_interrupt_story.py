from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from leftovers import living
from projects import FIRST, diagnosis, recording, two_fixes, write
from treestate import fingerprint

SLOW_AGENT = """\
import os, subprocess, sys, time

if os.environ.get("SLOW"):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"], start_new_session=True)
    time.sleep(900)
print(ANSWER)
"""


def wait_for(process: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    """Wait until something holds, or the process ends."""
    watch = os.pidfd_open(process.pid)
    try:
        while not holds():
            assert not select.select([watch], [], [], 0.05)[0], process.communicate()
    finally:
        os.close(watch)


def interrupt(
    clew: CommandLine,
    place: Path,
    words: tuple[str, ...],
    started: str,
    number: signal.Signals,
    *,
    env: dict[str, str] | None = None,
    more: tuple[signal.Signals, ...] = (),
) -> None:
    """Start, wait until a side effect is under way, interrupt: 130, and nobody is left."""
    process = clew.start(*words, "--json", env=env)
    assert process.stdout is not None
    for line in process.stdout:
        if '"type":"Started"' in line and started in line:
            break
    if "TakeSnapshot" not in started:
        wait_for(process, lambda: len(living(place)) > 1)
    for each in (number, *more):
        process.send_signal(each)
    out, err = process.communicate(timeout=300)
    assert (130, "") == (process.returncode, err.strip()), out
    assert '"type":"Interrupted"' in out
    assert [] == living(place)
    assert str(place) not in Path("/proc/mounts").read_text()


# A snapshot needs no sandbox; of what does, each kind is met in one and without.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "moments"),
    [
        (
            "",
            [
                ('"do":"TakeSnapshot"', signal.SIGINT),
                ('"purpose":"recheck"', signal.SIGHUP),
                ('"role":"diagnose"', signal.SIGINT),
                ('"do":"Prove"', signal.SIGTERM),
            ],
        ),
        (
            "none",
            [
                ('"purpose":"baseline"', signal.SIGTERM),
                ('"role":"diagnose"', signal.SIGINT),
                ('"purpose":"verify"', signal.SIGHUP),
                ('"do":"Prove"', signal.SIGTERM),
            ],
        ),
    ],
    ids=["sandboxed", "loose"],
)
def test_an_interruption_leaves_nothing_behind(
    clew: CommandLine, tmp_path: Path, level: str, moments: list[tuple[str, signal.Signals]]
) -> None:
    """In every phase: exit code 130, no process, no mount; `resume` comes to the same end."""
    if level:
        clew.env["CLEW_SANDBOX"] = level
    before = fingerprint(locate(clew.project))
    words = "fix"
    for started, number in moments:
        interrupt(clew, tmp_path, (words,), started, number)
        assert before == fingerprint(locate(clew.project))
        words = "resume"
    said = clew.run("resume", "--json")
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert 2 == len(list((clew.project / "debug").rglob("[0-9]*.md")))
    assert before == fingerprint(locate(clew.project))


@pytest.mark.slow
@pytest.mark.parametrize("level", ["", "none"])
def test_an_agent_and_all_that_it_started_end_with_the_session(
    clew: CommandLine, tmp_path: Path, level: str
) -> None:
    """Its children go too, those in sessions of their own as well; the call is made again."""
    if level:
        clew.env |= {"CLEW_SANDBOX": level, "CLEW_ALLOW_UNENFORCED": "1"}
    answer = diagnosis("a name that does not exist", FIRST)["reply"]
    write(
        clew.project,
        {"tools/agent.py": f"import json\nANSWER = json.dumps({answer!r})\n{SLOW_AGENT}"},
    )
    agent = f"command:{sys.executable} tools/agent.py"
    slow = {"SLOW": "yes", "CLEW_PASS_ENV": "SLOW"}
    words = ("fix", "--max-iterations", "1", "--agent", agent)
    interrupt(clew, tmp_path, words, '"role":"diagnose"', signal.SIGTERM, env=slow)
    said = clew.run("resume", "--json")
    called = [e["event"]["agent"] for e in said.events[:-1] if e["event"]["type"] == "Diagnosed"]
    assert (1, [agent]) == (said.code, called), said


@pytest.mark.slow
def test_who_is_tired_of_an_agent_hands_its_session_to_another(
    clew: CommandLine, tmp_path: Path
) -> None:
    """What the first was at is on record as cut off, and the other is told of it."""
    write(clew.project, {"tools/agent.py": f"ANSWER = ''\n{SLOW_AGENT}"})
    slow = {"SLOW": "yes", "CLEW_PASS_ENV": "SLOW"}
    words = ("fix", "--agent", f"command:{sys.executable} tools/agent.py")
    interrupt(clew, tmp_path, words, '"role":"diagnose"', signal.SIGTERM, env=slow)
    session = clew.run("status", "--json").summary["session_id"]
    unknown = clew.run("resume", session, "--agent", "nosuch")
    assert (2, True) == (unknown.code, "nosuch" in unknown.err), unknown.err
    assert "interrupted" in clew.run("status").out
    said = clew.run("resume", session, "--agent", two_fixes(tmp_path / "r.jsonl"), "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err


@pytest.mark.slow
def test_an_impatient_person_leaves_nothing_behind_either(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Ctrl-C again, and a closed terminal, while children are being ended."""
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    nap = (
        "import subprocess, sys, time\n\n\ndef test_nap():\n"
        "    nap = [sys.executable, '-c', 'import time; time.sleep(900)']\n"
        "    subprocess.Popen(nap, start_new_session=True)\n    time.sleep(900)\n"
    )
    write(clew.project, {"tests/test_nap.py": nap})
    more = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    words = ("fix", "--test-timeout", "900")
    interrupt(clew, tmp_path, words, '"purpose":"baseline"', signal.SIGINT, more=more)


HASTY = """\
import os, signal, sys


class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)


sys.meta_path.insert(0, Finder)
"""


def test_an_interruption_at_the_start_is_silent(clew: CommandLine, tmp_path: Path) -> None:
    """Before Clew listens it ends as any program does, and no trace is printed."""
    write(tmp_path / "hasty", {"sitecustomize.py": HASTY})
    said = clew.run("status", env={"PYTHONPATH": str(tmp_path / "hasty")})
    assert Said(-signal.SIGINT, "", "") == said


@pytest.mark.slow
def test_an_ignored_hang_up_is_none(clew: CommandLine, tmp_path: Path) -> None:
    """Under `nohup` a session outlives its terminal."""
    command = ["nohup", sys.executable, "-m", "clew", "fix", "--json", "--agent"]
    process = subprocess.Popen(
        [*command, recording(tmp_path / "r.jsonl"), "--max-iterations", "1"],
        cwd=clew.project,
        env=clew.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=300)
    assert (1, True) == (process.returncode, '"status":"waiting"' in out)
