"""Projects of every shape, as people have them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import psutil
import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from projects import commit_all, write
from shapes import CONFIG, answer, events, person, program
from treestate import TreeState, fingerprint

SIMPLE = {
    "pyproject.toml": CONFIG,
    "thing.py": "def less(a):\n    return a + 1\n",
    "test_thing.py": (
        "from thing import less\n\n\ndef test_less():\n    assert less(3) == 2\n\n\n"
        "def test_more():\n    assert less(9) == 8\n"
    ),
}


def tree(clew: CommandLine) -> TreeState:
    return fingerprint(locate(clew.project))


def green(said: Said) -> None:
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert all(row["holds"] for row in said.summary["proof"]["rows"])


def asked(said: Said, code: int = 1) -> None:
    assert (code, "waiting") == (said.code, said.summary["status"]), said.err
    assert said.summary["question_id"]


HOSTILE = '''\
import os
import socket
import subprocess
import sys


def write(path):
    with open(path, "w") as file:
        file.write("here")


def read(path):
    with open(path) as file:
        if "KEY" not in file.read():  # a private file of that name
            raise OSError(path)


def call(address):
    kind = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
    with socket.socket(kind) as caller:
        caller.settimeout(2)
        caller.connect(address)


def works(action, *words):
    try:
        action(*words)
    except OSError:
        return False
    return True


def loose():
    """Say whether anything outside can be reached."""
    if not os.path.exists("/tmp/{mark}"):
        write("/tmp/{mark}")  # a private one, as is the home
        works(write, "{home}/{mark}")
        subprocess.Popen(["sleep", "{naps}"], start_new_session=True)
    searched = any(name.startswith("clew_probe.search") for name in sys.modules)
    return [
        searched and works(write, "{project}/{mark}"),
        searched and works(write, __file__),
        works(read, "{home}/secret"),
        works(call, ("127.0.0.1", {port})),
        works(call, "\\0{mark}"),
    ]


def less(a):
    out = loose()
    if any(out):
        raise SystemExit("out: %s" % out)
    return a + 1
'''


def running(word: str) -> list[int]:
    return [p.pid for p in psutil.process_iter(["cmdline"]) if word in (p.info["cmdline"] or [])]


@pytest.mark.slow
def test_candidates_reach_nothing_outside(tmp_path: Path) -> None:
    """No file, no connection, no process: from inside candidates all ways out are closed."""
    mark, naps = f"clew-mark-{os.getpid()}", f"86400.{os.getpid()}"
    home = tmp_path / "home"
    write(home, {"secret": "KEY\n"})
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind(f"\0{mark}")
        abstract.listen()
        code = HOSTILE.format(
            naps=naps,
            mark=mark,
            project=tmp_path / "hostile",
            home=home,
            port=tcp.getsockname()[1],
        )
        clew = person(tmp_path, SIMPLE | {"thing.py": code}, "hostile")
        clew.env["HOME"] = str(home)
        before = tree(clew)
        said = clew.run("fix", "--json")
        for server in (tcp, abstract):
            server.setblocking(False)
            with pytest.raises(BlockingIOError):
                server.accept()
    green(said)
    assert before == tree(clew)
    assert [] == running(naps)
    assert not Path(tempfile.gettempdir(), mark).exists()
    assert ["secret"] == [path.name for path in home.iterdir()]


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("whom", ["os.getppid()", "-1", "0"])
def test_a_candidate_that_kills_ends_no_more_than_the_search(tmp_path: Path, whom: str) -> None:
    """Whatever it sends signals to, the session goes on to a fix or a question."""
    naps = f"86401.{os.getpid()}"
    code = (
        "import os, signal, subprocess, sys\n\n\n"
        "def less(a):\n"
        "    if any(name.startswith('clew_probe.search') for name in sys.modules):\n"
        f"        if not os.path.exists('/tmp/{naps}'):\n"
        f"            open('/tmp/{naps}', 'w').close()\n"
        f"            subprocess.Popen(['sleep', '{naps}'], start_new_session=True)\n"
        f"        os.kill({whom}, signal.SIGKILL)\n"
        "    return a + 1\n"
    )
    clew = person(tmp_path, SIMPLE | {"thing.py": code}, "killer")
    before = tree(clew)
    said = clew.run("fix", "--json", "--max-iterations", "1", "--search-seconds", "10")
    assert (said.code, said.summary["status"]) in ((0, "green"), (1, "waiting")), said.err
    assert before == tree(clew)
    assert [] == running(naps)


@pytest.mark.slow
def test_unittest_needs_nothing_else(tmp_path: Path) -> None:
    """Tests of the standard library's kind are found, run and mended."""
    files = {
        "thing.py": SIMPLE["thing.py"],
        "tests/__init__.py": "",
        "tests/test_thing.py": (
            "import unittest\n\nfrom thing import less\n\n\n"
            "class Less(unittest.TestCase):\n"
            "    def test_less(self):\n        self.assertEqual(2, less(3))\n\n"
            "    def test_more(self):\n        self.assertEqual(8, less(9))\n"
        ),
    }
    clew = person(tmp_path, files)
    before = tree(clew)
    said = clew.run("fix", "--json", "--test-command", "python -m unittest")
    green(said)
    assert {"unittest"} == {e["command"]["runner"] for e in events(said, "TestsRan")}
    assert before == tree(clew)


@pytest.mark.slow
def test_a_folder_of_a_larger_repository_is_taken_alone(tmp_path: Path) -> None:
    """Only its tests run; the fix is named by its path in the repository, and lands there."""
    inner = {f"packages/a/{name}": text for name, text in SIMPLE.items()}
    other = {"packages/b/test_b.py": "def test_b():\n    assert False\n", "README": "two\n"}
    clew = person(tmp_path, inner | other)
    said = clew.run("fix", "packages/a", "--json")
    green(said)
    assert {2} == {e["total"] for e in events(said, "TestsRan") if e["purpose"] != "recheck"}
    assert [["packages/a/thing.py"]] == [e["files"] for e in events(said, "FixApplied")]
    assert 0 == clew.run("apply").code
    assert "a - 1" in (clew.project / "packages/a/thing.py").read_text()


def test_what_make_runs_is_named_with_the_reason(tmp_path: Path) -> None:
    """The doctor and the start say which command stands in for the named one, and why."""
    files = {
        "AGENTS.md": "## Tests\n`make test`\n",
        "Makefile": "test:\n\t@python -m pytest -q\n",
        "test_a.py": "def test_a(): pass\n",
    }
    clew = person(tmp_path, files)
    told = "python -m pytest -q (AGENTS.md: `make test` runs it)"
    assert told in clew.run("doctor").out
    said = clew.run("fix")
    assert 0 == said.code, said
    assert "1 passed" in said.err
    assert "python -m pytest -q (`make test` runs it); `--test-command` sets another" in said.err


@pytest.mark.parametrize("how", ["flag", "makefile"])
def test_a_plain_command_is_one_fact_a_run(tmp_path: Path, how: str) -> None:
    """No repair is searched for, that is said, and a person is asked with its last words."""
    line = "grep -q 4 answer || { echo the answer is wrong; exit 7; }"
    files = {"answer": "3\n", "Makefile": f"test:\n\t@{line}\n"}
    clew = person(tmp_path, files)
    words = ("--test-command", f'sh -c "{line}"') if how == "flag" else ()
    said = clew.run("fix", *words)
    assert 1 == said.code, said.err
    assert "one fact a run" in said.err
    assert "clew resume" in said.out
    report = next((clew.project / "debug").rglob("001_*.md")).read_text()
    assert "the answer is wrong" in report
    assert "ExitCode" not in report
    assert "no search" in report
    assert 1 == clew.run("localize", *words).out.count("one result for a whole run")
    (clew.project / "answer").write_text("4\n")
    assert (0, True) == ((said := clew.run("resume")).code, "proof: proven" in said.out), said


@pytest.mark.slow
def test_an_endless_loop_is_found_and_mended(tmp_path: Path) -> None:
    """A test that hangs is red, has suspects, and its loop is mended."""
    files = {
        "pyproject.toml": CONFIG,
        "count.py": (
            "def count(n):\n    i = total = 0\n    while i < n:\n        total += i\n"
            "    return total\n"
        ),
        "test_count.py": (
            "from count import count\n\n\ndef test_none():\n    assert count(0) == 0\n\n\n"
            "def test_three():\n    assert count(3) == 3\n"
        ),
    }
    clew = person(tmp_path, files)
    said = clew.run("fix", "--json", "--test-timeout", "2")
    green(said)
    (diagnosed,) = events(said, "Diagnosed")
    assert {"count.py"} == {s["path"] for s in diagnosed["suspects"]}
    assert "test_timeout" in said.summary["reports"][0]


BROKEN = {
    "a bracket": (
        "def less(a):\n    return (a - 1\n\n\ndef more():\n    return 1\n",
        "syntax_error",
    ),
    "a colon": ("def less(a)\n    return a - 1\n", "syntax_error"),
    "a name": ("ONE = 1\nSTEP = ONEE\n\n\ndef less(a):\n    return a - STEP\n", None),
}


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("what", BROKEN)
def test_code_that_does_not_load_is_mended(tmp_path: Path, what: str) -> None:
    """Files that cannot be parsed or imported are faults of the code."""
    code, category = BROKEN[what]
    clew = person(tmp_path, SIMPLE | {"thing.py": code})
    said = clew.run("fix", "--json")
    green(said)
    (diagnosed,) = events(said, "Diagnosed")
    assert category in (None, diagnosed["diagnosis"]["category"])


@pytest.mark.slow
def test_a_missing_package_is_named_and_not_mended(tmp_path: Path) -> None:
    """No edit installs a package: it is classified as such, and a person is asked."""
    code = "import surely_not_installed\n\n\ndef less(a):\n    return surely_not_installed.x(a)\n"
    clew = person(tmp_path, SIMPLE | {"thing.py": code})
    said = clew.run("fix", "--json")
    asked(said)
    kinds = {e["diagnosis"]["category"] for e in events(said, "Diagnosed")}
    assert {"missing_dependency"} == kinds
    assert [] == events(said, "FixApplied")
    assert all("dependency_missing" in path for path in said.summary["reports"])


@pytest.mark.slow
def test_a_fault_in_a_file_that_git_ignores_is_named(tmp_path: Path) -> None:
    """A change there is no part of a fix: it is told, and left to the person, who resumes."""
    code = "from helper import step\n\n\ndef less(a):\n    return step(a)\n"
    clew = person(tmp_path, SIMPLE | {"thing.py": code, ".gitignore": "helper.py\n"})
    helper = write(clew.project, {"helper.py": "def step(a):\n    return a + 1\n"}) / "helper.py"
    said = clew.run("fix", "--json", "--max-iterations", "1")
    asked(said)
    (applied,) = events(said, "FixApplied")
    why = [{"path": "helper.py", "reason": "git ignores it"}]
    assert (why, None) == (applied["skipped"], applied.get("commit")), applied
    (question,) = (clew.project / ".clew").rglob("escalation.md")
    assert "git ignores `helper.py`, which a fix made or changed" in question.read_text()
    helper.write_text("def step(a):\n    return a - 1\n")
    assert 0 == clew.run("resume").code


CHANGE = {"file": "thing.py", "line": 2, "current": "a + 1", "should_be": "a - 1"}
DIAGNOSIS = {
    "failure_classification": "test_failure",
    "root_cause": "`less` adds where it should take away, so it returns more",
    "root_cause_location": {"file": "thing.py", "line": 2},
    "fix": {"description": "take one away", "changes": [CHANGE]},
    "options": [{"title": "another way", "pros": ["it differs"]}],
    "confidence": "high",
    "confidence_reason": "every test that fails expects less",
}
BY_ROLE = "import os, sys\n\nsys.stdin.read()\nif os.environ['CLEW_ROLE'] == 'diagnose':\n    "
EDITS = (
    "    import pathlib\n"
    "    file = pathlib.Path('thing.py')\n"
    "    file.write_text(file.read_text().replace('a + 1', 'a - 1'))\n    "
)
TAMPERS = "    open('test_thing.py', 'w').write('def test_less():\\n    pass\\n')\n    "


def agent(folder: Path, fixing: str) -> str:
    return program(folder / "agent" / "mine.py", BY_ROLE + answer(**DIAGNOSIS) + "else:\n" + fixing)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["edits", "changes"])
def test_any_program_can_mend(tmp_path: Path, way: str) -> None:
    """It edits the worktree itself, or names the changes; what counts is what git sees."""
    done = answer(changes_made="one is taken away", changes=[CHANGE] if way == "changes" else [])
    clew = person(tmp_path, SIMPLE)
    before = tree(clew)
    fixing = EDITS + done if way == "edits" else "    " + done
    said = clew.run("fix", "--json", "--agent", agent(tmp_path, fixing))
    green(said)
    assert [["thing.py"]] == [e["files"] for e in events(said, "FixApplied")]
    assert before == tree(clew)


@pytest.mark.slow
def test_a_program_that_edits_tests_is_rolled_back(tmp_path: Path) -> None:
    """Tests are not made to pass by changing them; what was recommended is tried instead."""
    clew = person(tmp_path, SIMPLE)
    mine = agent(tmp_path, TAMPERS + answer(changes_made="made it pass"))
    said = clew.run("fix", "--json", "--agent", mine, "--max-iterations", "1")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert [["test_thing.py"], []] == [e.get("tampering", []) for e in events(said, "FixApplied")]
    assert 1 == len(events(said, "RolledBack"))
    assert "test_thing.py" not in clew.run("diff").out


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("does", "kind", "env"),
    [
        ("import threading; threading.Event().wait()\n", "timeout", {"CLEW_AGENT_TIMEOUT": "1"}),
        ("print('I would rather not {say}')\n", "invalid_output", {}),
        ("import sys; sys.exit('no credit left')\n", "error", {}),
    ],
)
def test_a_program_that_fails_is_asked_again_then_a_person(
    tmp_path: Path, does: str, kind: str, env: dict[str, str]
) -> None:
    """Its failures are counted and named, never taken for an answer."""
    clew = person(tmp_path, SIMPLE)
    mine = program(tmp_path / "agent" / "mine.py", does)
    said = clew.run("fix", "--json", "--agent", mine, "--max-iterations", "1", env=env)
    asked(said)
    assert [kind] * 3 == [e["kind"] for e in events(said, "AgentErred")]


@pytest.mark.slow
def test_a_file_that_an_agent_makes_and_git_ignores_is_named(tmp_path: Path) -> None:
    """The tests run without it, as they will elsewhere; outcome, report and question name it."""
    clew = person(tmp_path, SIMPLE | {".gitignore": "table.py\n"})
    making = (
        "    import pathlib\n"
        "    pathlib.Path('table.py').write_text('STEP = 1\\n')\n"
        "    file = pathlib.Path('thing.py')\n"
        "    code = file.read_text().replace('+ 1', '- STEP')\n"
        "    file.write_text('from table import STEP\\n' + code)\n"
        "    "
    )
    told = DIAGNOSIS | {"fix": {"description": "keep steps in a table", "changes": []}}
    done = making + answer(changes_made="a table of steps")
    mine = program(tmp_path / "agent" / "mine.py", f"{BY_ROLE}{answer(**told)}else:\n{done}")
    said = clew.run("fix", "--agent", mine, "--max-iterations", "1")
    assert 1 == said.code, said.err
    assert "fix a table of steps [thing.py; left out: table.py (git ignores it)]" in said.err
    assert "left out of the fix: table.py (git ignores it)" in said.err
    assert "git ignores `table.py`, which a fix made or changed" in said.out
    (report,) = (clew.project / "debug").rglob("001_*.md")
    assert "left out of the fix: table.py (git ignores it)" in report.read_text()


@pytest.mark.slow
def test_a_diff_of_any_encoding_can_be_piped_into_git(tmp_path: Path) -> None:
    """Its bytes are the file's, whatever letters they stand for."""
    clew = person(tmp_path, SIMPLE, "old")
    thing = clew.project / "thing.py"
    thing.write_bytes("# coding: latin-1\ndef less(a):\n    return a + 1  # é\n".encode("latin-1"))
    commit_all(clew.project)
    green(clew.run("fix", "--json"))
    run = partial(subprocess.run, cwd=clew.project, env=clew.environment(), check=True)
    diff = run([sys.executable, "-m", "clew", "diff"], capture_output=True)
    run(["git", "apply"], input=diff.stdout)
    assert "return a - 1  # é".encode("latin-1") in thing.read_bytes()


LOOKING = ("status", "list", "show", "log", "diff", "localize", "diagnose", "doctor")


@pytest.mark.parametrize("word", LOOKING)
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_looking_before_any_session(tmp_path: Path, word: str, flags: tuple[str, ...]) -> None:
    """Every command has an answer without a session, and none makes one."""
    project = commit_all(write(tmp_path / "empty", {"README": "empty\n"}))
    clew = CommandLine(project, tmp_path / "state")
    before = fingerprint(locate(project), exempt=())
    said = clew.run(word, *flags)
    expected = {"show": 2, "log": 2, "diff": 2, "localize": 3, "diagnose": 3}.get(word, 0)
    assert expected == said.code, said
    assert "Traceback" not in said.err
    assert said.out or said.err or flags
    if flags and said.out:
        assert all(isinstance(event, dict) for event in said.events)
    assert before == fingerprint(locate(project), exempt=())


@pytest.mark.slow
def test_looking_after_a_session(tmp_path: Path) -> None:
    """What a session did can be read in words and as JSON lines."""
    clew = person(tmp_path, SIMPLE)
    green(clew.run("fix", "--json"))
    expected = {
        "status": "green",
        "list": "green",
        "show": "proof: proven",
        "log": "TestsRan",
        "diff": "+    return a - 1",
        "localize": "thing.py:2",
        "diagnose": "place    thing.py:2",
        "doctor": "pytest",
    }
    for word in LOOKING:
        plain, lines = clew.run(word), clew.run(word, "--json")
        assert (0, 0) == (plain.code, lines.code), (plain, lines)
        assert expected[word] in plain.out
        assert lines.events
        assert "" == plain.err + lines.err
    assert "+    return a - 1" in clew.run("diff", "--json").summary["diff"]
    assert ["thing.py"] == clew.run("apply", "--json").summary["files"]
