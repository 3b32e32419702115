from pathlib import Path

import pytest

from clew.runners import Request
from clew.sandbox.confinement import Level, detect
from clew.words.facts import Verdict
from projectplay import Play


def test_the_exit_code_is_the_only_fact(play: Play) -> None:
    """A command is one result, named by its words: green on 0, red otherwise."""
    play.write({"run.sh": "#!/bin/sh\necho words; exit $1\n"})
    (play.root / "run.sh").chmod(0o755)

    green, red = play.run(flag="./run.sh 0"), play.run(flag="./run.sh 3")

    assert (Verdict.PASSED, ["./run.sh 0"]) == (green.verdict, [r.id for r in green.results])
    assert (Verdict.FAILED, 3) == (red.verdict, red.exit_code)
    assert "words" in red.output


LEVELS = [level for level in Level if list(Level).index(level) >= list(Level).index(detect().level)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("flag", ["tools/check.sh", "{root}/tools/check.sh"])
def test_a_script_runs_the_code_beside_it_in_the_worktree(
    play: Play, monkeypatch: pytest.MonkeyPatch, flag: str, level: Level
) -> None:
    """Its own folder is the worktree's, however it is named, and at every level."""
    play.write({"tools/check.sh": '#!/bin/sh\ncat "$(dirname "$0")/code"\n', "tools/code": "old"})
    (play.root / "tools" / "check.sh").chmod(0o755)
    monkeypatch.chdir(play.root)
    named = flag.format(root=play.root)
    play.site(play.detect(named))
    Path(play.worktree, "tools", "code").write_text("new", encoding="utf-8")

    run = play.run(flag=named, level=level)

    assert (Verdict.PASSED, level.value) == (run.verdict, run.sandbox)
    assert "new" == run.output


def test_a_command_that_is_not_there_did_not_run(play: Play) -> None:
    """Not found, and not executable, are infrastructure."""
    play.write({"run.sh": "#!/bin/sh\nexit 127\n", "plain.sh": "true\n"})
    (play.root / "run.sh").chmod(0o755)

    for flag in ("no-such-program x", "./missing.sh", "./plain.sh", "./run.sh"):
        run = play.run(flag=flag)
        assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)
        assert run.reason


def test_a_recipe_without_its_program_did_not_run(play: Play) -> None:
    """Where `make` finds no program to call, nothing is known of the code."""
    play.write({"Makefile": "test:\n\tno-such-program pytest\nred:\n\tfalse\n"})

    lost, red = play.run(flag="make test"), play.run(flag="make red")

    assert (Verdict.DID_NOT_RUN, True) == (lost.verdict, lost.infrastructure)
    assert "no-such-program" in lost.reason
    assert Verdict.FAILED == red.verdict


MAKEFILE = """\
all: lint test
lint:
\tno-such-program
test:
\tfalse
after:
\t-no-such-program
\tfalse
project:
\tsh -e run.sh
within:
\t-@$(MAKE) lint
\tfalse
"""
SAYS = """\
import sys
print("make: no-such-program: No such file or directory", file=sys.stderr)
print("make: *** [Makefile:2: test] Error 127", file=sys.stderr)
sys.exit(2)
"""


@pytest.mark.parametrize(
    "flag",
    ["make -k all", "make after", "make project", "make within", "python3 says.py"],
)
def test_what_ran_and_was_red_stays_red(play: Play, flag: str) -> None:
    """Another target ran, the project's own script is wrong, or it only speaks like `make`."""
    play.write({"Makefile": MAKEFILE, "run.sh": "ehco hello\n", "says.py": SAYS})

    run = play.run(flag=flag)

    assert (Verdict.FAILED, False) == (run.verdict, run.infrastructure), run.output


def test_a_command_out_of_time_did_not_run(play: Play) -> None:
    """Time-out of a command says nothing about the code."""
    play.write({"a": ""})

    run = play.run(Request(timeout=0.5), flag="sleep 60")

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.timed_out)
