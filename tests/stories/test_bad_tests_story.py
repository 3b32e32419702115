"""Tests that do harm: each is one red test, and nothing else is harmed by it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from leftovers import undisturbed
from projects import commit_all, recording, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_left")]

BEGIN = "import os\nimport signal\nimport sys\nimport time\n\n\ndef test_before():\n    pass\n"
END = "\n\ndef test_after():\n    pass\n"
NAP = f"{os.getpid()}.86400"  # told apart from everybody else's by its seconds

DAEMON = f"""\
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            os.execve("/bin/sleep", ["sleep", "{NAP}"], {{}})
        os._exit(0)
    os.wait()
    assert False
"""
FORKS = """\
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(1000)
            os._exit(0)
    assert False
"""
# Each fails, and its process goes on.
BAD = {
    "prints_lines": "    for _ in range(2_000): print('x' * 100_000)\n    assert False\n",
    "prints_one_line": "    for _ in range(200): os.write(2, b'x' * 10**6)\n    assert False\n",
    "leaves_a_daemon": DAEMON,
    "forks": FORKS,
    "leaves_for_another_folder": "    os.chdir('/')\n    assert False\n",
    "removes_its_folder": (
        "    os.mkdir('/tmp/x')\n    os.chdir('/tmp/x')\n    os.rmdir('/tmp/x')\n    assert False\n"
    ),
    "exits": "    sys.exit(0)\n",
    "sleeps": f"    time.sleep({NAP})\n",
    "writes_outside": (
        "    open('/tmp/mine', 'w').write(open(__file__).read())\n"
        "    open('/etc/mine', 'w').close()\n"
    ),
    "says_odd_words": "    raise ValueError('a\\0b\\udc80 \\x1b[31m' + 'x' * 5_000_000)\n",
    "asks": "    input()\n",
    "closes_its_output": "    os.close(1)\n    os.close(2)\n    assert False\n",
}
# Each ends its process, or keeps it from going on.
FATAL = {
    "ends_its_group": "    os.killpg(0, signal.SIGKILL)\n",
    "ends_early": "    os._exit(0)\n",
    "crashes": "    os.kill(os.getpid(), signal.SIGSEGV)\n",
    "halts": "    os.kill(os.getpid(), signal.SIGSTOP)\n",
    "interrupts": "    raise KeyboardInterrupt\n",
    "closes_all": "    os.closerange(0, 1_000)\n    assert False\n",
}
OUTWARD = {
    "ends_its_parent": "    os.kill(os.getppid(), signal.SIGKILL)\n",
    "ends_all": "    os.kill(-1, signal.SIGKILL)\n",
}
TWO = (
    ("ends_its_group", "ends_early"),
    ("crashes", "interrupts"),
    ("halts", "closes_all"),
)


def around(folder: Path, bodies: dict[str, str]) -> CommandLine:
    """A person whose tests of these names stand between two good ones."""
    tests = "".join(f"\n\ndef test_{name}():\n{body}" for name, body in bodies.items())
    files = {"test_thing.py": BEGIN + tests + END, "pyproject.toml": "[tool.pytest]\n"}
    env = {"CLEW_RERUN_SECONDS": "5"}
    return CommandLine(commit_all(write(folder / "thing", files)), folder / "state", env)


def one_round(clew: CommandLine, folder: Path, *words: str) -> Said:
    """One iteration with an agent that knows nothing."""
    agent = recording(folder / "nothing.jsonl")
    return clew.run("fix", "--max-iterations", "1", "--agent", agent, *words)


def told(said: Said, code: int, *words: str) -> None:
    assert code == said.code, said
    where = said.out if code == 3 and said.out else said.err  # a question says what kept the tests
    for word in words:
        assert word in where, said
    assert "Traceback" not in said.err + said.out
    assert "bug in Clew" not in said.err
    assert "\x1b" not in said.err + said.out


def test_bad_tests_are_red_and_the_others_run(tmp_path: Path) -> None:
    """Their neighbours pass, a person is asked, and whatever they started is gone."""
    clew = around(tmp_path, BAD)
    with undisturbed(clew.project):
        said = one_round(clew, tmp_path, "--test-timeout", "5")
    told(said, 1, f"tests (baseline): {len(BAD)} red, 2 passed")
    assert "clew resume" in said.out
    assert [] == napping()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("names", TWO, ids=" ".join)
def test_tests_that_end_their_process_are_red_and_the_others_run(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    """Nothing but the run is hit by what they do, and it is begun again without them."""
    clew = around(tmp_path, {name: FATAL[name] for name in names})
    with undisturbed(clew.project):
        said = one_round(clew, tmp_path, "--test-timeout", "2")
    told(said, 1, "tests (baseline): 2 red, 2 passed")
    assert "clew resume" in said.out


def test_tests_that_kill_around_them_reach_nothing(tmp_path: Path) -> None:
    """In a space of processes of their own there is nobody to hit."""
    clew = around(tmp_path, OUTWARD)
    with undisturbed(clew.project):
        said = one_round(clew, tmp_path)
    told(said, 0, "0 red, 4 passed")


def napping() -> list[str]:
    names = [path for path in Path("/proc").iterdir() if path.name.isdigit()]
    found = []
    for name in names:
        try:
            words = (name / "cmdline").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found += [words] if NAP in words else []
    return found


@pytest.mark.sweep(2, by=("level", "at"))
@pytest.mark.parametrize("level", ["namespace", "none"])
@pytest.mark.parametrize("at", ["import", "call"])
def test_a_run_that_wants_too_much_memory_is_refused_and_told(
    tmp_path: Path, level: str, at: str
) -> None:
    """The test fails in its own process; the person reads of the bound, and of the setting."""
    clew = around(tmp_path, {"much": "    bytearray(50 << 30)\n"})
    if at == "import":
        write(clew.project, {"test_more.py": "much = bytearray(50 << 30)\n"})
    clew.env["CLEW_SANDBOX"] = level
    with undisturbed(clew.project):
        said = one_round(clew, tmp_path)
    told(said, 1 if at == "call" else 3, "each process of the tests may take 8 GB", "`memory`")


def test_a_plain_command_that_wants_too_much_memory_is_told_too(tmp_path: Path) -> None:
    """The bound is named beside its one fact."""
    clew = around(tmp_path, {})
    words = ("--test-command", "python3 -c 'bytearray(1 << 30)'")
    clew.env["CLEW_MEMORY"] = "0.5"
    told(
        one_round(clew, tmp_path, *words),
        1,
        "each process of the tests may take 0.5 GB",
        "`memory`",
    )


def test_a_network_that_is_missed_is_named(tmp_path: Path) -> None:
    """Tests run without one; the report says so, and which setting lets them have it."""
    call = "    import socket\n    socket.create_connection(('192.0.2.1', 80), 3)\n"
    said = one_round(around(tmp_path, {"calls": call}), tmp_path)
    told(said, 1, "tests have no network", "`network`")
