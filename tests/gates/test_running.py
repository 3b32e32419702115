from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from clew.gates import verdict
from clew.git.project import locate
from clew.words.errors import UsageError
from clew.words.plans import Criterion, VerifyBy
from clew.words.settings import Settings
from gatekit import FAIL, NOT_RUN, PASS, PYPROJECT, WARN, Work, phase
from leftovers import living
from treestate import fingerprint

OLD = {"pyproject.toml": PYPROJECT, "a.py": "import os\n"}


def own(line: str, gate_timeout: float = 60) -> Settings:
    return Settings(gates={"own": line}, gate_timeout=gate_timeout)


def test_what_a_linter_found_before_is_not_blamed_on_the_work(work: Work) -> None:
    """Lines that moved are no new findings; the gate warns, and says that."""
    base = work.begin(OLD)
    work.change({"a.py": "X = 1\n\nimport os\n"})
    result = work.run("lint", base=base)["ruff"]
    assert (WARN, "1 finding, all of them there before") == (result.status, result.summary)


def test_only_what_is_new_fails(work: Work) -> None:
    """The findings are the new ones; how many there were before is said."""
    base = work.begin(OLD)
    work.change({"b.py": "import re\n"})
    result = work.run("lint", base=base)["ruff"]
    assert (FAIL, ["b.py:1"]) == (result.status, [each.place for each in result.findings])
    assert "1 finding; 1 more were there before" == result.summary


def test_without_a_base_all_counts(work: Work) -> None:
    """As it does where the linter was green before."""
    base = work.begin({"pyproject.toml": PYPROJECT, "a.py": ""})
    assert PASS == work.run("lint", base=base)["ruff"].status
    work.change(OLD)
    assert FAIL == work.run("lint")["ruff"].status
    assert FAIL == work.run("lint", base=base)["ruff"].status


def test_types_are_compared_as_well(work: Work) -> None:
    """What mypy found before has no say."""
    base = work.begin({"mypy.ini": "[mypy]\nfiles = a.py\n", "a.py": "x: int = ''\n"})
    work.change({"a.py": "y = 1\nx: int = ''\n"})
    assert WARN == work.run("types", base=base)["mypy"].status


def test_an_output_that_cannot_be_compared_has_no_say_if_it_was_red_before(work: Work) -> None:
    """That is said; if it was green before the exit code counts."""
    lint = Settings(gates={"lint": "sh -c 'echo bad; test -e good.txt'"})
    base = work.begin({"a.py": ""})
    work.change({"a.py": "x = 1\n"})
    result = work.run("lint", base=base, settings=lint)["lint"]
    assert (WARN, True) == (result.status, "cannot be compared" in result.summary)
    green = work.change({"good.txt": ""})
    work.change({"good.txt": None})
    assert FAIL == work.run("lint", base=green, settings=lint)["lint"].status


def test_a_new_gate_is_to_be_green(work: Work) -> None:
    """There was nothing that it found before."""
    base = work.begin({"a.py": "import os\n"})
    work.change({"pyproject.toml": PYPROJECT})
    assert FAIL == work.run("lint", base=base)["ruff"].status


def test_work_that_takes_its_gate_away_fails(work: Work) -> None:
    """Unless it declares the file; then a person is warned."""
    base = work.begin(OLD)
    work.change({"pyproject.toml": "", "a.py": "import os, re\n"})
    silent = work.run("configuration", base=base, phase=phase("a.py"))
    assert FAIL == silent["configuration"].status
    open_ = work.run("configuration", base=base, phase=phase("a.py", "pyproject.toml"))
    assert WARN == open_["configuration"].status


def test_settings_further_down_and_scripts_count_as_the_gates(work: Work) -> None:
    """Ruff would go by the new file, and the command by the new script."""
    settings = own("sh tools/check.sh")
    base = work.begin({"pyproject.toml": PYPROJECT, "src/a.py": "", "tools/check.sh": "true\n"})
    work.change({"src/ruff.toml": "lint.select = []\n", "tools/check.sh": "\ntrue\n"})
    said = work.run("configuration", base=base, phase=phase("src/a.py"), settings=settings)
    result = said["configuration"]
    assert (FAIL, ["src/ruff.toml", "tools/check.sh"]) == (
        result.status,
        [each.path for each in result.findings],
    )


def test_a_tool_that_is_not_installed_did_not_run(work: Work) -> None:
    """What to install is said, and the verdict is no pass."""
    work.begin({"pyproject.toml": "[tool.pyright]\n"})
    results = work.run("types")
    assert NOT_RUN == results["pyright"].status
    assert "pip install pyright" in results["pyright"].summary
    assert NOT_RUN == verdict(results.values())


@pytest.mark.parametrize(
    "line", ["./missing", "sh -c 'exit 127'", f"{sys.executable} -m no_such_module"]
)
def test_a_command_that_cannot_be_run_did_not_run(work: Work, line: str) -> None:
    """Whoever says so: the machine, a shell or Python."""
    work.begin({"a.py": ""})
    result = work.run("project", settings=own(line))["own"]
    assert (NOT_RUN, True) == (result.status, bool(result.summary))


def test_time_that_is_up_ends_all_that_was_started(work: Work, tmp_path: Path) -> None:
    """It did not run, and no process of it is left."""
    work.begin({"hang.sh": "trap '' TERM\nsleep 300 &\nsleep 300\n"})
    result = work.run("project", settings=own("sh hang.sh", gate_timeout=1.0))["own"]
    assert (NOT_RUN, True) == (result.status, "gate_timeout" in result.summary)
    assert [] == living(tmp_path)


def test_a_gate_writes_nowhere_but_to_its_copy(work: Work, tmp_path: Path) -> None:
    """Neither to the person's tree nor beside it, nor to what the next gate sees."""
    work.begin({"a.py": "", "tests.txt": ""})
    before = fingerprint(locate(work.root))
    outside = tmp_path / "outside.txt"
    tries = f"echo x >> a.py; echo x > {work.root}/b.py; echo x > {outside}; test -e a.py"
    gates = {"first": f'sh -c "{tries}"', "second": "sh -c 'test ! -s a.py && test ! -e b.py'"}
    results = work.run("project", settings=Settings(gates=gates))
    assert (PASS, PASS) == (results["first"].status, results["second"].status)
    assert (False, before) == (outside.exists(), fingerprint(locate(work.root)))


def test_a_linter_that_rewrites_files_fails(work: Work) -> None:
    """It succeeds by changing what it should judge; the commit is not what it made."""
    work.begin({"a.py": "x=1\n"})
    lint = Settings(gates={"lint": "sh -c 'echo x = 1 > a.py'"})
    result = work.run("lint", settings=lint)["lint"]
    assert (FAIL, ["a.py"]) == (result.status, [each.path for each in result.findings])


def test_all_of_an_output_is_kept_and_its_ends_are_shown(work: Work) -> None:
    """The middle of what a person sees is left out, by lines, and that is said."""
    work.begin({"a.py": ""})
    result = work.run("project", settings=own("sh -c 'seq 20000 >&2; exit 3'"))["own"]
    assert (FAIL, True) == (result.status, "exit code 3: 20000" in result.summary)
    assert "".join(f"{n}\n" for n in range(1, 20001)).strip() == (
        work.store.get(result.output_key).decode().strip()
    )
    assert "[Truncated: own: 19000 lines omitted]" in result.output


def test_a_secret_of_the_environment_is_not_kept(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the result nor in the store."""
    secret = "correct-" + "horse-battery"
    monkeypatch.setenv("API_TOKEN", secret)
    work.begin({"a.py": ""})
    settings = Settings(gates={"own": "sh -c 'echo $API_TOKEN; exit 1'"}, pass_env=("API_TOKEN",))
    result = work.run("project", settings=settings)["own"]
    assert FAIL == result.status
    assert secret not in result.output + result.summary
    assert secret.encode() not in work.store.get(result.output_key)


TESTS = {
    "a.py": "def f():\n    return 1\n",
    "tests/test_a.py": "from a import f\n\n\ndef test_f():\n    assert f() == 1\n",
    "conftest.py": "",
    "pytest.ini": "[pytest]\npythonpath = .\n",
}


def test_the_tests_are_facts_of_a_run(work: Work) -> None:
    """A red one is a finding at the line where it fails."""
    work.begin(TESTS)
    assert (PASS, "1 test passed") == (
        (green := work.run("tests")["tests"]).status,
        green.summary,
    )
    work.change({"a.py": "def f():\n    return 2\n"})
    red = work.run("tests")["tests"]
    assert (FAIL, ["tests/test_a.py:5"]) == (red.status, [each.place for each in red.findings])
    assert "tests/test_a.py::test_f: AssertionError" in red.findings[0].text


def test_a_project_without_tests_passes_with_a_warning_at_best(work: Work) -> None:
    """They did not run, and nothing has to be there for them to run."""
    work.begin({"pyproject.toml": PYPROJECT, "a.py": ""})
    results = work.run("lint", "tests")
    assert (NOT_RUN, False) == (results["tests"].status, results["tests"].required)
    assert WARN == verdict(results.values())


def test_a_phase_is_measured_in_the_order_of_the_table(work: Work) -> None:
    """Its changes first, then what is run; its criteria last, by what was found."""
    base = work.begin({**TESTS, "pyproject.toml": PYPROJECT})
    work.change({"b.py": "Y = 1\n", "c.py": "Z = 1\n"})
    wanted = phase(
        "b.py",
        criteria=(
            Criterion(criterion="f is right", verify_by=VerifyBy.TEST, target="test_f"),
            Criterion(criterion="`b.py` is there", verify_by=VerifyBy.FILE_EXISTS),
            Criterion(criterion="it is lean", verify_by=VerifyBy.LINT),
            Criterion(criterion="it can be read", verify_by=VerifyBy.TEST, target="test -r b.py"),
            Criterion(criterion="it is pretty"),
        ),
        validation=(("test", "-e", "c.py"), ("test", "-e", "d.py")),
    )
    results = work.run(base=base, phase=wanted)
    assert {
        "blocked": PASS,
        "changes": PASS,
        "declared": PASS,
        "scope": WARN,
        "configuration": PASS,
        "secrets": PASS,
        "ruff": PASS,
        "tests": PASS,
        "validation 1": PASS,
        "validation 2": FAIL,
        "criterion 1": PASS,
        "criterion 2": PASS,
        "criterion 3": PASS,
        "criterion 4": PASS,
        "criterion 5": NOT_RUN,
    } == {name: each.status for name, each in results.items()}
    assert list(results)[:5] == ["blocked", "changes", "declared", "scope", "configuration"]


def test_where_nothing_was_done_nothing_is_measured(work: Work) -> None:
    """An agent that is blocked, or changed nothing, fails by that alone."""
    base = work.begin(OLD)
    blocked = work.run(base=base, phase=phase("a.py"), blocked="no schema")
    assert {"blocked": FAIL} == {name: each.status for name, each in blocked.items()}
    idle = work.run(base=base, phase=phase("a.py"))
    assert {"blocked": PASS, "changes": FAIL} == {n: each.status for n, each in idle.items()}


def test_settings_leave_gates_out(work: Work) -> None:
    """A kind, also those that are no command."""
    work.begin(OLD)
    gates = {"lint": "", "tests": "", "secrets": "", "own": "true"}
    assert {"own"} == work.run(settings=Settings(gates=gates)).keys()


def test_a_command_of_the_settings_looks_for_secrets(work: Work) -> None:
    """In place of what Clew does."""
    work.begin(OLD)
    result = work.run("secrets", settings=Settings(gates={"secrets": "false"}))["secrets"]
    assert (FAIL, ("false",)) == (result.status, result.command)


def test_an_unknown_gate_is_a_mistake(work: Work) -> None:
    """Those that there are are named."""
    work.begin(OLD)
    with pytest.raises(UsageError, match="there is no gate 'lnit'") as raised:
        work.run("lnit")
    assert "ruff" in raised.value.hint


def test_nothing_is_left_of_a_measurement(work: Work) -> None:
    """Its checkouts are gone, whether it ended or was cut off."""
    base = work.begin(OLD)
    work.change({"b.py": "import re\n"})
    work.run(base=base)

    def interrupt(_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    from clew.gates import GateRequest, run_gates  # noqa: PLC0415 - for this alone

    with pytest.raises(KeyboardInterrupt):
        run_gates(work.place(), base, work.head, GateRequest(), interrupt)
    folder = work.place().repository.worktree("phase").parent
    assert [] == [path.name for path in folder.glob("*")]


def test_a_folder_of_a_repository_has_its_own_gates(work: Work) -> None:
    """Commands of the settings run in it, and those of its configuration where that lies."""
    work.begin({"pyproject.toml": PYPROJECT, "web/a.py": "import os\n", "web/here": ""})
    whole = work.root
    work.root = whole / "web"
    results = work.run("lint", "own", settings=own("test -e here"))
    work.root = whole
    assert (FAIL, PASS) == (results["ruff"].status, results["own"].status)
    assert ["web/a.py"] == [each.path for each in results["ruff"].findings]
