"""What a person lets tests and agents take is what they get, at every place where they run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, write

READ = """
import resource as r
def limits(who):
    kinds = (r.RLIMIT_CPU, r.RLIMIT_FSIZE, r.RLIMIT_DATA)
    return " ".join([who, *(str(r.getrlimit(kind)[0]) for kind in kinds)])
"""
TEST = f"{READ}\ndef test_it():\n    raise ValueError(limits('of tests'))\n"
TELLS = f"import sys\n{READ}\nsys.exit(limits('of an agent'))\n"
GROWS = "import time\nheld = b'x' * 700_000_000\ntime.sleep(100)\n"


def person(folder: Path, agent: str, **settings: str) -> tuple[CommandLine, str]:
    project = commit_all(write(folder / "thing", {"test_it.py": TEST}))
    (folder / "agent.py").write_text(agent)
    clew = CommandLine(project, folder / "state")
    clew.env |= {f"CLEW_{name.upper()}": value for name, value in settings.items()}
    clew.env["CLEW_AGENT_RETRIES"] = "0"
    return clew, f"command:{sys.executable} -I -S {folder}/agent.py"


@pytest.mark.slow
def test_both_run_under_the_limits_that_are_set(tmp_path: Path) -> None:
    """Each asks the kernel, and tells what it says: in a session, and where one only looks."""
    own = {"cpu_seconds": "770", "file_size": "0.25", "memory": "0.4"}
    clew, agent = person(tmp_path, TELLS, **own, agent_cpu_seconds="88", agent_file_size="0.5")
    fixed, diagnosed = (clew.run(command, "--agent", agent) for command in ("fix", "diagnose"))
    known = clew.run("evidence", str(clew.project))
    shown = fixed.err + clew.run("show").out

    assert ["of an agent 88 500000000 -1" in each for each in (shown, diagnosed.err)] == [True] * 2
    assert ["of tests 770 250000000 400000000" in each for each in (shown, known.out)] == [True] * 2


@pytest.mark.slow
def test_an_agent_that_grows_is_ended_and_a_person_reads_why(tmp_path: Path) -> None:
    """The limit, whose it is, and the setting that allows more; the question is the person's."""
    clew, agent = person(tmp_path, GROWS, agent_total_memory="0.3")
    said = clew.run("fix", "--agent", agent)

    told = "it used more than 0.3 GB of memory: allow an agent more with the setting"
    assert (1, True) == (said.code, f"{told} `agent_total_memory`" in said.err), said
